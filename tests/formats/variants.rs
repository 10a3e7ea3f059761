//! Variant spellings of a move.

use chuhe::notation::{Dialect, NotationFault, read, read_in, write};
use chuhe::position::Position;
use chuhe::types::Move;

use crate::cases::cases;

const RED: &str = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w";
const BLACK: &str = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR b";
const CANNONS: &str = "3k5/1c7/9/7C1/9/9/1c7/7C1/9/4K4 w";
const ROOKS: &str = "3k5/9/9/9/2R6/9/9/9/2R6/4K4 w";
const THREE_PAWNS: &str = "3k5/9/4P4/4P4/4P4/9/9/9/9/4K4 w";
const FIVE_PAWNS: &str = "2P1k4/2P6/2P6/2P6/2P6/9/9/9/9/3K5 w";
const TWO_FILES: &str = "3k5/9/6P2/2P3P2/2P6/9/9/9/9/4K4 w";
const PAWN_AND_CANNON: &str = "3k5/9/9/7P1/9/9/9/7C1/9/4K4 w";

#[test]
fn moves_are_read_in_every_spelling() {
    for (fen, mv, texts) in [
        // Characters, digits and case.
        (RED, "h2e2", "炮二平五|砲二平五|包二平五|炮2平5|炮２平５|砲 二 平 五|炮二平5|c2.5|C2=5|Ｃ２＝５| C2.5\t"),
        (RED, "h2e2", "h2e2|H2-E2|H2E2|h2-e2|Ｈ２－Ｅ２|h2–e2|h2 e2"),
        (RED, "h0g2", "马二进三|馬二進三|傌2进3|马二上三|N2+3|H2+3|h2+3|n2+3"),
        (RED, "i0i1", "俥一上一"),
        (RED, "g0e2", "相三进五|象三进五|B3+5|E3+5|b3+5|e3+5|M3+5"),
        (RED, "d0e1", "仕六进五|士六进五|A6+5|G6+5|g6+5|A6+5+|仕六进五#|d0e1++"),
        (RED, "e0e1", "帅五进一|帥五進一|将五进一|將5上1|K5+1"),
        (BLACK, "h9g7", "马８进７|馬8進7|马八进七|傌八上七|N8+7|h8+7"),
        (BLACK, "e9e8", "将５进１|帅五进一|將5進1"),
        (BLACK, "c9e7", "象３进５|相3进5|象三进五|e3+5|b3+5"),
        // The index before or after the piece.
        (CANNONS, "h6h4", "C+-2|+C-2|c+-2|前炮退二|炮前退二|前砲下2|前包退２"),
        (CANNONS, "h2h0", "C--2|-C-2|后炮退二|後砲退二|後炮下2"),
        ("3k5/9/9/2n6/5N3/2n6/5N3/9/9/4K4 w", "f5g7", "N++3|H++3|+N+3|+h+3|前馬進三"),
        (THREE_PAWNS, "e6f6", "P..4|.P.4|P.=4|p5.4|25=4|中兵平四|中卒平4|Bg-4"),
        // A letter is an index after a pawn and a piece before.
        (FIVE_PAWNS, "c8d8", "Pb.6|pB=6|二兵平六|Bt2-6"),
        (FIVE_PAWNS, "c5d5", "Pe.6|PE.6|五兵平六|后兵平六|--.6|57=6|Bs-6"),
        // Old books omit the pawn.
        (TWO_FILES, "c6b6", "前七平八|前兵七平八|三兵平八|前7平8|7+.8|17=8|Pc.8|Bt7-8"),
        (TWO_FILES, "g6h6", "后三平二|後兵三平二|二兵平二"),
        // Vietnamese symbols and words.
        (RED, "h2e2", "P2-5|p2-5|P2–5|Pháo 2 bình 5|phao 2 binh 5|Pháo hai bình năm!|PHÁO 2 BÌNH 5|Pháo2-5"),
        (RED, "h2e2", "pha\u{301}o 2 bi\u{300}nh 5|Pháo nhị bình ngũ!"),
        (RED, "h0g2", "M2.3|Mã 2 tiến 3|Mã 2 tấn 3|ma 2 tien 3|Ma\u{303} hai tie\u{302}\u{301}n ba"),
        (RED, "g0e2", "T3.5|V3.5|Tượng 3 tiến 5|tuong 3 tien 5|voi 3 tiến 5"),
        (RED, "e0e1", "Tg5.1|tg5.1|Tướng 5 tiến 1|tuong 5 tien 1|Soái 5 tấn 1"),
        (RED, "d0e1", "S6.5|Sĩ 6 tiến 5|sỹ 6 tấn 5"),
        (RED, "c3c4", "B7.1|Binh 7 tiến 1|Tốt 7 tấn 1|Chốt bảy tiến một"),
        (ROOKS, "c5d5", "Xt-6|Xe trước bình 6|Tiền xe bình 6|xe truoc binh 6"),
        (ROOKS, "c1c0", "Xs/1|Xe sau thoái 1|Hậu xa lui 1"),
        // Without diacritics it could be six: no rook is on that file.
        (ROOKS, "c1d1", "Xs-6|xe sau binh 6"),
        // WXF comes first.
        (PAWN_AND_CANNON, "h6g6", "P2.3"),
    ] {
        let (position, mv): (_, Move) = (Position::from_fen(fen).unwrap(), mv.parse().unwrap());
        for text in texts.split('|') {
            assert_eq!(read(&position, text), Ok(mv), "{text}");
        }
        // What is written in Vietnamese is the last text of the rows with tandem pawns.
        let last = texts.rsplit('|').next().unwrap();
        assert!(!last.starts_with('B') || write(&position, mv, Dialect::Vietnamese) == last, "{last}");
    }
    let position = Position::from_fen(PAWN_AND_CANNON).unwrap();
    assert_eq!(read_in(&position, "P2.3", Dialect::Vietnamese).unwrap().to_string(), "h2h5");
    // An ambiguous word stays one.
    let pawns = Position::from_fen("3k5/7P1/9/7P1/9/9/9/7C1/9/4K4 w").unwrap();
    assert_eq!(read(&pawns, "P2.3").unwrap_err().fault, NotationFault::Ambiguous);
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
fn read_in_accepts_one_dialect_only() {
    let pawns = Position::from_fen(THREE_PAWNS).unwrap();
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
