//! The methods that need nothing but losses, by name.

use super::objective::{Found, Objective, Run};
use super::{anneal, climb, genetic, spsa, swarm};

/// A method that makes any objective small.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Method {
    /// Hill climbing; see [`climb::climb`].
    Hill,
    /// Simulated annealing; see [`anneal::anneal`].
    Anneal,
    /// A genetic algorithm; see [`genetic::breed`].
    Genetic,
    /// Particle swarm; see [`swarm::fly`].
    Swarm,
    /// Simultaneous perturbation; see [`spsa::walk`].
    Spsa,
}

impl Method {
    /// All of them, by the names they have on the command line.
    pub const NAMED: [(&'static str, Method); 5] = [
        ("hill", Method::Hill),
        ("anneal", Method::Anneal),
        ("genetic", Method::Genetic),
        ("swarm", Method::Swarm),
        ("spsa", Method::Spsa),
    ];

    /// The method of that name.
    pub fn from_name(name: &str) -> Option<Method> {
        Method::NAMED.into_iter().find(|(other, _)| *other == name).map(|(_, method)| method)
    }

    /// Makes the objective as small as the budget of the run allows. But for hill climbing there must be a budget.
    ///
    /// ```
    /// use chuhe::tools::tuning::{Axis, Budget, Method, Objective, Run};
    /// struct Bowl(Vec<Axis>);
    /// impl Objective for Bowl {
    ///     fn axes(&self) -> &[Axis] {
    ///         &self.0
    ///     }
    ///     fn loss(&mut self, vector: &[f64]) -> Option<f64> {
    ///         Some((vector[0] - 3.0).powi(2))
    ///     }
    /// }
    /// let axis = Axis { name: "x".into(), start: 0.0, least: -10.0, most: 10.0, step: 1.0, grain: 0.0 };
    /// let mut silent = |_: &chuhe::tools::tuning::Step| {};
    /// let budget = Budget { losses: Some(50), ..Budget::default() };
    /// let found = Method::Hill.search(&mut Bowl(vec![axis]), &mut Run::new(budget, 1, &mut silent));
    /// assert_eq!(found.vector, [3.0]);
    /// ```
    pub fn search(self, objective: &mut dyn Objective, run: &mut Run) -> Found {
        match self {
            Method::Hill => climb::climb(objective, run),
            Method::Anneal => anneal::anneal(objective, run),
            Method::Genetic => genetic::breed(objective, run),
            Method::Swarm => swarm::fly(objective, run),
            Method::Spsa => spsa::walk(objective, run),
        }
    }
}
