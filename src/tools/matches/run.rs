//! Playing the games of a schedule, several at a time.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::fault::{Fault, FaultKind};
use super::game::{self, Conditions};
use super::player::{NoDecision, Player, Timeouts};
use super::record::GameRecord;
use super::schedule::{Fixture, Schedule};
use super::spec::EngineSpec;
use super::time_control::TimeControl;
use crate::notation::openings::Opening;
use crate::types::Side;
use crate::util::cancel::Interrupt;

/// After so many failures to start in a row an engine plays no more.
const MOST_FAILED_STARTS: u32 = 3;
/// How often the interrupt is looked at: sooner than a person notices.
const GLANCE: Duration = Duration::from_millis(20);

/// A match.
#[derive(Clone, Debug)]
pub struct Match {
    /// The engines, with names that differ.
    pub engines: Vec<EngineSpec>,
    /// What engines may spend that have no limit of their own.
    pub control: TimeControl,
    /// The rules and what else ends games.
    pub conditions: Conditions,
    /// How long engines are waited for.
    pub patience: Timeouts,
    /// The openings that the schedule speaks of.
    pub openings: Vec<Opening>,
    /// Who plays whom.
    pub schedule: Schedule,
    /// How many games are played at a time, at least 1.
    pub concurrency: usize,
    /// Whether engines are started anew for every game.
    pub restarts: bool,
}

/// What happens in a match.
#[derive(Debug)]
pub enum News<'a> {
    /// A game is over.
    Finished(&'a Fixture, &'a GameRecord),
    /// An engine was to be given an option that it does not declare.
    UnknownOption {
        /// Which engine.
        engine: &'a str,
        /// The option.
        option: &'a str,
    },
    /// An engine does not start, and plays no more.
    Withdrawn {
        /// Which engine.
        engine: &'a str,
        /// What happened.
        fault: &'a Fault,
    },
}

enum Event {
    Finished(Fixture, Box<GameRecord>),
    Withdrawn(usize, Fault),
}

/// What the threads share.
struct Hall<'a> {
    whole: &'a Match,
    /// The games not yet begun.
    waiting: Mutex<Box<dyn Iterator<Item = Fixture> + Send + 'a>>,
    /// For each engine, how often in a row it did not start.
    failed_starts: Mutex<Vec<u32>>,
    /// Games in play end, and none is begun.
    closing: Interrupt,
}

impl Match {
    /// Tries to start every engine, and tells of those that do not and of options that they do not know. Returns which
    /// engines can play.
    pub fn try_engines(&self, interrupt: &Interrupt, mut listen: impl FnMut(&News)) -> Vec<bool> {
        let starts = self.engines.iter().map(|spec| {
            let mut player = Player::new(spec.clone(), self.patience);
            let started = player.prepare(interrupt);
            for option in player.unknown_options() {
                listen(&News::UnknownOption { engine: &spec.name, option });
            }
            if let Err(NoDecision::Fault(fault)) = &started {
                listen(&News::Withdrawn { engine: &spec.name, fault });
            }
            started.is_ok()
        });
        starts.collect()
    }

    /// Plays the games that are not `done`, and none of engines that cannot play. `listen` hears of every game in the
    /// order in which they end; when it breaks off, or the interrupt is requested, the games in play are broken off and
    /// nobody hears of them.
    pub fn play(
        &self,
        can_play: &[bool],
        done: &HashSet<u64>,
        interrupt: &Interrupt,
        mut listen: impl FnMut(&News) -> ControlFlow<()>,
    ) {
        let is_open = |fixture: &Fixture| !done.contains(&fixture.number);
        let hall = Hall {
            whole: self,
            waiting: Mutex::new(Box::new(self.schedule.fixtures().filter(is_open))),
            failed_starts: Mutex::new(can_play.iter().map(|can| if *can { 0 } else { MOST_FAILED_STARTS }).collect()),
            closing: Interrupt::default(),
        };
        let (sender, events) = channel();
        std::thread::scope(|scope| {
            for _ in 0..self.concurrency.max(1) {
                let (sender, hall) = (sender.clone(), &hall);
                scope.spawn(move || hall.play_games(&sender));
            }
            drop(sender);
            loop {
                let event = match events.recv_timeout(GLANCE) {
                    Ok(event) => event,
                    Err(RecvTimeoutError::Timeout) if !interrupt.is_requested() => continue,
                    Err(RecvTimeoutError::Timeout) => {
                        hall.closing.request();
                        continue;
                    }
                    Err(RecvTimeoutError::Disconnected) => return,
                };
                // What ends after the wish to end may end because of it.
                if interrupt.is_requested() || hall.closing.is_requested() {
                    hall.closing.request();
                    continue;
                }
                let flow = match &event {
                    Event::Finished(fixture, record) => listen(&News::Finished(fixture, record)),
                    Event::Withdrawn(engine, fault) => {
                        listen(&News::Withdrawn { engine: &self.engines[*engine].name, fault })
                    }
                };
                if flow.is_break() {
                    hall.closing.request();
                }
            }
        });
    }

    fn control_of(&self, engine: usize) -> TimeControl {
        self.engines[engine].control.unwrap_or(self.control)
    }
}

impl Hall<'_> {
    /// One board: plays games until none is left.
    fn play_games(&self, events: &Sender<Event>) {
        let mut seated: Vec<(usize, Player)> = Vec::new();
        while let Some(fixture) = self.next_fixture() {
            // Engines that do not play keep no memory.
            seated.retain(|(engine, _)| fixture.engines.contains(engine) && !self.whole.restarts);
            for engine in fixture.engines {
                if seated.iter().all(|(other, _)| *other != engine) {
                    seated.push((engine, Player::new(self.whole.engines[engine].clone(), self.whole.patience)));
                }
            }
            seated.sort_by_key(|(engine, _)| *engine != fixture.engines[0]);
            let [(_, red), (_, black)] = &mut seated[..] else { unreachable!("two engines play a game") };
            let record = game::play(
                fixture.number,
                [red, black],
                fixture.engines.map(|engine| self.whole.engines[engine].name.as_str()),
                fixture.engines.map(|engine| self.whole.control_of(engine)),
                &self.whole.openings[fixture.opening],
                &self.whole.conditions,
                &self.closing,
            );
            let Some(record) = record else { return };
            let withdrawn = self.book_start(&fixture, &record);
            if events.send(Event::Finished(fixture, Box::new(record))).is_err() {
                return;
            }
            if let Some((engine, fault)) = withdrawn {
                let _ = events.send(Event::Withdrawn(engine, fault));
            }
        }
    }

    fn next_fixture(&self) -> Option<Fixture> {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if self.closing.is_requested() {
                return None;
            }
            let failed_starts = self.failed_starts.lock().unwrap_or_else(PoisonError::into_inner);
            let can_play = |engine: usize| failed_starts[engine] < MOST_FAILED_STARTS;
            // A schedule may be longer than anybody could count.
            if !self.whole.schedule.has_pairing_of(can_play) {
                return None;
            }
            let fixture = waiting.next()?;
            if fixture.engines.into_iter().all(can_play) {
                return Some(fixture);
            }
        }
    }

    /// Counts the failures to start. Returns the engine that has to leave now, if one has.
    fn book_start(&self, fixture: &Fixture, record: &GameRecord) -> Option<(usize, Fault)> {
        let mut failed_starts = self.failed_starts.lock().unwrap_or_else(PoisonError::into_inner);
        let failed = record.fault.filter(|(_, kind)| *kind == FaultKind::Start).map(|(side, _)| side);
        for side in Side::BOTH {
            let engine = fixture.engines[side.index()];
            // One that was withdrawn meanwhile stays so.
            if failed_starts[engine] >= MOST_FAILED_STARTS {
                continue;
            }
            match failed {
                Some(failed) if failed == side => failed_starts[engine] += 1,
                // Black was not even tried after Red had failed.
                Some(Side::Red) => {}
                _ => failed_starts[engine] = 0,
            }
            if failed_starts[engine] == MOST_FAILED_STARTS {
                let reason = format!("it failed {MOST_FAILED_STARTS} times in a row; {}", record.reason);
                return Some((engine, Fault::CannotStart(reason)));
            }
        }
        None
    }
}
