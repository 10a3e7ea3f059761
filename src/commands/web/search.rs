//! Searches for a page.

use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde::Serialize;

use super::answer::{Outbox, RequestFault};
use super::position::{MoveObject, names, play, rules};
use super::request::{Go, Line, Purpose, Review};
use super::share::EngineShare;
use crate::commands::analysis::command::score::{self, ScoreObject};
use crate::commands::analysis::game::{GameReview, MoveReview, review};
use crate::commands::analysis::wdl::winning_chance;
use crate::commands::analysis::{Analysis, PvLine, analyze_position};
use crate::engine::{Engine, FULL_SKILL, MAX_MULTI_PV};
use crate::eval::WinModel;
use crate::notation::game::Game;
use crate::position::Position;
use crate::search::{Clock, Limits, MAX_DEPTH};
use crate::types::{Side, Value};
use crate::util::cancel::CancelFlag;

/// Longest time of a search with a limit.
const MAX_TIME: Duration = Duration::from_secs(3600);
/// Time of a hint, and of a move without any limit.
const DEFAULT_TIME: Duration = Duration::from_millis(1000);
/// Time of the answer to a draw offer.
const DRAW_TIME: Duration = Duration::from_millis(400);
/// Default time of a position in the analysis of a game.
const REVIEW_TIME: Duration = Duration::from_millis(300);
/// Maximum length of a principal variation in an event, in plies; the rest is left out.
const MAX_LINE: usize = 24;

/// Ends a search, which may be waiting or running.
#[derive(Default)]
pub(super) struct StopSwitch {
    stopped: CancelFlag,
    /// Flag of the current attempt; an attempt also ends when the search gives way to another page.
    attempt: Mutex<CancelFlag>,
}

impl StopSwitch {
    /// Stops the search.
    pub(super) fn stop(&self) {
        self.stopped.cancel();
        self.attempt.lock().unwrap_or_else(PoisonError::into_inner).cancel();
    }

    /// Returns the flag of a new attempt; `None` when the search is stopped.
    fn begin(&self) -> Option<CancelFlag> {
        let flag = CancelFlag::default();
        *self.attempt.lock().unwrap_or_else(PoisonError::into_inner) = flag.clone();
        (!self.stopped.is_cancelled()).then_some(flag)
    }

    fn is_stopped(&self) -> bool {
        self.stopped.is_cancelled()
    }
}

/// Work of a page for the engine.
pub(super) enum Task {
    /// One search.
    Go(Box<Go>),
    /// All positions of a game.
    Review(Review),
}

impl Task {
    /// Runs the task when its turn comes. Sends events, the last of them `finished` or `failed`.
    pub(super) fn run(&self, id: u64, share: &EngineShare, stop: &StopSwitch, outbox: &Outbox) {
        let done = match self {
            Task::Go(go) => search(go, id, share, stop, outbox),
            Task::Review(request) => review_game(request, id, share, stop, outbox),
        };
        if let Err(fault) = done {
            outbox.event(id, "failed", Failed { error: fault.to_string() });
        }
    }
}

#[derive(Serialize)]
struct Failed {
    error: String,
}

#[derive(Serialize)]
struct Waiting {
    /// Number of searches of other pages that come first.
    ahead: usize,
}

#[derive(Serialize)]
struct Empty {}

/// Line of a finished iteration.
#[derive(Serialize)]
struct LineObject {
    index: usize,
    depth: usize,
    selective: usize,
    score: ScoreForRed,
    nodes: u64,
    /// Milliseconds.
    time: u64,
    /// Nodes per second.
    speed: u64,
    moves: Vec<MoveObject>,
}

/// Score from Red's point of view.
#[derive(Serialize)]
struct ScoreForRed {
    #[serde(flatten)]
    object: ScoreObject,
    text: String,
    /// Winning chance, 0 to 1.
    chance: f64,
}

impl ScoreForRed {
    /// Creates the object of a score for the side to move in this position.
    fn new(score: Value, position: &Position) -> ScoreForRed {
        ScoreForRed::of_side(score, position.side(), position)
    }

    /// Creates the object of a score for a side in this position.
    fn of_side(score: Value, side: Side, position: &Position) -> ScoreForRed {
        let score = if side == Side::Red { score } else { -score };
        let reported = WinModel::of(position).reported(score);
        ScoreForRed { object: ScoreObject::new(reported), text: score::text(reported), chance: winning_chance(score) }
    }
}

#[derive(Serialize)]
struct Finished {
    /// Move to play.
    best: Option<MoveObject>,
    score: Option<ScoreForRed>,
    depth: usize,
    /// It was stopped before its limits.
    stopped: bool,
    /// The move comes from a book.
    book: bool,
    /// Answer to a draw offer.
    #[serde(skip_serializing_if = "Option::is_none")]
    accepts: Option<bool>,
}

/// Sets the options of a search. Those that keep their value cost nothing.
fn configure(engine: &mut Engine, line: &Line, skill: u8, book: bool, tables: bool) -> Result<(), RequestFault> {
    let rule_set = rules(line)?.set;
    engine.configure(|options| {
        options.rule_set = rule_set;
        options.skill = skill;
        options.book.is_on = book;
        options.tablebases.is_on = tables;
    })?;
    Ok(())
}

fn limits(go: &Go) -> Limits {
    let time = |milliseconds: u64| Duration::from_millis(milliseconds).min(MAX_TIME);
    let clock = go.clock.map(|remaining| Clock {
        remaining: time(remaining),
        increment: time(go.increment.unwrap_or(0)),
        moves_to_go: None,
    });
    let limits = Limits {
        depth: go.depth.map(|depth| depth.max(1)),
        nodes: go.nodes,
        move_time: if go.purpose == Purpose::Draw { Some(DRAW_TIME) } else { go.time.map(time) },
        clock,
        multi_pv: go.lines.unwrap_or(1).clamp(1, MAX_MULTI_PV),
        infinite: go.purpose == Purpose::Analyse,
        saves_time: go.purpose == Purpose::Play,
        ..Limits::default()
    };
    limits.or_time(DEFAULT_TIME)
}

fn search(go: &Go, id: u64, share: &EngineShare, stop: &StopSwitch, outbox: &Outbox) -> Result<(), RequestFault> {
    let position = play(&go.line, share.strictness)?;
    let limits = limits(go);
    let skill = match go.purpose {
        Purpose::Play => go.skill.unwrap_or(FULL_SKILL).clamp(1, FULL_SKILL),
        _ => FULL_SKILL,
    };
    let book = go.book && go.purpose == Purpose::Play;
    while let Some(attempt) = stop.begin() {
        let give_way = limits.infinite.then(|| attempt.clone());
        let waiting = |ahead| outbox.event_if_ready(id, "waiting", Waiting { ahead });
        let Some(mut turn) = share.acquire(&attempt, give_way, waiting) else { continue };
        let engine = turn.engine();
        configure(engine, &go.line, skill, book, go.tablebases)?;
        engine.set_position(position.clone());
        outbox.event_if_ready(id, "searching", Empty {});
        if let Some(choice) = engine.book_move(&limits) {
            drop(turn);
            let best = Some(MoveObject::new(&position, choice.mv));
            let found = Finished { best, score: None, depth: 0, stopped: false, book: true, accepts: None };
            outbox.event(id, "finished", found);
            return Ok(());
        }
        let analysis = analyze_position(engine, position.clone(), &limits, &attempt, |line| {
            outbox.event_if_ready(id, "line", line_object(&position, line));
            ControlFlow::Continue(())
        })?;
        drop(turn);
        if analysis.was_cut_short && !stop.is_stopped() {
            // It gave way to another page.
            continue;
        }
        outbox.event(id, "finished", finished(go, &position, &analysis));
        return Ok(());
    }
    outbox.event(id, "finished", finished(go, &position, &Analysis { was_cut_short: true, ..Analysis::default() }));
    Ok(())
}

fn line_object(position: &Position, line: &PvLine) -> LineObject {
    let milliseconds = line.elapsed.as_millis() as u64;
    LineObject {
        index: line.pv_index,
        depth: line.depth,
        selective: line.selective_depth,
        score: ScoreForRed::new(line.score, position),
        nodes: line.nodes,
        time: milliseconds,
        speed: (line.nodes as f64 / line.elapsed.as_secs_f64().max(1e-3)) as u64,
        moves: names(position, line.moves.iter().copied().take(MAX_LINE)),
    }
}

fn finished(go: &Go, position: &Position, analysis: &Analysis) -> Finished {
    let outcome = &analysis.outcome;
    let accepts = (go.purpose == Purpose::Draw && !analysis.was_cut_short).then_some(outcome.score >= 0);
    Finished {
        best: outcome.best().map(|mv| MoveObject::new(position, mv)),
        score: outcome.best().map(|_| ScoreForRed::new(outcome.score, position)),
        depth: outcome.depth,
        stopped: analysis.was_cut_short,
        book: false,
        accepts,
    }
}

/// Reviewed move.
#[derive(Serialize)]
struct MoveReviewObject {
    ply: usize,
    /// Score after the move.
    score: ScoreForRed,
    /// Loss of winning chance, 0 to 1.
    loss: f64,
    /// `?!`, `?` or `??`.
    mark: &'static str,
    /// Best line instead of the move.
    best: Vec<MoveObject>,
}

#[derive(Serialize)]
struct Progress {
    /// Reviewed plies.
    done: usize,
    /// All plies.
    total: usize,
    /// Score before the first move.
    start: ScoreForRed,
    #[serde(rename = "move")]
    mv: MoveReviewObject,
}

#[derive(Serialize)]
struct Reviewed {
    stopped: bool,
    /// Accuracy of Red and of Black in percent.
    accuracy: [Option<f64>; 2],
    /// Inaccuracies, mistakes and blunders of Red and of Black.
    marks: [[usize; 3]; 2],
}

fn review_game(
    request: &Review,
    id: u64,
    share: &EngineShare,
    stop: &StopSwitch,
    outbox: &Outbox,
) -> Result<(), RequestFault> {
    let end = play(&request.line, share.strictness)?;
    let mut start = end.clone();
    (0..end.history().len()).for_each(|_| start.unmake());
    let game = Game::from_line(start, end.history().iter().map(|played| played.mv));
    let depth = request.depth.map(|depth| depth.clamp(1, MAX_DEPTH));
    let time = request.time.map(|time| Duration::from_millis(time).min(MAX_TIME));
    let limits = Limits { depth, move_time: time.or(depth.is_none().then_some(REVIEW_TIME)), ..Limits::default() };
    let total = game.nodes.len();
    let waiting = |ahead| outbox.event_if_ready(id, "waiting", Waiting { ahead });
    let mut found = GameReview::default();
    if let Some(attempt) = stop.begin()
        && let Some(mut turn) = share.acquire(&attempt, None, waiting)
    {
        let engine = turn.engine();
        configure(engine, &request.line, FULL_SKILL, false, false)?;
        outbox.event_if_ready(id, "searching", Empty {});
        found = review(engine, &game, &limits, &attempt, |so_far| {
            if let Some(progress) = progress(so_far, total) {
                outbox.event(id, "progress", progress);
            }
            ControlFlow::Continue(())
        })?;
    }
    let sides = Side::BOTH.map(|side| found.side_summary(side, None));
    let content = Reviewed {
        stopped: found.moves.len() < total,
        accuracy: sides.map(|side| side.accuracy),
        marks: sides.map(|side| side.marks),
    };
    outbox.event(id, "finished", content);
    Ok(())
}

fn progress(review: &GameReview, total: usize) -> Option<Progress> {
    let (first, MoveReview { ply, side, score, best_line, loss, mark, .. }) =
        (review.positions.first()?, review.moves.last()?);
    let [before, after] = [ply - 1, *ply].map(|index| review.positions.get(index).map(|at| &at.position));
    let (before, after) = (before?, after?);
    let start = ScoreForRed::new(first.analysis.outcome.score, &first.position);
    let mv = MoveReviewObject {
        ply: *ply,
        score: ScoreForRed::of_side(*score, *side, after),
        loss: *loss,
        mark: mark.map_or("", |mark| mark.sign()),
        best: names(before, best_line.iter().copied().take(MAX_LINE)),
    };
    Some(Progress { done: *ply, total, start, mv })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_move_of_the_boards_own_game_saves_time() {
        for (purpose, saves_time) in [("play", true), ("hint", false), ("analyse", false), ("draw", false)] {
            for limit in ["", r#", "time": 500"#, r#", "clock": 60000, "increment": 100"#] {
                let go: Go =
                    serde_json::from_str(&format!(r#"{{"moves": [], "purpose": "{purpose}"{limit}}}"#)).unwrap();
                assert_eq!(limits(&go).saves_time, saves_time, "{purpose}{limit}");
            }
        }
    }
}
