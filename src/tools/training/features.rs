//! Which inputs of a network a sample sets, by tables that are made once of the network's own definition.

use super::sample::{Sample, man};
use crate::eval::network::{BUCKETS, INPUTS, MAX_PIECES, Perspective};
use crate::types::{PieceKind, Side, Square};

/// The codes of men, and some that mean none.
const CODES: usize = 16;
/// The points, and some that there are not.
const POINTS: usize = 96;
/// The code of the king of the other side.
const ENEMY_KING: usize = PieceKind::COUNT;
/// The files of a board.
const FILES: usize = Square::FILES as usize;

/// The inputs of every man on every point.
type Table = [[u16; POINTS]; CODES];

/// The inputs that a sample sets in both views.
#[derive(Clone, Copy, Debug)]
pub(super) struct Inputs {
    /// How many men there are.
    pub count: usize,
    /// The inputs of the mover's view and of the other one, man by man.
    pub pairs: [[u16; 2]; MAX_PIECES],
    /// Which set of output weights judges the sample.
    pub bucket: usize,
}

impl Inputs {
    /// No inputs.
    pub const NONE: Inputs = Inputs { count: 0, pairs: [[0; 2]; MAX_PIECES], bucket: 0 };
}

/// Finds out which inputs samples set.
#[derive(Clone, Debug)]
pub(super) struct Features {
    /// The inputs in the mover's view and in the other one, as they are and mirrored.
    tables: [[Box<Table>; 2]; 2],
    /// Whether each view is mirrored, by the files of the mover's king and the other one.
    is_mirrored: [[[bool; 2]; FILES]; FILES],
}

impl Features {
    /// Those of [`Perspective`].
    pub fn new() -> Features {
        let [own_king, enemy_king] = [0, Square::RANKS - 1].map(|rank| move |file| Square::new(file, rank));
        let view = |side, own: u8, enemy: u8| match side {
            Side::Red => Perspective::from_kings(Side::Red, own_king(own), enemy_king(enemy)),
            Side::Black => Perspective::from_kings(Side::Black, enemy_king(enemy), own_king(own)),
        };
        let table = |side: Side, mirrored: bool| {
            let plain = view(side, 3, 3);
            let view = if mirrored { plain.mirrored() } else { plain };
            let mut table = Box::new([[0; POINTS]; CODES]);
            for (code, inputs) in table.iter_mut().enumerate() {
                let Some(man) = man(code) else { continue };
                for square in Square::all() {
                    inputs[square.index()] = view.feature(man, square) as u16;
                }
            }
            table
        };
        let tables = [Side::Red, Side::Black].map(|side| [table(side, false), table(side, true)]);
        let is_mirrored = std::array::from_fn(|own| {
            std::array::from_fn(|enemy| {
                [Side::Red, Side::Black].map(|side| view(side, own as u8, enemy as u8).is_mirrored())
            })
        });
        Features { tables, is_mirrored }
    }

    /// The inputs of a sample. Where nothing says which way round it is, it is turned if that is `turn`.
    #[inline(always)]
    pub fn find(&self, sample: &Sample, turn: bool, inputs: &mut Inputs) {
        let (mut own_file, mut enemy_file, mut count) = (0, 0, 0);
        let mut men = [(0, 0); MAX_PIECES];
        for ((code, point), place) in sample.men().zip(&mut men) {
            *place = (code, point);
            count += 1;
            match code {
                0 => own_file = point % FILES,
                ENEMY_KING => enemy_file = point % FILES,
                _ => {}
            }
        }
        let is_even = own_file == FILES / 2 && enemy_file == FILES / 2;
        let views = self.is_mirrored[own_file][enemy_file].map(|mirrored| mirrored ^ (is_even && turn));
        let [own, enemy] = [0, 1].map(|view| &*self.tables[view][usize::from(views[view])]);
        for (pair, (code, point)) in inputs.pairs.iter_mut().zip(&men[..count]) {
            *pair = [own[code % CODES][*point], enemy[code % CODES][*point]];
        }
        inputs.count = count;
        inputs.bucket = sample.bucket().min(BUCKETS - 1);
    }
}

const _: () = assert!(INPUTS <= u16::MAX as usize && POINTS >= Square::COUNT);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::Position;
    use crate::tools::training::sample::tests::KINGS_ON_ALL_FILES;

    #[test]
    fn samples_set_the_inputs_that_the_network_sees() {
        let features = Features::new();
        for fen in KINGS_ON_ALL_FILES {
            let position = Position::from_fen(fen).unwrap();
            let sample = Sample::of(&position, 0, 0.5).unwrap();
            let seen = |position: &Position, side| {
                let mut seen: Vec<usize> = Perspective::from_position(side, position).features(position).collect();
                seen.sort_unstable();
                seen
            };
            let both = |position: &Position| [position.side(), !position.side()].map(|side| seen(position, side));
            let found = [false, true].map(|turn| {
                let mut inputs = Inputs::NONE;
                features.find(&sample, turn, &mut inputs);
                [0, 1].map(|view| {
                    let mut found: Vec<usize> =
                        inputs.pairs[..inputs.count].iter().map(|pair| usize::from(pair[view])).collect();
                    found.sort_unstable();
                    found
                })
            });
            let mut wanted = [both(&position), both(&position.mirrored())];
            let mut found_sorted = found;
            wanted.sort();
            found_sorted.sort();
            assert_eq!(found_sorted, wanted, "{fen}");
        }
    }
}
