//! How far the network in integers is from the one in floats.

use super::features::{Features, Inputs};
use super::model::Model;
use super::sample::Sample;
use crate::eval::network::Network;

/// Differences in centipawns.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Differences {
    /// Over how many positions.
    pub positions: usize,
    /// Their mean, regardless of sign.
    pub mean: f64,
    /// The largest.
    pub largest: f64,
}

/// Compares what both make of these samples. Samples that mean no position are left out.
pub fn compare(model: &Model, network: &Network, samples: &[Sample]) -> Differences {
    let (features, mut inputs) = (Features::new(), Inputs::NONE);
    let mut differences = Differences::default();
    let mut sum = 0.0;
    for sample in samples {
        let Some(position) = sample.position() else { continue };
        features.find(sample, false, &mut inputs);
        let difference = (model.value_of(&inputs) - f64::from(network.evaluate(&position))).abs();
        differences.positions += 1;
        differences.largest = differences.largest.max(difference);
        sum += difference;
    }
    differences.mean = sum / differences.positions.max(1) as f64;
    differences
}
