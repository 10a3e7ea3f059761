//! A board in the browser: a server for this machine, and the page that it serves.
//!
//! The page holds no rules of the game. It sends requests as JSON over a WebSocket ([`request`]) and draws the answers:
//! legal moves, notations and verdicts ([`position`]), lines of a search ([`search`]), and game files ([`games`]).
//! [`server`] accepts connections, [`http`] parses requests, [`access`] refuses those of other sites, and [`tab`]
//! serves one open page. All pages share one engine and take turns ([`share`]), so threads and memory are bounded.

pub mod access;
mod answer;
mod assets;
pub mod command;
mod explain;
pub mod games;
pub mod http;
pub mod position;
pub mod request;
pub mod search;
pub mod server;
pub mod share;
mod tab;
mod websocket;
