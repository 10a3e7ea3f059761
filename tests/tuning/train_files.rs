//! From game files to a network: selection of samples, error messages, and resumption after an interruption.

use std::collections::BTreeSet;
use std::path::Path as FilePath;

use chuhe::console::error::CommandError;
use chuhe::eval::network::{Network, RawWeights};
use chuhe::lab::datagen::{EndingKind, GameRecord, checksum};
use chuhe::lab::training::{
    Epoch, Loss, Model, Sample, SampleSource, Samples, Settings, TrainingFiles, fit_scale_to, fit_scale_to_games,
    identify, is_validation_game, prepare, samples_from_game, train,
};
use chuhe::util::cancel::CancelFlag;
use chuhe::util::math::StableHash;

use crate::common::self_play::{file_of, random_games};

fn write_games(path: &FilePath, games: &[GameRecord]) {
    std::fs::write(path, file_of(games)).unwrap();
}

fn source_of(games: &FilePath) -> SampleSource {
    SampleSource { files: vec![identify(games).unwrap()], td_lambda: 1.0, scale: 300.0, seed: 1 }
}

/// Samples of `count` random games, the settings of a training on them, and its folder.
fn prepared(count: usize) -> (tempfile::TempDir, Samples, Settings) {
    let folder = tempfile::tempdir().unwrap();
    let games = folder.path().join("games.bin");
    write_games(&games, &random_games(1, count));
    let source = source_of(&games);
    let (samples, _) = prepare(&[games], &source, 2, &CancelFlag::default()).unwrap();
    let settings = Settings {
        shape: Settings::this_shape(),
        source,
        epochs: 3,
        batch: 256,
        lambda: 0.7,
        rate: 1e-3,
        last_rate: 1e-5,
        threads: 2,
        start: None,
        start_share: 0.0,
    };
    (folder, samples, settings)
}

/// Trains for `steps` steps, then cancels as Ctrl-C does: `None` then.
fn train_for(
    settings: &Settings,
    start: Option<&Network>,
    folder: &FilePath,
    samples: &Samples,
    steps: u64,
) -> Option<(Model, Vec<Epoch>)> {
    let (cancel, mut left) = (CancelFlag::default(), steps);
    let trained = train(settings, start, "a test", &TrainingFiles::new(folder), samples, &cancel, &mut |_| {
        left -= 1;
        if left == 0 {
            cancel.cancel();
        }
    });
    match trained {
        Err(CommandError::Interrupted) => None,
        trained => Some(trained.unwrap()),
    }
}

fn refusal(settings: &Settings, folder: &FilePath, samples: &Samples) -> String {
    let files = TrainingFiles::new(folder);
    train(settings, None, "", &files, samples, &CancelFlag::default(), &mut |_| ()).unwrap_err().to_string()
}

#[test]
fn interrupted_training_comes_to_the_same_network() {
    let (whole, samples, own) = prepared(120);
    let (whole, other) = (whole.path(), tempfile::tempdir().unwrap());
    let parts = other.path();
    let (model, epochs) = train_for(&own, None, whole, &samples, u64::MAX).unwrap();
    assert_eq!(epochs.len(), 3);
    let mut runs = 1;
    let (model_in_parts, epochs_in_parts) = loop {
        match train_for(&own, None, parts, &samples, 4) {
            Some(trained) => break trained,
            None => runs += 1,
        }
    };
    assert!(runs > 3, "{runs} runs");
    assert!(model_in_parts == model);
    let losses = |epochs: &[Epoch]| epochs.iter().map(|epoch| (epoch.training, epoch.validation)).collect::<Vec<_>>();
    assert_eq!(losses(&epochs_in_parts), losses(&epochs));
    let network = |folder: &FilePath| std::fs::read(folder.join("network.bin")).unwrap();
    assert_eq!(network(parts), network(whole));
    // Once it is finished, nothing is left to do.
    assert!(train_for(&own, None, whole, &samples, u64::MAX).unwrap().0 == model);

    let changed = |change: fn(&mut Settings)| {
        let mut other = own.clone();
        change(&mut other);
        other
    };
    for (other, words) in [
        (changed(|other| other.lambda = 0.5), "--lambda is 0.7 there and 0.5 now"),
        (changed(|other| other.threads = 1), "--threads is 2 there and 1 now"),
        (changed(|other| other.source.seed += 1), "--seed is 1 there and 2 now"),
        (changed(|other| other.source.td_lambda = 0.9), "--td-lambda is 1.0 there and 0.9 now"),
        (changed(|other| other.source.files[0].0 += 1), "made from other games"),
    ] {
        let refused = refusal(&other, whole, &samples);
        assert!(refused.contains(words), "{refused}");
    }
    let checkpoint = whole.join("checkpoint");
    let bytes = std::fs::read(&checkpoint).unwrap();
    std::fs::write(&checkpoint, &bytes[..bytes.len() - 1]).unwrap();
    assert!(refusal(&own, whole, &samples).contains("damaged"));
}

#[test]
fn training_starts_from_the_named_network() {
    let (folder, samples, settings) = prepared(40);
    let start = Model::random(7).quantized("").unwrap();
    // So slow that no number comes half a unit away from where it was.
    let mut own = Settings { epochs: 1, rate: 1e-10, last_rate: 0.0, ..settings };
    own.start = Some(checksum(&start));
    let (model, _) = train_for(&own, Some(&start), folder.path(), &samples, u64::MAX).unwrap();
    assert!(model != Model::from_network(&start), "it was trained");
    assert_eq!(model.quantized("").unwrap(), start);
    for start in [Some("01234567".to_owned()), None] {
        own.start = start;
        assert!(refusal(&own, folder.path(), &samples).contains("--start is "));
    }
}

#[test]
fn the_start_network_keeps_its_share_of_the_weights() {
    let (_folder, samples, settings) = prepared(60);
    let start = Model::random(7).quantized("").unwrap();
    let trained = |share: f64, steps: u64| {
        let other = tempfile::tempdir().unwrap();
        let own = Settings { start: Some(checksum(&start)), start_share: share, ..settings.clone() };
        loop {
            if let Some((model, epochs)) = train_for(&own, Some(&start), other.path(), &samples, steps) {
                let written = Network::from_bytes(&std::fs::read(other.path().join("network.bin")).unwrap()).unwrap();
                assert!(written.raw_weights() == model.quantized("").unwrap().raw_weights());
                return (written, epochs.iter().map(|epoch| epoch.training).collect::<Vec<_>>());
            }
        }
    };
    let weights = |network: &Network| -> Vec<f64> {
        let RawWeights { input_weights, input_biases, output_weights, output_biases } = network.raw_weights();
        let short = [input_weights, input_biases, output_weights].concat();
        short.into_iter().map(f64::from).chain(output_biases.into_iter().map(f64::from)).collect()
    };
    let (alone, losses) = trained(0.0, u64::MAX);
    // Interrupted again and again: were training resumed from the mean, the result would be another.
    for (share, steps) in [(0.25, u64::MAX), (0.25, 2), (1.0, u64::MAX)] {
        let (mean, other_losses) = trained(share, steps);
        let mut changed = 0;
        for ((mean, alone), start) in weights(&mean).into_iter().zip(weights(&alone)).zip(weights(&start)) {
            // Both were rounded.
            let expected = alone * (1.0 - share) + start * share;
            assert!((mean - expected).abs() <= 1.0, "{mean}, expected {expected}");
            changed += usize::from((alone - start).abs() > 4.0);
        }
        assert!(changed > 1000, "{changed}");
        assert_eq!(mean.raw_weights() == start.raw_weights(), share == 1.0);
        assert_eq!(other_losses, losses);
    }
}

#[test]
fn samples_come_once_and_whole_games_are_held_out_whatever_the_threads() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.bin");
    let mut games = random_games(2, 600);
    games.extend(games.clone());
    write_games(&path, &games);
    let samples =
        |threads| prepare(std::slice::from_ref(&path), &source_of(&path), threads, &CancelFlag::default()).unwrap();
    let (all, stats) = samples(1);
    assert_eq!((stats.games, stats.faults), (1200, 0));
    assert!(samples(3).0 == all);
    // Of duplicates a training sample is kept, whichever came first.
    let boards = |samples: &[Sample]| samples.iter().map(Sample::board).collect::<BTreeSet<_>>();
    let (mut training, mut held_out) = (BTreeSet::new(), BTreeSet::new());
    for game in games.into_iter().map(GameRecord::into_scored_game) {
        let set = if is_validation_game(&game) { &mut held_out } else { &mut training };
        set.extend(boards(&samples_from_game(&game, 1.0, 1.0)));
    }
    held_out.retain(|board| !training.contains(board));
    assert_eq!((boards(&all.training), all.training.len()), (training.clone(), training.len()));
    assert_eq!((boards(&all.validation), all.validation.len()), (held_out.clone(), held_out.len()));
    assert!(!held_out.is_empty());
    assert_eq!(stats.taken - stats.repeated, (training.len() + held_out.len()) as u64);
    // A damaged file gives what it can.
    let mut bytes = std::fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    bytes.truncate(bytes.len() - 3);
    std::fs::write(&path, bytes).unwrap();
    let (_, stats) = samples(2);
    assert_eq!((stats.games, stats.faults), (1198, 2));
}

#[test]
fn the_scale_is_fitted_to_the_first_samples_of_each_file_by_its_size() {
    let folder = tempfile::tempdir().unwrap();
    let games = [(1, 80), (2, 20)].map(|(seed, count)| random_games(seed, count));
    let paths = ["first", "second"].map(|name| folder.path().join(name));
    paths.iter().zip(&games).for_each(|(path, games)| write_games(path, games));
    let files: Vec<_> = paths.iter().map(|path| identify(path).unwrap()).collect();
    let bytes: u64 = files.iter().map(|(length, _)| length).sum();
    let pairs = games.map(|games| -> Vec<(f64, f64)> {
        // Stopped games have no result.
        let whole = games.into_iter().filter(|game| game.ending != EndingKind::TooLong);
        let training = whole.map(GameRecord::into_scored_game).filter(|game| !is_validation_game(game));
        let samples = training.flat_map(|game| samples_from_game(&game, 1.0, 1.0));
        samples.map(|sample| (sample.score().into(), sample.result().into())).collect()
    });
    let all: usize = pairs.iter().map(Vec::len).sum();
    for count in [50, all / 2, 10 * all] {
        let first = |pairs: &Vec<(f64, f64)>, length: u64| -> Vec<(f64, f64)> {
            pairs.iter().copied().take(count * length as usize / bytes as usize + 1).collect()
        };
        let taken = [first(&pairs[0], files[0].0), first(&pairs[1], files[1].0)].concat();
        assert_eq!(taken.len() < all, count < all);
        let expected = fit_scale_to(&taken, Loss::CrossEntropy, 1);
        let fitted = |threads| fit_scale_to_games(&paths, &files, count, threads, &CancelFlag::default()).unwrap();
        assert_eq!([1, 2].map(fitted), [expected; 2], "{count} of {all}");
    }
}

/// Records end with a checksum of their own, which hides what they hold from a checksum of the file.
#[test]
fn game_files_of_equal_length_have_different_identities() {
    let folder = tempfile::tempdir().unwrap();
    let (path, mut games) = (folder.path().join("games"), random_games(3, 4));
    write_games(&path, &games);
    let before = identify(&path).unwrap();
    assert_eq!(before.0, std::fs::metadata(&path).unwrap().len());
    games[1].number ^= 1;
    write_games(&path, &games);
    let after = identify(&path).unwrap();
    assert!(after.0 == before.0 && after.1 != before.1);
    // What is read in pieces is what stands there.
    let long: Vec<u8> = (0..(3 << 20) + 5_u32).map(|number| (number.wrapping_mul(number) >> 5) as u8).collect();
    std::fs::write(&path, &long).unwrap();
    let print = StableHash::default().with_bytes(&long).value();
    assert_eq!(identify(&path).unwrap(), (long.len() as u64, print));
}
