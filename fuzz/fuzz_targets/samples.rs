//! Self-play games in both forms: what is read survives a round trip, and its positions can be trained on.
#![no_main]

use std::sync::LazyLock;

use chuhe::lab::datagen::{GameReader, GameRecord, GameWriter, text};
use chuhe::lab::training::{Model, Quantized, Sample, Target, Worker, quantized_parts, samples_from_game};
use chuhe::position::Strictness;
use chuhe::util::simd::Isa;
use chuhe_fuzz::changed;
use libfuzzer_sys::fuzz_target;

/// Games as text: one from the start position, and one from another.
const TEXT: &str = "#settings {\"seed\":1}\n1\t1-0\t\th2e2 h9g7 h0g2/35 i9h9/-28\tcheckmate\n\
    7\t0-1\t3ak4/9/9/9/9/9/9/9/4A4/4K3R b - - 17 41\te9e8 i0i8/600\ttoo long\n";

/// The same games in bytes.
static GAMES: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let mut bytes = Vec::new();
    let mut writer = GameWriter::new(&mut bytes, "{\"seed\":1}").expect("memory can be written");
    for game in text::TextReader::new(TEXT.as_bytes(), Strictness::Lax).expect("a text").flatten() {
        writer.write(&game).expect("memory can be written");
    }
    bytes
});

/// Makes the checksums of a game file right, which the fuzzer cannot guess.
fn mend(bytes: &mut [u8]) {
    let sum = |bytes: &mut [u8], start: usize, end: usize| {
        if end + 4 <= bytes.len() {
            let checksum = crc32fast::hash(&bytes[start..end]);
            bytes[end..end + 4].copy_from_slice(&checksum.to_le_bytes());
        }
    };
    let Some(length) = bytes.get(10..14) else { return };
    let mut at = 14 + u32::from_le_bytes([length[0], length[1], length[2], length[3]]) as usize;
    sum(bytes, 0, at);
    at += 4;
    while let Some(length) = bytes.get(at + 2..at + 4) {
        let end = at + 4 + usize::from(u16::from_le_bytes([length[0], length[1]]));
        sum(bytes, at + 2, end);
        at = end + 4;
    }
}

/// Writes a game in both forms and reads it again.
fn examine(game: &GameRecord) {
    assert_eq!(game.end().history().len(), game.opening.moves.len() + game.moves.len());
    let mut line = Vec::new();
    text::write_game(&mut line, game).expect("memory can be written");
    let again = text::TextReader::new(&line[..], Strictness::Lax).expect("memory can be read").next();
    assert_eq!(again.expect("a line").expect("a game"), *game);
    let mut bytes = Vec::new();
    GameWriter::new(&mut bytes, "{}").expect("memory can be written").write(game).expect("a short game");
    let again = GameReader::new(&bytes[..]).expect("a file of games").next();
    assert_eq!(again.expect("a record").expect("a game"), *game);
    train_on(game.clone());
}

fn examine_games(bytes: &[u8]) {
    match GameReader::new(bytes) {
        Ok(reader) => reader.for_each(|game| match game {
            Ok(game) => examine(&game),
            Err(error) => drop(error.to_string()),
        }),
        Err(error) => drop(error.to_string()),
    }
}

fn examine_text(bytes: &[u8]) {
    for game in text::TextReader::new(bytes, Strictness::Lax).expect("memory can be read") {
        match game {
            Ok(game) => examine(&game),
            Err(error) => drop(error.to_string()),
        }
    }
}

fn train_on(game: GameRecord) {
    static PARTS: LazyLock<Vec<Quantized>> = LazyLock::new(|| quantized_parts(&Model::random(1)));
    let samples = samples_from_game(&game.into_scored_game(), 0.9, 400.0);
    let target = Target { lambda: 0.7, scale: 400.0 };
    let loss = Worker::new(Isa::best()).loss_of(&PARTS.iter().collect::<Vec<_>>(), &samples, &target);
    assert!(loss.is_finite());
    assert!(samples.iter().all(|sample| Sample::position(sample).is_some()));
}

fuzz_target!(|input: &[u8]| {
    let Some((&choice, rest)) = input.split_first() else { return };
    if choice % 2 == 0 {
        let mut bytes = changed(&GAMES, rest);
        if choice & 4 == 0 {
            mend(&mut bytes);
        }
        examine_games(&bytes);
    } else {
        examine_text(&changed(TEXT.as_bytes(), rest));
    }
});
