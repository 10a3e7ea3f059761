//! Output of explanations of missed problems: two columns of terms with their differences, and the same as JSON.

use std::collections::BTreeMap;
use std::io::Write;

use serde::Serialize;

use super::Analyze;
use super::score::{self, LineObject};
use crate::commands::analysis::explain::{ExplainedLine, Explanation};
use crate::console::counted;
use crate::console::error::CommandError;
use crate::eval::{TermValues, WinModel};
use crate::notation::write_line;
use crate::position::Position;
use crate::types::Value;

/// Prints an explanation below the row of its problem, indented.
pub fn print(
    args: &Analyze,
    position: &Position,
    explanation: &Explanation,
    out: &mut impl Write,
) -> Result<(), CommandError> {
    let Explanation { solution, chosen, .. } = explanation;
    let described = |line: &ExplainedLine| {
        let moves = write_line(position, &line.moves, args.dialect()).join(" ");
        let moves = if moves.is_empty() { "no move" } else { &moves };
        let end = if line.end.has_legal_move() { "at its end" } else { "mated at its end" };
        format!("{:>10}  {moves}\n{end:>25} {}", score::text(WinModel::of(position).reported(line.score)), line.end)
    };
    writeln!(out, "    solution  {}", solution.as_ref().map_or("no line is known".to_owned(), described))?;
    writeln!(out, "    chosen    {}", described(chosen))?;
    table(position, solution.as_ref(), chosen, out)?;
    let searched = format!("{} (depth {})", counted(explanation.node_limit, "node"), explanation.depth);
    match explanation.found {
        Some(found) => writeln!(
            out,
            "    the search keeps to the solution from depth {} on, after {}; limit {searched}\n",
            found.depth,
            counted(found.nodes, "node")
        )?,
        None => writeln!(out, "    the search does not find the solution within {searched}\n")?,
    }
    Ok(())
}

/// Prints the terms that differ from 0 in a line, and the sums.
fn table(
    position: &Position,
    solution: Option<&ExplainedLine>,
    chosen: &ExplainedLine,
    out: &mut impl Write,
) -> Result<(), CommandError> {
    let header = format!("centipawns for {}", position.side());
    writeln!(out, "    {header:<24} {:>9} {:>9} {:>11}", "solution", "chosen", "difference")?;
    let mut row = |name: &str, solution: Option<Value>, chosen: Value| match solution {
        Some(value) => writeln!(out, "    {name:<24} {value:>9} {chosen:>9} {:>+11}", value - chosen),
        None => writeln!(out, "    {name:<24} {:>9} {chosen:>9} {:>11}", "–", "–"),
    };
    let solution = solution.map(|line| &line.values);
    let chosen = &chosen.values;
    for (index, &(name, value)) in chosen.groups.iter().enumerate() {
        let other = solution.map(|values| values.groups[index].1);
        if (other, value) != (solution.map(|_| 0), 0) {
            row(&name.replace('_', " "), other, value)?;
        }
    }
    row("hand-made value", solution.map(|values| values.handcrafted), chosen.handcrafted)?;
    row("network's value", solution.map(|values| values.network), chosen.network)?;
    Ok(())
}

/// Explanation in JSON.
#[derive(Serialize)]
pub struct ExplanationObject {
    /// Null if no line is known.
    solution: Option<ExplainedLineObject>,
    chosen: ExplainedLineObject,
    /// Depth and nodes from which on a longer search keeps to the solution; null if there are none within the limit.
    found_depth: Option<usize>,
    found_nodes: Option<u64>,
    node_limit: u64,
    /// Depth that the longer search reached.
    depth: usize,
}

/// Line with the evaluation at its end, in centipawns for the side to move in the problem.
#[derive(Serialize)]
struct ExplainedLineObject {
    #[serde(flatten)]
    line: LineObject,
    /// Position after the line.
    end: String,
    terms: BTreeMap<&'static str, Value>,
    handmade: Value,
    network: Value,
}

impl ExplanationObject {
    /// Creates the object.
    pub fn new(args: &Analyze, position: &Position, explanation: &Explanation) -> ExplanationObject {
        let line = |line: &ExplainedLine| {
            let TermValues { groups, handcrafted, network } = &line.values;
            ExplainedLineObject {
                line: LineObject::new(args, position, line.score, &line.moves),
                end: line.end.to_string(),
                terms: groups.iter().copied().collect(),
                handmade: *handcrafted,
                network: *network,
            }
        };
        ExplanationObject {
            solution: explanation.solution.as_ref().map(line),
            chosen: line(&explanation.chosen),
            found_depth: explanation.found.map(|found| found.depth),
            found_nodes: explanation.found.map(|found| found.nodes),
            node_limit: explanation.node_limit,
            depth: explanation.depth,
        }
    }
}
