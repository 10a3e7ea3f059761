//! Time control: limits of the moves of an engine, and its clock.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// Longest time that can be set: one day.
pub(super) const MAX_TIME: Duration = Duration::from_secs(24 * 60 * 60);

/// Limit of the moves of an engine.
///
/// ```
/// use std::time::Duration;
/// use chuhe::commands::matches::TimeControl;
///
/// let control: TimeControl = "40/60+0.5".parse()?;
/// assert_eq!(control.to_string(), "40/60+0.5");
/// assert!("1+0.01".parse::<TimeControl>().is_ok());
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TimeControl {
    /// Clock for the game.
    Clock {
        /// Initial time.
        base: Duration,
        /// Time added after each move.
        increment: Duration,
        /// Number of moves after which the base time is added again.
        moves: Option<u32>,
    },
    /// Fixed time for every move.
    MoveTime(Duration),
    /// Fixed nodes for every move.
    Nodes(u64),
    /// Fixed depth in plies for every move.
    Depth(usize),
}

fn seconds(text: &str) -> Result<Duration, String> {
    let number = text.trim().parse::<f64>().ok().filter(|seconds| *seconds >= 0.0);
    let number = number.ok_or_else(|| format!("'{text}' is not a number of seconds"))?;
    let duration = Duration::try_from_secs_f64(number).ok().filter(|duration| *duration <= MAX_TIME);
    duration.ok_or_else(|| format!("{text} seconds are more than a day"))
}

/// Parses `60`, `60+0.5`, `40/60` or `40/60+0.5`: moves, seconds, and seconds for each move.
impl FromStr for TimeControl {
    type Err = String;

    fn from_str(text: &str) -> Result<TimeControl, String> {
        let (moves, rest) = match text.split_once('/') {
            Some((moves, rest)) => (Some(moves), rest),
            None => (None, text),
        };
        let number = |text: &str| text.trim().parse().ok().filter(|moves| *moves > 0);
        let moves = moves.map(|text| number(text).ok_or_else(|| format!("'{text}' is not a number of moves")));
        let (base, increment) = rest.split_once('+').unwrap_or((rest, "0"));
        let (base, increment, moves) = (seconds(base)?, seconds(increment)?, moves.transpose()?);
        if base.is_zero() && increment.is_zero() {
            return Err("the clock has no time".to_owned());
        }
        Ok(TimeControl::Clock { base, increment, moves })
    }
}

impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TimeControl::Clock { base, increment, moves } => {
                if let Some(moves) = moves {
                    write!(f, "{moves}/")?;
                }
                write!(f, "{}", base.as_secs_f64())?;
                if !increment.is_zero() {
                    write!(f, "+{}", increment.as_secs_f64())?;
                }
                Ok(())
            }
            TimeControl::MoveTime(time) => write!(f, "{} ms a move", time.as_millis()),
            TimeControl::Nodes(nodes) => write!(f, "{nodes} nodes a move"),
            TimeControl::Depth(depth) => write!(f, "depth {depth}"),
        }
    }
}

/// Clock of one engine in a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Clock {
    control: TimeControl,
    remaining: Duration,
    moves_to_go: Option<u32>,
}

impl Clock {
    /// Creates the clock before the first move.
    pub fn new(control: TimeControl) -> Clock {
        let (remaining, moves_to_go) = match control {
            TimeControl::Clock { base, increment, moves } => (base.max(increment), moves),
            TimeControl::MoveTime(time) => (time, None),
            TimeControl::Nodes(_) | TimeControl::Depth(_) => (Duration::ZERO, None),
        };
        Clock { control, remaining, moves_to_go }
    }

    /// Returns the limit of the moves.
    pub fn control(&self) -> TimeControl {
        self.control
    }

    /// Returns the time left for the next move; `None` without a time limit.
    pub fn remaining(&self) -> Option<Duration> {
        matches!(self.control, TimeControl::Clock { .. } | TimeControl::MoveTime(_)).then_some(self.remaining)
    }

    /// Returns the time added after each move.
    pub fn increment(&self) -> Duration {
        match self.control {
            TimeControl::Clock { increment, .. } => increment,
            _ => Duration::ZERO,
        }
    }

    /// Returns the number of moves until the base time is added again.
    pub fn moves_to_go(&self) -> Option<u32> {
        self.moves_to_go
    }

    /// Charges the time of a move. Overstepping by at most `margin` is tolerated.
    ///
    /// # Errors
    /// The time by which the clock was overstepped beyond the margin.
    pub fn charge(&mut self, elapsed: Duration, margin: Duration) -> Result<(), Duration> {
        let Some(remaining) = self.remaining() else { return Ok(()) };
        let overstepped = elapsed.saturating_sub(remaining);
        if overstepped > margin {
            return Err(overstepped);
        }
        if let TimeControl::Clock { base, increment, moves } = self.control {
            self.remaining = remaining.saturating_sub(elapsed) + increment;
            self.moves_to_go = self.moves_to_go.map(|left| left - 1);
            if self.moves_to_go == Some(0) {
                self.remaining += base;
                self.moves_to_go = moves;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(number: u64) -> Duration {
        Duration::from_millis(number)
    }

    #[test]
    fn controls_round_trip_through_text() {
        for text in ["1+0.01", "60", "40/60", "40/60+0.5", "0+1"] {
            assert_eq!(text.parse::<TimeControl>().unwrap().to_string(), text);
        }
        for text in ["", "x", "-1", "0", "0/60", "40/", "1+", "1e9", "NaN", "inf", "1+-1"] {
            assert!(text.parse::<TimeControl>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_clock_gains_its_increment_and_loses_what_was_used() {
        let mut clock = Clock::new("1+0.1".parse().unwrap());
        assert_eq!(clock.charge(ms(300), ms(0)), Ok(()));
        assert_eq!(clock.remaining(), Some(ms(800)));
        assert_eq!(clock.charge(ms(810), ms(10)), Ok(()));
        assert_eq!(clock.remaining(), Some(ms(100)));
        assert_eq!(clock.charge(ms(111), ms(10)), Err(ms(11)));
    }

    #[test]
    fn the_base_time_is_added_after_its_moves() {
        let mut clock = Clock::new("2/1".parse().unwrap());
        assert_eq!((clock.remaining(), clock.moves_to_go()), (Some(ms(1000)), Some(2)));
        clock.charge(ms(600), ms(0)).unwrap();
        assert_eq!((clock.remaining(), clock.moves_to_go()), (Some(ms(400)), Some(1)));
        clock.charge(ms(400), ms(0)).unwrap();
        assert_eq!((clock.remaining(), clock.moves_to_go()), (Some(ms(1000)), Some(2)));
    }

    #[test]
    fn fixed_move_time_does_not_accumulate() {
        let mut clock = Clock::new(TimeControl::MoveTime(ms(50)));
        clock.charge(ms(10), ms(0)).unwrap();
        assert_eq!(clock.remaining(), Some(ms(50)));
        assert_eq!(clock.charge(ms(60), ms(5)), Err(ms(10)));
        let mut free = Clock::new(TimeControl::Nodes(1000));
        assert_eq!((free.remaining(), free.charge(MAX_TIME, ms(0))), (None, Ok(())));
    }
}
