//! Opening books: contents, lookup and rejection of invalid files.

mod added;
mod building;
mod counting;
mod damage;
mod default;
mod foreign;
mod keys;
mod learning;
mod naive;
mod preferences;
mod reading;
mod text;
mod verification;
mod weights;
