//! Move notation, against cases of other programs and by round trips on many boards.

mod boards;
mod cases;
mod errors;
mod opening_names;
mod round_trips;
mod variants;
