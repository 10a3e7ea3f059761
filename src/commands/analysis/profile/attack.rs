//! Weight of a player's attack against that of the opponents, by the attack terms of the hand-made evaluation.
//!
//! The attack of a side is the value of its terms of [`ATTACK_GROUPS`](crate::eval::handcrafted::ATTACK_GROUPS), which
//! the option `style` weighs: threats against the king and attackers in the palace. It is measured after each move of
//! the player outside the opening, forced moves aside. The share of the player's attack in both attacks is an
//! observed situation factor (see [`Style`](crate::engine::Style)): 50 % where both attack alike. Who stands better
//! attacks more, whatever the style, so a second number compares each move with the search's first choice in the same
//! position: by how much more the played move attacks.

use crate::commands::analysis::Phase;
use crate::commands::analysis::game::{GameReview, MoveReview};
use crate::eval::handcrafted::attack_values;
use crate::position::Position;
use crate::types::{Side, Value};

/// Attack of a player and of the opponents, added up over moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct AttackBalance {
    /// Number of moves.
    pub moves: usize,
    /// Sum of the player's attack in centipawns, each at least 0.
    pub own: i64,
    /// Sum of the opponents' attack in centipawns, each at least 0.
    pub opponent: i64,
    /// Sum of own less opponent's attack after the move played, less the same after the search's first choice.
    pub preference: i64,
}

impl AttackBalance {
    /// Measures the moves of a side in one game.
    pub fn new(review: &GameReview, side: Side) -> AttackBalance {
        let mut balance = AttackBalance::default();
        let is_counted = |mv: &&MoveReview| mv.side == side && !mv.is_forced && mv.phase != Phase::Opening;
        for mv in review.moves.iter().filter(is_counted) {
            let [own, opponent] = attacks(&review.positions[mv.ply].position, side);
            balance.moves += 1;
            balance.own += i64::from(own);
            balance.opponent += i64::from(opponent);
            if let Some(&best) = mv.best_line.first().filter(|best| **best != mv.mv) {
                let mut alternative = review.positions[mv.ply - 1].position.clone();
                alternative.make(best);
                let [best_own, best_opponent] = attacks(&alternative, side);
                balance.preference += i64::from(own - opponent) - i64::from(best_own - best_opponent);
            }
        }
        balance
    }

    /// Adds the moves of another game.
    pub fn add(&mut self, other: &AttackBalance) {
        self.moves += other.moves;
        self.own += other.own;
        self.opponent += other.opponent;
        self.preference += other.preference;
    }

    /// Returns the means of the player's attack, of the opponents' attack, and of the preference, in centipawns; `None`
    /// without moves.
    pub fn means(&self) -> Option<[f64; 3]> {
        let mean = |sum: i64| sum as f64 / self.moves as f64;
        (self.moves > 0).then(|| [self.own, self.opponent, self.preference].map(mean))
    }

    /// Returns the share of the player's attack in both attacks, from 0 to 1; `None` if neither side attacked.
    pub fn share(&self) -> Option<f64> {
        let both = self.own + self.opponent;
        (both > 0).then(|| self.own as f64 / both as f64)
    }
}

/// Returns the standard error of the mean preference over these games, in centipawns; `None` with fewer than two games.
/// Moves of one game depend on each other, so the games are the sample.
///
/// ```
/// use chuhe::commands::analysis::profile::attack::{AttackBalance, preference_error};
/// let game = |preference| AttackBalance { moves: 10, preference, ..AttackBalance::default() };
/// // Means of 1 and 3 centipawns: the standard deviation is √2, over two games 1.
/// let error = preference_error(&[game(10), game(30)]).unwrap();
/// assert!((error - 1.0).abs() < 1e-9);
/// assert_eq!(preference_error(&[game(10)]), None);
/// ```
pub fn preference_error<'a>(games: impl IntoIterator<Item = &'a AttackBalance>) -> Option<f64> {
    let games: Vec<&AttackBalance> = games.into_iter().filter(|game| game.moves > 0).collect();
    let (moves, sum) =
        games.iter().fold((0.0, 0.0), |(moves, sum), game| (moves + game.moves as f64, sum + game.preference as f64));
    // A ratio of sums over clusters: each game departs from the mean by its sum less what its moves have on average.
    let squares = games.iter().map(|game| (game.preference as f64 - game.moves as f64 * sum / moves).powi(2));
    let count = games.len() as f64;
    (games.len() > 1).then(|| (squares.sum::<f64>() * count / (count - 1.0)).sqrt() / moves)
}

/// Returns the attack of a side and of its opponent, each at least 0.
fn attacks(position: &Position, side: Side) -> [Value; 2] {
    let values = attack_values(position);
    [side, !side].map(|side| values[side.index()].max(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::analysis::Analysis;
    use crate::commands::analysis::game::PositionReview;

    /// A game of one move each: Black's king on an open file opposite a cannon.
    fn review(mv: &str, best: &str, phase: Phase) -> GameReview {
        let before = Position::from_fen("3akab2/9/9/9/9/9/9/2C6/4A4/RN1K5 w").unwrap();
        let mut after = before.clone();
        after.play([mv]).unwrap();
        let reviewed = |position| PositionReview { position, analysis: Analysis::default() };
        let mv = MoveReview {
            ply: 1,
            side: Side::Red,
            mv: mv.parse().unwrap(),
            score: 0,
            best_line: vec![best.parse().unwrap()],
            loss: 0.0,
            mark: None,
            phase,
            is_forced: false,
        };
        GameReview { positions: vec![reviewed(before), reviewed(after)], moves: vec![mv] }
    }

    #[test]
    fn an_attacking_move_raises_the_share_and_is_preferred() {
        // The cannon takes the file of the king with nothing between, or waits.
        let attacking = AttackBalance::new(&review("c2e2", "c2c3", Phase::MiddleGame), Side::Red);
        let quiet = AttackBalance::new(&review("c2c3", "c2e2", Phase::MiddleGame), Side::Red);
        assert!(attacking.own > quiet.own && attacking.share() >= quiet.share(), "{attacking:?} {quiet:?}");
        assert!(attacking.preference > 0 && attacking.preference == -quiet.preference, "{attacking:?} {quiet:?}");
        let own = AttackBalance::new(&review("c2e2", "c2e2", Phase::Ending), Side::Red);
        assert_eq!((own.own, own.preference, own.moves), (attacking.own, 0, 1));
    }

    #[test]
    fn the_opening_and_the_moves_of_the_opponent_do_not_count() {
        let none = AttackBalance::default();
        assert_eq!(AttackBalance::new(&review("c2e2", "c2c3", Phase::Opening), Side::Red), none);
        assert_eq!(AttackBalance::new(&review("c2e2", "c2c3", Phase::MiddleGame), Side::Black), none);
        assert_eq!((none.means(), none.share()), (None, None));
        let mut sum = AttackBalance { moves: 1, own: 30, opponent: 10, preference: -4 };
        sum.add(&AttackBalance { moves: 3, own: 30, opponent: 10, preference: 0 });
        assert_eq!((sum.means(), sum.share()), (Some([15.0, 5.0, -1.0]), Some(0.75)));
    }
}
