//! From game files to a network: selection of samples, error messages, and resumption after an interruption.

use std::collections::BTreeSet;
use std::path::Path as FilePath;
use std::sync::Arc;

use chuhe::console::error::CommandError;
use chuhe::eval::network::{Network, RawWeights};
use chuhe::lab::datagen::{EndingKind, GameRecord};
use chuhe::lab::training::{
    Loss, Model, Plan, Sample, SampleSource, Settings, Trained, fit_scale_to, fit_scale_to_games, identify,
    is_validation_game, prepare, samples_from_game, train_in_folder,
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

/// A plan of a training on `count` random games, and the folder of the games.
fn planned(count: usize) -> (tempfile::TempDir, Plan) {
    let folder = tempfile::tempdir().unwrap();
    let games = folder.path().join("games.txt");
    write_games(&games, &random_games(1, count));
    let settings = Settings {
        shape: Settings::this_shape(),
        source: source_of(&games),
        epochs: 3,
        batch: 256,
        lambda: 0.7,
        rate: 1e-3,
        last_rate: 1e-5,
        threads: 2,
        start: None,
        start_share: 0.0,
    };
    let (files, note) = (vec![games], "a test".to_owned());
    let plan = Plan { folder: folder.path().join("trained"), files, settings, start: None, fits_scale: false, note };
    (folder, plan)
}

/// Trains for `steps` steps, then cancels as Ctrl-C does: `None` then.
fn train_for(plan: &Plan, steps: u64) -> Option<Trained> {
    let (cancel, mut left) = (CancelFlag::default(), steps);
    let trained = train_in_folder(plan, &cancel, &mut std::io::sink(), &mut |_| {
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

#[test]
fn interrupted_training_comes_to_the_same_network() {
    let (folder, plan) = planned(120);
    let parts = Plan { folder: folder.path().join("parts"), ..plan.clone() };
    let whole = train_for(&plan, u64::MAX).unwrap();
    assert_eq!(whole.epochs.len(), 3);
    let mut runs = 1;
    let in_parts = loop {
        match train_for(&parts, 4) {
            Some(trained) => break trained,
            None => runs += 1,
        }
    };
    assert!(runs > 3, "{runs} runs");
    let losses = |trained: &Trained| -> Vec<_> {
        trained.epochs.iter().map(|epoch| (epoch.training, epoch.validation)).collect()
    };
    assert_eq!(losses(&in_parts), losses(&whole));
    let network = |plan: &Plan| std::fs::read(plan.folder.join("network.bin")).unwrap();
    assert_eq!(network(&parts), network(&plan));
    assert_eq!(network(&plan), whole.network.to_bytes());
    // Once it is finished, nothing is left to do.
    assert!(train_for(&plan, u64::MAX).unwrap().network == whole.network);

    let refusal = |change: fn(&mut Settings)| {
        let mut other = plan.clone();
        change(&mut other.settings);
        train_in_folder(&other, &CancelFlag::default(), &mut std::io::sink(), &mut |_| ()).unwrap_err().to_string()
    };
    for (refused, words) in [
        (refusal(|other| other.lambda = 0.5), "--lambda is 0.7 there and 0.5 now"),
        (refusal(|other| other.threads = 1), "--threads is 2 there and 1 now"),
        (refusal(|other| other.source.td_lambda = 0.9), "--td-lambda is 1.0 there and 0.9 now"),
        (refusal(|other| other.source.files[0].0 += 1), "made from other games"),
    ] {
        assert!(refused.contains(words), "{refused}");
    }
    let checkpoint = plan.folder.join("checkpoint");
    let bytes = std::fs::read(&checkpoint).unwrap();
    std::fs::write(&checkpoint, &bytes[..bytes.len() - 1]).unwrap();
    assert!(refusal(|_| ()).contains("damaged"));
}

fn weights(network: &Network) -> Vec<f64> {
    let RawWeights { input_weights, input_biases, output_weights, output_biases } = network.raw_weights();
    let short = [input_weights, input_biases, output_weights].concat();
    short.into_iter().map(f64::from).chain(output_biases.into_iter().map(f64::from)).collect()
}

#[test]
fn training_starts_from_the_named_network_which_keeps_its_share() {
    let (folder, mut plan) = planned(60);
    let start = Arc::new(Model::random(7).quantized("").unwrap());
    plan.start = Some(Arc::clone(&start));
    let trained = |name: &str, change: &dyn Fn(&mut Settings), steps: u64| {
        let mut own = Plan { folder: folder.path().join(name), ..plan.clone() };
        change(&mut own.settings);
        loop {
            if let Some(trained) = train_for(&own, steps) {
                return (weights(&trained.network), trained.epochs.last().unwrap().training);
            }
        }
    };
    // So slow that no number comes half a unit away from where it was.
    let slow = |settings: &mut Settings| (settings.epochs, settings.rate, settings.last_rate) = (1, 1e-10, 0.0);
    assert_eq!(trained("slow", &slow, u64::MAX).0, weights(&start));
    let mut other = Plan { folder: folder.path().join("slow"), start: None, ..plan.clone() };
    slow(&mut other.settings);
    let refused = train_in_folder(&other, &CancelFlag::default(), &mut std::io::sink(), &mut |_| ()).unwrap_err();
    assert!(refused.to_string().contains("--start is "), "{refused}");

    let share_of = |share: f64| move |settings: &mut Settings| settings.start_share = share;
    let (alone, loss) = trained("alone", &share_of(0.0), u64::MAX);
    // Interrupted again and again: were training resumed from the mean, the result would be another.
    for (share, steps) in [(0.25, 2), (1.0, u64::MAX)] {
        let (mean, other_loss) = trained(&share.to_string(), &share_of(share), steps);
        let mut changed = 0;
        for ((mean, alone), start) in mean.iter().zip(&alone).zip(weights(&start)) {
            // Both were rounded.
            let expected = alone * (1.0 - share) + start * share;
            assert!((mean - expected).abs() <= 1.0, "{mean}, expected {expected}");
            changed += usize::from((alone - start).abs() > 4.0);
        }
        assert!(changed > 1000, "{changed}");
        assert_eq!((mean == weights(&start), other_loss), (share == 1.0, loss));
    }
}

#[test]
fn samples_come_once_and_whole_games_are_held_out_whatever_the_threads() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.txt");
    let mut games = random_games(2, 600);
    games.extend(games.clone());
    write_games(&path, &games);
    let samples =
        |threads| prepare(std::slice::from_ref(&path), &source_of(&path), threads, &CancelFlag::default()).unwrap();
    let all = samples(1);
    assert!(samples(3) == all && all.games == 1200);
    // Of duplicates a training sample is kept, whichever came first.
    let boards = |samples: &[Sample]| samples.iter().map(Sample::board).collect::<BTreeSet<_>>();
    let (mut training, mut held_out) = (BTreeSet::new(), BTreeSet::new());
    for game in games {
        let set = if is_validation_game(&game) { &mut held_out } else { &mut training };
        set.extend(boards(&samples_from_game(&game, 1.0, 1.0)));
    }
    held_out.retain(|board| !training.contains(board));
    assert_eq!((boards(&all.training), all.training.len()), (training.clone(), training.len()));
    assert_eq!((boards(&all.validation), all.validation.len()), (held_out.clone(), held_out.len()));
    assert!(!held_out.is_empty());
    // A damaged file gives what it can.
    let mut bytes = std::fs::read(&path).unwrap();
    let middle = bytes.len() / 2 + bytes[bytes.len() / 2..].iter().position(|&byte| byte == b'/').unwrap();
    bytes[middle] ^= 1;
    bytes.truncate(bytes.len() - 3);
    std::fs::write(&path, bytes).unwrap();
    assert_eq!(samples(2).games, 1198);
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
        let training = whole.filter(|game| !is_validation_game(game));
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
