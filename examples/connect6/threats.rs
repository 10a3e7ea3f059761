//! Threats, their defences, and the search for wins by continuous double threats.
//!
//! A line with four or five stones of one side and none of the other is a threat: its owner completes it in one turn,
//! so the opponent must place a stone on it. The number of threats of a side is the smallest number of stones that stop
//! all of them (Li 2010, section 2.3.1, after Wu & Huang 2005). Three threats win, since a turn has two stones; two
//! leave the opponent no free stone, so few replies have to be searched, and a win of that kind is proved by trying all.

use std::collections::{BTreeSet, HashMap};

use arrayvec::ArrayVec;

use crate::board::{Board, Line, POINTS, Point, ROW, Side, Turn};

/// Returns the sets of at most two points that stop all threats of a side, without those that contain another: one empty
/// set where there is no threat, none against three threats.
pub fn covers(board: &Board, attacker: Side) -> ArrayVec<Turn, 4> {
    let threats: Vec<Line> = board.threats(attacker).collect();
    let mut sets = ArrayVec::new();
    complete_cover(board, &threats, Turn::new(), &mut sets);
    let all = sets.clone();
    let mut index = 0..;
    sets.retain(|set| {
        let earlier = &all[..index.next().unwrap_or(0)];
        let holds = |other: &Turn| other.iter().all(|point| set.contains(point));
        !earlier.iter().any(holds) && !all.iter().any(|other| other.len() < set.len() && holds(other))
    });
    sets
}

/// Adds sets that contain `set` and stop the threats. One of the two points that stop the first threat it misses must be
/// in them.
fn complete_cover(board: &Board, threats: &[Line], set: Turn, sets: &mut ArrayVec<Turn, 4>) {
    let is_missed = |line: &&Line| !board.empty_points_of(**line).any(|point| set.contains(&point));
    match threats.iter().find(is_missed) {
        None => sets.push(set),
        Some(_) if set.is_full() => {}
        Some(&missed) => {
            for point in board.empty_points_of(missed) {
                complete_cover(board, threats, set.iter().copied().chain([point]).collect(), sets);
            }
        }
    }
}

/// Returns the number of threats of a side, at most 3.
pub fn threat_count(board: &Board, attacker: Side) -> usize {
    covers(board, attacker).iter().map(|set| set.len()).min().unwrap_or(3)
}

/// Returns the points that complete a line of the side to move in this turn.
pub fn completion(board: &Board) -> Option<Turn> {
    let side = board.side();
    let counts = (ROW - board.stones_left()..ROW).rev();
    let line = counts.flat_map(|count| board.open_lines(side, count).iter()).next()?;
    Some(board.empty_points_of(line).collect())
}

/// Search for wins by continuous double threats.
pub struct ThreatSearch {
    /// Number of points tried for a second stone that is not needed, because the first makes two threats.
    free_stones: usize,
    /// Attacking turns that may still be tried; the search ends without a result at 0.
    pub nodes_left: u64,
    /// Whether an attack was cut by the depth.
    is_cut: bool,
    /// By position of the attacker: the depth to which there is no win.
    refuted: HashMap<u64, usize>,
}

impl ThreatSearch {
    /// Maximum number of attacking turns.
    pub const MAX_DEPTH: usize = 20;
    pub const FREE_STONES: usize = 4;

    pub fn new(nodes: u64, free_stones: usize) -> ThreatSearch {
        ThreatSearch { free_stones, nodes_left: nodes, is_cut: false, refuted: HashMap::new() }
    }

    /// Searches for a shortest win of the side to move at the start of its turn, whose attacking turns each leave at least
    /// two threats and the opponent none. Returns the first of them and their number.
    pub fn search(&mut self, board: &mut Board, max_depth: usize) -> Option<(Turn, usize)> {
        for depth in 1..=max_depth {
            self.is_cut = false;
            let found = self.attack(board, depth);
            // Where no attack reached the depth, a deeper search finds none either.
            if found.is_some() || !self.is_cut || self.nodes_left == 0 {
                return found;
            }
        }
        None
    }

    /// Returns the first turn of a win with its depth.
    fn attack(&mut self, board: &mut Board, depth: usize) -> Option<(Turn, usize)> {
        if let Some(turn) = completion(board) {
            return Some((turn, 0));
        }
        if depth == 0 || self.refuted.get(&board.key()).is_some_and(|&refuted| refuted >= depth) {
            self.is_cut = true;
            return None;
        }
        let attacker = board.side();
        let mut doubles: Vec<(Turn, ArrayVec<Turn, 4>)> = Vec::new();
        for turn in self.attacking_turns(board) {
            self.nodes_left = self.nodes_left.checked_sub(1)?;
            board.play(&turn);
            // A threat of the opponent would be completed first.
            let sets = board.threats(attacker.other()).next().is_none().then(|| covers(board, attacker));
            board.take_back(2);
            match sets {
                Some(sets) if sets.is_empty() => return Some((turn, 1)),
                Some(sets) if sets.iter().all(|set| set.len() == 2) => doubles.push((turn, sets)),
                _ => {}
            }
        }
        for (turn, sets) in doubles {
            board.play(&turn);
            let longest = self.after_all(board, &sets, depth);
            board.take_back(2);
            if let Some(longest) = longest {
                return Some((turn, longest + 1));
            }
        }
        if self.nodes_left > 0 {
            self.refuted.insert(board.key(), depth);
        }
        None
    }

    /// Returns the depth of the longest win after the defences, if all of them lose.
    fn after_all(&mut self, board: &mut Board, defences: &[Turn], depth: usize) -> Option<usize> {
        let mut longest = 0;
        for set in defences {
            board.play(set);
            let found = self.attack(board, depth - 1);
            board.take_back(2);
            longest = longest.max(found?.1);
        }
        Some(longest)
    }

    /// Returns all turns that may make two threats: two stones that each make a threat on a line of three, two stones on a
    /// line of two, or one stone that makes two threats, with another on one of the best points.
    fn attacking_turns(&self, board: &mut Board) -> Vec<Turn> {
        let attacker = board.side();
        let threes = board.open_lines(attacker, 3).iter().flat_map(|line| board.empty_points_of(line));
        let single: Vec<Point> = threes.collect::<BTreeSet<Point>>().into_iter().collect();
        let mut turns: BTreeSet<[Point; 2]> = BTreeSet::new();
        for (index, &one) in single.iter().enumerate() {
            turns.extend(single[index + 1..].iter().map(|&other| [one, other]));
        }
        for line in board.open_lines(attacker, 2).iter() {
            let empty: ArrayVec<Point, 4> = board.empty_points_of(line).collect();
            for (index, &one) in empty.iter().enumerate() {
                turns.extend(empty[index + 1..].iter().map(|&other| [one.min(other), one.max(other)]));
            }
        }
        let mut free = None;
        for &one in &single {
            board.play(&[one]);
            let threats = threat_count(board, attacker);
            board.take_back(1);
            if threats >= 2 {
                let free: &Vec<Point> = free.get_or_insert_with(|| self.free_points(board));
                let others = free.iter().filter(|&&other| other != one);
                turns.extend(others.map(|&other| [one.min(other), one.max(other)]));
            }
        }
        turns.into_iter().map(Turn::from).collect()
    }

    /// Returns the points for a stone that is not needed: those that stop threats of the opponent, then those on lines
    /// with most stones of the attacker.
    fn free_points(&self, board: &Board) -> Vec<Point> {
        let attacker = board.side();
        let mut worth = [0_u32; POINTS];
        for count in 1..=3 {
            for line in board.open_lines(attacker, count).iter() {
                board.empty_points_of(line).for_each(|point| worth[point.index()] += 1 << (3 * count));
            }
        }
        let stops = board.threats(attacker.other()).flat_map(|line| board.empty_points_of(line));
        let stops: BTreeSet<Point> = stops.collect();
        let mut points: Vec<Point> = Point::all().filter(|&point| board.is_empty(point)).collect();
        points.sort_by_key(|point| (!stops.contains(point), std::cmp::Reverse(worth[point.index()]), *point));
        // One more, since the first stone may be among them.
        points.truncate(stops.len().saturating_add(self.free_stones).saturating_add(1));
        points
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use chuhe::util::math::StableRandom;

    use super::*;
    use crate::board::DIRECTIONS;
    use crate::board::tests::random_game;

    fn board_of(black: &str, white: &str) -> Board {
        let stones = |names: &str, side| -> Vec<(Point, Side)> {
            names.split_whitespace().map(|name| (name.parse().unwrap(), side)).collect()
        };
        Board::with_stones(&[stones(black, Side::Black), stones(white, Side::White)].concat(), Side::Black)
    }

    /// Empty points of each threat, found by walking over the stones.
    fn threats_by_definition(stones: &[Option<Side>], attacker: Side) -> Vec<Vec<usize>> {
        let mut threats = Vec::new();
        for (columns, rows) in DIRECTIONS {
            for start in Point::all() {
                let line = (0..6).map_while(|step| start.offset(step * columns, step * rows).map(Point::index));
                let own = line.clone().filter(|&point| stones[point] == Some(attacker)).count();
                if own >= 4 {
                    let empty: Vec<usize> = line.filter(|&point| stones[point].is_none()).collect();
                    threats.extend((own + empty.len() == 6).then_some(empty));
                }
            }
        }
        threats
    }

    /// All pairs of empty points that stop all threats, by trying every pair.
    fn stopping_pairs(empty: &[usize], threats: &[Vec<usize>]) -> Vec<[usize; 2]> {
        let pairs =
            empty.iter().enumerate().flat_map(|(index, &one)| empty[index + 1..].iter().map(move |&b| [one, b]));
        pairs.filter(|pair| threats.iter().all(|threat| pair.iter().any(|point| threat.contains(point)))).collect()
    }

    /// Number of attacking turns of the shortest win by continuous double threats, trying all pairs of stones.
    fn shortest_win(stones: &mut [Option<Side>], attacker: Side, depth: usize) -> Option<usize> {
        if !threats_by_definition(stones, attacker).is_empty() {
            return Some(0);
        }
        if depth == 0 {
            return None;
        }
        let empty: Vec<usize> = (0..POINTS).filter(|&point| stones[point].is_none()).collect();
        let mut best = None;
        for pair in stopping_pairs(&empty, &[]) {
            pair.iter().for_each(|&point| stones[point] = Some(attacker));
            let left: Vec<usize> = empty.iter().copied().filter(|point| !pair.contains(point)).collect();
            let threats = threats_by_definition(stones, attacker);
            let is_attack = !threats.is_empty()
                && threats_by_definition(stones, attacker.other()).is_empty()
                && !left.iter().any(|point| threats.iter().all(|threat| threat.contains(point)));
            if is_attack {
                let mut longest = Some(0);
                for defence in stopping_pairs(&left, &threats) {
                    defence.iter().for_each(|&point| stones[point] = Some(attacker.other()));
                    let found = shortest_win(stones, attacker, depth - 1);
                    defence.iter().for_each(|&point| stones[point] = None);
                    longest = longest.zip(found).map(|(longest, found)| longest.max(found));
                    if longest.is_none() {
                        break;
                    }
                }
                best = best.into_iter().chain(longest.map(|longest| longest + 1)).min();
            }
            pair.iter().for_each(|&point| stones[point] = None);
            if best == Some(1) {
                break;
            }
        }
        best
    }

    /// Random position in a square of 7 × 7 points, which are mostly empty; the board around it is full.
    fn small_case(seed: u64) -> Board {
        let mut random = StableRandom::new(seed, 1);
        let [left, lower, shift, share] = [13, 13, 4, 30].map(|count| random.below(count));
        let is_inside = |place: i32, low: usize| (low as i32..low as i32 + 7).contains(&place);
        let mut stones = Vec::new();
        for point in Point::all() {
            let (column, row) = (point.column(), point.row());
            let is_black = if !is_inside(column, left) || !is_inside(row, lower) {
                // Not three in a row along any direction.
                (column + 2 * row + shift as i32) / 2 % 2 == 0
            } else if random.below(100) < 10 + share {
                random.below(5) < 3
            } else {
                continue;
            };
            stones.push((point, if is_black { Side::Black } else { Side::White }));
        }
        Board::with_stones(&stones, Side::Black)
    }

    #[test]
    fn covers_agree_with_trying_all_pairs() {
        let mut counts = [0; 4];
        for seed in 0..20 {
            random_game(seed, |board| {
                for attacker in Side::BOTH {
                    counts[threat_count(board, attacker)] += 1;
                    let stones: Vec<Option<Side>> = Point::all().map(|point| board.stone(point)).collect();
                    let threats = threats_by_definition(&stones, attacker);
                    assert_eq!(board.threats(attacker).next().is_some(), !threats.is_empty());
                    let empty: Vec<usize> = (0..POINTS).filter(|&point| stones[point].is_none()).collect();
                    let pairs = if threats.is_empty() { Vec::new() } else { stopping_pairs(&empty, &threats) };
                    let with = |one: usize, other: usize| [one.min(other), one.max(other)];
                    let found = covers(board, attacker).into_iter().flat_map(|set| match set[..] {
                        [] => Vec::new(),
                        [one] => empty.iter().filter(|&&p| p != one.index()).map(|&p| with(one.index(), p)).collect(),
                        _ => vec![with(set[0].index(), set[1].index())],
                    });
                    if board.result().is_none() {
                        assert_eq!(found.collect::<HashSet<_>>(), pairs.into_iter().collect());
                    }
                }
            });
        }
        assert!(counts.iter().all(|&count| count > 10), "{counts:?}");
    }

    #[test]
    fn wins_agree_with_brute_force() {
        let mut found = [0; 3];
        for seed in 0..80 {
            let mut board = small_case(seed);
            if board.result().is_some() || completion(&board).is_some() {
                continue;
            }
            let mut stones: Vec<Option<Side>> = Point::all().map(|point| board.stone(point)).collect();
            let expected = shortest_win(&mut stones, Side::Black, 2);
            let before = board.clone();
            let depth = ThreatSearch::new(u64::MAX, POINTS).search(&mut board, 2).map(|(_, depth)| depth);
            assert_eq!((depth, &board), (expected, &before), "case {seed}");
            found[expected.unwrap_or(0)] += 1;
        }
        assert!(found.iter().all(|&count| count > 2), "{found:?}");
    }

    #[test]
    fn wins_wait_for_threats_of_the_opponent_and_limits_are_kept() {
        let search = |black: &str, white: &str, nodes: u64| {
            let mut search = ThreatSearch::new(nodes, ThreatSearch::FREE_STONES);
            let found = search.search(&mut board_of(black, white), 8);
            (found.map(|(_, depth)| depth), search.nodes_left > 0)
        };
        assert_eq!(search("C5 D5 E5 M12 N12 O12", "A1 A3 S1 S3", 10_000), (Some(1), true));
        assert_eq!(search("C5 D5 E5 M12 N12 O12", "A1 B1 C1 D1 A19 B19 C19 D19", 10_000), (None, true));
        assert_eq!(search("C5 D5 J10 K11 J12", "A1 A3", 3), (None, false));
        assert_eq!(search("", "", 10_000), (None, true));
    }
}
