//! Names of openings: the common Chinese ones with their usual translations.
//!
//! A system is recognised by the squares that its pieces take early in the game, so transpositions and mirrored games
//! have one name. Of several systems of a side that are set up in time, the first one in its list counts.

use serde::Serialize;

use crate::position::Position;
use crate::types::{Move, Piece, PieceKind, Side, Square};

/// Name of the opening of a game.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize)]
pub struct OpeningName {
    /// English name, such as `Central Cannon v Screen Horses`.
    pub english: String,
    /// Chinese name, such as `中炮对屏风马`.
    pub chinese: String,
}

impl OpeningName {
    /// Returns the name of the opening of a game from the start position; `None` if it starts from another position or
    /// no system is recognised. Only the first [`MAX_PLIES`] moves matter; an illegal move ends the game.
    pub fn new(start: &Position, moves: &[Move]) -> Option<OpeningName> {
        if start.key() != Position::start().key() {
            return None;
        }
        let mut position = start.clone();
        let mut game = Vec::new();
        for &mv in moves.iter().take(MAX_PLIES) {
            if !position.can_play(mv) {
                break;
            }
            position.make(mv);
            game.push(position.clone());
        }
        let black = |systems| first_of(&game, Side::Black, systems);
        let red = first_of(&game, Side::Red, &RED)?;
        // The cannon behind the pawn answers a pawn, also where a central cannon follows.
        if let Some(reply) = black(std::slice::from_ref(&CANNON_BEHIND_PAWN)) {
            return Some(versus(PAWN.english, PAWN.chinese, Some(reply)));
        }
        if red.chinese != CENTRAL_CANNON.chinese {
            return Some(versus(red.english, red.chinese, black(&AGAINST_OTHERS)));
        }
        let reply = black(&AGAINST_CENTRAL_CANNON);
        // A central cannon that comes later does not undo sandwiched horses.
        let is_sandwich = reply.is_some_and(|reply| reply.chinese == SANDWICHED_HORSES.chinese);
        let later = || black(&BOTH_CENTRAL_LATER).filter(|_| !is_sandwich);
        if let Some(cannons) = black(&BOTH_CENTRAL).or_else(later) {
            return Some(versus(cannons.english, cannons.chinese, None));
        }
        let parts = [&OTHER_CANNON[..], &ROOK, &CENTRAL_PAWN].map(|list| first_of(&game, Side::Red, list));
        let cannon = if parts[0].is_some() { "" } else { red.chinese };
        let chinese: String = [cannon].into_iter().chain(parts.iter().flatten().map(|part| part.chinese)).collect();
        let details: Vec<&str> = parts.into_iter().flatten().map(|part| part.english).collect();
        let details = if details.is_empty() { String::new() } else { format!(" ({})", details.join(", ")) };
        Some(versus(&format!("{}{details}", red.english), &chinese, reply))
    }

    /// Returns the name of the opening of the game that led to a position.
    pub fn from_history(position: &Position) -> Option<OpeningName> {
        let moves: Vec<Move> = position.history().iter().map(|played| played.mv).collect();
        let mut start = position.clone();
        moves.iter().for_each(|_| start.unmake());
        OpeningName::new(&start, &moves)
    }

    /// Returns both names, as shown to users: `中炮对屏风马, Central Cannon v Screen Horses`.
    pub fn text(&self) -> String {
        format!("{}, {}", self.chinese, self.english)
    }
}

/// Number of plies that a name depends on at most.
pub const MAX_PLIES: usize = 16;

fn versus(english: &str, chinese: &str, reply: Option<&System>) -> OpeningName {
    let Some(reply) = reply else { return OpeningName { english: english.to_owned(), chinese: chinese.to_owned() } };
    OpeningName {
        english: format!("{english} v {}", reply.english),
        chinese: format!("{}对{}", chinese.trim_end_matches('局'), reply.chinese),
    }
}

struct System {
    chinese: &'static str,
    english: &'static str,
    /// Number of moves of the side within which it must be set up.
    moves: usize,
    is_set_up: fn(&Setup) -> bool,
}

const fn system(chinese: &'static str, english: &'static str, moves: usize, is_set_up: fn(&Setup) -> bool) -> System {
    System { chinese, english, moves, is_set_up }
}

const CENTRAL_CANNON: System = system("中炮", "Central Cannon", 3, |setup| setup.has("C42"));
const PAWN: System = system("仙人指路", "Pawn Opening", 2, |setup| setup.has("P24"));

static RED: [System; 14] = [
    CENTRAL_CANNON,
    system("飞相局", "Elephant Opening", 2, |setup| setup.has("B42")),
    system("金钩炮局", "Golden Hook Cannon", 2, |setup| setup.cannon_has_crossed_to(2)),
    system("过宫炮局", "Cross-Palace Cannon", 2, |setup| setup.cannon_has_crossed_to(3)),
    system("士角炮局", "Palace-Corner Cannon", 2, |setup| setup.has_palace_corner_cannon()),
    PAWN,
    system("起马局", "Horse Opening", 2, |setup| setup.has("N22")),
    system("边马局", "Edge Horse Opening", 1, |setup| setup.has("N02")),
    system("过河炮局", "River-Crossing Cannon Opening", 1, |setup| setup.has("C16")),
    system("巡河炮局", "Riverbank Cannon Opening", 1, |setup| setup.has("C14")),
    system("龟背炮局", "Turtle-Back Cannon Opening", 1, |setup| setup.has("C11")),
    system("中兵局", "Central Pawn Opening", 1, |setup| setup.has("P44")),
    system("边兵局", "Edge Pawn Opening", 1, |setup| setup.has("P04")),
    system("上仕局", "Advisor Opening", 1, |setup| setup.has("A41")),
];

static BOTH_CENTRAL: [System; 2] = [
    system("顺炮", "Same Direction Cannons", 2, |setup| setup.has_alike_cannons()),
    system("列炮", "Opposite Direction Cannons", 2, |setup| setup.has("C42")),
];

static BOTH_CENTRAL_LATER: [System; 2] = [
    system("半途顺炮", "Delayed Same Direction Cannons", 6, |setup| setup.has_alike_cannons()),
    system("半途列炮", "Delayed Opposite Direction Cannons", 6, |setup| setup.has("C42")),
];

const SANDWICHED_HORSES: System = system("反宫马", "Sandwiched Horses", 4, |setup| setup.has("N22 N62 C32"));

static AGAINST_CENTRAL_CANNON: [System; 8] = [
    SANDWICHED_HORSES,
    system("龟背炮", "Turtle-Back Cannon", 4, |setup| setup.has("C11") && !setup.has("N22 N62")),
    system("屏风马", "Screen Horses", 6, |setup| setup.has("N22 N62")),
    system("三步虎", "Three-Step Tiger", 4, |setup| setup.has("C02 R10 N22")),
    system("单提马", "Single Horse Defence", 6, |setup| setup.has("N22 N82")),
    system("鸳鸯炮", "Mandarin Duck Cannons", 4, |setup| setup.has("R02")),
    system("拐角马", "Corner Horse", 4, |setup| setup.has("N31")),
    system("士角炮", "Palace-Corner Cannon", 4, |setup| setup.has_palace_corner_cannon()),
];

/// Faces the pawn that has advanced to the middle ranks, behind a pawn of its own.
const CANNON_BEHIND_PAWN: System = system("卒底炮", "Cannon behind the Pawn", 2, |setup| setup.has("C22 P23 p24"));

static AGAINST_OTHERS: [System; 9] = [
    system("中炮", "Central Cannon", 2, |setup| setup.has("C42")),
    system("金钩炮", "Golden Hook Cannon", 2, |setup| setup.cannon_has_crossed_to(2)),
    system("过宫炮", "Cross-Palace Cannon", 2, |setup| setup.cannon_has_crossed_to(3)),
    system("士角炮", "Palace-Corner Cannon", 2, |setup| setup.has_palace_corner_cannon()),
    system("飞象", "Elephant", 2, |setup| setup.has("B42")),
    system("挺卒", "Pawn", 2, |setup| setup.has("P24")),
    system("起马", "Horse", 2, |setup| setup.has("N22")),
    system("边马", "Edge Horse", 2, |setup| setup.has("N02")),
    system("边卒", "Edge Pawn", 2, |setup| setup.has("P04")),
];

static OTHER_CANNON: [System; 5] = [
    system("五七炮", "Five-Seven Cannons", 8, |setup| setup.has("C42 C22")),
    system("五六炮", "Five-Six Cannons", 8, |setup| setup.has("C42 C32")),
    system("五九炮", "Five-Nine Cannons", 8, |setup| setup.has("C42 C02")),
    system("五八炮", "Five-Eight Cannons", 8, |setup| setup.has("C42 C16")),
    system("中炮巡河炮", "Riverbank Cannon", 8, |setup| setup.has("C42 C14")),
];

static ROOK: [System; 3] = [
    system("过河车", "River-Crossing Rook", 8, |setup| setup.has("R16")),
    system("巡河车", "Riverbank Rook", 8, |setup| setup.has("R14")),
    system("横车", "Lateral Rook", 5, |setup| setup.has("R01")),
];

static CENTRAL_PAWN: [System; 1] = [system("急进中兵", "Central Pawn Advance", 8, |setup| setup.has("P45 R16"))];

struct Setup<'a> {
    position: &'a Position,
    side: Side,
}

impl Setup<'_> {
    fn is_on(&self, letter: char, file: u8, rank: u8) -> bool {
        let side = if letter.is_ascii_uppercase() { self.side } else { !self.side };
        let rank = if side == Side::Red { rank } else { Square::RANKS - 1 - rank };
        let piece = Piece::from_letter(letter).map(|piece| Piece::new(side, piece.kind()));
        self.position.piece_on(Square::new(file, rank)) == piece
    }

    /// Returns whether pieces stand as in a pattern or as in its mirror image. Each has a letter, which is small for
    /// the opponent, the file from file a, and the rank counted from its own side.
    fn has(&self, pattern: &str) -> bool {
        let is_on = |piece: &str, is_mirrored: bool| {
            let [letter, file, rank] = *piece.as_bytes() else { return false };
            let (file, rank) = (file - b'0', rank - b'0');
            self.is_on(letter.into(), if is_mirrored { Square::FILES - 1 - file } else { file }, rank)
        };
        [false, true].into_iter().any(|is_mirrored| pattern.split(' ').all(|piece| is_on(piece, is_mirrored)))
    }

    /// The central cannons of both sides come from the same wing: their other cannons stand on one half of the board.
    fn has_alike_cannons(&self) -> bool {
        let other_file = |side| {
            let cannons = self.position.squares(Piece::new(side, PieceKind::Cannon));
            cannons.iter().map(|square| square.file()).find(|&file| file != 4)
        };
        match Side::BOTH.map(other_file) {
            [Some(red), Some(black)] => self.has("C42") && (red < 4) == (black < 4),
            _ => false,
        }
    }

    /// A cannon stands beside the palace on its own wing.
    fn has_palace_corner_cannon(&self) -> bool {
        self.has("C32") && !self.cannon_has_crossed_to(3)
    }

    /// Returns whether the cannon of the other wing, the one further left or mirrored right, stands on this file.
    fn cannon_has_crossed_to(&self, file: u8) -> bool {
        let on_home_rank = |file: u8| self.is_on('C', file, 2);
        let mirrored = Square::FILES - 1 - file;
        (on_home_rank(file) && (0..file).any(on_home_rank))
            || (on_home_rank(mirrored) && (mirrored + 1..Square::FILES).any(on_home_rank))
    }
}

/// Returns the first system of the list that a side sets up in time, given the positions after each of the first moves.
fn first_of<'s>(game: &[Position], side: Side, systems: &'s [System]) -> Option<&'s System> {
    systems.iter().find(|system| {
        game.iter().enumerate().any(|(index, position)| {
            // Red has made the first, third and fifth move.
            let moves = (index + if side == Side::Red { 2 } else { 1 }) / 2;
            (1..=system.moves).contains(&moves) && (system.is_set_up)(&Setup { position, side })
        })
    })
}
