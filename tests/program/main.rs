//! The real program, driven through its streams and its command line as front ends and users drive it.

mod analyzing;
mod bad_input;
mod boards;
mod chance;
mod clients;
mod comfort;
mod command_line;
mod converting;
mod generating;
mod harness;
mod judging;
mod leaving;
mod lines;
mod matches;
mod mock_engine;
mod notations;
mod options;
mod pondering;
mod probes;
mod replays;
mod robustness;
mod searches;
mod sessions;
mod starting;
mod tuning;
mod uci;
