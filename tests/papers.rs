//! Proves that the page on the papers names files and functions that exist, and repeats its figures that need no
//! command.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

#[cfg(feature = "lab")]
use chuhe::engine::{Engine, Options, Pruning};
#[cfg(feature = "lab")]
use chuhe::eval::Knowledge;
use chuhe::eval::handcrafted::{PSQT_SIZE, WEIGHTS};
use chuhe::position::Position;
#[cfg(feature = "lab")]
use chuhe::search::Limits;
use chuhe::types::PieceKind;

const PAGE: &str = "docs/papers.md";
const GAMES: &str = include_str!("data/games.tsv");

fn read(path: &str) -> String {
    let full = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    fs::read_to_string(&full).unwrap_or_else(|error| panic!("{path}: {error}"))
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
            if (path.starts_with("src/") || path.starts_with("tests/")) && path.ends_with(".rs") {
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

#[test]
fn names_that_do_not_exist_are_noticed() {
    assert!(defines("pub fn one() {}", "one") && !defines("pub fn one_more() {}", "one"));
    assert!(defines("    pub tempo: Row[1],", "tempo") && !defines("tempo::new()", "tempo"));
    let found = references("| `src/a.rs::one`, `two`, option `style` | `three` |\nIn `src/b.rs`");
    let names: Vec<_> = found.iter().map(|(file, name)| (file.as_str(), name.as_deref())).collect();
    assert_eq!(names, [("src/a.rs", Some("one")), ("src/a.rs", Some("two")), ("src/b.rs", None)]);
}

/// The papers say 45.
#[test]
fn the_branching_factor_of_master_games_is_a_third_lower_than_published() {
    let (mut positions, mut moves, mut logarithms) = (0, 0, 0.0);
    for line in GAMES.lines().filter(|line| !line.starts_with('#')) {
        let mut position = Position::start();
        for word in line.split('\t').nth(2).unwrap().split_whitespace() {
            let count = position.legal_moves().len();
            positions += 1;
            moves += count;
            logarithms += (count as f64).ln();
            position.make(word.parse().unwrap());
        }
    }
    let (mean, geometric) = (moves as f64 / f64::from(positions), (logarithms / f64::from(positions)).exp());
    println!("{positions} positions, {mean:.1} legal moves on average, geometric mean {geometric:.1}");
    assert!((32.0..37.0).contains(&mean) && (28.0..34.0).contains(&geometric), "{mean} {geometric}");
}

/// Formulas 10 and 11 of Xu & Wang: leaves of the smallest tree that alpha-beta may search, by branching factor and
/// depth.
#[cfg(feature = "lab")]
fn minimal_tree(branching: u64, depth: u32) -> u64 {
    branching.pow(depth.div_ceil(2)) + branching.pow(depth / 2) - 1
}

#[test]
#[cfg(feature = "lab")]
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

#[test]
fn the_fit_contradicts_the_papers_where_the_page_says_so() {
    let material = |kind: PieceKind| WEIGHTS.material[kind.index()];
    let pawn = WEIGHTS.psqt[PieceKind::Pawn.index() * PSQT_SIZE..].iter().map(|square| square.opening).max().unwrap();
    let (best_pawn, rook) = (material(PieceKind::Pawn).opening + pawn, material(PieceKind::Rook).opening);
    assert_eq!((best_pawn, rook), (492, 990));
    assert_eq!((WEIGHTS.linked_pawns[0].opening, WEIGHTS.linked_pawns[0].ending), (19, -21));
    let (advisor, elephant) = (material(PieceKind::Advisor), material(PieceKind::Elephant));
    assert!(advisor.opening < elephant.opening && advisor.ending > elephant.ending);
}
