//! Variant spellings of a move.

use chuhe::notation::{Dialect, NotationFault, read, read_in, write};
use chuhe::position::Position;
use chuhe::types::Move;

use crate::cases::cases;

fn assert_read(fen: &str, mv: &str, texts: &[&str]) {
    let position = Position::from_fen(fen).unwrap();
    let mv: Move = mv.parse().unwrap();
    for text in texts {
        assert_eq!(read(&position, text), Ok(mv), "{text}");
    }
}

const START: &str = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR";

#[test]
fn characters_digits_and_case_can_vary() {
    let start = format!("{START} w");
    assert_read(&start, "h2e2", &["炮二平五", "砲二平五", "包二平五", "炮2平5", "炮２平５", "砲 二 平 五", "炮二平5"]);
    assert_read(&start, "h2e2", &["c2.5", "C2=5", "Ｃ２＝５", " C2.5\t"]);
    assert_read(&start, "h2e2", &["h2e2", "H2-E2", "H2E2", "h2-e2", "Ｈ２－Ｅ２", "h2–e2", "h2 e2"]);
    assert_read(&start, "h0g2", &["马二进三", "馬二進三", "傌2进3", "马二上三", "N2+3", "H2+3", "h2+3", "n2+3"]);
    assert_read(&start, "i0i1", &["俥一上一"]);
    assert_read(&start, "g0e2", &["相三进五", "象三进五", "B3+5", "E3+5", "b3+5", "e3+5", "M3+5"]);
    assert_read(&start, "d0e1", &["仕六进五", "士六进五", "A6+5", "G6+5", "g6+5", "A6+5+", "仕六进五#", "d0e1++"]);
    assert_read(&start, "e0e1", &["帅五进一", "帥五進一", "将五进一", "將5上1", "K5+1"]);
    let start = format!("{START} b");
    assert_read(&start, "h9g7", &["马８进７", "馬8進7", "马八进七", "傌八上七", "N8+7", "h8+7"]);
    assert_read(&start, "e9e8", &["将５进１", "帅五进一", "將5進1"]);
    assert_read(&start, "c9e7", &["象３进５", "相3进5", "象三进五", "e3+5", "b3+5"]);
}

#[test]
fn the_index_can_precede_or_follow_the_piece() {
    let cannons = "3k5/1c7/9/7C1/9/9/1c7/7C1/9/4K4 w";
    assert_read(cannons, "h6h4", &["C+-2", "+C-2", "c+-2", "前炮退二", "炮前退二", "前砲下2", "前包退２"]);
    assert_read(cannons, "h2h0", &["C--2", "-C-2", "后炮退二", "後砲退二", "後炮下2"]);
    let horses = "3k5/9/9/2n6/5N3/2n6/5N3/9/9/4K4 w";
    assert_read(horses, "f5g7", &["N++3", "H++3", "+N+3", "+h+3", "前馬進三"]);
    let pawns = "3k5/9/4P4/4P4/4P4/9/9/9/9/4K4 w";
    assert_read(pawns, "e6f6", &["P..4", ".P.4", "P.=4", "p5.4", "25=4", "中兵平四", "中卒平4"]);
}

#[test]
fn a_letter_is_an_index_after_a_pawn_and_a_piece_before() {
    let pawns = "2P1k4/2P6/2P6/2P6/2P6/9/9/9/9/3K5 w";
    assert_read(pawns, "c8d8", &["Pb.6", "pB=6", "二兵平六"]);
    assert_read(pawns, "c5d5", &["Pe.6", "PE.6", "五兵平六", "后兵平六", "--.6", "57=6"]);
}

#[test]
fn the_pawn_can_be_omitted_as_in_old_books() {
    let pawns = "3k5/9/6P2/2P3P2/2P6/9/9/9/9/4K4 w";
    assert_read(pawns, "c6b6", &["前七平八", "前兵七平八", "三兵平八", "前7平8", "7+.8", "17=8", "Pc.8"]);
    assert_read(pawns, "g6h6", &["后三平二", "後兵三平二", "二兵平二"]);
}

/// The same notation with every sign replaced by its variants.
fn spellings(words: &str) -> Vec<String> {
    const SIMPLE: [&str; 2] = ["车马炮帅将后进相仕兵", "車馬砲帥將後進象士卒"];
    const NUMERALS: &str = "一二三四五六七八九";
    const WIDE: &str = "１２３４５６７８９";
    let traditional =
        |c: char| SIMPLE[0].chars().zip(SIMPLE[1].chars()).find(|pair| pair.0 == c).map_or(c, |pair| pair.1);
    let value = |c: char| [NUMERALS, WIDE].iter().find_map(|digits| digits.chars().position(|digit| digit == c));
    let in_digits = |digits: &str| -> String {
        words.chars().map(|c| value(c).map_or(c, |value| digits.chars().nth(value).unwrap())).collect()
    };
    let widened = |c: char| if c.is_ascii_graphic() { char::from_u32(c as u32 + 0xFEE0).unwrap() } else { c };
    vec![
        words.chars().map(traditional).collect(),
        in_digits(NUMERALS),
        in_digits(WIDE),
        in_digits("123456789"),
        words.to_lowercase(),
        words.to_uppercase(),
        words.replace('.', "="),
        words.replace('=', "."),
        words.replace('进', "上").replace('退', "下"),
        words.chars().map(widened).collect(),
    ]
}

#[test]
fn every_case_is_read_in_every_spelling() {
    for case in cases() {
        for (dialect, words) in case.words {
            for text in spellings(words) {
                assert_eq!(read(&case.position, &text), Ok(case.mv), "{}: {text} for {words} in {dialect}", case.id);
            }
        }
    }
}

#[test]
fn vietnamese_has_symbols_and_words() {
    let start = format!("{START} w");
    assert_read(&start, "h2e2", &["P2-5", "p2-5", "P2–5", "Pháo 2 bình 5", "phao 2 binh 5", "Pháo hai bình năm!"]);
    assert_read(&start, "h2e2", &["PHÁO 2 BÌNH 5", "pha\u{301}o 2 bi\u{300}nh 5", "Pháo2-5", "Pháo nhị bình ngũ!"]);
    assert_read(
        &start,
        "h0g2",
        &["M2.3", "Mã 2 tiến 3", "Mã 2 tấn 3", "ma 2 tien 3", "Ma\u{303} hai tie\u{302}\u{301}n ba"],
    );
    assert_read(&start, "g0e2", &["T3.5", "V3.5", "Tượng 3 tiến 5", "tuong 3 tien 5", "voi 3 tiến 5"]);
    assert_read(&start, "e0e1", &["Tg5.1", "tg5.1", "Tướng 5 tiến 1", "tuong 5 tien 1", "Soái 5 tấn 1"]);
    assert_read(&start, "d0e1", &["S6.5", "Sĩ 6 tiến 5", "sỹ 6 tấn 5"]);
    assert_read(&start, "c3c4", &["B7.1", "Binh 7 tiến 1", "Tốt 7 tấn 1", "Chốt bảy tiến một"]);
    let rooks = "3k5/9/9/9/2R6/9/9/9/2R6/4K4 w";
    assert_read(rooks, "c5d5", &["Xt-6", "Xe trước bình 6", "Tiền xe bình 6", "xe truoc binh 6"]);
    assert_read(rooks, "c1c0", &["Xs/1", "Xe sau thoái 1", "Hậu xa lui 1"]);
    // Without diacritics it could be six: no rook is on that file.
    assert_read(rooks, "c1d1", &["Xs-6", "xe sau binh 6"]);
    for (fen, mv, words) in [
        ("3k5/9/4P4/4P4/4P4/9/9/9/9/4K4 w", "e6f6", "Bg-4"),
        ("2P1k4/2P6/2P6/2P6/2P6/9/9/9/9/3K5 w", "c8d8", "Bt2-6"),
        ("2P1k4/2P6/2P6/2P6/2P6/9/9/9/9/3K5 w", "c5d5", "Bs-6"),
        ("3k5/9/6P2/2P3P2/2P6/9/9/9/9/4K4 w", "c6b6", "Bt7-8"),
    ] {
        assert_eq!(write(&Position::from_fen(fen).unwrap(), mv.parse().unwrap(), Dialect::Vietnamese), words);
        assert_read(fen, mv, &[words]);
    }
    // WXF comes first, and an ambiguous word stays one.
    let pawns = "3k5/9/9/7P1/9/9/9/7C1/9/4K4 w";
    assert_read(pawns, "h6g6", &["P2.3"]);
    assert_eq!(read_in(&Position::from_fen(pawns).unwrap(), "P2.3", Dialect::Vietnamese).unwrap().to_string(), "h2h5");
    let pawns = Position::from_fen("3k5/7P1/9/7P1/9/9/9/7C1/9/4K4 w").unwrap();
    assert_eq!(read(&pawns, "P2.3").unwrap_err().fault, NotationFault::Ambiguous);
}

#[test]
fn read_in_accepts_one_dialect_only() {
    let pawns = Position::from_fen("3k5/9/4P4/4P4/4P4/9/9/9/9/4K4 w").unwrap();
    let dialects = [Dialect::Wxf, Dialect::WxfOfficial, Dialect::WxfFairy];
    for written in dialects {
        let words = write(&pawns, "e6f6".parse().unwrap(), written);
        for dialect in dialects {
            assert_eq!(read_in(&pawns, &words, dialect).is_ok(), dialect == written, "{words} in {dialect}");
        }
        assert!(read_in(&pawns, &words, Dialect::Chinese).is_err());
        assert!(read_in(&pawns, &words, Dialect::Coordinate).is_err());
        assert!(read_in(&pawns, &words, Dialect::Vietnamese).is_err());
        assert!(read_in(&pawns, "Bg-4", written).is_err());
        assert!(read_in(&pawns, "e6f6", written).is_ok(), "coordinates are always accepted");
    }
}
