//! Proves that the moves of a game are written in every notation, whatever notation they came in.

use crate::harness::{refused, run_badly, run_well};

#[test]
fn a_table_has_a_line_for_each_move_and_a_column_for_each_notation() {
    let lines = run_well(&["notation", "startpos", "h2e2", "马8进7", "R1+1", "士4進5"]).lines;
    let cells = lines.iter().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
    assert_eq!(
        cells.collect::<Vec<_>>(),
        [
            "ply coordinate iccs chinese chinese_cxa wxf wxf_official wxf_fairy vietnamese",
            "1 h2e2 H2-E2 炮二平五 炮二平五 C2.5 C2.5 C2=5 P2-5",
            "2 h9g7 H9-G7 马８进７ 马８进７ N8+7 H8+7 H8+7 M8.7",
            "3 i0i1 I0-I1 车一进一 车一进一 R1+1 R1+1 R1+1 X1.1",
            "4 d9e8 D9-E8 士４进５ 士４进５ A4+5 A4+5 A4+5 S4.5",
        ]
    );
    // Chinese characters are two columns wide.
    let width = |text: &str| text.chars().map(|c| if c.is_ascii() { 1 } else { 2 }).sum::<usize>();
    let last_columns: Vec<usize> = lines.iter().map(|line| width(&line[..=line.rfind(' ').unwrap()])).collect();
    assert!(last_columns.iter().all(|column| *column == last_columns[0]), "{lines:#?}");
}

#[test]
fn moves_are_read_as_those_of_a_list() {
    let expected = run_well(&["notation", "startpos", "h2e2", "h9g7", "h0g2", "i9h9"]).lines;
    for words in [
        &["Pháo", "2", "bình", "5", "Mã 8 tiến 7", "M2.3", "X9-8"][..],
        &["1.", "Che2", "Hg7", "2.", "Hg2", "Rh9"],
        &["1. 炮二平五+ 马8进7!\n2. 马二进三 车9平8"],
    ] {
        assert_eq!(run_well(&[&["notation", "startpos"], words].concat()).lines, expected, "{words:?}");
        let shown = run_well(&[&["show", "startpos"], words].concat()).text();
        assert_eq!(shown, run_well(&["show", "startpos", "h2e2", "h9g7", "h0g2", "i9h9"]).text(), "{words:?}");
    }
    // Neither a missing move nor the wrong side is passed over.
    for (words, ply) in [("炮二平五 马8进7 马二进三 车一进一", "ply 4"), ("h9g7", "ply 1"), ("黑：马8进7", "ply 1")]
    {
        for command in ["show", "judge", "notation"] {
            refused(&[command, "startpos", words], 3, ply);
        }
    }
    refused(&["notation", "startpos", "h2e2", "1-0", "h9g7"], 1, "several games");
}

#[test]
fn a_move_that_cannot_be_read_ends_with_status_three_its_ply_and_the_candidates() {
    let cases = [
        (vec!["startpos", "h2e2", "车９平５"], "ply 2, '车９平５' is not a legal move here", "车９进２ (i9i7)"),
        (vec!["startpos", "h2e2 h9g8"], "ply 2, 'h9g8'", "closest legal move: h9g7"),
        (vec!["startpos", "h2e2 xyzzy"], "ply 2, 'xyzzy'", "is not a legal move here"),
        (vec!["3k5/9/9/9/2R6/9/9/9/2R6/4K4 w", "R7.6"], "ply 1, 'R7.6' is ambiguous", "R-.6 (c1d1) or R+.6 (c5d5)"),
        (vec!["3k5/9/9/9/9/4r4/9/9/4R4/4K4 w", "e1d1"], "ply 1, 'e1d1'", "king could be captured"),
    ];
    for (arguments, place, hint) in cases {
        for extra in [&[][..], &["--json"]] {
            let ended = run_badly(&[&["notation"], &arguments[..], extra].concat(), 3);
            assert!(ended.lines.is_empty(), "{:#?}", ended.lines);
            assert!(ended.errors.contains(place) && ended.errors.contains(hint), "{}", ended.errors);
            assert_eq!(ended.errors.lines().count(), 1, "{}", ended.errors);
        }
    }
    refused(&["notation", "9/9", "h2e2"], 3, "invalid position");
}

#[test]
fn a_move_may_begin_with_a_dash() {
    let five = "2P1k4/2P6/2P6/2P6/2P6/9/9/9/9/3K5 w";
    let lines = run_well(&["notation", five, "--", "--.6"]).lines;
    assert!(lines[1].contains("五兵平六") && lines[1].contains("c5d5"), "{lines:#?}");
}

#[test]
fn moves_after_a_position_may_have_any_notation() {
    // The rook gives mate.
    let fen = "3k5/9/9/9/9/9/9/9/9/4K3R w - - 0 1";
    let moved = run_well(&["show", fen, "i0i9"]).text();
    for words in [&[fen, "车一进九"][..], &[fen, "moves", "I0-I9"]] {
        assert_eq!(run_well(&[&["show"], words].concat()).text(), moved, "{words:?}");
    }
    for command in ["show", "judge", "mate"] {
        let words = "ply 3, '车九进一' is not a legal move here; closest";
        refused(&[command, fen, "车一进九", "将4进1", "车九进一"], 3, words);
    }
    refused(&["show", fen, "moves", "C2.5"], 3, "ply 1, 'C2.5' is not a legal move here");
}
