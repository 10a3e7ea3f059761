//! Opening books: contents, lookup and rejection of invalid files.

mod added;
mod building;
mod damage;
mod foreign;
mod learning;
mod naive;
mod preferences;
mod reading;
mod text;
mod weights;
