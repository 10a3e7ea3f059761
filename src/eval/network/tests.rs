//! Tests with networks of random weights.

use std::sync::Arc;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;
use crate::position::{PieceObserver, Strictness};
use crate::types::{Move, Square, SquareSet};

/// Position with more pieces than a game has.
const CROWDED: &str = "rrrrkrrrr/nnnnnnnnn/1ccccccc1/9/p1p1p1p1p/P1P1P1P1P/9/1CCCCCCC1/NNNNNNNNN/RRRRKRRRR w";

/// Returns a network of random weights, of the size of trained ones.
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
    let bucket = output_bucket(position);
    let output_weights = &weights.output_weights[bucket * 2 * HIDDEN..][..2 * HIDDEN];
    let sum: i64 = all.iter().zip(output_weights).map(|(neuron, &weight)| neuron * i64::from(weight)).sum();
    let output = sum + i64::from(weights.output_biases[bucket]);
    clamp_evaluation((output * i64::from(SCALE) / i64::from(QN * QB)) as Value)
}

/// Returns the groups of enemies that attack a piece, 1 to 5, each once.
pub(crate) fn attacking_groups(position: &Position, piece: Piece, square: Square) -> std::collections::BTreeSet<usize> {
    let group = |from: Square| match position.piece_on(from).unwrap().kind() {
        PieceKind::Rook => 1,
        PieceKind::Cannon => 2,
        PieceKind::Horse => 3,
        PieceKind::Pawn => 4,
        PieceKind::King | PieceKind::Advisor | PieceKind::Elephant => 5,
    };
    position.attackers(square, !piece.side()).map(group).collect()
}

/// Visits the positions of games of random legal moves.
fn walk(seed: u64, plies: usize, mut visit: impl FnMut(&Position)) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut position = Position::start();
    for _ in 0..plies {
        let moves = position.legal_moves();
        if moves.is_empty() {
            position = Position::start();
            continue;
        }
        position.make(moves[rng.random_range(0..moves.len())]);
        visit(&position);
    }
}

#[test]
fn threats_are_the_groups_that_attack_enemy_pieces() {
    let mut counts = [[0; ATTACKER_GROUPS]; 2];
    walk(11, 3_000, |position| {
        let mut found = Vec::new();
        Threats::new(position).for_each(|square, group| found.push((square.index(), group)));
        found.sort_unstable();
        let mut expected: Vec<(usize, usize)> = position
            .pieces()
            .flat_map(|(piece, square)| {
                let groups = attacking_groups(position, piece, square);
                groups.into_iter().map(move |group| (square.index(), group - 1))
            })
            .collect();
        expected.sort_unstable();
        assert_eq!(found, expected, "{position}");
        for (square, group) in found {
            counts[position.piece_on(Square::from_index(square)).unwrap().side().index()][group] += 1;
        }
    });
    assert!(counts.iter().flatten().all(|&count| count > 10), "{counts:?}");
}

#[test]
fn compared_threats_are_those_of_either_position_only_and_those_on_changed_squares() {
    let mut before = (Position::start(), Threats::new(&Position::start()));
    let list = |threats: &Threats| {
        let mut list = Vec::new();
        threats.for_each(|square, group| list.push((square, group)));
        list
    };
    walk(12, 2_000, |position| {
        let threats = Threats::new(position);
        // One of the squares as if a piece had changed there.
        let changed = SquareSet::from_square(Square::from_index(position.history().len() % Square::COUNT));
        let (mut removed, mut added) = (Vec::new(), Vec::new());
        threats.compare(&before.1, changed, |difference| {
            let ThreatDifference { square, group, was_attacked, is_attacked, is_changed } = difference;
            assert_eq!(is_changed, changed.contains(square));
            assert!(was_attacked || is_attacked);
            removed.extend(was_attacked.then_some((square, group)));
            added.extend(is_attacked.then_some((square, group)));
        });
        // Rest of a list after those that the other has too on other squares are left out. Both sides may attack with
        // the same group, but never the same square.
        let rest = |these: &[(Square, usize)], others: &[(Square, usize)], occupants: [&Position; 2]| {
            let same_side = |square| {
                occupants[0].piece_on(square).map(Piece::side) == occupants[1].piece_on(square).map(Piece::side)
            };
            let is_left =
                |pair: &&(Square, usize)| changed.contains(pair.0) || !(others.contains(pair) && same_side(pair.0));
            these.iter().filter(is_left).copied().collect::<Vec<_>>()
        };
        let (earlier, now) = (list(&before.1), list(&threats));
        let sorted = |mut list: Vec<(Square, usize)>| {
            list.sort_unstable_by_key(|&(square, group)| (square.index(), group));
            list
        };
        assert_eq!(sorted(removed), sorted(rest(&earlier, &now, [&before.0, position])), "{position}");
        assert_eq!(sorted(added), sorted(rest(&now, &earlier, [&before.0, position])), "{position}");
        before = (position.clone(), threats);
    });
}

#[test]
fn every_instruction_set_gives_the_value_of_the_definition() {
    for network in [random_network(1), without_threats(&random_network(1))] {
        let (mut nonzero, mut values) = (0, std::collections::HashSet::new());
        walk(1, 3_000, |position| {
            let expected = by_definition(&network, position);
            for isa in Isa::available() {
                assert_eq!(network.evaluate_with_isa(isa, position), expected, "{isa:?}: {position}");
            }
            nonzero += usize::from(expected != 0);
            values.insert(expected);
        });
        assert!(nonzero > 2_900 && values.len() > 500, "{nonzero} {}", values.len());
    }
}

#[test]
fn all_instruction_sets_agree_on_a_hundred_thousand_positions() {
    let network = Arc::new(random_network(2));
    let mut count = 0;
    for seed in 0..500 {
        walk(100 + seed, 200, |position| {
            let values: Vec<Value> =
                Isa::available().into_iter().map(|isa| network.evaluate_with_isa(isa, position)).collect();
            assert!(values.iter().all(|value| *value == values[0]), "{values:?}: {position}");
            count += 1;
        });
    }
    assert!(count >= 99_000);
}

/// Makes and unmakes moves like a search and evaluates some of the positions only. Returns their number.
fn search(position: &mut Position, stacks: &mut [AccumulatorStack], depth: usize, rng: &mut ChaCha8Rng) -> usize {
    let mut evaluated = 0;
    if rng.random_range(0..3) > 0 {
        let expected = stacks[0].network().evaluate_with_isa(Isa::PORTABLE, position);
        for stack in stacks.iter_mut() {
            assert_eq!(stack.evaluate(position), expected, "{position}");
        }
        evaluated += 1;
    }
    if depth == 0 {
        return evaluated;
    }
    if !position.in_check() && rng.random_range(0..4) == 0 {
        make(position, stacks, None);
        evaluated += search(position, stacks, depth - 1, rng);
        unmake(position, stacks);
    }
    let moves = position.legal_moves();
    for _ in 0..3.min(moves.len()) {
        make(position, stacks, Some(moves[rng.random_range(0..moves.len())]));
        evaluated += search(position, stacks, depth - 1, rng);
        unmake(position, stacks);
    }
    evaluated
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

fn unmake(position: &mut Position, stacks: &mut [AccumulatorStack]) {
    stacks.iter_mut().for_each(PieceObserver::reverted);
    position.unmake();
}

#[test]
fn incremental_values_equal_values_from_scratch_at_every_node() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let starts = [
        crate::position::START_FEN,
        "3k5/4a4/4b4/9/2p6/4R4/9/4B4/4A4/3AK4 w",
        "5k3/9/9/9/9/9/4r4/9/3R5/4K4 w",
        "4k4/4a4/9/4N4/9/9/9/4C4/4A4/3K5 b",
    ];
    for network in [random_network(3), without_threats(&random_network(3))].map(Arc::new) {
        let mut stacks: Vec<AccumulatorStack> =
            Isa::available().into_iter().map(|isa| AccumulatorStack::with_isa(Arc::clone(&network), isa)).collect();
        let mut evaluated = 0;
        for _ in 0..6 {
            for fen in starts {
                let mut position = Position::from_fen(fen).unwrap();
                stacks.iter_mut().for_each(AccumulatorStack::reset);
                let before = position.clone();
                evaluated += search(&mut position, &mut stacks, 6, &mut rng);
                assert_eq!(position, before);
            }
        }
        assert!(evaluated > 10_000, "{evaluated}");
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
fn values_after_any_number_of_moves_equal_values_from_scratch() {
    let mut rng = ChaCha8Rng::seed_from_u64(14);
    let mut counts = [0; 21];
    let (mut moved_twice, mut moved_and_taken, mut nulls) = (0, 0, 0);
    for network in [random_network(14), without_threats(&random_network(14))].map(Arc::new) {
        let mut stacks: Vec<AccumulatorStack> =
            Isa::available().into_iter().map(|isa| AccumulatorStack::with_isa(Arc::clone(&network), isa)).collect();
        for game in 0..400 {
            let fen = if game % 10 == 0 { CROWDED } else { crate::position::START_FEN };
            let mut position = Position::parse_fen(fen, Strictness::Lax).unwrap().position;
            stacks.iter_mut().for_each(AccumulatorStack::reset);
            // Values of the line so far, to be found again on the way back.
            let mut values = Vec::new();
            'game: while position.history().len() < 60 {
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
            while let Some((plies, value)) = values.pop() {
                while position.history().len() > plies {
                    unmake(&mut position, &mut stacks);
                }
                stacks.iter_mut().for_each(|stack| assert_eq!(stack.evaluate(&position), value));
            }
        }
    }
    assert!(counts[1..].iter().all(|&count| count > 30), "{counts:?}");
    assert!(moved_twice > 1_000 && moved_and_taken > 1_000 && nulls > 500, "{moved_twice} {moved_and_taken} {nulls}");
}

#[test]
fn lines_longer_than_those_of_a_search_are_made_and_unmade() {
    let network = Arc::new(random_network(9));
    let mut position = Position::start();
    let mut stack = AccumulatorStack::new(Arc::clone(&network));
    let mut position_of_kings = Position::from_fen("3k5/9/9/9/9/2n6/9/9/9/N3K3R w").unwrap();
    let mut stack_of_kings = AccumulatorStack::new(Arc::clone(&network));
    let moves = |texts: [&str; 4]| texts.map(|text| text.parse::<Move>().unwrap());
    let there_and_back = moves(["b0c2", "b9c7", "c2b0", "c7b9"]);
    // Red's king goes from file e to f and back, which changes Red's mirroring each time.
    let kings = moves(["e0f0", "c4d6", "f0e0", "d6c4"]);
    let plies = 2 * crate::types::score::MAX_PLY;
    for ply in 0..plies {
        position.make_observed(there_and_back[ply % 4], &mut stack);
        position_of_kings.make_observed(kings[ply % 4], &mut stack_of_kings);
        if ply % 100 == 0 {
            assert_eq!(stack.evaluate(&position), network.evaluate(&position), "ply {ply}");
        }
        if ply % 62 == 0 || ply % 64 == 3 {
            let value = network.evaluate(&position_of_kings);
            assert_eq!(stack_of_kings.evaluate(&position_of_kings), value, "ply {ply}");
        }
    }
    assert_eq!(stack.evaluate(&position), network.evaluate(&position));
    (0..plies - 1).for_each(|_| position.unmake_observed(&mut stack));
    assert_eq!(stack.evaluate(&position), network.evaluate(&position));
}

#[test]
fn values_are_symmetric_except_for_mirror_images_with_central_kings() {
    let network = random_network(4);
    let (mut mirrored_count, mut undecided, mut different) = (0, 0, 0);
    for seed in 0..20 {
        walk(200 + seed, 200, |position| {
            let value = network.evaluate(position);
            assert_eq!(network.evaluate(&position.colour_flipped()), value, "{position}");
            let mirrored = network.evaluate(&position.mirrored());
            let middle = |side| position.king(side).file() == Square::FILES / 2;
            if middle(Side::Red) && middle(Side::Black) {
                // Nothing is mirrored: these are different inputs, which training only makes similar.
                undecided += 1;
                different += usize::from(mirrored != value);
            } else {
                mirrored_count += 1;
                assert_eq!(mirrored, value, "{position}");
            }
        });
    }
    assert!(
        mirrored_count > 500 && undecided > 500 && different > undecided / 2,
        "{mirrored_count} {undecided} {different}"
    );
}

#[test]
fn files_round_trip() {
    let network = random_network(5);
    let bytes = network.to_bytes();
    let back = Network::from_bytes(&bytes).unwrap();
    assert_eq!((&back, back.note()), (&network, "random weights"));
    assert_eq!(back.to_bytes(), bytes);
    assert_eq!(Network::new(&back.raw_weights(), back.note()), Ok(network));
}

#[test]
fn networks_without_threats_keep_the_former_architecture() {
    let network = without_threats(&random_network(10));
    let bytes = network.to_bytes();
    assert_eq!((&bytes[8..12], &bytes[12..16]), (&[1, 0, 1, 0][..], &689_u32.to_le_bytes()[..]));
    assert_eq!(Network::from_bytes(&bytes).as_ref(), Ok(&network));
    assert!(matches!(Network::from_bytes(&bytes[..bytes.len() - 1]), Err(NetworkError::Length { .. })));
    // The same as a file with weights of threats, all of them 0.
    let header = 12 + 4 * 6 + 4 + network.note().len();
    let after_pieces = header + 2 * PIECE_INPUTS * HIDDEN;
    let mut long = bytes[..after_pieces].to_vec();
    long.extend(vec![0; 2 * THREAT_INPUTS * HIDDEN]);
    long.extend(&bytes[after_pieces..bytes.len() - 4]);
    long[10..12].copy_from_slice(&2_u16.to_le_bytes());
    long[12..16].copy_from_slice(&4134_u32.to_le_bytes());
    long.extend(crc32fast::hash(&long).to_le_bytes());
    let read = Network::from_bytes(&long).unwrap();
    assert_eq!((&read, read.checksum()), (&network, network.checksum()));
}

#[test]
fn the_embedded_network_cannot_overflow() {
    assert_eq!(Network::from_bytes(EMBEDDED).as_ref(), Ok(&*Network::embedded()));
}

#[test]
fn damaged_files_are_refused() {
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
    assert!(matches!(Network::from_bytes(&[&bytes[..], &[0]].concat()), Err(NetworkError::Length { .. })));
    assert_eq!(Network::from_bytes(b""), Err(NetworkError::Foreign));
}

#[test]
fn errors_name_the_fault() {
    let bytes = random_network(7).to_bytes();
    let with = |offset: usize, byte: u8| {
        let mut other = bytes.clone();
        other[offset] = byte;
        let end = other.len() - 4;
        let checksum = crc32fast::hash(&other[..end]).to_le_bytes();
        other[end..].copy_from_slice(&checksum);
        Network::from_bytes(&other).unwrap_err()
    };
    assert_eq!(with(0, b'X'), NetworkError::Foreign);
    assert_eq!(with(8, 9), NetworkError::Version(9));
    assert_eq!(with(10, 9), NetworkError::Shape);
    assert_eq!(with(16, 255), NetworkError::Shape, "another number of neurons");
    assert_eq!(with(38, 255), NetworkError::Note);
    assert_eq!(with(40, 255), NetworkError::Note, "no text");
}

#[test]
fn weights_that_could_overflow_are_refused() {
    let valid = random_network(8).raw_weights();
    let refused = |change: &dyn Fn(&mut RawWeights), error| {
        let mut weights = valid.clone();
        change(&mut weights);
        assert_eq!(Network::new(&weights, "").unwrap_err(), error);
    };
    refused(&|weights| weights.output_weights[HIDDEN..2 * HIDDEN].fill(-600), NetworkError::Overflow);
    refused(&|weights| weights.input_weights.fill(-1_100), NetworkError::Overflow);
    refused(&|weights| weights.input_weights[PIECE_INPUTS * HIDDEN..].fill(300), NetworkError::Overflow);
    refused(&|weights| weights.input_weights[PIECE_INPUTS * HIDDEN..].fill(-300), NetworkError::Overflow);
    let mut large = valid.clone();
    large.input_weights[PIECE_INPUTS * HIDDEN..].fill(300);
    let limited = Network::with_limited_threats(large, "").unwrap().raw_weights();
    let (pieces, threats) = limited.input_weights.split_at(PIECE_INPUTS * HIDDEN);
    assert_eq!(pieces, &valid.input_weights[..PIECE_INPUTS * HIDDEN]);
    assert!(threats.iter().all(|&weight| [150, 75].contains(&weight)), "all of a neuron are halved once or twice");
    assert_eq!(Network::with_limited_threats(valid.clone(), "").unwrap().raw_weights(), valid);
    refused(&|weights| weights.input_biases[3] = i16::MAX, NetworkError::Overflow);
    refused(&|weights| weights.input_weights.truncate(5), NetworkError::Shape);
    refused(&|weights| weights.output_biases.push(5), NetworkError::Shape);
    assert_eq!(Network::new(&valid, &"x".repeat(MAX_NOTE_BYTES + 1)), Err(NetworkError::Note));
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
            assert_eq!(Network::new(&weights, ""), Err(NetworkError::Overflow), "{input} {bound}");
        }
    }
}

#[test]
fn crowded_boards_have_values() {
    let network = Arc::new(random_network(13));
    let mut position = Position::parse_fen(CROWDED, Strictness::Lax).unwrap().position;
    let mut stack = AccumulatorStack::new(Arc::clone(&network));
    for _ in 0..4 {
        assert_eq!(stack.evaluate(&position), network.evaluate_with_isa(Isa::PORTABLE, &position));
        let mv = position.legal_moves()[0];
        position.make_observed(mv, &mut stack);
    }
}

#[test]
fn attackers_select_the_output_bucket() {
    let bucket = |fen: &str| output_bucket(&Position::from_fen(fen).unwrap());
    assert_eq!(output_bucket(&Position::start()), 7);
    assert_eq!(bucket("4k4/9/9/9/9/9/9/9/9/3K5 w"), 0);
    assert_eq!(bucket("4k4/9/9/9/9/9/9/9/9/N2K5 w"), 0);
    assert_eq!(bucket("4k4/9/9/9/9/9/9/9/9/R2K5 w"), 1);
    assert_eq!(bucket("r3k4/9/9/9/9/9/9/9/9/RNCK5 w"), 3);
}
