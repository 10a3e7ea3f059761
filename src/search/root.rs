//! Iterative deepening at the root: aspiration windows, proofs of mates beside the search, reports, and the decision to
//! start another iteration.
//!
//! A long series of checks costs the search many plies and the mate solver few nodes.

use std::cmp::Reverse;

use super::limits::{IterationStats, MAX_DEPTH, should_stop_after_iteration};
use super::node::{Root, plies_to_reach};
use super::params::{ASPIRATION_MAX_WIDTH, HELPER_WINDOWS};
use super::state::{PROOF_PLIES, Searcher, ThreadRole};
use super::transposition::Bound;
use super::{Outcome, Reporter};
use crate::solver::{FoundMate, MateAttempt};
use crate::types::score::{INFINITE, MATE, is_mate, mate_in};
use crate::types::{Move, Value};

/// The fewest nodes of an attempt at the root.
const MIN_ATTEMPT_NODES: u64 = 64;
/// The fewest nodes of attempts at the root before checks count as going on. In 95 % of positions of games 30 nodes
/// refute the checks.
const MIN_CHECK_NODES: u64 = 200;

/// Deepens until a limit is reached or the result cannot change. Helpers deepen until the main thread has finished.
pub(super) fn deepen(searcher: &mut Searcher, reporter: &mut dyn Reporter) {
    if searcher.state.root_moves.is_empty() {
        return;
    }
    let limits = &searcher.config.limits;
    let is_main = searcher.role == ThreadRole::Main;
    let max_depth = limits.depth.filter(|_| is_main).unwrap_or(MAX_DEPTH).clamp(1, MAX_DEPTH);
    let multi_pv = limits.multi_pv.clamp(1, searcher.state.root_moves.len());
    let mut stats = IterationStats::default();
    let mut previous: Option<(Move, Value)> = None;
    for depth in 1..=max_depth {
        let state = &mut searcher.state;
        state.root_moves.iter_mut().for_each(|root| root.previous_score = root.score);
        state.partial_best = None;
        state.stack[1].cutoffs = 0;
        // A mate proved here is reported with the depth of the last iteration, since this one may be left out.
        prove_root_mate(searcher, reporter);
        if is_proof_enough(searcher) {
            break;
        }
        (searcher.state.root_depth, searcher.state.selective_depth) = (depth, 0);
        if !(0..multi_pv).all(|pv_index| search_root(searcher, reporter, pv_index)) {
            use_partial_iteration(searcher, reporter);
            break;
        }
        searcher.state.outcome.finished_depth = depth;
        set_outcome(searcher, Bound::Exact);
        report_lines(searcher, reporter, multi_pv);
        let best = &searcher.state.root_moves[0];
        let (mv, score) = (best.mv, best.score);
        stats.stable_iterations = match previous {
            Some((earlier, _)) if earlier != mv => 0,
            _ => stats.stable_iterations + 1,
        };
        stats.score_drop = previous.map_or(0, |(_, earlier)| earlier - score);
        stats.best_move_share = (best.nodes * 1000 / searcher.state.nodes.max(1)) as u32;
        previous = Some((mv, score));
        // A mate of the search may not be the shortest.
        let is_decided = is_decided(searcher, depth, score);
        let seeks_shorter = is_decided && !limits.may_end_early() && limits.mate.is_none();
        if seeks_shorter && prove_root_mate(searcher, reporter) {
            continue;
        }
        let is_soft_limit = is_main && limits.soft_nodes.is_some_and(|nodes| searcher.all_nodes() >= nodes);
        if is_decided || is_soft_limit || is_time_up(searcher, stats) || searcher.must_stop() {
            break;
        }
    }
}

/// Searches for the best of the root moves from `pv_index` on and sorts it in. Returns whether it was finished.
fn search_root(searcher: &mut Searcher, reporter: &mut dyn Reporter, pv_index: usize) -> bool {
    searcher.state.pv_index = pv_index;
    let Some(score) = search_with_aspiration(searcher, reporter) else { return false };
    searcher.state.root_moves[pv_index].score = score;
    // A later principal variation may have become better than an earlier one.
    searcher.state.root_moves[..=pv_index].sort_by_key(|root| Reverse(root.score));
    true
}

/// Searches the root in a window around the expected score, widened on the side that fails. `None` if it was stopped.
fn search_with_aspiration(searcher: &mut Searcher, reporter: &mut dyn Reporter) -> Option<Value> {
    let params = &searcher.config.params;
    let (depth, pv_index) = (searcher.state.root_depth as i32, searcher.state.pv_index);
    if let Some(proved) = searcher.state.proofs.root_value {
        // Only a shorter mate is better.
        let score = searcher.search::<Root>(0, proved, INFINITE, depth, false);
        if searcher.state.stopped {
            return None;
        }
        sort_root_moves(searcher);
        if score <= proved {
            restore_root_proof(searcher);
        } else {
            searcher.state.proofs.root_value = None;
        }
        return Some(score.max(proved));
    }
    let (mut alpha, mut beta, mut width) = (-INFINITE, INFINITE, params.aspiration_window);
    // Windows of other widths let helpers search other trees.
    if let ThreadRole::Helper(index) = searcher.role {
        width += (index % HELPER_WINDOWS) as Value;
    }
    if depth >= params.aspiration_depth
        && let Some(expected) = searcher.state.root_moves[pv_index].expected_score()
    {
        alpha = (expected - width).max(-INFINITE);
        beta = (expected + width).min(INFINITE);
    }
    let mut reduction = 0;
    loop {
        let score = searcher.search::<Root>(0, alpha, beta, (depth - reduction).max(1), false);
        if searcher.state.stopped {
            return None;
        }
        sort_root_moves(searcher);
        let step = if width > ASPIRATION_MAX_WIDTH { 2 * INFINITE } else { width };
        if score <= alpha && alpha > -INFINITE {
            searcher.state.partial_best = None;
            report(searcher, reporter, pv_index, score, Bound::Upper);
            beta = (alpha + beta) / 2;
            alpha = (score - step).max(-INFINITE);
            reduction = 0;
        } else if score >= beta && beta < INFINITE {
            report(searcher, reporter, pv_index, score, Bound::Lower);
            beta = (score + step).min(INFINITE);
            // The move is good; a slightly shallower search is enough to tell how good.
            reduction = (reduction + 1).min(params.aspiration_reduction);
        } else {
            return Some(score);
        }
        width += width;
    }
}

/// Takes from an unfinished iteration what is certain. In the first one the best move searched is better than none;
/// later a move that is better than the previous best move replaces it.
fn use_partial_iteration(searcher: &mut Searcher, reporter: &mut dyn Reporter) {
    if searcher.state.outcome.finished_depth == 0 {
        sort_root_moves(searcher);
        let is_searched = searcher.state.root_moves[0].score > -INFINITE;
        set_outcome(searcher, if is_searched { Bound::Lower } else { Bound::None });
        let outcome = &mut searcher.state.outcome;
        outcome.line.truncate(1);
        outcome.score = outcome.score.max(-INFINITE + 1);
        return;
    }
    // The principal variations before the unfinished one are complete, the best of them first.
    if searcher.state.pv_index > 0 {
        set_outcome(searcher, Bound::Exact);
        report_lines(searcher, reporter, searcher.state.pv_index);
        return;
    }
    let state = &mut searcher.state;
    let played = state.outcome.best();
    let better = state.partial_best.filter(|&mv| Some(mv) != played);
    if let Some(index) = state.root_moves.iter().position(|root| Some(root.mv) == better) {
        state.root_moves.swap(0, index);
        let score = state.root_moves[0].score;
        set_outcome(searcher, Bound::Lower);
        report(searcher, reporter, 0, score, Bound::Lower);
    } else if state.reported != played {
        // A move that was better at first, and so reported, was not when searched again. What is played is told.
        let report = state.outcome.clone();
        report_with_totals(searcher, reporter, report);
    }
}

fn sort_root_moves(searcher: &mut Searcher) {
    let state = &mut searcher.state;
    // Moves that failed low keep their order.
    state.root_moves[state.pv_index..].sort_by_key(|root| Reverse(root.score));
}

/// Takes line and score of the outcome from the first root move, and its depth from the current iteration.
fn set_outcome(searcher: &mut Searcher, bound: Bound) {
    let state = &mut searcher.state;
    let (best, outcome) = (&state.root_moves[0], &mut state.outcome);
    (outcome.line, outcome.score, outcome.bound) = (best.line.to_vec(), best.score, bound);
    (outcome.depth, outcome.selective_depth) = (state.root_depth, state.selective_depth);
}

/// Reports the first lines of a finished iteration.
fn report_lines(searcher: &mut Searcher, reporter: &mut dyn Reporter, count: usize) {
    for index in 0..count {
        report(searcher, reporter, index, searcher.state.root_moves[index].score, Bound::Exact);
    }
}

fn report(searcher: &mut Searcher, reporter: &mut dyn Reporter, index: usize, score: Value, bound: Bound) {
    let (line, depth) = (searcher.state.root_moves[index].line.to_vec(), searcher.state.root_depth);
    let report = Outcome { pv_index: index + 1, depth, score, bound, line, ..Outcome::default() };
    report_with_totals(searcher, reporter, report);
}

/// Reports a line in the unit of the evaluation, with the totals of the search so far.
fn report_with_totals(searcher: &mut Searcher, reporter: &mut dyn Reporter, report: Outcome) {
    if report.pv_index == 1 {
        searcher.state.reported = report.line.first().copied();
    }
    if reporter.wants_reports() {
        let score = searcher.material_scale().remove(report.score);
        reporter.report(&Outcome {
            selective_depth: searcher.state.selective_depth,
            score: searcher.config.limits.clamp_to_known(report.line[0], score),
            nodes: searcher.all_nodes(),
            elapsed: searcher.start.elapsed(),
            hashfull: searcher.table.hashfull(),
            tbhits: searcher.state.tbhits,
            ..report
        });
    }
}

/// Returns `true` if a mate is proved, and it is the shortest, or within the limit of a search for a mate, or the clock
/// of a game runs. A search to a depth reaches it.
fn is_proof_enough(searcher: &Searcher) -> bool {
    let (limits, proofs) = (&searcher.config.limits, &searcher.state.proofs);
    let is_played_at_once = limits.may_end_early() && !searcher.signals.is_pondering();
    let is_answer = |value: Value| is_played_at_once || limits.is_mate_wanted(MATE - value);
    (proofs.is_shortest && !limits.is_to_depth()) || proofs.root_value.is_some_and(is_answer)
}

/// Returns `true` if a deeper iteration could not change the move: a mate was searched to twice its distance, or there
/// is only one move, its score has some depth, and the clock of a game runs. Also if a mate within the limit was found.
fn is_decided(searcher: &Searcher, depth: usize, score: Value) -> bool {
    let limits = &searcher.config.limits;
    let distance = MATE - score.abs();
    // A search for a mate within a limit goes on after a longer one.
    let is_proved = is_mate(score) && depth as Value >= 2 * distance && limits.multi_pv <= 1 && limits.mate.is_none();
    if searcher.role != ThreadRole::Main {
        return is_proved;
    }
    let only_move = searcher.only_move_is_settled(depth) && !searcher.signals.is_pondering();
    limits.is_mate_wanted(distance) || (!limits.is_to_depth() && (only_move || is_proved))
}

/// Returns `true` if the clock leaves no time for another iteration. The time spent pondering counts as thinking, so
/// while the search ponders this only decides whether it ends on the ponder hit.
fn is_time_up(searcher: &mut Searcher, stats: IterationStats) -> bool {
    let Some(budget) = searcher.state.budget else { return false };
    let clock_time = searcher.clock_time();
    let spent = budget.time_spent(clock_time.unwrap_or_default(), searcher.start.elapsed());
    let is_enough = should_stop_after_iteration(budget, spent, stats);
    searcher.state.stops_on_ponder_hit = is_enough && clock_time.is_none();
    is_enough && clock_time.is_some()
}

/// Attempts to prove a mate at the root, or one shorter than that proved before. The nodes of all attempts are a share
/// of those of this thread so far; once a mate is known, half of them. A proved mate becomes the result so far and is
/// reported. Returns `true` if one is found.
fn prove_root_mate(searcher: &mut Searcher, reporter: &mut dyn Reporter) -> bool {
    let (config, params) = (searcher.config, &searcher.config.params);
    let is_special = searcher.state.is_restricted || config.noise.amplitude > 0 || config.limits.multi_pv > 1;
    if searcher.role != ThreadRole::Main || is_special || params.mate_proof_root_share == 0 {
        return false;
    }
    let proofs = &searcher.state.proofs;
    let known = proofs.root_value.unwrap_or(searcher.state.root_moves[0].score);
    let is_known = is_mate(known) && known > 0;
    // Nodes of the other threads take no time of this one.
    let own = searcher.state.nodes + proofs.nodes;
    let share = if is_known { own / 2 } else { own * params.mate_proof_root_share as u64 / 1000 };
    let budget = share.saturating_sub(proofs.root_nodes).min(searcher.nodes_left());
    if budget < MIN_ATTEMPT_NODES || proofs.is_shortest {
        return false;
    }
    // A mate as long as the known one is no gain.
    let plies = if is_known { plies_to_reach(known, 0).saturating_sub(2) } else { PROOF_PLIES };
    let (signals, start, budget_of_time) = (searcher.signals, searcher.start, searcher.state.budget);
    let is_late = || {
        let time = budget_of_time.zip(signals.clock_time(start.elapsed()));
        time.is_some_and(|(budget, on_clock)| budget.time_spent(on_clock, start.elapsed()) >= budget.optimum)
    };
    let is_stopped = || signals.is_stopped() || is_late();
    let Some(prover) = &mut searcher.thread.prover else { return false };
    let attempt = prover.prove_by_each_attack(&mut searcher.position, plies, budget, is_known, &is_stopped);
    let proofs = &mut searcher.state.proofs;
    proofs.nodes += attempt.nodes;
    proofs.root_nodes += attempt.nodes;
    proofs.checks_go_on = attempt.refuted_attacks == 0 && proofs.root_nodes >= MIN_CHECK_NODES;
    let Some(FoundMate { plies, line }) = attempt.mate else {
        proofs.is_shortest = is_known && attempt.refuted_attacks == MateAttempt::ALL_ATTACKS;
        return false;
    };
    let value = mate_in(plies);
    proofs.root_value = Some(value);
    proofs.root_line = line.into_iter().take(PROOF_PLIES + 1).collect();
    proofs.is_shortest = plies == 1;
    restore_root_proof(searcher);
    set_outcome(searcher, Bound::Exact);
    report(searcher, reporter, 0, value, Bound::Exact);
    true
}

/// Makes the first move of the mate proved at the root the best root move.
fn restore_root_proof(searcher: &mut Searcher) {
    let state = &mut searcher.state;
    let (Some(value), line) = (state.proofs.root_value, &state.proofs.root_line) else { return };
    let Some(index) = state.root_moves.iter().position(|root| Some(&root.mv) == line.first()) else { return };
    let root = &mut state.root_moves[index];
    (root.score, root.line) = (value, line.clone());
    state.root_moves[..=index].rotate_right(1);
}

/// Adds the table move of the position after it to a result of a single move, so that a client can ponder. A move that
/// was only found to be better than alpha has no line.
pub(super) fn add_known_reply(searcher: &mut Searcher) {
    let [mv] = searcher.state.outcome.line[..] else { return };
    let mut after = searcher.config.position.clone();
    after.make(mv);
    let known = searcher.table.probe(after.key() ^ searcher.state.key_salt);
    searcher.state.outcome.line.extend(known.map(|entry| entry.mv).filter(|&reply| after.can_play(reply)));
}

#[cfg(test)]
mod tests {

    use super::super::limits::{Budget, Limits};
    use super::super::state::tests::{at_root, with_searcher};
    use super::super::transposition::Entry;
    use super::*;
    use crate::position::START_FEN;
    use crate::util::host::{Duration, Instant};

    const HOUR: Duration = Duration::from_secs(3_600);

    #[test]
    fn time_spent_pondering_counts_after_the_ponder_hit() {
        for (optimum, is_enough) in [(Duration::ZERO, true), (HOUR, false)] {
            for is_fixed in [false, true] {
                with_searcher(at_root(START_FEN, ""), |searcher| {
                    searcher.signals.reset_at(true, Instant::now());
                    searcher.state.budget = Some(Budget { optimum, maximum: HOUR, is_fixed });
                    assert!(!is_time_up(searcher, IterationStats::default()), "the clock does not run");
                    assert!(!searcher.must_move_now());
                    searcher.signals.ponder_hit_at(Instant::now());
                    assert_eq!(searcher.must_move_now(), is_enough && !is_fixed, "{optimum:?}, {is_fixed}");
                });
            }
        }
    }

    #[test]
    fn an_only_move_is_played_at_a_ponder_hit_once_its_score_has_some_plies() {
        for (saves_time, depth, is_played) in [(true, 7, false), (true, 8, true), (false, 30, false)] {
            let mut config = at_root("3k5/R8/7R1/9/9/9/9/9/4A4/4K4 b", "");
            config.limits = Limits { move_time: Some(HOUR), saves_time, ..Limits::default() };
            with_searcher(config, |searcher| {
                searcher.state.budget = Some(Budget { optimum: HOUR, maximum: HOUR, is_fixed: false });
                searcher.state.outcome.finished_depth = depth;
                searcher.signals.reset_at(true, Instant::now());
                assert!(!searcher.must_move_now(), "the opponent is to move");
                searcher.signals.ponder_hit_at(Instant::now());
                assert_eq!(searcher.must_move_now(), is_played, "depth {depth}");
            });
        }
    }

    #[test]
    fn a_single_move_gets_the_reply_of_the_table() {
        with_searcher(at_root(START_FEN, ""), |searcher| {
            let line = |searcher: &mut Searcher, moves: &str| {
                searcher.state.outcome.line = moves.split(' ').map(|text| text.parse().unwrap()).collect();
                add_known_reply(searcher);
                searcher.state.outcome.line.iter().map(|mv| mv.to_string()).collect::<Vec<_>>().join(" ")
            };
            assert_eq!(line(searcher, "h2e2"), "h2e2", "nothing is known");
            let mut after = searcher.position.clone();
            after.make("h2e2".parse().unwrap());
            let store = |searcher: &Searcher, mv: &str| {
                let (bound, mv) = (Bound::Upper, mv.parse().unwrap());
                let entry = Entry { mv, value: 0, raw_eval: 0, depth: 9, bound, was_pv: false };
                searcher.table.store(after.key() ^ searcher.state.key_salt, entry);
            };
            store(searcher, "h9g7");
            assert_eq!(line(searcher, "h2e2"), "h2e2 h9g7");
            assert_eq!(line(searcher, "h2e2 b9c7"), "h2e2 b9c7");
            store(searcher, "a0a1");
            assert_eq!(line(searcher, "h2e2"), "h2e2", "an entry of another position");
        });
    }
}
