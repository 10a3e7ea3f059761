//! Profile as one JSON object.

use std::io::Write;

use serde::Serialize;

use crate::commands::analysis::command::Analyze;
use crate::commands::analysis::command::game::SideObject;
use crate::commands::analysis::command::score::{LineObject, ScoreObject, thousandths};
use crate::commands::analysis::profile::miss::{MaterialGain, MissedGain};
use crate::commands::analysis::profile::{AttackBalance, PlayerGame, PlayerSummary, Profile, Results, TacticalMiss};
use crate::console::error::CommandError;
use crate::console::output::{side_name, write_json};
use crate::eval::WinModel;
use crate::notation::opening_name::OpeningName;
use crate::notation::write;
use crate::types::{PieceKind, Side};

/// Prints a profile.
pub fn print(profile: &Profile, args: &Analyze, interrupted: bool, out: &mut impl Write) -> Result<(), CommandError> {
    let part = |side| PartObject::new(&profile.results(side), &profile.summary(side));
    let openings = Side::BOTH.into_iter().flat_map(|side| {
        profile.openings(side).into_iter().map(move |opening| OpeningObject {
            side: side_name(side),
            part: PartObject::new(&opening.results, &opening.summary),
            opening: opening.opening,
        })
    });
    let object = ProfileObject {
        player: &profile.player,
        all: part(None),
        red: part(Some(Side::Red)),
        black: part(Some(Side::Black)),
        openings: openings.collect(),
        attack: AttackObject::new(&profile.attack(), profile.preference_error()),
        misses: profile.misses().into_iter().map(|(index, miss)| MissObject::new(args, index, miss)).collect(),
        games: profile.games.iter().map(GameObject::new).collect(),
        interrupted,
    };
    write_json(out, "profile", &object)
}

#[derive(Serialize)]
struct ProfileObject<'a> {
    player: &'a str,
    all: PartObject,
    red: PartObject,
    black: PartObject,
    openings: Vec<OpeningObject>,
    attack: AttackObject,
    /// The greatest loss first.
    misses: Vec<MissObject>,
    /// By date.
    games: Vec<GameObject<'a>>,
    interrupted: bool,
}

/// Results and accuracy in some of the games.
#[derive(Serialize)]
struct PartObject {
    games: usize,
    wins: usize,
    draws: usize,
    losses: usize,
    unknown: usize,
    /// Mean points of the games with a known result.
    score: Option<f64>,
    #[serde(flatten)]
    accuracy: SideObject,
}

impl PartObject {
    fn new(results: &Results, summary: &PlayerSummary) -> PartObject {
        let &Results { wins, draws, losses, unknown } = results;
        let accuracy = SideObject::new(&summary.whole, &summary.phases);
        let score = results.score().map(thousandths);
        PartObject { games: results.games(), wins, draws, losses, unknown, score, accuracy }
    }
}

#[derive(Serialize)]
struct OpeningObject {
    side: &'static str,
    opening: Option<OpeningName>,
    #[serde(flatten)]
    part: PartObject,
}

/// Attack; means in centipawns.
#[derive(Serialize)]
struct AttackObject {
    moves: usize,
    own: Option<f64>,
    opponent: Option<f64>,
    share: Option<f64>,
    preference: Option<f64>,
    /// Standard error of `preference` over several games.
    preference_error: Option<f64>,
}

impl AttackObject {
    fn new(attack: &AttackBalance, preference_error: Option<f64>) -> AttackObject {
        let mean = |index: usize| attack.means().map(|means| thousandths(means[index]));
        AttackObject {
            moves: attack.moves,
            own: mean(0),
            opponent: mean(1),
            share: attack.share().map(thousandths),
            preference: mean(2),
            preference_error: preference_error.map(thousandths),
        }
    }
}

#[derive(Serialize)]
struct MissObject {
    /// Number of the game in `games`, from 1.
    game: usize,
    ply: usize,
    fen: String,
    #[serde(rename = "move")]
    mv: String,
    move_notation: String,
    /// Score after the move, for the player.
    move_score: ScoreObject,
    loss: f64,
    /// Moves to the missed mate.
    mate_in: Option<usize>,
    /// Centipawns of the missed gain of material, and the pieces won and lost.
    gain: Option<i32>,
    won: Vec<&'static str>,
    lost: Vec<&'static str>,
    better: LineObject,
}

impl MissObject {
    fn new(args: &Analyze, index: usize, miss: &TacticalMiss) -> MissObject {
        let (mate_in, material) = match &miss.gain {
            MissedGain::Mate(moves) => (Some(*moves), None),
            MissedGain::Material(material) => (None, Some(material)),
        };
        let names = |pieces: fn(&MaterialGain) -> &[PieceKind]| {
            material.map_or(&[][..], pieces).iter().map(|kind| kind.name()).collect()
        };
        let mut after = miss.position.clone();
        after.make(miss.mv);
        MissObject {
            game: index + 1,
            ply: miss.ply,
            fen: miss.position.to_string(),
            mv: miss.mv.to_string(),
            move_notation: write(&miss.position, miss.mv, args.dialect()),
            move_score: ScoreObject::new(WinModel::of(&after).reported(miss.score)),
            loss: thousandths(miss.loss),
            mate_in,
            gain: material.map(|material| material.value),
            won: names(|material| &material.won),
            lost: names(|material| &material.lost),
            better: LineObject::new(args, &miss.position, miss.better_score, &miss.better_line),
        }
    }
}

#[derive(Serialize)]
struct GameObject<'a> {
    file: &'a str,
    /// Number in the file, from 1.
    number: u64,
    date: Option<&'a str>,
    event: Option<&'a str>,
    side: &'static str,
    opponent: Option<&'a str>,
    result: &'static str,
    opening: Option<&'a OpeningName>,
    plies: usize,
    #[serde(flatten)]
    accuracy: SideObject,
    attack: AttackObject,
    misses: usize,
}

impl GameObject<'_> {
    fn new(game: &PlayerGame) -> GameObject<'_> {
        GameObject {
            file: &game.label.file,
            number: game.label.number,
            date: game.label.date.as_deref(),
            event: game.label.event.as_deref(),
            side: side_name(game.side),
            opponent: game.label.opponent.as_deref(),
            result: game.result.text(),
            opening: game.opening.as_ref(),
            plies: game.plies,
            accuracy: SideObject::new(&game.summary.whole, &game.summary.phases),
            attack: AttackObject::new(&game.attack, None),
            misses: game.misses.len(),
        }
    }
}
