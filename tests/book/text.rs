//! Tests books as text: round trips, and errors with their lines.

use chuhe::book::{Book, export, import};

const TEXT: &str = "chuhe book 1\norigin \"two\\nlines \\u0007 \\\"楚河\\\"\\r\"\n\
                    0000000000000001 a0b0 16777215 0 0 weight 65535 delta -32768 verified prefer always\n\
                    0000000000000001 a0a1 1 2 3 weight 4 prefer 250%\n\
                    ffffffffffffffff i9i7 0 0 0 weight 0 prefer never\n\
                    ffffffffffffffff i9i8 0 0 0 weight 0 delta 32767\n";

#[test]
fn text_round_trips() {
    let bytes = import(TEXT).unwrap();
    let book = Book::from_bytes(bytes.clone()).unwrap();
    assert_eq!(book.provenance(), "two\nlines \u{7} \"楚河\"\r");
    assert_eq!(export(&book), TEXT);
    let mut lines: Vec<&str> = TEXT.lines().collect();
    lines[2..].reverse();
    let other = format!("\u{feff}# by hand\r\n\r\n{}\r\n", lines.join("\r\n\r\n# remark\r\n"));
    assert_eq!(import(&other).unwrap(), bytes, "order, comments and line endings do not matter");
}

#[test]
fn errors_name_their_line() {
    let head = "chuhe book 1\norigin \"\"\n";
    for (text, expected) in [
        ("".to_owned(), "line 1: a book as text must begin with"),
        ("chuhe book 2\n".to_owned(), "line 1: a book as text must begin with"),
        ("chuhe book 1".to_owned(), "line 2: the second line must be 'origin'"),
        ("chuhe book 1\n\norigin none\n".to_owned(), "line 3: the second line must be 'origin'"),
        (format!("{head}1 a0a1 1 2 3 weight 4"), "line 3: '1' is not a valid key of 16 hexadecimal digits"),
        (format!("{head}+000000000000001 a0a1 1 2 3 weight 4"), "line 3: '+000000000000001' is not a valid key"),
        (format!("{head}0000000000000001"), "line 3: missing move"),
        (format!("{head}0000000000000001 a0a0 1 2 3 weight 4"), "line 3: 'a0a0' is not a valid move"),
        (format!("{head}0000000000000001 a0a1 1 2"), "line 3: missing number of losses"),
        (format!("{head}0000000000000001 a0a1 1 2 16777216 weight 4"), "'16777216' is not a valid number of games"),
        (format!("{head}0000000000000001 a0a1 1 2 -3 weight 4"), "'-3' is not a valid number of games"),
        (format!("{head}0000000000000001 a0a1 1 2 3 delta 4"), "'delta' is not a valid keyword, expected 'weight'"),
        (format!("{head}0000000000000001 a0a1 1 2 3 weight 65536"), "'65536' is not a valid weight"),
        (format!("{head}0000000000000001 a0a1 1 2 3 weight 1 prefer 7%"), "'7%' is not a valid preference"),
        (format!("{head}0000000000000001 a0a1 1 2 3 weight 1 prefer"), "missing preference"),
        (format!("{head}0000000000000001 a0a1 1 2 3 weight 1 delta 40000"), "'40000' is not a valid delta"),
        (
            format!("{head}0000000000000001 a0a1 1 2 3 weight 1 good\u{7}"),
            "'good\u{fffd}' is not a valid keyword, expected 'delta', 'verified' or",
        ),
        (
            format!("{head}0000000000000001 a0a1 1 2 3 weight 1\n\n0000000000000001 a0a1 0 0 0 weight 7"),
            "line 5: duplicate of line 3",
        ),
    ] {
        let error = import(&text).unwrap_err().to_string();
        assert!(error.contains(expected), "{text}: {error}");
    }
}
