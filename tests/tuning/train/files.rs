//! From game files to a network: selection of samples, error messages, and resumption after an interruption.

use std::path::Path as FilePath;
use std::sync::Arc;

use chuhe::eval::network::{Network, RawWeights};
use chuhe::lab::datagen::EndingKind;
use chuhe::lab::datagen::GameRecord;
use chuhe::lab::datagen::NamedNetwork;
use chuhe::lab::training::{
    Checkpoint, Loss, Model, Plan, PrepareEvent, PrepareSettings, Sample, SampleFile, SampleFilter, SampleSource,
    Settings, Smoothing, TrainError, TrainEvent, Trained, fit_scale_to, fit_scale_to_games, identify, prepare,
    samples_from_game, train,
};
use chuhe::util::cancel::CancelFlag;
use chuhe::util::simd::Isa;
use chuhe::util::stable_hash::StableHash;

use crate::common::self_play::{file_of, random_games};

fn write_games(path: &FilePath, games: &[GameRecord]) {
    std::fs::write(path, file_of(games)).unwrap();
}

fn prepare_in(folder: &FilePath, games: &FilePath, threads: usize) -> (SampleFile, u64, usize) {
    let source = SampleSource {
        files: vec![identify(games).unwrap()],
        filter: SampleFilter { most_score: 2000, smoothing: None },
        seed: 1,
    };
    let prepare_settings = PrepareSettings { files: vec![games.to_owned()], source, threads, memory: 1 << 14 };
    let (mut faults, samples) = (0, folder.join("samples"));
    let told = prepare(&prepare_settings, &samples, &CancelFlag::default(), &mut |told| {
        faults += usize::from(matches!(told, PrepareEvent::Fault(..)));
    });
    let (found, _) = told.unwrap().unwrap();
    (SampleFile::open(&samples).unwrap().unwrap(), found.games, faults)
}

/// Samples of `count` random games, and the folder with the sample file.
fn prepared(count: usize) -> (tempfile::TempDir, SampleFile) {
    let folder = tempfile::tempdir().unwrap();
    let games = folder.path().join("games.bin");
    write_games(&games, &random_games(1, count));
    let (dataset, _, _) = prepare_in(folder.path(), &games, 2);
    (folder, dataset)
}

fn settings(source: &SampleSource) -> Settings {
    Settings {
        shape: Settings::this_shape(),
        games: source.clone(),
        epochs: 3,
        batch: 256,
        lambda: 0.7,
        scale: 300.0,
        loss: "squared".to_owned(),
        rate: 1e-3,
        last_rate: 1e-5,
        decay: 0.01,
        seed: 1,
        threads: 2,
        start: None,
        start_share: 0.0,
    }
}

fn plan(folder: &FilePath, dataset: &SampleFile) -> Plan {
    Plan {
        settings: settings(dataset.source()),
        path: Isa::best(),
        network: folder.join("network.bin"),
        checkpoint: folder.join("checkpoint"),
        note: "a test".to_owned(),
    }
}

/// Trains for `steps` steps, then cancels as Ctrl-C does.
fn train_for(plan: &Plan, dataset: &mut SampleFile, steps: u64) -> Trained {
    let (cancel, mut left) = (CancelFlag::default(), steps);
    train(plan, dataset, &cancel.clone(), &mut |news| {
        if matches!(news, TrainEvent::Step { .. }) {
            left -= 1;
            if left == 0 {
                cancel.cancel();
            }
        }
    })
    .unwrap()
}

#[test]
fn interrupted_training_comes_to_the_same_network() {
    let (folder, mut dataset) = prepared(120);
    let other = tempfile::tempdir().unwrap();
    let (whole, parts) = (plan(folder.path(), &dataset), plan(other.path(), &dataset));
    let at_once = train_for(&whole, &mut dataset, u64::MAX);
    assert!(at_once.is_finished && at_once.epochs.len() == 3);
    let mut runs = 0;
    let in_parts = loop {
        runs += 1;
        let trained = train_for(&parts, &mut dataset, 4);
        if trained.is_finished {
            break trained;
        }
    };
    assert!(runs > 3, "{runs} runs");
    assert!(in_parts.model == at_once.model);
    for (one, other) in in_parts.epochs.iter().zip(&at_once.epochs) {
        // They went through text, in which the last digit may be lost.
        let close = |one: f64, other: f64| (one - other).abs() < 1e-12;
        assert!(close(one.training, other.training), "{one:?} {other:?}");
        assert!(close(one.validation.unwrap_or(1.0), other.validation.unwrap_or(1.0)), "{one:?} {other:?}");
    }
    assert_eq!(std::fs::read(&parts.network).unwrap(), std::fs::read(&whole.network).unwrap());
    // Once it is finished, nothing is left to do.
    let again = train_for(&whole, &mut dataset, u64::MAX);
    assert!(again.is_finished && again.model == at_once.model);

    let mut other = whole.clone();
    other.settings.lambda = 0.5;
    let refused = train(&other, &mut dataset, &CancelFlag::default(), &mut |_| ()).unwrap_err();
    assert!(refused.to_string().contains("--lambda is 0.7 there and 0.5 now"), "{refused}");
    other.settings = whole.settings.clone();
    other.settings.threads = 1;
    let refused = train(&other, &mut dataset, &CancelFlag::default(), &mut |_| ()).unwrap_err();
    assert!(refused.to_string().contains("--threads is 2 there and 1 now"), "{refused}");
    other.settings = whole.settings.clone();
    other.settings.games.seed += 1;
    let refused = train(&other, &mut dataset, &CancelFlag::default(), &mut |_| ()).unwrap_err();
    assert!(refused.to_string().contains("--seed is 1 there and 2 now"), "{refused}");
    other.settings = whole.settings.clone();
    other.settings.games.filter.smoothing = Some(Smoothing { td_lambda: 0.9, scale: 300.0 });
    let refused = train(&other, &mut dataset, &CancelFlag::default(), &mut |_| ()).unwrap_err();
    assert!(refused.to_string().contains("--td-lambda is not given there and 0.9 now"), "{refused}");
    other.settings.set_scale(250.0);
    let smoothed = Settings { games: other.settings.games.clone(), scale: 250.0, ..settings(dataset.source()) };
    assert_eq!(other.settings, smoothed);
    assert_eq!(smoothed.games.filter.smoothing.unwrap().scale, 250.0);
    other.settings = whole.settings.clone();
    other.settings.games.files[0].0 += 1;
    let refused = train(&other, &mut dataset, &CancelFlag::default(), &mut |_| ()).unwrap_err();
    assert!(matches!(refused, TrainError::Games { .. }), "{refused}");
    std::fs::write(&whole.checkpoint, b"CHUHECHK and nothing more").unwrap();
    let refused = train(&whole, &mut dataset, &CancelFlag::default(), &mut |_| ()).unwrap_err();
    assert!(refused.to_string().contains("damaged"), "{refused}");
    assert!(Checkpoint::from_bytes(&std::fs::read(&parts.checkpoint).unwrap()).is_ok());
}

#[test]
fn training_starts_from_the_named_network() {
    let (folder, mut dataset) = prepared(40);
    let start = Arc::new(Model::random(7).quantized("").unwrap());
    let mut plan = plan(folder.path(), &dataset);
    // So slow that no number comes half a unit away from where it was.
    (plan.settings.epochs, plan.settings.rate, plan.settings.last_rate) = (1, 1e-10, 0.0);
    let refusal = |plan: &Plan, dataset: &mut SampleFile| {
        train(plan, dataset, &CancelFlag::default(), &mut |_| ()).unwrap_err().to_string()
    };
    // Settings that were read back name a network and have none: nothing else is trained in silence.
    let named = NamedNetwork::new(Arc::clone(&start));
    plan.settings.start = Some(NamedNetwork::from(named.checksum().to_owned()));
    let expected = format!("network {:08x} is not loaded; name its file with --start", start.checksum());
    assert_eq!(refusal(&plan, &mut dataset), expected);
    plan.settings.start = Some(named);
    let trained = train_for(&plan, &mut dataset, u64::MAX);
    assert!(trained.is_finished && trained.model != Model::from_network(&start), "it was trained");
    assert_eq!(trained.model.quantized("").unwrap(), *start);

    let other = Arc::new(Model::random(8).quantized("").unwrap());
    for start in [Some(NamedNetwork::new(other)), None] {
        plan.settings.start = start;
        assert!(refusal(&plan, &mut dataset).contains("--start is "));
    }
}

#[test]
fn the_start_network_keeps_its_share_of_the_weights() {
    let (folder, mut dataset) = prepared(60);
    let start = Arc::new(Model::random(7).quantized("").unwrap());
    let trained = |share: f64, steps: u64, dataset: &mut SampleFile| {
        let other = tempfile::tempdir().unwrap();
        let mut plan = plan(other.path(), dataset);
        plan.settings.start = Some(NamedNetwork::new(Arc::clone(&start)));
        plan.settings.start_share = share;
        loop {
            let trained = train_for(&plan, dataset, steps);
            if trained.is_finished {
                let written = Network::from_bytes(&std::fs::read(&plan.network).unwrap()).unwrap();
                assert!(written.raw_weights() == trained.model.quantized("").unwrap().raw_weights());
                return (written, trained.epochs.iter().map(|epoch| epoch.training).collect::<Vec<_>>());
            }
        }
    };
    let weights = |network: &Network| -> Vec<f64> {
        let RawWeights { input_weights, input_biases, output_weights, output_biases } = network.raw_weights();
        let short = [input_weights, input_biases, output_weights].concat();
        short.into_iter().map(f64::from).chain(output_biases.into_iter().map(f64::from)).collect()
    };
    let (alone, losses) = trained(0.0, u64::MAX, &mut dataset);
    // Interrupted again and again: were training resumed from the mean, the result would be another.
    for (share, steps) in [(0.25, u64::MAX), (0.25, 2), (1.0, u64::MAX)] {
        let (mean, other_losses) = trained(share, steps, &mut dataset);
        let mut changed = 0;
        assert_eq!(other_losses.len(), losses.len());
        for ((mean, alone), start) in weights(&mean).into_iter().zip(weights(&alone)).zip(weights(&start)) {
            // Both were rounded.
            let expected = alone * (1.0 - share) + start * share;
            assert!((mean - expected).abs() <= 1.0, "{mean}, expected {expected}");
            changed += usize::from((alone - start).abs() > 4.0);
        }
        assert!(changed > 1000, "{changed}");
        assert_eq!(mean.raw_weights() == start.raw_weights(), share == 1.0);
        assert!(losses.iter().zip(other_losses).all(|(one, other)| (one - other).abs() < 1e-12));
    }
    for share in [-0.25, 1.25, f64::NAN] {
        let mut plan = plan(folder.path(), &dataset);
        plan.settings.start_share = share;
        let refused = train(&plan, &mut dataset, &CancelFlag::default(), &mut |_| ()).unwrap_err();
        assert!(matches!(refused, TrainError::Share { .. }), "{refused}");
        assert!(!plan.checkpoint.exists());
    }
}

#[test]
fn samples_do_not_depend_on_threads_and_a_damaged_file_gives_what_it_can() {
    let folder = tempfile::tempdir().unwrap();
    let games = folder.path().join("games.bin");
    let all = random_games(2, 150);
    write_games(&games, &all);
    let samples = |threads| {
        let found = prepare_in(folder.path(), &games, threads);
        (std::fs::read(folder.path().join("samples")).unwrap(), found.1, found.2)
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
fn smoothed_samples_are_the_plain_ones_with_other_results() {
    let games = random_games(4, 60);
    let smoothed = |td_lambda| Some(Smoothing { td_lambda, scale: 300.0 });
    let samples = |smoothing| -> Vec<Sample> {
        let filter = SampleFilter { most_score: 2000, smoothing };
        games.iter().flat_map(|game| samples_from_game(&game.clone().into_scored_game(), filter)).collect()
    };
    let (plain, halves, unchanged) = (samples(None), samples(smoothed(0.5)), samples(smoothed(1.0)));
    assert_eq!(plain, unchanged);
    let description = |sample: &Sample| (sample.board(), sample.score(), sample.is_validation(), sample.bucket());
    assert!(plain.iter().map(description).eq(halves.iter().map(description)));
    let changed = plain.iter().zip(&halves).filter(|(one, other)| one.result() != other.result()).count();
    assert!(changed * 2 > plain.len(), "{changed} of {}", plain.len());
}

#[test]
fn the_scale_is_fitted_to_the_first_samples_of_each_file_by_its_size() {
    let folder = tempfile::tempdir().unwrap();
    let games = [(1, 80), (2, 20)].map(|(seed, count)| random_games(seed, count));
    let paths = ["first", "second"].map(|name| folder.path().join(name));
    paths.iter().zip(&games).for_each(|(path, games)| write_games(path, games));
    let files: Vec<_> = paths.iter().map(|path| identify(path).unwrap()).collect();
    let bytes: u64 = files.iter().map(|(length, _)| length).sum();
    let filter = SampleFilter { most_score: 1500, smoothing: None };
    let pairs = games.map(|games| -> Vec<(f64, f64)> {
        // Stopped games have no result.
        let whole = games.into_iter().filter(|game| game.ending != EndingKind::TooLong);
        let samples = whole.flat_map(|game| samples_from_game(&game.into_scored_game(), filter));
        let training = samples.filter(|sample| !sample.is_validation());
        training.map(|sample| (sample.score().into(), sample.result().into())).collect()
    });
    let smoothing = Some(Smoothing { td_lambda: 0.5, scale: 1.0 });
    let source = SampleSource { filter: SampleFilter { smoothing, ..filter }, files: files.clone(), seed: 1 };
    let all: usize = pairs.iter().map(Vec::len).sum();
    for count in [50, all / 2, 10 * all] {
        let first = |pairs: &Vec<(f64, f64)>, length: u64| -> Vec<(f64, f64)> {
            pairs.iter().copied().take(count * length as usize / bytes as usize + 1).collect()
        };
        let taken = [first(&pairs[0], files[0].0), first(&pairs[1], files[1].0)].concat();
        assert_eq!(taken.len() < all, count < all);
        let expected = fit_scale_to(&taken, Loss::CrossEntropy, 1);
        let fitted = |threads| fit_scale_to_games(&paths, &source, count, threads, &CancelFlag::default()).unwrap();
        assert_eq!([1, 2].map(fitted), [Some(expected); 2], "{count} of {all}");
    }
    let cancel = CancelFlag::default();
    cancel.cancel();
    assert_eq!(fit_scale_to_games(&paths, &source, all, 1, &cancel).unwrap(), None);
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
    assert_eq!(after.0, before.0);
    assert_ne!(after.1, before.1);
    // What is read in pieces is what stands there.
    let long: Vec<u8> = (0..(3 << 20) + 5_u32).map(|number| (number.wrapping_mul(number) >> 5) as u8).collect();
    std::fs::write(folder.path().join("long"), &long).unwrap();
    let print = StableHash::default().with_bytes(&long).value();
    assert_eq!(identify(&folder.path().join("long")).unwrap(), (long.len() as u64, print));
    assert_eq!(crc32fast::hash(&std::fs::read(&path).unwrap()), crc32fast::hash(&file_of(&random_games(3, 4))));
}
