//! Checks what the page on the papers says: files and functions that exist, what quick commands print, and figures that
//! these tests measure.
#![cfg(feature = "lab")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use chuhe::engine::{Engine, Options, Pruning};
use chuhe::eval::handcrafted::{MAX_PHASE, Trace};
use chuhe::eval::network::Network;
use chuhe::eval::{Knowledge, TermValues};
use chuhe::position::Position;
use chuhe::search::Limits;
use chuhe::types::{Move, Piece, PieceKind, Side, Square, Value};

const PAGE: &str = "docs/papers.md";
const GAMES: &str = include_str!("data/games.tsv");

fn read(path: &str) -> String {
    let full = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    fs::read_to_string(&full).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Returns the moves of each game of a table.
fn moves_of_games(table: &str) -> impl Iterator<Item = Vec<Move>> {
    let games = table.lines().filter(|line| !line.starts_with('#'));
    games.map(|line| line.split('\t').nth(2).unwrap().split_whitespace().map(|mv| mv.parse().unwrap()).collect())
}

fn is_identifier(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Returns the files that a page names, each with the definitions named after it: `src/x.rs::one`, `two`. Names after
/// other words, such as those of options, are none of the file's.
fn references(page: &str) -> BTreeSet<(String, Option<String>)> {
    let mut found = BTreeSet::new();
    for cell in page.split(['|', '\n']) {
        let mut file: Option<String> = None;
        for (index, part) in cell.split('`').enumerate() {
            if index % 2 == 0 {
                if !["", ", "].contains(&part) {
                    file = None;
                }
                continue;
            }
            let (path, name) = part.split_once("::").map_or((part, None), |(path, name)| (path, Some(name)));
            if ["src/", "tests/", "examples/"].iter().any(|root| path.starts_with(root)) && path.ends_with(".rs") {
                file = Some(path.to_owned());
                found.insert((path.to_owned(), name.map(str::to_owned)));
            } else if let Some(file) = file.as_ref().filter(|_| is_identifier(part)) {
                found.insert((file.clone(), Some(part.to_owned())));
            }
        }
    }
    found
}

/// Returns whether a source file defines an item or a field of this name.
fn defines(source: &str, name: &str) -> bool {
    let items = ["fn", "struct", "enum", "const", "static", "trait", "type", "mod"];
    let is_end = |rest: &str| !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
    let has = |text: String, is_rest: &dyn Fn(&str) -> bool| {
        source.match_indices(&text).any(|(at, _)| is_rest(&source[at + text.len()..]))
    };
    items.iter().any(|item| has(format!("{item} {name}"), &is_end))
        || has(format!(" {name}"), &|rest| rest.starts_with(':') && !rest.starts_with("::"))
}

#[test]
fn every_file_and_function_named_exists() {
    let references = references(&read(PAGE));
    assert!(references.len() > 60, "{PAGE} names {} places", references.len());
    for (file, name) in references {
        let source = read(&file);
        if let Some(name) = name {
            assert!(defines(&source, &name), "{PAGE}: {file} defines no {name}");
        }
    }
}

/// Red's part of the sums of both sides' hand-made values after a move (formula 3-4 of Li's thesis).
fn share_after(position: &mut Position, mv: Move) -> f64 {
    position.make(mv);
    let trace = Trace::new(position);
    position.unmake();
    let groups = trace.groups();
    let sum = |side: usize| groups.iter().map(|(_, row)| row[side].blend(trace.phase, MAX_PHASE)).sum::<Value>();
    f64::from(sum(0)) / f64::from(sum(0) + sum(1))
}

/// The papers say 45 legal moves; the thesis says that Red's moves have the highest share of strength of all.
#[test]
fn branching_factor_and_shares_of_master_games_are_lower_than_published() {
    let (mut positions, mut moves, mut logarithms, mut red, mut highest) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for game in moves_of_games(GAMES) {
        let mut position = Position::start();
        for mv in game {
            let legal = position.legal_moves();
            positions += 1.0;
            moves += legal.len() as f64;
            logarithms += (legal.len() as f64).ln();
            if position.side() == Side::Red {
                let share = share_after(&mut position, mv);
                red += 1.0;
                highest += f64::from(legal.iter().all(|&other| share_after(&mut position, other) <= share));
            }
            position.make(mv);
        }
    }
    let (mean, geometric, highest) = (moves / positions, f64::exp(logarithms / positions), highest / red);
    println!("{positions} positions, {mean:.1} legal moves on average, geometric mean {geometric:.1}");
    println!("{red} moves of Red, {:.1} % with the highest share", 100.0 * highest);
    assert!((32.0..37.0).contains(&mean) && (28.0..34.0).contains(&geometric), "{mean} {geometric}");
    assert!((0.1..0.4).contains(&highest), "{highest}");
}

/// Formulas 10 and 11 of Xu & Wang: leaves of the smallest tree that alpha-beta may search, by branching factor and
/// depth.
fn minimal_tree(branching: u64, depth: u32) -> u64 {
    branching.pow(depth.div_ceil(2)) + branching.pow(depth / 2) - 1
}

#[test]
fn alpha_beta_searches_about_the_minimal_tree_of_the_papers() {
    let mut engine = Engine::with_hash(16).unwrap();
    // The tree of the formulas is that of a full window; the order of moves follows the hand-made evaluation.
    let plain = |options: &mut Options| {
        options.pruning = Pruning::None;
        options.knowledge = Knowledge::Medium;
        options.search_params = "use_quiescence=0 use_aspiration=0".to_owned();
    };
    engine.configure(plain).unwrap();
    let branching = Position::start().legal_moves().len() as u64;
    let (mut before, mut minimal_sum) = (0, 0);
    for depth in 1..=6 {
        engine.new_game();
        let nodes = engine.search(&Limits::depth(depth as usize), &mut ()).unwrap().nodes;
        let (iteration, minimal) = (nodes - before, minimal_tree(branching, depth));
        println!("depth {depth}: {iteration} nodes, smallest tree {minimal} leaves");
        before = nodes;
        minimal_sum += minimal;
        let is_about = |nodes: u64, minimal: u64| (0.5..3.0).contains(&(nodes as f64 / minimal as f64));
        // The first iterations order their moves by few histories, so that a single one of them says little.
        assert!(depth < 4 || is_about(nodes, minimal_sum), "{depth}: {nodes} nodes in all, {minimal_sum} leaves");
        assert!(depth < 5 || is_about(iteration, minimal), "{depth}: {iteration} nodes, {minimal} leaves");
    }
    assert_eq!((minimal_tree(44, 3), minimal_tree(44, 4)), (1_979, 3_871));
}

/// Returns the numbers of a text, without the commas between their digits.
fn numbers(text: &str) -> Vec<String> {
    let parts = text.split(|c: char| !c.is_ascii_digit() && !",.".contains(c));
    parts.map(|number| number.trim_matches(['.', ',']).replace(',', "")).collect()
}

/// Rows of games and timings are left out; so is what takes a file of the user.
#[test]
fn quick_commands_print_the_figures_of_their_rows() {
    let quick = ["count", "tablebase", "book info", "eval", "analyze startpos", "bench"];
    let folder = tempfile::tempdir().unwrap();
    let mut rows = 0;
    for row in read(PAGE).lines() {
        let ["", _, _, ours, commands, ""] = row.split('|').map(str::trim).collect::<Vec<_>>()[..] else { continue };
        let mut text = String::new();
        for command in commands.split('`').filter_map(|part| part.strip_prefix("chuhe ")) {
            if quick.iter().any(|start| command.starts_with(start)) {
                let mut program = Command::new(env!("CARGO_BIN_EXE_chuhe"));
                program.env("LC_ALL", "C").args(command.split(' ')).current_dir(&folder);
                let output = program.output().unwrap();
                assert!(output.status.success(), "{command}");
                text += &String::from_utf8(output.stdout).unwrap();
            }
        }
        // Short numbers would be found anywhere.
        let is_figure = |number: &String| number.replace('.', "").len() > 2;
        for figure in numbers(ours).into_iter().filter(|figure| is_figure(figure) && !text.is_empty()) {
            assert!(numbers(&text).contains(&figure), "{row}: {figure} is not in\n{text}");
            rows += 1;
        }
    }
    assert_eq!(rows, 16, "a row is not read, or a new one is");
}

/// Both values of a position without some men, for a side; `None` if it is not a legal one.
fn values_without(position: &Position, men: &[Square], side: Side, network: &Arc<Network>) -> Option<[f64; 2]> {
    let letter = |square| position.piece_on(square).filter(|_| !men.contains(&square)).map_or('1', Piece::letter);
    let row = |rank| (0..9).map(|file| letter(Square::new(file, rank))).collect::<String>();
    let rows: Vec<String> = (0..10).rev().map(row).collect();
    let fen = position.to_string();
    let rest = Position::from_fen(&format!("{} {}", rows.join("/"), fen.split_once(' ')?.1)).ok()?;
    let values = TermValues::new(&rest, network, side);
    Some([values.handcrafted, values.network].map(f64::from))
}

/// Adds the worth of every man of a position and what two crossed pawns are worth beyond both.
fn add_worth(position: &Position, network: &Arc<Network>, worth: &mut BTreeMap<&'static str, Vec<[f64; 2]>>) {
    let mut add = |name, side, men: [&[Square]; 4]| {
        let [Some(with), Some(first), Some(second), Some(both)] =
            men.map(|men| values_without(position, men, side, network))
        else {
            return;
        };
        let beyond = [0, 1].map(|by| with[by] - first[by] - second[by] + both[by]);
        worth.entry(name).or_default().push(beyond);
    };
    let is_crossed = |(piece, square): &(Piece, Square)| {
        piece.kind() == PieceKind::Pawn && (piece.side() == Side::Red) == (square.rank() > 4)
    };
    let pawns: Vec<(Piece, Square)> = position.pieces().filter(is_crossed).collect();
    for (piece, square) in position.pieces() {
        let is_in_palace = (3..=5).contains(&square.file()) && !(3..=6).contains(&square.rank());
        let name = match piece.kind() {
            PieceKind::Pawn if is_in_palace => "pawn in the palace",
            kind => kind.name(),
        };
        if piece.kind() != PieceKind::King {
            add(name, piece.side(), [&[], &[square], &[square], &[square]]);
        }
    }
    for (index, &(piece, one)) in pawns.iter().enumerate() {
        for &(_, other) in pawns[..index].iter().filter(|(other, _)| other.side() == piece.side()) {
            let are_linked = one.rank() == other.rank() && one.file().abs_diff(other.file()) == 1;
            let name = if are_linked { "crossed pawns side by side" } else { "crossed pawns apart" };
            add(name, piece.side(), [&[], &[one], &[other], &[one, other]]);
        }
    }
}

/// The worth of a man is the value of positions of games with it, less that without it. `CHUHE_GAMES` names a file of more
/// games.
#[test]
fn a_pawn_in_the_palace_is_worth_a_third_of_a_rook() {
    let text = std::env::var("CHUHE_GAMES").map_or(GAMES.to_owned(), |path| fs::read_to_string(path).unwrap());
    let network = Network::embedded();
    let mut worth = BTreeMap::new();
    for game in moves_of_games(&text) {
        let mut position = Position::start();
        for (ply, mv) in game.into_iter().enumerate() {
            position.make(mv);
            if ply % 10 == 9 && !position.in_check() {
                add_worth(&position, &network, &mut worth);
            }
        }
    }
    for by in [0, 1] {
        println!("{}:", ["hand-made evaluation", "network"][by]);
        let mut means = BTreeMap::new();
        for (name, values) in &worth {
            let count = values.len() as f64;
            let mean = values.iter().map(|value| value[by]).sum::<f64>() / count;
            let squares: f64 = values.iter().map(|value| (value[by] - mean).powi(2)).sum();
            println!("  {name}: {mean:.0} ± {:.1}, {count} men", (squares / (count - 1.0) / count).sqrt());
            means.insert(*name, mean);
        }
        let share = means["pawn in the palace"] / means["rook"];
        assert!((0.15..0.35).contains(&share) && means["elephant"] > means["advisor"], "{means:?}");
    }
}
