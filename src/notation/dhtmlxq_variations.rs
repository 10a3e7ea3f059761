//! Variations of DhtmlXQ games. `move_PARENT_PLY_NUMBER` replaces the move of this ply of the game in the line
//! `PARENT`, where 0 is the main line; `commentNUMBER_PLY` is the comment of a move in it.

use std::collections::HashMap;

use super::dhtmlxq_fields::{Field, move_list};
use super::game::{Game, GameFault, GameNode, Location, MAX_NODES, MAX_PLIES, shortened, tidy_comment};
use super::warnings::WarningKind;

/// Maximum number of moves that are replayed to find the positions before variations, which bounds the time.
const MAX_REPLAYED: usize = 200_000_000;

/// Line of a game: the main line or a variation.
struct Line {
    /// Index of the line that it leaves, in the list of lines.
    parent: Option<usize>,
    /// Ply of its first move, from 1.
    ply: usize,
    /// Indices of its moves in the game.
    nodes: Vec<usize>,
}

/// Returns the move of a ply in a line. If it belongs to a line before it, `index` becomes that one.
fn node_at(lines: &[Line], index: &mut usize, ply: usize) -> Option<usize> {
    while ply < lines[*index].ply {
        *index = lines[*index].parent?;
    }
    lines[*index].nodes.get(ply - lines[*index].ply).copied()
}

/// Adds the variations of a game with their comments. What has an error is left out.
pub(super) fn add(game: &mut Game, fields: &[Field<'_>]) {
    let mut variations: Vec<([usize; 3], &Field<'_>)> = fields
        .iter()
        .filter_map(|field| {
            let numbers: Vec<usize> =
                field.name.strip_prefix("move_")?.split('_').map(str::parse).collect::<Result<_, _>>().ok()?;
            Some((<[usize; 3]>::try_from(numbers).ok()?, field))
        })
        .collect();
    variations.sort_by_key(|([_, _, number], _)| *number);
    let mut lines = vec![Line { parent: None, ply: 1, nodes: (0..game.nodes.len()).collect() }];
    // Indices of lines by their numbers.
    let mut known = HashMap::from([(0, 0)]);
    let mut replayed = 0;
    for ([parent, ply, number], field) in variations {
        let line = known.get(&parent).copied();
        let added = add_one(game, &mut lines, line, [parent, ply, number], field.value, &mut replayed);
        if lines.len() > known.len() {
            known.entry(number).or_insert(lines.len() - 1);
        }
        match added {
            Ok(()) => {}
            Err((fault @ GameFault::TooMuch { .. }, moves)) => {
                game.warnings.add_many(WarningKind::Limit, Location::Line(field.line), fault, moves);
            }
            Err((fault, _)) => game.warnings.add(WarningKind::LeftOut, Location::Line(field.line), fault),
        }
    }
    for field in fields {
        let Some(numbers) = field.name.strip_prefix("comment") else { continue };
        let (number, ply) = numbers.split_once('_').unwrap_or(("0", numbers));
        let (Ok(number), Ok(ply)) = (number.parse::<usize>(), ply.parse::<usize>()) else { continue };
        let comment = tidy_comment(&field.value.replace("||", "\n"));
        // Number 0 is the comment before the first move.
        if comment.is_empty() || ply == 0 {
            continue;
        }
        let line = known.get(&number).map(|&line| &lines[line]);
        let index = line.and_then(|line| ply.checked_sub(line.ply));
        match line.zip(index).and_then(|(line, index)| line.nodes.get(index)) {
            Some(&node) => game.nodes[node].comment = comment,
            None => {
                let fault = GameFault::Malformed(format!("there is no move for the comment '{}'", shortened(&comment)));
                game.warnings.add(WarningKind::LeftOut, Location::Line(field.line), fault);
            }
        }
    }
    let is_sorted = game.sort();
    debug_assert!(is_sorted, "moves are added after their parents");
}

/// Adds a variation as far as its moves are legal.
///
/// # Errors
/// If a move is not legal or exceeds a limit, or the variation leaves no known line; with the number of moves that are
/// left out.
fn add_one(
    game: &mut Game,
    lines: &mut Vec<Line>,
    line: Option<usize>,
    [parent, ply, number]: [usize; 3],
    moves: &str,
    replayed: &mut usize,
) -> Result<(), (GameFault, usize)> {
    let unknown = || {
        let fault = format!("variation {number} replaces ply {ply} of line {parent}, which is missing");
        (GameFault::Malformed(fault), 0)
    };
    let mut line = line.ok_or_else(unknown)?;
    let (moves, mut end) = move_list(moves);
    // Climbing to the line that has the move before takes time, too.
    *replayed += ply.min(MAX_PLIES);
    if *replayed > MAX_REPLAYED {
        let fault = GameFault::TooMuch { what: "moves to replay for variations", max: MAX_REPLAYED };
        return Err((fault, moves.len()));
    }
    let before = match ply.checked_sub(1).ok_or_else(unknown)? {
        0 => None,
        before => Some(node_at(lines, &mut line, before).ok_or_else(unknown)?),
    };
    // It would go on with a main line that lacks its end.
    if game.warnings.cut().is_some() && before == lines[0].nodes.last().copied() {
        return Err(unknown());
    }
    let mut position = game.position_after(before);
    let length = position.history().len();
    let mut nodes = Vec::new();
    let count = moves.len();
    for mv in moves {
        let plies = length + nodes.len();
        let illegal = GameFault::of_move(&position, plies + 1, mv);
        let fault = if illegal.is_some() {
            illegal
        } else if game.nodes.len() == MAX_NODES {
            Some(GameFault::TooMuch { what: "moves in a game with variations", max: MAX_NODES })
        } else if plies == MAX_PLIES {
            Some(GameFault::TooMuch { what: "plies", max: MAX_PLIES })
        } else {
            None
        };
        if fault.is_some() {
            end = fault;
            break;
        }
        position.make(mv);
        let parent = nodes.last().copied().or(before);
        nodes.push(game.nodes.len());
        game.nodes.push(GameNode { parent, mv, comment: String::new() });
    }
    let lost = count - nodes.len();
    lines.push(Line { parent: Some(line), ply, nodes });
    end.map_or(Ok(()), |fault| Err((fault, lost)))
}
