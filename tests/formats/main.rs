//! Files of games and positions, read and written.

mod cbr;
mod cbr_encoder;
#[path = "../common/mod.rs"]
mod common;
mod damage;
mod dhtmlxq;
mod epd;
mod move_lists;
mod moves;
mod pgn;
mod samples;
mod trees;
mod turns;
mod xqf;
mod xqf_encoder;
