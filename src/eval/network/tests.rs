//! Tests with networks of random weights.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;
use crate::position::{PieceObserver, START_FEN, Strictness};
use crate::types::{Move, Square, SquareSet};

const CROWDED: &str = "rrrrkrrrr/nnnnnnnnn/1ccccccc1/9/p1p1p1p1p/P1P1P1P1P/9/1CCCCCCC1/NNNNNNNNN/RRRRKRRRR w";

fn random_network(seed: u64) -> Network {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut row = |count: usize, max: i16| (0..count).map(|_| rng.random_range(-max..=max)).collect::<Vec<i16>>();
    let weights = RawWeights {
        input_weights: [row(PIECE_INPUTS * HIDDEN, 360), row(THREAT_INPUTS * HIDDEN, 90)].concat(),
        input_biases: row(HIDDEN, 800),
        output_weights: row(BUCKETS * 2 * HIDDEN, 400),
        output_biases: row(BUCKETS, 10_000).into_iter().map(|bias| 200 * i32::from(bias)).collect(),
    };
    Network::new(&weights, "random weights").unwrap()
}

/// Returns the network with weights of 0 for threats.
fn without_threats(network: &Network) -> Network {
    let mut weights = network.raw_weights();
    weights.input_weights[PIECE_INPUTS * HIDDEN..].fill(0);
    let network = Network::new(&weights, "pieces only").unwrap();
    assert!(!network.has_threats());
    network
}

/// Evaluates by the definition in the documentation, with a straightforward loop.
fn by_definition(network: &Network, position: &Position) -> Value {
    let weights = network.raw_weights();
    let neurons = |side: Side| -> Vec<i64> {
        let (own, enemy) = (position.king(side), position.king(!side));
        let mirrored = own.file() == 5 || own.file() == 4 && enemy.file() == 5;
        let view = Perspective::from_kings(Side::Red, "e0".parse().unwrap(), "e9".parse().unwrap());
        let mut sums: Vec<i64> = weights.input_biases.iter().map(|&bias| i64::from(bias)).collect();
        for (real_piece, real_square) in position.pieces() {
            let (piece, square) = match side {
                Side::Red => (real_piece, real_square),
                Side::Black => (Piece::new(!real_piece.side(), real_piece.kind()), real_square.flipped()),
            };
            let square = if mirrored { square.mirrored() } else { square };
            let feature = view.feature(piece, square);
            let groups = attacking_groups(position, real_piece, real_square);
            for input in [0].into_iter().chain(groups).map(|number| number * 689 + feature) {
                for (sum, weight) in sums.iter_mut().zip(&weights.input_weights[input * HIDDEN..]) {
                    *sum += i64::from(*weight);
                }
            }
        }
        sums.into_iter().map(|sum| sum.clamp(0, i64::from(QA)).pow(2) / 64).collect()
    };
    let all: Vec<i64> = [neurons(position.side()), neurons(!position.side())].concat();
    let strength =
        |letter: char| [('r', 2), ('n', 1), ('c', 1)].iter().find(|(kind, _)| *kind == letter).map(|kind| kind.1);
    let attackers: usize = position.board_text().to_ascii_lowercase().chars().filter_map(strength).sum();
    let bucket = (attackers / 2).min(7);
    let output_weights = &weights.output_weights[bucket * 2 * HIDDEN..][..2 * HIDDEN];
    let sum: i64 = all.iter().zip(output_weights).map(|(neuron, &weight)| neuron * i64::from(weight)).sum();
    let output = sum + i64::from(weights.output_biases[bucket]);
    clamp_evaluation((output * i64::from(SCALE) / i64::from(QN * QB)) as Value)
}

/// Returns the groups of enemies that attack a piece, 1 to 5, each once.
fn attacking_groups(position: &Position, piece: Piece, square: Square) -> BTreeSet<usize> {
    let group = |from: Square| match position.piece_on(from).unwrap().kind() {
        PieceKind::Rook => 1,
        PieceKind::Cannon => 2,
        PieceKind::Horse => 3,
        PieceKind::Pawn => 4,
        PieceKind::King | PieceKind::Advisor | PieceKind::Elephant => 5,
    };
    position.attackers(square, !piece.side()).map(group).collect()
}

fn walk(seed: u64, plies: usize, mut visit: impl FnMut(&Position)) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut position = Position::start();
    for _ in 0..plies {
        match random_move(&position, &mut rng) {
            Some(mv) if position.history().len() < 100 => position.make(mv),
            _ => position = Position::start(),
        }
        visit(&position);
    }
}

/// Returns a random legal move, every other time a capture if there is one: pieces that have just moved are taken then.
fn random_move(position: &Position, rng: &mut ChaCha8Rng) -> Option<Move> {
    let moves = position.legal_moves();
    let captures: Vec<Move> = moves.iter().copied().filter(|mv| position.piece_on(mv.to()).is_some()).collect();
    let choice = if captures.is_empty() || rng.random_range(0..2) == 0 { &moves[..] } else { &captures[..] };
    (!choice.is_empty()).then(|| choice[rng.random_range(0..choice.len())])
}

#[test]
fn every_instruction_set_gives_the_value_of_the_definition() {
    for network in [random_network(1), without_threats(&random_network(1))] {
        let (mut nonzero, mut values) = (0, HashSet::new());
        let mut threats = [[0; ATTACKER_GROUPS]; 2];
        walk(1, 6_000, |position| {
            let expected = by_definition(&network, position);
            for isa in Isa::available() {
                assert_eq!(network.evaluate_with_isa(isa, position), expected, "{isa:?}: {position}");
            }
            nonzero += usize::from(expected != 0);
            values.insert(expected);
            for (piece, square) in position.pieces() {
                let groups = attacking_groups(position, piece, square);
                groups.into_iter().for_each(|group| threats[piece.side().index()][group - 1] += 1);
            }
        });
        assert!(nonzero > 5_000 && values.len() > 500, "{nonzero} {}", values.len());
        assert!(threats.iter().flatten().all(|&count| count > 10), "{threats:?}");
    }
}

fn make(position: &mut Position, stacks: &mut [AccumulatorStack], mv: Option<Move>) {
    for stack in stacks.iter_mut() {
        match mv {
            Some(mv) => position.clone().make_observed(mv, stack),
            None => position.clone().make_null(stack),
        }
    }
    match mv {
        Some(mv) => position.make(mv),
        None => position.make_null(&mut ()),
    }
}

#[test]
fn values_after_any_number_of_moves_equal_values_from_scratch() {
    /// Positions with a crowded board and with kings whose steps change the mirroring.
    const OTHER_STARTS: [&str; 4] = [
        CROWDED,
        "3k5/9/9/9/9/2n6/9/9/9/N3K3R w",
        "3k5/4a4/4b4/9/2p6/4R4/9/4B4/4A4/3AK4 w",
        "5k3/9/9/9/9/9/4r4/9/3R5/4K4 w",
    ];
    let mut rng = ChaCha8Rng::seed_from_u64(14);
    let mut counts = [0; 21];
    let (mut moved_twice, mut moved_and_taken, mut nulls, mut longest) = (0, 0, 0, 0);
    for network in [random_network(14), without_threats(&random_network(14))].map(Arc::new) {
        let mut stacks: Vec<AccumulatorStack> =
            Isa::available().into_iter().map(|isa| AccumulatorStack::with_isa(Arc::clone(&network), isa)).collect();
        for game in 0..400 {
            let fen = if game % 2 == 0 { START_FEN } else { OTHER_STARTS[game / 2 % OTHER_STARTS.len()] };
            let mut position = Position::parse_fen(fen, Strictness::Lax).unwrap().position;
            stacks.iter_mut().for_each(AccumulatorStack::reset);
            // Values of the line so far, to be found again on the way back.
            let mut values = Vec::new();
            // A few lines are longer than those of a search.
            let plies = if game % 100 == 0 { 300 } else { 60 };
            'game: while position.history().len() < plies {
                let gap = rng.random_range(1..=20);
                let mut targets = SquareSet::EMPTY;
                for _ in 0..gap {
                    if !position.in_check() && rng.random_range(0..12) == 0 {
                        make(&mut position, &mut stacks, None);
                        nulls += 1;
                        continue;
                    }
                    let Some(mv) = random_move(&position, &mut rng) else { break 'game };
                    moved_twice += usize::from(targets.contains(mv.from()));
                    moved_and_taken += usize::from(targets.contains(mv.to()) && position.piece_on(mv.to()).is_some());
                    targets.insert(mv.to());
                    make(&mut position, &mut stacks, Some(mv));
                }
                counts[gap] += 1;
                let value = network.evaluate_with_isa(Isa::PORTABLE, &position);
                for stack in &mut stacks {
                    assert_eq!(stack.evaluate(&position), value, "after {gap} moves: {position}");
                }
                values.push((position.history().len(), value));
            }
            longest = longest.max(position.history().len());
            while let Some((plies, value)) = values.pop() {
                while position.history().len() > plies {
                    stacks.iter_mut().for_each(PieceObserver::reverted);
                    position.unmake();
                }
                stacks.iter_mut().for_each(|stack| assert_eq!(stack.evaluate(&position), value));
            }
        }
    }
    assert!(counts[1..].iter().all(|&count| count > 30), "{counts:?}");
    assert!(moved_twice > 1_000 && moved_and_taken > 1_000 && nulls > 500, "{moved_twice} {moved_and_taken} {nulls}");
    assert!(longest > crate::types::score::MAX_PLY, "{longest}");
}

#[test]
fn files_of_both_architectures_round_trip() {
    let with = random_network(5);
    let without = without_threats(&with);
    for network in [&with, &without] {
        let bytes = network.to_bytes();
        let back = Network::from_bytes(&bytes).unwrap();
        assert_eq!((&back, back.note(), back.to_bytes()), (network, network.note(), bytes));
        assert_eq!(Network::new(&back.raw_weights(), back.note()).as_ref(), Ok(network));
    }
    // The former architecture, and the same network as a file with weights of threats, all of them 0.
    let bytes = without.to_bytes();
    assert_eq!((&bytes[8..12], &bytes[12..16]), (&[1, 0, 1, 0][..], &689_u32.to_le_bytes()[..]));
    let after_pieces = 12 + 4 * 6 + 4 + without.note().len() + 2 * PIECE_INPUTS * HIDDEN;
    let mut long = bytes[..after_pieces].to_vec();
    long.extend(vec![0; 2 * THREAT_INPUTS * HIDDEN]);
    long.extend(&bytes[after_pieces..bytes.len() - 4]);
    long[10..12].copy_from_slice(&2_u16.to_le_bytes());
    long[12..16].copy_from_slice(&4134_u32.to_le_bytes());
    long.extend(crc32fast::hash(&long).to_le_bytes());
    let read = Network::from_bytes(&long).unwrap();
    assert_eq!((&read, read.checksum()), (&without, without.checksum()));
    assert_eq!(Network::from_bytes(EMBEDDED).as_ref(), Ok(&*Network::embedded()), "it cannot overflow");
}

#[test]
fn damaged_and_other_files_are_refused_with_the_fault() {
    let bytes = random_network(6).to_bytes();
    let mut rng = ChaCha8Rng::seed_from_u64(6);
    let fixed = 60;
    // Each bit of the header, and many others.
    let bits = (0..fixed * 8).chain((0..2_000).map(|_| rng.random_range(fixed * 8..bytes.len() * 8)));
    for bit in bits.collect::<Vec<usize>>() {
        let mut damaged = bytes.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        assert!(Network::from_bytes(&damaged).is_err(), "bit {bit}");
    }
    for length in (0..200).chain([bytes.len() / 2, bytes.len() - 4, bytes.len() - 1]) {
        assert!(Network::from_bytes(&bytes[..length]).is_err(), "{length} bytes");
    }
    let fault = |bytes: &[u8]| Network::from_bytes(bytes).unwrap_err().to_string();
    assert!(fault(&[&bytes[..], &[0]].concat()).starts_with("damaged: "));
    for (offset, byte, expected) in [
        (0, b'X', "not a network file"),
        (8, 9, "format version 9 is not supported (only 1)"),
        (10, 9, "network of another architecture"),
        (16, 255, "network of another architecture"),
        (38, 255, "its note is not text of at most 4096 bytes"),
        (40, 255, "its note is not text of at most 4096 bytes"),
    ] {
        let mut other = bytes[..bytes.len() - 4].to_vec();
        other[offset] = byte;
        other.extend(crc32fast::hash(&other).to_le_bytes());
        assert_eq!(fault(&other), expected, "{offset}");
    }
}

#[test]
fn weights_that_could_overflow_are_refused() {
    let valid = random_network(8).raw_weights();
    let refused = |change: &dyn Fn(&mut RawWeights), expected: NetworkError| {
        let mut weights = valid.clone();
        change(&mut weights);
        assert_eq!(Network::new(&weights, ""), Err(expected));
    };
    let overflows = |change: &dyn Fn(&mut RawWeights)| refused(change, NetworkError::overflow());
    overflows(&|weights| weights.output_weights[HIDDEN..2 * HIDDEN].fill(-600));
    overflows(&|weights| weights.input_weights.fill(-1_100));
    overflows(&|weights| weights.input_weights[PIECE_INPUTS * HIDDEN..].fill(300));
    overflows(&|weights| weights.input_weights[PIECE_INPUTS * HIDDEN..].fill(-300));
    overflows(&|weights| weights.input_biases[3] = i16::MAX);
    refused(&|weights| weights.input_weights.truncate(5), NetworkError::shape());
    refused(&|weights| weights.output_biases.push(5), NetworkError::shape());
    assert_eq!(Network::new(&valid, &"x".repeat(4097)), Err(NetworkError::note()));
    let mut large = valid.clone();
    large.input_weights[PIECE_INPUTS * HIDDEN..].fill(300);
    let limited = Network::with_limited_threats(large, "").unwrap().raw_weights();
    let (pieces, threats) = limited.input_weights.split_at(PIECE_INPUTS * HIDDEN);
    assert_eq!(pieces, &valid.input_weights[..PIECE_INPUTS * HIDDEN]);
    assert!(threats.iter().all(|&weight| [150, 75].contains(&weight)), "all of a neuron are halved once or twice");
    assert_eq!(Network::with_limited_threats(valid.clone(), "").unwrap().raw_weights(), valid);
}

#[test]
fn sums_may_reach_the_bounds_of_16_bits_and_no_more() {
    let none = RawWeights {
        input_weights: vec![0; INPUTS * HIDDEN],
        input_biases: vec![0; HIDDEN],
        output_weights: vec![0; BUCKETS * 2 * HIDDEN],
        output_biases: vec![0; BUCKETS],
    };
    // Inputs of Red's rook, pawn and king, how many of them a game has, and neurons.
    for (input, count, neuron) in [(108, 2, 0), (300, 5, 255), (3, 1, 100)] {
        for (bound, step) in [(i16::MAX, 1), (i16::MIN, -1)] {
            let mut weights = none.clone();
            let mut set = |input: usize, weight: i16| weights.input_weights[input * HIDDEN + neuron] = weight;
            // As many equal pieces as a game has, attacked by every group: weights of 100 on as many squares.
            let part = i32::from(bound.signum()) * 100;
            for square in 0..count {
                (0..=ATTACKER_GROUPS).for_each(|group| set(group * PIECE_INPUTS + input + square, part as i16));
            }
            // The attackers that make it better do not count.
            set(PIECE_INPUTS + 200, -(part as i16));
            let rest = i32::from(bound) - part * (count * (1 + ATTACKER_GROUPS)) as i32;
            weights.input_biases[neuron] = rest as i16;
            assert!(Network::new(&weights, "").is_ok(), "{input} {bound}");
            weights.input_biases[neuron] += step;
            assert_eq!(Network::new(&weights, ""), Err(NetworkError::overflow()), "{input} {bound}");
        }
    }
}
