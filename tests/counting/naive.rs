//! Where men may stand, written a second time as lists of points: the witness of the other modules.

use chuhe::counting::Placement;
use chuhe::types::{Piece, Side, Square};

/// Every point where men of this letter may stand, upper case for Red.
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

/// Whether two men of this letter may not stand on these points together although each may.
pub fn are_doubled(letter: char, one: Square, other: Square) -> bool {
    let is_home = |square: Square| match letter {
        'P' => square.rank() <= 4,
        'p' => square.rank() >= 5,
        _ => false,
    };
    one.file() == other.file() && is_home(one) && is_home(other)
}

/// Every placement of men with these letters, equal ones side by side, found by trying all points for each.
pub fn placements(letters: &str) -> Vec<Vec<(char, Square)>> {
    let mut found: Vec<Vec<(char, Square)>> = vec![Vec::new()];
    for letter in letters.chars() {
        let points = points(letter);
        let longer = |men: Vec<(char, Square)>| {
            let is_free = |&square: &Square| {
                men.iter().all(|&(other, taken)| {
                    // Men of the same letter are told apart by nothing: only one order of them counts.
                    taken != square && (other != letter || (taken < square && !are_doubled(letter, taken, square)))
                })
            };
            let free: Vec<Square> = points.iter().copied().filter(is_free).collect();
            free.into_iter()
                .map(move |square| men.iter().copied().chain([(letter, square)]).collect::<Vec<_>>())
                .collect::<Vec<_>>()
        };
        found = found.into_iter().flat_map(longer).collect();
    }
    found
}

pub fn placement(men: &[(char, Square)]) -> Placement {
    let mut placement = Placement::default();
    for &(letter, square) in men {
        placement.put(square, Piece::from_letter(letter));
    }
    placement
}

/// The letters of a signature's text, lower case for Black, in an order that keeps equal ones together.
pub fn letters(signature: &str) -> String {
    let (red, black) = signature.split_once('v').unwrap();
    format!("{red}{}", black.to_lowercase())
}

/// Whether a king could be captured or kings face each other, written once more without tables.
pub fn can_capture_king(men: &[(char, Square)], attacker: Side) -> bool {
    let of = |letter: char| if attacker == Side::Red { letter } else { letter.to_ascii_lowercase() };
    let king_letter = if attacker == Side::Red { 'k' } else { 'K' };
    let king = men.iter().find(|man| man.0 == king_letter).unwrap().1;
    let is_taken = |file: i8, rank: i8| men.iter().any(|man| (man.1.file() as i8, man.1.rank() as i8) == (file, rank));
    let between = |from: Square| {
        let (files, ranks) = (king.file() as i8 - from.file() as i8, king.rank() as i8 - from.rank() as i8);
        if (files == 0) == (ranks == 0) {
            return None;
        }
        let steps = files.abs().max(ranks.abs());
        let step = |count: i8| (from.file() as i8 + files.signum() * count, from.rank() as i8 + ranks.signum() * count);
        Some((1..steps).map(step).filter(|&(file, rank)| is_taken(file, rank)).count())
    };
    men.iter().any(|&(letter, from)| {
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
