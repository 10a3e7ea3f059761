//! Every number of the evaluation, as (opening, ending) in centipawns.
//!
//! Fitted by logistic regression. CC BY 4.0

use super::{PLACES, Tapered, Terms};

const fn t(opening: i32, ending: i32) -> Tapered {
    Tapered::new(opening, ending)
}

/// The king's places: files a to e (f to i mirror them), from the own home rank (first line) to the enemy's.
#[rustfmt::skip]
const KING_PLACES: [Tapered; PLACES] = [
    t(0, 0), t(0, 0), t(0, 0), t(81, 3), t(161, -20),
    t(0, 0), t(0, 0), t(0, 0), t(-161, 58), t(13, 14),
    t(0, 0), t(0, 0), t(0, 0), t(-345, 29), t(-180, 16),
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
    t(0, 0), t(0, 0), t(0, 0), t(-12, -44), t(0, 0),
    t(0, 0), t(0, 0), t(0, 0), t(0, 0), t(57, -38),
    t(0, 0), t(0, 0), t(0, 0), t(-47, -37), t(0, 0),
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
    t(0, 0), t(0, 0), t(22, -33), t(0, 0), t(0, 0),
    t(0, 0), t(0, 0), t(0, 0), t(0, 0), t(0, 0),
    t(-30, -28), t(0, 0), t(0, 0), t(0, 0), t(65, -49),
    t(0, 0), t(0, 0), t(0, 0), t(0, 0), t(0, 0),
    t(0, 0), t(0, 0), t(-61, -18), t(0, 0), t(0, 0),
    t(0, 0), t(0, 0), t(0, 0), t(0, 0), t(0, 0),
    t(0, 0), t(0, 0), t(0, 0), t(0, 0), t(0, 0),
    t(0, 0), t(0, 0), t(0, 0), t(0, 0), t(0, 0),
    t(0, 0), t(0, 0), t(0, 0), t(0, 0), t(0, 0),
    t(0, 0), t(0, 0), t(0, 0), t(0, 0), t(0, 0),
];

/// The horse's places: files a to e (f to i mirror them), from the own home rank (first line) to the enemy's.
#[rustfmt::skip]
const HORSE_PLACES: [Tapered; PLACES] = [
    t(52, -136), t(-122, -17), t(-63, -104), t(-142, 20), t(-215, -204),
    t(-129, -104), t(-89, -31), t(-97, -16), t(-79, -41), t(-37, -189),
    t(-81, -35), t(-39, -45), t(-34, -46), t(62, -14), t(-30, -67),
    t(-76, 53), t(-46, -13), t(-12, -10), t(-29, 21), t(71, -26),
    t(160, -34), t(0, -2), t(165, -19), t(49, 24), t(79, -19),
    t(-7, 2), t(25, 1), t(14, 81), t(88, 23), t(55, 22),
    t(-87, -13), t(219, 6), t(-43, 55), t(193, -16), t(-26, 21),
    t(149, 47), t(24, 49), t(-41, 39), t(173, -1), t(188, 14),
    t(-12, 29), t(-65, 105), t(197, -29), t(112, 12), t(86, 14),
    t(14, 73), t(13, 22), t(81, 107), t(68, 118), t(41, -74),
];

/// The rook's places: files a to e (f to i mirror them), from the own home rank (first line) to the enemy's.
#[rustfmt::skip]
const ROOK_PLACES: [Tapered; PLACES] = [
    t(-120, -72), t(-7, -83), t(-50, -102), t(-9, -62), t(-138, -125),
    t(-59, -116), t(-21, -41), t(11, -51), t(-21, -8), t(-29, -171),
    t(-55, -46), t(-6, -73), t(-31, -16), t(38, -45), t(-26, -58),
    t(-16, 77), t(41, 29), t(1, 78), t(51, 62), t(35, 83),
    t(13, -14), t(18, 31), t(63, -3), t(32, 32), t(-18, 62),
    t(-60, 28), t(-9, 33), t(-4, 21), t(20, 3), t(19, 26),
    t(1, 7), t(31, 2), t(94, -32), t(40, 31), t(17, 23),
    t(21, 14), t(28, -4), t(-39, 68), t(13, 81), t(80, -8),
    t(0, 21), t(35, 26), t(18, 40), t(64, 37), t(40, 28),
    t(-95, 58), t(42, -30), t(-42, 23), t(-9, -25), t(29, -13),
];

/// The cannon's places: files a to e (f to i mirror them), from the own home rank (first line) to the enemy's.
#[rustfmt::skip]
const CANNON_PLACES: [Tapered; PLACES] = [
    t(-18, -38), t(-30, -80), t(37, -34), t(51, 19), t(153, 2),
    t(47, -22), t(1, 12), t(108, -36), t(69, -25), t(92, -26),
    t(-17, 34), t(-25, 18), t(49, 7), t(49, -21), t(51, 41),
    t(-4, 15), t(-19, 12), t(19, 37), t(-8, 13), t(71, -11),
    t(25, -4), t(-32, 30), t(0, -2), t(-43, 34), t(68, -5),
    t(36, 6), t(-49, 24), t(-72, 77), t(-57, 25), t(103, -41),
    t(-2, 3), t(-61, 23), t(-15, 9), t(-42, 0), t(53, -5),
    t(86, -78), t(-43, -38), t(-60, -7), t(-109, -68), t(-144, -67),
    t(-17, 1), t(-42, 26), t(-70, 30), t(-47, 17), t(-180, -57),
    t(136, -97), t(59, -51), t(-120, 23), t(-138, -66), t(-104, -181),
];

/// The pawn's places: files a to e (f to i mirror them), from the own home rank (first line) to the enemy's.
#[rustfmt::skip]
const PAWN_PLACES: [Tapered; PLACES] = [
    t(0, 0), t(0, 0), t(0, 0), t(0, 0), t(0, 0),
    t(0, 0), t(0, 0), t(0, 0), t(0, 0), t(0, 0),
    t(0, 0), t(0, 0), t(0, 0), t(0, 0), t(0, 0),
    t(-85, -31), t(0, 0), t(-67, -39), t(0, 0), t(37, 7),
    t(-59, -44), t(0, 0), t(-15, -14), t(0, 0), t(31, 17),
    t(-145, 7), t(-78, 19), t(-95, 60), t(56, 40), t(22, 49),
    t(-48, -33), t(-68, 16), t(19, 28), t(115, 6), t(122, 18),
    t(-163, 42), t(79, 1), t(117, 32), t(278, 58), t(227, 104),
    t(-137, -23), t(98, -14), t(220, -27), t(403, -22), t(342, -21),
    t(-258, -59), t(-187, -74), t(-165, -74), t(-117, -130), t(-217, -116),
];

/// The weights.
#[rustfmt::skip]
pub static WEIGHTS: Terms<Tapered> = Terms {
    material: [
        t(0, 0), t(244, 125), t(220, 125), t(493, 397), t(1144, 1007), t(597, 396), t(99, 158),
    ],
    place: [
        KING_PLACES, ADVISOR_PLACES, ELEPHANT_PLACES, HORSE_PLACES,
        ROOK_PLACES, CANNON_PLACES, PAWN_PLACES,
    ],
    rook_mobility: [
        t(-63, 13), t(-39, -89), t(-61, -7), t(-47, -45), t(-9, -42), t(-8, -21),
        t(-10, -4), t(-3, 23), t(5, 24), t(8, 31), t(12, 12), t(24, 2),
        t(34, 12), t(26, 32), t(42, 13), t(36, 23), t(47, 31), t(47, 7),
    ],
    cannon_mobility: [
        t(-68, -118), t(-61, -10), t(-19, -46), t(-16, -25), t(-6, -4), t(6, -15),
        t(14, -16), t(12, -1), t(18, -20), t(18, 13), t(21, -3), t(27, -3),
        t(42, -12), t(43, -16), t(66, -9), t(47, -4), t(61, 2), t(135, -45),
    ],
    horse_mobility: [
        t(-42, -212), t(-54, -77), t(-24, -64), t(-6, -27), t(17, -9), t(24, 23),
        t(38, 15), t(71, 15), t(72, 13),
    ],
    guard: [
        [t(98, 41), t(-123, 33), t(-127, 27)],
        [t(74, -6), t(-24, 15), t(-6, -10)],
        [t(-95, 53), t(-5, -15), t(55, -64)],
    ],
    crossed_pawns: [
        [t(5, -105), t(-59, -30), t(-94, 31)],
        [t(156, -1), t(39, 22), t(30, -3)],
        [t(-6, 65), t(162, -19), t(109, -17)],
        [t(43, 215), t(-16, -16), t(19, -8)],
        [t(12, 91), t(61, 71), t(70, 102)],
        [t(0, 0), t(0, 0), t(0, 0)],
    ],
    linked_pawns: [
        t(10, -36),
    ],
    hollow_cannon: [
        t(-126, -63), t(-5, 8), t(194, 6),
    ],
    central_cannon: [
        t(67, 104), t(70, 135), t(35, 99),
    ],
    bottom_cannon: [
        t(-33, -32), t(16, -6), t(87, 9),
    ],
    screened_bottom_cannon: [
        t(116, 92), t(176, 107), t(85, 63),
    ],
    rook_behind_blocker: [
        t(67, -23), t(33, 84),
    ],
    blocked_horse_check: [
        t(88, 16),
    ],
    exposure: [
        [t(-196, 78), t(-93, 7), t(-88, 15)],
        [t(0, -22), t(-89, -31), t(-62, -29)],
        [t(108, -90), t(-18, -47), t(-5, -49)],
        [t(85, 25), t(94, 38), t(43, 3)],
        [t(83, -29), t(100, 120), t(66, 124)],
        [t(104, 64), t(65, 121), t(158, 178)],
        [t(-28, -27), t(117, 114), t(131, 136)],
        [t(0, 0), t(0, 0), t(-35, -40)],
    ],
    horse_palace_attacks: [
        t(0, 0), t(73, -52), t(93, -40), t(0, 0), t(0, 0),
    ],
    rook_palace_attacks: [
        t(0, 0), t(4, -23), t(0, -13), t(22, -25), t(62, 13), t(0, 0),
    ],
    tempo: [
        t(3, -5),
    ],
};

