//! `count --sample`: random positions and the estimated number of legal ones.

use std::io::{BufWriter, Write};

use serde::Serialize;

use super::{Count, approximate};
use crate::console::error::CommandError;
use crate::counting::{Estimate, Interval, Ranking, Sampler, U256};
use crate::types::Side;

#[derive(Serialize)]
struct Drawn {
    #[serde(rename = "type")]
    kind: &'static str,
    fen: String,
    legal: bool,
}

/// Estimated share and number of legal positions.
#[derive(Serialize)]
struct Legal {
    /// Size of the population.
    of: String,
    share: f64,
    least_share: f64,
    greatest_share: f64,
    number: f64,
    least_number: f64,
    greatest_number: f64,
}

#[derive(Serialize)]
struct Summary {
    #[serde(rename = "type")]
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    signature: Option<String>,
    seed: u64,
    drawn: u64,
    /// Legal with the drawn side to move, among all placements with either side to move.
    with_a_side: Legal,
    /// Legal with at least one side to move, among all placements.
    with_either_side: Legal,
}

impl Legal {
    fn new(all: U256, estimate: Estimate) -> Legal {
        let Interval { low, high } = estimate.interval();
        let (size, share) = (approximate(all), estimate.share());
        Legal {
            of: all.to_string(),
            share,
            least_share: low,
            greatest_share: high,
            number: share * size,
            least_number: low * size,
            greatest_number: high * size,
        }
    }

    fn text(&self) -> String {
        let Legal { of, share, least_share, greatest_share, number, least_number, greatest_number } = self;
        let [share, least_share, greatest_share] = [share, least_share, greatest_share].map(|share| share * 100.0);
        format!(
            "{share:.3} % ({least_share:.3} to {greatest_share:.3}) of {of}: {number:.4e} ({least_number:.4e} to \
             {greatest_number:.4e})"
        )
    }
}

/// Draws positions, prints the selected ones, and estimates how many are legal.
pub fn sample(args: &Count, positions: u64, out: &mut impl Write) -> Result<(), CommandError> {
    let mut out = BufWriter::new(out);
    let ranking: Ranking = args.ranking();
    let mut sampler = Sampler::new(args.seed);
    let (mut with_a_side, mut with_either_side) = (Estimate::default(), Estimate::default());
    for _ in 0..positions {
        let placement = sampler.placement(&ranking);
        let side = sampler.side();
        let is_legal = |side: Side| placement.position(side).is_ok();
        let legal = is_legal(side);
        with_a_side.add(legal);
        with_either_side.add(legal || is_legal(!side));
        if args.estimate || (args.legal && !legal) {
            continue;
        }
        let fen = placement.fen(side);
        if args.json {
            writeln!(out, "{}", serde_json::to_string(&Drawn { kind: "position", fen, legal })?)?;
        } else {
            writeln!(out, "{fen}")?;
        }
    }
    let size = ranking.size();
    let summary = Summary {
        kind: "estimate",
        signature: args.signature().map(|signature| signature.to_string()),
        seed: args.seed,
        drawn: positions,
        with_a_side: Legal::new(size + size, with_a_side),
        with_either_side: Legal::new(size, with_either_side),
    };
    if args.json {
        writeln!(out, "{}", serde_json::to_string(&summary)?)?;
    } else {
        writeln!(out, "# {positions} drawn with seed {}; shares and numbers with 95 % intervals", args.seed)?;
        writeln!(out, "# legal with the random side to move               {}", summary.with_a_side.text())?;
        writeln!(out, "# legal with either side to move                    {}", summary.with_either_side.text())?;
    }
    out.flush()?;
    Ok(())
}
