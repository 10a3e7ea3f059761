//! Checkpoints of training: those that are accepted survive a round trip, and their settings can be compared.
#![no_main]

use std::path::Path;
use std::sync::LazyLock;

use chuhe::lab::training::{Checkpoint, Model, ParamState, Progress, SampleSource, Settings};
use chuhe_fuzz::changed;
use libfuzzer_sys::fuzz_target;

static SETTINGS: LazyLock<Settings> = LazyLock::new(|| Settings {
    shape: Settings::this_shape(),
    source: SampleSource::default(),
    epochs: 1,
    batch: 1,
    lambda: 0.7,
    rate: 0.1,
    last_rate: 0.1,
    threads: 1,
    start: None,
    start_share: 0.0,
});

/// Settings and progress without their checksum, and all parameters, of a checkpoint.
static TEMPLATE: LazyLock<[Vec<u8>; 2]> = LazyLock::new(|| {
    let parts = Model::random(1).parts.into_iter().map(ParamState::new).collect();
    let checkpoint = Checkpoint { settings: SETTINGS.clone(), progress: Progress::default(), parts };
    let bytes = checkpoint.to_bytes();
    let end = bytes.iter().position(|&byte| byte == b'\n').expect("a line");
    // The fuzzer cannot guess checksums, and lines without one are read as well.
    let content = end - ",\"crc32\":\"01234567\"}".len();
    [[&bytes[..content], b"}\n"].concat(), bytes[end + 1..].to_vec()]
});

fuzz_target!(|input: &[u8]| {
    let Some((&choice, rest)) = input.split_first() else { return };
    let [text, parameters] = &*TEMPLATE;
    let mut bytes = changed(text, rest);
    // Most damage is found before the parameters, which take long.
    if choice & 1 == 0 {
        bytes.extend(parameters);
    }
    if choice & 2 != 0 {
        bytes.truncate(rest.len());
    }
    match Checkpoint::from_bytes(&bytes) {
        Ok(checkpoint) => {
            drop(checkpoint.check(&SETTINGS, Path::new("")).map_err(|error| error.to_string()));
            let written = checkpoint.to_bytes();
            let again = Checkpoint::from_bytes(&written).expect("what is written can be read");
            assert!(again.to_bytes() == written);
        }
        Err(error) => assert!(!error.is_empty()),
    }
});
