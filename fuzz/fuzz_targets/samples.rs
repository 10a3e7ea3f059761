//! Self-play games: what is read survives a round trip, and its positions can be trained on.
#![no_main]

use std::path::Path;
use std::sync::LazyLock;

use chuhe::lab::datagen::{GameReader, GameRecord};
use chuhe::lab::training::{Model, Quantized, Sample, Target, Worker, quantized_parts, samples_from_game};
use chuhe::util::simd::Isa;
use chuhe_fuzz::changed;
use libfuzzer_sys::fuzz_target;

/// Games without checksums: one from the start position, and one from another.
const TEXT: &str = "#settings {\"seed\":1}\n1\t1-0\t\th2e2 h9g7 h0g2/35 i9h9/-28\tcheckmate\n\
    7\t0-1\t3ak4/9/9/9/9/9/9/9/4A4/4K3R b - - 17 41\te9e8 i0i8/600\ttoo long\n";

/// Adds checksums to all lines, which the fuzzer cannot guess.
fn with_checksums(bytes: &[u8]) -> Vec<u8> {
    let lines = bytes.split_inclusive(|&byte| byte == b'\n').map(|line| {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        [line, format!("\t{:08x}\n", crc32fast::hash(line)).as_bytes()].concat()
    });
    lines.collect::<Vec<_>>().concat()
}

fn games(bytes: &[u8]) -> Vec<GameRecord> {
    let games = GameReader::new(Path::new("games"), bytes).map(GameReader::silent);
    games.into_iter().flatten().map(|game| game.expect("memory can be read")).collect()
}

/// Writes a game and reads it again.
fn examine(game: &GameRecord) {
    let again = games(format!("#settings {{}}\n{}", game.to_line()).as_bytes());
    assert_eq!(again, std::slice::from_ref(game));
    static PARTS: LazyLock<Vec<Quantized>> = LazyLock::new(|| quantized_parts(&Model::random(1)));
    let samples = samples_from_game(game, 0.9, 400.0);
    let target = Target { lambda: 0.7, scale: 400.0 };
    let loss = Worker::new(Isa::best()).loss_of(&PARTS.iter().collect::<Vec<_>>(), &samples, &target);
    assert!(loss.is_finite());
    assert!(samples.iter().all(|sample| Sample::position(sample).is_some()));
}

fuzz_target!(|input: &[u8]| {
    let Some((&choice, rest)) = input.split_first() else { return };
    let text = changed(TEXT.as_bytes(), rest);
    let text = if choice % 2 == 0 { with_checksums(&text) } else { text };
    games(&text).iter().for_each(examine);
});
