//! Profile of a player over reviewed games: results, accuracy, openings, missed tactics and attack.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use super::Mark;
use super::game::{GameReview, MoveReview, Phase, PlayerSummary};
use crate::eval::handcrafted::attack_values;
use crate::notation::game::{Game, GameResult, is_known};
use crate::notation::opening_name::OpeningName;
use crate::position::{CheckInfo, Position, exchange_value};
use crate::types::score::{MATE, is_mate};
use crate::types::{Move, PieceKind, Side, Value};

const MAX_CANDIDATES: usize = 20;

fn known<'a>(game: &'a Game, tag: &str) -> Option<&'a str> {
    game.tag(tag).map(str::trim).filter(|text| is_known(text))
}

/// Returns the name of a side's player; `None` if it is missing.
pub fn name_of(game: &Game, side: Side) -> Option<&str> {
    known(game, if side == Side::Red { "Red" } else { "Black" })
}

/// Returns whether [`find_player`] may return a name: whether it contains the wanted one, regardless of case.
pub fn may_match(name: &str, wanted: &str) -> bool {
    name.to_lowercase().contains(&wanted.trim().to_lowercase())
}

/// Returns the wanted name if it is there, or else the only one that contains it, regardless of case.
pub fn find_player<'a>(names: impl IntoIterator<Item = &'a str>, wanted: &str) -> Result<String, String> {
    let wanted = wanted.trim();
    let candidates: BTreeSet<&str> = names.into_iter().filter(|name| may_match(name, wanted)).collect();
    let named: Vec<&str> = candidates.iter().copied().take(MAX_CANDIDATES).collect();
    match named[..] {
        _ if candidates.contains(wanted) => Ok(wanted.to_owned()),
        [] => Err(format!("no game of a player '{wanted}' (tags Red and Black)")),
        [name] => Ok(name.to_owned()),
        _ => {
            let others = candidates.len() - named.len();
            let more = if others == 0 { String::new() } else { format!(" and {others} more") };
            Err(format!("'{wanted}' may be {}{more}; name one of them in full", named.join(", ")))
        }
    }
}

/// Outcomes of a game for the player.
pub const OUTCOMES: [&str; 4] = ["won", "drawn", "lost", "unknown"];

/// Results, accuracy and marks of a player in some games; every move counts the same.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Record {
    /// Numbers of games in the order of [`OUTCOMES`].
    pub results: [usize; 4],
    pub summary: PlayerSummary,
}

impl Record {
    fn add(&mut self, game: &PlayerGame) {
        self.results[game.outcome()] += 1;
        self.summary.iter_mut().zip(&game.summary).for_each(|(sum, part)| *sum += part);
    }

    pub fn games(&self) -> usize {
        self.results.iter().sum()
    }

    /// Returns the mean points of the games with a known result, from 0 to 1; `None` without any.
    pub fn score(&self) -> Option<f64> {
        let [wins, draws, losses, _] = self.results.map(|count| count as f64);
        let known = wins + draws + losses;
        (known > 0.0).then(|| (wins + draws / 2.0) / known)
    }
}

#[derive(Clone, Debug)]
pub struct PlayerGame {
    pub file: String,
    /// Number of the game in the file, from 1.
    pub number: u64,
    /// Tag `Date` as it stands in the file.
    pub date: Option<String>,
    pub event: Option<String>,
    pub opponent: Option<String>,
    pub side: Side,
    pub result: GameResult,
    /// Opening by the moves, whatever the file says.
    pub opening: Option<OpeningName>,
    /// Number of moves of both sides.
    pub plies: usize,
    pub summary: PlayerSummary,
    /// Missed tactics in the order of the moves.
    pub misses: Vec<TacticalMiss>,
    pub attack: AttackBalance,
}

impl PlayerGame {
    pub fn new(file: String, number: u64, game: &Game, review: &GameReview, side: Side) -> PlayerGame {
        let date = known(game, "Date").filter(|date| date.chars().any(|c| c.is_ascii_digit()));
        PlayerGame {
            file,
            number,
            date: date.map(str::to_owned),
            event: known(game, "Event").map(str::to_owned),
            opponent: name_of(game, !side).map(str::to_owned),
            side,
            result: game.result,
            opening: OpeningName::new(&game.start, &game.line()),
            plies: game.main_line().len(),
            summary: review.side_summary(side),
            misses: missed_tactics(review, side),
            attack: AttackBalance::new(review, side),
        }
    }

    /// Returns the outcome for the player as an index of [`OUTCOMES`].
    pub fn outcome(&self) -> usize {
        match self.result.points(self.side) {
            Some(0.75..) => 0,
            Some(0.25..) => 1,
            Some(_) => 2,
            None => 3,
        }
    }

    /// Returns year, month and day of the date, 0 where unknown, if its first number is a year.
    fn day(&self) -> Option<[u32; 3]> {
        let mut numbers = self.date.as_deref()?.split(|c: char| !c.is_ascii_digit() && c != '?');
        let mut number = || numbers.find(|text| !text.is_empty()).and_then(|text| text.parse().ok());
        let year = number().filter(|year| (1000..=9999).contains(year))?;
        Some([year, number().unwrap_or(0), number().unwrap_or(0)])
    }
}

#[derive(Clone, Debug, Default)]
pub struct Profile {
    pub player: String,
    /// Games by date, those without one last and in the order of the input.
    pub games: Vec<PlayerGame>,
}

impl Profile {
    pub fn new(player: String, mut games: Vec<PlayerGame>) -> Profile {
        games.sort_by_key(|game| (game.day().is_none(), game.day()));
        Profile { player, games }
    }

    /// Returns the record with one colour or both.
    pub fn record(&self, side: Option<Side>) -> Record {
        let mut record = Record::default();
        self.games.iter().filter(|game| side.is_none_or(|side| side == game.side)).for_each(|game| record.add(game));
        record
    }

    /// Returns the openings with a colour and their records, the most frequent first; `None` for unknown ones.
    pub fn openings(&self, side: Side) -> Vec<(Option<OpeningName>, Record)> {
        let mut openings: Vec<(Option<OpeningName>, Record)> = Vec::new();
        for game in self.games.iter().filter(|game| game.side == side) {
            let index = openings.iter().position(|(opening, _)| *opening == game.opening).unwrap_or_else(|| {
                openings.push((game.opening.clone(), Record::default()));
                openings.len() - 1
            });
            openings[index].1.add(game);
        }
        openings.sort_by_key(|(_, record)| Reverse(record.games()));
        openings
    }

    /// Returns all missed tactics with the indices of their games, the greatest loss of winning chance first.
    pub fn misses(&self) -> Vec<(usize, &TacticalMiss)> {
        let all = self.games.iter().enumerate();
        let mut misses: Vec<_> =
            all.flat_map(|(index, game)| game.misses.iter().map(move |miss| (index, miss))).collect();
        misses.sort_by(|(_, a), (_, b)| b.loss.total_cmp(&a.loss));
        misses
    }

    /// Returns the attack in all games, and the standard error of the mean preference.
    pub fn attack(&self) -> (AttackBalance, Option<f64>) {
        let games = self.games.iter().map(|game| &game.attack);
        (AttackBalance::sum(games.clone()), preference_error(games))
    }
}

/// Attack of a player and of the opponents, added up over the moves of the player outside the opening, forced moves
/// aside, by the attack terms of the hand-made evaluation ([`ATTACK_GROUPS`]): threats against the king and attackers
/// in the palace, which the option `style` weighs.
///
/// The share of the player's attack in both attacks is an observed situation factor (see
/// [`Style`](crate::engine::Style)): 50 % where both attack alike. Who stands better attacks more, whatever the style,
/// so a second number compares each move with the search's first choice in the same position: by how much more the
/// played move attacks.
///
/// [`ATTACK_GROUPS`]: crate::eval::handcrafted::ATTACK_GROUPS
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct AttackBalance {
    pub moves: usize,
    /// Sum of the player's attack in centipawns, each at least 0.
    pub own: i64,
    /// Sum of the opponents' attack in centipawns, each at least 0.
    pub opponent: i64,
    /// Sum of own less opponent's attack after the move played, less the same after the search's first choice.
    pub preference: i64,
}

impl AttackBalance {
    pub fn new(review: &GameReview, side: Side) -> AttackBalance {
        let attacks = |position: &Position| {
            let values = attack_values(position);
            [side, !side].map(|side| i64::from(values[side.index()].max(0)))
        };
        let mut balance = AttackBalance::default();
        let is_counted = |mv: &&MoveReview| mv.side == side && !mv.is_forced && mv.phase != Phase::Opening;
        for mv in review.moves.iter().filter(is_counted) {
            let [own, opponent] = attacks(&review.positions[mv.ply].position);
            balance.moves += 1;
            balance.own += own;
            balance.opponent += opponent;
            if let Some(&best) = mv.best_line.first().filter(|best| **best != mv.mv) {
                let mut alternative = review.positions[mv.ply - 1].position.clone();
                alternative.make(best);
                let [best_own, best_opponent] = attacks(&alternative);
                balance.preference += (own - opponent) - (best_own - best_opponent);
            }
        }
        balance
    }

    fn sum<'a>(games: impl Iterator<Item = &'a AttackBalance>) -> AttackBalance {
        games.fold(AttackBalance::default(), |sum, game| AttackBalance {
            moves: sum.moves + game.moves,
            own: sum.own + game.own,
            opponent: sum.opponent + game.opponent,
            preference: sum.preference + game.preference,
        })
    }

    /// Returns the mean attacks of player and opponents, and the mean preference, in centipawns; `None` without moves.
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

/// Returns the standard error of the mean preference, in centipawns. Moves of a game depend on each other, so the games
/// are the sample; `None` with fewer than two.
fn preference_error<'a>(games: impl Iterator<Item = &'a AttackBalance>) -> Option<f64> {
    let games: Vec<&AttackBalance> = games.filter(|game| game.moves > 0).collect();
    let sum = AttackBalance::sum(games.iter().copied());
    let (moves, mean) = (sum.moves as f64, sum.preference as f64 / sum.moves as f64);
    // A ratio of sums over clusters: each game departs from the mean by its sum less what its moves have on average.
    let squares = games.iter().map(|game| (game.preference as f64 - game.moves as f64 * mean).powi(2));
    let count = games.len() as f64;
    (games.len() > 1).then(|| (squares.sum::<f64>() * count / (count - 1.0)).sqrt() / moves)
}

/// Plies of the better line in which captures count.
const MAX_PLIES: usize = 12;
/// Least gain of material: an advisor. A pawn alone hardly makes the difference of a blunder.
const MIN_GAIN: Value = exchange_value(PieceKind::Advisor);

/// Captures along a line up to its last quiet position. Pieces of the same kind on both sides cancel out.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct MaterialGain {
    /// Exchange value of `won` less that of `lost`, in centipawns.
    pub value: Value,
    /// Pieces that the side to move captures, the most valuable first.
    pub won: Vec<PieceKind>,
    /// Pieces that it loses, the most valuable first.
    pub lost: Vec<PieceKind>,
}

/// Missed tactic: a blunder whose better line, the principal variation of the search before the move, mates by force or
/// wins material. A blunder that loses a piece while nothing was to be won is none.
#[derive(Clone, Debug)]
pub struct TacticalMiss {
    /// Ply of the game, from 1.
    pub ply: usize,
    pub position: Position,
    pub mv: Move,
    pub better_line: Vec<Move>,
    /// Score of the better line for the player.
    pub better_score: Value,
    /// Score after the move played, for the player.
    pub score: Value,
    /// Loss of winning chance, from 0 to 1.
    pub loss: f64,
    /// Moves of the player to the mate that the better line forces.
    pub mate_in: Option<usize>,
    /// Material that the better line wins; none beside a mate.
    pub gain: MaterialGain,
}

fn missed_tactics(review: &GameReview, side: Side) -> Vec<TacticalMiss> {
    let blunders = review.moves.iter().filter(|mv| mv.side == side && mv.mark == Some(Mark::Blunder));
    let missed = |mv: &MoveReview| {
        let before = review.positions.get(mv.ply.checked_sub(1)?)?;
        let better_score = before.outcome.score;
        let mates = is_mate(better_score) && better_score > 0;
        let mate_in = mates.then_some(((MATE - better_score + 1) / 2) as usize);
        let gain = if mates { MaterialGain::default() } else { material_gain(&before.position, &mv.best_line) };
        if !mates && gain.value < MIN_GAIN {
            return None;
        }
        Some(TacticalMiss {
            ply: mv.ply,
            position: before.position.clone(),
            mv: mv.mv,
            better_line: mv.best_line.clone(),
            better_score,
            score: mv.score,
            loss: mv.loss,
            mate_in,
            gain,
        })
    };
    blunders.filter_map(missed).collect()
}

/// Returns the material that a line wins for the side to move: the exchange values of the captures along it at its last
/// quiet position, within `MAX_PLIES` plies. A position is quiet if the side to move is not in check and has no
/// capture that wins material by static exchange, so an exchange that the line leaves unfinished does not count.
pub fn material_gain(position: &Position, line: &[Move]) -> MaterialGain {
    let side = position.side();
    let mut position = position.clone();
    let (mut now, mut settled) = (MaterialGain::default(), MaterialGain::default());
    for &mv in line.iter().take(MAX_PLIES) {
        if let Some(victim) = position.piece_on(mv.to()) {
            let is_own_loss = victim.side() == side;
            let (pieces, sign) = if is_own_loss { (&mut now.lost, -1) } else { (&mut now.won, 1) };
            pieces.push(victim.kind());
            now.value += sign * exchange_value(victim.kind());
        }
        position.make(mv);
        let wins = |mv: &Move| position.piece_on(mv.to()).is_some() && position.see_ge(*mv, 1);
        if !CheckInfo::new(&position).in_check() && !position.legal_moves().iter().any(wins) {
            settled = now.clone();
        }
    }
    settled.lost.retain(|&kind| {
        let equal = settled.won.iter().position(|&won| won == kind);
        equal.map(|index| settled.won.remove(index)).is_none()
    });
    for pieces in [&mut settled.won, &mut settled.lost] {
        pieces.sort_by_key(|&kind| Reverse(exchange_value(kind)));
    }
    settled
}

#[cfg(test)]
mod tests {
    use super::super::game::PositionReview;
    use super::*;
    use crate::search::Outcome;

    /// Measures a move in a position where Black's king stands on an open file opposite a cannon.
    fn attack(mv: &str, best: &str, phase: Phase, side: Side) -> AttackBalance {
        let before = Position::from_fen("3akab2/9/9/9/9/9/9/2C6/4A4/RN1K5 w").unwrap();
        let mut after = before.clone();
        after.play([mv]).unwrap();
        let reviewed = |position| PositionReview { position, outcome: Outcome::default() };
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
        AttackBalance::new(&GameReview { positions: vec![reviewed(before), reviewed(after)], moves: vec![mv] }, side)
    }

    #[test]
    fn an_attacking_move_outside_the_opening_raises_the_share_and_is_preferred() {
        // The cannon takes the file of the king with nothing between, or waits.
        let attacking = attack("c2e2", "c2c3", Phase::MiddleGame, Side::Red);
        let quiet = attack("c2c3", "c2e2", Phase::MiddleGame, Side::Red);
        assert!(attacking.own > quiet.own && attacking.share() >= quiet.share(), "{attacking:?} {quiet:?}");
        assert!(attacking.preference > 0 && attacking.preference == -quiet.preference, "{attacking:?} {quiet:?}");
        let own = attack("c2e2", "c2e2", Phase::Ending, Side::Red);
        assert_eq!((own.own, own.preference, own.moves), (attacking.own, 0, 1));
        for (phase, side) in [(Phase::Opening, Side::Red), (Phase::MiddleGame, Side::Black)] {
            let none = attack("c2e2", "c2c3", phase, side);
            assert_eq!((none, none.means(), none.share()), (AttackBalance::default(), None, None));
        }
        // Means of 1 and 3 centipawns: the standard deviation is √2, over two games 1.
        let game = |preference| AttackBalance { moves: 10, preference, ..AttackBalance::default() };
        assert!((preference_error([game(10), game(30)].iter()).unwrap() - 1.0).abs() < 1e-9);
        assert_eq!(preference_error([game(10)].iter()), None);
    }

    #[test]
    fn captures_count_up_to_the_last_quiet_position() {
        use PieceKind::{Horse, Pawn, Rook};
        let late = |times: usize| format!("{}b1c1 e9e8 c1c5", "b1b2 e9e8 b2b1 e8e9 ".repeat(times));
        let (protected, far) = ("2rak4/9/9/9/2n6/9/9/9/2R6/3K5 w", "3ak4/9/9/9/2n6/9/9/9/1R7/3K5 w");
        for (fen, line, won, lost) in [
            // Black takes back next.
            (protected, "c1c5", &[][..], &[][..]),
            (protected, "c1c5 c9c5", &[Horse], &[Rook]),
            // A check is not the end of a tactic.
            ("4k4/9/9/9/4n4/9/9/9/4R4/3K5 w", "e1e5", &[], &[]),
            ("2rak4/9/9/9/2r6/2p6/9/9/2R6/3K5 w", "c1c4 c5c4", &[Pawn], &[Rook]),
            // Equal pieces cancel out.
            ("2rak4/9/9/9/2r6/9/9/9/2R6/2RK5 w", "c1c5 c9c5 c0c5", &[Rook], &[]),
            // Only the first plies count.
            (far, &late(2), &[Horse], &[]),
            (far, &late(3), &[], &[]),
        ] {
            let moves: Vec<Move> = line.split_whitespace().map(|mv| mv.parse().unwrap()).collect();
            let gain = material_gain(&Position::from_fen(fen).unwrap(), &moves);
            let value = |kinds: &[PieceKind]| kinds.iter().map(|&kind| exchange_value(kind)).sum::<Value>();
            let found = (gain.won.as_slice(), gain.lost.as_slice(), gain.value);
            assert_eq!(found, (won, lost, value(won) - value(lost)), "{fen} {line}");
        }
    }
}
