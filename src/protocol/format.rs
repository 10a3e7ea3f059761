//! Formatting of answers in either protocol, and moves with ranks from 0 or from 1.

use super::Protocol;
use super::help::declarations;
use crate::engine::{BookChoice, Offer, Options};
use crate::eval::WinModel;
use crate::position::Position;
use crate::search::{Bound, Entry, Outcome};
use crate::types::score::{MATE, is_mate};
use crate::types::{Move, Square, Value};

/// Protocol with the options that change the form of its answers.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Formatter {
    pub(super) protocol: Protocol,
    pub(super) ranks_from_one: bool,
    /// Moves of the client may show that it numbers ranks the other way.
    learns_ranks: bool,
    /// Each iteration has several lines, which are numbered.
    pub(super) has_several_lines: bool,
    has_raw_scores: bool,
    shows_chances: bool,
    win_model: WinModel,
}

impl Formatter {
    /// Returns the format for a client. `sends_bare_positions`: it sends positions without the word `position`, as in
    /// the dialect of UCI named after the client Cyclone. `win_model` is that of the current position.
    pub(super) fn new(
        protocol: Protocol,
        options: &Options,
        sends_bare_positions: bool,
        win_model: WinModel,
    ) -> Formatter {
        Formatter {
            protocol,
            // UCI clients that play other games too set the variant and number ranks from 1. Clients of the Cyclone
            // dialect may set it as well (uci2wb does) but number ranks from 0.
            ranks_from_one: options
                .ranks_from_one
                .unwrap_or(protocol == Protocol::Uci && options.variant_was_chosen && !sends_bare_positions),
            learns_ranks: options.ranks_from_one.is_none(),
            has_several_lines: options.multi_pv > 1,
            has_raw_scores: options.raw_scores,
            shows_chances: protocol == Protocol::Uci && options.shows_chances,
            win_model,
        }
    }

    /// Returns the same format with ranks from 1 or 0, as moves have shown, unless the option `coordinates` decides.
    pub(super) fn with_ranks(self, from_one: Option<bool>) -> Formatter {
        let from_one = from_one.filter(|_| self.learns_ranks);
        Formatter { ranks_from_one: from_one.unwrap_or(self.ranks_from_one), ..self }
    }

    /// Returns the format in which the client writes these moves, and the moves with ranks from 0: a rank 10 or 0 shows
    /// it, otherwise that only one of both ways makes all of them legal. Without a proof it is this one.
    pub(super) fn of_moves(self, texts: &[&str], are_legal: impl Fn(&[String]) -> bool) -> (Formatter, Vec<String>) {
        let read = |formatter: Formatter| texts.iter().map(|text| formatter.read_move(text)).collect::<Vec<String>>();
        let has_rank = |wanted| {
            let squares = texts.iter().filter_map(|text| split_squares(text));
            squares.flatten().any(|(_, rank)| rank == wanted)
        };
        let moves = read(self);
        let other = self.with_ranks(Some(!self.ranks_from_one));
        if other == self || are_legal(&moves) {
            return (self, moves);
        }
        let other_moves = read(other);
        let is_shown = has_rank(if self.ranks_from_one { 0 } else { 10 });
        let is_contradicted = has_rank(if self.ranks_from_one { 10 } else { 0 });
        if are_legal(&other_moves) || (is_shown && !is_contradicted) { (other, other_moves) } else { (self, moves) }
    }

    pub(super) fn handshake(self) -> Vec<String> {
        const UCCI_IDENTITY: [&str; 4] = [
            "id name Chuhe",
            concat!("id version ", env!("CARGO_PKG_VERSION")),
            "id copyright MIT OR Apache-2.0",
            "id author the Chuhe developers",
        ];
        const UCI_IDENTITY: [&str; 2] =
            [concat!("id name Chuhe ", env!("CARGO_PKG_VERSION")), "id author the Chuhe developers"];
        let (identity, end) = match self.protocol {
            Protocol::Ucci => (&UCCI_IDENTITY[..], "ucciok"),
            Protocol::Uci => (&UCI_IDENTITY[..], "uciok"),
        };
        let identity = identity.iter().map(|line| (*line).to_owned());
        identity.chain(declarations(self.protocol)).chain([end.to_owned()]).collect()
    }

    pub(super) fn message(self, text: &str) -> String {
        match self.protocol {
            Protocol::Ucci => format!("info message {text}"),
            Protocol::Uci => format!("info string {text}"),
        }
    }

    pub(super) fn no_move(self) -> &'static str {
        match self.protocol {
            Protocol::Ucci => "nobestmove",
            Protocol::Uci => "bestmove (none)",
        }
    }

    pub(super) fn best_move(self, outcome: &Outcome, offer: Offer) -> String {
        let Some(best) = outcome.best() else { return self.no_move().to_owned() };
        let mut reply = format!("bestmove {}", self.write_move(best));
        if let Some(expected) = outcome.expected_reply() {
            reply.push_str(&format!(" ponder {}", self.write_move(expected)));
        }
        match offer {
            Offer::Draw => reply.push_str(" draw"),
            Offer::Resign => reply.push_str(" resign"),
            Offer::None => {}
        }
        reply
    }

    pub(super) fn book(self, choice: &BookChoice) -> String {
        let (mv, statistics) = (self.write_move(choice.mv), choice.statistics);
        let (wins, draws, losses) = (statistics.wins, statistics.draws, statistics.losses);
        let score = statistics.score().map_or(String::new(), |score| format!(", {:.1} %", score * 100.0));
        format!(
            "book {mv}: {} games, won {wins}, drawn {draws}, lost {losses}{score}; played in {} % of the games here",
            statistics.games(),
            choice.share
        )
    }

    pub(super) fn evaluation(self, value: Value) -> String {
        format!("info depth 0 {}", self.score(value, ""))
    }

    /// Returns the `info` line of one principal variation. UCCI cannot say that a score is only a bound.
    pub(super) fn report(self, report: &Outcome) -> String {
        let milliseconds = report.elapsed.as_millis();
        let per_second = u128::from(report.nodes) * 1_000_000 / report.elapsed.as_micros().max(1);
        let (depth, nodes) = (report.depth, report.nodes);
        let is_bound = report.bound == Bound::Lower && self.protocol == Protocol::Uci;
        let score = self.score(report.score, if is_bound { " lowerbound" } else { "" });
        let hits = if report.tbhits == 0 { String::new() } else { format!(" tbhits {}", report.tbhits) };
        let mut line = match self.protocol {
            Protocol::Ucci => {
                let number =
                    if self.has_several_lines { format!(" multipv {}", report.pv_index) } else { String::new() };
                format!("info depth {depth}{number} {score} time {milliseconds} nodes {nodes} nps {per_second}{hits}")
            }
            Protocol::Uci => format!(
                "info depth {depth} seldepth {} multipv {} {score} nodes {nodes} nps {per_second} hashfull {}{hits} time \
                 {milliseconds}",
                report.selective_depth.max(depth),
                report.pv_index,
                report.hashfull
            ),
        };
        if !report.line.is_empty() {
            line.push_str(" pv");
        }
        for &mv in &report.line {
            line.push(' ');
            line.push_str(&self.write_move(mv));
        }
        line
    }

    /// Returns the answer to `probe`: the entry of a position, with values of the search.
    pub(super) fn probe(self, found: Option<(Position, Entry)>) -> String {
        let mut reply = "pophash".to_owned();
        if let Some((position, Entry { mv, value, depth, bound, .. })) = found {
            // An entry of another position with the same key may have any move.
            if position.can_play(mv) {
                reply.push_str(&format!(" bestmove {}", self.write_move(mv)));
            }
            if matches!(bound, Bound::Lower | Bound::Exact) {
                reply.push_str(&format!(" lowerbound {value} depth {depth}"));
            }
            if matches!(bound, Bound::Upper | Bound::Exact) {
                reply.push_str(&format!(" upperbound {value} depth {depth}"));
            }
        }
        reply
    }

    fn score(self, value: Value, bound: &str) -> String {
        let mut text = if self.protocol == Protocol::Uci && is_mate(value) {
            // In moves of the side that mates.
            let moves = (MATE - value.abs() + 1) / 2;
            format!("score mate {}", if value > 0 { moves } else { -moves })
        } else {
            let reported = if self.has_raw_scores { value } else { self.win_model.reported(value).get() };
            match self.protocol {
                Protocol::Ucci => format!("score {reported}"),
                Protocol::Uci => format!("score cp {reported}"),
            }
        };
        text.push_str(bound);
        if self.shows_chances {
            let [win, draw, loss] = self.win_model.chances(value);
            text.push_str(&format!(" wdl {win} {draw} {loss}"));
        }
        text
    }

    pub(super) fn write_move(self, mv: Move) -> String {
        if !self.ranks_from_one {
            return mv.to_string();
        }
        let square = |square: Square| format!("{}{}", (b'a' + square.file()) as char, square.rank() + 1);
        format!("{}{}", square(mv.from()), square(mv.to()))
    }

    /// Returns a move of the client with ranks from 0; empty if the text is not a move.
    pub(super) fn read_move(self, text: &str) -> String {
        if !self.ranks_from_one {
            return text.to_owned();
        }
        let from_zero = |[(from_file, from_rank), (to_file, to_rank)]: [(char, u8); 2]| {
            format!("{from_file}{}{to_file}{}", from_rank - 1, to_rank - 1)
        };
        let is_valid = |squares: &[(char, u8); 2]| squares.iter().all(|(_, rank)| *rank > 0);
        split_squares(text).filter(is_valid).map(from_zero).unwrap_or_default()
    }
}

/// Splits a move such as `h10g8` into two squares with ranks from 0 to 10.
fn split_squares(text: &str) -> Option<[(char, u8); 2]> {
    let second = text.char_indices().skip(1).find(|(_, letter)| letter.is_ascii_alphabetic())?.0;
    let square = |text: &str| {
        let file = text.chars().next().filter(char::is_ascii_alphabetic)?;
        let digits = text.get(1..)?;
        let rank: u8 = digits.parse().ok().filter(|_| digits.bytes().all(|byte| byte.is_ascii_digit()))?;
        (rank <= 10).then_some((file, rank))
    };
    Some([square(&text[..second])?, square(&text[second..])?])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn formatter(protocol: Protocol, coordinates: Option<bool>) -> Formatter {
        let options = Options { ranks_from_one: coordinates, ..Options::default() };
        Formatter::new(protocol, &options, false, WinModel::new(32))
    }

    #[test]
    fn ranks_are_numbered_as_the_client_does() {
        let one = formatter(Protocol::Uci, Some(true));
        for (outer, inner) in [("h3e3", "h2e2"), ("h10g8", "h9g7"), ("a1a10", "a0a9"), ("i10i1", "i9i0")] {
            assert_eq!(one.read_move(outer), inner);
            assert_eq!(one.write_move(inner.parse().unwrap()), outer);
            assert_eq!(formatter(Protocol::Uci, Some(false)).write_move(inner.parse().unwrap()), inner);
        }
        for odd in ["", "h", "h3", "h0e3", "h11e3", "3h3e", "h3e3e", "炮二平五", "h+3e3"] {
            assert!(one.read_move(odd).parse::<Move>().is_err(), "{odd}");
        }
    }

    #[test]
    fn scores_are_written_in_the_form_of_either_protocol() {
        // Those that are no mates are hundredths of the lead that wins every other game.
        let half = (0..2_000).find(|score| WinModel::new(20).chances(*score)[0] >= 500).unwrap();
        let raw = Options { raw_scores: true, ..Options::default() };
        let with_chances = Options { shows_chances: true, ..raw.clone() };
        let [win, draw, loss] = WinModel::new(20).chances(35);
        for (options, value, ucci, uci) in [
            (&Options::default(), half, "100", "cp 100"),
            (&Options::default(), 0, "0", "cp 0"),
            (&Options::default(), 9_999, "9999", "mate 1"),
            (&Options::default(), 9_997, "9997", "mate 2"),
            (&Options::default(), -10_000, "-10000", "mate 0"),
            (&Options::default(), -9_998, "-9998", "mate -1"),
            (&raw, -35, "-35", "cp -35"),
            // A loss by repetition.
            (&raw, -9_600, "-9600", "cp -9600"),
            (&with_chances, 35, "35", &format!("cp 35 wdl {win} {draw} {loss}")),
            (&with_chances, -9_998, "-9998", "mate -1 wdl 0 0 1000"),
        ] {
            for (protocol, expected) in [(Protocol::Ucci, ucci), (Protocol::Uci, uci)] {
                let formatter = Formatter::new(protocol, options, false, WinModel::new(20));
                assert_eq!(formatter.evaluation(value), format!("info depth 0 score {expected}"));
            }
        }
    }
}
