//! Proves that a fault costs its game only, and that its message names the place and the reason.

use chuhe::notation::format::Format;
use chuhe::notation::game::Game;
use chuhe::notation::openings::read_epd;
use chuhe::position::{Position, Strictness};

use crate::samples::{moves, read};
use crate::{cbr_encoder, xqf_encoder};

/// Checks that a message names all of its parts and has no control character.
fn assert_named(message: &str, parts: &[&str]) {
    assert!(parts.iter().all(|part| message.contains(part)), "{message:?} lacks one of {parts:?}");
    assert!(!message.contains('\u{1b}'), "{message:?}");
}

#[test]
fn a_wrong_game_of_a_text_costs_no_other_game() {
    let pgn = ("1. h2e2 *\n", "[Event \"last\"]\n\n1. c3c4 *\n");
    let page = "[DhtmlXQ]\n[DhtmlXQ_movelist]7747[/DhtmlXQ_movelist]\n[/DhtmlXQ]\n";
    let field = |text: &str, name: &str| format!("[DhtmlXQ]\n[DhtmlXQ_{name}]{text}[/DhtmlXQ_{name}]\n");
    let list = |text: &str| field(text, "movelist");
    for (format, (first, last), faulty, parts) in [
        (Format::Pgn, pgn, "[Event \"x\"]\n\n1. h2e2\nh9g7 2. h2e2 *\n".to_owned(), &["line 5", "ply 3", "h2e2"][..]),
        (Format::Pgn, pgn, "[Event \"x\"]\n[FEN \"9/9 w\"]\n\n1. h2e2 *\n".to_owned(), &["line 3", "ranks"]),
        (Format::Pgn, pgn, "[Event \"x\"]\n[Result \"who knows\"]\n\n1. h2e2\n".to_owned(), &["line 3", "who knows"]),
        (
            Format::Pgn,
            pgn,
            "[Event \"x\"]\n\n1. h2e2 {open\n[Red \"x\"]\n\nh9g7 *\n".to_owned(),
            &["line 4", "not closed"],
        ),
        (Format::Pgn, pgn, "[Event \"x\"]\n\n1. h2e2 (open\n(\n".to_owned(), &["line 4", "not closed"]),
        (Format::Pgn, pgn, "[Event \"x\"]\n\nlorem ipsum\ndolor sit\n".to_owned(), &["line 4", "lorem"]),
        (Format::Pgn, pgn, "[Event \"x\"]\n\nh2e2 \u{1b}[31m\n".to_owned(), &["line 4", "ply 2"]),
        (Format::DhtmlXq, (page, page), list("77477747"), &["line 5", "ply 2"]),
        (Format::DhtmlXq, (page, page), list("774x"), &["line 5", "'x'"]),
        (Format::DhtmlXq, (page, page), list("7747706"), &["line 5", "'706' are not the four digits"]),
        (Format::DhtmlXq, (page, page), list("774770"), &["line 5", "'70' are not"]),
        (Format::DhtmlXq, (page, page), list("77479999"), &["line 5", "not squares"]),
        (Format::DhtmlXq, (page, page), field("0919", "binit"), &["line 5", "2 pieces"]),
        (Format::DhtmlXq, (page, page), field("9/9 w", "fen"), &["line 5", "ranks"]),
        (Format::Moves, ("1-0\t\th2e2\n", "*\n"), "nonsense\t\th2e2\n".to_owned(), &["line 2", "nonsense"]),
        (Format::Moves, ("*\n", "*\n"), "0-1\t\th2e2 h9g7 h0g2 h2e2\n".to_owned(), &["line 2", "ply 4", "h2e2"]),
        (Format::Moves, ("*\n", "*\n"), "*\t9/9/9 w\th2e2\n".to_owned(), &["line 2", "ranks"]),
        (Format::Moves, ("*\n", "*\n"), "1-0\t\th2e2 x\n".to_owned(), &["line 2", "ply 2", "x"]),
    ] {
        let games = read(format, format!("{first}{faulty}{last}").as_bytes());
        let [Ok(_), Err(fault), Ok(last)] = &games[..] else { panic!("{faulty}: {games:?}") };
        assert_eq!(last.tag("Event").is_some(), format == Format::Pgn);
        assert_named(&fault.to_string(), parts);
    }
    let cut = read(Format::Pgn, b"1. h2e2 {to be");
    assert!(cut.len() == 1 && cut[0].as_ref().unwrap_err().to_string().contains("line 1"));
}

#[test]
fn damage_of_binary_files_is_named_with_its_byte() {
    let game = Game { nodes: moves(&Position::start(), "h2e2 h9g7"), ..Game::default() };
    let root = xqf_encoder::tree(&game);
    let xqf = xqf_encoder::encode(&game, root.as_deref(), &xqf_encoder::Secret { version: 10, bytes: [0; 13] });
    let cbr = cbr_encoder::encode(&game, root.as_deref());
    type Change = fn(&mut Vec<u8>);
    let cases: [(Format, Change, [&str; 2]); 15] = [
        (Format::Xqf, |file| file.clear(), ["byte 0", "XQ"]),
        (Format::Xqf, |file| file.truncate(1000), ["byte 1000", "head"]),
        (Format::Xqf, |file| file.truncate(1044), ["byte 1040", "length"]),
        (Format::Xqf, |file| file[1040] = 24 + 99, ["byte 1040", "ply 2"]),
        (Format::Xqf, |file| file[1040] = 24, ["byte 1040", "a0g7"]),
        (Format::Xqf, |file| file[0x10] = file[0x11], ["byte 16", "two pieces"]),
        (Format::Xqf, |file| file[0x14] = 0xFF, ["byte 16", "king"]),
        // A comment of four thousand million bytes.
        (Format::Xqf, |file| file[1036..1040].fill(0xFF), ["byte 1032", "comment"]),
        (Format::Cbr, |file| file.truncate(2000), ["byte 2000", "head of a game"]),
        (Format::Cbr, |file| file.truncate(2224), ["byte 2222", "a move"]),
        (Format::Cbr, |file| file[2224] = 90, ["byte 2222", "not on the board"]),
        (Format::Cbr, |file| file[2224] = 44, ["byte 2222", "ply 2: 'i5g7' is not legal"]),
        (Format::Cbr, |file| file[2222] |= 4, ["byte 2222", "length of a comment"]),
        (Format::Cbr, |file| file[2120 + 4] = 0, ["byte 2120", "king"]),
        (Format::Cbr, |file| file[3] = b'x', ["byte 0", "CCBridge"]),
    ];
    for (format, change, parts) in cases {
        let mut file = if format == Format::Xqf { xqf.clone() } else { cbr.clone() };
        change(&mut file);
        let games = read(format, &file);
        assert_eq!(games.len(), 1);
        assert_named(&games[0].as_ref().unwrap_err().to_string(), &parts);
    }
}

#[test]
fn a_wrong_line_of_epd_costs_no_other_line() {
    let board = "3a2b2/3k5/9/7N1/9/9/9/4K4/9/6R2 w";
    let file =
        format!("# remark\n\n{board} bm g0d0;\n{board} bm g0a1;\n{board} dm many;\n9/9 w bm g0d0;\n{board} am g0d0\n");
    let records: Vec<_> = read_epd(file.as_bytes(), Strictness::Strict).collect();
    let [Ok(_), Err(illegal), Err(number), Err(position), Ok(_)] = &records[..] else { panic!("{records:?}") };
    for (fault, parts) in [(illegal, ["line 4", "g0a1"]), (number, ["line 5", "many"]), (position, ["line 6", "ranks"])]
    {
        assert_named(&fault.to_string(), &parts);
    }
}
