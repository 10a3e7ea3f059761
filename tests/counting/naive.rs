//! Independent lists of the allowed squares, a witness for the other test modules.

use chuhe::counting::Placement;
use chuhe::types::{Piece, Side, Square};

/// Squares that pieces of this letter can occupy, upper case for Red.
pub fn points(letter: char) -> Vec<Square> {
    let all = || Square::all().collect::<Vec<_>>();
    let named = |names: &str| names.split(' ').map(|name| name.parse().unwrap()).collect::<Vec<Square>>();
    match letter {
        'K' => named("d0 e0 f0 d1 e1 f1 d2 e2 f2"),
        'k' => named("d9 e9 f9 d8 e8 f8 d7 e7 f7"),
        'A' => named("d0 f0 e1 d2 f2"),
        'a' => named("d9 f9 e8 d7 f7"),
        'B' => named("c0 g0 a2 e2 i2 c4 g4"),
        'b' => named("c9 g9 a7 e7 i7 c5 g5"),
        'P' => {
            let home = named("a3 c3 e3 g3 i3 a4 c4 e4 g4 i4");
            home.into_iter().chain(all().into_iter().filter(|square| square.rank() >= 5)).collect()
        }
        'p' => {
            let home = named("a6 c6 e6 g6 i6 a5 c5 e5 g5 i5");
            home.into_iter().chain(all().into_iter().filter(|square| square.rank() <= 4)).collect()
        }
        _ => all(),
    }
}

/// Returns whether two pieces of this letter cannot occupy these squares together although each can.
pub fn are_doubled(letter: char, one: Square, other: Square) -> bool {
    let is_home = |square: Square| match letter {
        'P' => square.rank() <= 4,
        'p' => square.rank() >= 5,
        _ => false,
    };
    one.file() == other.file() && is_home(one) && is_home(other)
}

/// Lists every placement of pieces with these letters, equal ones adjacent, by trying all squares for each.
pub fn placements(letters: &str) -> Vec<Vec<(char, Square)>> {
    let mut found: Vec<Vec<(char, Square)>> = vec![Vec::new()];
    for letter in letters.chars() {
        let points = points(letter);
        let longer = |pieces: Vec<(char, Square)>| {
            let is_free = |&square: &Square| {
                pieces.iter().all(|&(other, taken)| {
                    // Equal pieces are indistinguishable: only one order of them counts.
                    taken != square && (other != letter || (taken < square && !are_doubled(letter, taken, square)))
                })
            };
            let free: Vec<Square> = points.iter().copied().filter(is_free).collect();
            free.into_iter()
                .map(move |square| pieces.iter().copied().chain([(letter, square)]).collect::<Vec<_>>())
                .collect::<Vec<_>>()
        };
        found = found.into_iter().flat_map(longer).collect();
    }
    found
}

pub fn placement(pieces: &[(char, Square)]) -> Placement {
    let mut placement = Placement::default();
    for &(letter, square) in pieces {
        placement.put(square, Piece::from_letter(letter));
    }
    placement
}

/// Letters of a signature, lower case for Black, with equal ones adjacent.
pub fn letters(signature: &str) -> String {
    let (red, black) = signature.split_once('v').unwrap();
    format!("{red}{}", black.to_lowercase())
}

/// Returns whether a king could be captured or the kings face each other, written again without tables.
pub fn can_capture_king(pieces: &[(char, Square)], attacker: Side) -> bool {
    let of = |letter: char| if attacker == Side::Red { letter } else { letter.to_ascii_lowercase() };
    let king_letter = if attacker == Side::Red { 'k' } else { 'K' };
    let king = pieces.iter().find(|piece| piece.0 == king_letter).unwrap().1;
    let is_taken =
        |file: i8, rank: i8| pieces.iter().any(|piece| (piece.1.file() as i8, piece.1.rank() as i8) == (file, rank));
    let between = |from: Square| {
        let (files, ranks) = (king.file() as i8 - from.file() as i8, king.rank() as i8 - from.rank() as i8);
        if (files == 0) == (ranks == 0) {
            return None;
        }
        let steps = files.abs().max(ranks.abs());
        let step = |count: i8| (from.file() as i8 + files.signum() * count, from.rank() as i8 + ranks.signum() * count);
        Some((1..steps).map(step).filter(|&(file, rank)| is_taken(file, rank)).count())
    };
    pieces.iter().any(|&(letter, from)| {
        let files = king.file() as i8 - from.file() as i8;
        let ranks = king.rank() as i8 - from.rank() as i8;
        if letter == of('R') || letter == of('K') {
            between(from) == Some(0)
        } else if letter == of('C') {
            between(from) == Some(1)
        } else if letter == of('N') {
            let leg = if files.abs() > ranks.abs() { (files.signum(), 0) } else { (0, ranks.signum()) };
            files.abs() + ranks.abs() == 3
                && files.abs().min(ranks.abs()) == 1
                && !is_taken(from.file() as i8 + leg.0, from.rank() as i8 + leg.1)
        } else if letter == of('P') {
            let forward = if attacker == Side::Red { 1 } else { -1 };
            (files, ranks) == (0, forward) || (files.abs(), ranks) == (1, 0)
        } else {
            false
        }
    })
}
