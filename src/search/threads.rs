//! The threads of a search.

use std::io;
use std::sync::Arc;
use std::thread::Builder;

use super::limits::Limits;
use super::params::Params;
use super::report::{Outcome, Reporter};
use super::shared::Shared;
use super::vote::elected;
use super::worker::{EvalNoise, STACK_SIZE, Worker};
use crate::eval::EvalConfig;
use crate::eval::network::Network;
use crate::position::Position;
use crate::rules::Rules;
use crate::tablebase::Tablebases;

/// The most threads a search may have.
pub const MAX_THREADS: usize = 256;

/// The workers of one engine. All search the same position and share what they find in the table ("lazy" parallel
/// search). The first one decides when to end; what is played they vote upon.
pub struct Pool {
    first: Worker,
    helpers: Vec<Worker>,
}

impl Pool {
    /// So many workers, at least 1, with empty histories.
    ///
    /// # Errors
    /// When there is no memory for them.
    pub fn new(shared: &Arc<Shared>, threads: usize) -> io::Result<Pool> {
        let mut pool = Pool { first: Worker::new(Arc::clone(shared))?, helpers: Vec::new() };
        pool.resize(shared, threads)?;
        Ok(pool)
    }

    /// From now on so many workers, at least 1.
    ///
    /// # Errors
    /// When there is no memory for more; their number stays as it was.
    pub fn resize(&mut self, shared: &Arc<Shared>, threads: usize) -> io::Result<()> {
        let wanted = threads.clamp(1, MAX_THREADS) - 1;
        let missing = wanted.saturating_sub(self.helpers.len());
        let fresh: Vec<Worker> =
            (0..missing).map(|_| Worker::new(Arc::clone(shared))).collect::<io::Result<Vec<Worker>>>()?;
        self.helpers.truncate(wanted);
        self.helpers.extend(fresh);
        Ok(())
    }

    /// How many threads search.
    pub fn threads(&self) -> usize {
        1 + self.helpers.len()
    }

    /// From now on they search with this table and these signals.
    pub fn set_shared(&mut self, shared: &Arc<Shared>) {
        self.each(|worker| worker.set_shared(Arc::clone(shared)));
    }

    /// They forget what earlier searches learned about moves, and play by these rules and numbers with this noise.
    pub fn start_afresh(&mut self, rules: Rules, noise: EvalNoise, params: Params) {
        self.each(|worker| {
            worker.clear();
            worker.set_rules(rules);
            worker.set_noise(noise);
            worker.set_params(params);
        });
    }

    /// From now on all threads look endings up in these tables, or in none.
    pub fn set_endings(&mut self, endings: Option<&Arc<Tablebases>>) {
        self.each(|worker| worker.set_endings(endings.cloned()));
    }

    /// From now on they have this opinion of positions.
    pub fn set_eval_config(&mut self, eval_config: &EvalConfig) {
        self.each(|worker| worker.set_eval_config(eval_config.clone()));
    }

    /// From now on all threads ask this network what positions are worth.
    pub fn set_network(&mut self, network: &Arc<Network>) {
        self.each(|worker| worker.set_network(Arc::clone(network)));
    }

    fn each(&mut self, change: impl Fn(&mut Worker)) {
        change(&mut self.first);
        self.helpers.iter_mut().for_each(change);
    }

    /// Searches on the calling thread, which must have a stack of [`STACK_SIZE`], with helpers on threads of their own;
    /// see [`Worker::run`]. Helpers that get no thread are done without. Where they found something better than the
    /// first worker (see `vote.rs`), the reporter is told of their line before it is returned.
    pub fn run(&mut self, position: &Position, limits: &Limits, reporter: &mut dyn Reporter) -> Outcome {
        let Pool { first, helpers } = self;
        let mut outcome = std::thread::scope(|scope| {
            for helper in helpers.iter_mut() {
                helper.forget_result();
                let builder = Builder::new().name("helper".into()).stack_size(STACK_SIZE);
                if let Err(error) = builder.spawn_scoped(scope, || helper.help(position, limits)) {
                    log::warn!("no thread to help the search: {error}");
                }
            }
            first.run(position, limits, reporter)
        });
        if helpers.is_empty() {
            return outcome;
        }
        outcome.nodes = first.nodes() + helpers.iter().map(Worker::nodes).sum::<u64>();
        // Several lines belong together, and whoever names a depth wants that and no other: both are the first one's.
        if limits.multi_pv > 1 || limits.depth.is_some() {
            return outcome;
        }
        let voices: Vec<&Outcome> = std::iter::once(&outcome).chain(helpers.iter().map(Worker::outcome)).collect();
        let Some(helper) = elected(&voices).checked_sub(1).map(|place| &helpers[place]) else { return outcome };
        outcome = Outcome { nodes: outcome.nodes, elapsed: outcome.elapsed, ..helper.outcome().clone() };
        helper.report_outcome(&outcome, reporter);
        outcome
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::Table;

    #[test]
    fn every_worker_asks_the_network_that_was_named_last() {
        let shared = Arc::new(Shared::new(Table::new(1).unwrap()));
        let mut pool = Pool::new(&shared, 3).unwrap();
        let asks = |pool: &Pool, network: &Arc<Network>| {
            std::iter::once(&pool.first)
                .chain(&pool.helpers)
                .all(|worker| Arc::ptr_eq(worker.evaluator.network(), network))
        };
        assert!(asks(&pool, &Network::embedded()));
        let other = Arc::new((*Network::embedded()).clone());
        pool.set_network(&other);
        assert!(asks(&pool, &other) && !asks(&pool, &Network::embedded()));
    }
}
