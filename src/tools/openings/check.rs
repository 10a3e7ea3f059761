//! Checking a suite that is there.

use super::{Chosen, Fault, Place, Progress, SuiteFilter};
use crate::engine::EngineError;
use crate::notation::openings::Opening;
use crate::position::Position;
use crate::types::Move;
use crate::util::cancel::Interrupt;

/// How many starts are judged before the next news.
const BATCH: usize = 32;

/// Looks for starts that [`super::choose`] would not have taken, and names them in the order of their places. The
/// later one of two that are too much alike is at fault.
///
/// # Errors
/// Those of the engines.
pub fn check(
    suite: &[(Place, Opening)],
    examiner: &mut SuiteFilter,
    interrupt: &Interrupt,
    listen: &mut dyn FnMut(Progress),
) -> Result<Vec<(Place, Fault)>, EngineError> {
    let criteria = *examiner.criteria();
    let mut chosen = Chosen::default();
    let (mut faults, mut passed) = (Vec::new(), Vec::new());
    for (place, opening) in suite {
        let plies = opening.moves.len();
        let found = if opening.start != Position::start() {
            Err(Fault::OtherStart)
        } else if !(criteria.least_plies..=criteria.most_plies).contains(&plies) {
            Err(Fault::Length { plies, least: criteria.least_plies, most: criteria.most_plies })
        } else {
            chosen.admits(&opening.moves, &criteria)
        };
        match found {
            Ok(()) => {
                chosen.add(&opening.moves, &criteria, *place);
                passed.push((*place, opening.moves.as_slice()));
            }
            Err(fault) => faults.push((*place, fault)),
        }
    }
    let mut progress = Progress { chosen: 0, judged: 0 };
    for batch in passed.chunks(BATCH) {
        if interrupt.is_requested() {
            break;
        }
        let lines: Vec<&[Move]> = batch.iter().map(|&(_, line)| line).collect();
        let judgements = examiner.examine(&lines)?;
        progress.judged += batch.len();
        progress.chosen += judgements.iter().filter(|judgement| judgement.is_ok()).count();
        faults.extend(batch.iter().zip(judgements).filter_map(|((place, _), judged)| Some((*place, judged.err()?))));
        listen(progress);
    }
    faults.sort_by_key(|(place, _)| place.0);
    Ok(faults)
}
