//! Choice of a turn: alpha-beta on turns of two stones, among the best three points for each stone.
//!
//! 1. A line that can be completed in this turn is completed.
//! 2. A win by continuous double threats is played.
//! 3. Alpha-beta to a fixed depth in turns chooses among the candidates; against threats these are the sets of points
//!    that stop them. Candidates after which the opponent wins by double threats come last.
//! 4. Second evaluation (Li 2010, section 3.2): where the player's share of strength at the end of the expected
//!    variation has shifted by more than a threshold since its last turn, the situation factor changes and step 3 is
//!    repeated.

use arrayvec::ArrayVec;

use crate::board::{Point, Side, Turn};
use crate::evaluation::{Leaf, Position, Score, UNTUNED, Values};
use crate::threats::{ThreatSearch, completion, covers, threat_count};

/// Candidates for each stone.
const BEAM: usize = 3;
/// Candidates of a turn: three times three, in whatever order, or the sets against threats, at most two of which are
/// single points and leave three second stones.
const MAX_TURNS: usize = 9;
pub const MAX_DEPTH: usize = 8;

/// Change of the share in thousandths beyond which the factor changes, its step and range in percent.
const THRESHOLD: i32 = 20;
const STEP: i32 = 5;
const RANGE: (i32, i32) = (20, 80);

/// How a player plays.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Settings {
    pub values: Values,
    pub leaf: Leaf,
    /// Whether the situation factor follows the game.
    pub second_evaluation: bool,
    /// Depth in turns; 0 places each stone on the best point, as algorithm 3.1 does.
    pub depth: usize,
    /// Limit of nodes of a search for double threats; 0 turns it off.
    pub threat_nodes: u64,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { values: UNTUNED, leaf: Leaf::Vector, second_evaluation: false, depth: 3, threat_nodes: 2_000 }
    }
}

/// Player of one side in one game.
pub struct Player {
    settings: Settings,
    /// The game; stones of both sides are played here.
    pub position: Position,
    /// Situation factor: the weight of the player's own shapes in percent.
    factor: i32,
    /// The player's share of strength at the end of the variation expected at its last turn, in thousandths.
    share: Option<i32>,
    /// Side for which the tree is searched.
    root_side: Side,
}

/// Score of alpha-beta with the expected variation.
type Expected = (Score, Vec<Turn>);

impl Player {
    pub fn new(settings: Settings) -> Player {
        let position = Position::new(settings.values);
        Player { settings, position, factor: 50, share: None, root_side: Side::Black }
    }

    /// Chooses the stones for the rest of the turn of the side to move. The game must not be over.
    pub fn choose(&mut self) -> Turn {
        let board = self.position.board();
        let count = board.stones_left().min(board.empty_count());
        let mut turn = if board.stone_count() == 0 {
            Turn::from_iter([Point::CENTRE])
        } else if self.settings.depth == 0 {
            Turn::new()
        } else {
            let found = completion(board).or_else(|| self.double_threat().filter(|_| count == 2));
            found.unwrap_or_else(|| if count == 2 { self.evaluated_turn() } else { Turn::new() })
        };
        // One stone may be enough to complete a line.
        self.position.play(&turn);
        while turn.len() < count {
            let best = self.position.best_points::<1>();
            self.position.play(&best);
            turn.extend(best);
        }
        self.position.take_back(count);
        turn
    }

    /// Returns the first turn of a win by continuous double threats.
    fn double_threat(&self) -> Option<Turn> {
        let mut search = ThreatSearch::new(self.settings.threat_nodes, ThreatSearch::FREE_STONES);
        search.search(&mut self.position.board().clone(), ThreatSearch::MAX_DEPTH).map(|(turn, _)| turn)
    }

    fn evaluated_turn(&mut self) -> Turn {
        self.root_side = self.position.board().side();
        let mut candidates = self.candidates();
        let safe: ArrayVec<Turn, MAX_TURNS> =
            candidates.iter().filter(|turn| !self.loses_to_threats(turn)).cloned().collect();
        if !safe.is_empty() {
            candidates = safe;
        }
        let (depth, all) = (self.settings.depth, (Score::MIN, Score::MAX));
        let (_, mut variation) = self.best_of(&candidates, depth, 0, all);
        if self.settings.second_evaluation {
            let share = self.share_after(&variation);
            let factor = factor_after(self.factor, self.share.map_or(0, |earlier| share - earlier));
            if factor != self.factor {
                self.factor = factor;
                (_, variation) = self.best_of(&candidates, depth, 0, all);
            }
            self.share = Some(self.share_after(&variation));
        }
        variation.into_iter().next().unwrap_or_default()
    }

    /// Returns whether the opponent has a win by continuous double threats after a turn.
    fn loses_to_threats(&mut self, turn: &Turn) -> bool {
        self.position.play(turn);
        let is_lost = self.position.board().result().is_none() && self.double_threat().is_some();
        self.position.take_back(turn.len());
        is_lost
    }

    /// Returns the share of the root's side at the end of a variation.
    fn share_after(&mut self, variation: &[Turn]) -> i32 {
        variation.iter().for_each(|turn| self.position.play(turn));
        let share = self.position.share(self.root_side);
        self.position.take_back(variation.iter().map(|turn| turn.len()).sum());
        share
    }

    /// Fail-soft alpha-beta below a position at the start of a turn. `turns` is its distance from the root.
    fn search(&mut self, depth: usize, turns: usize, window: (Score, Score)) -> Expected {
        let board = self.position.board();
        let side = board.side();
        let end = if completion(board).is_some() {
            Score::win(turns + 1)
        } else if board.empty_count() < 2 {
            Score::default()
        } else if threat_count(board, side.other()) > 2 {
            -Score::win(turns + 2)
        } else if depth == 0 {
            self.leaf(side)
        } else {
            let candidates = self.candidates();
            return self.best_of(&candidates, depth, turns, window);
        };
        (end, Vec::new())
    }

    fn best_of(&mut self, candidates: &[Turn], depth: usize, turns: usize, window: (Score, Score)) -> Expected {
        let ((mut alpha, beta), mut best) = (window, (Score::MIN, Vec::new()));
        for turn in candidates {
            self.position.play(turn);
            let (score, variation) = self.search(depth - 1, turns + 1, (-beta, -alpha));
            self.position.take_back(turn.len());
            if -score > best.0 || best.1.is_empty() {
                best = (-score, std::iter::once(turn.clone()).chain(variation).collect());
                alpha = alpha.max(-score);
                if alpha >= beta {
                    break;
                }
            }
        }
        best
    }

    fn leaf(&self, side: Side) -> Score {
        let mut factors = [100 - self.factor; 2];
        factors[self.root_side.index()] = self.factor;
        self.position.evaluate(self.settings.leaf, factors, side)
    }

    /// Returns the turns to search, best first: the sets that stop the threats of the opponent, completed by the best
    /// points.
    fn candidates(&mut self) -> ArrayVec<Turn, MAX_TURNS> {
        let board = self.position.board();
        let mut turns = ArrayVec::new();
        let sets = covers(board, board.side().other());
        for set in if sets.is_empty() { ArrayVec::from_iter([Turn::new()]) } else { sets } {
            self.add_completions(&set, &mut turns);
        }
        turns
    }

    fn add_completions(&mut self, set: &Turn, turns: &mut ArrayVec<Turn, MAX_TURNS>) {
        if set.is_full() {
            let is_new = !turns.iter().any(|turn| set.iter().all(|point| turn.contains(point)));
            turns.extend(is_new.then(|| set.clone()));
            return;
        }
        self.position.play(set);
        let points = self.position.best_points::<BEAM>();
        self.position.take_back(set.len());
        for point in points {
            let mut larger = set.clone();
            larger.push(point);
            self.add_completions(&larger, turns);
        }
    }
}

/// Returns the situation factor after a change of the share: more attack where it rises.
fn factor_after(factor: i32, change: i32) -> i32 {
    let step = if change.abs() > THRESHOLD { change.signum() * STEP } else { 0 };
    (factor + step).clamp(RANGE.0, RANGE.1)
}

#[cfg(test)]
mod tests {
    use chuhe::util::math::StableRandom;

    use super::*;
    use crate::board::tests::random_game;
    use crate::board::{Board, POINTS};
    use crate::opening::random_stones;

    /// Plays a game of two players from random stones.
    fn play_game(settings: [Settings; 2], seed: u64) -> Board {
        let mut players = settings.map(Player::new);
        players.iter_mut().for_each(|player| player.position.play(&random_stones(&mut StableRandom::new(seed, 0))));
        loop {
            let board = players[0].position.board();
            if board.result().is_some() {
                return board.clone();
            }
            let turn = players[board.side().index()].choose();
            players[0].position.board().check(&turn).unwrap();
            players.iter_mut().for_each(|player| player.position.play(&turn));
        }
    }

    /// Full minimax among the same candidates.
    fn minimax(player: &mut Player, depth: usize, turns: usize) -> Score {
        let board = player.position.board();
        let side = board.side();
        if completion(board).is_some() {
            return Score::win(turns + 1);
        }
        if threat_count(board, side.other()) > 2 {
            return -Score::win(turns + 2);
        }
        if depth == 0 {
            return player.leaf(side);
        }
        let mut best = Score::MIN;
        for turn in player.candidates() {
            player.position.play(&turn);
            best = best.max(-minimax(player, depth - 1, turns + 1));
            player.position.take_back(2);
        }
        best
    }

    #[test]
    fn alpha_beta_finds_the_value_of_minimax() {
        let (mut compared, mut decided) = (0, 0);
        for seed in 0..40 {
            for leaf in [Leaf::Vector, Leaf::Sum] {
                let mut player = Player::new(Settings { leaf, ..Settings::default() });
                player.factor = 35 + 10 * (seed as i32 % 4);
                random_game(seed, |board| {
                    player.position.play(&[board.history().next_back().unwrap()]);
                    let is_start = board.stones_left() == 2 && board.stone_count() % 6 == 1;
                    if !is_start || board.result().is_some() || board.stone_count() > 60 {
                        return;
                    }
                    player.root_side = board.side();
                    let before = player.position.clone();
                    let expected = minimax(&mut player, 2, 0);
                    let (found, _) = player.search(2, 0, (Score::MIN, Score::MAX));
                    assert_eq!((found, &player.position), (expected, &before));
                    compared += 1;
                    decided += usize::from(expected.max(-expected) >= Score::win(usize::MAX));
                });
            }
        }
        assert!(compared > 100 && decided > 10, "{compared} {decided}");
    }

    #[test]
    fn lines_are_completed_and_threats_stopped() {
        // White completes a line, and Black stops one.
        for stones in ["J10 A1 B1 J12 J14 C1 D1 A5 C9", "J10 A1 B1 J12 J14 C1 D1"] {
            let mut player = Player::new(Settings::default());
            stones.split(' ').for_each(|name| player.position.play(&[name.parse().unwrap()]));
            let found: Vec<String> = player.choose().iter().map(Point::to_string).collect();
            assert!(found.len() == 2 && found.iter().any(|name| ["E1", "F1"].contains(&name.as_str())), "{found:?}");
        }
    }

    #[test]
    fn the_first_and_the_last_stones_are_placed() {
        let is_black = |point: &Point| (point.column() + 2 * point.row()) / 2 % 2 == 0;
        for depth in [0, 2] {
            let mut player = Player::new(Settings { depth, ..Settings::default() });
            assert_eq!(player.choose()[..], [Point::CENTRE]);
            // A full board but for the last turn.
            let mut points: Vec<Point> = Point::all().collect();
            while player.position.board().empty_count() > 2 {
                let side = player.position.board().side();
                let next = points.iter().position(|point| is_black(point) == (side == Side::Black)).unwrap_or(0);
                player.position.play(&[points.remove(next)]);
            }
            let turn = player.choose();
            player.position.board().check(&turn).unwrap();
            player.position.play(&turn[..1]);
            let last = player.choose();
            player.position.play(&last);
            assert_eq!(player.position.board().stone_count(), POINTS);
        }
    }

    #[test]
    fn the_factor_follows_the_share() {
        assert_eq!([-21, -20, 0, 20, 21].map(|change| factor_after(50, change)), [45, 50, 50, 50, 55]);
        assert_eq!((factor_after(80, 900), factor_after(20, -900)), (80, 20));
        // The second evaluation changes games.
        let plain = Settings::default();
        let second = Settings { second_evaluation: true, ..plain };
        let differ = |seed| play_game([plain; 2], seed) != play_game([second, plain], seed);
        assert!((0..10).any(differ));
    }
}
