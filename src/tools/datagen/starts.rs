//! How the games of self-play begin.

use std::io::BufRead;

use crc32fast::Hasher;
use thiserror::Error;

use crate::notation::game::GameError;
use crate::notation::openings::{Opening, OpeningReader};
use crate::position::Strictness;
use crate::rules::{Rules, Verdict};
use crate::types::Move;

/// The starts that random moves are added to: those of a file, or only that of the game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Starts {
    openings: Vec<Opening>,
    name: Option<String>,
}

/// Why a line of a file is no start.
#[derive(Debug, Error)]
pub enum StartFault {
    /// It cannot be read.
    #[error(transparent)]
    Line(#[from] GameError),
    /// There is nothing to play.
    #[error("line {line}: the game is over")]
    Over {
        /// The line.
        line: u64,
    },
    /// There is no line with a start.
    #[error("there is no start in it")]
    Empty,
}

impl Default for Starts {
    fn default() -> Starts {
        Starts { openings: vec![Opening::default()], name: None }
    }
}

impl Starts {
    /// The starts of a file; see [`crate::notation::openings`].
    ///
    /// # Errors
    /// [`StartFault`] names the first fault: games would have other starts without the line.
    pub fn read(reader: impl BufRead, strictness: Strictness, rules: Rules) -> Result<Starts, StartFault> {
        let mut openings = Vec::new();
        let mut hasher = Hasher::new();
        for opening in OpeningReader::new(reader, strictness).numbered() {
            let (line, opening) = opening?;
            if rules.verdict(&opening.position()) != Verdict::Continue {
                return Err(StartFault::Over { line });
            }
            let words: Vec<String> = opening.moves.iter().map(Move::to_string).collect();
            hasher.update(format!("{} {}\n", opening.start, words.join(" ")).as_bytes());
            openings.push(opening);
        }
        if openings.is_empty() {
            return Err(StartFault::Empty);
        }
        let name = Some(format!("{} starts, checksum {:08x}", openings.len(), hasher.finalize()));
        Ok(Starts { openings, name })
    }

    /// What tells them from others; `None` when there is only the start of the game.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// How many there are; never 0.
    pub fn count(&self) -> usize {
        self.openings.len()
    }

    /// The start of a game. They are taken in turn.
    pub fn of_game(&self, number: u64) -> &Opening {
        &self.openings[(number % self.openings.len() as u64) as usize]
    }
}
