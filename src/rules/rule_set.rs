//! Rule sets for repetition.

/// Natural move limit in counted plies, unless the rule set has its own.
pub const DEFAULT_MOVE_LIMIT: u16 = 120;

/// Rules of repetition.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum RuleSet {
    /// The rules that computers play by today: at the third occurrence a perpetual check loses, then a perpetual chase,
    /// where a chase is a new threat to win a piece (see [`crate::rules`]).
    #[default]
    Computer,
    /// The simplified test of the UCCI league manager: at the fourth occurrence, and only for what the piece that just
    /// moved attacks. Its games end after 100 plies without capture, and checks do not count.
    League,
    /// The rules of old servers: at the third occurrence a one-sided perpetual check loses, everything else is a draw.
    Simple,
}

impl RuleSet {
    /// Names in options and arguments, with their rule sets.
    pub const NAMED: [(&'static str, RuleSet); 3] =
        [("computer", RuleSet::Computer), ("league", RuleSet::League), ("simple", RuleSet::Simple)];

    /// Returns the rule set of this name, ignoring case.
    pub fn from_name(name: &str) -> Option<RuleSet> {
        RuleSet::NAMED.into_iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, set)| set)
    }

    /// Returns the name in options and arguments.
    pub fn name(self) -> &'static str {
        RuleSet::NAMED.into_iter().find(|(_, set)| *set == self).map_or("", |(name, _)| name)
    }

    /// Returns the number of occurrences at which a game is judged.
    pub const fn occurrences(self) -> usize {
        match self {
            RuleSet::League => 4,
            RuleSet::Computer | RuleSet::Simple => 3,
        }
    }

    /// Tells whether the natural move limit and dead material are tested before repetition and stalemate.
    pub const fn limits_come_first(self) -> bool {
        matches!(self, RuleSet::League)
    }

    /// Returns the default natural move limit in counted plies.
    pub const fn move_limit(self) -> u16 {
        match self {
            RuleSet::League => 100,
            RuleSet::Computer | RuleSet::Simple => DEFAULT_MOVE_LIMIT,
        }
    }
}

/// Rule set with its natural move limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rules {
    /// Rules of repetition.
    pub set: RuleSet,
    /// Natural move limit in counted plies (see [`crate::rules::MoveCount`]).
    pub move_limit: u16,
}

impl Rules {
    /// Returns a rule set with its default limit.
    pub const fn new(set: RuleSet) -> Rules {
        Rules { set, move_limit: set.move_limit() }
    }
}

impl Default for Rules {
    fn default() -> Rules {
        Rules::new(RuleSet::default())
    }
}
