//! Tuning: evaluation weights are fitted to labelled positions, search parameters to game results or to the moves of
//! players.
//!
//! Weights are fitted by logistic regression: the evaluation is linear, so a position is a sparse list of terms
//! ([`Dataset`]), and Adam uses the exact gradient ([`descend`]). The derivative-free methods ([`Method`]) minimize any
//! [`Objective`], a [`Regression`], a [`Tournament`] or a [`MoveAgreement`]; a screening design ([`measure_effects`])
//! measures the effect of each parameter. Results are deterministic by seed unless a run is limited by time.

mod agreement;
pub mod command;
mod dataset;
mod design;
mod games;
mod leave_out;
mod load;
mod local_search;
mod objective;
mod population;
mod quiet;
mod regression;
mod search_space;
mod swarm;
mod weights;

pub use agreement::{Choices, MoveAgreement, PlayedMove, played_moves};
pub use dataset::{Dataset, Label, WEIGHT_COUNT, fit_scale, flat_weights, rounded_weights, weight_names};
pub use design::{Effect, measure_effects};
pub use games::{Games, Tournament};
pub use leave_out::{GroupLoss, losses_without_groups};
pub use load::{LoadError, LoadSettings, OnFault, PlayedMoves, Positions, load, load_played_moves, load_scored_games};
pub use objective::{Budget, Objective, Parameter, ProgressReport, Run, Solution};
pub use quiet::{QuietPosition, Selection, is_quiet, quiet_positions, quiet_scored_positions};
pub use regression::{AdamSettings, EPOCH_COST, Regression, RegressionSettings, descend};
pub use search_space::Tuned;
use swarm::SwarmForm;
pub use weights::{read_provenance, read_weights, weights_source};

/// Derivative-free optimization method.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Method {
    /// Hill climbing, one parameter at a time.
    Hill,
    /// Simulated annealing.
    Anneal,
    /// Genetic algorithm on real numbers.
    Genetic,
    /// Genetic algorithm on numbers of 16 bits.
    GeneticBits,
    /// Particle swarm with inertia weight and constriction factor.
    Swarm,
    /// Particle swarm in its first form.
    SwarmPlain,
    /// Particle swarm with the constriction factor alone.
    SwarmConstricted,
    /// Particle swarm whose particles compete in a tournament.
    SwarmTournament,
    /// Simultaneous perturbation stochastic approximation.
    Spsa,
}

impl Method {
    /// All methods with their names on the command line.
    pub const NAMED: [(&'static str, Method); 9] = [
        ("hill", Method::Hill),
        ("anneal", Method::Anneal),
        ("genetic", Method::Genetic),
        ("genetic-bits", Method::GeneticBits),
        ("swarm", Method::Swarm),
        ("swarm-plain", Method::SwarmPlain),
        ("swarm-constricted", Method::SwarmConstricted),
        ("swarm-tournament", Method::SwarmTournament),
        ("spsa", Method::Spsa),
    ];

    /// Returns the method with this name.
    pub fn from_name(name: &str) -> Option<Method> {
        Method::NAMED.into_iter().find(|(other, _)| *other == name).map(|(_, method)| method)
    }

    /// Minimizes the objective within the budget of the run. All methods except hill climbing need a limit.
    ///
    /// ```
    /// use chuhe::lab::tuning::{Parameter, Budget, Method, Objective, Run};
    /// struct Bowl(Vec<Parameter>);
    /// impl Objective for Bowl {
    ///     fn parameters(&self) -> &[Parameter] {
    ///         &self.0
    ///     }
    ///     fn loss(&mut self, vector: &[f64]) -> Option<f64> {
    ///         Some((vector[0] - 3.0).powi(2))
    ///     }
    /// }
    /// let parameter = Parameter { name: "x".into(), start: 0.0, min: -10.0, max: 10.0, step: 1.0, resolution: 0.0 };
    /// let mut silent = |_: &chuhe::lab::tuning::ProgressReport| {};
    /// let budget = Budget { losses: Some(50), ..Budget::default() };
    /// let found = Method::Hill.search(&mut Bowl(vec![parameter]), &mut Run::new(budget, 1, &mut silent));
    /// assert_eq!(found.vector, [3.0]);
    /// ```
    pub fn search(self, objective: &mut dyn Objective, run: &mut Run) -> Solution {
        match self {
            Method::Hill => local_search::hill_climb(objective, run),
            Method::Anneal => local_search::anneal(objective, run),
            Method::Genetic => population::evolve(objective, run),
            Method::GeneticBits => population::evolve_bits(objective, run),
            Method::Swarm => swarm::particle_swarm(objective, run, SwarmForm::Combined),
            Method::SwarmPlain => swarm::particle_swarm(objective, run, SwarmForm::Plain),
            Method::SwarmConstricted => swarm::particle_swarm(objective, run, SwarmForm::Constricted),
            Method::SwarmTournament => swarm::tournament_swarm(objective, run),
            Method::Spsa => local_search::spsa(objective, run),
        }
    }
}
