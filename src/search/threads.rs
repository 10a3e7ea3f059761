//! Pool of persistent search threads, and the choice among their results.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering::{Relaxed, SeqCst};
use std::sync::mpsc::{Receiver, Sender, channel};

use super::history::CorrectionHistory;
use super::params::VOTE_BASE;
use super::root::{add_known_reply, deepen};
use super::state::{SearchConfig, Searcher, ThreadData, ThreadRole};
use super::{Outcome, Reporter, SearchSignals};
use crate::types::Move;
use crate::types::score::is_decisive;
use crate::util::host::{Duration, Instant};
use crate::util::parallel::{JobThread, cores};

/// The stack size that a search needs, in bytes: [`MAX_PLY`](crate::types::score::MAX_PLY) nodes with their move lists.
pub const STACK_SIZE: usize = 32 << 20;

/// The most threads of a search.
pub const MAX_THREADS: usize = 256;

/// How long the main thread, which has finished, waits for the votes of the helpers: enough for threads that run, not
/// for those that wait for a processor.
const VOTE_TIME: Duration = Duration::from_millis(2);

/// Helper thread with its data, which travels to the thread and back with every search.
struct Helper {
    thread: Option<JobThread>,
    data: Option<Box<ThreadData>>,
}

impl Helper {
    /// Data with this correction history and with other histories of its own.
    fn new_data(correction: &Arc<CorrectionHistory>) -> io::Result<Box<ThreadData>> {
        ThreadData::new(Arc::clone(correction), ThreadRole::Helper(0)).map(Box::new)
    }

    /// Starts a search. Thread and data are made, with this correction history, if there are none or a panic destroyed
    /// them.
    fn start(
        &mut self,
        index: usize,
        config: &Arc<SearchConfig>,
        correction: &Arc<CorrectionHistory>,
        results: &Sender<HelperResult>,
    ) -> io::Result<()> {
        let mut data = self.data.take().map_or_else(|| Helper::new_data(correction), Ok)?;
        let thread = match &mut self.thread {
            Some(thread) => thread,
            none => none.insert(JobThread::spawn("helper", STACK_SIZE)?),
        };
        let (config, results) = (Arc::clone(config), results.clone());
        thread.run(move || {
            let result = if config.signals.finished.load(Relaxed) {
                // The main thread was faster. Otherwise the helper would keep a network that is not used any more.
                data.set_evaluation(&config);
                Outcome::default()
            } else {
                search_thread(&config, &mut data, ThreadRole::Helper(index), &mut ())
            };
            // Before the end is known, so that the memory of the table can be given back then.
            drop(config);
            let _ = results.send((index, data, result));
        });
        Ok(())
    }
}

/// Index, data and result of a helper.
type HelperResult = (usize, Box<ThreadData>, Outcome);

/// Search threads of one engine and their data. All threads search the same position and share the transposition table
/// ("lazy SMP") and correction history. The main thread decides when to end, and the threads vote for the move.
pub struct ThreadPool {
    main: Box<ThreadData>,
    helpers: Vec<Helper>,
    /// Returns the data of helpers that had not finished when the last search did.
    late: Option<Receiver<HelperResult>>,
}

impl ThreadPool {
    /// A pool for this many threads, at least 1, with empty histories, if memory allows. Helpers start with the first
    /// search.
    pub fn new(threads: usize) -> io::Result<ThreadPool> {
        let main = ThreadData::new(Arc::new(CorrectionHistory::new(threads.clamp(1, MAX_THREADS))?), ThreadRole::Main)?;
        let mut pool = ThreadPool { main: Box::new(main), helpers: Vec::new(), late: None };
        pool.resize(threads)?;
        Ok(pool)
    }

    /// Sets the number of threads, at least 1. Without memory for more histories it stays as it was.
    pub fn resize(&mut self, threads: usize) -> io::Result<()> {
        let threads = threads.clamp(1, MAX_THREADS);
        self.collect();
        let correction = match &self.main.correction {
            correction if correction.is_for(threads) => Arc::clone(correction),
            _ => Arc::new(CorrectionHistory::new(threads)?),
        };
        let helpers = threads - 1;
        let missing = helpers.saturating_sub(self.helpers.len());
        let new = |_| Ok(Helper { thread: None, data: Some(Helper::new_data(&correction)?) });
        let new: Vec<Helper> = (0..missing).map(new).collect::<io::Result<_>>()?;
        self.helpers.truncate(helpers);
        let kept = self.helpers.iter_mut().filter_map(|helper| helper.data.as_mut());
        kept.chain([&mut self.main]).for_each(|data| data.correction = Arc::clone(&correction));
        self.helpers.extend(new);
        Ok(())
    }

    /// The number of threads.
    pub fn threads(&self) -> usize {
        1 + self.helpers.len()
    }

    /// Has the system provide the memory of the threads' own histories, but not of those far beyond the number of cores,
    /// which hardly run.
    pub fn back(&mut self) {
        let helpers = self.helpers.iter_mut().take(2 * cores().get()).filter_map(|helper| helper.data.as_mut());
        helpers.chain([&mut self.main]).for_each(|data| data.back());
    }

    /// Clears correction history and the histories of all threads.
    pub fn clear(&mut self) {
        // Whether or not the main thread's own histories were used: helpers write to it too.
        self.main.correction.clear();
        self.main.clear();
        self.helpers.iter_mut().filter_map(|helper| helper.data.as_mut()).for_each(|data| data.clear());
    }

    /// Waits for the helpers that had not finished when the last search did.
    pub fn collect(&mut self) {
        for (index, data, _) in self.late.take().iter().flatten() {
            self.helpers[index].data = Some(data);
        }
    }

    /// Searches with the main thread's data on the calling thread, which must have a stack of [`STACK_SIZE`], and with
    /// helpers on threads of their own. Reports every iteration of the main thread, and the line of a helper whose
    /// result is better. The signals must have been [reset](SearchSignals::reset_at) for this search. The result has a
    /// move if any root move is allowed; after a panic, which is caught and logged, it is that of the last iteration.
    pub fn search(&mut self, config: &Arc<SearchConfig>, reporter: &mut dyn Reporter) -> Outcome {
        self.collect();
        let (sender, results) = channel();
        for (index, helper) in self.helpers.iter_mut().enumerate() {
            if let Err(error) = helper.start(index, config, &self.main.correction, &sender) {
                log::warn!("no thread to help the search: {error}");
            }
        }
        drop(sender);
        let finish = FinishOnDrop(&config.signals);
        let main = search_thread(config, &mut self.main, ThreadRole::Main, reporter);
        drop(finish);
        let mut finished: Vec<HelperResult> = Vec::with_capacity(self.helpers.len());
        let end = Instant::now() + VOTE_TIME;
        while finished.len() < self.helpers.len()
            && let Ok(result) = results.recv_timeout(end.saturating_duration_since(Instant::now()))
        {
            finished.push(result);
        }
        self.late = Some(results);
        finished.sort_by_key(|(index, ..)| *index);
        let mut helpers = Vec::with_capacity(finished.len());
        for (index, data, result) in finished {
            self.helpers[index].data = Some(data);
            helpers.push(result);
        }
        let nodes = main.nodes + config.signals.helper_nodes.0.load(Relaxed);
        // Several principal variations belong together, and a fixed depth means that depth: both are the main thread's.
        let outcomes: Vec<&Outcome> = [&main].into_iter().chain(&helpers).collect();
        let may_vote = config.limits.multi_pv <= 1 && config.limits.depth.is_none();
        let best = if may_vote { select_best_thread(&outcomes) } else { 0 };
        let Some(helper) = best.checked_sub(1).map(|index| helpers.swap_remove(index)) else {
            return Outcome { nodes, ..main };
        };
        let outcome = Outcome { nodes, elapsed: main.elapsed, hashfull: main.hashfull, ..helper };
        reporter.report(&outcome);
        outcome
    }
}

/// Ends the helpers even if the main thread panics.
struct FinishOnDrop<'a>(&'a SearchSignals);

impl Drop for FinishOnDrop<'_> {
    fn drop(&mut self) {
        self.0.finished.store(true, SeqCst);
        self.0.root_move.store(Move::NONE.bits(), Relaxed);
    }
}

/// Searches with the data of one thread and catches panics. The outcome has its own nodes only.
fn search_thread(
    config: &SearchConfig,
    data: &mut ThreadData,
    role: ThreadRole,
    reporter: &mut dyn Reporter,
) -> Outcome {
    let mut searcher = Searcher::new(config, data, role);
    searcher.state.yields = matches!(role, ThreadRole::Helper(index) if index + 1 >= cores().get());
    if catch_unwind(AssertUnwindSafe(|| deepen(&mut searcher, reporter))).is_err() {
        log::error!("the search failed at iteration {}; its last result is used", searcher.state.root_depth);
        // The cause of the failure may lie in the histories of this thread. The others go on with correction history.
        searcher.thread.clear();
    }
    searcher.publish_nodes();
    add_known_reply(&mut searcher);
    let elapsed = searcher.start.elapsed();
    let scale = searcher.material_scale();
    let state = searcher.state;
    let (nodes, tbhits) = (state.nodes + state.proofs.nodes, state.tbhits);
    let hashfull = if reporter.wants_reports() { config.table.hashfull() } else { 0 };
    let mut outcome = Outcome { nodes, elapsed, hashfull, tbhits, ..state.outcome };
    if let Some(best) = outcome.best() {
        outcome.score = config.limits.clamp_to_known(best, scale.remove(outcome.score));
    }
    outcome
}

/// Returns the index of the best of some results, 0 unless another one is better. Each thread votes for its move, with
/// a weight by its depth and its score, so that two threads that agree outvote one that is a little more optimistic. A
/// forced win found by any thread is taken, the shortest first; a forced loss only if all threads lose, the longest
/// first. The idea is that of Stockfish.
fn select_best_thread(outcomes: &[&Outcome]) -> usize {
    let is_finished = |outcome: &&Outcome| outcome.finished_depth > 0 && outcome.best().is_some();
    let Some(worst) = outcomes.iter().copied().filter(is_finished).map(|outcome| outcome.score).min() else { return 0 };
    let weight =
        |outcome: &Outcome| (i64::from(outcome.score) - i64::from(worst) + VOTE_BASE) * outcome.finished_depth as i64;
    let votes = |mv: Option<Move>| -> i64 {
        let voters = outcomes.iter().copied().filter(is_finished).filter(|outcome| outcome.best() == mv);
        voters.map(weight).sum()
    };
    let rank = |outcome: &Outcome| {
        let decided = if is_decisive(outcome.score) { outcome.score } else { 0 };
        (decided, votes(outcome.best()), weight(outcome))
    };
    let mut best = 0;
    for (index, outcome) in outcomes.iter().enumerate().skip(1) {
        if is_finished(outcome) && (!is_finished(&outcomes[best]) || rank(outcome) > rank(outcomes[best])) {
            best = index;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::super::state::tests::at_root;
    use super::*;
    use crate::position::START_FEN;
    use crate::types::Value;
    use crate::types::score::{mate_in, mated_in};

    fn outcome(mv: &str, score: Value, finished_depth: usize) -> Outcome {
        Outcome { line: vec![mv.parse().unwrap()], score, finished_depth, ..Outcome::default() }
    }

    #[test]
    fn threads_vote_by_depth_and_score_unless_one_finds_a_forced_win() {
        let (rook, horse) = ("h2e2", "b0c2");
        let unfinished = || outcome(horse, 900, 0);
        for (case, (outcomes, best)) in [
            (vec![outcome(rook, 30, 10), outcome(horse, 30, 10)], 0),
            (vec![outcome(rook, 30, 10), outcome(rook, 30, 10)], 0),
            (vec![outcome(rook, 30, 10), outcome(horse, 30, 12)], 1),
            (vec![outcome(rook, 30, 10), outcome(horse, 45, 10)], 1),
            // Of the threads that agree, the deepest is chosen.
            (vec![outcome(rook, 40, 10), outcome(horse, 30, 10), outcome(horse, 30, 10)], 1),
            (vec![outcome(rook, 30, 9), outcome(rook, 30, 10), outcome(horse, 25, 9)], 1),
            // The shortest win is taken, and of losses only the longest.
            (vec![outcome(rook, mate_in(9), 12), outcome(horse, mate_in(5), 8)], 1),
            (vec![outcome(horse, mate_in(5), 8), outcome(rook, mate_in(9), 12)], 0),
            (vec![outcome("b2e2", 500, 30), outcome(rook, mate_in(9), 12)], 1),
            (vec![outcome(rook, mated_in(4), 20), outcome(horse, -300, 9)], 1),
            (vec![outcome(rook, mated_in(4), 20), outcome(horse, mated_in(10), 9)], 1),
            // A search without a finished iteration has no vote.
            (vec![outcome(rook, -50, 3), unfinished()], 0),
            (vec![unfinished(), outcome(rook, -50, 3)], 1),
            (vec![unfinished(), unfinished()], 0),
            (vec![Outcome::default(), Outcome::default()], 0),
        ]
        .into_iter()
        .enumerate()
        {
            assert_eq!(select_best_thread(&outcomes.iter().collect::<Vec<_>>()), best, "case {case}");
        }
    }

    #[test]
    fn all_threads_share_one_correction_history() {
        let mut pool = ThreadPool::new(2).unwrap();
        pool.resize(3).unwrap();
        // A helper whose data a panic destroyed gets new data.
        pool.helpers[0].data = None;
        let mut config = at_root(START_FEN, "");
        config.limits.depth = Some(2);
        assert!(pool.search(&Arc::new(config), &mut ()).nodes > 0);
        pool.collect();
        let helpers = pool.helpers.iter().map(|helper| helper.data.as_ref().unwrap());
        assert!(helpers.clone().all(|data| Arc::ptr_eq(&data.correction, &pool.main.correction)));
        assert_eq!(helpers.count(), 2);
    }
}
