//! Weight of the groups of evaluation terms: the loss of the evaluation without each of them.

use super::{Dataset, fit_scale, flat_weights};
use crate::eval::handcrafted::{Tapered, Terms};
use crate::lab::training::Loss;

/// Groups of the terms that value each piece by itself: its kind and its square.
const SINGLE_PIECES: [&str; 2] = ["material", "psqt"];

/// Loss of an evaluation without some of its terms.
#[derive(Clone, PartialEq, Debug)]
pub struct GroupLoss {
    /// Names of the groups of terms.
    pub groups: Vec<&'static str>,
    /// Mean loss of all other terms.
    pub without: f64,
    /// Mean loss of these terms alone.
    pub alone: f64,
}

/// Returns the mean loss of the whole evaluation, and of the evaluation without each group of terms, first without the
/// two groups that value each piece by itself. Weights stay as they are; the scale is fitted to the results for each.
///
/// `dataset` is not empty; only the results of its labels count.
pub fn losses_without_groups(
    dataset: &Dataset,
    weights: &Terms<Tapered>,
    loss: Loss,
    threads: usize,
) -> (f64, Vec<GroupLoss>) {
    let of = |is_kept: &dyn Fn(&str) -> bool| mean_loss(dataset, weights, is_kept, loss, threads);
    let each = weights.groups().map(|(name, _)| vec![name]);
    let rows = std::iter::once(SINGLE_PIECES.to_vec()).chain(each).map(|groups| {
        let without = of(&|name| !groups.contains(&name));
        let alone = of(&|name| groups.contains(&name));
        GroupLoss { groups, without, alone }
    });
    (of(&|_| true), rows.collect())
}

/// Returns the mean loss with the weights of the groups that are not kept set to 0.
fn mean_loss(
    dataset: &Dataset,
    weights: &Terms<Tapered>,
    is_kept: &dyn Fn(&str) -> bool,
    loss: Loss,
    threads: usize,
) -> f64 {
    let mut kept = weights.clone();
    kept.groups_mut().into_iter().filter(|(name, _)| !is_kept(name)).for_each(|(_, group)| group.fill(Tapered::ZERO));
    let flat = flat_weights(&kept);
    let scale = fit_scale(dataset, &flat, loss, threads);
    let of = |at| loss.value(dataset.value(at, &flat) / scale, dataset.label(at).result.into());
    (0..dataset.len()).map(of).sum::<f64>() / dataset.len() as f64
}
