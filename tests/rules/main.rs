//! The rules against independent witnesses: cases that other engines judged, a slow model, and counts written out.

mod cases;
mod limits;
mod reasons;
mod searches;
