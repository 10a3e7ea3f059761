//! Make and unmake against positions rebuilt from their FEN, the naive board, and an observer that keeps its own map.

use std::collections::HashMap;

use chuhe::position::{PieceObserver, Position};
use chuhe::types::{Move, MoveList, Piece, PieceKind, Side, Square};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::common::data::perft_lines;
use crate::common::naive::{Board, Point, Step};
use crate::walks::{at_every_node, random_move};

/// Returns the keys of the position, of pawns, of advisors and elephants, and of each side's pieces without pawns.
fn keys_of(position: &Position) -> [u64; 5] {
    let [red, black] = Side::BOTH.map(|side| position.non_pawn_key(side));
    [position.key(), position.pawn_key(), position.minor_key(), red, black]
}

/// The captures in the order of their bits. They follow from the squares of each side.
fn captures_of(position: &Position) -> Vec<u16> {
    let mut list = MoveList::new();
    position.captures(&mut list);
    let mut captures: Vec<u16> = list.iter().map(|mv| mv.bits()).collect();
    captures.sort_unstable();
    captures
}

#[derive(Clone, PartialEq, Debug)]
struct Snapshot {
    board: Board,
    lists: Vec<Vec<Square>>,
    counts: Vec<usize>,
    kings: [Square; 2],
    lines: Vec<(u16, u16)>,
    keys: [u64; 5],
    side: Side,
    counters: [usize; 3],
    played: Vec<(u64, Move, Option<Piece>)>,
    captures: Vec<u16>,
    text: String,
}

impl Snapshot {
    fn of(position: &Position) -> Snapshot {
        Snapshot {
            board: Board::of(position),
            lists: Piece::ALL.iter().map(|&piece| position.squares(piece).to_vec()).collect(),
            counts: Piece::ALL.iter().map(|&piece| position.count(piece)).collect(),
            kings: Side::BOTH.map(|side| position.king(side)),
            lines: Square::all()
                .map(|square| (position.rank_occupancy(square), position.file_occupancy(square)))
                .collect(),
            keys: keys_of(position),
            side: position.side(),
            counters: [position.plies_since_capture(), position.reversible_plies(), position.move_number()],
            played: position.history().iter().map(|played| (played.key, played.mv, played.captured)).collect(),
            captures: captures_of(position),
            text: position.to_string(),
        }
    }

    fn without_history(mut self) -> Snapshot {
        self.lists.iter_mut().for_each(|list| list.sort());
        self.counters[1] = 0;
        self.played.clear();
        self
    }
}

#[test]
fn a_position_rebuilt_from_its_text_or_history_is_the_same() {
    at_every_node(11, 3, 60, |position, _| {
        let rebuilt = Position::from_fen(&position.to_string()).unwrap_or_else(|error| panic!("{position}: {error}"));
        assert_eq!(*position, rebuilt, "{position}");
        let snapshots = [position, &rebuilt].map(|position| Snapshot::of(position).without_history());
        assert_eq!(snapshots[0], snapshots[1], "{position}");
        let mut replayed = position.clone();
        position.history().iter().for_each(|_| replayed.unmake());
        for played in position.history() {
            assert_eq!(played.key, replayed.key());
            assert_eq!(played.captured, replayed.piece_on(played.mv.to()));
            replayed.make(played.mv);
        }
        assert_eq!(Snapshot::of(&replayed), Snapshot::of(position));
    });
}

#[test]
fn lists_counts_and_occupancy_words_describe_the_board() {
    at_every_node(12, 2, 60, |position, _| {
        let board = Board::of(position);
        for piece in Piece::ALL {
            let mut listed: Vec<Square> = position.squares(piece).to_vec();
            listed.sort();
            let standing: Vec<Square> =
                Square::all().filter(|&square| position.piece_on(square) == Some(piece)).collect();
            assert_eq!(listed, standing, "{} in {position}", piece.letter());
            assert_eq!(position.count(piece), standing.len());
        }
        let mut all: Vec<(char, Square)> = position.pieces().map(|(piece, square)| (piece.letter(), square)).collect();
        all.sort_by_key(|&(_, square)| square);
        let on_board = |square: Square| board.man_on(Point::of(square)).map(|man| (man, square));
        assert_eq!(all, Square::all().filter_map(on_board).collect::<Vec<_>>(), "{position}");
        for side in Side::BOTH {
            assert_eq!(Some(Point::of(position.king(side))), board.king_of(side), "{position}");
            let majors = board.men_of(side).filter(|(man, _)| "RNC".contains(man.to_ascii_uppercase())).count();
            assert_eq!(position.major_count(side), majors, "{position}");
            assert_eq!(position.has_major(side), majors > 0, "{position}");
        }
        for square in Square::all() {
            let is_occupied = |file, rank| u16::from(board.man_on(Point::new(file, rank)).is_some());
            let rank_occupancy = (0..9).map(|file| is_occupied(file, square.rank() as i8) << file).sum::<u16>();
            let file_occupancy = (0..10).map(|rank| is_occupied(square.file() as i8, rank) << rank).sum::<u16>();
            assert_eq!(position.rank_occupancy(square), rank_occupancy, "{square} in {position}");
            assert_eq!(position.file_occupancy(square), file_occupancy, "{square} in {position}");
        }
    });
}

/// Every legal move and the null move, one at a time, with `Snapshot` as the memory of what was.
#[test]
fn taking_back_restores_everything() {
    at_every_node(14, 1, 60, |position, _| {
        let before = Snapshot::of(position);
        let mut tried = position.clone();
        for mv in position.legal_moves() {
            tried.make(mv);
            assert_eq!(position.key_after(mv), tried.key(), "{mv} in {position}");
            assert_ne!(Snapshot::of(&tried), before, "{mv} in {position}");
            tried.unmake();
            assert_eq!(Snapshot::of(&tried), before, "{mv} in {position}");
            assert_eq!(tried, *position);
        }
        if !position.in_check() {
            tried.make_null(&mut ());
            let passed = Snapshot::of(&tried);
            assert_eq!((&passed.board, &passed.lists, &passed.lines), (&before.board, &before.lists, &before.lines));
            assert_eq!((passed.side, &passed.keys[1..]), (!before.side, &before.keys[1..]));
            assert_ne!(passed.keys[0], before.keys[0]);
            tried.unmake();
            assert_eq!(Snapshot::of(&tried), before, "null move in {position}");
        }
    });
}

struct Map {
    board: Board,
    earlier: Vec<Board>,
}

impl PieceObserver for Map {
    fn begin(&mut self) {
        self.earlier.push(self.board);
    }

    fn removed(&mut self, piece: Piece, square: Square) {
        assert_eq!(self.board.man_on(Point::of(square)), Some(piece.letter()), "a piece is removed from its square");
        self.board.put(Point::of(square), None);
    }

    fn moved(&mut self, piece: Piece, from: Square, to: Square) {
        assert_eq!(self.board.man_on(Point::of(from)), Some(piece.letter()), "a piece moves from its square");
        assert_eq!(self.board.man_on(Point::of(to)), None, "a piece moves to an empty square");
        self.board.put(Point::of(from), None);
        self.board.put(Point::of(to), Some(piece.letter()));
    }

    fn reverted(&mut self) {
        self.board = self.earlier.pop().expect("a move began before it is reverted");
    }
}

/// Long games, null moves among them, with random stretches taken back and at last the whole game.
#[test]
fn an_observer_sees_the_board_as_it_is() {
    let mut random = ChaCha8Rng::seed_from_u64(15);
    for line in perft_lines() {
        let mut position = line.position();
        let mut map = Map { board: Board::of(&position), earlier: Vec::new() };
        let mut snapshots = Vec::new();
        let mut boundaries = Vec::new();
        for _ in 0..400 {
            if random.random_ratio(1, 4) && !snapshots.is_empty() {
                position.unmake_observed(&mut map);
                boundaries.pop();
                assert_eq!(Some(Snapshot::of(&position)), snapshots.pop(), "{position}");
            } else if random.random_ratio(1, 8) && !position.in_check() {
                snapshots.push(Snapshot::of(&position));
                position.make_null(&mut map);
                boundaries.push(true);
            } else if let Some(mv) = random_move(&position, &mut random) {
                snapshots.push(Snapshot::of(&position));
                let step = Step { from: Point::of(mv.from()), to: Point::of(mv.to()) };
                let expected = map.board.after(step);
                let is_capture = map.board.man_on(step.to).is_some();
                boundaries.push(is_capture);
                let plies = if is_capture { 0 } else { position.plies_since_capture() + 1 };
                let number = position.move_number() + usize::from(position.side() == Side::Black);
                position.make_observed(mv, &mut map);
                assert_eq!((position.plies_since_capture(), position.move_number()), (plies, number), "{position}");
                assert_eq!(map.board, expected, "{mv} led to {position}");
            }
            assert_eq!(map.board, Board::of(&position), "{position}");
            assert_eq!(map.earlier.len(), position.history().len());
            // A capture or a null move ends the stretch that can be reversed.
            let reversible = boundaries.iter().rev().take_while(|&&is_boundary| !is_boundary).count();
            assert_eq!(position.reversible_plies(), reversible, "{position}");
        }
        while let Some(expected) = snapshots.pop() {
            position.unmake_observed(&mut map);
            assert_eq!(Snapshot::of(&position), expected);
            assert_eq!(map.board, expected.board);
        }
        assert_eq!(position, line.position());
    }
}

#[test]
fn keys_differ_exactly_where_boards_or_sides_do() {
    let mut key_of: HashMap<String, u64> = HashMap::new();
    let mut text_of: HashMap<u64, String> = HashMap::new();
    let mut met_again = 0;
    let mut enter = |position: &Position| {
        let text = format!("{} {}", position.board_text(), position.side());
        let key = position.key();
        met_again += usize::from(key_of.contains_key(&text));
        assert_eq!(*key_of.entry(text.clone()).or_insert(key), key, "{position} has two keys");
        assert_eq!(*text_of.entry(key).or_insert_with(|| text.clone()), text, "{position} shares its key");
    };
    at_every_node(17, 1, 50, |position, _| {
        enter(position);
        let mut next = position.clone();
        if !position.in_check() {
            next.make_null(&mut ());
            enter(&next);
            next.unmake();
        }
        for mv in position.legal_moves() {
            next.make(mv);
            enter(&next);
            next.unmake();
        }
    });
    assert!(met_again > 1000, "only {met_again} positions were met twice");
    assert!(key_of.len() > 20_000, "only {} positions differ", key_of.len());
}

#[test]
fn positions_are_equal_when_pieces_side_and_counters_are() {
    let fens = [
        "3k5/9/9/9/9/9/9/9/R8/4K4 w - - 4 9",
        "3k5/9/9/9/9/9/9/9/R8/4K4 b - - 4 9",
        "3k5/9/9/9/9/9/9/9/R8/4K4 w - - 5 9",
        "3k5/9/9/9/9/9/9/9/R8/4K4 w - - 4 10",
        "3k5/9/9/9/9/9/9/9/1R7/4K4 w - - 4 9",
        "3k5/9/9/9/9/9/9/9/C8/4K4 w - - 4 9",
        "3k5/9/9/9/9/9/9/9/r8/4K4 w - - 4 9",
    ];
    let positions = fens.map(|fen| Position::from_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}")));
    for (i, one) in positions.iter().enumerate() {
        for (j, other) in positions.iter().enumerate() {
            assert_eq!(one == other, i == j, "{one} and {other}");
        }
    }
}

#[test]
fn partial_keys_depend_on_their_own_pieces() {
    at_every_node(19, 1, 60, |position, _| {
        let keys = keys_of(position);
        let mut after = position.clone();
        for mv in position.legal_moves() {
            let touched = [position.piece_on(mv.from()), position.piece_on(mv.to())];
            let touches = |holds: &dyn Fn(Piece) -> bool| touched.into_iter().flatten().any(holds);
            let is_minor = |piece: Piece| matches!(piece.kind(), PieceKind::Advisor | PieceKind::Elephant);
            let is_own = |piece: Piece, side| piece.side() == side && piece.kind() != PieceKind::Pawn;
            after.make(mv);
            let changed: Vec<bool> = keys.iter().zip(keys_of(&after)).map(|(one, other)| *one != other).collect();
            after.unmake();
            let expected = [
                true,
                touches(&|piece| piece.kind() == PieceKind::Pawn),
                touches(&is_minor),
                touches(&|piece| is_own(piece, Side::Red)),
                touches(&|piece| is_own(piece, Side::Black)),
            ];
            assert_eq!(changed, expected, "{mv} in {position}");
        }
    });
}

#[test]
fn reflections_keep_the_game_the_same() {
    at_every_node(20, 1, 60, |position, _| {
        let sorted = |mut moves: Vec<u16>| {
            moves.sort_unstable();
            moves
        };
        let mapped =
            |map: fn(Move) -> Move| sorted(position.legal_moves().into_iter().map(|mv| map(mv).bits()).collect());
        let moves = |position: &Position| sorted(position.legal_moves().into_iter().map(Move::bits).collect());
        let (mirrored, flipped) = (position.mirrored(), position.colour_flipped());
        assert_eq!(mirrored.mirrored(), *position);
        assert_eq!(flipped.colour_flipped(), *position);
        assert_eq!(moves(&mirrored), mapped(Move::mirrored), "{position}");
        assert_eq!(moves(&flipped), mapped(Move::flipped), "{position}");
        assert_eq!((mirrored.side(), flipped.side()), (position.side(), !position.side()));
        for point in Point::all() {
            let man = Board::of(position).man_on(point);
            assert_eq!(Board::of(&mirrored).man_on(Point::new(8 - point.file, point.rank)), man);
            let other_case =
                |man: char| if man.is_ascii_uppercase() { man.to_ascii_lowercase() } else { man.to_ascii_uppercase() };
            assert_eq!(Board::of(&flipped).man_on(Point::new(point.file, 9 - point.rank)), man.map(other_case));
        }
    });
}
