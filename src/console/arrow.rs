//! Arrows on diagrams: how they are asked for, and their shape.

use std::str::FromStr;

use thiserror::Error;

use crate::types::{Move, ParseMoveError};

/// An arrow from one point to another. It need not be a legal move, or a move of the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Arrow {
    /// From where to where.
    pub mv: Move,
    /// What it is painted with.
    pub colour: ArrowColour,
}

/// The colours of arrows.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum ArrowColour {
    /// What an arrow has that names no colour.
    #[default]
    Green,
    /// Blue.
    Blue,
    /// Orange.
    Orange,
    /// Red.
    Red,
    /// Grey.
    Grey,
}

impl ArrowColour {
    /// The names that are understood, and what they mean.
    pub const NAMED: [(&'static str, ArrowColour); 5] = [
        ("green", ArrowColour::Green),
        ("blue", ArrowColour::Blue),
        ("orange", ArrowColour::Orange),
        ("red", ArrowColour::Red),
        ("grey", ArrowColour::Grey),
    ];

    /// The colour as SVG writes it.
    pub const fn code(self) -> &'static str {
        match self {
            ArrowColour::Green => "#2f7d32",
            ArrowColour::Blue => "#2061a8",
            ArrowColour::Orange => "#d9730d",
            ArrowColour::Red => "#b3261e",
            ArrowColour::Grey => "#6b6b6b",
        }
    }
}

/// Why a text names no arrow.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ParseArrowError {
    /// What stands before the colour is no move.
    #[error(transparent)]
    Move(#[from] ParseMoveError),
    /// It would point at where it starts.
    #[error("an arrow needs two different points")]
    Nowhere,
    /// The colour has no name that is known.
    #[error("'{0}' is no colour of arrows (green, blue, orange, red or grey)")]
    Colour(String),
}

impl FromStr for Arrow {
    type Err = ParseArrowError;

    /// Reads a move, and the name of a colour behind a colon.
    ///
    /// ```
    /// use chuhe::console::svg::{Arrow, ArrowColour};
    /// assert_eq!("h2e2".parse::<Arrow>()?.colour, ArrowColour::Green);
    /// assert_eq!("h2e2:blue".parse::<Arrow>()?.colour, ArrowColour::Blue);
    /// assert!("h2e2:pale".parse::<Arrow>().is_err());
    /// # Ok::<(), chuhe::console::svg::ParseArrowError>(())
    /// ```
    fn from_str(text: &str) -> Result<Arrow, ParseArrowError> {
        let (mv, colour) = match text.split_once(':') {
            None => (text, ArrowColour::default()),
            Some((mv, name)) => {
                let known = ArrowColour::NAMED.iter().find(|(known, _)| name.eq_ignore_ascii_case(known));
                let unknown = || ParseArrowError::Colour(name.chars().take(16).collect());
                (mv, known.map(|(_, colour)| *colour).ok_or_else(unknown)?)
            }
        };
        let mv: Move = mv.parse()?;
        if mv.from() == mv.to() { Err(ParseArrowError::Nowhere) } else { Ok(Arrow { mv, colour }) }
    }
}

/// How far behind the middle of its first point an arrow starts, and how far before that of its last one it ends: men
/// can be told at both ends.
const START_GAP: f64 = 36.0;
const END_GAP: f64 = 14.0;
/// Half the width of the shaft and of the head, and the length of the head.
const SHAFT: f64 = 7.0;
const HEAD: f64 = 21.0;
const HEAD_LENGTH: f64 = 36.0;

/// The outline of an arrow between the middles of two points, as the data of an SVG path.
pub fn outline(from: (i32, i32), to: (i32, i32)) -> String {
    let (dx, dy) = (f64::from(to.0 - from.0), f64::from(to.1 - from.1));
    let length = dx.hypot(dy).max(1.0);
    let (along, across) = ((dx / length, dy / length), (-dy / length, dx / length));
    let neck = length - END_GAP - HEAD_LENGTH;
    let corners = [
        (START_GAP, SHAFT),
        (neck, SHAFT),
        (neck, HEAD),
        (length - END_GAP, 0.0),
        (neck, -HEAD),
        (neck, -SHAFT),
        (START_GAP, -SHAFT),
    ];
    let mut path = String::new();
    for (index, (ahead, aside)) in corners.into_iter().enumerate() {
        let x = f64::from(from.0) + along.0 * ahead + across.0 * aside;
        let y = f64::from(from.1) + along.1 * ahead + across.1 * aside;
        // Whole numbers: a hundredth of the distance between two points is finer than the eye.
        path.push_str(&format!("{}{x:.0} {y:.0}", if index == 0 { "M" } else { "L" }));
    }
    path.push('Z');
    path
}
