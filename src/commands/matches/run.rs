//! Schedule of a match, and the worker threads that play its games.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};

use clap::ValueEnum;

use super::game::{self, GameRecord};
use super::player::Player;
use super::process::FaultKind;
use super::spec::{Conditions, EngineSpec, TimeControl};
use crate::notation::openings::{Opening, read_openings};
use crate::position::Strictness;
use crate::types::Side;
use crate::util::cancel::CancelFlag;
use crate::util::math::StableRandom;
use crate::util::shard::Shard;

/// Consecutive failures to start after which an engine is withdrawn.
const MAX_FAILED_STARTS: u32 = 3;
const BUILT_IN_OPENINGS: &str = include_str!("../../../books/openings.txt");

pub fn built_in_openings() -> Vec<Opening> {
    let openings = read_openings(BUILT_IN_OPENINGS.as_bytes(), Strictness::Strict);
    openings.flatten().map(|(_, opening)| opening).collect()
}

/// Returns the indices of `openings` openings in random order, determined by the seed.
pub fn shuffled(openings: usize, seed: u64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..openings).collect();
    StableRandom::new(seed, 0).shuffle(&mut order);
    order
}

/// Pairings of more than two engines.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Format {
    /// Every engine plays every other.
    #[default]
    RoundRobin,
    /// The first engine plays every other.
    Gauntlet,
}

/// Games of a match, numbered from 0. A game is a function of its number, so a match can be resumed.
///
/// Games 2n and 2n + 1 are a *pair*: the same two engines play the same opening with colours reversed. All pairings
/// play an opening before the next one is used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Schedule {
    pairings: Vec<[usize; 2]>,
    pairs_each: u64,
    openings: Vec<usize>,
    shard: Shard,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ScheduledGame {
    pub number: u64,
    pub engines: [usize; 2],
    pub opening: usize,
}

impl Schedule {
    /// Creates the schedule of one shard for at least 2 engines, with `pairs_each` pairs of games for each pairing in
    /// all shards. The openings, at least 1, are used in this order, cyclically.
    pub fn new(engines: usize, format: Format, pairs_each: u64, openings: &[usize], shard: Shard) -> Schedule {
        let firsts = if format == Format::Gauntlet { 0..engines.min(1) } else { 0..engines };
        let pairings = firsts.flat_map(|first| (first + 1..engines).map(move |second| [first, second])).collect();
        Schedule { pairings, pairs_each, openings: openings.to_vec(), shard }
    }

    pub fn own_games(&self) -> u64 {
        self.shard.count(self.len() / 2).saturating_mul(2)
    }

    /// Returns whether a game belongs to this shard.
    pub fn has(&self, number: u64) -> bool {
        number < self.len() && self.shard.has(number / 2)
    }

    #[expect(clippy::len_without_is_empty, reason = "a schedule has games")]
    pub fn len(&self) -> u64 {
        self.pairs_each.saturating_mul(self.pairings.len() as u64).saturating_mul(2)
    }

    pub fn game(&self, number: u64) -> ScheduledGame {
        let (pairings, pair) = (self.pairings.len() as u64, number / 2);
        let (round, [first, second]) = (pair / pairings, self.pairings[(pair % pairings) as usize]);
        ScheduledGame {
            number,
            engines: if number.is_multiple_of(2) { [first, second] } else { [second, first] },
            opening: self.openings[(round % self.openings.len() as u64) as usize],
        }
    }

    pub fn games(&self) -> impl Iterator<Item = ScheduledGame> + '_ {
        let pairs = self.shard.numbers(self.len() / 2);
        pairs.flat_map(|pair| [2 * pair, 2 * pair + 1]).map(|number| self.game(number))
    }
}

#[derive(Clone, Debug)]
pub struct Match {
    /// The engines, with distinct names.
    pub engines: Vec<EngineSpec>,
    pub control: TimeControl,
    pub conditions: Conditions,
    /// The openings, indexed by [`ScheduledGame::opening`].
    pub openings: Vec<Opening>,
    pub schedule: Schedule,
    pub concurrency: usize,
    pub restarts: bool,
}

#[derive(Debug)]
pub enum MatchEvent {
    Finished(ScheduledGame, Box<GameRecord>),
    Notice(String),
}

impl Match {
    /// Starts every engine once, reports faults and what is to be known of options, and returns which ones can play.
    pub fn try_engines(&self, interrupt: &CancelFlag, mut on_notice: impl FnMut(&str)) -> Vec<bool> {
        let can_play = (0..self.engines.len()).map(|engine| {
            let mut player = self.player(engine);
            let started = player.prepare(interrupt);
            player.notices.iter().for_each(|notice| on_notice(notice));
            if let Err(Some(fault)) = &started {
                on_notice(&self.withdrawal(engine, &fault.text));
            }
            started.is_ok()
        });
        can_play.collect()
    }

    fn player(&self, engine: usize) -> Player {
        Player::new(self.engines[engine].clone(), self.control, &self.conditions)
    }

    fn withdrawal(&self, engine: usize, fault: &str) -> String {
        format!("{} {fault}; its games are not played", self.engines[engine].name)
    }

    /// Plays the games that are not `done` and whose engines can play, and reports each one when it ends. When
    /// `on_event` breaks or the interrupt is requested, the running games are aborted.
    pub fn play(
        &self,
        can_play: &[bool],
        done: &HashSet<u64>,
        interrupt: &CancelFlag,
        on_event: impl FnMut(MatchEvent) -> ControlFlow<()> + Send,
    ) {
        let is_open = |scheduled: &ScheduledGame| !done.contains(&scheduled.number);
        let queue = Mutex::new(Queue {
            waiting: Box::new(self.schedule.games().filter(is_open)),
            failed_starts: can_play.iter().map(|can| if *can { 0 } else { MAX_FAILED_STARTS }).collect(),
        });
        let on_event = Mutex::new(on_event);
        // A flag of its own: a second interrupt ends the program, but not one that follows a break.
        let cancel = CancelFlag::default();
        let flag = cancel.clone();
        interrupt.during(
            move || {
                flag.cancel();
            },
            || {
                if interrupt.is_cancelled() {
                    return;
                }
                std::thread::scope(|scope| {
                    for _ in 0..self.concurrency.max(1) {
                        scope.spawn(|| self.play_games(&queue, &on_event, &cancel));
                    }
                });
            },
        );
    }

    /// Worker loop: plays games until none is left.
    fn play_games(
        &self,
        queue: &Mutex<Queue>,
        on_event: &Mutex<impl FnMut(MatchEvent) -> ControlFlow<()>>,
        cancel: &CancelFlag,
    ) {
        let queue = || queue.lock().unwrap_or_else(PoisonError::into_inner);
        let mut players: Vec<(usize, Player)> = Vec::new();
        loop {
            let next = queue().next_game(&self.schedule.pairings, cancel);
            let Some(scheduled) = next else { return };
            // End engines that do not play the next game, to free their memory.
            players.retain(|(engine, _)| scheduled.engines.contains(engine) && !self.restarts);
            for engine in scheduled.engines {
                if players.iter().all(|(other, _)| *other != engine) {
                    players.push((engine, self.player(engine)));
                }
            }
            players.sort_by_key(|(engine, _)| *engine != scheduled.engines[0]);
            let [(_, red), (_, black)] = &mut players[..] else { unreachable!("two engines play a game") };
            let opening = &self.openings[scheduled.opening];
            let record = game::play(scheduled.number, [red, black], opening, &self.conditions, cancel);
            let Some(record) = record else { return };
            let withdrawn = queue().record_start(&scheduled, &record).map(|engine| {
                let reason = &record.reason;
                let times = format!("cannot be started: it failed {MAX_FAILED_STARTS} times in a row; {reason}");
                MatchEvent::Notice(self.withdrawal(engine, &times))
            });
            let finished = MatchEvent::Finished(scheduled, Box::new(record));
            let mut on_event = on_event.lock().unwrap_or_else(PoisonError::into_inner);
            // A game that ends after the request may have ended because of it.
            if cancel.is_cancelled() {
                return;
            }
            if [Some(finished), withdrawn].into_iter().flatten().any(|event| on_event(event).is_break()) {
                cancel.cancel();
            }
        }
    }
}

/// Games to play and the failures of engines.
struct Queue<'a> {
    waiting: Box<dyn Iterator<Item = ScheduledGame> + Send + 'a>,
    /// Consecutive failures to start of each engine.
    failed_starts: Vec<u32>,
}

impl Queue<'_> {
    /// Returns the next game whose engines can play.
    fn next_game(&mut self, pairings: &[[usize; 2]], cancel: &CancelFlag) -> Option<ScheduledGame> {
        let failed_starts = &self.failed_starts;
        let can_play = |pairing: &[usize; 2]| pairing.iter().all(|&one| failed_starts[one] < MAX_FAILED_STARTS);
        // Without the second check the loop would skip through a schedule of up to 2^64 games.
        if cancel.is_cancelled() || !pairings.iter().any(can_play) {
            return None;
        }
        self.waiting.find(|scheduled| can_play(&scheduled.engines))
    }

    /// Counts failures to start. Returns the engine that is withdrawn for them now, if any.
    fn record_start(&mut self, scheduled: &ScheduledGame, record: &GameRecord) -> Option<usize> {
        let failed = record.fault.filter(|fault| fault.kind == FaultKind::Start).map(|fault| fault.side);
        // Black is not started when Red has failed.
        for side in
            Side::BOTH.into_iter().filter(|&side| failed.is_none_or(|failed| side == failed || side == Side::Red))
        {
            let engine = scheduled.engines[side.index()];
            let failures = &mut self.failed_starts[engine];
            // Another thread may have withdrawn the engine meanwhile.
            if *failures < MAX_FAILED_STARTS {
                *failures = if failed == Some(side) { *failures + 1 } else { 0 };
                if *failures == MAX_FAILED_STARTS {
                    return Some(engine);
                }
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_pairings_play_both_colours_from_the_same_openings() {
        for (engines, format, pairings) in
            [(2, Format::RoundRobin, 1), (5, Format::RoundRobin, 10), (5, Format::Gauntlet, 4)]
        {
            let schedule = Schedule::new(engines, format, 3, &[10, 11], Shard::default());
            let games: Vec<ScheduledGame> = schedule.games().collect();
            assert_eq!((schedule.len(), games.len()), (pairings * 6, pairings as usize * 6));
            for pair in games.chunks(2) {
                assert_eq!(pair[0].opening, pair[1].opening);
                assert_eq!(pair[0].engines, [pair[1].engines[1], pair[1].engines[0]]);
                let met = games.iter().filter(|other| other.engines == pair[0].engines).count();
                assert!(met == 3 && (format != Format::Gauntlet || pair[0].engines.contains(&0)));
            }
            // Every game belongs to one shard, whole pairs to the same.
            let mut parts = Vec::new();
            for shard in ["1/4", "2/4", "3/4", "4/4"] {
                let part = Schedule { shard: shard.parse().unwrap(), ..schedule.clone() };
                let games: Vec<ScheduledGame> = part.games().collect();
                assert_eq!(games.len() as u64, part.own_games());
                assert!(games.iter().all(|game| part.has(game.number) && part.has(game.number ^ 1)));
                parts.extend(games);
            }
            parts.sort_by_key(|game| game.number);
            assert_eq!(parts, games);
        }
    }

    #[test]
    fn all_built_in_openings_are_read_and_shuffling_is_a_permutation_determined_by_the_seed() {
        let openings = built_in_openings().len();
        assert_eq!(openings, BUILT_IN_OPENINGS.lines().filter(|line| !line.starts_with('#')).count());
        let mut order = shuffled(openings, 7);
        assert_eq!(order, shuffled(openings, 7));
        assert_ne!(order, shuffled(openings, 8));
        order.sort_unstable();
        assert!(order.into_iter().eq(0..openings));
    }
}
