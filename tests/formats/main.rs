//! Files of games and positions, read and written.

mod damage;
mod dhtmlxq;
mod epd;
mod moves;
mod pgn;
mod samples;
mod xqf;
mod xqf_encoder;
