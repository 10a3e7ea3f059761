//! Input of commands: positions and moves in arguments; openings, games and networks in files.

use std::borrow::Cow;
use std::fmt::Display;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::console::counted;
use crate::console::error::{CommandError, Result};
use crate::console::note;
use crate::engine::read_network;
use crate::eval::network::Network;
use crate::notation::after_position_words;
use crate::notation::format::{BYTES_TO_DETECT, Format};
use crate::notation::game::{Game, GameError, Warning, Warnings};
use crate::notation::openings::{self, Opening};
use crate::position::{PlayError, Position, START_FEN, Strictness};
use crate::rules::{Rules, Verdict};
use crate::types::Move;

/// Parses a FEN argument; `startpos` and the default are the start position.
pub fn read_position(fen: Option<&str>, strictness: Strictness) -> Result<Position> {
    let Some(fen) = fen else { return Ok(Position::start()) };
    let fen = setup(fen);
    let parsed = Position::parse_fen(fen, strictness)?;
    for warning in parsed.warnings {
        note!("{warning}");
    }
    Ok(parsed.position)
}

const MAX_FIELDS: usize = 5;

/// Returns the position after these moves, in any notation. Each argument may contain several words, the word `moves`
/// may precede the moves, and a FEN may be spread over several arguments: its fields are the words after the board that
/// have their form, at most five.
pub fn read_game(fen: Option<&str>, moves: &[String], strictness: Strictness) -> Result<Position> {
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
pub fn read_moves(start: &Position, argument: Option<&str>, list: &str, strictness: Strictness) -> Result<Game> {
    let name = PathBuf::from("moves");
    let text = match argument {
        Some(fen) if fen.contains('/') => format!("position fen {start} moves {list}"),
        _ => format!("position startpos moves {list}"),
    };
    let mut games = Format::MoveList.games(text.as_bytes(), strictness);
    let game = games.next().unwrap_or_else(|| Ok(Game::from_line(start.clone(), [])));
    let game = game.map_err(|error| CommandError::unusable(&name, error))?;
    if let Some(cut) = game.warnings.cut() {
        let ply = game.main_line().len() + 1;
        let reason = cut.reason.trim_end_matches(&format!(" (ply {ply})")).to_owned();
        return Err(CommandError::Notation { ply, reason });
    }
    if games.next().is_some() {
        return Err(CommandError::unusable(name, "they are those of several games"));
    }
    game.warnings.iter().for_each(|warning| warn(&name, 1, warning));
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

/// Number of faults or warnings of an input that are named; further ones are only counted.
const MAX_NAMED: u64 = 20;

/// Faulty games, openings or records of an input, reported as they come.
pub(crate) struct Faults<'a> {
    path: Cow<'a, Path>,
    pub count: u64,
}

impl Faults<'_> {
    pub fn new(path: &Path) -> Faults<'_> {
        Faults { path: path.into(), count: 0 }
    }

    /// Counts a fault, and names it if it is one of the first.
    pub fn add(&mut self, fault: impl Display) {
        self.count += 1;
        if self.count <= MAX_NAMED {
            note!("{}: {fault}", self.path.display());
        }
    }

    pub fn has_unnamed(&self) -> bool {
        self.count > MAX_NAMED
    }

    pub fn report_count(&self, thing: &str) {
        note!("{}: {} left out", self.path.display(), counted(self.count, thing));
    }
}

/// Reads the openings of a file. Invalid ones, and those after which the game is over, are reported and left out.
pub fn read_openings(path: &Path, strictness: Strictness, rules: Rules) -> Result<Vec<Opening>> {
    let mut openings = Vec::new();
    let mut faults = Faults::new(path);
    for opening in openings::read_openings(open_openings(path)?, strictness) {
        match opening {
            Ok((number, opening)) => match rules.verdict(&opening.position()) {
                Verdict::Continue => openings.push(opening),
                verdict => {
                    let reason = verdict.reason().map_or_else(String::new, |reason| format!(": {reason}"));
                    faults.add(format_args!("line {number}: the game is over{reason}; this opening is left out"));
                }
            },
            Err(error) if error.is_read_error() => return Err(CommandError::unusable(path, error)),
            Err(error) => faults.add(format_args!("{error}; this opening is left out")),
        }
    }
    if faults.has_unnamed() {
        faults.report_count("opening");
    }
    if openings.is_empty() { Err(CommandError::unusable(path, "it contains no valid opening")) } else { Ok(openings) }
}

/// Opens a file of openings for [`openings::read_openings`].
pub fn open_openings(path: &Path) -> Result<impl BufRead + use<>> {
    let (head, reader) = File::open(path).and_then(peek).map_err(CommandError::in_file(path))?;
    match Format::detect(&head) {
        Some(format) if !format.is_plain() => {
            let command = format!("chuhe openings {} --from-games 100 --out openings.txt", path.display());
            let fault =
                format!("it contains games ({}), not openings; '{command}' makes openings of games", format.name());
            Err(CommandError::unusable(path, fault))
        }
        _ => Ok(reader),
    }
}

const STREAM: &str = "-";
const BUFFER_SIZE: usize = 1 << 16;

pub fn is_stream(path: &Path) -> bool {
    path.as_os_str() == STREAM
}

pub fn input_name(path: &Path) -> PathBuf {
    if is_stream(path) { PathBuf::from("standard input") } else { path.to_owned() }
}

/// Opens a file, or standard input for `-`.
pub fn open(path: &Path) -> io::Result<Box<dyn Read>> {
    Ok(if is_stream(path) { Box::new(io::stdin()) } else { Box::new(File::open(path)?) })
}

/// Reads the first bytes of an input, enough to detect its format. Returns them and the whole input.
pub fn peek(mut input: impl Read) -> io::Result<(Vec<u8>, impl BufRead)> {
    let mut head = Vec::new();
    input.by_ref().take(BYTES_TO_DETECT as u64).read_to_end(&mut head)?;
    Ok((head.clone(), BufReader::with_capacity(BUFFER_SIZE, Cursor::new(head).chain(input))))
}

/// Games of an input one after another. Faulty ones are named and left out.
pub struct Games {
    games: Box<dyn Iterator<Item = Result<Game, GameError>>>,
    /// Number of the last game in the input, from 1.
    pub number: u64,
    wanted: Option<u64>,
    faults: Faults<'static>,
    warnings: u64,
}

impl Games {
    pub fn open(path: &Path, strictness: Strictness) -> Result<Games> {
        let name = input_name(path);
        let (head, reader) = open(path).and_then(peek).map_err(CommandError::in_file(&name))?;
        match Format::detect(&head).or_else(|| Format::from_path(path)) {
            Some(format) => Ok(Games::new(name, format, reader, strictness)),
            None => Err(CommandError::unusable(name, "no games or moves were found")),
        }
    }

    pub fn new(name: PathBuf, format: Format, reader: impl BufRead + 'static, strictness: Strictness) -> Games {
        let faults = Faults { path: name.into(), count: 0 };
        Games { games: Box::new(format.games(reader, strictness)), number: 0, wanted: None, faults, warnings: 0 }
    }

    pub fn only(mut self, wanted: Option<u64>) -> Games {
        self.wanted = wanted;
        self
    }

    pub fn name(&self) -> &Path {
        &self.faults.path
    }

    pub fn warn(&mut self, warnings: &Warnings) {
        let before = self.warnings;
        self.warnings += warnings.iter().count() as u64;
        let named = MAX_NAMED.saturating_sub(before) as usize;
        warnings.iter().take(named).for_each(|warning| warn(self.name(), self.number, warning));
    }

    pub fn left_out(&self) -> usize {
        self.faults.count as usize
    }

    /// Returns the first game, without its variations. The warnings about it, and that more games follow, are reported.
    /// After use, [`CommandError::if_partly_read`] makes an error of what it lacks.
    pub fn first(mut self) -> Result<Game> {
        let game = self.next().unwrap_or_else(|| Err(self.none()))?.without_variations();
        self.warn(&game.warnings);
        if self.wanted.is_none() && self.games.next().is_some() {
            note!("{}: this is one of several games; --game selects another", self.name().display());
        }
        Ok(game)
    }

    /// Returns the error for an input that has no game, or not the wanted one.
    pub fn none(&self) -> CommandError {
        match self.wanted {
            Some(number) => CommandError::unusable(self.name(), format!("there is no game {number} that can be read")),
            None => CommandError::no_game(self.name()),
        }
    }
}

impl Iterator for Games {
    type Item = Result<Game>;

    fn next(&mut self) -> Option<Result<Game>> {
        loop {
            let game = self.games.next()?;
            self.number += 1;
            match game {
                Err(error) if error.is_read_error() => return Some(Err(CommandError::unusable(self.name(), error))),
                _ if self.wanted.is_some_and(|wanted| wanted != self.number) => {}
                Ok(game) => return Some(Ok(game)),
                Err(error) => self.faults.add(format_args!("{error}; this game is left out")),
            }
        }
    }
}

impl Drop for Games {
    fn drop(&mut self) {
        if self.faults.has_unnamed() {
            self.faults.report_count("game");
        }
        if self.warnings > MAX_NAMED {
            note!("warning: {}: {} in all", self.name().display(), counted(self.warnings, "warning"));
        }
    }
}

pub fn warn(path: &Path, number: u64, warning: &Warning) {
    note!("warning: {}: game {number}, {warning}", path.display());
}

/// Passes the games of a file, or of standard input, to `take`. Invalid games and those without their end are named and
/// left out, since results are learned from the games.
pub fn read_games(path: &Path, strictness: Strictness, mut take: impl FnMut(&Game) -> Result) -> Result {
    let mut games = Games::open(path, strictness)?;
    while let Some(game) = games.next() {
        match game?.with_end() {
            Ok(game) => {
                let game = game.without_variations();
                games.warn(&game.warnings);
                take(&game)?;
            }
            Err(error) => games.faults.add(format_args!("{error}; this game is left out")),
        }
    }
    Ok(())
}

pub fn network_in(path: &Path) -> Result<Arc<Network>> {
    read_network(path).map_err(CommandError::in_file(path))
}
