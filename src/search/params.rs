//! The numbers of the search, one a line.
//!
//! Values are centipawns, depths plies, history points as in [`super::history`].

use crate::types::Value;

/// Half the width of the first aspiration window.
pub const ASPIRATION_WINDOW: Value = 18;
/// The iteration from which aspiration windows are used.
pub const ASPIRATION_DEPTH: i32 = 4;

/// Reverse futility: the deepest node, and what each ply of depth must be ahead.
pub const REVERSE_FUTILITY_DEPTH: i32 = 8;
/// Margin for each ply of depth.
pub const REVERSE_FUTILITY_MARGIN: Value = 75;

/// Null move: the shallowest node.
pub const NULL_MOVE_DEPTH: i32 = 3;
/// Null move: how many plies it takes off whatever the depth.
pub const NULL_MOVE_REDUCTION: i32 = 3;
/// Null move: one more ply off for each so many plies of depth.
pub const NULL_MOVE_DEPTH_DIVISOR: i32 = 3;
/// Null move: one more ply off for each so many centipawns above beta, up to three.
pub const NULL_MOVE_MARGIN: Value = 200;
/// Null move: the static evaluation must reach beta plus this, less [`NULL_MOVE_STATIC_SLOPE`] for each ply.
pub const NULL_MOVE_STATIC_MARGIN: Value = 120;
/// Null move: what each ply of depth forgives the static evaluation.
pub const NULL_MOVE_STATIC_SLOPE: Value = 20;
/// Null move: from this depth on its success is verified.
pub const NULL_MOVE_VERIFICATION_DEPTH: i32 = 12;

/// Internal iterative reduction: the shallowest node.
pub const INTERNAL_REDUCTION_DEPTH: i32 = 4;

/// Futility of quiet moves: the deepest reduced depth.
pub const FUTILITY_DEPTH: i32 = 7;
/// Futility of quiet moves: what is added to the evaluation at any depth.
pub const FUTILITY_BASE: Value = 90;
/// Futility of quiet moves: what is added for each ply.
pub const FUTILITY_MARGIN: Value = 85;

/// Late move pruning: the deepest node.
pub const LATE_MOVE_DEPTH: i32 = 8;
/// Late move pruning: moves tried whatever the depth.
pub const LATE_MOVE_BASE: i32 = 4;

/// Pruning by history: the deepest reduced depth.
pub const HISTORY_DEPTH: i32 = 4;
/// Pruning by history: the worst history allowed for each ply.
pub const HISTORY_MARGIN: i32 = 4_000;

/// Pruning by exchange: the deepest node.
pub const EXCHANGE_DEPTH: i32 = 9;
/// Pruning by exchange: what a capture may lose for each ply.
pub const EXCHANGE_CAPTURE_MARGIN: Value = 100;
/// Pruning by exchange: what a quiet move may lose for each ply of its reduced depth, squared.
pub const EXCHANGE_QUIET_MARGIN: Value = 22;

/// Late move reductions: the shallowest node.
pub const REDUCTION_DEPTH: i32 = 3;
/// Late move reductions: the first move that is reduced.
pub const REDUCTION_FIRST_MOVE: i32 = 3;
/// Late move reductions: in 1024ths of a ply, whatever depth and move count.
pub const REDUCTION_BASE: i32 = 400;
/// Late move reductions: in 1024ths of a ply, for each product of the logarithms (base 2) of depth and move count.
pub const REDUCTION_FACTOR: i32 = 230;
/// Late move reductions: points of history worth one ply.
pub const REDUCTION_HISTORY: i32 = 10_000;

/// Quiescence: a capture must bring the evaluation within this of alpha.
pub const QUIESCENCE_MARGIN: Value = 180;
