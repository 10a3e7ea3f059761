//! Bounds on the value of a node by the rules of the game and by tablebases, before any move is searched.

use super::params::NEAR_MOVE_LIMIT;
use super::searcher::Searcher;
use crate::rules::Recurrence;
use crate::tablebase::{TablebaseValue, Tablebases, draws_are_exact};
use crate::types::Value;
use crate::types::score::*;

/// Bounds on the value of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ValueBounds {
    /// The least value that it can have.
    pub floor: Value,
    /// The greatest value that it can have.
    pub ceiling: Value,
    /// Part of the key in the transposition table. It keeps a repeated position apart from the same position reached
    /// for the first time: one more occurrence may end the game.
    pub key_salt: u64,
}

impl ValueBounds {
    /// Any value is possible.
    pub const OPEN: ValueBounds = ValueBounds { floor: -INFINITE, ceiling: INFINITE, key_salt: 0 };

    const REPEATED: ValueBounds = ValueBounds { key_salt: 0x6A09_E667_F3BC_C908, ..ValueBounds::OPEN };

    const fn exact(value: Value) -> ValueBounds {
        ValueBounds { floor: value, ceiling: value, key_salt: 0 }
    }

    /// The intersection with the bounds of tablebases. Where the two contradict, these hold: tablebases ignore the
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

    /// The value, if only one is possible.
    #[inline(always)]
    pub fn exact_value(self) -> Option<Value> {
        (self.floor == self.ceiling).then_some(self.floor)
    }

    /// Clamps a value to the bounds.
    #[inline(always)]
    pub fn clamp(self, value: Value) -> Value {
        value.clamp(self.floor, self.ceiling)
    }
}

impl Searcher<'_> {
    /// Returns the bounds of rules and tablebases on the current position, and those of the tablebases alone.
    #[inline(always)]
    pub fn node_bounds(&mut self, ply: usize) -> (ValueBounds, ValueBounds) {
        let rules = self.rule_bounds(ply, 1);
        if rules.exact_value().is_some() {
            return (rules, ValueBounds::OPEN);
        }
        let tablebases = self.tablebase_bounds(ply).unwrap_or(ValueBounds::OPEN);
        (rules.intersect(tablebases), tablebases)
    }

    /// Returns the bounds that the rules set on the current position, `ply` plies below the root.
    ///
    /// If one side must deviate from a repetition to draw, its bound is `slack` on the wrong side of a draw, so that
    /// a line that leads there can still be preferred.
    #[inline]
    pub fn rule_bounds(&self, ply: usize, slack: Value) -> ValueBounds {
        let mut bounds = ValueBounds::OPEN;
        if self.state.occurrences.may_contain(self.position.key()) {
            bounds = self.recurrence_bounds(ply, slack);
        }
        if (bounds.exact_value().is_none() || self.config.rules.set.limits_come_first())
            && self.config.rules.is_exhausted(&self.position, self.state.stack[ply].count)
        {
            bounds = ValueBounds::exact(self.draw_value(ply));
        }
        bounds
    }

    /// Returns the value of a draw for the side to move, `ply` plies below the root: with contempt less than 0 for the
    /// side to move at the root, and as much more for its opponent.
    #[inline]
    fn draw_value(&self, ply: usize) -> Value {
        if ply.is_multiple_of(2) { self.state.draw_value } else { -self.state.draw_value }
    }

    #[cold]
    fn recurrence_bounds(&self, ply: usize, slack: Value) -> ValueBounds {
        let draw = self.draw_value(ply);
        match self.config.rules.recurrence(&self.position, ply, self.state.stack[ply].count) {
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
    /// table ignores: the limit is near, or a mate takes more plies than it leaves. A mate with captures on the way may
    /// hold all the same; a search tells.
    #[inline]
    pub fn may_exceed_move_limit(&self, ply: usize, value: Value) -> bool {
        let left = usize::from(self.config.rules.move_limit).saturating_sub(self.state.stack[ply].count.plies());
        let plies_to_mate = || ((MATE - value.abs()) as usize).saturating_sub(ply);
        left <= NEAR_MOVE_LIMIT || (is_mate(value) && plies_to_mate() > left)
    }

    /// Returns the bounds that tablebases set on the current position, `ply` plies below the root; `None` if it is not
    /// in them.
    ///
    /// They are probed right after captures only. Elsewhere the probe after the last capture has settled the value; and
    /// right after a capture no ply counts towards the natural move limit yet, so that a win within the limit is
    /// certain.
    #[inline]
    pub fn tablebase_bounds(&mut self, ply: usize) -> Option<ValueBounds> {
        let tablebases = self.config.tablebases.as_deref()?;
        if self.position.plies_since_capture() > 0 || !tablebases.may_contain(&self.position) {
            return None;
        }
        self.state.reads_clock = true;
        let bounds = self.probe(tablebases, ply)?;
        self.state.tbhits += 1;
        Some(bounds)
    }

    #[cold]
    fn probe(&self, tablebases: &Tablebases, ply: usize) -> Option<ValueBounds> {
        let limit = self.config.rules.move_limit;
        match tablebases.value(&self.position).ok()? {
            TablebaseValue::Win(plies) if u16::from(plies) <= limit => {
                Some(ValueBounds { floor: TABLEBASE_WIN - ply as Value, ..ValueBounds::OPEN })
            }
            TablebaseValue::Loss(plies) if u16::from(plies) <= limit => {
                Some(ValueBounds { ceiling: -TABLEBASE_WIN + ply as Value, ..ValueBounds::OPEN })
            }
            // If both sides have attackers, a draw may be a loss by perpetual check.
            TablebaseValue::Draw if draws_are_exact(&self.position) => Some(ValueBounds::exact(self.draw_value(ply))),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::searcher::tests::{at_root, with_searcher};
    use super::*;

    /// The bounds after moves of the game before the search and moves within it.
    fn bounds_after(fen: &str, game: &str, line: &str, ply: usize, slack: Value) -> ValueBounds {
        with_searcher(at_root(fen, game), |searcher| {
            searcher.make_all(line);
            searcher.rule_bounds(ply, slack)
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
                searcher.rule_bounds(ply, 1).exact_value()
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
            with_searcher(config, |searcher| (searcher.tablebase_bounds(0).is_some(), searcher.state.reads_clock))
        };
        // Two elephants and two advisors hold a rook. The start position is in no table.
        assert_eq!(reads_clock("2b1ka3/4a4/4b4/9/9/9/9/9/R3K4/9 b - - 0 1"), (true, true));
        assert_eq!(reads_clock(START), (false, false));
    }

    #[test]
    fn near_the_limit_table_values_are_not_used() {
        let near = |plies: usize| {
            let fen = format!("4k4/4a4/4b4/9/9/4R4/9/4B4/4A4/4KA3 w - - {plies} 60");
            with_searcher(at_root(&fen, ""), |searcher| {
                searcher.make_all("e4a4");
                searcher.may_exceed_move_limit(1, DRAW)
            })
        };
        assert!(!near(110) && near(111) && near(118));
        // A mate counts from the node, whoever gives it, and may take as many plies as are left.
        let exceeds = |plies: usize, value: Value| {
            let fen = format!("4k4/4a4/4b4/9/9/4R4/9/4B4/4A4/4KA3 w - - {plies} 60");
            with_searcher(at_root(&fen, ""), |searcher| {
                searcher.make_all("e4a4");
                searcher.may_exceed_move_limit(1, value)
            })
        };
        assert_eq!([19, 20, 21].map(|distance| exceeds(99, mate_in(1 + distance))), [false, false, true]);
        assert_eq!([19, 20, 21].map(|distance| exceeds(99, mated_in(1 + distance))), [false, false, true]);
        assert!(!exceeds(0, mate_in(99)) && !exceeds(99, RULE_WIN) && !exceeds(99, 500));
    }
}
