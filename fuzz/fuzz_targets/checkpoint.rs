//! Checkpoints of training: those that are accepted survive a round trip, and their settings can be compared.
#![no_main]

use std::path::Path;
use std::sync::LazyLock;

use chuhe::lab::training::{Checkpoint, Loss, Model, ParamState, Progress, SampleSource, Settings, check_settings};
use chuhe_fuzz::changed;
use libfuzzer_sys::fuzz_target;

/// Bytes before the settings and the progress.
const FIXED: usize = 12;

static SETTINGS: LazyLock<Settings> = LazyLock::new(|| Settings {
    shape: Settings::this_shape(),
    games: SampleSource::default(),
    epochs: 1,
    batch: 1,
    lambda: 0.7,
    scale: 400.0,
    loss: Loss::CrossEntropy.name().to_owned(),
    rate: 0.1,
    last_rate: 0.1,
    decay: 0.1,
    seed: 1,
    threads: 1,
    start: None,
    start_share: 0.0,
});

/// Settings and progress, and all parameters, of a checkpoint.
static TEMPLATE: LazyLock<[Vec<u8>; 2]> = LazyLock::new(|| {
    let parts = Model::random(1).parts.into_iter().map(ParamState::new).collect();
    let checkpoint = Checkpoint { settings: SETTINGS.to_json(), progress: Progress::default(), parts };
    let bytes = checkpoint.to_bytes();
    let length = u32::from_le_bytes([bytes[8], bytes[9], bytes[10], bytes[11]]) as usize;
    [bytes[FIXED..FIXED + length].to_vec(), bytes[FIXED + length..bytes.len() - 4].to_vec()]
});

fuzz_target!(|input: &[u8]| {
    let Some((&choice, rest)) = input.split_first() else { return };
    let [text, parameters] = &*TEMPLATE;
    let text = changed(text, rest);
    let mut bytes = [b"CHUHECHK", &(text.len() as u32).to_le_bytes()[..], &text].concat();
    // Most damage is found before the parameters, which take long.
    if choice & 1 == 0 {
        bytes.extend(parameters);
    }
    if choice & 2 != 0 {
        bytes.truncate(rest.len());
    }
    if choice & 4 == 0 {
        let checksum = crc32fast::hash(&bytes);
        bytes.extend(checksum.to_le_bytes());
    }
    match Checkpoint::from_bytes(&bytes) {
        Ok(checkpoint) => {
            drop(check_settings(&SETTINGS, &checkpoint, Path::new("")).map_err(|error| error.to_string()));
            let written = checkpoint.to_bytes();
            let again = Checkpoint::from_bytes(&written).expect("what is written can be read");
            assert!(again.to_bytes() == written);
        }
        Err(error) => drop(error.to_string()),
    }
});
