//! Speed of move generation: perft of the start position, with and without making the last ply; and the moves of all
//! pieces by tables against scanning the board, which the papers compare.

use chuhe::engine::bench::POSITIONS;
use chuhe::position::{Position, perft, perft_by_making};
use chuhe::types::{Move, MoveList, Piece, PieceKind, Side, Square};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

fn generation(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("perft");
    group.sample_size(10);
    // Nodes of perft(5); criterion prints them per second.
    group.throughput(Throughput::Elements(133_312_995));
    group.bench_function("start depth 5, last ply counted", |bencher| {
        bencher.iter(|| perft(&mut Position::start(), 5));
    });
    group.bench_function("start depth 5, last ply made", |bencher| {
        bencher.iter(|| perft_by_making(&mut Position::start(), 5));
    });
    group.finish();
}

/// Steps along files and ranks.
const STRAIGHT: [(i8, i8); 4] = [(1, 0), (-1, 0), (0, 1), (0, -1)];
/// Diagonal steps; an elephant takes two of them.
const DIAGONAL: [(i8, i8); 4] = [(1, 1), (1, -1), (-1, 1), (-1, -1)];

/// A board of pieces and nothing else.
struct ScannedBoard([[Option<Piece>; 9]; 10]);

impl ScannedBoard {
    fn new(position: &Position) -> ScannedBoard {
        let mut board = ScannedBoard([[None; 9]; 10]);
        for (piece, square) in position.pieces() {
            board.0[usize::from(square.rank())][usize::from(square.file())] = Some(piece);
        }
        board
    }

    /// What stands at a point; `None` off the board.
    fn at(&self, file: i8, rank: i8) -> Option<Option<Piece>> {
        Some(*self.0.get(usize::try_from(rank).ok()?)?.get(usize::try_from(file).ok()?)?)
    }

    /// Calls `found` for every target of every piece of a side, found by looking at the points around it.
    fn scan(&self, side: Side, mut found: impl FnMut(Square, Square)) {
        for (rank, file) in (0..10i8).flat_map(|rank| (0..9i8).map(move |file| (rank, file))) {
            let Some(Some(piece)) = self.at(file, rank).filter(|piece| piece.is_some_and(|piece| piece.side() == side))
            else {
                continue;
            };
            let mut try_target = |x: i8, y: i8| {
                let is_target = self.at(x, y).is_some_and(|there| there.is_none_or(|there| there.side() != side));
                if is_target {
                    found(Square::new(file as u8, rank as u8), Square::new(x as u8, y as u8));
                }
            };
            let is_palace = |x: i8, y: i8| (3..=5).contains(&x) && if side == Side::Red { y <= 2 } else { y >= 7 };
            let is_home = |y: i8| if side == Side::Red { y <= 4 } else { y >= 5 };
            let is_empty = |x: i8, y: i8| self.at(x, y) == Some(None);
            match piece.kind() {
                PieceKind::King | PieceKind::Advisor => {
                    let steps = if piece.kind() == PieceKind::King { STRAIGHT } else { DIAGONAL };
                    for (x, y) in steps.map(|(x, y)| (file + x, rank + y)) {
                        if is_palace(x, y) {
                            try_target(x, y);
                        }
                    }
                }
                PieceKind::Elephant => {
                    for (x, y) in DIAGONAL {
                        if is_home(rank + 2 * y) && is_empty(file + x, rank + y) {
                            try_target(file + 2 * x, rank + 2 * y);
                        }
                    }
                }
                PieceKind::Horse => {
                    for (x, y) in STRAIGHT.into_iter().filter(|(x, y)| is_empty(file + x, rank + y)) {
                        for turn in [-1, 1] {
                            try_target(file + 2 * x + turn * y, rank + 2 * y + turn * x);
                        }
                    }
                }
                PieceKind::Rook | PieceKind::Cannon => {
                    for (x, y) in STRAIGHT {
                        let mut point = (file + x, rank + y);
                        while is_empty(point.0, point.1) {
                            try_target(point.0, point.1);
                            point = (point.0 + x, point.1 + y);
                        }
                        if piece.kind() == PieceKind::Cannon {
                            point = (point.0 + x, point.1 + y);
                            while is_empty(point.0, point.1) {
                                point = (point.0 + x, point.1 + y);
                            }
                        }
                        try_target(point.0, point.1);
                    }
                }
                PieceKind::Pawn => {
                    try_target(file, rank + if side == Side::Red { 1 } else { -1 });
                    if !is_home(rank) {
                        try_target(file - 1, rank);
                        try_target(file + 1, rank);
                    }
                }
            }
        }
    }
}

fn tables_against_scanning(criterion: &mut Criterion) {
    let positions: Vec<Position> = POSITIONS.iter().map(|fen| Position::from_fen(fen).expect("a position")).collect();
    let boards: Vec<ScannedBoard> = positions.iter().map(ScannedBoard::new).collect();
    let tables = |position: &Position| {
        let mut moves = MoveList::new();
        position.captures(&mut moves);
        position.quiets(&mut moves);
        moves
    };
    let scanning = |board: &ScannedBoard, side: Side| {
        let mut moves = MoveList::new();
        board.scan(side, |from, to| moves.push(Move::new(from, to)));
        moves
    };
    for (position, board) in positions.iter().zip(&boards) {
        let [mut one, mut other] = [tables(position), scanning(board, position.side())]
            .map(|moves| moves.iter().map(Move::to_string).collect::<Vec<_>>());
        one.sort_unstable();
        other.sort_unstable();
        assert_eq!(one, other, "{position}");
    }
    let mut group = criterion.benchmark_group("moves of the 24 positions of bench");
    group.bench_function("tables by square and occupancy", |bencher| {
        bencher.iter(|| positions.iter().map(|at| tables(at).len()).sum::<usize>());
    });
    group.bench_function("scanning the board", |bencher| {
        bencher
            .iter(|| positions.iter().zip(&boards).map(|(at, board)| scanning(board, at.side()).len()).sum::<usize>());
    });
    group.finish();
}

criterion_group!(benches, generation, tables_against_scanning);
criterion_main!(benches);
