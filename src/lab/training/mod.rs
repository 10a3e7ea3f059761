//! Training of the network on self-play games, and the optimizer and loss functions that tuning shares with it.
//!
//! [`prepare()`] collects the quiet positions of games as [`Sample`]s, with the result of the game or a
//! [smoothed](Smoothing) one, drops duplicates, shuffles them, and holds out the positions of some games for
//! validation. [`train()`] makes epochs over them: a [`WorkerPool`] computes the gradient of the [`Loss`] by every
//! parameter of the [`Model`], and AdamW updates the parameters. The result is quantized and compared with the
//! floating-point model ([`compare()`]). [`train_in_folder()`] does all of this in a folder of its own.

mod checkpoint;
pub mod command;
mod curve;
mod features;
mod folder;
mod gradient;
mod loss;
mod model;
mod optimizer;
mod prepare;
mod run;
mod sample;
mod sample_file;
mod scale;
mod shuffle;
mod smoothing;
mod worker_pool;

pub use checkpoint::{Checkpoint, CheckpointError, Epoch, Progress, Settings};
pub use folder::{FolderEvent, FolderPlan, TrainedInFolder, TrainingFiles, train_in_folder};
pub use gradient::{Worker, quantized_parts};
pub use loss::{Loss, Target, fit_scale_to};
pub use model::{Differences, IntegerRow, LANES, Model, Part, Quantized, Row, TILES, compare};
pub use optimizer::{AdamStep, ParamState, Real, cosine_rate};
pub use prepare::{
    PrepareError, PrepareEvent, PrepareSettings, ReadEvent, ReadStats, VALIDATION_SHARE, game_key, identify,
    is_held_out, open_games, prepare, samples_from_game, take_samples,
};
pub use run::{Plan, TrainError, TrainEvent, Trained, begun_settings, check_settings, read_checkpoint, train};
pub use sample::{BOARD_BYTES, SAMPLE_BYTES, Sample};
pub use sample_file::{EpochOrder, SampleFile, SampleFilter, SampleSource};
pub use scale::fit_scale_to_games;
pub use shuffle::{ShuffleStats, Shuffler};
pub use smoothing::Smoothing;
pub use worker_pool::WorkerPool;
