//! Searches and reviews for a page: their limits, and what is sent of them. Scores are from Red's point of view.

use std::ops::ControlFlow;
use std::time::Duration;

use serde_json::{Value, json};

use super::position::{MoveObject, names, play, rules, start_of};
use super::request::{Go, Line, Purpose, RequestFault, Review};
use crate::commands::analysis::game::{GameReview, PositionReview};
use crate::commands::analysis::text::{self, ScoreObject};
use crate::commands::analysis::{Analysis, Mark, analyze_position, winning_chance};
use crate::engine::{Engine, FULL_SKILL, MAX_MULTI_PV, MIN_SKILL};
use crate::eval::WinModel;
use crate::notation::game::Game;
use crate::position::{Position, Strictness};
use crate::search::{Clock, Limits, Outcome};
use crate::types::{Side, Value as Score};
use crate::util::cancel::CancelFlag;

/// Longest time of a search with a limit.
const MAX_TIME: Duration = Duration::from_secs(3600);
/// Time of a hint, and of a move without any limit.
const DEFAULT_TIME: Duration = Duration::from_millis(1000);
/// Time of the answer to a draw offer.
const DRAW_TIME: Duration = Duration::from_millis(400);
/// Default time of a position in the analysis of a game.
const REVIEW_TIME: Duration = Duration::from_millis(300);
/// Number of moves of a game before a draw is accepted.
const LAST_MOVE_WITHOUT_DRAW: usize = 20;
/// Maximum length of a principal variation in an event, in plies; the rest is left out.
const MAX_LINE: usize = 24;

/// Sets the options of a search. Those that keep their value cost nothing.
pub fn configure(engine: &mut Engine, line: &Line, skill: i8, book: bool, tables: bool) -> Result<(), RequestFault> {
    let rule_set = rules(line)?.set;
    engine.configure(|options| {
        options.rule_set = rule_set;
        options.skill = skill;
        options.uses_book = book;
        options.uses_tablebases = tables;
    })?;
    Ok(())
}

/// Returns the skill level of a search, and whether its move may come from a book.
pub fn strength(go: &Go) -> (i8, bool) {
    match go.purpose {
        Purpose::Play => (go.skill.unwrap_or(FULL_SKILL).clamp(MIN_SKILL, FULL_SKILL), go.book),
        _ => (FULL_SKILL, false),
    }
}

pub fn limits(go: &Go) -> Limits {
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

/// Returns the object of a score for the side to move in this position.
fn score_object(score: Score, position: &Position) -> Value {
    let score = if position.side() == Side::Red { score } else { -score };
    let reported = WinModel::of(position).reported(score);
    let ScoreObject { centipawns, mate, repetition } = ScoreObject::new(reported);
    json!({
        "centipawns": centipawns,
        "mate": mate,
        "repetition": repetition,
        "text": text::score(reported),
        "chance": winning_chance(score),
    })
}

/// Returns the object of a line of a finished iteration.
pub fn line_object(position: &Position, report: &Outcome) -> Value {
    json!({
        "index": report.pv_index,
        "depth": report.depth,
        "selective": report.selective_depth,
        "score": score_object(report.score, position),
        "nodes": report.nodes,
        "time": report.elapsed.as_millis() as u64,
        "speed": (report.nodes as f64 / report.elapsed.as_secs_f64().max(1e-3)) as u64,
        "moves": names(position, report.line.iter().copied().take(MAX_LINE)),
    })
}

/// Searches a position, or takes a move from the book, until the limits are reached or `on_line`, called for each line
/// of a finished iteration, breaks or the interrupt is requested. Returns the content of the last event, and whether
/// the search was cut short.
pub fn run(
    engine: &mut Engine,
    go: &Go,
    position: &Position,
    interrupt: &CancelFlag,
    on_line: impl FnMut(&Outcome) -> ControlFlow<()>,
) -> Result<(Value, bool), RequestFault> {
    let (limits, (skill, book)) = (limits(go), strength(go));
    configure(engine, &go.line, skill, book, go.tablebases)?;
    engine.set_position(position.clone());
    if let Some(choice) = engine.book_move(&limits) {
        let best = MoveObject::new(position, choice.mv);
        return Ok((json!({ "best": best, "score": null, "depth": 0, "stopped": false, "book": true }), false));
    }
    let Analysis { outcome, was_cut_short, .. } =
        analyze_position(engine, position.clone(), &limits, interrupt, on_line)?;
    Ok((finished(go, position, &outcome, was_cut_short), was_cut_short))
}

/// Returns the content of the last event of a search that ends after this line.
pub fn cut_short(go: &Go, position: &Position, line: Option<&Outcome>) -> Value {
    let outcome = line.map(|line| Outcome { finished_depth: line.depth, ..line.clone() });
    finished(go, position, &outcome.unwrap_or_default(), true)
}

/// Returns the end of a search without a book move; an answer to a draw offer accepts or declines it.
fn finished(go: &Go, position: &Position, outcome: &Outcome, stopped: bool) -> Value {
    let best = outcome.best().map(|mv| MoveObject::new(position, mv));
    let score = best.as_ref().map(|_| score_object(outcome.score, position));
    let depth = outcome.finished_depth;
    let mut object = json!({ "best": best, "score": score, "depth": depth, "stopped": stopped, "book": false });
    if go.purpose == Purpose::Draw && !stopped {
        // The user, who is to move, offers it.
        object["accepts"] = (outcome.score >= 0 && position.move_number() > LAST_MOVE_WITHOUT_DRAW).into();
    }
    object
}

/// Returns the game to review, and the limits of each position.
pub fn reviewed_game(request: &Review, strictness: Strictness) -> Result<(Game, Limits), RequestFault> {
    let end = play(&request.line, strictness)?;
    let game = Game::from_line(start_of(&end), end.history().iter().map(|played| played.mv));
    let move_time = request.time.map(|time| Duration::from_millis(time).min(MAX_TIME));
    let depth = request.depth.map(|depth| depth.max(1));
    Ok((game, Limits { depth, move_time, ..Limits::default() }.or_time(REVIEW_TIME)))
}

/// Returns the last reviewed move of a game of so many plies, and the score before the first move.
pub fn progress(review: &GameReview, total: usize) -> Option<Value> {
    let (first, mv) = (review.positions.first()?, review.moves.last()?);
    let (before, after) = (review.positions.get(mv.ply - 1)?, review.positions.get(mv.ply)?);
    let score = |at: &PositionReview| score_object(at.outcome.score, &at.position);
    Some(json!({
        "done": mv.ply,
        "total": total,
        "start": score(first),
        "move": {
            "ply": mv.ply,
            "score": score(after),
            "loss": mv.loss,
            "mark": mv.mark.map_or("", Mark::sign),
            "best": names(&before.position, mv.best_line.iter().copied().take(MAX_LINE)),
        },
    }))
}

/// Returns accuracy in percent and marks of Red and of Black.
pub fn reviewed(review: &GameReview, total: usize) -> Value {
    let sides = Side::BOTH.map(|side| review.side_summary(side)[0]);
    json!({
        "stopped": review.moves.len() < total,
        "accuracy": sides.map(|side| side.accuracy()),
        "marks": sides.map(|side| side.marks),
    })
}
