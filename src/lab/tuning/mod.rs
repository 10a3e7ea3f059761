//! Tuning: evaluation weights are fitted to labelled positions, search parameters to game results or to the moves of
//! players.
//!
//! Weights are fitted by logistic regression: the evaluation is linear, so a position is a sparse list of terms
//! ([`Example`]), and Adam uses the exact gradient ([`descend`]). The derivative-free methods ([`Method`]) minimize any
//! [`Objective`], a [`Regression`], a [`Tournament`] or a [`MoveAgreement`]. Results are deterministic by seed.

pub mod command;
mod dataset;
mod load;
mod local_search;
mod objective;
mod population;
mod regression;
mod search_params;
mod weights;

pub use dataset::{Example, Label, WEIGHT_COUNT, fit_scale, flat_weights, rounded_weights};
pub use load::{LoadSettings, PlayedMove, Sets, load_moves, load_positions};
pub use objective::{Objective, Parameter, ProgressReport, Run, Solution};
pub use population::{Coding, SwarmForm};
pub use regression::{AdamSettings, Regression, descend, losses_without_groups};
pub use search_params::{MoveAgreement, SearchSpace, Tournament};
pub use weights::{read_provenance, read_weights, weights_source};

/// Derivative-free optimization method.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Method {
    /// Hill climbing, one parameter at a time.
    Hill,
    Anneal,
    Genetic(Coding),
    Swarm(SwarmForm),
    /// Simultaneous perturbation stochastic approximation.
    Spsa,
}

impl Method {
    /// All methods with their names on the command line.
    pub const NAMED: [(&'static str, Method); 9] = [
        ("hill", Method::Hill),
        ("anneal", Method::Anneal),
        ("genetic", Method::Genetic(Coding::Real)),
        ("genetic-bits", Method::Genetic(Coding::Bits)),
        ("swarm", Method::Swarm(SwarmForm::Combined)),
        ("swarm-plain", Method::Swarm(SwarmForm::Plain)),
        ("swarm-constricted", Method::Swarm(SwarmForm::Constricted)),
        ("swarm-tournament", Method::Swarm(SwarmForm::Tournament)),
        ("spsa", Method::Spsa),
    ];

    /// Minimizes the objective within the budget of the run. All methods except hill climbing need a limit.
    pub fn search(self, objective: &mut dyn Objective, run: &mut Run) -> Solution {
        run.begin(objective.parameters());
        // All but hill climbing end when the budget is spent.
        let _: Option<()> = match self {
            Method::Hill => local_search::hill_climb(objective, run),
            Method::Anneal => local_search::anneal(objective, run),
            Method::Genetic(coding) => population::evolve(objective, run, coding),
            Method::Swarm(form) => population::particle_swarm(objective, run, form),
            Method::Spsa => local_search::spsa(objective, run),
        };
        run.best.clone()
    }
}
