//! In how many ways the king, advisors, elephants and uncrossed pawns of one side stand, and which number each way has.
//!
//! These are the men that never leave their own half, or have not yet done so. Everything is told as Red sees it; for
//! Black the board is turned upside down.

use std::sync::LazyLock;

use crate::tables::geometry;
use crate::types::{PieceKind, Side, Square, SquareSet};

/// The first and last elephant points that a pawn may want too.
const C4: Square = Square::new(2, 4);
const G4: Square = Square::new(6, 4);

/// Marks what is not there in tables of numbers.
const NONE: u16 = u16::MAX;

static KING_POINTS: Points<9> = Points::of(PieceKind::King);
static ADVISOR_POINTS: Points<5> = Points::of(PieceKind::Advisor);
static ELEPHANT_POINTS: Points<7> = Points::of(PieceKind::Elephant);
static PAWN_POINTS: Points<10> = Points::of(PieceKind::Pawn);

/// The points of Red's half where men of one kind may stand.
struct Points<const N: usize> {
    squares: [Square; N],
    /// Which of them each point of the board is.
    places: [u16; Square::COUNT],
}

impl<const N: usize> Points<N> {
    const fn of(kind: PieceKind) -> Points<N> {
        let mut points = Points { squares: [C4; N], places: [NONE; Square::COUNT] };
        let (mut index, mut found) = (0, 0);
        while index < Square::COUNT / 2 {
            let square = Square::from_index(index);
            let is_point = match kind {
                PieceKind::King => geometry::is_in_palace(square),
                PieceKind::Advisor => geometry::is_advisor_point(Side::Red, square),
                PieceKind::Elephant => geometry::is_elephant_point(Side::Red, square),
                _ => geometry::is_pawn_point(Side::Red, square),
            };
            if is_point {
                points.squares[found] = square;
                points.places[index] = found as u16;
                found += 1;
            }
            index += 1;
        }
        assert!(found == N);
        points
    }

    /// Which of the points this one is.
    fn place(&self, square: Square) -> Option<usize> {
        let place = self.places[square.index()];
        (place != NONE).then_some(usize::from(place))
    }

    /// The bit of this point in a word, 0 if it is none of them.
    fn bit(&self, square: Square) -> u16 {
        self.place(square).map_or(0, |place| 1 << place)
    }

    /// A set of these points as a word of N bits; `None` when there are others among them.
    fn word(&self, set: SquareSet) -> Option<u16> {
        set.iter().try_fold(0, |word, square| Some(word | 1 << self.place(square)?))
    }

    fn set(&self, word: u16) -> SquareSet {
        (0..N).filter(|place| word & (1 << place) != 0).map(|place| self.squares[place]).collect()
    }
}

/// All words with so many bits that are allowed, and which of them each is.
struct Words {
    list: Vec<u16>,
    numbers: Vec<u16>,
}

impl Words {
    fn new(bits: usize, ones: u8, is_allowed: impl Fn(u16) -> bool) -> Words {
        let list: Vec<u16> =
            (0..1 << bits).filter(|&word: &u16| word.count_ones() == u32::from(ones) && is_allowed(word)).collect();
        let mut numbers = vec![NONE; 1 << bits];
        list.iter().zip(0..).for_each(|(&word, number)| numbers[usize::from(word)] = number);
        Words { list, numbers }
    }

    fn number(&self, word: u16) -> Option<usize> {
        let number = self.numbers[usize::from(word)];
        (number != NONE).then_some(usize::from(number))
    }
}

/// Where the men of a side stand that never leave their half, or have not yet done so, as Red sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HalfArrangement {
    /// The king.
    pub king: Square,
    /// The advisors.
    pub advisors: SquareSet,
    /// The elephants.
    pub elephants: SquareSet,
    /// The pawns that have not crossed the river.
    pub pawns: SquareSet,
}

impl HalfArrangement {
    /// All points that these men take.
    pub fn occupied(&self) -> SquareSet {
        SquareSet::from_square(self.king) | self.advisors | self.elephants | self.pawns
    }
}

/// The arrangements with one place of the king and one set of elephants: these decide what the others may do.
struct Group {
    /// The number of its first arrangement.
    start: usize,
    king: usize,
    elephants: u16,
}

/// All arrangements of a king with so many advisors, elephants and uncrossed pawns.
///
/// ```
/// use chuhe::counting::half::HalfArrangements;
/// let bare_kings = HalfArrangements::new(0, 0, 0);
/// assert_eq!(bare_kings.len(), 9);
/// let start = HalfArrangements::new(2, 2, 5);
/// let last = start.get(start.len() - 1);
/// assert_eq!(start.rank(&last), start.len() - 1);
/// assert_eq!(last.occupied().len(), 10);
/// assert!(HalfArrangements::new(6, 0, 0).is_empty(), "advisors have five points");
/// ```
pub struct HalfArrangements {
    /// The sets of advisors, for each advisor point that the king takes, and last for none.
    advisors: [Words; 6],
    /// The sets of elephants, without and with the king on an elephant point.
    elephants: [Words; 2],
    /// The sets of pawns, by which of c4 (1) and g4 (2) are taken by elephants.
    pawns: [Words; 4],
    /// King by king, and for each of them one for every set of elephants.
    groups: Vec<Group>,
    /// The first group of each king.
    first_groups: [usize; 9],
    len: usize,
}

impl HalfArrangements {
    /// The arrangements with so many men beside the king; none if they find no room.
    pub fn new(advisors: u8, elephants: u8, pawns: u8) -> HalfArrangements {
        let advisors = std::array::from_fn(|king| Words::new(5, advisors, |word| word & (1 << king) == 0));
        let king_among_elephants = KING_POINTS.squares.iter().fold(0, |word, &king| word | ELEPHANT_POINTS.bit(king));
        let elephants = [0, king_among_elephants].map(|taken| Words::new(7, elephants, |word: u16| word & taken == 0));
        let pawns = std::array::from_fn(|taken| {
            let by = |place: usize, square: Square| if taken & place == 0 { 0 } else { PAWN_POINTS.bit(square) };
            let taken = by(1, C4) | by(2, G4);
            // The points of rank 3 are the low five bits, those of rank 4 the others.
            Words::new(10, pawns, |word| word & taken == 0 && word & (word >> 5) == 0)
        });
        let mut all = HalfArrangements { advisors, elephants, pawns, groups: Vec::new(), first_groups: [0; 9], len: 0 };
        for king in 0..KING_POINTS.squares.len() {
            all.first_groups[king] = all.groups.len();
            for index in 0..all.elephants_beside(king).list.len() {
                let group = Group { start: all.len, king, elephants: all.elephants_beside(king).list[index] };
                all.len += all.advisors_of(&group).list.len() * all.pawns_of(&group).list.len();
                all.groups.push(group);
            }
        }
        all
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether the men find no room.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The arrangement of this number.
    ///
    /// # Panics
    /// When the number is not below [`HalfArrangements::len`].
    pub fn get(&self, number: usize) -> HalfArrangement {
        assert!(number < self.len, "there are {} arrangements", self.len);
        let group = &self.groups[self.groups.partition_point(|group| group.start <= number) - 1];
        let (advisors, pawns) = (self.advisors_of(group), self.pawns_of(group));
        let rest = number - group.start;
        HalfArrangement {
            king: KING_POINTS.squares[group.king],
            advisors: ADVISOR_POINTS.set(advisors.list[rest / pawns.list.len()]),
            elephants: ELEPHANT_POINTS.set(group.elephants),
            pawns: PAWN_POINTS.set(pawns.list[rest % pawns.list.len()]),
        }
    }

    /// The number of an arrangement.
    ///
    /// # Panics
    /// When it is none of these; [`HalfArrangements::find`] looks first.
    pub fn rank(&self, arrangement: &HalfArrangement) -> usize {
        match self.find(arrangement) {
            Some(number) => number,
            None => panic!("{arrangement:?} is none of these arrangements"),
        }
    }

    /// The number of an arrangement; `None` when it is none of these.
    pub fn find(&self, arrangement: &HalfArrangement) -> Option<usize> {
        let king = KING_POINTS.place(arrangement.king)?;
        let elephants = self.elephants_beside(king).number(ELEPHANT_POINTS.word(arrangement.elephants)?)?;
        let group = &self.groups[self.first_groups[king] + elephants];
        let advisors = self.advisors_of(group).number(ADVISOR_POINTS.word(arrangement.advisors)?)?;
        let pawns = self.pawns_of(group);
        Some(group.start + advisors * pawns.list.len() + pawns.number(PAWN_POINTS.word(arrangement.pawns)?)?)
    }

    fn elephants_beside(&self, king: usize) -> &Words {
        &self.elephants[usize::from(ELEPHANT_POINTS.place(KING_POINTS.squares[king]).is_some())]
    }

    fn advisors_of(&self, group: &Group) -> &Words {
        &self.advisors[ADVISOR_POINTS.place(KING_POINTS.squares[group.king]).unwrap_or(5)]
    }

    fn pawns_of(&self, group: &Group) -> &Words {
        let taken = |square| usize::from(group.elephants & ELEPHANT_POINTS.bit(square) != 0);
        &self.pawns[taken(C4) + 2 * taken(G4)]
    }
}

/// The arrangements of any count of men that a game can show, made once.
///
/// # Panics
/// When a count is larger than at the start of a game.
pub(super) fn known(advisors: u8, elephants: u8, pawns: u8) -> &'static HalfArrangements {
    static KNOWN: LazyLock<Vec<HalfArrangements>> =
        LazyLock::new(|| (0..3 * 3 * 6).map(|code| HalfArrangements::new(code / 18, code / 6 % 3, code % 6)).collect());
    assert!(advisors < 3 && elephants < 3 && pawns < 6);
    &KNOWN[(usize::from(advisors) * 3 + usize::from(elephants)) * 6 + usize::from(pawns)]
}
