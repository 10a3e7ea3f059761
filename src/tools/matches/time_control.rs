//! What an engine may spend on its moves, and the clock that is kept of it.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// The longest time that may be set: a day.
pub(super) const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

/// What bounds the moves of an engine.
///
/// ```
/// use std::time::Duration;
/// use chuhe::tools::matches::TimeControl;
///
/// let control: TimeControl = "40/60+0.5".parse()?;
/// assert_eq!(control.to_string(), "40/60+0.5");
/// assert!("1+0.01".parse::<TimeControl>().is_ok());
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TimeControl {
    /// A clock for the game.
    Clock {
        /// What stands on it at first.
        base: Duration,
        /// What is added after each move.
        increment: Duration,
        /// After so many moves the base is added again.
        moves: Option<u32>,
    },
    /// The same time for every move.
    MoveTime(Duration),
    /// So many nodes for every move.
    Nodes(u64),
    /// So many plies of depth for every move.
    Depth(usize),
}

fn seconds(text: &str) -> Result<Duration, String> {
    let number = text.trim().parse::<f64>().ok().filter(|seconds| *seconds >= 0.0);
    let number = number.ok_or_else(|| format!("'{text}' is no number of seconds"))?;
    let duration = Duration::try_from_secs_f64(number).ok().filter(|duration| *duration <= LONGEST);
    duration.ok_or_else(|| format!("{text} seconds are more than a day"))
}

/// Reads `60`, `60+0.5`, `40/60` or `40/60+0.5`: moves, seconds, and seconds for each move.
impl FromStr for TimeControl {
    type Err = String;

    fn from_str(text: &str) -> Result<TimeControl, String> {
        let (moves, rest) = match text.split_once('/') {
            Some((moves, rest)) => (Some(moves), rest),
            None => (None, text),
        };
        let number = |text: &str| text.trim().parse().ok().filter(|moves| *moves > 0);
        let moves = moves.map(|text| number(text).ok_or_else(|| format!("'{text}' is no number of moves")));
        let (base, increment) = rest.split_once('+').unwrap_or((rest, "0"));
        let (base, increment, moves) = (seconds(base)?, seconds(increment)?, moves.transpose()?);
        if base.is_zero() && increment.is_zero() {
            return Err("a clock needs some time".to_owned());
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

/// What an engine has left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Clock {
    control: TimeControl,
    remaining: Duration,
    moves_to_go: Option<u32>,
}

impl Clock {
    /// Before the first move.
    pub fn new(control: TimeControl) -> Clock {
        let (remaining, moves_to_go) = match control {
            TimeControl::Clock { base, increment, moves } => (base.max(increment), moves),
            TimeControl::MoveTime(time) => (time, None),
            TimeControl::Nodes(_) | TimeControl::Depth(_) => (Duration::ZERO, None),
        };
        Clock { control, remaining, moves_to_go }
    }

    /// What bounds the moves.
    pub fn control(&self) -> TimeControl {
        self.control
    }

    /// What is left for the next move; `None` when time plays no part.
    pub fn remaining(&self) -> Option<Duration> {
        matches!(self.control, TimeControl::Clock { .. } | TimeControl::MoveTime(_)).then_some(self.remaining)
    }

    /// What is added after each move.
    pub fn increment(&self) -> Duration {
        match self.control {
            TimeControl::Clock { increment, .. } => increment,
            _ => Duration::ZERO,
        }
    }

    /// How many moves are left until the base is added again.
    pub fn moves_to_go(&self) -> Option<u32> {
        self.moves_to_go
    }

    /// Books a move that took so long. An overstepping of at most `margin` is forgiven, but the time is gone.
    ///
    /// # Errors
    /// By how much the time was overstepped.
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
    fn controls_are_read_and_written() {
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
    fn the_base_comes_again_after_its_moves() {
        let mut clock = Clock::new("2/1".parse().unwrap());
        assert_eq!((clock.remaining(), clock.moves_to_go()), (Some(ms(1000)), Some(2)));
        clock.charge(ms(600), ms(0)).unwrap();
        assert_eq!((clock.remaining(), clock.moves_to_go()), (Some(ms(400)), Some(1)));
        clock.charge(ms(400), ms(0)).unwrap();
        assert_eq!((clock.remaining(), clock.moves_to_go()), (Some(ms(1000)), Some(2)));
    }

    #[test]
    fn a_time_for_each_move_is_not_saved_up() {
        let mut clock = Clock::new(TimeControl::MoveTime(ms(50)));
        clock.charge(ms(10), ms(0)).unwrap();
        assert_eq!(clock.remaining(), Some(ms(50)));
        assert_eq!(clock.charge(ms(60), ms(5)), Err(ms(10)));
        let mut free = Clock::new(TimeControl::Nodes(1000));
        assert_eq!((free.remaining(), free.charge(LONGEST, ms(0))), (None, Ok(())));
    }
}
