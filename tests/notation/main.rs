//! Move notation, against cases of other programs and by round trips on many boards.

mod boards;
mod cases;
mod errors;
mod round_trips;
mod variants;
