//! Bounds on the value of a node by the rules of the game and by tablebases, before any move is searched.

use super::params::NEAR_MOVE_LIMIT;
use super::state::Searcher;
use crate::rules::Recurrence;
use crate::tablebase::{TablebaseValue, Tablebases, draws_are_exact};
use crate::types::Value;
use crate::types::score::*;

/// Bounds on the value of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ValueBounds {
    pub floor: Value,
    pub ceiling: Value,
    /// Part of the key in the transposition table. It keeps a repeated position apart from the same position reached
    /// for the first time: one more occurrence may end the game.
    pub key_salt: u64,
}

impl ValueBounds {
    pub const OPEN: ValueBounds = ValueBounds { floor: -INFINITE, ceiling: INFINITE, key_salt: 0 };

    const REPEATED: ValueBounds = ValueBounds { key_salt: 0x6A09_E667_F3BC_C908, ..ValueBounds::OPEN };

    const fn exact(value: Value) -> ValueBounds {
        ValueBounds { floor: value, ceiling: value, key_salt: 0 }
    }

    /// The intersection with the bounds of tablebases. Where both contradict, these hold: tablebases ignore the
    /// history.
    pub fn intersect(self, tablebases: ValueBounds) -> ValueBounds {
        if self.floor > tablebases.ceiling || self.ceiling < tablebases.floor {
            return self;
        }
        ValueBounds {
            floor: self.floor.max(tablebases.floor),
            ceiling: self.ceiling.min(tablebases.ceiling),
            key_salt: self.key_salt,
        }
    }

    #[inline(always)]
    pub fn exact_value(self) -> Option<Value> {
        (self.floor == self.ceiling).then_some(self.floor)
    }

    #[inline(always)]
    pub fn clamp(self, value: Value) -> Value {
        value.clamp(self.floor, self.ceiling)
    }
}

/// Returns the bounds that the rules set on the current position, `ply` plies below the root. If one side must deviate
/// from a repetition to draw, its bound is `slack` on the wrong side of a draw, so that a line that leads there can
/// still be preferred.
#[inline]
pub(super) fn rule_bounds(searcher: &Searcher, ply: usize, slack: Value) -> ValueBounds {
    let (position, rules) = (&searcher.position, &searcher.config.rules);
    let mut bounds = ValueBounds::OPEN;
    if searcher.state.occurrences.may_contain(position.key()) {
        bounds = recurrence_bounds(searcher, ply, slack);
    }
    if (bounds.exact_value().is_none() || rules.set.limits_come_first())
        && rules.is_exhausted(position, searcher.state.stack[ply].count)
    {
        bounds = ValueBounds::exact(draw_value(searcher, ply));
    }
    bounds
}

/// Returns the value of a draw for the side to move, `ply` plies below the root: with contempt less than 0 for the side
/// to move at the root, and as much more for its opponent.
#[inline]
fn draw_value(searcher: &Searcher, ply: usize) -> Value {
    if ply.is_multiple_of(2) { searcher.state.draw_value } else { -searcher.state.draw_value }
}

#[cold]
fn recurrence_bounds(searcher: &Searcher, ply: usize, slack: Value) -> ValueBounds {
    let draw = draw_value(searcher, ply);
    match searcher.config.rules.recurrence(&searcher.position, ply, searcher.state.stack[ply].count) {
        None => ValueBounds::OPEN,
        Some(Recurrence::Open) => ValueBounds::REPEATED,
        Some(Recurrence::Draw) => ValueBounds::exact(draw),
        Some(Recurrence::Win) => ValueBounds::exact(rule_win_in(ply)),
        Some(Recurrence::Loss) => ValueBounds::exact(rule_loss_in(ply)),
        Some(Recurrence::AtLeastDraw) => ValueBounds { floor: draw - slack, ..ValueBounds::REPEATED },
        Some(Recurrence::AtMostDraw) => ValueBounds { ceiling: draw + slack, ..ValueBounds::REPEATED },
    }
}

/// Returns `true` if a value from the transposition table may not hold because of the natural move limit, which the
/// table ignores: the limit is near, or a mate takes more plies than it leaves, unless it captures on the way.
#[inline]
pub(super) fn may_exceed_move_limit(searcher: &Searcher, ply: usize, value: Value) -> bool {
    let counted = searcher.state.stack[ply].count.plies();
    let left = usize::from(searcher.config.rules.move_limit).saturating_sub(counted);
    let plies_to_mate = || ((MATE - value.abs()) as usize).saturating_sub(ply);
    left <= NEAR_MOVE_LIMIT || (is_mate(value) && plies_to_mate() > left)
}

/// Returns the bounds that tablebases set on the current position. They are probed right after captures only: elsewhere
/// the probe after the last capture has settled the value, and there no ply counts towards the natural move limit yet.
#[inline]
pub(super) fn tablebase_bounds(searcher: &mut Searcher, ply: usize) -> ValueBounds {
    let Some(tablebases) = searcher.config.tablebases.as_deref() else { return ValueBounds::OPEN };
    if searcher.position.plies_since_capture() > 0 || !tablebases.may_contain(&searcher.position) {
        return ValueBounds::OPEN;
    }
    searcher.state.reads_clock = true;
    let Some(bounds) = probe(searcher, tablebases, ply) else { return ValueBounds::OPEN };
    searcher.state.tbhits += 1;
    bounds
}

#[cold]
fn probe(searcher: &Searcher, tablebases: &Tablebases, ply: usize) -> Option<ValueBounds> {
    let limit = searcher.config.rules.move_limit;
    match tablebases.value(&searcher.position).ok()? {
        TablebaseValue::Win(plies) if u16::from(plies) <= limit => {
            Some(ValueBounds { floor: TABLEBASE_WIN - ply as Value, ..ValueBounds::OPEN })
        }
        TablebaseValue::Loss(plies) if u16::from(plies) <= limit => {
            Some(ValueBounds { ceiling: -TABLEBASE_WIN + ply as Value, ..ValueBounds::OPEN })
        }
        // If both sides have attackers, a draw may be a loss by perpetual check.
        TablebaseValue::Draw if draws_are_exact(&searcher.position) => {
            Some(ValueBounds::exact(draw_value(searcher, ply)))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::state::tests::{at_root, with_searcher};
    use super::*;

    /// The bounds after moves of the game before the search and moves within it.
    fn bounds_after(fen: &str, game: &str, line: &str, ply: usize, slack: Value) -> ValueBounds {
        with_searcher(at_root(fen, game), |searcher| {
            searcher.make_all(line);
            rule_bounds(searcher, ply, slack)
        })
    }

    const START: &str = crate::position::START_FEN;

    #[test]
    fn a_new_position_is_open_and_a_repeated_one_has_another_key() {
        assert_eq!(bounds_after(START, "", "a0a1", 1, 1), ValueBounds::OPEN);
        let repeated = bounds_after(START, "a0a1 a9a8 a1a0", "a8a9", 1, 1);
        assert_eq!(repeated, ValueBounds::REPEATED);
        assert_ne!(repeated.key_salt, ValueBounds::OPEN.key_salt);
    }

    #[test]
    fn recurrences_are_draws_decisions_and_bounds() {
        let checks = "3k5/R8/9/9/9/9/9/4K4/9/9 w";
        assert_eq!(bounds_after(START, "", "a0a1 a9a8 a1a0 a8a9 a0a1", 5, 1).exact_value(), Some(DRAW));
        let cycle = "a8a9 d9d8 a9a8 d8d9 a8a9";
        assert_eq!(bounds_after(checks, "", cycle, 5, 1).exact_value(), Some(rule_win_in(5)));
        let lead_in = |slack| bounds_after("3k5/9/R8/9/9/9/9/4K4/9/9 w", "", "a7a9 d9d8 a9a8 d8d9 a8a9", 5, slack);
        let (main_search, quiescence) = (lead_in(1), lead_in(0));
        assert_eq!((main_search.floor, main_search.ceiling), (DRAW - 1, INFINITE));
        assert_eq!((quiescence.floor, quiescence.ceiling), (DRAW, INFINITE));
        assert_eq!(main_search.exact_value(), None);
        assert_eq!((main_search.clamp(-300), main_search.clamp(300)), (-1, 300));
    }

    #[test]
    fn contempt_makes_draws_worse_for_the_root_side_and_better_for_the_other() {
        let config = |game: &str, contempt| {
            let mut config = at_root(START, game);
            config.limits.contempt = contempt;
            config
        };
        let draw_after = |line: &str, ply| {
            with_searcher(config("", 20), |searcher| {
                searcher.make_all(line);
                rule_bounds(searcher, ply, 1).exact_value()
            })
        };
        let scaled = with_searcher(config("", 20), |searcher| searcher.material_scale().apply_rounded_up(20));
        assert!(scaled > 20);
        assert_eq!(draw_after("a0a1 a9a8 a1a0 a8a9 a0a1", 5), Some(scaled));
        assert_eq!(draw_after("a0a1 a9a8 a1a0 a8a9 a0a1 a9a8", 6), Some(-scaled));

        // Values that rest on draws of other worth are kept apart in the table, but not those of the same worth to Red.
        let salt = |game: &str, contempt| with_searcher(config(game, contempt), |searcher| searcher.state.key_salt);
        let [red, black, none] = [salt("", 20), salt("h2e2", 20), salt("", 0)];
        assert!(red != none && black != none && red != black);
        assert_eq!((salt("h2e2", -20), salt("h2e2", 0)), (red, none));
    }

    #[test]
    fn the_clock_is_read_after_a_tablebase() {
        let (tablebases, _) = Tablebases::open(&[]);
        let tablebases = Arc::new(tablebases);
        let reads_clock = |fen: &str| {
            let mut config = at_root(fen, "");
            config.tablebases = Some(Arc::clone(&tablebases));
            with_searcher(config, |searcher| {
                (tablebase_bounds(searcher, 0) != ValueBounds::OPEN, searcher.state.reads_clock)
            })
        };
        // Two elephants and two advisors hold a rook. The start position is in no table.
        assert_eq!(reads_clock("2b1ka3/4a4/4b4/9/9/9/9/9/R3K4/9 b - - 0 1"), (true, true));
        assert_eq!(reads_clock(START), (false, false));
    }

    #[test]
    fn near_the_limit_table_values_are_not_used() {
        let exceeds = |plies: usize, value: Value| {
            let fen = format!("4k4/4a4/4b4/9/9/4R4/9/4B4/4A4/4KA3 w - - {plies} 60");
            with_searcher(at_root(&fen, ""), |searcher| {
                searcher.make_all("e4a4");
                may_exceed_move_limit(searcher, 1, value)
            })
        };
        assert!(!exceeds(110, DRAW) && exceeds(111, DRAW) && exceeds(118, DRAW));
        // A mate counts from the node, whoever gives it, and may take as many plies as are left.
        assert_eq!([19, 20, 21].map(|distance| exceeds(99, mate_in(1 + distance))), [false, false, true]);
        assert_eq!([19, 20, 21].map(|distance| exceeds(99, mated_in(1 + distance))), [false, false, true]);
        assert!(!exceeds(0, mate_in(99)) && !exceeds(99, RULE_WIN) && !exceeds(99, 500));
    }
}
