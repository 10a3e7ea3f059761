//! Every number of the evaluation, as (opening, ending) in centipawns.
//!
//! Fitted by logistic regression to the results of about 300,000 quiet positions from master games (Yu-Han Tseng and
//! Bo-Nian Chen, 2026, Chinese Chess Practical Dataset, CC BY 4.0) and from the games collected by the projects
//! walker8088/cchess and xqbase/eleeye, of which only these statistics are kept.

use super::{PLACES, Tapered, Terms};

const fn t(opening: i32, ending: i32) -> Tapered {
    Tapered::new(opening, ending)
}

/// The king's places: files a to e (f to i mirror them), from the own home rank (first line) to the enemy's.
#[rustfmt::skip]
const KING_PLACES: [Tapered; PLACES] = [
    t(0, 0), t(0, 0), t(0, 0), t(-2, 8), t(54, 23),
    t(0, 0), t(0, 0), t(0, 0), t(-23, -15), t(-9, 4),
    t(0, 0), t(0, 0), t(0, 0), t(-14, -11), t(-7, -8),
    t(0, 0), t(0, 0), t(0, 0), t(0, 0), t(0, 0),
    t(0, 0), t(0, 0), t(0, 0), t(0, 0), t(0, 0),
    t(0, 0), t(0, 0), t(0, 0), t(0, 0), t(0, 0),
    t(0, 0), t(0, 0), t(0, 0), t(0, 0), t(0, 0),
    t(0, 0), t(0, 0), t(0, 0), t(0, 0), t(0, 0),
    t(0, 0), t(0, 0), t(0, 0), t(0, 0), t(0, 0),
    t(0, 0), t(0, 0), t(0, 0), t(0, 0), t(0, 0),
];

/// The advisor's places: files a to e (f to i mirror them), from the own home rank (first line) to the enemy's.
#[rustfmt::skip]
const ADVISOR_PLACES: [Tapered; PLACES] = [
    t(0, 0), t(0, 0), t(0, 0), t(-11, -30), t(0, 0),
    t(0, 0), t(0, 0), t(0, 0), t(0, 0), t(29, 6),
    t(0, 0), t(0, 0), t(0, 0), t(-26, -16), t(0, 0),
    t(0, 0), t(0, 0), t(0, 0), t(0, 0), t(0, 0),
    t(0, 0), t(0, 0), t(0, 0), t(0, 0), t(0, 0),
    t(0, 0), t(0, 0), t(0, 0), t(0, 0), t(0, 0),
    t(0, 0), t(0, 0), t(0, 0), t(0, 0), t(0, 0),
    t(0, 0), t(0, 0), t(0, 0), t(0, 0), t(0, 0),
    t(0, 0), t(0, 0), t(0, 0), t(0, 0), t(0, 0),
    t(0, 0), t(0, 0), t(0, 0), t(0, 0), t(0, 0),
];

/// The elephant's places: files a to e (f to i mirror them), from the own home rank (first line) to the enemy's.
#[rustfmt::skip]
const ELEPHANT_PLACES: [Tapered; PLACES] = [
    t(0, 0), t(0, 0), t(17, -11), t(0, 0), t(0, 0),
    t(0, 0), t(0, 0), t(0, 0), t(0, 0), t(0, 0),
    t(-16, -18), t(0, 0), t(0, 0), t(0, 0), t(31, 1),
    t(0, 0), t(0, 0), t(0, 0), t(0, 0), t(0, 0),
    t(0, 0), t(0, 0), t(-32, -13), t(0, 0), t(0, 0),
    t(0, 0), t(0, 0), t(0, 0), t(0, 0), t(0, 0),
    t(0, 0), t(0, 0), t(0, 0), t(0, 0), t(0, 0),
    t(0, 0), t(0, 0), t(0, 0), t(0, 0), t(0, 0),
    t(0, 0), t(0, 0), t(0, 0), t(0, 0), t(0, 0),
    t(0, 0), t(0, 0), t(0, 0), t(0, 0), t(0, 0),
];

/// The horse's places: files a to e (f to i mirror them), from the own home rank (first line) to the enemy's.
#[rustfmt::skip]
const HORSE_PLACES: [Tapered; PLACES] = [
    t(0, 0), t(-58, -16), t(-16, -9), t(-26, -11), t(0, 0),
    t(-42, -19), t(-3, -3), t(-15, -8), t(-32, -15), t(-26, -14),
    t(-37, -20), t(-8, -5), t(-20, -26), t(9, 4), t(-10, -1),
    t(-5, 0), t(-4, -3), t(4, -3), t(0, 5), t(24, 5),
    t(1, 0), t(3, -5), t(35, 24), t(37, 22), t(8, 5),
    t(-3, -1), t(7, 4), t(1, 3), t(39, 8), t(11, 6),
    t(-25, -11), t(31, 24), t(-14, -4), t(42, 23), t(-3, 2),
    t(5, 4), t(2, 4), t(-2, -3), t(4, 3), t(7, 4),
    t(1, -1), t(-5, -2), t(30, 25), t(6, 4), t(1, 1),
    t(-1, 1), t(1, 1), t(2, 3), t(1, 2), t(0, 0),
];

/// The rook's places: files a to e (f to i mirror them), from the own home rank (first line) to the enemy's.
#[rustfmt::skip]
const ROOK_PLACES: [Tapered; PLACES] = [
    t(-75, -19), t(3, -11), t(-21, -8), t(0, -4), t(-1, -1),
    t(-33, -9), t(-18, -4), t(-4, -3), t(-12, -11), t(-1, 0),
    t(-19, -12), t(-13, -9), t(-5, -3), t(-10, -9), t(-3, -3),
    t(1, 0), t(12, 4), t(2, 5), t(12, 13), t(9, 8),
    t(0, 2), t(24, 6), t(22, 7), t(8, 5), t(1, 4),
    t(-12, -2), t(2, 4), t(5, -1), t(-4, -3), t(-2, 0),
    t(0, 5), t(20, 14), t(39, 18), t(4, 6), t(0, 1),
    t(-2, -2), t(11, 6), t(-9, 0), t(11, 3), t(3, 3),
    t(2, 1), t(20, 10), t(4, 4), t(27, 14), t(1, 0),
    t(1, 1), t(12, 6), t(-1, 1), t(4, 1), t(1, 1),
];

/// The cannon's places: files a to e (f to i mirror them), from the own home rank (first line) to the enemy's.
#[rustfmt::skip]
const CANNON_PLACES: [Tapered; PLACES] = [
    t(0, 0), t(-8, -5), t(-6, -5), t(8, 3), t(0, 0),
    t(13, 0), t(-4, 0), t(41, 5), t(3, 1), t(17, 7),
    t(-18, 7), t(-16, 0), t(26, 11), t(17, -1), t(27, 24),
    t(0, -1), t(-17, -1), t(5, 1), t(-7, 0), t(2, 3),
    t(-1, -3), t(-15, 1), t(-11, 1), t(-8, -1), t(15, 6),
    t(0, -3), t(-5, -1), t(-6, 0), t(-6, 1), t(28, 8),
    t(-5, -7), t(-22, 0), t(-22, -2), t(-13, -4), t(19, 10),
    t(3, 2), t(-10, -2), t(-11, -7), t(-10, -5), t(-3, -3),
    t(2, 1), t(10, 6), t(-8, -4), t(-3, -1), t(0, 0),
    t(31, 13), t(21, 11), t(-8, -2), t(-4, -3), t(-1, 0),
];

/// The pawn's places: files a to e (f to i mirror them), from the own home rank (first line) to the enemy's.
#[rustfmt::skip]
const PAWN_PLACES: [Tapered; PLACES] = [
    t(0, 0), t(0, 0), t(0, 0), t(0, 0), t(0, 0),
    t(0, 0), t(0, 0), t(0, 0), t(0, 0), t(0, 0),
    t(0, 0), t(0, 0), t(0, 0), t(0, 0), t(0, 0),
    t(-46, -36), t(0, 0), t(-50, -25), t(0, 0), t(21, 5),
    t(-37, -31), t(0, 0), t(-18, -7), t(0, 0), t(13, 13),
    t(-23, -21), t(-6, -3), t(-19, -1), t(25, 24), t(24, 22),
    t(-6, -7), t(-6, -2), t(23, 11), t(26, 34), t(18, 25),
    t(-1, 0), t(3, -1), t(13, 11), t(8, 12), t(5, 6),
    t(0, 0), t(5, 2), t(14, 10), t(14, 14), t(1, 4),
    t(0, 1), t(-1, -3), t(0, 1), t(1, 1), t(0, -2),
];

/// The weights.
#[rustfmt::skip]
pub static WEIGHTS: Terms<Tapered> = Terms {
    material: [
        t(0, 0), t(194, 159), t(200, 158), t(392, 456), t(972, 986), t(483, 480), t(77, 180),
    ],
    place: [
        KING_PLACES, ADVISOR_PLACES, ELEPHANT_PLACES, HORSE_PLACES,
        ROOK_PLACES, CANNON_PLACES, PAWN_PLACES,
    ],
    rook_mobility: [
        t(1, 0), t(-12, -3), t(-46, -8), t(-28, -10), t(-20, -13), t(-7, -3),
        t(-7, -3), t(3, 3), t(3, 4), t(2, 2), t(7, 7), t(18, 3),
        t(18, 7), t(22, 11), t(24, 8), t(12, 4), t(19, 12), t(14, 10),
    ],
    cannon_mobility: [
        t(-1, 0), t(-9, -2), t(-14, -9), t(-10, -8), t(-9, -6), t(2, -1),
        t(6, 2), t(6, 0), t(0, -1), t(4, 7), t(6, 9), t(10, 13),
        t(8, 9), t(4, 4), t(9, 6), t(8, 9), t(5, 8), t(12, 12),
    ],
    horse_mobility: [
        t(-23, -7), t(-53, -19), t(-38, -33), t(-21, -22), t(5, 6), t(7, 17),
        t(25, 24), t(35, 25), t(26, 15),
    ],
    guard: [
        [t(7, 14), t(-1, 5), t(-10, -2)],
        [t(2, 2), t(3, 2), t(5, 2)],
        [t(-12, 2), t(0, -1), t(2, -26)],
    ],
    crossed_pawns: [
        [t(-4, -29), t(-23, -31), t(-44, -19)],
        [t(6, 10), t(9, 16), t(28, 9)],
        [t(0, 4), t(6, 6), t(21, 26)],
        [t(1, 0), t(1, 0), t(2, 7)],
        [t(0, 0), t(0, 0), t(0, -1)],
        [t(0, 0), t(0, 0), t(0, 0)],
    ],
    linked_pawns: [
        t(3, 10),
    ],
    hollow_cannon: [
        t(-2, -3), t(1, -2), t(33, 20),
    ],
    central_cannon: [
        t(3, 4), t(5, 4), t(36, 30),
    ],
    bottom_cannon: [
        t(3, 1), t(-4, -1), t(14, 9),
    ],
    screened_bottom_cannon: [
        t(0, 0), t(3, 3), t(22, 7),
    ],
    rook_behind_blocker: [
        t(11, 8), t(13, 11),
    ],
    blocked_horse_check: [
        t(15, 16),
    ],
    exposure: [
        [t(-3, -10), t(-8, -9), t(-43, -20)],
        [t(-6, -19), t(-16, -18), t(-40, -25)],
        [t(6, 3), t(-3, -1), t(0, -15)],
        [t(7, 9), t(13, 16), t(41, 34)],
        [t(3, 3), t(4, 5), t(40, 43)],
        [t(0, 0), t(1, -1), t(10, 7)],
        [t(0, 0), t(0, 0), t(1, 1)],
        [t(0, 0), t(0, 0), t(-1, 0)],
    ],
    horse_palace_attacks: [
        t(0, 0), t(54, 27), t(43, 29), t(0, 0), t(0, 0),
    ],
    rook_palace_attacks: [
        t(0, 0), t(9, 9), t(10, 9), t(19, 6), t(26, 11), t(0, 0),
    ],
    tempo: [
        t(10, 2),
    ],
};
