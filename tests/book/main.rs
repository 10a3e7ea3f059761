//! Proves that books hold what games played, say so in every position, and are refused when anything is wrong.

mod building;
mod damage;
mod default;
mod foreign;
mod learning;
mod naive;
mod reading;
