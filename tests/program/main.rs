//! The real program, driven through its streams and its command line as front ends and users drive it.

mod analysis;
mod bad_input;
mod boards;
mod books;
#[cfg(feature = "web")]
mod browser;
mod chinese;
mod clients;
mod comfort;
mod command_line;
#[path = "../common/mod.rs"]
mod common;
mod converting;
mod endings;
mod generating;
mod harness;
mod json_output;
mod judging;
mod lines;
mod matches;
mod mate;
mod mock_engine;
mod move_lists;
mod options;
mod playing_books;
mod reviews;
mod searches;
mod selfplay_train;
mod sessions;
#[cfg(all(unix, feature = "web"))]
mod terminal;
mod tuning;
mod uci;
#[cfg(feature = "web")]
mod web;
