//! The books of Binghe (兵河五四) and of the many front ends that share them, `.obk`.
//!
//! Such a book is an SQLite database with a table `bhobk`, a row for each move:
//!
//! | column | |
//! |---|---|
//! | `vkey` | key of the position, 64 bits |
//! | `vmove` | where the man stands · 256 + where it goes, squares as ElephantEye counts them |
//! | `vscore` | how much the move is to be preferred |
//! | `vwin`, `vdraw`, `vlost` | how its games ended for the side to move |
//! | `vvalid` | 1 for moves that may be played |
//!
//! A key from 2⁶³ on is stored as the floating-point number that has the same 64 bits. Where the database has made a
//! whole number of that, it is made floating-point again.
//!
//! The key of a position is the XOR of a word for each man on its point, and of another one if Red is to move. The
//! words follow no rule that is known, and they are no part of Chuhe: whoever wants to read such a book has them in a
//! file.

use std::path::Path;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags, Row};

use super::keys::KeyTable;
use super::{ForeignBook, ForeignError, ForeignMove, square_of};
use crate::book::{MOST_GAMES, Statistics};
use crate::position::Position;
use crate::types::{Move, Side};

/// How many words the keys are made of: that of Red's turn, then 256 for each man, king, advisor, elephant, horse,
/// rook, cannon and pawn of Red, then of Black, place by place.
pub const KEY_COUNT: usize = 1 + 14 * 256;
/// More moves are not read.
const MOST_MOVES: usize = 50_000_000;
/// The key of the start of the game, by which the right words are known.
const KEY_OF_START: u64 = 0x628D_04D7_C9C1_44AE;
/// The same after h2e2.
const KEY_AFTER_CANNON: u64 = 0xA1EA_D1F6_470E_07EE;

/// The words of the keys from a text: [`KEY_COUNT`] numbers of 16 hexadecimal digits with or without `0x`, in the order
/// told there, with blanks or commas between them.
///
/// # Errors
/// [`ForeignError::Keys`] when the text holds something else, or other words.
pub fn read_keys(text: &str) -> Result<KeyTable, ForeignError> {
    let table = read_any_keys(text)?;
    let start = Position::start();
    let mut after_cannon = start.clone();
    let is_played = after_cannon.play(["h2e2"]).is_ok();
    if !is_played || [&start, &after_cannon].map(|position| table.keys(position)[0]) != [KEY_OF_START, KEY_AFTER_CANNON]
    {
        return Err(ForeignError::Keys(format!("the start of the game should have the key {KEY_OF_START:016x}")));
    }
    Ok(table)
}

/// The same without a look at what they make.
fn read_any_keys(text: &str) -> Result<KeyTable, ForeignError> {
    let mut words = Vec::with_capacity(KEY_COUNT);
    for word in text.split(|c: char| c == ',' || c.is_ascii_whitespace()).filter(|word| !word.is_empty()) {
        let digits = word.strip_prefix("0x").or_else(|| word.strip_prefix("0X")).unwrap_or(word);
        let is_word = digits.len() == 16 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        let number = u64::from_str_radix(digits, 16).ok().filter(|_| is_word);
        let place = words.len() + 1;
        words.push(number.ok_or_else(|| ForeignError::Keys(format!("word {place} is no number of 16 digits")))?);
    }
    if words.len() != KEY_COUNT {
        return Err(ForeignError::Keys(format!("there are {}, not {KEY_COUNT}", words.len())));
    }
    let mut words = words.into_iter();
    Ok(KeyTable::new(Side::Red, || words.next().unwrap_or_default()))
}

/// The book of this file, whose positions have the keys of this table.
///
/// Moves that may not be played are left out, and so are rows without a move or a key: keys whose 64 bits are no number
/// are lost in such a database. The score of a move becomes its weight, from 1 to 65,535.
///
/// # Errors
/// [`ForeignError`] says why it is none.
pub fn read_binghe(path: &Path, table: KeyTable) -> Result<ForeignBook, ForeignError> {
    let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    // A table that was made up may be a query that does anything else.
    connection.pragma_update(None, "trusted_schema", false)?;
    let mut statement =
        connection.prepare("SELECT vkey, vmove, vscore, vwin, vdraw, vlost FROM bhobk WHERE vvalid = 1")?;
    let mut rows = statement.query([])?;
    let mut moves = Vec::new();
    while let Some(row) = rows.next()? {
        if moves.len() == MOST_MOVES {
            return Err(ForeignError::TooMany(MOST_MOVES));
        }
        moves.extend(read_row(row)?);
    }
    Ok(ForeignBook::new(table, moves))
}

fn read_row(row: &Row<'_>) -> rusqlite::Result<Option<ForeignMove>> {
    let number = |column| -> rusqlite::Result<i64> {
        Ok(match row.get_ref(column)? {
            ValueRef::Integer(number) => number,
            // Saturates.
            ValueRef::Real(number) => number as i64,
            _ => 0,
        })
    };
    let Some(key) = key_of(row.get_ref(0)?) else { return Ok(None) };
    let games = |column| number(column).map(|count| count.clamp(0, i64::from(MOST_GAMES)) as u32);
    let statistics = Statistics { wins: games(3)?, draws: games(4)?, losses: games(5)? };
    let weight = number(2)?.clamp(1, i64::from(u16::MAX)) as u16;
    let mv = u16::try_from(number(1)?).ok().and_then(|number| {
        let [from, to] = number.to_be_bytes();
        let (from, to) = (square_of(from)?, square_of(to)?);
        (from != to).then(|| Move::new(from, to))
    });
    Ok(mv.map(|mv| ForeignMove { key, mv, weight, statistics }))
}

/// The key that a value of the database stands for.
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
    use crate::tools::book::foreign::{Bounds, number_of, walk};

    /// Words for a test; those of Binghe are not here.
    fn words() -> String {
        let mut state = 6_u64;
        let mut word = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state ^ state >> 33).wrapping_mul(0xFF51_AFD7_ED55_8CCD)
        };
        (0..KEY_COUNT).map(|_| format!("0x{:016X},\n", word())).collect()
    }

    #[test]
    fn words_are_counted_and_told_from_others() {
        let error = |text: &str| read_keys(text).unwrap_err().to_string();
        assert!(error("").contains("there are 0, not 3585"), "{}", error(""));
        assert!(error(&words()).contains("the start of the game should have the key 628d04d7c9c144ae"));
        assert!(error("0123456789abcdef 12").contains("word 2 is no number"));
        assert!(error("+123456789abcdef").contains("word 1 is no number"));
        assert!(read_any_keys(&words()).is_ok());
    }

    #[test]
    fn keys_are_found_in_whatever_the_database_made_of_them() {
        for key in [0, 1, 0x628D_04D7_C9C1_44AE, i64::MAX as u64] {
            assert_eq!(key_of(ValueRef::Integer(key as i64)), Some(key));
        }
        // A large one as a number with the same bits, and where that is whole, as a whole number.
        let whole = (-(1_i64 << 60)) as f64;
        for key in [0xA1EA_D1F6_470E_07EE, 0x8000_0000_0000_0001, whole.to_bits()] {
            assert_eq!(key_of(ValueRef::Real(f64::from_bits(key))), Some(key));
        }
        assert_eq!(key_of(ValueRef::Integer(-(1 << 60))), Some(whole.to_bits()));
        assert_eq!(key_of(ValueRef::Null), None);
    }

    #[test]
    fn a_database_is_read_and_its_moves_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("some.obk");
        let connection = Connection::open(&path).unwrap();
        let columns = "vmove INTEGER, vscore INTEGER, vwin INTEGER, vdraw INTEGER, vlost INTEGER, vvalid INTEGER";
        let table = format!("CREATE TABLE bhobk (id INTEGER PRIMARY KEY, vkey INTEGER, {columns}, vmemo BLOB)");
        connection.execute(&table, []).unwrap();
        let keys = read_any_keys(&words()).unwrap();
        // The second line is stored as its reflection.
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
        assert_eq!(weights, [1, 40, 65_535], "the move that may not be played is not there");
        let walked = walk(&book, Bounds::default());
        assert_eq!((walked.found, walked.records.len()), (3, 3));
        assert!(walked.records.iter().all(|record| record.statistics.games() == 6));
    }

    #[test]
    fn other_files_are_refused_and_other_rows_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("some.obk");
        let error = || read_binghe(&path, read_any_keys(&words()).unwrap()).unwrap_err().to_string();
        assert!(error().contains("no book of Binghe"));
        std::fs::write(&path, "no database at all, but long enough for the head of one".repeat(9)).unwrap();
        assert!(error().contains("no book of Binghe"), "{}", error());
        std::fs::remove_file(&path).unwrap();
        Connection::open(&path).unwrap().execute("CREATE TABLE other (vkey)", []).unwrap();
        assert!(error().contains("bhobk"), "{}", error());
        let connection = Connection::open(&path).unwrap();
        connection.execute("CREATE TABLE bhobk (vkey, vmove, vscore, vwin, vdraw, vlost, vvalid)", []).unwrap();
        for (key, mv) in [("1", "0"), ("1", "65536"), ("1", "'x'"), ("NULL", "42149"), ("1", "42148")] {
            connection.execute("DELETE FROM bhobk", []).unwrap();
            connection.execute(&format!("INSERT INTO bhobk VALUES ({key}, {mv}, 0, 0, 0, 0, 1)"), []).unwrap();
            let book = read_binghe(&path, read_any_keys(&words()).unwrap()).unwrap();
            assert!(book.is_empty(), "{key} {mv}");
        }
    }
}
