//! Static evaluation of a position, in centipawns for the side to move.
//!
//! The [`network`] was trained on games and is what the engine plays by. The [`handcrafted`] evaluation serves weaker
//! levels of [`Knowledge`] and explains itself term by term ([`table`], [`TermValues`]). [`Evaluator`] updates either
//! of them move by move and applies the [scale factor](handcrafted::scale_factor) of drawish endings to both. The
//! evaluation depends on the position alone, not on its history. [`WinModel`] says how often a score wins, and gives
//! the [`ReportedScore`] that users see.

pub mod handcrafted;
pub mod network;

mod evaluator;
mod term_values;
mod win_model;

use std::sync::Arc;

pub use evaluator::{EvalConfig, Evaluator, Knowledge};
pub use term_values::TermValues;
pub use win_model::{ReportedScore, WinModel};

use crate::position::Position;
use crate::types::Side;
use handcrafted::{MAX_PHASE, MAX_SCALE, Tapered, Trace};
use network::{BUCKETS, Network, output_bucket};

/// Returns the table of a position: each group of hand-made terms for both sides, their sum, and the network's value.
pub fn table(position: &Position, network: &Arc<Network>) -> String {
    let trace = Trace::new(position);
    let pair = |value: Tapered| format!("{:>6} {:>6}", value.opening, value.ending);
    let mut text = format!("{:<24}|{:^15}|{:^15}|{:^15}|{:>6}\n", "centipawns", "Red", "Black", "difference", "blend");
    text.push_str(&format!("{:<24}|{:^15}|{:^15}|{:^15}|\n", "", "open.    end.", "open.    end.", "open.    end."));
    let rule = format!("{:-<24}+{:-<15}+{:-<15}+{:-<15}+{:-<6}\n", "", "", "", "", "");
    text.push_str(&rule);
    let mut sums = [Tapered::ZERO; 2];
    let mut row = |name: &str, red: Tapered, black: Tapered| {
        let difference = red - black;
        text.push_str(&format!(
            "{:<24}| {} | {} | {} |{:>6}\n",
            name.replace('_', " "),
            pair(red),
            pair(black),
            pair(difference),
            difference.blend(trace.phase, MAX_PHASE)
        ));
    };
    for (name, [red, black]) in trace.groups() {
        row(name, red, black);
        sums[Side::Red.index()] += red;
        sums[Side::Black.index()] += black;
    }
    row("sum", sums[0], sums[1]);
    let blended = (sums[0] - sums[1]).blend(trace.phase, MAX_PHASE);
    let ahead = if blended > 0 { Side::Red } else { Side::Black };
    let scale = trace.scale_factors[ahead.index()];
    let value = handcrafted::evaluate(position);
    text.push_str(&rule);
    text.push_str(&format!("phase {} of {MAX_PHASE} (opening {MAX_PHASE}, ending 0)\n", trace.phase));
    if scale < MAX_SCALE {
        text.push_str(&format!("{ahead} can hardly win with these pieces: scale factor {scale} of {MAX_SCALE}\n"));
    }
    let side = position.side();
    text.push_str(&format!("hand-made value for {side} to move: {value:+}\n"));
    let value = Evaluator::value_of(position, network, EvalConfig::default());
    let bucket = output_bucket(position) + 1;
    text.push_str(&format!("network's value for {side} to move: {value:+} (output bucket {bucket} of {BUCKETS})\n"));
    text
}
