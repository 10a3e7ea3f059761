//! Files of games and positions, read and written.

mod cbr;
mod cbr_encoder;
#[path = "../common/mod.rs"]
mod common;
mod damage;
mod dhtmlxq;
mod faults;
mod lines;
mod move_lists;
mod pgn;
mod samples;
mod trees;
mod turns;
mod xqf;
mod xqf_encoder;
