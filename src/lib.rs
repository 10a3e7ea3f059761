//! Chuhe (楚河), a Xiangqi engine.
//!
//! One library and one program. The library is a house of rooms in layers: every room has one question to answer, and
//! none looks upstairs.
//!
//! | layer | answers | may import |
//! |---|---|---|
//! | `files` | writing files so that nobody ever finds half of one | |
//! | `vector` | loops compiled for every set of vector instructions | |
//! | `types` | the words: sides, pieces, squares, moves, scores | |
//! | `tables` | constant geometry, line tables, Zobrist keys | types |
//! | `position` | one position: board, moves, legality, exchanges, FEN, perft | types tables |
//! | `rules` | what the history of a game means: repetition, limits, dead draws | types tables position |
//! | `notation` | how moves and games are written: coordinate, Chinese, WXF, PGN, EPD | types tables position rules |
//! | `census` | how many positions there are, and which number each one has | types tables position |
//! | `tablebase` | exact results of small endings by retrograde analysis | files types tables position rules census |
//! | `eval` | what a quiet position is worth | vector types tables position |
//! | `book` | which opening moves were played, with what success: format, lookup, learning | files types tables position |
//! | `search` | which move is best within limits | types position rules eval tablebase |
//! | `engine` | one engine: position, shared search state, options, bench | types tables position rules eval book tablebase search |
//! | `protocol` | speaking UCCI and UCI with a front end | types position eval search engine |
//! | `tools` | work done with engines: analysis, matches, self-play, starts, opening books, tuning, training | files vector types tables position rules notation eval book search engine protocol |
//! | `cli` | the command line: arguments in, text out | files vector types tables position rules notation census eval book tablebase search engine protocol tools |
//!
//! A test reads this table and the imports of every file, and fails where they disagree. Two traits keep the stairs
//! one-way: [`position::PieceObserver`] is told of piece changes (the evaluation listens), and [`search::Reporter`] is
//! told of iterations (protocols, the bench and tests listen).
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

pub mod book;
pub mod census;
pub mod cli;
pub mod engine;
pub mod eval;
pub mod files;
pub mod notation;
pub mod position;
pub mod protocol;
pub mod rules;
pub mod search;
pub mod tablebase;
pub mod tables;
pub mod tools;
pub mod types;
pub mod vector;
