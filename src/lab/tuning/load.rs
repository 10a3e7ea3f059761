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
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::Path;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::dataset::{Dataset, Label};
use crate::console::error::CommandError;
use crate::eval::handcrafted;
use crate::lab::datagen::record::MAGIC;
use crate::lab::datagen::{GameReader, GameRecord, RecordError, game_key};
use crate::lab::training::is_held_out;
use crate::lab::{in_file, unusable};
use crate::notation::format::{BYTES_TO_DETECT, Format};
use crate::notation::game::{Game, GameError, GameFault, GameResult, Location, shortened};
use crate::notation::text_encoding::{Records, decode_head};
use crate::position::{Position, Strictness};
use crate::types::score::{EVALUATION_LIMIT, is_decisive};
use crate::types::{Move, MoveList, Side, Value};
use crate::util::cancel::CancelFlag;
use crate::util::parallel::map_ordered;

/// Lines or games per work item.
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
    /// Stops early with what was read so far.
    pub cancel: CancelFlag,
}

/// Position of a game in which its player had a choice, with the moves since the last capture, and the move played.
#[derive(Clone, Debug)]
pub struct PlayedMove {
    pub position: Position,
    pub mv: Move,
}

#[derive(Clone, PartialEq, Debug, Default)]
pub struct Sets<S> {
    pub training: S,
    pub validation: S,
    pub games: usize,
    pub games_without_result: usize,
    /// Lines or games that could not be used, in order.
    pub faults: Vec<String>,
}

pub type Positions = Sets<Dataset>;
pub type PlayedMoves = Sets<Vec<PlayedMove>>;

impl<S> Sets<S> {
    /// Adds to the set that the key of a game or position selects.
    fn set(&mut self, key: u64, settings: &LoadSettings) -> &mut S {
        if is_held_out(key, settings.validation_share) { &mut self.validation } else { &mut self.training }
    }

    /// Appends all but the faults of another file.
    pub fn append(&mut self, other: Sets<S>, append: fn(&mut S, S)) {
        append(&mut self.training, other.training);
        append(&mut self.validation, other.validation);
        self.games += other.games;
        self.games_without_result += other.games_without_result;
    }
}

/// Reason why a line or game cannot be used, or why the file cannot be read further.
struct Fault {
    text: String,
    is_read_error: bool,
}

impl From<GameError> for Fault {
    fn from(error: GameError) -> Fault {
        Fault { text: error.to_string(), is_read_error: error.is_read_error() }
    }
}

impl From<RecordError> for Fault {
    fn from(error: RecordError) -> Fault {
        let is_read_error = matches!(error, RecordError::Unreadable(_));
        Fault { text: error.to_string(), is_read_error }
    }
}

/// Loads labelled positions: lines, games, or self-play.
pub fn load_positions(path: &Path, settings: &LoadSettings) -> Result<Positions, CommandError> {
    let (kind, reader) = open(path)?;
    let add_game = |part: &mut Positions, start: &Position, moves: &[(Move, Option<Value>)], result: GameResult| {
        part.games += 1;
        part.games_without_result += usize::from(result == GameResult::Unknown);
        let key = game_key(start, moves.iter().map(|(mv, _)| *mv));
        let set = part.set(key, settings);
        quiet_positions(start, moves, result, key, settings)
            .iter()
            .for_each(|(position, label)| set.push(position, *label));
    };
    match kind {
        Some(Kind::Lines) => {
            let records = Records::new(reader).map(|line| Ok(line?));
            load(path, settings, records, Dataset::append, |part: &mut Positions, (number, text): (u64, String)| {
                let in_line = |fault| GameError { location: Location::Line(number), fault };
                let (position, label) = read_line(&text, settings.strictness).map_err(in_line)?;
                part.set(position.key(), settings).push(&position, label);
                Ok(())
            })
        }
        Some(Kind::Games(format)) => {
            let records = format.games(reader, settings.strictness).map(|game| Ok(game?));
            load(path, settings, records, Dataset::append, |part, game: Game| {
                let game = game.with_end()?;
                let moves: Vec<_> = game.line().into_iter().map(|mv| (mv, None)).collect();
                add_game(part, &game.start, &moves, game.result);
                Ok(())
            })
        }
        Some(Kind::SelfPlay) => {
            let games = GameReader::new(reader).map_err(in_file(path))?;
            load(path, settings, games.map(|game| Ok(game?)), Dataset::append, |part, game: GameRecord| {
                let game = game.into_scored_game();
                let moves: Vec<_> = game.moves.iter().map(|played| (played.mv, Some(played.score))).collect();
                add_game(part, &game.start, &moves, game.result);
                Ok(())
            })
        }
        None => Err(unusable(path, "it holds neither games nor lines of FEN, a tab and a result")),
    }
}

/// Loads moves of players from a file of games, spread over each game.
pub fn load_moves(path: &Path, settings: &LoadSettings) -> Result<PlayedMoves, CommandError> {
    let (kind, reader) = open(path)?;
    let Some(Kind::Games(format)) = kind else { return Err(unusable(path, "it holds no games of players")) };
    let records = format.games(reader, settings.strictness).map(|game| Ok(game?));
    load(path, settings, records, Vec::extend, |part: &mut PlayedMoves, game: Game| {
        let game = game.with_end()?;
        part.games += 1;
        let moves: Vec<_> = game.line().into_iter().map(|mv| (mv, None)).collect();
        let key = game_key(&game.start, moves.iter().map(|(mv, _)| *mv));
        let candidates = late_positions(&game.start, &moves, settings, |position, mv, _| {
            let has_choice = position.legal_moves().len() > 1;
            has_choice.then(|| PlayedMove { position: position.with_recent_history(position.reversible_plies()), mv })
        });
        part.set(key, settings).extend(spread(candidates, key, settings, |_| true));
        Ok(())
    })
}

/// Processes the records of a file in parallel. The sets come in the order of the records.
fn load<S: Default + Send, T: Send>(
    path: &Path,
    settings: &LoadSettings,
    mut records: impl Iterator<Item = Result<T, Fault>>,
    append: fn(&mut S, S),
    work: impl Fn(&mut Sets<S>, T) -> Result<(), Fault> + Sync,
) -> Result<Sets<S>, CommandError> {
    let mut batches = std::iter::from_fn(|| {
        let batch: Vec<_> = records.by_ref().take(RECORDS_AT_ONCE).collect();
        (!batch.is_empty() && !settings.cancel.is_cancelled()).then_some(batch)
    });
    let work = |(): &mut (), batch: Vec<Result<T, Fault>>| {
        let mut part = Sets::default();
        let work = |record: Result<T, Fault>| record.and_then(|record| work(&mut part, record)).err();
        let faults: Vec<Fault> = batch.into_iter().filter_map(work).collect();
        (part, faults)
    };
    let mut parts = Vec::new();
    loop {
        // The records are read on this thread: not every reader can change threads.
        let read: Vec<_> = batches.by_ref().take(8 * settings.threads.max(1)).collect();
        if read.is_empty() {
            break;
        }
        parts.extend(map_ordered(read.into_iter(), settings.threads, || (), work));
    }
    let mut whole = Sets::default();
    for (part, faults) in parts {
        whole.append(part, append);
        for fault in faults {
            if fault.is_read_error {
                return Err(in_file(path)(io::Error::other(fault.text)));
            }
            whole.faults.push(fault.text);
        }
    }
    Ok(whole)
}

enum Kind {
    Lines,
    Games(Format),
    SelfPlay,
}

/// Opens a file and detects its kind; the reader begins at its first byte.
fn open(path: &Path) -> Result<(Option<Kind>, impl BufRead + use<>), CommandError> {
    let mut file = File::open(path).map_err(in_file(path))?;
    let mut head = Vec::new();
    file.by_ref().take(BYTES_TO_DETECT as u64).read_to_end(&mut head).map_err(in_file(path))?;
    let text = decode_head(&head);
    let mut lines = text.trim_start_matches('\u{feff}').lines();
    let first = lines.find(|line| !line.trim().is_empty() && !line.starts_with('#'));
    let is_fen = |line: &str| line.split('\t').next().is_some_and(|column| column.matches('/').count() == 9);
    let kind = match first {
        _ if head.starts_with(MAGIC) => Some(Kind::SelfPlay),
        None => None,
        Some(line) if is_fen(line) => Some(Kind::Lines),
        Some(_) => Format::detect(&head).or_else(|| Format::from_path(path)).map(Kind::Games),
    };
    Ok((kind, BufReader::with_capacity(1 << 16, Cursor::new(head).chain(file))))
}

/// Parses a position with its label.
fn read_line(line: &str, strictness: Strictness) -> Result<(Position, Label), GameFault> {
    let mut columns = line.split('\t').map(str::trim);
    let position = Position::parse_fen(columns.next().unwrap_or_default(), strictness)?.position;
    let mut column = || columns.next().filter(|word| !word.is_empty());
    let malformed = GameFault::malformed;
    let word = column().ok_or_else(|| malformed("there is no result after the position".to_owned()))?;
    let points = GameResult::from_text(word).and_then(|result| result.points(Side::Red));
    let points =
        points.ok_or_else(|| malformed(format!("'{}' is not a result (1-0, 0-1 or 1/2-1/2)", shortened(word))))?;
    let score = column().map(|word| {
        let score: Option<Value> = word.parse().ok();
        score.ok_or_else(|| malformed(format!("'{}' is not a score in centipawns", shortened(word))))
    });
    let for_red = |score: Value| if position.side() == Side::Red { score } else { score.saturating_neg() };
    let label = Label { result: points as f32, score: score.transpose()?.map(for_red) };
    Ok((position, label))
}

/// Returns what `take` makes of the positions of a game after the first plies, with their moves and scores.
fn late_positions<T>(
    start: &Position,
    moves: &[(Move, Option<Value>)],
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
    moves: &[(Move, Option<Value>)],
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
