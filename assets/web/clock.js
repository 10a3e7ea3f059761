// Clocks of a game: time of the game with an increment, a limit for each move (步时), and a countdown for each move after
// the time of the game (读秒).

/** Kinds of clocks that can be chosen, in seconds: time of the game, increment, limit of a move, countdown. */
export const CLOCKS = {
  none: null,
  blitz: { total: 300, increment: 3, move: 0, countdown: 0 },
  rapid: { total: 600, increment: 5, move: 0, countdown: 0 },
  slow: { total: 1800, increment: 10, move: 0, countdown: 0 },
  countdown: { total: 300, increment: 0, move: 0, countdown: 30 },
  tournament: { total: 1200, increment: 0, move: 60, countdown: 30 },
  moves: { total: 0, increment: 0, move: 0, countdown: 30 },
};

/** Returns the clocks at the beginning of a game; times are in milliseconds from here on. */
export function newClock(kind) {
  const limits = typeof kind === 'string' ? CLOCKS[kind] : kind;
  if (!limits) return null;
  const both = (value) => ({ red: value * 1000, black: value * 1000 });
  return { limits, left: both(limits.total), move: limits.move * 1000, countdown: limits.countdown * 1000 };
}

/** Takes time from a side. Returns whether its time is over. */
export function spend(clock, side, time) {
  const { limits, left } = clock;
  if (left[side] > 0) {
    if (limits.move) clock.move -= time;
    left[side] -= time;
    if (limits.move && clock.move <= 0) return true;
    if (left[side] > 0) return false;
    if (limits.countdown) clock.countdown += left[side];
    left[side] = 0;
  } else {
    clock.countdown -= time;
  }
  return !limits.countdown || clock.countdown <= 0;
}

/** Takes note of a move of a side. */
export function moved(clock, side) {
  const { limits, left } = clock;
  if (left[side] > 0) left[side] += limits.increment * 1000;
  clock.move = limits.move * 1000;
  clock.countdown = limits.countdown * 1000;
}

/** Returns the time that the clock of a side shows, the limit of its move if that is shorter, and whether it is the countdown. */
export function shownTime(clock, side, toMove) {
  const { limits, left } = clock;
  if (left[side] > 0) {
    const ofMove = limits.move && side === toMove ? clock.move : Infinity;
    return { time: Math.max(0, Math.min(left[side], ofMove)), isCountdown: ofMove < left[side] };
  }
  const time = side === toMove ? clock.countdown : limits.countdown * 1000;
  return { time: Math.max(0, time), isCountdown: limits.countdown > 0 };
}

/** Returns the limits of a search of the side to move, with a reserve for the way to the engine. */
export function searchLimits(clock, side) {
  const { limits, left } = clock;
  if (left[side] <= 0) return { time: Math.max(50, Math.round(clock.countdown * 0.6)) };
  const own = { clock: Math.max(50, Math.round(left[side])), increment: limits.increment * 1000 };
  // The search ends at the first limit.
  if (limits.move) own.time = Math.max(50, Math.round(clock.move * 0.6));
  return own;
}

/** Formats a time as minutes and seconds, in the last ten seconds with tenths. */
export function clockText(milliseconds) {
  if (milliseconds < 10_000) return (Math.max(0, milliseconds) / 1000).toFixed(1);
  const seconds = Math.ceil(milliseconds / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

/** Returns a copy that later changes leave alone. */
export const copyClock = (clock) => clock && { ...clock, left: { ...clock.left } };
