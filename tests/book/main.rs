//! Opening books: contents, lookup and rejection of invalid files.

mod building;
mod damage;
mod default;
mod foreign;
mod learning;
mod naive;
mod reading;
