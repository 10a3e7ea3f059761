//! Files of games made into one file of samples.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::dataset::{Source, write_end};
use super::load::{Found, Heard, take_samples};
use super::shuffle::{Kept, Shuffler};
use crate::tools::datagen::{GameReader, HeaderError, RecordError};
use crate::util::atomic_file::replace;
use crate::util::cancel::CancelFlag;
use crate::util::stable_hash::StableHash;

/// How many bytes of a file of games make a position, at least.
const LEAST_BYTES: u64 = 3;

/// How many bytes of a file are read at once, a multiple of those of a word.
const PIECE: usize = 1 << 20;
const _: () = assert!(PIECE.is_multiple_of(size_of::<u64>()));

/// How samples are made.
#[derive(Clone, Debug)]
pub struct Preparation {
    /// The files of games.
    pub files: Vec<PathBuf>,
    /// Where they are from.
    pub source: Source,
    /// How many threads work at it.
    pub threads: usize,
    /// How many bytes of memory may be used for shuffling.
    pub memory: u64,
}

/// Why samples cannot be made.
#[derive(Debug, Error)]
pub enum PrepareError {
    /// A file cannot be read or written.
    #[error("{}: {error}", path.display())]
    File {
        /// Which file.
        path: PathBuf,
        /// What happened.
        error: io::Error,
    },
    /// A file is no file of games.
    #[error("{}: {error}", path.display())]
    Header {
        /// Which file.
        path: PathBuf,
        /// What it is.
        error: HeaderError,
    },
}

/// The length and the fingerprint of a file. A CRC-32 would not do: records of games end with their own, and then their
/// content does not matter any more.
///
/// # Errors
/// When it cannot be read.
pub fn identify(path: &Path) -> io::Result<(u64, u64)> {
    let (mut file, mut print, mut length) = (File::open(path)?, StableHash::default(), 0);
    let mut piece = Vec::with_capacity(PIECE);
    loop {
        piece.clear();
        match file.by_ref().take(PIECE as u64).read_to_end(&mut piece)? {
            0 => return Ok((length, print.value())),
            count => {
                print = print.with_bytes(&piece);
                length += count as u64;
            }
        }
    }
}

/// What is told while samples are made.
#[derive(Debug)]
pub enum Told<'a> {
    /// What was found so far.
    Found(Found),
    /// A record of a file that is no game.
    Fault(&'a Path, &'a RecordError),
    /// All files were read; now the samples are shuffled.
    Shuffling,
}

/// Makes the file of samples; an old one stays until the new one is whole. Nothing comes of it, and nothing is written,
/// when it is interrupted.
///
/// # Errors
/// [`PrepareError`].
pub fn prepare(
    preparation: &Preparation,
    out: &Path,
    interrupt: &CancelFlag,
    listen: &mut dyn FnMut(Told),
) -> Result<Option<(Found, Kept)>, PrepareError> {
    let in_out = |error| PrepareError::File { path: out.to_owned(), error };
    let folder = match out.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let Preparation { files, source, threads, memory } = preparation;
    let bytes: u64 = source.files.iter().map(|(length, _)| length).sum();
    let mut shuffler = Shuffler::new(folder, bytes / LEAST_BYTES, *memory).map_err(in_out)?;
    let mut found = Found::default();
    for path in files {
        let file = File::open(path).map_err(|error| PrepareError::File { path: path.clone(), error })?;
        let games = GameReader::new(file).map_err(|error| PrepareError::Header { path: path.clone(), error })?;
        take_samples(games, source.most_score, *threads, interrupt, &mut found, &mut |heard| match heard {
            Heard::Samples(samples, found) => {
                listen(Told::Found(found));
                samples.iter().try_for_each(|sample| shuffler.add(sample)).map_err(in_out)
            }
            Heard::Fault(fault) => {
                listen(Told::Fault(path, fault));
                Ok(())
            }
        })?;
    }
    if interrupt.is_cancelled() {
        return Ok(None);
    }
    listen(Told::Shuffling);
    let write = |file: &mut dyn io::Write| {
        let (aside, kept) = shuffler.finish(source.seed, interrupt, file)?;
        aside.iter().try_for_each(|sample| file.write_all(sample.bytes()))?;
        write_end(file, source, kept.training, kept.validation)?;
        Ok(kept)
    };
    let kept = replace(out, |error| error, write, |_| !interrupt.is_cancelled()).map_err(in_out)?;
    Ok((!interrupt.is_cancelled()).then_some((found, kept)))
}
