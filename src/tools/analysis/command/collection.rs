//! Analysis of all games of a file or a folder, written as PGN with scores and better lines.

use std::fs;
use std::io::StdoutLock;
use std::path::{Path, PathBuf};

use super::AnalysisTask;
use super::game::analyze_one;
use super::score;
use crate::console::error::CommandError;
use crate::console::input::GameFile;
use crate::console::progress::counted;
use crate::notation::format::Format;
use crate::notation::game::Game;
use crate::notation::tree::{GameTree, TreeNode};
use crate::tools::analysis::game::GameReview;
use crate::tools::analysis::wdl::Mark;
use crate::util::atomic_file::write_atomically;

/// Most moves of a better line.
const MAX_LINE: usize = 10;

/// Returns the files of a folder whose names are those of game files, in the order of their names.
///
/// # Errors
/// If the folder cannot be read or has no such file.
pub fn files_of(folder: &Path) -> Result<Vec<PathBuf>, CommandError> {
    let failed = |error| CommandError::File { path: folder.to_owned(), error };
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let is_game =
            Format::from_path(&path).is_some() || path.extension().is_some_and(|extension| extension == "txt");
        if is_game && path.is_file() {
            files.push(path);
        }
    }
    files.sort();
    if files.is_empty() {
        let fault = "it has no game files (.pgn, .xqf, .dhtmlxq, .txt and others)".to_owned();
        return Err(CommandError::Unusable { path: folder.to_owned(), fault });
    }
    Ok(files)
}

/// Analyzes the games of these files, or one of them, and writes them to `output` after each game. Faulty games are
/// reported and left out.
///
/// # Errors
/// If no game can be read, `output` cannot be written, or the user interrupts; what is done stays.
pub fn analyze(
    task: &AnalysisTask,
    files: impl IntoIterator<Item = Result<GameFile, CommandError>>,
    output: &Path,
    out: &mut StdoutLock<'static>,
) -> Result<(), CommandError> {
    let mut engine = task.engine()?;
    let (mut bytes, mut written) = (Vec::new(), 0);
    for file in files {
        let GameFile { name, format, reader } = match file {
            Ok(file) => file,
            Err(error) => {
                eprintln!("chuhe: {error}; this file is left out");
                continue;
            }
        };
        for (number, game) in (1..).zip(format.games(reader, task.strictness)) {
            if task.args.game.is_some_and(|wanted| wanted != number) {
                continue;
            }
            let game = match game {
                Ok(game) => game,
                Err(error) => {
                    eprintln!("chuhe: {}: a game is left out: {error}", name.display());
                    continue;
                }
            };
            let review = analyze_one(task, &mut engine, &game, out)?;
            let dialect = task.args.dialect();
            let failed = |error| CommandError::File { path: output.to_owned(), error };
            Format::Pgn.write_tree(&mut bytes, &annotated(&game, &review), dialect).map_err(failed)?;
            write_atomically(output, &bytes).map_err(failed)?;
            written += 1;
            task.check_interrupt()?;
        }
    }
    if written == 0 {
        let path = task.args.input.as_deref().unwrap_or_default().into();
        return Err(CommandError::NoGame { path });
    }
    eprintln!("chuhe: {} written to {}", counted(written, "game"), output.display());
    Ok(())
}

/// Returns the game with Red's score after each move, and a better line beside each mistake.
fn annotated(game: &Game, review: &GameReview) -> GameTree {
    let mut tree = GameTree::from(game.clone());
    if let Some(tag) = tree.tags.iter_mut().find(|(name, _)| name == "Annotator") {
        tag.1 = format!("{}, Chuhe", tag.1);
    } else {
        tree.tags.push(("Annotator".to_owned(), "Chuhe".to_owned()));
    }
    for (index, mv) in review.moves.iter().enumerate() {
        let before = &review.positions[index];
        let node = &mut tree.nodes[index];
        let sign = mv.mark.map_or("", Mark::sign);
        let remark = format!("{} {sign}", score::text(mv.score_for_red()));
        let comment = node.comment.clone();
        node.comment =
            if comment.is_empty() { remark.trim_end().to_owned() } else { format!("{}\n{comment}", remark.trim_end()) };
        if mv.mark.is_none() {
            continue;
        }
        let mut parent = node.parent;
        for (step, &better) in mv.best_line.iter().take(MAX_LINE).enumerate() {
            let comment = if step == 0 { score::text(before.score_for_red()) } else { String::new() };
            let next = tree.nodes.len();
            tree.nodes.push(TreeNode { parent, mv: better, comment });
            parent = Some(next);
        }
    }
    let is_sorted = tree.sort();
    debug_assert!(is_sorted, "better lines are added after the moves");
    tree
}
