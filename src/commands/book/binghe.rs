//! Book format of Binghe (兵河五四), `.obk`, which many front ends share.
//!
//! The file is an SQLite database with a table `bhobk`, one row for each move:
//!
//! | column | |
//! |---|---|
//! | `vkey` | key of the position, 64 bits |
//! | `vmove` | from square · 256 + to square, numbered as in ElephantEye books |
//! | `vscore` | weight of the move |
//! | `vwin`, `vdraw`, `vlost` | results of its games for the side to move |
//! | `vvalid` | 1 if the move may be played |
//!
//! A key of 2⁶³ or more is stored as the floating-point number with the same 64 bits. Where SQLite has converted that
//! to an integer, it is converted back.
//!
//! The key of a position is the XOR of one word for each piece on its square, and of one more if Red is to move. The
//! words follow no published rule and are not part of Chuhe: the user supplies them in a file.

use std::path::Path;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags, Row};

use super::foreign::{ForeignBook, ForeignMove, KeyTable, MAX_MOVES, square_of, too_many};
use crate::book::{BookError, MAX_GAMES, Statistics};
use crate::position::Position;
use crate::types::{Move, Side};

/// Number of key words: one for Red to move, then 256 for each piece of Red and of Black by square number.
pub const KEY_COUNT: usize = 1 + 14 * 256;
/// Key of the start position, which identifies the right words.
const KEY_OF_START: u64 = 0x628D_04D7_C9C1_44AE;
/// Key of the position after h2e2.
const KEY_AFTER_CANNON: u64 = 0xA1EA_D1F6_470E_07EE;

/// Parses [`KEY_COUNT`] words of 16 hexadecimal digits, with or without `0x`, between whitespace or commas.
pub fn read_keys(text: &str) -> Result<KeyTable, BookError> {
    let table = read_any_keys(text)?;
    let start = Position::start();
    let mut after_cannon = start.clone();
    let is_played = after_cannon.play(["h2e2"]).is_ok();
    if !is_played || [&start, &after_cannon].map(|position| table.keys(position)[0]) != [KEY_OF_START, KEY_AFTER_CANNON]
    {
        return Err(invalid_keys(format!("the start of the game should have the key {KEY_OF_START:016x}")));
    }
    Ok(table)
}

fn invalid_keys(fault: String) -> BookError {
    BookError::Invalid(format!("invalid file of key words: {fault}"))
}

/// Parses the key words without checking the keys they give.
fn read_any_keys(text: &str) -> Result<KeyTable, BookError> {
    let mut words = Vec::with_capacity(KEY_COUNT);
    for word in text.split(|c: char| c == ',' || c.is_ascii_whitespace()).filter(|word| !word.is_empty()) {
        let digits = word.strip_prefix("0x").or_else(|| word.strip_prefix("0X")).unwrap_or(word);
        let is_word = digits.len() == 16 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        let value = u64::from_str_radix(digits, 16).ok().filter(|_| is_word);
        let number = words.len() + 1;
        words.push(
            value.ok_or_else(|| invalid_keys(format!("word {number} is not a number of 16 hexadecimal digits")))?,
        );
    }
    if words.len() != KEY_COUNT {
        return Err(invalid_keys(format!("{} words instead of {KEY_COUNT}", words.len())));
    }
    let mut words = words.into_iter();
    Ok(KeyTable::new(Side::Red, || words.next().unwrap_or_default()))
}

/// Reads a Binghe book whose keys are computed with this table.
///
/// Moves that may not be played are skipped, and so are rows without a valid move or key: keys whose 64 bits are a NaN
/// are lost in such a database. The score of a move becomes its weight, clamped to 1 to 65,535.
pub fn read_binghe(path: &Path, table: KeyTable) -> Result<ForeignBook, BookError> {
    let moves =
        read_rows(path).map_err(|error| BookError::Invalid(format!("this is not a book of Binghe: {error}")))?;
    if moves.len() > MAX_MOVES { Err(too_many()) } else { Ok(ForeignBook::new(table, moves)) }
}

/// Reads the rows of moves, at most one more than a book may have.
fn read_rows(path: &Path) -> rusqlite::Result<Vec<ForeignMove>> {
    let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    // A crafted table may be a view that runs arbitrary functions.
    connection.pragma_update(None, "trusted_schema", false)?;
    let mut statement =
        connection.prepare("SELECT vkey, vmove, vscore, vwin, vdraw, vlost FROM bhobk WHERE vvalid = 1")?;
    let mut rows = statement.query([])?;
    let mut moves = Vec::new();
    while let Some(row) = rows.next()? {
        moves.extend(read_row(row)?);
        if moves.len() > MAX_MOVES {
            break;
        }
    }
    Ok(moves)
}

fn read_row(row: &Row<'_>) -> rusqlite::Result<Option<ForeignMove>> {
    let number = |column| -> rusqlite::Result<i64> {
        Ok(match row.get_ref(column)? {
            ValueRef::Integer(number) => number,
            // The conversion saturates.
            ValueRef::Real(number) => number as i64,
            _ => 0,
        })
    };
    let Some(key) = key_of(row.get_ref(0)?) else { return Ok(None) };
    let games = |column| number(column).map(|count| count.clamp(0, i64::from(MAX_GAMES)) as u32);
    let statistics = Statistics { wins: games(3)?, draws: games(4)?, losses: games(5)? };
    let weight = number(2)?.clamp(1, i64::from(u16::MAX)) as u16;
    let mv = u16::try_from(number(1)?).ok().and_then(|number| {
        let [from, to] = number.to_be_bytes();
        let (from, to) = (square_of(from)?, square_of(to)?);
        (from != to).then(|| Move::new(from, to))
    });
    Ok(mv.map(|mv| ForeignMove { key, mv, weight, statistics }))
}

fn key_of(value: ValueRef<'_>) -> Option<u64> {
    match value {
        ValueRef::Integer(number) if number < 0 => Some((number as f64).to_bits()),
        ValueRef::Integer(number) => Some(number as u64),
        ValueRef::Real(number) if number.is_sign_negative() => Some(number.to_bits()),
        ValueRef::Real(number) => Some(number as u64),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::book::foreign::{MAX_POSITIONS, number_of, walk};

    /// Generated words; those of Binghe are not part of Chuhe.
    fn words() -> String {
        let mut state = 6_u64;
        let mut word = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state ^ state >> 33).wrapping_mul(0xFF51_AFD7_ED55_8CCD)
        };
        (0..KEY_COUNT).map(|_| format!("0x{:016X},\n", word())).collect()
    }

    #[test]
    fn key_words_are_counted_and_checked() {
        let error = |text: &str| read_keys(text).unwrap_err().to_string();
        assert!(error("").contains("0 words instead of 3585"), "{}", error(""));
        assert!(error(&words()).contains("the start of the game should have the key 628d04d7c9c144ae"));
        assert!(error("0123456789abcdef 12").contains("word 2 is not a number"));
        assert!(error("+123456789abcdef").contains("word 1 is not a number"));
        assert!(read_any_keys(&words()).is_ok());
    }

    #[test]
    fn keys_survive_every_storage_class() {
        for key in [0, 1, 0x628D_04D7_C9C1_44AE, i64::MAX as u64] {
            assert_eq!(key_of(ValueRef::Integer(key as i64)), Some(key));
        }
        // A large key is stored as a float with the same bits and, if that is integral, as an integer.
        let whole = (-(1_i64 << 60)) as f64;
        for key in [0xA1EA_D1F6_470E_07EE, 0x8000_0000_0000_0001, whole.to_bits()] {
            assert_eq!(key_of(ValueRef::Real(f64::from_bits(key))), Some(key));
        }
        assert_eq!(key_of(ValueRef::Integer(-(1 << 60))), Some(whole.to_bits()));
        assert_eq!(key_of(ValueRef::Null), None);
    }

    #[test]
    fn moves_of_a_database_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("some.obk");
        let connection = Connection::open(&path).unwrap();
        let columns = "vmove INTEGER, vscore INTEGER, vwin INTEGER, vdraw INTEGER, vlost INTEGER, vvalid INTEGER";
        let table = format!("CREATE TABLE bhobk (id INTEGER PRIMARY KEY, vkey INTEGER, {columns}, vmemo BLOB)");
        connection.execute(&table, []).unwrap();
        let keys = read_any_keys(&words()).unwrap();
        // The second line is stored mirrored.
        let lines =
            [("", "h2e2", 1, 70_000), ("h2e2", "h9g7", 1, -5), ("", "c3c4", 0, 9), ("h2e2 h9g7", "h0g2", 1, 40)];
        let mut kinds = [0; 2];
        for (number, (before, mv, valid, score)) in lines.into_iter().enumerate() {
            let mut position = Position::start();
            position.play(before.split_whitespace()).unwrap();
            let mv: Move = mv.parse().unwrap();
            let reflected = usize::from(number == 1);
            let (key, mv) = (keys.keys(&position)[reflected], if reflected == 1 { mv.mirrored() } else { mv });
            let number = i64::from(number_of(mv.from())) << 8 | i64::from(number_of(mv.to()));
            let insert =
                "INSERT INTO bhobk (vkey, vmove, vscore, vwin, vdraw, vlost, vvalid) VALUES (?, ?, ?, 3, 2, 1, ?)";
            kinds[usize::from(key >> 63 != 0)] += 1;
            if key >> 63 == 0 {
                connection.execute(insert, (key as i64, number, score, valid)).unwrap();
            } else {
                connection.execute(insert, (f64::from_bits(key), number, score, valid)).unwrap();
            }
        }
        assert!(kinds.iter().all(|&count| count > 0), "keys of both kinds: {kinds:?}");
        let book = read_binghe(&path, keys).unwrap();
        let mut weights: Vec<u16> = book.moves.iter().map(|known| known.weight).collect();
        weights.sort();
        assert_eq!(weights, [1, 40, 65_535], "the invalid move is skipped");
        let walked = walk(&book, MAX_POSITIONS);
        assert_eq!((walked.found, walked.records.len()), (3, 3));
        assert!(walked.records.iter().all(|record| record.statistics.games() == 6));
    }

    #[test]
    fn other_files_are_refused_and_invalid_rows_skipped() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("some.obk");
        let error = || read_binghe(&path, read_any_keys(&words()).unwrap()).unwrap_err().to_string();
        assert!(error().contains("not a book of Binghe"));
        std::fs::write(&path, "no database at all, but long enough for the head of one".repeat(9)).unwrap();
        assert!(error().contains("not a book of Binghe"), "{}", error());
        std::fs::remove_file(&path).unwrap();
        Connection::open(&path).unwrap().execute("CREATE TABLE other (vkey)", []).unwrap();
        assert!(error().contains("bhobk"), "{}", error());
        let connection = Connection::open(&path).unwrap();
        connection.execute("CREATE TABLE bhobk (vkey, vmove, vscore, vwin, vdraw, vlost, vvalid)", []).unwrap();
        for (key, mv) in [("1", "0"), ("1", "65536"), ("1", "'x'"), ("NULL", "42149"), ("1", "42148")] {
            connection.execute("DELETE FROM bhobk", []).unwrap();
            connection.execute(&format!("INSERT INTO bhobk VALUES ({key}, {mv}, 0, 0, 0, 0, 1)"), []).unwrap();
            let book = read_binghe(&path, read_any_keys(&words()).unwrap()).unwrap();
            assert!(book.moves.is_empty(), "{key} {mv}");
        }
    }
}
