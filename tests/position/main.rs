//! Positions against independent witnesses: a perft file, a second generator written from the rules, positions rebuilt
//! from their FEN, and exchanges played out.

#[path = "../common/mod.rs"]
mod common;
mod exchange;
mod fen;
mod incremental;
mod legality;
mod perft;
mod walks;
