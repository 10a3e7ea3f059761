//! Notation of moves, and files of games and positions, read and written.

mod boards;
mod cases;
mod cbr;
mod cbr_encoder;
#[path = "../common/mod.rs"]
mod common;
mod damage;
mod dhtmlxq;
mod errors;
mod faults;
mod lines;
mod move_lists;
mod opening_names;
mod pgn;
mod round_trips;
mod samples;
mod trees;
mod turns;
mod variants;
mod xqf;
mod xqf_encoder;
