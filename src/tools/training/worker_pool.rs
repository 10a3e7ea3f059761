//! Threads that train one network together.
//!
//! Each thread takes the same part of every batch and has slopes of its own; then each makes the step of some parts of
//! the network, with the slopes of all threads added in their order. So the result depends on how many threads there
//! are, but not on which of them is faster.

use std::ops::Range;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};
use std::thread::Scope;

use super::adamw::{Learned, Step, advance};
use super::gradient::Worker;
use super::model::{LANES, Model, Rounded, Row, bound};
use super::sample::Sample;
use super::target::Goal;
use crate::util::simd::Isa;

/// What all threads look at.
#[derive(Debug)]
struct Board {
    parts: Vec<RwLock<(Learned, Rounded)>>,
    gradients: Vec<RwLock<Model>>,
    goal: Goal,
    path: Isa,
}

/// What a thread is to do.
enum Job {
    Learn { samples: Arc<Vec<Sample>>, range: Range<usize>, luck: u64 },
    Judge { samples: Arc<Vec<Sample>>, range: Range<usize> },
    Step(Step),
}

/// Threads that wait for work.
pub struct Team {
    board: Arc<Board>,
    workers: Vec<(Sender<Job>, Receiver<f64>)>,
}

fn read<T>(lock: &RwLock<T>) -> RwLockReadGuard<'_, T> {
    // A thread that fails takes the whole team with it; nobody looks at what it left.
    lock.read().unwrap_or_else(PoisonError::into_inner)
}

impl Team {
    /// So many threads for these numbers. They end when the team is dropped.
    pub fn new<'scope>(
        scope: &'scope Scope<'scope, '_>,
        threads: usize,
        path: Isa,
        goal: Goal,
        parts: Vec<Learned>,
    ) -> Team {
        let threads = threads.max(1);
        let together = |(at, part): (usize, Learned)| {
            let rounded = Rounded::of(at, &part.values);
            (part, rounded)
        };
        let board = Arc::new(Board {
            parts: parts.into_iter().enumerate().map(together).map(RwLock::new).collect(),
            gradients: (0..threads).map(|_| RwLock::new(Model::zero())).collect(),
            goal,
            path,
        });
        let workers = (0..threads)
            .map(|own| {
                let (job_sender, jobs) = channel();
                let (answer_sender, answers) = channel();
                let board = Arc::clone(&board);
                scope.spawn(move || work(own, &board, &jobs, &answer_sender));
                (job_sender, answers)
            })
            .collect();
        Team { board, workers }
    }

    /// Begins to find the slopes of a batch. Which samples are turned follows from `luck`.
    pub fn begin_batch(&self, samples: &Arc<Vec<Sample>>, luck: u64) {
        self.begin(
            |range| Job::Learn { samples: Arc::clone(samples), luck: luck.wrapping_add(range.start as u64), range },
            samples.len(),
        );
    }

    /// Waits for the slopes, makes the step, and returns the sum of the prices of the batch before it.
    pub fn end_batch(&self, step: Step) -> f64 {
        let price = self.end();
        self.begin(|_| Job::Step(step), 0);
        self.end();
        price
    }

    /// The sum of the prices of samples.
    pub fn judge(&self, samples: &Arc<Vec<Sample>>) -> f64 {
        self.begin(|range| Job::Judge { samples: Arc::clone(samples), range }, samples.len());
        self.end()
    }

    /// All numbers as they are now, with what is remembered of their slopes.
    pub fn learned(&self) -> Vec<Learned> {
        self.board.parts.iter().map(|part| read(part).0.clone()).collect()
    }

    /// The network as it is now.
    pub fn model(&self) -> Model {
        Model { parts: self.board.parts.iter().map(|part| read(part).0.values.clone()).collect() }
    }

    fn begin(&self, job: impl Fn(Range<usize>) -> Job, samples: usize) {
        let threads = self.workers.len();
        for (own, (jobs, _)) in self.workers.iter().enumerate() {
            // A thread that is gone is noticed when its answer is missing.
            let _ = jobs.send(job(samples * own / threads..samples * (own + 1) / threads));
        }
    }

    fn end(&self) -> f64 {
        let answer = |(_, answers): &(_, Receiver<f64>)| match answers.recv() {
            Ok(price) => price,
            Err(_) => panic!("a thread that trains failed"),
        };
        self.workers.iter().map(answer).sum()
    }
}

/// Works off what comes until nobody sends any more.
fn work(own: usize, board: &Board, jobs: &Receiver<Job>, answers: &Sender<f64>) {
    let mut worker = Worker::new(board.path);
    let mut sum: Vec<Row> = Vec::new();
    for job in jobs {
        let price = match job {
            Job::Learn { samples, range, luck } => {
                let guards: Vec<_> = board.parts.iter().map(read).collect();
                let parts: Vec<&Rounded> = guards.iter().map(|part| &part.1).collect();
                let mut gradient = board.gradients[own].write().unwrap_or_else(PoisonError::into_inner);
                gradient.parts.iter_mut().for_each(|part| part.fill([0.0; LANES]));
                worker.learn(&parts, &samples[range], &board.goal, Some(luck), &mut gradient)
            }
            Job::Judge { samples, range } => {
                let guards: Vec<_> = board.parts.iter().map(read).collect();
                let parts: Vec<&Rounded> = guards.iter().map(|part| &part.1).collect();
                worker.judge(&parts, &samples[range], &board.goal)
            }
            Job::Step(step) => {
                let gradients: Vec<_> = board.gradients.iter().map(read).collect();
                for (at, part) in board.parts.iter().enumerate().skip(own).step_by(gradients.len()) {
                    sum.clone_from(&gradients[0].parts[at]);
                    for gradient in &gradients[1..] {
                        let both = sum.as_flattened_mut().iter_mut().zip(gradient.parts[at].as_flattened());
                        both.for_each(|(sum, slope)| *sum += slope);
                    }
                    let mut part = part.write().unwrap_or_else(PoisonError::into_inner);
                    let (Learned { values, means, squares }, rounded) = &mut *part;
                    advance(board.path, values, means, squares, &sum, step, bound(at));
                    rounded.follow(board.path, at, values);
                }
                0.0
            }
        };
        if answers.send(price).is_err() {
            return;
        }
    }
}
