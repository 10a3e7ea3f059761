//! Training of the network on self-play games, and the optimizer and loss functions that tuning shares with it.
//!
//! [`prepare()`] collects the quiet positions of games as [`Sample`]s, with the result of the game or a smoothed one,
//! drops duplicates, and holds out the positions of some games for validation. [`train_in_folder()`] makes epochs over
//! them in random order: a [`Trainer`] computes the gradient of the loss by every parameter of the [`Model`] with
//! several threads, and AdamW updates the parameters.

mod checkpoint;
pub mod command;
mod gradient;
mod model;
mod optimizer;
mod prepare;
mod run;
mod sample;

pub use checkpoint::{Checkpoint, Epoch, Progress, SampleSource, Settings};
pub use gradient::{Target, Trainer, Worker};
pub use model::{Model, Quantized, quantized_parts};
pub use optimizer::{AdamStep, Loss, ParamState, cosine_rate, fit_scale_to};
pub use prepare::{Samples, fit_scale_to_games, identify, is_held_out, is_validation_game, prepare, samples_from_game};
pub use run::{Plan, Trained, TrainingFiles, train_in_folder};
pub use sample::Sample;
