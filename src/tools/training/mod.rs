//! Training the network on games of self-play.
//!
//! [`prepare()`] takes the quiet positions of games as [`Sample`]s, drops repetitions, shuffles the rest and puts the
//! positions of some games aside. [`train()`] goes through them again and again: a [`Team`] of threads finds how the
//! price of being wrong changes with every number of the [`Model`], and AdamW moves the numbers. What comes out is made
//! integers and compared with what it was ([`compare()`]). How a network is evaluated in play is not known here.

mod adamw;
mod checkpoint;
pub mod command;
mod compare;
mod dataset;
mod features;
mod gradient;
mod load;
mod model;
mod prepare;
mod run;
mod sample;
mod settings;
mod shuffle;
mod target;
mod worker_pool;

pub use adamw::{Learned, Step, cosine_rate};
pub use checkpoint::{Checkpoint, CheckpointError, Epoch, Progress};
pub use compare::{Differences, compare};
pub use dataset::{Dataset, Order, Source};
pub use gradient::{Worker, rounded_parts};
pub use load::{Found, Heard, SHARE_ASIDE, samples_of, take_samples};
pub use model::{IntegerRow, LANES, Model, Part, Rounded, Row, TILES};
pub use prepare::{Preparation, PrepareError, Told, identify, prepare};
pub use run::{News, Plan, TrainError, Trained, check_settings, read_checkpoint, train};
pub use sample::{BOARD_BYTES, SAMPLE_BYTES, Sample};
pub use settings::Settings;
pub use shuffle::{Kept, Shuffler};
pub use target::Goal;
pub use worker_pool::Team;
