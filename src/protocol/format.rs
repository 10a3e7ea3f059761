//! How answers are worded: which protocol is spoken, and from which number ranks are counted.

use crate::engine::{BookChoice, Coordinates, Options};
use crate::search::{Iteration, Outcome};
use crate::types::score::{MATE, is_mate};
use crate::types::{Move, Square, Value};

use super::draw_resign::Word;
use super::options::declarations;

/// A protocol.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Protocol {
    /// The Universal Chinese Chess Protocol, version 3.0.
    Ucci,
    /// The Universal Chess Interface.
    Uci,
}

/// A protocol with the choices that change its answers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Formatter {
    protocol: Protocol,
    /// Ranks are counted from 1 instead of 0.
    counts_from_one: bool,
    /// Mates are told as `mate N` in UCCI too.
    names_mates: bool,
    /// Several lines are told, each with its number.
    has_several_lines: bool,
}

impl Formatter {
    /// The protocol as the client speaks it. `sends_bare_positions`: its positions come without the word `position`, as in
    /// the dialect of UCI that is named after the client Cyclone.
    pub(super) fn new(protocol: Protocol, options: &Options, sends_bare_positions: bool) -> Formatter {
        Formatter {
            protocol,
            counts_from_one: match options.coordinates {
                // Front ends that know other games too choose the variant, in UCI, and count from 1. Those that speak
                // the Cyclone dialect may choose it as well (uci2wb does) but count from 0.
                Coordinates::Auto => protocol == Protocol::Uci && options.variant_was_chosen && !sends_bare_positions,
                Coordinates::Zero => false,
                Coordinates::One => true,
            },
            names_mates: protocol == Protocol::Uci || options.ucci_mate_words,
            has_several_lines: options.multi_pv > 1,
        }
    }

    /// Whether each iteration has more than one line.
    pub(super) fn has_several_lines(self) -> bool {
        self.has_several_lines
    }

    /// Whether a search without end must wait for `stop` even when a mate is proved.
    pub(super) fn waits_for_stop(self) -> bool {
        self.protocol == Protocol::Uci
    }

    /// Returns the lines that answer `uci` or `ucci`.
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

    /// A text that the front end may show.
    pub(super) fn message(self, text: &str) -> String {
        match self.protocol {
            Protocol::Ucci => format!("info message {text}"),
            Protocol::Uci => format!("info string {text}"),
        }
    }

    /// Whether an option that does not exist is worth a word even when nothing else is.
    pub(super) fn tells_of_unknown_options(self) -> bool {
        self.protocol == Protocol::Uci
    }

    /// The answer to `stop` when nothing is under way.
    pub(super) fn stray_stop(self) -> Option<&'static str> {
        (self.protocol == Protocol::Ucci).then_some("nobestmove")
    }

    /// Whether a word about the result of the game can be said with a move.
    pub(super) fn can_parley(self) -> bool {
        self.protocol == Protocol::Ucci
    }

    /// The answer of a search that has no move to play.
    pub(super) fn no_move(self) -> &'static str {
        match self.protocol {
            Protocol::Ucci => "nobestmove",
            Protocol::Uci => "bestmove (none)",
        }
    }

    /// The answer of a search.
    pub(super) fn best_move(self, outcome: &Outcome, word: Word) -> String {
        let Some(best) = outcome.best() else { return self.no_move().to_owned() };
        let mut reply = format!("bestmove {}", self.written(best));
        if let Some(expected) = outcome.expected_reply() {
            reply.push_str(&format!(" ponder {}", self.written(expected)));
        }
        match word {
            Word::Draw => reply.push_str(" draw"),
            Word::Resign => reply.push_str(" resign"),
            Word::None => {}
        }
        reply
    }

    /// What a book knows of the move that is played from it.
    pub(super) fn book(self, choice: &BookChoice) -> String {
        let (mv, statistics) = (self.written(choice.mv), choice.statistics);
        let (wins, draws, losses) = (statistics.wins, statistics.draws, statistics.losses);
        let score = statistics.score().map_or(String::new(), |score| format!(", {:.1} %", score * 100.0));
        format!(
            "book {mv}: {} games, won {wins}, drawn {draws}, lost {losses}{score}; played in {} % of the games here",
            statistics.games(),
            choice.share
        )
    }

    /// The static evaluation, when nothing else was asked for.
    pub(super) fn evaluation(self, value: Value) -> String {
        format!("info depth 0 {}", self.score(value))
    }

    /// A line of a finished iteration.
    pub(super) fn iteration(self, iteration: &Iteration) -> String {
        let milliseconds = iteration.elapsed.as_millis();
        let per_second = u128::from(iteration.nodes) * 1_000_000 / iteration.elapsed.as_micros().max(1);
        let (depth, nodes) = (iteration.depth, iteration.nodes);
        let score = self.score(iteration.score);
        let hits = if iteration.tbhits == 0 { String::new() } else { format!(" tbhits {}", iteration.tbhits) };
        let mut line = match self.protocol {
            Protocol::Ucci => {
                let place =
                    if self.has_several_lines { format!(" multipv {}", iteration.pv_index) } else { String::new() };
                format!("info depth {depth}{place} {score} time {milliseconds} nodes {nodes} nps {per_second}{hits} pv")
            }
            Protocol::Uci => format!(
                "info depth {depth} seldepth {} multipv {} {score} nodes {nodes} nps {per_second} hashfull {}{hits} time \
                 {milliseconds} pv",
                iteration.selective_depth.max(depth),
                iteration.pv_index,
                iteration.hashfull
            ),
        };
        for &mv in iteration.line {
            line.push(' ');
            line.push_str(&self.written(mv));
        }
        line
    }

    fn score(self, value: Value) -> String {
        if self.names_mates && is_mate(value) {
            // Counted in moves of the side that mates.
            let moves = (MATE - value.abs() + 1) / 2;
            return format!("score mate {}", if value > 0 { moves } else { -moves });
        }
        match self.protocol {
            Protocol::Ucci => format!("score {value}"),
            Protocol::Uci => format!("score cp {value}"),
        }
    }

    /// A move as the front end writes it.
    pub(super) fn written(self, mv: Move) -> String {
        if !self.counts_from_one {
            return mv.to_string();
        }
        let square = |square: Square| format!("{}{}", (b'a' + square.file()) as char, square.rank() + 1);
        format!("{}{}", square(mv.from()), square(mv.to()))
    }

    /// A move of the front end with its ranks counted from 0; empty when it is none.
    pub(super) fn read(self, text: &str) -> String {
        if !self.counts_from_one {
            return text.to_owned();
        }
        let write = |[(from_file, from_rank), (to_file, to_rank)]: [(char, u8); 2]| {
            format!("{from_file}{}{to_file}{}", from_rank - 1, to_rank - 1)
        };
        split_points(text).map(write).unwrap_or_default()
    }
}

/// Two points with ranks from 1 to 10, such as `h10g8`.
fn split_points(text: &str) -> Option<[(char, u8); 2]> {
    let second = text.char_indices().skip(1).find(|(_, letter)| letter.is_ascii_alphabetic())?.0;
    let point = |text: &str| {
        let file = text.chars().next().filter(char::is_ascii_alphabetic)?;
        let digits = text.get(1..)?;
        let rank: u8 = digits.parse().ok().filter(|_| digits.bytes().all(|byte| byte.is_ascii_digit()))?;
        (1..=10).contains(&rank).then_some((file, rank))
    };
    Some([point(&text[..second])?, point(&text[second..])?])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn voice(protocol: Protocol, coordinates: &str) -> Formatter {
        let mut options = Options::default();
        options.set("coordinates", coordinates).unwrap();
        Formatter::new(protocol, &options, false)
    }

    #[test]
    fn ranks_are_counted_as_the_front_end_does() {
        let one = voice(Protocol::Uci, "one");
        for (outside, inside) in [("h3e3", "h2e2"), ("h10g8", "h9g7"), ("a1a10", "a0a9"), ("i10i1", "i9i0")] {
            assert_eq!(one.read(outside), inside);
            assert_eq!(one.written(inside.parse().unwrap()), outside);
        }
        for odd in ["", "h", "h3", "h0e3", "h11e3", "3h3e", "h3e3e", "炮二平五", "h+3e3"] {
            assert!(one.read(odd).parse::<Move>().is_err(), "{odd}");
        }
        let zero = voice(Protocol::Uci, "zero");
        assert_eq!(zero.read("h2e2"), "h2e2");
        assert_eq!(zero.written("h2e2".parse().unwrap()), "h2e2");
    }

    #[test]
    fn a_client_that_chose_the_variant_counts_from_one_unless_it_sends_bare_positions() {
        let mut options = Options::default();
        for (variant, sends_bare_positions, written) in
            [(false, false, "h0g2"), (true, false, "h1g3"), (true, true, "h0g2"), (false, true, "h0g2")]
        {
            if variant {
                options.set("UCI_Variant", "xiangqi").unwrap();
            } else {
                options = Options::default();
            }
            let voice = Formatter::new(Protocol::Uci, &options, sends_bare_positions);
            assert_eq!(voice.written("h0g2".parse().unwrap()), written, "{variant} {sends_bare_positions}");
        }
    }

    #[test]
    fn mates_are_counted_in_moves_where_they_are_named() {
        let uci = voice(Protocol::Uci, "auto");
        for (value, text) in
            [(9_999, "mate 1"), (9_997, "mate 2"), (-10_000, "mate 0"), (-9_998, "mate -1"), (35, "cp 35")]
        {
            assert_eq!(uci.evaluation(value), format!("info depth 0 score {text}"));
        }
        let mut options = Options::default();
        assert_eq!(Formatter::new(Protocol::Ucci, &options, false).evaluation(9_999), "info depth 0 score 9999");
        options.set("uccimate", "word").unwrap();
        assert_eq!(Formatter::new(Protocol::Ucci, &options, false).evaluation(9_999), "info depth 0 score mate 1");
        assert_eq!(Formatter::new(Protocol::Ucci, &options, false).evaluation(-12), "info depth 0 score -12");
    }
}
