//! Progress of the rounds on standard error: a line before each stage, and its progress display.

use crate::console::counted;
use crate::console::note;
use crate::console::progress::{Progress, clock};
use crate::lab::datagen::command::{GameProgress, report_resumption};
use crate::lab::selfplay::{MatchResult, RoundsEvent};
use crate::lab::training::command::TrainingProgress;

/// Progress display of the rounds.
#[derive(Default)]
pub struct RoundsProgress {
    stage: Option<Stage>,
}

/// Display of the current stage.
enum Stage {
    Games(GameProgress),
    Training(TrainingProgress),
    Match {
        bar: Progress,
        /// Games of earlier runs, which took no time in this one.
        before: u64,
        games: u64,
    },
}

impl RoundsProgress {
    /// Shows an event.
    pub fn on_event(&mut self, event: &RoundsEvent) {
        match event {
            RoundsEvent::Games { round, games, missing, network, path, resumed } => {
                self.begin(*round, &format!("games: {} by {}", counted(*games, "game"), player(*network)));
                report_resumption(path, (games - missing) as usize, resumed);
                self.stage = Some(Stage::Games(GameProgress::new(*missing)));
            }
            RoundsEvent::Training { round, rounds, start } => {
                let start = start.map_or("random weights".to_owned(), |checksum| format!("network {checksum}"));
                let games = counted(*rounds as u64, "round");
                self.begin(*round, &format!("training: on the games of {games}, beginning with {start}"));
                self.stage = Some(Stage::Training(TrainingProgress::default()));
            }
            RoundsEvent::Match { round, games, played, opponent, path, faulty_lines } => {
                let before = if *played > 0 { format!(", {played} of them played before") } else { String::new() };
                self.begin(
                    *round,
                    &format!("match: {} against {}{before}", counted(*games, "game"), player(*opponent)),
                );
                for line in *faulty_lines {
                    note!("{}: line {line} cannot be read and is ignored", path.display());
                }
                let bar = Progress::bar(games - played);
                self.stage = Some(Stage::Match { bar, before: *played, games: *games });
            }
            RoundsEvent::Game(event) => {
                if let Some(Stage::Games(progress)) = &mut self.stage {
                    progress.on_event(event);
                }
            }
            RoundsEvent::Train(event) => {
                if let Some(Stage::Training(progress)) = &mut self.stage {
                    progress.on_event(event);
                }
            }
            RoundsEvent::MatchGame(result) => self.on_match_game(result),
            RoundsEvent::Round(..) => self.finish(),
        }
    }

    /// Ends the display of the last stage and announces the next one.
    fn begin(&mut self, round: u64, text: &str) {
        self.finish();
        note!("round {round}, {text}");
    }

    fn on_match_game(&mut self, result: &MatchResult) {
        let Some(Stage::Match { bar, before, games }) = &mut self.stage else { return };
        let done = result.games() - *before;
        let left = bar.time_left(done);
        let text =
            format!("+{} ={} -{}, Elo {}, {} left", result.wins, result.draws, result.losses, elo(result), clock(left));
        bar.update(done, || if *before > 0 { format!("{games} in all, {text}") } else { text });
    }

    /// Removes the display.
    pub fn finish(&mut self) {
        match self.stage.take() {
            Some(Stage::Games(progress)) => drop(progress.finish()),
            Some(Stage::Training(mut progress)) => progress.finish(),
            Some(Stage::Match { bar, .. }) => bar.finish(),
            None => {}
        }
    }
}

/// Returns the name of a player in messages.
fn player(network: Option<&str>) -> String {
    network.map_or("the hand-made evaluation".to_owned(), |checksum| format!("network {checksum}"))
}

/// Returns the estimated Elo difference with half of its 95 % interval.
pub(super) fn elo(result: &MatchResult) -> String {
    match result.estimate() {
        Some(estimate) if estimate.elo.is_finite() && estimate.error.is_finite() => {
            format!("{:+.0} ± {:.0}", estimate.elo, estimate.error)
        }
        Some(estimate) if estimate.elo.is_finite() => format!("{:+.0} ± ?", estimate.elo),
        Some(estimate) => format!("{}∞", if estimate.elo > 0.0 { '+' } else { '-' }),
        None => "?".to_owned(),
    }
}
