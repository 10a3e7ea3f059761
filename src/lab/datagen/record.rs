//! Games of self-play and the lines of their files.
//!
//! ```text
//! #settings {"program":…}<TAB>checksum
//! 17<TAB>1-0<TAB>FEN<TAB>h2e2 h9g7 h0g2/35 i9h9/-28 …<TAB>checkmate<TAB>checksum
//! ```
//!
//! The first line holds the settings of the games, a JSON object whose keys are names of options. The columns of a game
//! are its number, its result, the FEN of its start (empty for the start position), its moves, each followed by a slash
//! and the score of the search that chose it (the first moves, which no search chose, have no score), and its ending
//! (see [`EndingKind`]). A checksum is the CRC-32, as in zip, of the line before its tab, in eight hexadecimal digits.
//! Other programs may leave out the ending, and all checksums; in files without any, empty lines and further ones that
//! begin with `#` are skipped.

use serde_json::{Map, Value as Json};

use crate::commands::matches::arbiter::Ending;
use crate::notation::game::{GameResult, shortened};
use crate::notation::openings::Opening;
use crate::position::{Position, Strictness};
use crate::rules::Reason;
use crate::types::score::INFINITE;
use crate::types::{Move, Value};
use crate::util::math::StableHash;

/// Beginning of a file of games, before its settings.
pub const HEADER: &str = "#settings ";

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Hash)]
pub enum EndingKind {
    /// Not recorded.
    #[default]
    Unknown,
    Checkmate,
    Stalemate,
    /// Repetition, whatever the verdict.
    Repetition,
    /// Natural move limit: no capture for too long.
    MoveLimit,
    /// Neither side has material to win.
    Material,
    /// Win adjudicated by the scores of both sides.
    WinAgreed,
    /// Draw adjudicated by the scores of both sides.
    DrawAgreed,
    /// Maximum length of a game reached.
    TooLong,
}

impl EndingKind {
    /// All kinds in their order, with their names in files.
    pub const NAMED: [(EndingKind, &'static str); 9] = [
        (EndingKind::Unknown, "unknown"),
        (EndingKind::Checkmate, "checkmate"),
        (EndingKind::Stalemate, "stalemate"),
        (EndingKind::Repetition, "repetition"),
        (EndingKind::MoveLimit, "move limit"),
        (EndingKind::Material, "material"),
        (EndingKind::WinAgreed, "win agreed"),
        (EndingKind::DrawAgreed, "draw agreed"),
        (EndingKind::TooLong, "too long"),
    ];

    pub fn from_ending(ending: &Ending) -> EndingKind {
        match ending {
            Ending::Rules(verdict) => match verdict.reason() {
                None => EndingKind::Unknown,
                Some(Reason::Checkmate(_)) => EndingKind::Checkmate,
                Some(Reason::Stalemate(_)) => EndingKind::Stalemate,
                Some(Reason::Repetition(_)) => EndingKind::Repetition,
                Some(Reason::MoveLimit(_)) => EndingKind::MoveLimit,
                Some(Reason::Material) => EndingKind::Material,
            },
            Ending::WinAgreed(_) => EndingKind::WinAgreed,
            Ending::DrawAgreed => EndingKind::DrawAgreed,
            Ending::TooLong(_) => EndingKind::TooLong,
        }
    }

    pub fn name(self) -> &'static str {
        EndingKind::NAMED[self as usize].1
    }
}

/// Move with the score of the search that chose it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ScoredMove {
    pub mv: Move,
    /// Score in centipawns for the side that plays the move; see [`crate::types::score`] for mates.
    pub score: Value,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameRecord {
    /// Number of the game, which seeds its random choices.
    pub number: u64,
    /// Moves before the first search, with the position that they start from.
    pub opening: Opening,
    /// Moves chosen by searches, with their scores.
    pub moves: Vec<ScoredMove>,
    pub result: GameResult,
    pub ending: EndingKind,
}

impl GameRecord {
    /// Returns the line of the game in a file, with its line break.
    pub fn to_line(&self) -> String {
        let start = &self.opening.start;
        let fen = if *start == Position::start() { String::new() } else { start.to_string() };
        let unscored = self.opening.moves.iter().map(Move::to_string);
        let scored = self.moves.iter().map(|played| format!("{}/{}", played.mv, played.score));
        let moves: Vec<String> = unscored.chain(scored).collect();
        let (number, result, ending) = (self.number, self.result, self.ending.name());
        with_checksum(&format!("{number}\t{result}\t{fen}\t{}\t{ending}", moves.join(" ")))
    }

    /// Reads a line without its checksum, or returns one line for the user.
    pub(super) fn from_line(line: &str) -> Result<GameRecord, String> {
        let columns: Vec<&str> = line.split('\t').map(str::trim).collect();
        let (number, result, fen, moves, ending) = match columns[..] {
            [number, result, fen, moves] | [number, result, fen, moves, ""] => {
                (number, result, fen, moves, EndingKind::Unknown.name())
            }
            [number, result, fen, moves, ending] => (number, result, fen, moves, ending),
            _ => return Err("expected four or five columns (number, result, FEN or nothing, moves, ending)".to_owned()),
        };
        let is_no = |text: &str, what: &str| format!("'{}' is not {what}", shortened(text));
        let number = number.parse().map_err(|_| is_no(number, "the number of a game"))?;
        let result = GameResult::from_text(result).ok_or_else(|| is_no(result, "a result (1-0, 0-1, 1/2-1/2 or *)"))?;
        let parsed =
            |fen| Position::parse_fen(fen, Strictness::Lax).map_err(|fault| format!("invalid position: {fault}"));
        let start = if fen.is_empty() { Position::start() } else { parsed(fen)?.position };
        let ending = EndingKind::NAMED.into_iter().find(|(_, name)| *name == ending);
        let (ending, _) = ending.ok_or_else(|| is_no(columns[4], "a kind of ending"))?;
        let mut position = start.clone();
        let mut record =
            GameRecord { number, opening: Opening { start, moves: Vec::new() }, moves: Vec::new(), result, ending };
        for (index, word) in moves.split_ascii_whitespace().enumerate() {
            let fault = |what: &str| format!("ply {}: '{}' {what}", index + 1, shortened(word));
            let (mv, score) = word.split_once('/').map_or((word, None), |(mv, score)| (mv, Some(score)));
            let mv = mv.parse().ok().filter(|&mv| position.can_play(mv));
            let mv = mv.ok_or_else(|| fault("is not a legal move"))?;
            if score.is_none() && record.moves.is_empty() {
                record.opening.moves.push(mv);
            } else {
                let score: Option<Value> = score.and_then(|score| score.parse().ok());
                let score = score.filter(|score| score.unsigned_abs() <= INFINITE.unsigned_abs());
                let score = score.ok_or_else(|| fault("has no score after its slash"))?;
                record.moves.push(ScoredMove { mv, score });
            }
            position.make(mv);
        }
        Ok(record)
    }

    /// Iterator over all moves, also those before the first search.
    pub fn all_moves(&self) -> impl Iterator<Item = Move> {
        self.opening.moves.iter().copied().chain(self.moves.iter().map(|played| played.mv))
    }

    /// Returns the position before the first move with a score, without history.
    pub fn scored_start(&self) -> Position {
        self.opening.position().with_recent_history(0)
    }

    /// Hash of the start position and all moves.
    pub fn key(&self) -> u64 {
        game_key(&self.opening.start, self.all_moves())
    }
}

/// Hash of a game: its start position and its moves.
pub fn game_key(start: &Position, moves: impl Iterator<Item = Move>) -> u64 {
    let of_start = StableHash::default().with(start.key());
    moves.fold(of_start, |hash, mv| hash.with(u64::from(mv.bits()))).value()
}

/// Returns the first line of a file with these settings, which are JSON on one line.
pub fn header_line(settings: &str) -> String {
    with_checksum(&format!("{HEADER}{settings}"))
}

/// Returns the settings in the first line of a file and whether it has a checksum; `None` if it is damaged.
pub(super) fn read_header(line: &str) -> Option<(String, bool)> {
    let (line, has_checksum) = without_checksum(line)?;
    let settings = line.strip_prefix(HEADER).filter(|settings| !settings.contains(char::is_control))?;
    serde_json::from_str::<Map<String, Json>>(settings).ok()?;
    Some((settings.to_owned(), has_checksum))
}

fn with_checksum(line: &str) -> String {
    format!("{line}\t{:08x}\n", crc32fast::hash(line.as_bytes()))
}

/// Takes the checksum off a line without its break. Returns the rest and whether it had one; `None` if it is another.
pub(super) fn without_checksum(line: &str) -> Option<(&str, bool)> {
    let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    match line.rsplit_once('\t') {
        Some((rest, digits)) if digits.len() == 8 && digits.bytes().all(is_digit) => {
            (format!("{:08x}", crc32fast::hash(rest.as_bytes())) == digits).then_some((rest, true))
        }
        _ => Some((line, false)),
    }
}
