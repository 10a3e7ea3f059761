//! Particle swarm optimisation with falling inertia and a constriction factor.
//!
//! A particle flies on in its direction, pulled to the best place it knows and to the best place that any knows
//! (Kennedy & Eberhart 1995; inertia: Shi & Eberhart 1998; constriction: Clerc 1999), in the form that Li (2010) used
//! to tune an evaluation function: v ← k·(w·v + c₁·r₁·(own best − x) + c₂·r₂·(best of all − x)), x ← x + v.

use rand::RngExt;

use super::objective::{Found, Objective, Quest, Run};

/// How many particles fly.
pub const PARTICLES: usize = 20;
/// The pull of the best place of its own, c₁, and of all, c₂.
pub const PULL: f64 = 2.05;
/// Inertia at the start and at the end.
pub const INERTIA: [f64; 2] = [0.9, 0.4];
/// The greatest speed in steps of each parameter.
const MOST_SPEED: f64 = 4.0;

/// The constriction factor k = 2 / |2 − φ − √(φ² − 4φ)| for φ = c₁ + c₂ above 4, with which the swarm comes to rest.
///
/// ```
/// use chuhe::tools::tuning::swarm::constriction;
/// assert!((constriction(4.1) - 0.72984).abs() < 1e-5);
/// ```
pub fn constriction(phi: f64) -> f64 {
    2.0 / (2.0 - phi - (phi * phi - 4.0 * phi).sqrt()).abs()
}

/// The inertia w after this share of the budget; it falls in a straight line.
pub fn inertia(fraction: f64) -> f64 {
    INERTIA[0] - (INERTIA[0] - INERTIA[1]) * fraction
}

/// The new velocity along one axis. `luck` are two random numbers from 0 to 1.
pub fn velocity(old: f64, inertia: f64, to_own_best: f64, to_best: f64, luck: [f64; 2]) -> f64 {
    constriction(2.0 * PULL) * (inertia * old + PULL * luck[0] * to_own_best + PULL * luck[1] * to_best)
}

struct Particle {
    place: Vec<f64>,
    speed: Vec<f64>,
    best: Found,
}

/// Flies until the budget is spent, which there must be. One particle sets out from the start, the others from up to
/// two steps around it.
pub fn fly(objective: &mut dyn Objective, run: &mut Run) -> Found {
    let mut quest = Quest::new(objective, run);
    let axes = quest.objective.axes().to_vec();
    let mut swarm = Vec::new();
    while swarm.len() < PARTICLES {
        let random = &mut quest.run.random;
        let mut around =
            || -> Vec<f64> { axes.iter().map(|axis| axis.step * random.random_range(-2.0..=2.0)).collect() };
        let (offset, speed) = (around(), around());
        let start = quest.best.clone();
        let (place, loss) = if swarm.is_empty() {
            (start.vector, start.loss)
        } else {
            let mut place: Vec<f64> = axes.iter().zip(&offset).map(|(axis, offset)| axis.start + offset).collect();
            quest.clamp(&mut place);
            let Some(loss) = quest.loss(&place) else { return quest.best };
            (place, loss)
        };
        swarm.push(Particle { best: Found { vector: place.clone(), loss }, place, speed });
    }
    loop {
        quest.tell();
        let inertia = inertia(quest.run.fraction());
        for particle in &mut swarm {
            for (at, axis) in axes.iter().enumerate() {
                let luck = [quest.run.random.random(), quest.run.random.random()];
                let here = particle.place[at];
                let to = [particle.best.vector[at] - here, quest.best.vector[at] - here];
                let speed = velocity(particle.speed[at], inertia, to[0], to[1], luck);
                let most = MOST_SPEED * axis.step;
                particle.speed[at] = speed.clamp(-most, most);
                particle.place[at] = axis.clamp(here + particle.speed[at]);
            }
            let Some(loss) = quest.loss(&particle.place) else { return quest.best };
            if loss < particle.best.loss {
                particle.best = Found { vector: particle.place.clone(), loss };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coefficients_agree_with_the_closed_formulas() {
        // φ = 4.1: √(φ² − 4φ) = √0.41.
        let expected = 2.0 / (2.1 + 0.41f64.sqrt());
        assert!((constriction(2.0 * PULL) - expected).abs() < 1e-12);
        assert_eq!((inertia(0.0), inertia(1.0)), (0.9, 0.4));
        assert!((inertia(0.3) - 0.75).abs() < 1e-12);
        let found = velocity(2.0, 0.9, -1.0, 3.0, [0.5, 0.25]);
        assert!((found - expected * (0.9 * 2.0 - 2.05 * 0.5 + 2.05 * 0.25 * 3.0)).abs() < 1e-12);
    }
}
