//! Threads that train one network together.
//!
//! Each thread processes a fixed part of every batch into its own gradient; then each updates some parts of the network
//! with the gradients of all threads, added in their order. So the result depends on the number of threads, but not on
//! their timing.

use std::ops::Range;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};
use std::thread::Scope;

use super::gradient::Worker;
use super::loss::Target;
use super::model::{LANES, Model, Quantized, Row, bound};
use super::optimizer::{AdamStep, ParamState, advance};
use super::sample::Sample;
use crate::util::simd::Isa;

/// Data shared by all threads.
#[derive(Debug)]
struct SharedData {
    parts: Vec<RwLock<(ParamState, Quantized)>>,
    gradients: Vec<RwLock<Model>>,
    target: Target,
    path: Isa,
}

/// Work for a thread.
enum Job {
    Gradient { samples: Arc<Vec<Sample>>, range: Range<usize>, seed: u64 },
    Loss { samples: Arc<Vec<Sample>>, range: Range<usize> },
    Step(AdamStep<f32>),
}

/// Pool of training threads.
pub struct WorkerPool {
    shared: Arc<SharedData>,
    workers: Vec<(Sender<Job>, Receiver<f64>)>,
}

fn read<T>(lock: &RwLock<T>) -> RwLockReadGuard<'_, T> {
    // A failed thread fails the whole pool, so its data is never used.
    lock.read().unwrap_or_else(PoisonError::into_inner)
}

impl WorkerPool {
    /// Starts `threads` threads over these parameters. They end when the pool is dropped.
    pub fn new<'scope>(
        scope: &'scope Scope<'scope, '_>,
        threads: usize,
        path: Isa,
        target: Target,
        parts: Vec<ParamState>,
    ) -> WorkerPool {
        let threads = threads.max(1);
        let together = |(at, part): (usize, ParamState)| {
            let quantized = Quantized::new(at, &part.values);
            (part, quantized)
        };
        let shared = Arc::new(SharedData {
            parts: parts.into_iter().enumerate().map(together).map(RwLock::new).collect(),
            gradients: (0..threads).map(|_| RwLock::new(Model::zero())).collect(),
            target,
            path,
        });
        let workers = (0..threads)
            .map(|own| {
                let (job_sender, jobs) = channel();
                let (answer_sender, answers) = channel();
                let shared = Arc::clone(&shared);
                scope.spawn(move || work(own, &shared, &jobs, &answer_sender));
                (job_sender, answers)
            })
            .collect();
        WorkerPool { shared, workers }
    }

    /// Starts to compute the gradient of a batch. `seed` decides which samples are mirrored.
    pub fn begin_batch(&self, samples: &Arc<Vec<Sample>>, seed: u64) {
        self.begin(
            |range| Job::Gradient { samples: Arc::clone(samples), seed: seed.wrapping_add(range.start as u64), range },
            samples.len(),
        );
    }

    /// Waits for the gradient, updates the parameters, and returns the sum of the losses before the update.
    pub fn end_batch(&self, step: AdamStep<f32>) -> f64 {
        let loss = self.end();
        self.begin(|_| Job::Step(step), 0);
        self.end();
        loss
    }

    /// Returns the sum of the losses of samples.
    pub fn loss_of(&self, samples: &Arc<Vec<Sample>>) -> f64 {
        self.begin(|range| Job::Loss { samples: Arc::clone(samples), range }, samples.len());
        self.end()
    }

    /// Returns the current parameters with their Adam moments.
    pub fn states(&self) -> Vec<ParamState> {
        self.shared.parts.iter().map(|part| read(part).0.clone()).collect()
    }

    /// Returns the current model.
    pub fn model(&self) -> Model {
        Model { parts: self.shared.parts.iter().map(|part| read(part).0.values.clone()).collect() }
    }

    fn begin(&self, job: impl Fn(Range<usize>) -> Job, samples: usize) {
        let threads = self.workers.len();
        for (own, (jobs, _)) in self.workers.iter().enumerate() {
            // A dead thread is noticed when its answer is missing.
            let _ = jobs.send(job(samples * own / threads..samples * (own + 1) / threads));
        }
    }

    fn end(&self) -> f64 {
        let answer = |(_, answers): &(_, Receiver<f64>)| match answers.recv() {
            Ok(loss) => loss,
            Err(_) => panic!("a training thread failed"),
        };
        self.workers.iter().map(answer).sum()
    }
}

/// Runs jobs until the pool is dropped.
fn work(own: usize, shared: &SharedData, jobs: &Receiver<Job>, answers: &Sender<f64>) {
    let mut worker = Worker::new(shared.path);
    let mut sum: Vec<Row> = Vec::new();
    for job in jobs {
        let loss = match job {
            Job::Gradient { samples, range, seed } => {
                let guards: Vec<_> = shared.parts.iter().map(read).collect();
                let parts: Vec<&Quantized> = guards.iter().map(|part| &part.1).collect();
                let mut gradient = shared.gradients[own].write().unwrap_or_else(PoisonError::into_inner);
                gradient.parts.iter_mut().for_each(|part| part.fill([0.0; LANES]));
                worker.add_gradient(&parts, &samples[range], &shared.target, Some(seed), &mut gradient)
            }
            Job::Loss { samples, range } => {
                let guards: Vec<_> = shared.parts.iter().map(read).collect();
                let parts: Vec<&Quantized> = guards.iter().map(|part| &part.1).collect();
                worker.loss_of(&parts, &samples[range], &shared.target)
            }
            Job::Step(step) => {
                let gradients: Vec<_> = shared.gradients.iter().map(read).collect();
                for (at, part) in shared.parts.iter().enumerate().skip(own).step_by(gradients.len()) {
                    sum.clone_from(&gradients[0].parts[at]);
                    for gradient in &gradients[1..] {
                        let both = sum.as_flattened_mut().iter_mut().zip(gradient.parts[at].as_flattened());
                        both.for_each(|(sum, derivative)| *sum += derivative);
                    }
                    let mut part = part.write().unwrap_or_else(PoisonError::into_inner);
                    let (ParamState { values, means, squares }, quantized) = &mut *part;
                    advance(shared.path, values, means, squares, &sum, step, bound(at));
                    quantized.requantize(shared.path, at, values);
                }
                0.0
            }
        };
        if answers.send(loss).is_err() {
            return;
        }
    }
}
