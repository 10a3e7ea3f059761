//! The rules against independent witnesses: cases that other engines judged, a slow model written from the law alone,
//! and counts written out move by move.

mod cases;
mod cycles;
mod limits;
mod model;
mod random;
mod reasons;
mod searches;
