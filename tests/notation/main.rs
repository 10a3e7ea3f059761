//! How moves are written and read, against cases that other programs wrote and against itself on many boards.

mod boards;
mod cases;
mod errors;
mod round_trips;
mod variants;
