//! Hill climbing: one parameter after another goes a step up or down, and stays where that is better.

use super::objective::{Found, Objective, Quest, Run};

/// A step is halved so often before it is not worth trying any more.
const HALVINGS: i32 = 5;

/// Climbs until no step helps or the budget is spent. A parameter that moved tries the same direction first next time;
/// after a sweep without success all steps are halved.
pub fn climb(objective: &mut dyn Objective, run: &mut Run) -> Found {
    let mut quest = Quest::new(objective, run);
    let axes = quest.objective.axes().to_vec();
    let mut directions = vec![1.0; axes.len()];
    let mut shrunk = 0;
    while shrunk <= HALVINGS {
        let (before, mut tried) = (quest.best.loss, false);
        for (at, axis) in axes.iter().enumerate() {
            let step = axis.step / f64::from(1 << shrunk);
            if step < axis.grain {
                continue;
            }
            for direction in [directions[at], -directions[at]] {
                let mut candidate = quest.best.vector.clone();
                candidate[at] = axis.clamp(candidate[at] + direction * step);
                if candidate[at] == quest.best.vector[at] {
                    continue;
                }
                tried = true;
                let earlier = quest.best.loss;
                let Some(loss) = quest.loss(&candidate) else { return quest.best };
                if loss < earlier {
                    directions[at] = direction;
                    break;
                }
            }
        }
        quest.tell();
        if quest.best.loss >= before {
            shrunk += 1;
        }
        if !tried {
            break;
        }
    }
    quest.best
}
