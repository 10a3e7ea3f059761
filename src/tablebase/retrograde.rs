//! Solving one ending: retrograde analysis, level by level, ninety positions at a time.
//!
//! Level *n* holds the positions that are won or lost in *n* plies. A position is won when a move leads to a lost one,
//! and lost when every move leads to a won one; both are asked of a whole slice at once, for all places of its rover,
//! and only of slices in whose reach something was decided at the level before. Captures lead to endings that are
//! solved already; what they bring is looked up once, before the first level.
//!
//! Repetition is a draw here. That is what the rules say when one side has nothing but defenders, unless these chase
//! for ever; see the [module](super) for what is exact.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use super::captures::{CaptureValues, InitialValues};
use super::check::is_checked;
use super::layout::{FixedPieces, Layout};
use super::parallel::in_parallel;
use super::slice_board::{SliceBoard, StaticMove};
use super::table::{WinLossBits, plies_index};
use super::value::{Metric, Value};
use crate::counting::Placement;
use crate::types::{Piece, Side, Square, SquareSet};

/// What is known of one slice with one side to move.
#[derive(Clone, Copy, Default)]
struct Line {
    /// Where the rover may stand: the side not to move is not in check.
    valid: SquareSet,
    wins: SquareSet,
    losses: SquareSet,
    /// Where a capture still spares the side to move from losing.
    held: SquareSet,
}

impl Line {
    fn open(&self) -> SquareSet {
        self.valid - self.wins - self.losses
    }
}

/// Something about places of the rover in a slice with a side to move.
#[derive(Clone, Copy)]
struct News {
    slice: usize,
    side: Side,
    rovers: SquareSet,
}

/// What captures bring, by the level at which it counts.
#[derive(Default)]
struct Captures {
    /// A capture wins.
    wins: Vec<Vec<News>>,
    /// The last capture that seemed to spare the side to move turns out to lose.
    losses: Vec<Vec<News>>,
}

/// How far an analysis has come.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// The plies of the positions that were found last.
    pub level: usize,
    /// How many positions are decided.
    pub decided: u64,
}

/// Solves an ending.
pub(super) struct Analysis<'a, F> {
    layout: &'a Layout,
    metric: Metric,
    /// Black may chase with advisors and elephants.
    may_chase: bool,
    threads: usize,
    /// The value of a position after a capture.
    ended: &'a F,
    lines: Vec<[Line; 2]>,
    plies: Vec<u8>,
    /// The slices to look at in the next level, by side to move, a bit each.
    awake: [Vec<AtomicU64>; 2],
}

/// How many slices a word of [`Analysis::awake`] tells of; threads take that many at a time.
const WORD: usize = 64;
/// How many slices are begun before what was found is entered.
const BATCH: usize = 1 << 14;

impl<'a, F: Fn(&Placement, Side) -> Value + Sync> Analysis<'a, F> {
    /// Prepares the analysis; `ended` values the positions after captures.
    pub fn new(layout: &'a Layout, metric: Metric, threads: usize, ended: &'a F) -> Self {
        Analysis {
            layout,
            metric,
            may_chase: true,
            threads: threads.max(1),
            ended,
            lines: vec![[Line::default(); 2]; layout.slices()],
            plies: vec![0; layout.slices() * 2 * Square::COUNT],
            awake: nothing_awake(layout),
        }
    }

    /// The same for a game in which Black may not begin to attack a man with an advisor or an elephant, but by
    /// capturing.
    pub fn without_chases(self) -> Self {
        Analysis { may_chase: false, ..self }
    }

    /// Runs it to the end.
    pub fn run(&mut self, mut report: impl FnMut(Progress)) {
        self.find_valid();
        let mut captures = self.begin();
        let mut decided = self.decided();
        report(Progress { level: 0, decided });
        let mut level = 1;
        loop {
            self.release(&captures, level);
            let found = self.search_awake();
            let mut new = 0;
            for (news, is_won) in found {
                new += u64::from(self.decide(news, is_won, level));
            }
            for news in captures.wins.get_mut(level).map(std::mem::take).unwrap_or_default() {
                let count = self.decide(news, true, level);
                if count > 0 {
                    self.wake_origins(news.slice, news.side);
                }
                new += u64::from(count);
            }
            decided += new;
            report(Progress { level, decided });
            if new == 0 && captures.wins.len() <= level + 1 && captures.losses.len() <= level + 1 {
                break;
            }
            level += 1;
        }
    }

    /// What was found, as a table keeps it.
    pub fn finish(self) -> (Vec<[WinLossBits; 2]>, Vec<u8>) {
        let decided = |line: &Line| WinLossBits { wins: line.wins, losses: line.losses };
        (self.lines.iter().map(|lines| [decided(&lines[0]), decided(&lines[1])]).collect(), self.plies)
    }

    fn scene(&self, slice: usize) -> Option<SliceBoard<'a>> {
        SliceBoard::new(self.layout, self.layout.statics(slice))
    }

    fn find_valid(&mut self) {
        for batch in self.batches() {
            let found = self.for_slices(batch, |analysis, slice, found| {
                if let Some(scene) = analysis.scene(slice) {
                    for side in Side::BOTH {
                        found.push(News { slice, side, rovers: scene.rover_places() - scene.checked(!side) });
                    }
                }
            });
            for News { slice, side, rovers } in found {
                self.lines[slice][side.index()].valid = rovers;
            }
        }
    }

    /// Finds the positions without a legal move, and what captures bring.
    fn begin(&mut self) -> Captures {
        let mut captures = Captures::default();
        for batch in self.batches() {
            let begun = self.for_slices(batch, |analysis, slice, begun| {
                for side in Side::BOTH {
                    if !analysis.lines[slice][side.index()].valid.is_empty()
                        && let Some(scene) = analysis.scene(slice)
                    {
                        begun.push((slice, side, analysis.beginning(slice, &scene, side)));
                    }
                }
            });
            for (slice, side, beginning) in begun {
                self.enter(slice, side, beginning, &mut captures);
            }
        }
        captures
    }

    fn enter(&mut self, slice: usize, side: Side, beginning: InitialValues, captures: &mut Captures) {
        let line = &mut self.lines[slice][side.index()];
        line.losses = beginning.stuck;
        line.held = beginning.held;
        if !beginning.stuck.is_empty() {
            self.wake_origins(slice, side);
        }
        for (level, rovers) in beginning.wins {
            at_level(&mut captures.wins, level).push(News { slice, side, rovers });
        }
        for (level, rovers) in beginning.losses {
            at_level(&mut captures.losses, level).push(News { slice, side, rovers });
        }
        if !beginning.may_lose.is_empty() {
            self.wake(slice, side);
        }
    }

    fn beginning(&self, slice: usize, scene: &SliceBoard, side: Side) -> InitialValues {
        let valid = self.lines[slice][side.index()].valid;
        let mut moves = SquareSet::EMPTY;
        let mut captures = CaptureValues::default();
        if side == Side::Red {
            moves |= scene.rover_sources(self.lines[slice][Side::Black.index()].valid);
            for target in scene.rover_victims().iter() {
                let sources = scene.rover_capture_sources(target) & valid;
                if !sources.is_empty() {
                    // All of them lead to the same position.
                    let mut after = scene.placement(target);
                    after.put(target, Some(Piece::new(Side::Red, self.layout.rover())));
                    self.weigh(&after, side, sources, &mut captures);
                }
            }
        }
        scene.visit_moves(side, |step| match step {
            StaticMove::Quiet { next, allowed } => {
                let allowed = self.permitted(scene, side, next, allowed);
                let next = self.layout.slice_of(next);
                moves |= next.seen(self.lines[next.slice][(!side).index()].valid) & allowed;
            }
            StaticMove::Capture { piece, from, to, allowed } => {
                for rover in (allowed & valid).iter() {
                    let mut after = scene.placement(rover);
                    after.put(from, None);
                    after.put(to, Some(piece));
                    self.weigh(&after, side, SquareSet::from_square(rover), &mut captures);
                }
            }
        });
        captures.beginning(valid, moves)
    }

    fn permitted(&self, scene: &SliceBoard, side: Side, next: &FixedPieces, allowed: SquareSet) -> SquareSet {
        if self.may_chase || side == Side::Red { allowed } else { allowed & scene.unchased(next) }
    }

    /// Adds what a capture by `side` that leads to `after` brings in the positions of `rovers`.
    fn weigh(&self, after: &Placement, side: Side, rovers: SquareSet, captures: &mut CaptureValues) {
        if is_checked(after, side) {
            return;
        }
        let level = |plies: u8| match self.metric {
            Metric::Conversion => 1,
            Metric::Mate => usize::from(plies) + 1,
        };
        captures.add(rovers, (self.ended)(after, !side), level);
    }

    /// Lets go of what captures no longer hold at this level.
    fn release(&mut self, captures: &Captures, level: usize) {
        for news in captures.losses.get(level).into_iter().flatten() {
            self.lines[news.slice][news.side.index()].held -= news.rovers;
            self.wake(news.slice, news.side);
        }
    }

    /// Looks at the slices that are awake, which then sleep, and wakes those that what is found concerns.
    fn search_awake(&mut self) -> Vec<(News, bool)> {
        let awake = std::mem::replace(&mut self.awake, nothing_awake(self.layout));
        let (analysis, awake) = (&*self, &awake);
        in_parallel(self.threads, awake[0].len(), |word, found| {
            for side in Side::BOTH {
                let mut bits = awake[side.index()][word].load(Ordering::Relaxed);
                while bits != 0 {
                    let slice = word * WORD + bits.trailing_zeros() as usize;
                    bits &= bits - 1;
                    analysis.search_slice(slice, side, found);
                }
            }
        })
    }

    fn search_slice(&self, slice: usize, side: Side, found: &mut Vec<(News, bool)>) {
        let line = &self.lines[slice][side.index()];
        let open = line.open();
        if open.is_empty() {
            return;
        }
        let Some(scene) = self.scene(slice) else { return };
        let mut wins = SquareSet::EMPTY;
        let mut escapes = line.held;
        if side == Side::Red {
            let next = &self.lines[slice][Side::Black.index()];
            wins |= scene.rover_sources(next.losses);
            escapes |= scene.rover_sources(next.valid - next.wins);
        }
        scene.visit_moves(side, |step| {
            if let StaticMove::Quiet { next, allowed } = step {
                let allowed = self.permitted(&scene, side, next, allowed);
                let next = self.layout.slice_of(next);
                let line = &self.lines[next.slice][(!side).index()];
                wins |= next.seen(line.losses) & allowed;
                escapes |= next.seen(line.valid - line.wins) & allowed;
            }
        });
        wins &= open;
        let losses = open - wins - escapes;
        if !wins.is_empty() {
            found.push((News { slice, side, rovers: wins }, true));
        }
        if !losses.is_empty() {
            found.push((News { slice, side, rovers: losses }, false));
        }
        if !(wins | losses).is_empty() {
            self.wake_origins_of(slice, &scene, side);
        }
    }

    /// Enters what was found at a level, and tells how many positions that are.
    fn decide(&mut self, news: News, is_won: bool, level: usize) -> u32 {
        let line = &mut self.lines[news.slice][news.side.index()];
        let new = news.rovers & line.open();
        if new.is_empty() {
            return 0;
        }
        if is_won {
            line.wins |= new;
        } else {
            line.losses |= new;
        }
        let start = plies_index(news.slice, news.side);
        let plies = u8::try_from(level).unwrap_or(Value::MOST_PLIES);
        for rover in new.iter() {
            self.plies[start + rover.index()] = plies;
        }
        new.len()
    }

    fn wake(&self, slice: usize, side: Side) {
        self.awake[side.index()][slice / WORD].fetch_or(1 << (slice % WORD), Ordering::Relaxed);
    }

    /// Wakes the slices from which a move leads to this one with `side` to move.
    fn wake_origins(&self, slice: usize, side: Side) {
        if let Some(scene) = self.scene(slice) {
            self.wake_origins_of(slice, &scene, side);
        }
    }

    fn wake_origins_of(&self, slice: usize, scene: &SliceBoard, side: Side) {
        let mover = !side;
        if mover == Side::Red {
            self.wake(slice, mover);
        }
        scene.visit_origins(mover, |origin| {
            self.wake(self.layout.slice_of(origin).slice, mover);
            // This slice stands for its mirror image too, whose origins are the images of these.
            if let Some(twin) = self.layout.twin_of(origin) {
                self.wake(twin, mover);
            }
        });
    }

    /// How many positions are decided.
    pub fn decided(&self) -> u64 {
        self.lines.iter().flatten().map(|line| u64::from(line.wins.len() + line.losses.len())).sum()
    }

    /// The slices in parts, so that what is found about one part takes little memory.
    fn batches(&self) -> impl Iterator<Item = Range<usize>> + use<F> {
        let slices = self.layout.slices();
        (0..slices.div_ceil(BATCH)).map(move |batch| batch * BATCH..slices.min((batch + 1) * BATCH))
    }

    fn for_slices<R: Send>(&self, slices: Range<usize>, work: impl Fn(&Self, usize, &mut Vec<R>) + Sync) -> Vec<R> {
        in_parallel(self.threads, slices.len().div_ceil(WORD), |piece, found| {
            let first = slices.start + piece * WORD;
            for slice in first..slices.end.min(first + WORD) {
                work(self, slice, found);
            }
        })
    }
}

/// All slices asleep, for either side to move.
fn nothing_awake(layout: &Layout) -> [Vec<AtomicU64>; 2] {
    Side::BOTH.map(|_| (0..layout.slices().div_ceil(WORD)).map(|_| AtomicU64::new(0)).collect())
}

fn at_level(levels: &mut Vec<Vec<News>>, level: usize) -> &mut Vec<News> {
    if levels.len() <= level {
        levels.resize_with(level + 1, Vec::new);
    }
    &mut levels[level]
}
