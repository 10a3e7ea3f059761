//! Arrows on diagrams: argument syntax and shape.

use std::str::FromStr;

use thiserror::Error;

use crate::types::{Move, ParseMoveError};

/// Arrow from one square to another. It need not be a legal move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Arrow {
    /// Origin and target.
    pub mv: Move,
    /// Colour.
    pub colour: ArrowColour,
}

/// Colour of an arrow.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum ArrowColour {
    /// Default.
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
    /// All colours by name.
    pub const NAMED: [(&'static str, ArrowColour); 5] = [
        ("green", ArrowColour::Green),
        ("blue", ArrowColour::Blue),
        ("orange", ArrowColour::Orange),
        ("red", ArrowColour::Red),
        ("grey", ArrowColour::Grey),
    ];

    /// Returns the colour code for SVG.
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

/// Error of parsing an arrow.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ParseArrowError {
    /// The text before the colour is not a move.
    #[error(transparent)]
    Move(#[from] ParseMoveError),
    /// Origin and target are the same.
    #[error("an arrow needs two different squares")]
    Nowhere,
    /// Unknown colour.
    #[error("'{0}' is not a colour of arrows (green, blue, orange, red or grey)")]
    Colour(String),
}

impl FromStr for Arrow {
    type Err = ParseArrowError;

    /// Parses a move, optionally followed by a colon and the name of a colour.
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

/// Distances of the ends of an arrow from the centres of its squares, so that the pieces remain recognizable.
const START_GAP: f64 = 36.0;
const END_GAP: f64 = 14.0;
/// Half the width of the shaft and of the head, and the length of the head, in units of the diagram.
const SHAFT: f64 = 7.0;
const HEAD: f64 = 21.0;
const HEAD_LENGTH: f64 = 36.0;

/// Returns the outline of an arrow between the centres of two squares as SVG path data.
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
        // Whole numbers: one unit is a hundredth of the distance between two squares.
        path.push_str(&format!("{}{x:.0} {y:.0}", if index == 0 { "M" } else { "L" }));
    }
    path.push('Z');
    path
}
