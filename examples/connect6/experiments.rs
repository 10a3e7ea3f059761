//! Matches between two players, and tuning of the values of empty points.
//!
//! Each opening of five random stones is played twice with colours reversed. The difference in Elo, its error and the
//! sequential test are those of the matches of Chuhe, which count pairs of games. A player is the program with settings
//! of its own, or another program that speaks the protocol of the championships.

use std::fmt;
use std::io::{BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::str::FromStr;
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use chuhe::commands::matches::statistics::{Pairs, Sprt};
use chuhe::console::key_values;
use chuhe::lab::tuning::{Method, Objective, Parameter, ProgressReport, Run};
use chuhe::util::cancel::CancelFlag;
use chuhe::util::math::StableRandom;

use crate::board::{GameResult, Point, Side, Turn};
use crate::evaluation::{Leaf, Values};
use crate::opening::random_stones;
use crate::protocol::{self, parse_turn, turn_text};
use crate::search::{MAX_DEPTH, Player, Settings};

/// Time in which another program must answer.
const MAX_WAIT: Duration = Duration::from_secs(60);

/// A player of a match.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Contender {
    pub name: String,
    pub settings: Settings,
    /// Program and its arguments, if it is another one.
    command: Option<Vec<String>>,
}

/// Parses `key=value,key=value` with the keys `name`, `values`, `leaf`, `second`, `depth`, `threats` and `cmd`.
impl FromStr for Contender {
    type Err = String;

    fn from_str(text: &str) -> Result<Contender, String> {
        let (mut settings, mut name, mut command) = (Settings::default(), None, None);
        for (key, value) in key_values(text, &["name", "values", "leaf", "second", "depth", "threats", "cmd"])? {
            let bad = |expected: &str| format!("{key}={value}: the value must be {expected}");
            match (key, value) {
                ("name", _) => name = Some(value.to_owned()),
                ("values", _) => settings.values = value.parse()?,
                ("leaf", "vector") => settings.leaf = Leaf::Vector,
                ("leaf", "sum") => settings.leaf = Leaf::Sum,
                ("leaf", _) => return Err(bad("vector or sum")),
                ("second", "on" | "off") => settings.second_evaluation = value == "on",
                ("second", _) => return Err(bad("on or off")),
                ("threats", _) => settings.threat_nodes = value.parse().map_err(|_| bad("a number of nodes"))?,
                ("depth", _) => {
                    let depth = value.parse().ok().filter(|depth| (0..=MAX_DEPTH).contains(depth));
                    settings.depth = depth.ok_or_else(|| bad(&format!("from 0 to {MAX_DEPTH}")))?;
                }
                _ => {
                    let words = shlex::split(value).filter(|words| !words.is_empty());
                    command = Some(words.ok_or_else(|| bad("a program with its arguments"))?);
                }
            }
        }
        Ok(Contender { name: name.unwrap_or_else(|| text.to_owned()), settings, command })
    }
}

/// A program that speaks the protocol.
struct Program {
    name: String,
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
}

impl Program {
    /// Starts the program of a player, if it is not this one.
    fn start(contender: &Contender) -> Result<Option<Program>, String> {
        let Some([program, arguments @ ..]) = contender.command.as_deref() else { return Ok(None) };
        let mut process = Command::new(program);
        process.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = process.spawn().map_err(|error| format!("{program} cannot be started: {error}"))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(format!("{program} has no pipes"));
        };
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || protocol::lines(BufReader::new(output)).try_for_each(|line| sender.send(line)));
        Ok(Some(Program { name: contender.name.clone(), child, input, lines }))
    }

    fn send(&mut self, line: &str) -> Result<(), String> {
        let sent = writeln!(self.input, "{line}").and_then(|()| self.input.flush());
        sent.map_err(|error| format!("{}: '{line}' cannot be sent: {error}", self.name))
    }

    /// Waits for a move; other lines are ignored.
    fn read_move(&mut self) -> Result<String, String> {
        let start = Instant::now();
        loop {
            let line = self.lines.recv_timeout(MAX_WAIT.saturating_sub(start.elapsed()));
            let line = line.map_err(|error| format!("{}: no move: {error}", self.name))?;
            if let Some(text) = line.strip_prefix("move ") {
                return Ok(text.trim().to_owned());
            }
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.send("quit");
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Plays a game of Black against White. The opening is played for both; another program cannot be given one, so that
/// against it the program plays the stones of its own turns, where their points are empty. A move that is not allowed
/// loses. Returns the result, the number of stones, and whether it is due to such a move.
fn play_game(
    settings: [Settings; 2],
    mut programs: [Option<&mut Program>; 2],
    opening: &[Point],
) -> Result<(GameResult, usize, bool), String> {
    let mut players = settings.map(Player::new);
    let has_program = programs.iter().any(Option::is_some);
    if !has_program {
        players.iter_mut().for_each(|player| player.position.play(opening));
    }
    for (program, side) in programs.iter_mut().zip(Side::BOTH) {
        program.iter_mut().try_for_each(|program| program.send(&format!("new {}", side.name())))?;
    }
    let mut fault = None;
    let result = loop {
        let board = players[0].position.board();
        let side = board.side();
        if let Some(result) = board.result().or(fault) {
            break result;
        }
        let turn = if let Some(program) = &mut programs[side.index()] {
            let turn = parse_turn(&program.read_move()?);
            let Some(turn) = turn.ok().filter(|turn| board.check(turn).is_ok()) else {
                program.send("error")?;
                fault = Some(GameResult::Win(side.other()));
                continue;
            };
            turn
        } else {
            let given = opening.iter().skip(board.stone_count()).take(board.stones_left()).copied().collect::<Turn>();
            let is_given = has_program && board.check(&given).is_ok();
            if is_given { given } else { players[side.index()].choose() }
        };
        players.iter_mut().for_each(|player| player.position.play(&turn));
        let is_over = players[0].position.board().result().is_some();
        if let Some(program) = programs[side.other().index()].as_mut().filter(|_| !is_over) {
            program.send(&format!("move {}", turn_text(&turn)))?;
        }
    };
    programs.into_iter().flatten().try_for_each(|program| program.send("end"))?;
    Ok((result, players[0].position.board().stone_count(), fault.is_some()))
}

/// Standing of the first player of a match.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Standing {
    /// Wins, draws and losses.
    pub results: [u64; 3],
    pub pairs: Pairs,
    black_wins: u64,
    stones: usize,
    faults: u64,
    elapsed: Duration,
}

impl Standing {
    pub fn games(&self) -> u64 {
        self.results.iter().sum()
    }
}

impl fmt::Display for Standing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [wins, draws, losses] = self.results;
        let games = self.games().max(1) as f64;
        writeln!(f, "{} games: {wins} won, {draws} drawn, {losses} lost", self.games())?;
        if let Some(estimate) = self.pairs.estimate() {
            let superiority = estimate.superiority.map(|share| format!(", stronger with {:.1} %", 100.0 * share));
            writeln!(f, "Elo {:+.0} ± {:.0}{}", estimate.elo, estimate.error, superiority.unwrap_or_default())?;
        }
        let [zero, half, one, more, two] = self.pairs.0;
        writeln!(f, "pairs with 0, ½, 1, 1½, 2 points: {zero} {half} {one} {more} {two}")?;
        let [black_wins, stones] = [100.0 * self.black_wins as f64, self.stones as f64].map(|sum| sum / games);
        let (faults, seconds) = (self.faults, self.elapsed.as_secs_f64());
        write!(f, "Black won {black_wins:.0} %, {stones:.0} stones a game, {faults} faults, {seconds:.0} s")
    }
}

/// A match of pairs of games.
pub struct Match {
    pub contenders: [Contender; 2],
    pub games: u64,
    pub seed: u64,
    pub sprt: Option<Sprt>,
}

impl Match {
    /// Plays the match and reports the standing after each pair. The sequential test may end it before all games.
    pub fn play(&self, mut report: impl FnMut(&Standing)) -> Result<Standing, String> {
        let (start, mut standing) = (Instant::now(), Standing::default());
        let [first, second] = &self.contenders;
        let mut programs = [Program::start(first)?, Program::start(second)?];
        for pair in 0..self.games.div_ceil(2) {
            let opening = random_stones(&mut StableRandom::new(self.seed, pair));
            let mut half_points = 0;
            for first_is in Side::BOTH {
                let [first, second] = &mut programs;
                let mut seats = [first.as_mut(), second.as_mut()];
                let mut settings = [self.contenders[0].settings, self.contenders[1].settings];
                if first_is == Side::White {
                    seats.reverse();
                    settings.reverse();
                }
                let (result, stones, is_fault) = play_game(settings, seats, &opening)?;
                let index = match result {
                    GameResult::Win(side) if side == first_is => 0,
                    GameResult::Draw => 1,
                    GameResult::Win(_) => 2,
                };
                standing.results[index] += 1;
                half_points += 2 - index;
                standing.black_wins += u64::from(result == GameResult::Win(Side::Black));
                standing.stones += stones;
                standing.faults += u64::from(is_fault);
            }
            standing.pairs.0[half_points] += 1;
            standing.elapsed = start.elapsed();
            report(&standing);
            if self.sprt.is_some_and(|sprt| sprt.decision(sprt.log_likelihood_ratio(&standing.pairs)).is_some()) {
                break;
            }
        }
        Ok(standing)
    }
}

/// Objective of tuning: the result of games between values.
struct Tournament {
    parameters: Vec<Parameter>,
    /// Games of a comparison; the seed of the next chooses its openings.
    games: Match,
}

impl Tournament {
    /// Returns the mean points of the second values minus those of the first, −1 to 1.
    fn play(&mut self, values: [Values; 2]) -> Option<f64> {
        self.games.seed = self.games.seed.wrapping_add(1);
        for (contender, values) in self.games.contenders.iter_mut().zip(values) {
            contender.settings.values = values;
        }
        let [wins, _, losses] = self.games.play(|_| ()).ok()?.results.map(|games| games as f64);
        Some((losses - wins) / self.games.games as f64)
    }
}

impl Objective for Tournament {
    fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    fn loss(&mut self, vector: &[f64]) -> Option<f64> {
        let start: Vec<f64> = self.parameters.iter().map(|parameter| parameter.start).collect();
        self.difference(vector, &start)
    }

    fn difference(&mut self, one: &[f64], other: &[f64]) -> Option<f64> {
        self.play([one, other].map(Values::from_numbers))
    }

    fn is_exact(&self) -> bool {
        false
    }
}

/// Tunes the values of empty points from those of the first player of a match. `budget` is the number of matches.
pub fn tune(method: Method, games: Match, budget: u64, mut report: impl FnMut(&ProgressReport, Values)) -> Values {
    let seed = games.seed;
    let parameter = |value: i32| {
        let start = f64::from(value);
        Parameter { start, min: 0.0, max: 2_000.0, step: (start / 10.0).max(1.0), resolution: 1.0 }
    };
    let parameters = games.contenders[0].settings.values.all().map(parameter).collect();
    let mut on_progress = |progress: &ProgressReport| report(progress, Values::from_numbers(progress.vector));
    let mut run = Run::new(Some(budget), CancelFlag::default(), seed, &mut on_progress);
    let solution = method.search(&mut Tournament { parameters, games }, &mut run);
    Values::from_numbers(&solution.vector)
}

#[cfg(test)]
mod tests {
    use chuhe::lab::tuning::{Coding, SwarmForm};

    use super::*;

    fn contender(text: &str) -> Contender {
        text.parse().unwrap()
    }

    #[test]
    fn contenders_are_parsed() {
        let all = contender("name=a,values=tuned,leaf=sum,second=on,depth=3,threats=0");
        assert!(all.name == "a" && all.settings.leaf == Leaf::Sum && all.settings.second_evaluation);
        assert_eq!(
            (all.settings.depth, all.settings.threat_nodes, contender("").settings),
            (3, 0, Settings::default())
        );
        assert_eq!(contender("cmd=./a b").command, Some(vec!["./a".to_owned(), "b".to_owned()]));
        for bad in ["x=1", "depth=-1", "depth=99", "depth", "leaf=a", "second=1", "values=1/2", "threats=-1", "cmd="] {
            assert!(bad.parse::<Contender>().is_err(), "{bad}");
        }
    }

    #[test]
    fn matches_repeat_and_pairs_agree_with_results() {
        let contenders = [contender("depth=2"), contender("depth=1,threats=0")];
        let games = Match { contenders: contenders.clone(), games: 8, seed: 1, sprt: None };
        let [one, same] = [(); 2].map(|()| games.play(|_| ()).unwrap());
        assert_eq!((one.results, one.pairs, one.stones), (same.results, same.pairs, same.stones));
        let [wins, _, losses] = one.results;
        assert!(one.games() == 8 && one.pairs.0.iter().sum::<u64>() == 4 && wins > losses, "{one}");
        let lead: i64 = (-2..=2).zip(one.pairs.0).map(|(points, count)| points * count as i64).sum();
        assert_eq!(lead, wins as i64 - losses as i64);
        // The same match from the other side.
        let [first, second] = contenders;
        let turned = Match { contenders: [second, first], ..games }.play(|_| ()).unwrap();
        let (mut results, mut pairs) = (turned.results, turned.pairs.0);
        results.reverse();
        pairs.reverse();
        assert_eq!((results, pairs), (one.results, one.pairs.0));
    }

    #[test]
    fn a_sequential_test_ends_a_match() {
        let contenders = [contender("depth=1"), contender("depth=1,threats=0,values=1/1/1/1/1/1/1/1/1/1")];
        let sprt = Some("elo0=0,elo1=400".parse().unwrap());
        let standing = Match { contenders, games: 10_000, seed: 1, sprt }.play(|_| ()).unwrap();
        assert!(standing.games() < 200 && standing.results[0] > standing.results[2], "{standing}");
    }

    #[test]
    fn a_program_that_cannot_be_started_or_ends_is_reported() {
        let play = |command: &str| {
            let contenders = [contender("depth=1"), contender(command)];
            Match { contenders, games: 2, seed: 1, sprt: None }.play(|_| ())
        };
        assert!(play("cmd=./no/such/program").is_err_and(|error| error.contains("cannot be started")));
        #[cfg(unix)]
        for (program, outcome) in [("read a", Err(())), ("while read a; do echo move JJJJ; done", Ok(2))] {
            let standing = play(&format!("cmd=sh -c '{program}'"));
            assert_eq!(standing.map(|standing| standing.faults).map_err(drop), outcome, "{program}");
        }
    }

    #[test]
    fn swarm_and_genetic_algorithm_tune_values_within_their_budget() {
        for method in [Method::Swarm(SwarmForm::Tournament), Method::Genetic(Coding::Bits)] {
            let [one, same] = [(); 2].map(|()| {
                let contenders = [(); 2].map(|()| contender("depth=1,threats=0"));
                let (games, mut spent) = (Match { contenders, games: 2, seed: 7, sprt: None }, Vec::new());
                let values = tune(method, games, 45, |progress, _| spent.push(progress.spent));
                assert!(!spent.is_empty() && spent.iter().all(|&matches| matches <= 45), "{spent:?}");
                values
            });
            assert!(one == same && one.all().all(|value| (0..=2_000).contains(&value)));
        }
    }
}
