//! Tables of endings: whatever has become of the files of one, they are refused or read, and every answer is a value.
#![no_main]

use std::sync::OnceLock;

use chuhe::position::Position;
use chuhe::tablebase::{Content, Metric, Plan, StoredTable, build, path_of};
use libfuzzer_sys::fuzz_target;

/// The bytes before the list of blocks.
const HEADER: usize = 40;

const CONTENTS: [Content; 2] = [Content::Results, Content::Plies(Metric::Conversion)];

/// The whole files of a small ending.
fn whole() -> &'static [Vec<u8>; 2] {
    static WHOLE: OnceLock<[Vec<u8>; 2]> = OnceLock::new();
    WHOLE.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a folder for a small table");
        let ending = "KRvK".parse().expect("an ending");
        let plan = Plan { folder: folder.path(), metric: Metric::Conversion, threads: 1, memory: u64::MAX };
        build(&plan, &[ending], |_| ()).expect("a small table can be built");
        CONTENTS.map(|content| std::fs::read(path_of(folder.path(), ending, content)).expect("it was written"))
    })
}

/// The checksums made right again: the fuzzer cannot guess them.
fn mend(bytes: &mut [u8]) {
    let word = |bytes: &[u8], at: usize| bytes.get(at..at + 4).map(|word| [word[0], word[1], word[2], word[3]]);
    if bytes.len() < HEADER + 4 {
        return;
    }
    let checksum = crc32fast::hash(&bytes[..HEADER - 4]);
    bytes[HEADER - 4..HEADER].copy_from_slice(&checksum.to_le_bytes());
    // A small ending has one block.
    let Some(size) = word(bytes, HEADER).map(u32::from_le_bytes) else { return };
    let start = HEADER + 12;
    if let Some(block) = bytes.get(start..start.saturating_add(size as usize)) {
        let checksum = crc32fast::hash(block);
        bytes[HEADER + 4..HEADER + 8].copy_from_slice(&checksum.to_le_bytes());
    }
    if bytes.len() >= start {
        let checksum = crc32fast::hash(&bytes[HEADER..HEADER + 8]);
        bytes[HEADER + 8..start].copy_from_slice(&checksum.to_le_bytes());
    }
}

fuzz_target!(|input: &[u8]| {
    let Ok(folder) = tempfile::tempdir() else { return };
    let Ok(ending) = "KRvK".parse() else { return };
    let Ok(position) = Position::from_fen("3k5/9/9/9/9/9/9/9/9/4K3R w") else { return };
    let Some((&choice, edits)) = input.split_first() else { return };
    for (number, content) in CONTENTS.into_iter().enumerate() {
        let mut bytes = whole()[number].clone();
        if usize::from(choice) % 2 == number {
            if choice & 4 != 0 {
                bytes.truncate(edits.len() * 16);
            }
            for edit in edits.chunks_exact(3) {
                let place = usize::from(u16::from_le_bytes([edit[0], edit[1]]));
                if let Some(byte) = bytes.get_mut(place) {
                    *byte = edit[2];
                }
            }
            if choice & 2 != 0 {
                mend(&mut bytes);
            }
        }
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
});
