//! Loads labelled positions and moves of players from files.
//!
//! ```text
//! FEN<TAB>result<TAB>score
//! ```
//!
//! Results are `1-0`, `0-1` and `1/2-1/2`; the optional score is in centipawns for the side to move. All such positions
//! are used. From games, in any supported format or from self-play with scores, the quiet positions are used, since the
//! search evaluates no others: not in check, no capture played, and no capture that changes the evaluation much. The
//! validation split is by game, or by position where games are unknown, so that no game is in both sets.

use std::fs::File;
use std::path::{Path, PathBuf};

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::dataset::{Example, Label};
use crate::console::{CommandError, Faults, Result, counted, note, peek};
use crate::eval::handcrafted;
use crate::lab::datagen::record::HEADER;
use crate::lab::datagen::{EARLIER_MAGIC, GameReader, game_key};
use crate::lab::training::is_held_out;
use crate::lab::{in_file, unusable};
use crate::notation::format::Format;
use crate::notation::game::{Game, GameError, GameFault, GameResult, shortened};
use crate::notation::text_encoding::{TextLines, decode_head};
use crate::position::{Position, Strictness};
use crate::types::score::{EVALUATION_LIMIT, is_decisive};
use crate::types::{Move, MoveList, Side, Value};
use crate::util::cancel::CancelFlag;
use crate::util::parallel::map_ordered;

/// Lines or games that are read for each thread before the work on them.
const RECORDS_AT_ONCE: usize = 64;

/// What is taken from files, and how they are read.
#[derive(Clone, Debug)]
pub struct LoadSettings {
    /// Maximum number of positions per game, spread over it; 0 takes all.
    pub per_game: usize,
    /// Minimum number of plies played before a position.
    pub from_ply: usize,
    pub validation_share: f64,
    pub seed: u64,
    pub strictness: Strictness,
    /// Number of threads. The result does not depend on it.
    pub threads: usize,
    pub cancel: CancelFlag,
}

/// Position of a game in which its player had a choice, with the moves since the last capture, and the move played.
#[derive(Clone, Debug)]
pub struct PlayedMove {
    pub position: Position,
    pub mv: Move,
}

/// Content of files, divided by the keys of games or positions.
#[derive(Clone, PartialEq, Debug)]
pub struct Sets<T> {
    pub training: Vec<T>,
    pub validation: Vec<T>,
    pub games: usize,
    /// Number of lines or games that could not be used.
    pub faults: u64,
}

/// Move with its score, if there is one.
type Played = (Move, Option<Value>);

enum Record {
    Line(u64, String),
    Game { start: Box<Position>, moves: Vec<Played>, result: GameResult },
}

/// Record, or the fault of one, or the error that ends the reading.
type Read = Result<Result<Record, String>>;

/// Loads labelled positions: lines, games, or self-play.
///
/// # Errors
/// When a file cannot be read or holds something else, or the work is cancelled.
pub fn load_positions(paths: &[PathBuf], settings: &LoadSettings) -> Result<Sets<Example>> {
    load(paths, settings, false, |record| match record {
        Record::Line(number, text) => {
            let (position, label) =
                read_line(&text, settings.strictness).map_err(|fault| format!("line {number}: {fault}"))?;
            Ok((position.key(), vec![Example::new(&position, label)]))
        }
        Record::Game { start, moves, result } => {
            let key = game_key(&start, moves.iter().map(|(mv, _)| *mv));
            let positions = quiet_positions(&start, &moves, result, key, settings);
            Ok((key, positions.iter().map(|(position, label)| Example::new(position, *label)).collect()))
        }
    })
}

/// Loads moves of players from files of games, spread over each game.
///
/// # Errors
/// Those of [`load_positions`].
pub fn load_moves(paths: &[PathBuf], settings: &LoadSettings) -> Result<Sets<PlayedMove>> {
    load(paths, settings, true, |record| {
        let Record::Game { start, moves, .. } = record else { return Err("it is no game".to_owned()) };
        let key = game_key(&start, moves.iter().map(|(mv, _)| *mv));
        let candidates = late_positions(&start, &moves, settings, |position, mv, _| {
            let has_choice = position.legal_moves().len() > 1;
            has_choice.then(|| PlayedMove { position: position.with_recent_history(position.reversible_plies()), mv })
        });
        Ok((key, spread(candidates, key, settings, |_| true)))
    })
}

/// Makes sets of what `take` finds in the records of files, with a key. The sets come in the order of the records.
/// Faults, and games without a result, are reported on standard error.
fn load<T: Send>(
    paths: &[PathBuf],
    settings: &LoadSettings,
    is_of_players: bool,
    take: impl Fn(Record) -> Result<(u64, Vec<T>), String> + Sync,
) -> Result<Sets<T>> {
    let mut sets = Sets { training: Vec::new(), validation: Vec::new(), games: 0, faults: 0 };
    for path in paths {
        let mut records = records(path, settings.strictness, is_of_players)?;
        let take = |(): &mut (), record: Read| -> Result<_> {
            let record = record?;
            let result = if let Ok(Record::Game { result, .. }) = &record { Some(*result) } else { None };
            Ok((result, record.and_then(&take)))
        };
        let (mut faults, mut games_without_result) = (Faults::new(path), 0);
        loop {
            // The records are read on this thread: not every reader can change threads.
            let read: Vec<Read> = records.by_ref().take(RECORDS_AT_ONCE * settings.threads.max(1)).collect();
            CommandError::if_interrupted(&settings.cancel)?;
            if read.is_empty() {
                break;
            }
            for found in map_ordered(read.into_iter(), settings.threads, || (), take) {
                let (result, taken) = found?;
                sets.games += usize::from(result.is_some());
                games_without_result += u64::from(result == Some(GameResult::Unknown));
                match taken {
                    Ok((key, taken)) if is_held_out(key, settings.validation_share) => sets.validation.extend(taken),
                    Ok((_, taken)) => sets.training.extend(taken),
                    Err(fault) => faults.add(fault),
                }
            }
        }
        sets.faults += faults.count;
        if faults.count > 0 {
            faults.report_count("bad record");
        }
        if games_without_result > 0 && !is_of_players {
            note!("{}: {} without a result", path.display(), counted(games_without_result, "game"));
        }
    }
    Ok(sets)
}

/// Opens a file and detects what it holds: games, of players alone if that is wanted, or lines with positions.
fn records<'a>(
    path: &'a Path,
    strictness: Strictness,
    is_of_players: bool,
) -> Result<Box<dyn Iterator<Item = Read> + 'a>> {
    let (head, reader) = File::open(path).and_then(peek).map_err(in_file(path))?;
    let text = decode_head(&head);
    let mut lines = text.trim_start_matches('\u{feff}').lines();
    let first = lines.find(|line| !line.trim().is_empty() && !line.starts_with('#'));
    let is_self_play = text.starts_with(HEADER) || head.starts_with(EARLIER_MAGIC);
    let is_fen = |line: &str| line.split('\t').next().is_some_and(|column| column.matches('/').count() == 9);
    let has_lines = first.is_some_and(is_fen);
    let of_record = move |record: Result<Record, GameError>| match record {
        Err(error) if error.is_read_error() => Err(CommandError::unusable(path, error)),
        record => Ok(record.map_err(|error| error.to_string())),
    };
    if is_of_players && (has_lines || is_self_play || first.is_none()) {
        return Err(unusable(path, "it holds no games of players"));
    }
    if is_self_play {
        return Ok(Box::new(GameReader::new(path, reader)?.map(|game| {
            let game = game?;
            let moves = game.moves.iter().map(|played| (played.mv, Some(played.score))).collect();
            Ok(Ok(Record::Game { start: Box::new(game.scored_start()), moves, result: game.result }))
        })));
    }
    if has_lines {
        let lines = TextLines::new(reader).map(|line| line.map(|(number, text)| Record::Line(number, text)));
        return Ok(Box::new(lines.map(of_record)));
    }
    let format = first.and_then(|_| Format::detect(&head).or_else(|| Format::from_path(path)));
    let Some(format) = format else {
        let what =
            if is_of_players { "no games of players" } else { "neither games nor lines of FEN, a tab and a result" };
        return Err(unusable(path, format!("it holds {what}")));
    };
    let games = format.games(reader, strictness).map(|game| game.and_then(Game::with_end));
    Ok(Box::new(games.map(move |game| {
        of_record(game.map(|game| {
            let moves = game.line().into_iter().map(|mv| (mv, None)).collect();
            Record::Game { start: Box::new(game.start), moves, result: game.result }
        }))
    })))
}

/// Parses a position with its label.
fn read_line(line: &str, strictness: Strictness) -> Result<(Position, Label), GameFault> {
    let mut columns = line.split('\t').map(str::trim);
    let position = Position::parse_fen(columns.next().unwrap_or_default(), strictness)?.position;
    let mut column = || columns.next().filter(|word| !word.is_empty());
    let is_no = |word: &str, what: &str| GameFault::malformed(format!("'{}' is not {what}", shortened(word)));
    let word = column().ok_or_else(|| GameFault::malformed("there is no result after the position"))?;
    let points = GameResult::from_text(word).and_then(|result| result.points(Side::Red));
    let points = points.ok_or_else(|| is_no(word, "a result (1-0, 0-1 or 1/2-1/2)"))?;
    let score = column().map(|word| word.parse().map_err(|_| is_no(word, "a score in centipawns")));
    let for_red = |score: Value| if position.side() == Side::Red { score } else { score.saturating_neg() };
    let label = Label { result: points as f32, score: score.transpose()?.map(for_red) };
    Ok((position, label))
}

/// Returns what `take` makes of the positions of a game after the first plies, with their moves and scores.
fn late_positions<T>(
    start: &Position,
    moves: &[Played],
    settings: &LoadSettings,
    mut take: impl FnMut(&Position, Move, Option<Value>) -> Option<T>,
) -> Vec<T> {
    let mut position = start.clone();
    let plies_before = 2 * start.move_number().saturating_sub(1) + start.side().index();
    let mut taken = Vec::new();
    for (plies, &(mv, score)) in (plies_before..).zip(moves) {
        if plies >= settings.from_ply {
            taken.extend(take(&position, mv, score));
        }
        position.make(mv);
    }
    taken
}

/// Selects candidates spread over a game: from each part the first wanted one after a random place, wrapping around.
fn spread<T: Clone>(
    mut candidates: Vec<T>,
    key: u64,
    settings: &LoadSettings,
    is_wanted: impl Fn(&T) -> bool,
) -> Vec<T> {
    let count = settings.per_game;
    if count == 0 || candidates.len() <= count {
        candidates.retain(is_wanted);
        return candidates;
    }
    let mut random = ChaCha8Rng::seed_from_u64(settings.seed ^ key);
    let choose = |part: usize| {
        let range = part * candidates.len() / count..(part + 1) * candidates.len() / count;
        let first = random.random_range(range.clone());
        let mut places = (first..range.end).chain(range.start..first);
        places.find(|&at| is_wanted(&candidates[at])).map(|at| candidates[at].clone())
    };
    (0..count).filter_map(choose).collect()
}

/// Returns quiet positions of a game with their labels. None when its result is unknown.
fn quiet_positions(
    start: &Position,
    moves: &[Played],
    result: GameResult,
    key: u64,
    settings: &LoadSettings,
) -> Vec<(Position, Label)> {
    let Some(points) = result.points(Side::Red) else { return Vec::new() };
    let candidates = late_positions(start, moves, settings, |position, mv, score| {
        let is_calm = position.piece_on(mv.to()).is_none() && !score.is_some_and(is_decisive) && !position.in_check();
        let sign = if position.side() == Side::Red { 1 } else { -1 };
        let label = Label { result: points as f32, score: score.map(|score| sign * score) };
        // The history is not needed and would be copied with every position.
        is_calm.then(|| (position.with_recent_history(0), label))
    });
    spread(candidates, key, settings, |(position, _)| is_quiet(position))
}

/// Maximum change of the evaluation by captures in a quiet position, in centipawns.
const MARGIN: Value = 50;
/// Maximum depth of the capture search.
const MAX_CAPTURE_DEPTH: usize = 8;

/// Returns whether captures change the evaluation little. The side to move is not in check.
fn is_quiet(position: &Position) -> bool {
    let value = handcrafted::evaluate(position);
    let settled = settle(&mut position.clone(), value - MARGIN - 1, value + MARGIN + 1, MAX_CAPTURE_DEPTH);
    (settled - value).abs() <= MARGIN
}

/// Captures-only search that follows exchanges without loss.
fn settle(position: &mut Position, mut alpha: Value, beta: Value, captures_left: usize) -> Value {
    let mut best = handcrafted::evaluate(position);
    // A side in check has no stand-pat score; the static evaluation has to do.
    if best >= beta || captures_left == 0 || position.in_check() {
        return best;
    }
    alpha = alpha.max(best);
    let mut moves = MoveList::new();
    position.captures(&mut moves);
    for &mv in &moves {
        if !position.see_ge(mv, 0) || !position.is_legal(mv) {
            continue;
        }
        position.make(mv);
        let value = if position.has_legal_move() {
            -settle(position, -beta, -alpha, captures_left - 1)
        } else {
            EVALUATION_LIMIT
        };
        position.unmake();
        best = best.max(value);
        alpha = alpha.max(value);
        if alpha >= beta {
            break;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hanging_rook_is_not_quiet() {
        assert!(is_quiet(&Position::start()));
        assert!(!is_quiet(&Position::from_fen("3ak4/9/9/9/r8/9/9/9/4A4/R3K4 w").unwrap()));
        assert!(is_quiet(&Position::from_fen("3ak4/9/9/9/4r4/9/9/9/4A4/R3K4 w").unwrap()));
    }

    #[test]
    fn candidates_are_spread_over_the_game_by_the_seed() {
        let mut settings = LoadSettings {
            per_game: 4,
            from_ply: 0,
            validation_share: 0.0,
            seed: 1,
            strictness: Strictness::Strict,
            threads: 1,
            cancel: CancelFlag::default(),
        };
        let few = spread((0..40).collect(), 7, &settings, |number| number % 3 == 0);
        assert!(few.iter().enumerate().all(|(part, number)| number / 10 == part && number % 3 == 0), "{few:?}");
        settings.seed = 2;
        assert_ne!(spread((0..40).collect(), 7, &settings, |number| number % 3 == 0), few);
        settings.per_game = 0;
        assert_eq!(spread((0..40).collect(), 7, &settings, |number| number % 3 == 0).len(), 14);
    }
}
