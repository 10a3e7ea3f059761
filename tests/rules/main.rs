//! Rules against independent witnesses: cases judged by other engines, a slow model written from the rules alone, and
//! counts written out move by move.

mod axf;
mod cases;
#[path = "../common/mod.rs"]
mod common;
mod cycles;
mod limits;
mod model;
mod random;
mod reasons;
mod searches;
