//! Rounds of self-play and training: from nothing, or from a network, to a stronger one.
//!
//! A round plays games with the strongest network so far, trains a new network on the games of all rounds, and lets
//! the new one play a match against the strongest. If it scores more than a limit, it takes its place. [`Folder`] holds
//! the state and all files, [`run()`] makes the rounds. Every step resumes where it was interrupted, and the same
//! settings and number of threads give the same networks, interrupted or not.
//!
//! | file in the folder | |
//! |---|---|
//! | `state.jsonl` | settings and completed rounds |
//! | `log.tsv` | one row a round |
//! | `best.network` | the strongest network so far |
//! | `start.network` | the first network; missing when training began from nothing |
//! | `round-N/games.txt` | games of the round, see [`record`](crate::lab::datagen::record) |
//! | `round-N/trained` | training of the round, see [`train_in_folder`](crate::lab::training::train_in_folder) |

pub mod command;

mod folder;
mod round;

pub use folder::{Folder, Settings, Start};
pub use round::run;
