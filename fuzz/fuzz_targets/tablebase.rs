//! Tables of endings: whatever lies in a folder under the name of one is refused or read, and every answer is a value.
#![no_main]

use chuhe::position::Position;
use chuhe::tablebase::{Content, Metric, StoredTable, path_of};
use libfuzzer_sys::fuzz_target;

/// A file whose checksums are right may hold anything else: the fuzzer cannot guess them.
fn with_checksums(bytes: &[u8]) -> Vec<u8> {
    const HEADER: usize = 40;
    let mut bytes = bytes.to_vec();
    if bytes.len() >= HEADER {
        let checksum = crc32fast::hash(&bytes[..HEADER - 4]);
        bytes[HEADER - 4..HEADER].copy_from_slice(&checksum.to_le_bytes());
    }
    bytes
}

fuzz_target!(|bytes: &[u8]| {
    let Ok(folder) = tempfile::tempdir() else { return };
    let Ok(ending) = "KRvK".parse() else { return };
    let Ok(position) = Position::from_fen("3k5/9/9/9/9/9/9/9/9/4K3R w") else { return };
    for bytes in [bytes.to_vec(), with_checksums(bytes)] {
        for content in [Content::Results, Content::Plies(Metric::Conversion)] {
            if std::fs::write(path_of(folder.path(), ending, content), &bytes).is_err() {
                return;
            }
        }
        match StoredTable::open(folder.path(), ending, Metric::Conversion) {
            Ok(table) => {
                drop(table.value_of(&position).map_err(|error| error.to_string()));
                drop(table.read_all().map(|table| table.statistics()).map_err(|error| error.to_string()));
            }
            Err(error) => drop(error.to_string()),
        }
    }
});
