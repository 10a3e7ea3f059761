//! The hand-made evaluation, and the network in the engine: the embedded one, from files, and files that are none.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use chuhe::engine::{Engine, EngineError};
use chuhe::eval::handcrafted::{self, MAX_PHASE, NORMAL_SCALE, Tapered, Trace, scale_factor};
use chuhe::eval::network::{BUCKETS, Network, QB, QN, SCALE};
use chuhe::eval::{EvalConfig, Evaluator, Knowledge};
use chuhe::search::Limits;
use chuhe::types::score::EVALUATION_LIMIT;
use chuhe::types::{Side, Value};
use rand::SeedableRng;
use tempfile::TempDir;

use crate::common::NOT_FOUND;
use crate::common::network::test_network;
use crate::common::walks::{random_games, to_and_fro};

/// Difference of the other network to the embedded one, in centipawns.
const MORE: Value = 50;

/// Writes the embedded network with every value raised by [`MORE`] to a file.
fn other_network(folder: &TempDir) -> (Network, PathBuf) {
    let mut weights = Network::embedded().raw_weights();
    assert_eq!(weights.output_biases.len(), BUCKETS);
    weights.output_biases.iter_mut().for_each(|bias| *bias += QN * QB / SCALE * MORE);
    let network = Network::new(&weights, "the same but brighter").unwrap();
    let path = folder.path().join("other.network");
    fs::write(&path, network.to_bytes()).unwrap();
    (network, path)
}

fn set(engine: &mut Engine, path: &str) -> Result<(), EngineError> {
    engine.set_option("evalfile", path)
}

#[test]
fn incremental_values_equal_values_from_scratch_with_all_settings() {
    let mut random = rand_chacha::ChaCha8Rng::seed_from_u64(41);
    let network = Network::embedded();
    for config in [
        EvalConfig::default(),
        EvalConfig::new(Knowledge::Large, [130, 70]),
        EvalConfig::new(Knowledge::Medium, [100, 100]),
        EvalConfig::new(Knowledge::Small, [100, 100]),
    ] {
        let mut evaluator = Evaluator::default();
        evaluator.set_config(config.clone());
        for _ in 0..40 {
            evaluator.reset();
            to_and_fro(&mut random, 150, false, &mut evaluator, |position, evaluator| {
                let expected = Evaluator::value_of(position, &network, config.clone());
                assert_eq!(evaluator.evaluate(position), expected, "{position}");
            });
        }
    }
}

#[test]
fn the_scale_factor_applies_to_the_value_of_the_network() {
    let network = test_network();
    let (mut open, mut shrunk) = (0, 0);
    random_games(42, 60, 300, |position, _| {
        let (raw, value) = (network.evaluate(position), Evaluator::value_of(position, &network, EvalConfig::default()));
        let factor = scale_factor(position, if raw > 0 { position.side() } else { !position.side() });
        assert_eq!(value, (raw * factor / NORMAL_SCALE).clamp(-EVALUATION_LIMIT, EVALUATION_LIMIT), "{position}");
        open += usize::from(factor == NORMAL_SCALE);
        shrunk += usize::from(factor < NORMAL_SCALE && value.abs() < raw.abs());
    });
    assert!(open > 1_000 && shrunk > 100, "{open} values kept, {shrunk} made smaller");
}

#[test]
fn evalfile_replaces_the_network() {
    let folder = TempDir::new().unwrap();
    let (other, path) = other_network(&folder);
    let mut engine = Engine::with_hash(1).unwrap();
    let own = engine.evaluate();
    set(&mut engine, path.to_str().unwrap()).unwrap();
    assert_eq!((engine.evaluate(), &**engine.network()), (other.evaluate(engine.position()), &other));
    assert_eq!(engine.options().evaluation_file, path.to_str().unwrap());
    assert!((engine.evaluate() - own - MORE).abs() <= 1);
    let outcome = engine.search(&Limits::depth(1), &mut ()).unwrap();
    set(&mut engine, "").unwrap();
    assert!(Arc::ptr_eq(engine.network(), &Network::embedded()));
    let usual = engine.search(&Limits::depth(1), &mut ()).unwrap();
    // After one own move the value is that of the opponent, which is raised too.
    assert_ne!(outcome.score, usual.score);
}

#[test]
fn a_file_that_is_no_network_is_refused_and_the_embedded_one_stays() {
    let folder = TempDir::new().unwrap();
    let (other, good) = other_network(&folder);
    let file = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        path
    };
    let bytes = other.to_bytes();
    let mut damaged = bytes.clone();
    damaged[5_000] ^= 4;
    let cases = [
        (folder.path().join("missing"), NOT_FOUND),
        (folder.path().to_owned(), "not a regular file"),
        (file("empty", b""), "not a network file"),
        (file("foreign", b"Dear Sir,"), "not a network file"),
        (file("short", &bytes[..bytes.len() - 1]), "bytes"),
        (file("long", &[&bytes[..], &[0; 9_000]].concat()), "bytes"),
        (file("damaged", &damaged), "damaged"),
    ];
    let mut engine = Engine::with_hash(1).unwrap();
    let usual = engine.search(&Limits::depth(5), &mut ()).unwrap();
    for (path, expected) in cases {
        set(&mut engine, good.to_str().unwrap()).unwrap();
        let error = set(&mut engine, path.to_str().unwrap()).unwrap_err();
        let EngineError::Files(text) = &error else { panic!("{error}") };
        assert!(text.contains(expected), "{error}");
        assert!(error.to_string().starts_with(path.to_str().unwrap()), "{error}");
        assert_eq!(engine.options().evaluation_file, "", "what is not used is not named");
        let outcome = engine.search(&Limits::depth(5), &mut ()).unwrap();
        assert_eq!((outcome.nodes, outcome.line), (usual.nodes, usual.line.clone()), "{}", path.display());
    }
}

#[test]
fn the_terms_add_up_to_the_evaluation() {
    random_games(13, 40, 120, |position, _| {
        let trace = Trace::new(position);
        let sum = trace.groups().iter().fold(Tapered::ZERO, |sum, (_, [red, black])| sum + *red - *black);
        let sum = sum.blend(trace.phase, MAX_PHASE);
        let scaled = sum * trace.scale_factors[usize::from(sum <= 0)] / NORMAL_SCALE;
        let for_red = scaled.clamp(-EVALUATION_LIMIT, EVALUATION_LIMIT);
        let expected = if position.side() == Side::Red { for_red } else { -for_red };
        assert_eq!(handcrafted::evaluate(position), expected, "{position}");
    });
}

#[test]
fn the_hand_made_evaluation_does_not_depend_on_colours_or_wings() {
    random_games(22, 40, 120, |position, _| {
        for (_, level) in Knowledge::NAMED {
            for [red, black] in [[100, 100], [130, 70], [160, 40]] {
                let value = EvalConfig::new(level, [red, black]).evaluate(position);
                assert!(value.abs() <= EVALUATION_LIMIT);
                assert_eq!(EvalConfig::new(level, [red, black]).evaluate(&position.mirrored()), value, "{position}");
                let exchanged = EvalConfig::new(level, [black, red]).evaluate(&position.colour_flipped());
                assert_eq!(exchanged, value, "{position}");
            }
        }
    });
}
