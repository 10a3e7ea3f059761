//! What an engine of a match is told, in the words of its protocol.

use std::time::Duration;

use super::time_control::{Clock, TimeControl};
use crate::position::{Position, START_FEN};
use crate::protocol::Protocol;
use crate::types::{Move, Side, Square};

/// What is asked of an engine.
pub(super) struct Question<'a> {
    /// The position before the first move of the game.
    pub start: &'a Position,
    /// The moves since.
    pub moves: &'a [Move],
    /// The position to move in.
    pub position: &'a Position,
    /// The clocks of both sides.
    pub clocks: &'a [Clock; 2],
    /// The opponent offers a draw.
    pub draw_offered: bool,
}

/// How an engine is spoken to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Words {
    /// The protocol.
    pub protocol: Protocol,
    /// It counts the ranks of the board from 1.
    pub counts_from_one: bool,
    /// It wants times in whole seconds.
    pub counts_seconds: bool,
}

impl Words {
    /// The lines that ask for a move: the position, and the order to think.
    pub fn ask(&self, question: &Question) -> [String; 2] {
        [self.position_command(question), self.go_command(question)]
    }

    /// The move that a text means.
    pub fn read(&self, text: &str) -> Option<Move> {
        if self.counts_from_one { read_from_one(text) } else { text.parse().ok() }
    }

    fn position_command(&self, question: &Question) -> String {
        let fen = question.start.to_string();
        let mut command = if fen == START_FEN { "position startpos".to_owned() } else { format!("position fen {fen}") };
        if !question.moves.is_empty() {
            command.push_str(" moves");
        }
        for &mv in question.moves {
            command.push(' ');
            if self.counts_from_one {
                let point = |square: Square| format!("{}{}", char::from(b'a' + square.file()), square.rank() + 1);
                command.push_str(&point(mv.from()));
                command.push_str(&point(mv.to()));
            } else {
                command.push_str(&mv.to_string());
            }
        }
        command
    }

    fn go_command(&self, question: &Question) -> String {
        let side = question.position.side();
        let (own, other) = (&question.clocks[side.index()], &question.clocks[(!side).index()]);
        let time = |time: Duration| if self.counts_seconds { u128::from(time.as_secs()) } else { time.as_millis() };
        let left = |clock: &Clock| time(clock.remaining().unwrap_or_default());
        let is_ucci = self.protocol == Protocol::Ucci;
        let offer = if question.draw_offered && is_ucci { "draw " } else { "" };
        let limit = match own.control() {
            TimeControl::Nodes(nodes) => format!("nodes {nodes}"),
            TimeControl::Depth(depth) => format!("depth {depth}"),
            // UCCI has no other word for the time of one move.
            TimeControl::MoveTime(_) if is_ucci => format!("time {} movestogo 1", left(own)),
            TimeControl::MoveTime(limit) => format!("movetime {}", time(limit)),
            TimeControl::Clock { .. } if is_ucci => {
                let rest = |prefix: &str, clock: &Clock| match clock.moves_to_go() {
                    Some(moves) => format!("{prefix}movestogo {moves}"),
                    None => format!("{prefix}increment {}", time(clock.increment())),
                };
                let opponent = match other.remaining() {
                    Some(_) => format!(" opptime {} {}", left(other), rest("opp", other)),
                    None => String::new(),
                };
                format!("time {} {}{opponent}", left(own), rest("", own))
            }
            TimeControl::Clock { .. } => {
                let (white, black) = if side == Side::Red { (own, other) } else { (other, own) };
                let increments = (time(white.increment()), time(black.increment()));
                let mut words = format!("wtime {} btime {}", left(white), left(black));
                words.push_str(&format!(" winc {} binc {}", increments.0, increments.1));
                own.moves_to_go().into_iter().for_each(|moves| words.push_str(&format!(" movestogo {moves}")));
                words
            }
        };
        format!("go {offer}{limit}")
    }
}

/// A move with ranks from 1 to 10.
fn read_from_one(text: &str) -> Option<Move> {
    let bytes = text.as_bytes();
    let second = 1 + bytes.iter().skip(1).position(|byte| byte.is_ascii_alphabetic())?;
    let point = |text: &str| {
        let rank = (1..=10).find(|rank| text.get(1..) == Some(rank.to_string().as_str()))?;
        format!("{}{}", text.get(..1)?, rank - 1).parse::<Square>().ok()
    };
    Some(Move::new(point(text.get(..second)?)?, point(text.get(second..)?)?))
}
