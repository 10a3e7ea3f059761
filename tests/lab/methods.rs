//! Every derivative-free method minimizes a paraboloid within its budget, reproducibly; those that search globally find
//! the maximum of a function with many.

use std::f64::consts::PI;

use chuhe::lab::tuning::{Method, Objective, Parameter, ProgressReport, Run, Solution, SwarmForm};
use chuhe::util::cancel::CancelFlag;

const LOWEST: [f64; 4] = [7.0, -4.0, 0.5, 12.0];

/// Σ weight · (x − lowest)², stretched so that not all parameters are alike.
struct Bowl {
    parameters: Vec<Parameter>,
    asked: u64,
}

impl Bowl {
    fn new() -> Bowl {
        let parameter = Parameter { start: 0.0, min: -20.0, max: 20.0, step: 2.0, resolution: 0.0 };
        Bowl { parameters: vec![parameter; LOWEST.len()], asked: 0 }
    }
}

impl Objective for Bowl {
    fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    fn loss(&mut self, vector: &[f64]) -> Option<f64> {
        self.asked += 1;
        assert!(vector.iter().all(|value| (-20.0..=20.0).contains(value)), "{vector:?} keeps to its range");
        let terms = vector.iter().zip(LOWEST).zip([1.0, 3.0, 0.5, 2.0]);
        Some(terms.map(|((value, lowest), weight)| weight * (value - lowest).powi(2)).sum())
    }
}

/// Negated test function of Li (2010, formula 4-8), x·sin(4πx) − y·sin(4πy + π + 1), on the square from −1 to 2 on
/// which it is usually shown. It has a few dozen local maxima; the start is in the middle.
struct Waves;

impl Waves {
    fn height(x: f64, y: f64) -> f64 {
        x * (4.0 * PI * x).sin() - y * (4.0 * PI * y + PI + 1.0).sin()
    }
}

impl Objective for Waves {
    fn parameters(&self) -> &[Parameter] {
        &[Parameter { start: 0.5, min: -1.0, max: 2.0, step: 0.75, resolution: 0.0 }; 2]
    }

    fn loss(&mut self, vector: &[f64]) -> Option<f64> {
        Some(-Waves::height(vector[0], vector[1]))
    }
}

#[test]
fn global_methods_find_the_highest_of_many_maxima() {
    // The maximum by trying all points of a fine grid.
    let steps = 1_500;
    let at = |step: usize| -1.0 + 3.0 * step as f64 / steps as f64;
    let points = (0..=steps).flat_map(|x| (0..=steps).map(move |y| Waves::height(at(x), at(y))));
    let highest = points.fold(f64::MIN, f64::max);
    assert!((highest - 3.3099).abs() < 1e-3, "{highest}");
    for (name, method) in Method::NAMED {
        let found: Vec<f64> = (1..=10)
            .map(|seed| {
                let mut silent = |_: &ProgressReport| {};
                let mut run = Run::new(Some(2_000), CancelFlag::default(), seed, &mut silent);
                -method.search(&mut Waves, &mut run).loss
            })
            .collect();
        let hits = found.iter().filter(|height| highest - **height < 0.02).count();
        println!("{name}: {hits} of 10, {found:.3?}");
        // Methods that follow one point may end on another maximum, and so may swarms with a low maximum speed.
        let min_hits = match method {
            Method::Hill | Method::Spsa | Method::Swarm(SwarmForm::Plain | SwarmForm::Constricted) => 0,
            _ => 3,
        };
        assert!(hits >= min_hits, "{name}: {hits} of 10, {found:?}");
    }
}

/// Minimizes the bowl. Returns the solution and the losses that were reported, which are those of the reported vectors.
fn search(method: Method, losses: u64, seed: u64) -> (Solution, Vec<f64>) {
    let mut told = Vec::new();
    let mut on_progress = |step: &ProgressReport| {
        assert_eq!(Bowl::new().loss(step.vector), Some(step.loss), "{method:?}");
        told.push(step.loss);
    };
    let mut bowl = Bowl::new();
    let mut run = Run::new(Some(losses), CancelFlag::default(), seed, &mut on_progress);
    let found = method.search(&mut bowl, &mut run);
    assert!(run.spent() <= losses && bowl.asked == run.spent(), "{method:?} counts what it spends");
    (found, told)
}

#[test]
fn every_method_minimizes_a_paraboloid() {
    for (name, method) in Method::NAMED {
        // A comparison costs two losses, and the first form of the swarm does not settle.
        let (losses, tolerance) = match method {
            Method::Swarm(SwarmForm::Tournament) => (16_000, 0.2),
            Method::Swarm(SwarmForm::Plain) => (4_000, 2.0),
            _ => (4_000, 0.2),
        };
        let (found, told) = search(method, losses, 1);
        for (value, lowest) in found.vector.iter().zip(LOWEST) {
            assert!((value - lowest).abs() < tolerance, "{name}: {found:?}");
        }
        assert!(told.len() > 3 && told.is_sorted_by(|one, next| next <= one), "{name} reports the best so far");
        assert!(told.iter().all(|loss| *loss >= found.loss));
    }
}

#[test]
fn the_seed_decides_everything_and_the_smallest_budgets_are_kept() {
    for (name, method) in Method::NAMED {
        let first = search(method, 300, 5).0;
        assert_eq!(search(method, 300, 5).0, first, "{name}");
        if method != Method::Hill {
            assert_ne!(search(method, 300, 6).0, first, "{name} uses random numbers");
        }
        for losses in [1, 2, 3, 25, 31] {
            assert!(search(method, losses, 1).0.loss <= Bowl::new().loss(&[0.0; 4]).unwrap());
        }
        let cancel = CancelFlag::default();
        cancel.cancel();
        let mut silent = |_: &ProgressReport| {};
        let mut run = Run::new(None, cancel, 1, &mut silent);
        assert_eq!(method.search(&mut Bowl::new(), &mut run).vector, [0.0; 4]);
    }
}
