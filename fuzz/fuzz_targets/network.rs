//! Network files: those that are accepted survive a round trip, and no sum overflows in them.
#![no_main]

use std::sync::LazyLock;

use chuhe::eval::network::Network;
use chuhe::position::Position;
use chuhe_fuzz::changed;
use libfuzzer_sys::fuzz_target;

/// Bytes before the note.
const HEADER: usize = 40;
/// Bytes of a run of equal weights in the input: the place of the first in units of `UNIT`, the number of weights as
/// an exponent, and the weight.
const RUN: usize = 5;
const UNIT: usize = 32;

/// The built-in network, and one with small weights for the pieces only, as files without checksum and note.
static TEMPLATES: LazyLock<[Vec<u8>; 2]> = LazyLock::new(|| {
    let mut weights = Network::embedded().raw_weights();
    let whole = Network::new(&weights, "").expect("it is valid").to_bytes();
    weights.input_weights.fill(0);
    weights.output_weights.fill(1);
    let small = Network::new(&weights, "").expect("small weights are valid").to_bytes();
    [whole, small].map(|bytes| bytes[..bytes.len() - 4].to_vec())
});

static POSITIONS: LazyLock<Vec<Position>> = LazyLock::new(|| {
    let fens = ["3k5/9/9/9/9/9/9/9/9/4K3R w", "r1bakab1r/9/1cn4c1/p1p1C1p1p/9/2P6/P3P1P1P/1C2n1N2/9/RNBAKABR1 b"];
    fens.iter().map(|fen| Position::from_fen(fen).expect("a position")).chain([Position::start()]).collect()
});

fuzz_target!(|input: &[u8]| {
    let [choice, note, header, rest @ ..] = input else { return };
    let mut bytes = TEMPLATES[usize::from(choice & 1)].clone();
    let (header, rest) = rest.split_at((usize::from(*header) % 32).min(rest.len()));
    let (note, runs) = rest.split_at(usize::from(*note).min(rest.len()));
    for run in runs.as_chunks::<RUN>().0 {
        let place = HEADER + usize::from(u16::from_le_bytes([run[0], run[1]])) * UNIT % (bytes.len() - HEADER);
        let end = (place + (2 << (run[2] % 20))).min(bytes.len());
        bytes[place..end].chunks_exact_mut(2).for_each(|weight| weight.copy_from_slice(&run[3..]));
    }
    bytes[HEADER - 4..HEADER].copy_from_slice(&(note.len() as u32).to_le_bytes());
    bytes.splice(HEADER..HEADER, note.iter().copied());
    let mut bytes = changed(&bytes, header);
    if choice & 2 == 0 {
        let checksum = crc32fast::hash(&bytes);
        bytes.extend(checksum.to_le_bytes());
    }
    match Network::from_bytes(&bytes) {
        Ok(network) => {
            let again = Network::from_bytes(&network.to_bytes()).expect("what is written can be read");
            assert!(again == network);
            for position in POSITIONS.iter() {
                network.evaluate(position);
            }
        }
        Err(error) => drop(error.to_string()),
    }
});
