//! The rule set `axf` against the verdicts of Fairy-Stockfish.

use std::collections::BTreeMap;

use chuhe::rules::{RuleSet, Rules};

use crate::common::data::{lines, played, position};

#[test]
fn cycles_are_judged_as_fairy_stockfish_judges_them() {
    let rules = Rules::new(RuleSet::Axf);
    let mut counts = BTreeMap::new();
    for line in lines(include_str!("../data/axf_cycles.tsv")) {
        let [fen, before, lap, verdict] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let game = played(position(fen), &format!("{before} {lap} {lap}"));
        assert_eq!(rules.verdict(&game).word(), verdict, "{line}");
        *counts.entry(verdict).or_insert(0) += 1;
    }
    assert_eq!(counts.into_iter().collect::<Vec<_>>(), [("black_wins", 417), ("draw", 1234), ("red_wins", 477)]);
}

#[test]
fn the_manual_tells_how_the_rules_differ() {
    let (english, chinese) = (include_str!("../../docs/rules.md"), include_str!("../../docs/rules.zh.md"));
    let commands = |text: &'static str| text.lines().filter_map(|line| line.strip_prefix("chuhe judge --rules axf "));
    let headings =
        english.lines().filter_map(|line| line.strip_prefix("# ")?.split_once(": computer ")?.1.split_once(", axf "));
    assert!(commands(english).eq(commands(chinese)) && commands(english).count() == 8);
    for (command, verdicts) in commands(english).zip(headings) {
        let (fen, moves) = command.trim_start_matches('\'').split_once('\'').unwrap();
        let verdict = |set| Rules::new(set).verdict(&played(position(fen), moves)).word();
        assert_eq!((verdict(RuleSet::Computer), verdict(RuleSet::Axf)), verdicts, "{command}");
    }
}
