//! Which law a game is played under.

/// Natural move limit in counted plies, unless the rule set has its own.
pub const DEFAULT_MOVE_LIMIT: u16 = 120;

/// A law of repetition.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum RuleSet {
    /// The law that computers play by today: at the third occurrence a perpetual check loses, then a perpetual chase,
    /// where a chase is a new threat to win a man (see [`crate::rules`]).
    #[default]
    Computer,
    /// The simplified test of the UCCI league manager: at the fourth occurrence, and only for what the man that just
    /// moved attacks. Its games end after 100 plies without capture, and checks do not count.
    League,
    /// The law of old servers: at the third occurrence a one-sided perpetual check loses, everything else is a draw.
    Simple,
}

impl RuleSet {
    /// The names that options and arguments use, and the rule sets.
    pub const NAMED: [(&'static str, RuleSet); 3] =
        [("computer", RuleSet::Computer), ("league", RuleSet::League), ("simple", RuleSet::Simple)];

    /// The rule set of this name, in any case of letters.
    pub fn from_name(name: &str) -> Option<RuleSet> {
        RuleSet::NAMED.into_iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, set)| set)
    }

    /// The name that options and arguments use.
    pub fn name(self) -> &'static str {
        RuleSet::NAMED.into_iter().find(|(_, set)| *set == self).map_or("", |(name, _)| name)
    }

    /// At which occurrence of a position a game is judged.
    pub const fn occurrences(self) -> usize {
        match self {
            RuleSet::League => 4,
            RuleSet::Computer | RuleSet::Simple => 3,
        }
    }

    /// Whether a game that is drawn by the natural move limit or by material is over before its repetitions are looked
    /// at, and before a stalemate is.
    pub const fn limits_come_first(self) -> bool {
        matches!(self, RuleSet::League)
    }

    /// After how many counted plies without capture a game is a draw, unless something else is agreed on.
    pub const fn move_limit(self) -> u16 {
        match self {
            RuleSet::League => 100,
            RuleSet::Computer | RuleSet::Simple => DEFAULT_MOVE_LIMIT,
        }
    }
}

/// A rule set with its natural move limit: all that has to be agreed on before a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rules {
    /// The law of repetition.
    pub set: RuleSet,
    /// The natural move limit in counted plies (see [`crate::rules::MoveCount`]).
    pub move_limit: u16,
}

impl Rules {
    /// A rule set with the limit that goes with it.
    pub const fn new(set: RuleSet) -> Rules {
        Rules { set, move_limit: set.move_limit() }
    }
}

impl Default for Rules {
    fn default() -> Rules {
        Rules::new(RuleSet::default())
    }
}
