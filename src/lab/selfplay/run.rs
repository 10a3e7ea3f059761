//! Makes rounds: games, training, match, and the choice of the stronger network.

use std::num::NonZeroUsize;
use std::time::Instant;

use super::error::RoundsError;
use super::event::RoundsEvent;
use super::folder::{Folder, checksum};
use super::games::{check_games, play_games};
use super::gate::play_match;
use super::state::Round;
use super::train::train;
use crate::util::cancel::CancelFlag;

/// Limits of a run; they do not affect the results, apart from the last bits of a training with other threads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RunLimits {
    /// Number of rounds in all, including earlier ones; `None` for no limit.
    pub rounds: Option<u64>,
    /// Number of threads.
    pub threads: NonZeroUsize,
}

/// Makes rounds until there are enough or the run is cancelled. Returns whether there are enough.
///
/// # Errors
/// [`RoundsError`]; everything done before is kept, and the same call resumes there.
pub fn run(
    folder: &mut Folder,
    limits: RunLimits,
    cancel: &CancelFlag,
    on_event: &mut dyn FnMut(RoundsEvent),
) -> Result<bool, RoundsError> {
    while limits.rounds.is_none_or(|rounds| folder.state().round() <= rounds) {
        let begun = Instant::now();
        let made = make_round(folder, limits.threads, cancel, on_event);
        let seconds = begun.elapsed().as_secs_f64();
        match made? {
            Some(mut round) => {
                let number = folder.state().round();
                round.seconds = folder.state().seconds + seconds;
                folder.complete_round(round.clone())?;
                on_event(RoundsEvent::Round(number, &round));
            }
            None => {
                folder.add_seconds(seconds)?;
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// Makes the current round, or what it lacks. Returns `None` when cancelled.
fn make_round(
    folder: &mut Folder,
    threads: NonZeroUsize,
    cancel: &CancelFlag,
    on_event: &mut dyn FnMut(RoundsEvent),
) -> Result<Option<Round>, RoundsError> {
    if cancel.is_cancelled() {
        return Ok(None);
    }
    // Before hours are spent on a round that could not be trained.
    check_games(folder)?;
    let best = folder.best()?;
    let best = best.as_ref();
    let games = match folder.state().games {
        Some(games) => games,
        None => {
            let Some(games) = play_games(folder, best, threads, cancel, on_event)? else { return Ok(None) };
            folder.set_games(games)?;
            games
        }
    };
    let Some(trained) = train(folder, &games, best, threads, cancel, on_event)? else { return Ok(None) };
    let network = checksum(&trained.network);
    let Some(result) = play_match(folder, &network, best, threads, cancel, on_event)? else { return Ok(None) };
    let losses = trained.trained.epochs.last();
    let finite = |loss: f64| loss.is_finite().then_some(loss);
    Ok(Some(Round {
        games,
        trained_on: trained.samples.training() as u64,
        training: losses.and_then(|epoch| finite(epoch.training)),
        validation: losses.and_then(|epoch| finite(epoch.validation?)),
        network,
        result,
        accepted: result.score() > folder.state().settings.accept,
        seconds: 0.0,
    }))
}
