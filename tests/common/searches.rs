//! Searches of an engine, and all that they report.

use chuhe::engine::Engine;
use chuhe::position::Position;
use chuhe::search::{Limits, Outcome, Reporter};

#[derive(Default)]
pub struct Reports(pub Vec<Outcome>);

impl Reporter for Reports {
    fn report(&mut self, report: &Outcome) {
        self.0.push(report.clone());
    }
}

pub fn search(engine: &mut Engine, position: &Position, limits: &Limits) -> Outcome {
    engine.set_position(position.clone());
    engine.search(limits, &mut ()).unwrap()
}
