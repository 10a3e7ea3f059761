//! Chuhe (楚河), a Xiangqi engine.
//!
//! One library and one program, in layers. A module imports only from modules above it in this table.
//!
//! | module | responsibility | may import |
//! |---|---|---|
//! | `types` | sides, pieces, squares, moves, scores | |
//! | `util` | general-purpose code: atomic file replacement, append-only log, vector instructions, random numbers, hashes, threads | |
//! | `tables` | constant geometry, attack sets, line tables, indices of pieces on squares, Zobrist keys | types |
//! | `position` | board, move generation, legality, static exchange evaluation, FEN, perft | types tables |
//! | `rules` | repetition, perpetual check and chase, natural move limit, dead draws | types tables position |
//! | `notation` | moves and games as text: coordinate, Chinese, WXF, Vietnamese, PGN, XQF, CBR, CBL, DhtmlXQ, EPD | types tables position rules |
//! | `counting` | exact number of positions; rank, unrank | util types tables position |
//! | `tablebase` | endgame tables by retrograde analysis | util types tables position rules counting |
//! | `eval` | static evaluation of a position: network and hand-made | util types tables position |
//! | `book` | opening book: format, lookup, learning | util types tables position |
//! | `solver` | mate solver: proves or refutes a mate within a number of moves | util types tables position rules |
//! | `search` | iterative deepening principal variation search, one thread or several | util types tables position rules eval tablebase solver |
//! | `engine` | one engine: position, options, search, book, tablebases, style, skill, bench | util types tables position rules notation counting tablebase eval book search solver |
//! | `protocol` | UCCI and UCI: parsing, formatting, the session with a client | util types position notation eval search engine |
//! | `console` | shared by all commands: errors, argument parsers, progress, boards and diagrams | util types tables position rules notation counting tablebase eval book search solver engine protocol |
//! | `commands` | commands for people: analysis, games, matches, books, tablebases, mate problems, counting, the board in the browser | util types tables position rules notation counting tablebase eval book search solver engine protocol console |
//! | `lab` | the laboratory for engine makers: openings, self-play, training, rounds of both, tuning | util types tables position rules notation counting tablebase eval book search solver engine protocol console commands |
//! | `cli` | list of commands and their dispatch | util types tables position rules notation counting tablebase eval book search solver engine protocol console commands lab |
//!
//! `cli` exists with the feature `commands`, the server of the board with the feature `web`; both are on by default. With
//! the feature `library` alone `console` and `commands` have what needs no terminal: review, reports, problems and the
//! requests of the board. `lab` exists with the feature of that name, which is off by default. Modules
//! hidden from the documentation are the inside of the program: tests, benches and fuzz targets use them, and they may
//! change.
//!
//! A test reads this table and the imports of every file, and fails for one that it does not allow. Two traits pass information
//! against the direction of the imports: [`position::PieceObserver`] receives piece changes (the evaluation implements
//! it), and [`search::Reporter`] receives iterations (protocols, the bench and tests implement it).
//!
//! # From the line `go` to the first node
//!
//! 1. `protocol/input.rs` reads the line and notes when it arrived.
//! 2. `protocol/session.rs` decides whether it is handled now or waits.
//! 3. `protocol/go.rs` parses it and starts a search, unless there is a book move.
//! 4. `protocol/format.rs` reads the moves in it as the client numbers ranks.
//! 5. `search/limits.rs` has the limits, and the time that they allow.
//! 6. `engine/book.rs` chooses a book move.
//! 7. `engine/mod.rs` builds the configuration of the search and runs it on the main thread of searches.
//! 8. `engine/options.rs` has the values of the options.
//! 9. `engine/style.rs` weighs the attacks of both sides.
//! 10. `engine/game.rs` recognises the position as one of the present game.
//! 11. `engine/request.rs` completes the limits by options, banned moves, skill and tablebases.
//! 12. `engine/skill.rs` limits the playing strength.
//! 13. `search/mod.rs` has the signals to and from the search: stop, ponder hit, node counts.
//! 14. `search/threads.rs` starts the helpers and chooses among the results.
//! 15. `search/state.rs` sets up the data of a thread.
//! 16. `position/legal.rs` and 17. `position/generate.rs` list the moves at the root.
//! 18. `eval/evaluator.rs` sets up the evaluation of the root.
//! 19. `search/root.rs` deepens iteration by iteration.
//! 20. `search/node.rs` searches a node.
//!
//! # Example
//!
//! ```
//! use chuhe::engine::Engine;
//! use chuhe::position::Position;
//! use chuhe::search::Limits;
//!
//! let mut engine = Engine::with_hash(1)?;
//! engine.set_position(Position::from_fen("3a2b2/3k5/9/7N1/9/9/9/4K4/9/6R2 w")?);
//! let outcome = engine.search(&Limits::depth(4), &mut ())?;
//! assert_eq!(outcome.best().map(|mv| mv.to_string()).as_deref(), Some("g0d0"));
//! assert!(chuhe::types::score::is_mate(outcome.score));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

/// The example of the README is tested too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

pub mod book;
#[cfg(feature = "commands")]
#[doc(hidden)]
pub mod cli;
#[cfg(feature = "library")]
#[doc(hidden)]
pub mod commands;
#[cfg(feature = "library")]
#[doc(hidden)]
pub mod console;
#[doc(hidden)]
pub mod counting;
pub mod engine;
pub mod eval;
#[cfg(feature = "lab")]
#[doc(hidden)]
pub mod lab;
pub mod notation;
pub mod position;
#[doc(hidden)]
pub mod protocol;
pub mod rules;
pub mod search;
pub mod solver;
pub mod tablebase;
#[doc(hidden)]
pub mod tables;
pub mod types;
#[doc(hidden)]
pub mod util;
