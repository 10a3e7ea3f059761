//! Input of commands: positions and moves in arguments; openings, games and networks in files.

use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::console::counted;
use crate::console::error::CommandError;
use crate::console::note;
use crate::engine::read_network;
use crate::eval::network::Network;
use crate::notation::after_position_words;
use crate::notation::format::{BYTES_TO_DETECT, Format};
use crate::notation::game::{Game, Warnings};
use crate::notation::openings::{self, Opening};
use crate::position::{PlayError, Position, START_FEN, Strictness};
use crate::rules::{Rules, Verdict};
use crate::types::Move;

/// Parses a FEN argument; `startpos` and the default are the start position.
///
/// # Errors
/// When the FEN is invalid.
pub fn read_position(fen: Option<&str>, strictness: Strictness) -> Result<Position, CommandError> {
    let Some(fen) = fen else { return Ok(Position::start()) };
    let fen = setup(fen);
    let parsed = Position::parse_fen(fen, strictness)?;
    for warning in parsed.warnings {
        note!("{warning}");
    }
    Ok(parsed.position)
}

/// Fields of a FEN after the board.
const MAX_FIELDS: usize = 5;

/// Returns the position after these moves, in any notation. Each argument may contain several words, the word `moves`
/// may precede the moves, and a FEN may be spread over several arguments: its fields are the words after the board that
/// have their form, at most five.
///
/// # Errors
/// When the FEN or a move is invalid.
pub fn read_game(fen: Option<&str>, moves: &[String], strictness: Strictness) -> Result<Position, CommandError> {
    // A line of UCCI or UCI may be pasted, as one argument or as several.
    let mut texts = fen
        .into_iter()
        .chain(moves.iter().map(String::as_str))
        .map(|text| after_position_words(text.trim()))
        .peekable();
    while texts.next_if(|text| text.is_empty()).is_some() {}
    let quoted = texts.peek().map_or(0, |text| text.split_whitespace().count());
    let words: Vec<&str> = texts.flat_map(str::split_whitespace).collect();
    // The fields after the board: side, two dashes, and two numbers. In one argument with the board, faulty ones too,
    // so that the message is about them.
    let is_field = |(index, word): &(usize, &&str)| {
        let is_side = word.len() == 1 && word.bytes().all(|byte| byte.is_ascii_alphabetic());
        let is_short = *index < quoted && word.is_ascii() && word.len() <= 3;
        is_side || is_short || **word == "-" || word.parse::<i64>().is_ok()
    };
    let has_fields = words.first().is_some_and(|word| word.contains('/'));
    let after_board = words.iter().enumerate().skip(1).take(MAX_FIELDS);
    let more_fields = after_board.take_while(|word| has_fields && is_field(word)).count();
    let fields = more_fields + usize::from(!words.is_empty());
    let fen = fen.map(|_| words[..fields].join(" "));
    let mut position = read_position(fen.as_deref(), strictness)?;
    let skipped = words.get(fields).is_some_and(|word| word.eq_ignore_ascii_case("moves"));
    let moves = words.get(fields + usize::from(skipped)..).unwrap_or_default();
    if moves.is_empty() {
        return Ok(position);
    }
    let fault = match read_moves(&position, fen.as_deref(), &moves.join(" "), strictness) {
        Ok(game) => return Ok(game.end()),
        Err(fault) => fault,
    };
    // A word that is no move by itself has a better message, unless the list was read beyond it.
    let read_up_to = if let CommandError::Notation { ply, .. } = fault { ply } else { 1 };
    for (ply, word) in (1..).zip(moves) {
        let reason = match crate::notation::read(&position, word) {
            Ok(mv) => {
                position.make(mv);
                continue;
            }
            Err(_) if ply < read_up_to => break,
            Err(reason) => reason,
        };
        // Closest moves for words that describe one, and the reason for coordinates and anything else.
        if is_description(word) {
            return Err(CommandError::Notation { ply, reason: reason.to_string() });
        }
        position.play([*word]).map_err(|error| PlayError { ply, ..error })?;
    }
    Err(fault)
}

/// Returns the game of moves from a position, which are a list in any form that files may have, such as `1. 炮二平五
/// 马8进7`. The argument for the position decides whether the side to move can be wrong: not that of `startpos`.
///
/// # Errors
/// When a move is invalid, or the list is not that of one game.
pub fn read_moves(
    start: &Position,
    argument: Option<&str>,
    list: &str,
    strictness: Strictness,
) -> Result<Game, CommandError> {
    let name = PathBuf::from("moves");
    let text = match argument {
        Some(fen) if fen.contains('/') => format!("position fen {start} moves {list}"),
        _ => format!("position startpos moves {list}"),
    };
    let mut games = Format::MoveList.games(text.as_bytes(), strictness);
    let game = games.next().unwrap_or_else(|| Ok(Game::from_line(start.clone(), [])));
    let game = game.map_err(|error| CommandError::Game { path: name.clone(), error })?;
    if let Some(cut) = game.warnings.cut() {
        let ply = game.main_line().len() + 1;
        let reason = cut.reason.trim_end_matches(&format!(" (ply {ply})")).to_owned();
        return Err(CommandError::Notation { ply, reason });
    }
    if games.next().is_some() {
        return Err(CommandError::Unusable { path: name, fault: "they are those of several games".to_owned() });
    }
    warn(&name, 1, &game.warnings);
    Ok(game)
}

/// Returns whether a word that is no legal move looks like one in Chinese or WXF.
fn is_description(word: &str) -> bool {
    !word.is_ascii() || (word.parse::<Move>().is_err() && word.bytes().any(|byte| byte.is_ascii_digit()))
}

/// Replaces `startpos` by the FEN of the start position. `position` and `fen` may come before either.
pub fn setup(text: &str) -> &str {
    let fen = after_position_words(text.trim());
    if fen.eq_ignore_ascii_case("startpos") { START_FEN } else { fen }
}

/// Reads the openings of a file. Invalid ones, and those after which the game is over under these rules, are reported
/// and left out.
///
/// # Errors
/// When the file cannot be read or contains no valid opening.
pub fn read_openings(path: &Path, strictness: Strictness, rules: Rules) -> Result<Vec<Opening>, CommandError> {
    let reader = open_openings(path)?;
    let mut openings = Vec::new();
    let mut faults = Faults::new(path);
    for opening in openings::read_openings(reader, strictness) {
        let fault = match opening {
            Ok((number, opening)) => match rules.verdict(&opening.position()) {
                Verdict::Continue => {
                    openings.push(opening);
                    continue;
                }
                verdict => {
                    let reason = verdict.reason().map_or_else(String::new, |reason| format!(": {reason}"));
                    format!("line {number}: the game is over{reason}")
                }
            },
            Err(error) if error.is_read_error() => return Err(CommandError::Game { path: path.to_owned(), error }),
            Err(error) => error.to_string(),
        };
        faults.add(format_args!("{fault}; this opening is left out"));
    }
    if faults.has_unnamed() {
        faults.report_count("opening");
    }
    if openings.is_empty() {
        return Err(CommandError::Unusable { path: path.to_owned(), fault: "it contains no valid opening".to_owned() });
    }
    Ok(openings)
}

/// Opens a file of openings for [`openings::read_openings`].
///
/// # Errors
/// When the file cannot be read, or it holds games instead; the message says how to make openings of them.
pub fn open_openings(path: &Path) -> Result<impl BufRead + use<>, CommandError> {
    let opened = File::open(path).and_then(peek);
    let (head, reader) = opened.map_err(|error| CommandError::File { path: path.to_owned(), error })?;
    match Format::detect(&head) {
        Some(format) if !format.is_plain() => {
            let shown = path.display();
            let command = format!("chuhe openings {shown} --from-games 100 --out openings.txt");
            let name = format.name();
            let fault = format!("it contains games ({name}), not openings; '{command}' makes openings of games");
            Err(CommandError::Unusable { path: path.to_owned(), fault })
        }
        _ => Ok(reader),
    }
}

/// Number of faulty games or openings that are named; further ones are only counted.
const MAX_NAMED_FAULTS: u64 = 20;

/// Faulty games or openings of an input, reported as they come.
pub(crate) struct Faults<'a> {
    path: &'a Path,
    pub count: u64,
}

impl Faults<'_> {
    pub fn new(path: &Path) -> Faults<'_> {
        Faults { path, count: 0 }
    }

    /// Counts a fault, and names it if it is one of the first.
    pub fn add(&mut self, fault: fmt::Arguments<'_>) {
        self.count += 1;
        if self.count <= MAX_NAMED_FAULTS {
            note!("{}: {fault}", self.path.display());
        }
    }

    pub fn has_unnamed(&self) -> bool {
        self.count > MAX_NAMED_FAULTS
    }

    /// Reports how many games or openings are left out.
    pub fn report_count(&self, thing: &str) {
        note!("{}: {} left out", self.path.display(), counted(self.count, thing));
    }
}

/// File name that stands for standard input and output.
const STREAM: &str = "-";
const BUFFER_SIZE: usize = 1 << 16;

/// Returns `true` for `-`, which stands for standard input or output.
pub fn is_stream(path: &Path) -> bool {
    path.as_os_str() == STREAM
}

/// Returns the name of an input for messages.
pub fn input_name(path: &Path) -> PathBuf {
    if is_stream(path) { PathBuf::from("standard input") } else { path.to_owned() }
}

/// Opens a file, or standard input for `-`.
///
/// # Errors
/// When the file cannot be opened.
pub fn open(path: &Path) -> io::Result<Box<dyn Read>> {
    Ok(if is_stream(path) { Box::new(io::stdin()) } else { Box::new(File::open(path)?) })
}

/// Reads the first bytes of an input, enough to detect its format. Returns them and the whole input.
///
/// # Errors
/// When the input cannot be read.
pub fn peek(mut input: impl Read) -> io::Result<(Vec<u8>, impl BufRead)> {
    let mut head = Vec::new();
    input.by_ref().take(BYTES_TO_DETECT as u64).read_to_end(&mut head)?;
    Ok((head.clone(), rejoin(head, input)))
}

/// Puts the first bytes of an input back in front of the rest.
pub fn rejoin(head: Vec<u8>, rest: impl Read) -> impl BufRead {
    BufReader::with_capacity(BUFFER_SIZE, Cursor::new(head).chain(rest))
}

/// Input that contains games.
pub struct GameFile {
    /// Name for messages.
    pub name: PathBuf,
    /// Detected format.
    pub format: Format,
    /// The whole input.
    pub reader: Box<dyn BufRead>,
}

impl GameFile {
    /// Opens a file, or standard input for `-`, and detects its format.
    ///
    /// # Errors
    /// When the input cannot be read or its format is unknown.
    pub fn open(path: &Path) -> Result<GameFile, CommandError> {
        let name = input_name(path);
        let read = open(path).and_then(peek);
        let (head, reader) = read.map_err(|error| CommandError::File { path: name.clone(), error })?;
        let unusable = |fault: &str| CommandError::Unusable { path: name.clone(), fault: fault.to_owned() };
        let format = Format::detect(&head).or_else(|| Format::from_path(path));
        let format = format.ok_or_else(|| unusable("no games or moves were found"))?;
        Ok(GameFile { name, format, reader: Box::new(reader) })
    }

    /// Returns the game of this number, from 1. Without a number it is the first valid game; invalid games before it,
    /// and the fact that more games follow, are reported on standard error, and so are the warnings about the game.
    /// After use, [`complete`] makes an error of what it lacks.
    ///
    /// # Errors
    /// When there is no such game, or it cannot be read.
    pub fn game(self, number: Option<u64>, strictness: Strictness) -> Result<Game, CommandError> {
        let path = self.name;
        let mut games = self.format.games(self.reader, strictness);
        let index = usize::try_from(number.unwrap_or(1) - 1).unwrap_or(usize::MAX);
        let too_few = || {
            let fault = format!("there is no game {}", number.unwrap_or(1));
            CommandError::Unusable { path: path.clone(), fault }
        };
        let mut game = games.nth(index).ok_or_else(too_few)?;
        let mut place = index as u64 + 1;
        if number.is_none() {
            let mut faults = Faults::new(&path);
            while let Err(error) = &game {
                let Some(next) = games.next() else { break };
                faults.add(format_args!("a game is left out: {error}"));
                game = next;
                place += 1;
            }
            if faults.has_unnamed() {
                faults.report_count("game");
            }
        }
        let game = game.map_err(|error| CommandError::Game { path: path.clone(), error })?.without_variations();
        warn(&path, place, &game.warnings);
        if number.is_none() && games.next().is_some() {
            note!("{}: this is one of several games; --game selects another", path.display());
        }
        Ok(game)
    }
}

/// Reports the warnings about the game of this number, from 1.
pub fn warn(path: &Path, number: u64, warnings: &Warnings) {
    for warning in warnings.iter() {
        note!("warning: {}: game {number}, {warning}", path.display());
    }
}

/// Checks that nothing of a game is lost that was used as far as it could be read.
///
/// # Errors
/// [`CommandError::PartlyRead`], after the warnings that [`warn`] printed.
pub fn complete(path: &Path, game: &Game) -> Result<(), CommandError> {
    if game.warnings.has_losses() {
        return Err(CommandError::PartlyRead { path: path.to_owned(), games: 1 });
    }
    Ok(())
}

/// Reads the games of a file, or of standard input for `-`, in any format and passes them to `take`. Invalid games are
/// named and left out, and so are those that lack their end, since results are learned from the games.
///
/// # Errors
/// When the input cannot be read or its format is unknown.
pub fn read_games(path: &Path, strictness: Strictness, mut take: impl FnMut(&Game)) -> Result<(), CommandError> {
    let GameFile { name, format, reader } = GameFile::open(path)?;
    let mut faults = Faults::new(&name);
    for (number, game) in (1..).zip(format.games(reader, strictness)) {
        match game.and_then(Game::with_end) {
            Ok(game) => {
                let game = game.without_variations();
                warn(&name, number, &game.warnings);
                take(&game);
            }
            Err(error) if error.is_read_error() => return Err(CommandError::Game { path: name, error }),
            Err(error) => faults.add(format_args!("{error}")),
        }
    }
    if faults.count > 0 {
        faults.report_count("game");
    }
    Ok(())
}

/// Reads a network file.
///
/// # Errors
/// When the file cannot be read or is not a network of this program.
pub fn network_in(path: &Path) -> Result<Arc<Network>, CommandError> {
    read_network(path).map_err(CommandError::in_file(path))
}
