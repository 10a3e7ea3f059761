//! Sides, piece kinds and pieces, with their letters and Chinese characters.

use std::fmt;
use std::num::NonZeroU8;
use std::ops::Not;

use serde::{Deserialize, Serialize};

/// One of the two players. Red moves first and has ranks 0 to 4.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[repr(u8)]
pub enum Side {
    /// Upper case in FEN.
    Red = 0,
    /// Lower case in FEN.
    Black = 1,
}

impl Side {
    /// Both sides, Red first.
    pub const BOTH: [Side; 2] = [Side::Red, Side::Black];

    /// Returns 0 for Red and 1 for Black.
    #[inline(always)]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Returns the other side; unlike `!`, usable in constants.
    #[inline(always)]
    pub const fn opponent(self) -> Side {
        match self {
            Side::Red => Side::Black,
            Side::Black => Side::Red,
        }
    }
}

impl Not for Side {
    type Output = Side;

    #[inline(always)]
    fn not(self) -> Side {
        self.opponent()
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Side::Red => "Red",
            Side::Black => "Black",
        })
    }
}

/// The seven kinds of pieces.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
#[repr(u8)]
pub enum PieceKind {
    /// 帅 将
    King = 0,
    /// 仕 士
    Advisor = 1,
    /// 相 象
    Elephant = 2,
    /// 马
    Horse = 3,
    /// 车
    Rook = 4,
    /// 炮
    Cannon = 5,
    /// 兵 卒
    Pawn = 6,
}

impl PieceKind {
    /// Number of kinds.
    pub const COUNT: usize = 7;

    /// All kinds, in the order of the discriminants.
    pub const ALL: [PieceKind; PieceKind::COUNT] = {
        use PieceKind::*;
        [King, Advisor, Elephant, Horse, Rook, Cannon, Pawn]
    };

    /// Returns the index of this kind in a table of [`PieceKind::COUNT`] elements.
    #[inline(always)]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Returns the number of pieces of this kind that a side has at the start of a game; it never has more.
    pub const fn initial_count(self) -> usize {
        match self {
            PieceKind::King => 1,
            PieceKind::Pawn => 5,
            _ => 2,
        }
    }

    /// Returns the English name, in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            PieceKind::King => "king",
            PieceKind::Advisor => "advisor",
            PieceKind::Elephant => "elephant",
            PieceKind::Horse => "horse",
            PieceKind::Rook => "rook",
            PieceKind::Cannon => "cannon",
            PieceKind::Pawn => "pawn",
        }
    }
}

/// Piece of one side. `Option<Piece>` is one byte, zero for an empty square.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct Piece(NonZeroU8);

impl Piece {
    /// Size of a table indexed by [`Piece::index`]: a power of two, with two unused elements.
    pub const TABLE_SIZE: usize = 16;

    /// All 14 pieces, Red's first.
    pub const ALL: [Piece; 14] = {
        let mut all = [Piece::new(Side::Red, PieceKind::King); 14];
        let mut i = 0;
        while i < 7 {
            all[i] = Piece::new(Side::Red, PieceKind::ALL[i]);
            all[i + 7] = Piece::new(Side::Black, PieceKind::ALL[i]);
            i += 1;
        }
        all
    };

    /// Returns the piece of `side` and `kind`.
    #[inline(always)]
    pub const fn new(side: Side, kind: PieceKind) -> Piece {
        match NonZeroU8::new(((side as u8) << 3) | (kind as u8 + 1)) {
            Some(code) => Piece(code),
            None => unreachable!(),
        }
    }

    /// Returns the side.
    #[inline(always)]
    pub const fn side(self) -> Side {
        if self.0.get() & 8 == 0 { Side::Red } else { Side::Black }
    }

    /// Returns the kind.
    #[inline(always)]
    pub const fn kind(self) -> PieceKind {
        // With an entry for 0, which no piece has, the mask proves the index to be in range.
        const KINDS: [PieceKind; 8] = {
            let mut kinds = [PieceKind::King; 8];
            kinds.split_at_mut(1).1.copy_from_slice(&PieceKind::ALL);
            kinds
        };
        KINDS[(self.0.get() & 7) as usize]
    }

    /// Returns the index of this piece in a table of [`Piece::TABLE_SIZE`] elements.
    #[inline(always)]
    pub const fn index(self) -> usize {
        (self.0.get() & 15) as usize
    }

    /// Reads a FEN letter: upper case is Red; horse is `N` or `H`, elephant is `B` or `E`.
    pub const fn from_letter(letter: char) -> Option<Piece> {
        let kind = match letter.to_ascii_uppercase() {
            'K' => PieceKind::King,
            'A' => PieceKind::Advisor,
            'B' | 'E' => PieceKind::Elephant,
            'N' | 'H' => PieceKind::Horse,
            'R' => PieceKind::Rook,
            'C' => PieceKind::Cannon,
            'P' => PieceKind::Pawn,
            _ => return None,
        };
        let side = if letter.is_ascii_uppercase() { Side::Red } else { Side::Black };
        Some(Piece::new(side, kind))
    }

    /// Returns the FEN letter, one of `KABNRCP`, upper case for Red.
    pub const fn letter(self) -> char {
        const LETTERS: [char; 7] = ['k', 'a', 'b', 'n', 'r', 'c', 'p'];
        let letter = LETTERS[self.kind().index()];
        match self.side() {
            Side::Red => letter.to_ascii_uppercase(),
            Side::Black => letter,
        }
    }

    /// Returns the Chinese character on the piece, two columns wide in a terminal.
    pub const fn glyph(self) -> char {
        const GLYPHS: [[char; 7]; 2] =
            [['帅', '仕', '相', '马', '车', '炮', '兵'], ['将', '士', '象', '馬', '車', '砲', '卒']];
        GLYPHS[self.side().index()][self.kind().index()]
    }
}
