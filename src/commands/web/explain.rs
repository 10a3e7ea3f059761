//! Verdicts in English and Chinese words.

use serde::Serialize;

use crate::commands::games::judge;
use crate::rules::{Cycle, CycleMove, Reason, TrackedPiece, Verdict, Violation};
use crate::types::Side;

/// Text in both languages of the page.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Words {
    /// English.
    pub en: String,
    /// Chinese.
    pub zh: String,
}

/// Verdict on a game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct VerdictObject {
    /// `none`, `draw`, `red_wins` or `black_wins`.
    word: &'static str,
    /// Kind of the reason, such as `perpetual_chase`.
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<&'static str>,
    /// Reason in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<Words>,
    /// Plies of a repetition.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    cycle: Vec<CyclePly>,
}

/// Ply of a repetition with what it threatens.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
struct CyclePly {
    ply: usize,
    #[serde(rename = "move")]
    mv: String,
    #[serde(flatten)]
    words: Words,
}

impl VerdictObject {
    /// Describes a verdict.
    pub fn new(verdict: &Verdict) -> VerdictObject {
        let reason = verdict.reason();
        let cycle = match reason {
            Some(Reason::Repetition(cycle)) => cycle.moves.iter().map(cycle_ply).collect(),
            _ => Vec::new(),
        };
        let words = |reason: &Reason| Words { en: reason.to_string(), zh: chinese(reason) };
        VerdictObject { word: verdict.word(), kind: reason.map(judge::kind), reason: reason.map(words), cycle }
    }
}

fn side_name(side: Side) -> &'static str {
    match side {
        Side::Red => "红方",
        Side::Black => "黑方",
    }
}

fn chinese(reason: &Reason) -> String {
    match reason {
        Reason::Checkmate(side) => format!("{}被将死", side_name(*side)),
        Reason::Stalemate(side) => format!("{}困毙，无着可走", side_name(*side)),
        Reason::MoveLimit(plies) => format!("自然限着：连续 {plies} 步（计数着法）未吃子"),
        Reason::Material => "双方子力均不足以取胜".to_owned(),
        Reason::Repetition(cycle) => repetition(cycle),
    }
}

fn repetition(cycle: &Cycle) -> String {
    let (first, last) = cycle.plies();
    let named = |side: Side| match cycle.violations[side.index()] {
        Violation::None => format!("{}未违例", side_name(side)),
        Violation::Chase => format!("{}长捉", side_name(side)),
        Violation::Check => format!("{}长将", side_name(side)),
    };
    let plies = format!("第 {first}–{last} 步循环");
    match cycle.loser() {
        Some(loser) => format!("{}（{plies}），判负", named(loser)),
        None if cycle.most_serious() == Violation::None => {
            format!("局面出现 {} 次，双方均未违例（{plies}），判和", cycle.occurrences)
        }
        None => format!("{}，{}（{plies}），判和", named(Side::Red), named(Side::Black)),
    }
}

fn cycle_ply(mv: &CycleMove) -> CyclePly {
    let en = |tracked: &TrackedPiece| format!("{} {}", tracked.piece.kind().name(), tracked.square);
    let zh = |tracked: &TrackedPiece| format!("{}（{}）", tracked.piece.glyph(), tracked.square);
    let (english, chinese): (Vec<String>, Vec<String>) = if mv.checkers.is_empty() {
        let words = mv.chases.iter().map(|chase| {
            let english = format!("{} threatens {}", en(&chase.attacker), en(&chase.victim));
            (english, format!("{}捉{}", zh(&chase.attacker), zh(&chase.victim)))
        });
        words.unzip()
    } else {
        mv.checkers.iter().map(|piece| (format!("{} checks", en(piece)), format!("{}将军", zh(piece)))).unzip()
    };
    let or_idle = |words: Vec<String>, separator: &str, idle: &str| {
        if words.is_empty() { idle.to_owned() } else { words.join(separator) }
    };
    let words = Words { en: or_idle(english, ", ", "idle"), zh: or_idle(chinese, "，", "闲着") };
    CyclePly { ply: mv.ply, mv: mv.mv.to_string(), words }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::Position;
    use crate::rules::Rules;

    #[test]
    fn a_perpetual_check_is_explained_with_its_plies() {
        let mut position = Position::from_fen("3k5/R8/9/9/9/9/9/4K4/9/9 w").unwrap();
        position.play("a8a9 d9d8 a9a8 d8d9 a8a9 d9d8 a9a8 d8d9".split(' ')).unwrap();
        let verdict = VerdictObject::new(&Rules::default().verdict(&position));
        assert_eq!((verdict.word, verdict.kind), ("black_wins", Some("perpetual_check")));
        let reason = verdict.reason.unwrap();
        assert_eq!(reason.zh, "红方长将（第 1–8 步循环），判负");
        assert!(reason.en.starts_with("Red's rook checks"), "{}", reason.en);
        assert_eq!(verdict.cycle.len(), 8);
        assert_eq!(verdict.cycle[0].words.zh, "车（a9）将军");
        assert_eq!(verdict.cycle[1].words.zh, "闲着");
    }

    #[test]
    fn a_mate_and_an_open_game() {
        let mate = Position::from_fen("3k5/3R5/3R5/9/9/9/9/9/9/4K4 b").unwrap();
        let verdict = VerdictObject::new(&Rules::default().verdict(&mate));
        assert_eq!((verdict.word, verdict.reason.unwrap().zh.as_str()), ("red_wins", "黑方被将死"));
        let open = VerdictObject::new(&Rules::default().verdict(&Position::start()));
        assert_eq!((open.word, open.kind, open.reason), ("none", None, None));
    }
}
