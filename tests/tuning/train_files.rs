//! From game files to a network: selection of samples, error messages, and resumption after an interruption.

use std::path::Path as FilePath;

use chuhe::console::error::CommandError;
use chuhe::eval::network::{Network, RawWeights};
use chuhe::lab::datagen::{EndingKind, GameRecord, checksum};
use chuhe::lab::training::{
    Epoch, Loss, Model, PrepareStats, SampleFile, SampleSource, Settings, TrainingFiles, fit_scale_to,
    fit_scale_to_games, identify, prepare, samples_from_game, train,
};
use chuhe::util::cancel::CancelFlag;
use chuhe::util::stable_hash::StableHash;

use crate::common::self_play::{file_of, random_games};

fn write_games(path: &FilePath, games: &[GameRecord]) {
    std::fs::write(path, file_of(games)).unwrap();
}

fn prepare_in(folder: &FilePath, games: &FilePath, threads: usize) -> (SampleFile, PrepareStats) {
    let source = SampleSource { files: vec![identify(games).unwrap()], td_lambda: 1.0, scale: 300.0, seed: 1 };
    let samples = folder.join("samples");
    let stats = prepare(&[games.to_owned()], &source, threads, &samples, &CancelFlag::default()).unwrap();
    (SampleFile::open(&samples).unwrap().unwrap(), stats)
}

/// Samples of `count` random games, and the folder with the sample file.
fn prepared(count: usize) -> (tempfile::TempDir, SampleFile) {
    let folder = tempfile::tempdir().unwrap();
    let games = folder.path().join("games.bin");
    write_games(&games, &random_games(1, count));
    let (samples, _) = prepare_in(folder.path(), &games, 2);
    (folder, samples)
}

fn settings(samples: &SampleFile) -> Settings {
    Settings {
        shape: Settings::this_shape(),
        source: samples.source().clone(),
        epochs: 3,
        batch: 256,
        lambda: 0.7,
        rate: 1e-3,
        last_rate: 1e-5,
        threads: 2,
        start: None,
        start_share: 0.0,
    }
}

/// Trains for `steps` steps, then cancels as Ctrl-C does: `None` then.
fn train_for(
    settings: &Settings,
    start: Option<&Network>,
    folder: &FilePath,
    samples: &mut SampleFile,
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

fn refusal(settings: &Settings, folder: &FilePath, samples: &mut SampleFile) -> String {
    let files = TrainingFiles::new(folder);
    train(settings, None, "", &files, samples, &CancelFlag::default(), &mut |_| ()).unwrap_err().to_string()
}

#[test]
fn interrupted_training_comes_to_the_same_network() {
    let (whole, mut samples) = prepared(120);
    let (whole, other) = (whole.path(), tempfile::tempdir().unwrap());
    let (parts, own) = (other.path(), settings(&samples));
    let (model, epochs) = train_for(&own, None, whole, &mut samples, u64::MAX).unwrap();
    assert_eq!(epochs.len(), 3);
    let mut runs = 1;
    let (model_in_parts, epochs_in_parts) = loop {
        match train_for(&own, None, parts, &mut samples, 4) {
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
    assert!(train_for(&own, None, whole, &mut samples, u64::MAX).unwrap().0 == model);

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
        let refused = refusal(&other, whole, &mut samples);
        assert!(refused.contains(words), "{refused}");
    }
    let checkpoint = whole.join("checkpoint");
    let bytes = std::fs::read(&checkpoint).unwrap();
    std::fs::write(&checkpoint, &bytes[..bytes.len() - 1]).unwrap();
    assert!(refusal(&own, whole, &mut samples).contains("damaged"));
}

#[test]
fn training_starts_from_the_named_network() {
    let (folder, mut samples) = prepared(40);
    let start = Model::random(7).quantized("").unwrap();
    // So slow that no number comes half a unit away from where it was.
    let mut own = Settings { epochs: 1, rate: 1e-10, last_rate: 0.0, ..settings(&samples) };
    own.start = Some(checksum(&start));
    let (model, _) = train_for(&own, Some(&start), folder.path(), &mut samples, u64::MAX).unwrap();
    assert!(model != Model::from_network(&start), "it was trained");
    assert_eq!(model.quantized("").unwrap(), start);
    for start in [Some("01234567".to_owned()), None] {
        own.start = start;
        assert!(refusal(&own, folder.path(), &mut samples).contains("--start is "));
    }
}

#[test]
fn the_start_network_keeps_its_share_of_the_weights() {
    let (_folder, mut samples) = prepared(60);
    let start = Model::random(7).quantized("").unwrap();
    let trained = |share: f64, steps: u64, samples: &mut SampleFile| {
        let other = tempfile::tempdir().unwrap();
        let own = Settings { start: Some(checksum(&start)), start_share: share, ..settings(samples) };
        loop {
            if let Some((model, epochs)) = train_for(&own, Some(&start), other.path(), samples, steps) {
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
    let (alone, losses) = trained(0.0, u64::MAX, &mut samples);
    // Interrupted again and again: were training resumed from the mean, the result would be another.
    for (share, steps) in [(0.25, u64::MAX), (0.25, 2), (1.0, u64::MAX)] {
        let (mean, other_losses) = trained(share, steps, &mut samples);
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
fn samples_do_not_depend_on_threads_and_a_damaged_file_gives_what_it_can() {
    let folder = tempfile::tempdir().unwrap();
    let games = folder.path().join("games.bin");
    write_games(&games, &random_games(2, 150));
    let samples = |threads| {
        let (_, stats) = prepare_in(folder.path(), &games, threads);
        (std::fs::read(folder.path().join("samples")).unwrap(), stats.games, stats.faults)
    };
    let one = samples(1);
    assert_eq!((one.1, one.2), (150, 0));
    assert!(samples(3) == one);
    let mut bytes = std::fs::read(&games).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    bytes.truncate(bytes.len() - 3);
    std::fs::write(&games, bytes).unwrap();
    let (samples, count, faults) = samples(2);
    assert_eq!((count, faults), (148, 2));
    assert!(samples.len() < one.0.len() && samples.len() > one.0.len() * 9 / 10);
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
        let samples = whole.flat_map(|game| samples_from_game(&game.into_scored_game(), 1.0, 1.0));
        let training = samples.filter(|sample| !sample.is_validation());
        training.map(|sample| (sample.score().into(), sample.result().into())).collect()
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
