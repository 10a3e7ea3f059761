//! Why a book cannot be used.

use std::io;

use thiserror::Error;

use super::file::{MOST_PROVENANCE, VERSION};

/// Why a file is not used as a book. The caller knows which file it is.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum BookError {
    /// It cannot be opened or read.
    #[error(transparent)]
    File(#[from] io::Error),
    /// There is nothing in it.
    #[error("the file is empty")]
    Empty,
    /// It is something else.
    #[error("this is no book of Chuhe; other formats are turned into one by 'chuhe book'")]
    Foreign,
    /// It was transferred as text, which changed the ends of its lines.
    #[error("this book was damaged by a transfer as text; transfer it as a binary file")]
    Transfer,
    /// It is of another version.
    #[error("this book has format {0}, but only {VERSION} is understood; build it anew, or take a newer Chuhe")]
    Version(u16),
    /// Its length is not what its head says.
    #[error("this book has {found} bytes, but should have {wanted}: it was cut off or something was added")]
    Length {
        /// What it should be.
        wanted: u64,
        /// What it is.
        found: u64,
    },
    /// A part of it is not what was written.
    #[error("this book is damaged: the checksum of its {0} is wrong")]
    Checksum(&'static str),
    /// A record that no book may have.
    #[error("record {number} of this book is {fault}")]
    Record {
        /// Which one, 1 for the first.
        number: usize,
        /// What is wrong with it.
        fault: &'static str,
    },
    /// What is said about its origin is no text, or too long.
    #[error("what this book says of its origin is no text of at most {MOST_PROVENANCE} bytes")]
    Provenance,
}

/// Why records do not make a book.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum WriteError {
    /// The text about their origin is too long.
    #[error("what is said of the origin has {0} bytes, more than {MOST_PROVENANCE}")]
    Provenance(usize),
    /// There are too many.
    #[error("{0} moves are more than a book can hold")]
    TooMany(usize),
    /// They are not sorted, or a move is there twice.
    #[error("move {0} does not stand behind the one before it")]
    Order(usize),
    /// A move that leads nowhere or off the board.
    #[error("move {0} is none")]
    Move(usize),
}
