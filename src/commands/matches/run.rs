//! Worker threads that play the games of a schedule.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::game::{self, Conditions};
use super::player::{Player, PlayerError, Timeouts};
use super::record::GameRecord;
use super::record::{Fault, FaultKind};
use super::schedule::{Schedule, ScheduledGame};
use super::spec::EngineSpec;
use super::time_control::TimeControl;
use crate::notation::openings::Opening;
use crate::types::Side;
use crate::util::cancel::CancelFlag;

/// Consecutive failures to start after which an engine is withdrawn.
const MAX_FAILED_STARTS: u32 = 3;
/// Interval between checks of the cancellation flag.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Settings of a match.
#[derive(Clone, Debug)]
pub struct Match {
    /// The engines, with distinct names.
    pub engines: Vec<EngineSpec>,
    /// Limit of the engines without a limit of their own.
    pub control: TimeControl,
    /// Rules, adjudication and time margin.
    pub conditions: Conditions,
    /// Limits on waiting for engines.
    pub timeouts: Timeouts,
    /// The openings, indexed by [`ScheduledGame::opening`].
    pub openings: Vec<Opening>,
    /// Pairings and openings of all games.
    pub schedule: Schedule,
    /// Number of concurrent games, at least 1.
    pub concurrency: usize,
    /// True if engines are restarted for every game.
    pub restarts: bool,
}

/// Event of a match.
#[derive(Debug)]
pub enum MatchEvent<'a> {
    /// A game is over.
    Finished(&'a ScheduledGame, &'a GameRecord),
    /// An option of an engine's specification is not declared by the engine.
    UnknownOption {
        /// Name of the engine.
        engine: &'a str,
        /// Name of the option.
        option: &'a str,
    },
    /// An engine does not declare this value of an option as possible.
    RefusedOption {
        /// Name of the engine.
        engine: &'a str,
        /// The option, `name=value`.
        option: &'a str,
        /// What it declares.
        declared: &'a str,
    },
    /// An engine said this to its user when its options were set.
    Message {
        /// Name of the engine.
        engine: &'a str,
        /// The text.
        text: &'a str,
    },
    /// An engine does not start and plays no further games.
    Withdrawn {
        /// Name of the engine.
        engine: &'a str,
        /// The fault.
        fault: &'a Fault,
    },
}

enum WorkerEvent {
    Finished(ScheduledGame, Box<GameRecord>),
    Withdrawn(usize, Fault),
}

/// Data shared by the worker threads.
struct Shared<'a> {
    settings: &'a Match,
    /// Games not yet started.
    waiting: Mutex<Box<dyn Iterator<Item = ScheduledGame> + Send + 'a>>,
    /// Consecutive failures to start, by engine.
    failed_starts: Mutex<Vec<u32>>,
    /// Cancellation flag: running games stop, and no game is started.
    cancel: CancelFlag,
}

impl Match {
    /// Starts every engine once; reports those that fail, undeclared options, and what engines say about their options.
    /// Returns for each engine whether it can play.
    pub fn try_engines(&self, interrupt: &CancelFlag, mut on_event: impl FnMut(&MatchEvent)) -> Vec<bool> {
        let can_play = self.engines.iter().map(|spec| {
            let mut player = Player::new(spec.clone(), self.timeouts);
            let started = player.prepare(interrupt);
            for option in player.unknown_options() {
                on_event(&MatchEvent::UnknownOption { engine: &spec.name, option });
            }
            for (option, declared) in player.refused_options() {
                on_event(&MatchEvent::RefusedOption { engine: &spec.name, option, declared });
            }
            for text in player.messages() {
                on_event(&MatchEvent::Message { engine: &spec.name, text });
            }
            if let Err(PlayerError::Fault(fault)) = &started {
                on_event(&MatchEvent::Withdrawn { engine: &spec.name, fault });
            }
            started.is_ok()
        });
        can_play.collect()
    }

    /// Plays the games that are not `done` and whose engines can play. Reports each finished game to `on_event`, in the
    /// order in which they end. When `on_event` breaks or the interrupt is requested, the running games are aborted and
    /// not reported.
    pub fn play(
        &self,
        can_play: &[bool],
        done: &HashSet<u64>,
        interrupt: &CancelFlag,
        mut on_event: impl FnMut(&MatchEvent) -> ControlFlow<()>,
    ) {
        let is_open = |scheduled: &ScheduledGame| !done.contains(&scheduled.number);
        let shared = Shared {
            settings: self,
            waiting: Mutex::new(Box::new(self.schedule.games().filter(is_open))),
            failed_starts: Mutex::new(can_play.iter().map(|can| if *can { 0 } else { MAX_FAILED_STARTS }).collect()),
            cancel: CancelFlag::default(),
        };
        let (sender, events) = channel();
        std::thread::scope(|scope| {
            for _ in 0..self.concurrency.max(1) {
                let (sender, shared) = (sender.clone(), &shared);
                scope.spawn(move || shared.play_games(&sender));
            }
            drop(sender);
            loop {
                let event = match events.recv_timeout(POLL_INTERVAL) {
                    Ok(event) => event,
                    Err(RecvTimeoutError::Timeout) if !interrupt.is_cancelled() => continue,
                    Err(RecvTimeoutError::Timeout) => {
                        shared.cancel.cancel();
                        continue;
                    }
                    Err(RecvTimeoutError::Disconnected) => return,
                };
                // A game that ends after the request may have ended because of it.
                if interrupt.is_cancelled() || shared.cancel.is_cancelled() {
                    shared.cancel.cancel();
                    continue;
                }
                let flow = match &event {
                    WorkerEvent::Finished(scheduled, record) => on_event(&MatchEvent::Finished(scheduled, record)),
                    WorkerEvent::Withdrawn(engine, fault) => {
                        on_event(&MatchEvent::Withdrawn { engine: &self.engines[*engine].name, fault })
                    }
                };
                if flow.is_break() {
                    shared.cancel.cancel();
                }
            }
        });
    }

    fn control_of(&self, engine: usize) -> TimeControl {
        self.engines[engine].control.unwrap_or(self.control)
    }
}

impl Shared<'_> {
    /// Worker loop: plays games until none is left.
    fn play_games(&self, events: &Sender<WorkerEvent>) {
        let mut players: Vec<(usize, Player)> = Vec::new();
        while let Some(scheduled) = self.next_game() {
            // End engines that do not play the next game, to free their memory.
            players.retain(|(engine, _)| scheduled.engines.contains(engine) && !self.settings.restarts);
            for engine in scheduled.engines {
                if players.iter().all(|(other, _)| *other != engine) {
                    players.push((engine, Player::new(self.settings.engines[engine].clone(), self.settings.timeouts)));
                }
            }
            players.sort_by_key(|(engine, _)| *engine != scheduled.engines[0]);
            let [(_, red), (_, black)] = &mut players[..] else { unreachable!("two engines play a game") };
            let record = game::play(
                scheduled.number,
                [red, black],
                scheduled.engines.map(|engine| self.settings.engines[engine].name.as_str()),
                scheduled.engines.map(|engine| self.settings.control_of(engine)),
                &self.settings.openings[scheduled.opening],
                &self.settings.conditions,
                &self.cancel,
            );
            let Some(record) = record else { return };
            let withdrawn = self.record_start(&scheduled, &record);
            if events.send(WorkerEvent::Finished(scheduled, Box::new(record))).is_err() {
                return;
            }
            if let Some((engine, fault)) = withdrawn {
                let _ = events.send(WorkerEvent::Withdrawn(engine, fault));
            }
        }
    }

    fn next_game(&self) -> Option<ScheduledGame> {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if self.cancel.is_cancelled() {
                return None;
            }
            let failed_starts = self.failed_starts.lock().unwrap_or_else(PoisonError::into_inner);
            let can_play = |engine: usize| failed_starts[engine] < MAX_FAILED_STARTS;
            // Without this check the loop would skip through a schedule of up to 2^64 games.
            if !self.settings.schedule.has_pairing_of(can_play) {
                return None;
            }
            let scheduled = waiting.next()?;
            if scheduled.engines.into_iter().all(can_play) {
                return Some(scheduled);
            }
        }
    }

    /// Counts failures to start. Returns the engine to withdraw, if any.
    fn record_start(&self, scheduled: &ScheduledGame, record: &GameRecord) -> Option<(usize, Fault)> {
        let mut failed_starts = self.failed_starts.lock().unwrap_or_else(PoisonError::into_inner);
        let failed = record.fault.filter(|(_, kind)| *kind == FaultKind::Start).map(|(side, _)| side);
        for side in Side::BOTH {
            let engine = scheduled.engines[side.index()];
            // Another thread may have withdrawn the engine meanwhile.
            if failed_starts[engine] >= MAX_FAILED_STARTS {
                continue;
            }
            match failed {
                Some(failed) if failed == side => failed_starts[engine] += 1,
                // Black is not started when Red has failed.
                Some(Side::Red) => {}
                _ => failed_starts[engine] = 0,
            }
            if failed_starts[engine] == MAX_FAILED_STARTS {
                let reason = format!("it failed {MAX_FAILED_STARTS} times in a row; {}", record.reason);
                return Some((engine, Fault::CannotStart(reason)));
            }
        }
        None
    }
}
