// The game against the engine: opponent, clocks, and how it is kept.

import { restore, setUpBoards } from './boards.js';
import { copyClock, moved, newClock, searchLimits, spend } from './clock.js';
import { ask, connection, onConnection, start, stop } from './engine.js';
import { end, game, goTo, isInGame, isOver, line, load, newGame, onChange, path, play, remove, toObject } from './game.js';
import { neighbour, opponentOf } from './opponents.js';
import { find, keep, onForeignChange, set, setCurrent, settings } from './store.js';
import { redraw } from './view.js';
import { choosePair, say } from './words.js';

/**
 * State of the game against the engine. `side` is that of the user, null when no game is on; `isKept` is false where the
 * browser has no room for it; `last` is the node of the
 * position to play on from, `first` the number of plies before the game. `message` is the name of a text beside the state;
 * `practice` says that the engine has helped; `pause` is the shortest time of a move of the engine, so that it can be
 * followed, in milliseconds.
 */
export const match = {
  id: null, side: null, opponent: null, toMove: null, thinking: false, waiting: false, message: null, clock: null, last: null,
  first: 0, practice: false, started: 0, premove: null, isParked: false, isKept: true, pause: 500,
};

/** Time between two entries of a clock that runs, in milliseconds. */
const KEEP_INTERVAL = 5000;

let search = 0;
let thoughts = 0;
let searched = null;
let lastTick = 0;
let lastKept = 0;
let hint = null;

export const other = (side) => (side === 'red' ? 'black' : 'red');
const winOf = (side) => (side === 'red' ? '1-0' : '0-1');

/** Returns whether a game is on that has not ended. */
export const isPlaying = () => match.side !== null && game.ending === null && game.result === '*';

/** Returns whether the board shows the position to play on from. */
export const isAtLast = () => game.current === match.last;

/** Returns whether the user may move now. */
export const isUsersTurn = () => isPlaying() && !match.isParked && !match.thinking && isAtLast() && !isOver() && game.state.side === match.side;

/** Returns the move of a hint for the current position. */
export const hintMove = () => (hint?.node === game.current ? hint.move : null);

/** Returns what is kept of the game. */
function entry() {
  return {
    id: match.id, started: match.started, updated: Date.now(), opponent: match.opponent.key, side: match.side, clock: copyClock(match.clock),
    rules: game.rules, practice: match.practice, result: game.result, ending: game.ending, first: match.first,
    toMove: match.toMove, plies: path(match.last).length, line: line(match.last).moves, clocks: path(match.last).map((node) => node.clock ?? null),
    fen: game.current === match.last ? game.state.fen : null, game: toObject(),
  };
}

/** Keeps the game in the browser, and as a file where the program has a folder for games. */
function keepGame(isMove = true) {
  if (match.side === null || match.isParked) return;
  lastKept = performance.now();
  const kept = entry();
  match.isKept = keep(kept);
  if (isMove && match.keepsFiles && kept.plies > match.first) {
    ask('keep_game', { name: match.id, game: toObject() }).catch((error) => {
      if (connection.state === 'open') match.message = { text: error.message };
      redraw();
    });
  }
}

/** Begins a game from the current position. */
function begin(side, opponent, clock) {
  interrupt();
  const date = new Date();
  const two = (value) => String(value).padStart(2, '0');
  const day = `${date.getFullYear()}.${two(date.getMonth() + 1)}.${two(date.getDate())}`;
  Object.assign(match, {
    id: `${day.replaceAll('.', '')}-${two(date.getHours())}${two(date.getMinutes())}${two(date.getSeconds())}-${Math.random().toString(36).slice(2, 6)}`,
    side, opponent, started: date.getTime(), last: game.current, first: path().length, message: null, practice: false, premove: null,
    clock: newClock(clock), toMove: game.state.side, isParked: false,
  });
  game.current.clock = copyClock(match.clock);
  setCurrent(match.id);
  lastTick = performance.now();
  const [you, chuhe] = [say('you'), opponent.skill === 20 ? say('name') : say('engine_name', choosePair(opponent.name))];
  const names = side === 'red' ? [you, chuhe] : [chuhe, you];
  const others = game.tags.filter(([name]) => !['Red', 'Black', 'Date', 'Event'].includes(name));
  Object.assign(game, { result: '*', ending: null, endedAt: null });
  game.tags = [['Event', 'Chuhe'], ['Date', day], ['Red', names[0]], ['Black', names[1]], ...others];
  continueGame();
  redraw();
}

/** Returns the side of the user for a setting. */
const chosenSide = () => (settings.side === 'random' ? ['red', 'black'][Math.floor(Math.random() * 2)] : settings.side);

/** Begins a game at the start position. */
export async function beginGame(side = chosenSide()) {
  leaveMatch();
  await newGame(null);
  begin(side, opponentOf(settings.opponent), settings.clock);
}

/** Begins a game from the position on the board, in which the user has the side to move. */
export async function beginHere() {
  leaveMatch();
  // A game of its own: what is taken back in it stays in the one on the board.
  const line = path();
  const nodes = line.map(({ move, comment, chinese, wxf }, index) => ({ parent: index ? index - 1 : null, move, comment, chinese, wxf }));
  await load({ ...toObject(), nodes }, line.map(({ move }) => move));
  const { side } = game.state;
  begin(side, opponentOf(settings.opponent), settings.clock);
}

/** Stops the engine's thinking without a move. */
export function interrupt() {
  stop(search);
  search = 0;
  match.thinking = false;
  match.waiting = false;
}

/** Leaves the game; what is kept of it can be resumed. One that the user has deleted is not kept again. */
export function leaveMatch(isDeleted = false) {
  interrupt();
  if (!isDeleted && match.side !== null && isInGame(match.last)) keepGame(false);
  setCurrent(null);
  Object.assign(match, { id: null, side: null, clock: null, message: null, premove: null, isParked: false });
}

/** Resumes a game that is kept, or shows another one of this tab. */
export async function resume(id) {
  const kept = find(id);
  // Without a connection nothing could be loaded.
  if (connection.state !== 'open') return;
  if (!kept) {
    await restore(id);
    return;
  }
  if (match.id === id && match.side !== null) {
    await goTo(match.last);
    return;
  }
  leaveMatch();
  game.rules = kept.rules ?? 'computer';
  await load(kept.game, kept.line);
  const nodes = path();
  nodes.forEach((node, index) => {
    node.clock = kept.clocks?.[index] ?? null;
  });
  Object.assign(match, {
    id, side: kept.side, opponent: opponentOf(kept.opponent), started: kept.started, last: game.current, first: kept.first ?? 0,
    message: null, practice: kept.practice, premove: null, clock: kept.clock, toMove: game.state.side, isParked: false,
  });
  setCurrent(id);
  lastTick = performance.now();
  // Not by `end`, which would count the result again.
  Object.assign(game, { result: kept.result, ending: kept.ending, endedAt: kept.result === '*' ? null : match.last });
  keepGame(false);
  continueGame();
  redraw();
}

function think(purpose, done) {
  const node = game.current;
  const content = { ...line(), purpose, skill: match.opponent.skill, book: settings.book, tablebases: true };
  if (purpose === 'play') {
    if (match.clock) Object.assign(content, searchLimits(match.clock, game.state.side));
    else if (match.opponent.skill === 20) content.time = 1500;
  }
  const id = start('go', content, (event, message) => {
    // The time until now counts by the state until now.
    tick();
    if (id !== search) return;
    match.waiting = event === 'waiting';
    if (event === 'failed' || event === 'finished') {
      search = 0;
      match.thinking = false;
      if (event === 'failed' && connection.state === 'open') match.message = { text: message.error };
      if (event === 'finished' && isInGame(node)) done(message);
    }
    redraw();
  });
  search = id;
  searched = node;
  match.thinking = true;
  redraw();
}

/** Lets the engine move if it is its turn. */
function continueGame() {
  if (!isPlaying() || match.thinking || match.isParked || connection.state !== 'open') return;
  if (game.current !== match.last || isOver() || game.state.side === match.side) return;
  const node = game.current;
  const { id } = match;
  const since = performance.now();
  thoughts += 1;
  const thought = thoughts;
  think('play', async ({ best, book, stopped }) => {
    if (stopped) continueGame();
    if (stopped || !best || thought !== thoughts) return;
    match.thinking = true;
    const pause = Math.max(0, match.pause * (match.opponent.skill < 9 ? 1.6 : 1) - (performance.now() - since));
    if (pause && !(match.clock && match.clock.limits.total && match.clock.left[game.state.side] < 20_000)) {
      await new Promise((resolve) => { setTimeout(resolve, pause); });
    }
    if (match.id !== id || thought !== thoughts || !match.thinking || !isInGame(node) || match.last !== node) return;
    match.thinking = false;
    match.message = book ? 'from_book' : null;
    // The user may be looking at an earlier move.
    await playMove(best.move);
  });
}

/** Plays a move of the game. */
const playMove = (move) => play(move, match.last, 'turn');

/** Plays the user's move. */
export async function userMove(move) {
  if (!isUsersTurn()) return;
  match.message = null;
  await playMove(move);
}

/** Sets the move that the user plays as soon as the engine has moved; null for none. */
export function setPremove(move) {
  match.premove = move;
  redraw();
}

function tick() {
  const now = performance.now();
  const passed = now - lastTick;
  lastTick = now;
  if (!isPlaying() || !match.clock || match.isParked || connection.state !== 'open') return;
  // Searches of other pages cost no time.
  if (match.waiting) return;
  if (spend(match.clock, match.toMove, passed)) {
    const loser = match.toMove;
    interrupt();
    end(winOf(other(loser)), `timeout_${loser}`, match.last);
  } else if (now - lastKept > KEEP_INTERVAL) {
    keepGame(false);
  }
  redraw();
}

/** Takes back to the user's last turn; the moves since then are deleted. */
export async function takeBack() {
  if (match.side === null) return;
  interrupt();
  const nodes = path(match.last);
  let count = nodes.length;
  const isUsersPly = (plies) => (game.state.side === match.side) === ((path().length - plies) % 2 === 0);
  do count -= 1; while (count > match.first && !isUsersPly(count));
  if (count < match.first) return;
  const target = count ? nodes[count - 1] : game.root;
  const removed = nodes[count];
  match.last = target;
  match.premove = null;
  match.message = null;
  if (target.clock) match.clock = copyClock(target.clock);
  else if (!count) match.clock = newClock(match.clock?.limits);
  if (removed) await remove(removed);
  Object.assign(game, { result: '*', ending: null, endedAt: null });
  match.toMove = game.state.side;
  lastTick = performance.now();
  keepGame();
  continueGame();
  redraw();
}

/** Returns whether there is a move to take back. */
export const canTakeBack = () => match.side !== null && path(match.last).length > match.first + (match.side === 'red' || match.first ? 0 : 1);

/** Asks the engine for a move; the game becomes practice. */
export function askHint() {
  if (!isUsersTurn()) return;
  match.practice = true;
  think('hint', ({ best }) => {
    if (best) hint = { node: game.current, move: best.move };
    keepGame(false);
  });
}

/** Marks the game as one with help of the engine. */
export function markPractice() {
  match.practice = true;
  keepGame(false);
  redraw();
}

/** Offers a draw. */
export function offerDraw() {
  if (!isUsersTurn()) return;
  think('draw', ({ accepts }) => {
    if (accepts) end('1/2-1/2', 'agreed', match.last);
    else match.message = 'refused';
  });
}

/** Resigns the game. Returns a function that takes the resignation back, with what it did to the adapting opponent. */
export function resign() {
  const { id } = match;
  const { opponent, streak } = settings;
  interrupt();
  end(winOf(other(match.side)), `resigned_${match.side}`, match.last);
  return () => {
    if (match.id !== id) return;
    set({ opponent, streak });
    match.message = null;
    end('*', null, null);
    lastTick = performance.now();
    keepGame();
    continueGame();
  };
}

/** Adapts the opponent after two wins or losses in a row. Returns the new opponent, or null. */
function adapt(result) {
  if (match.practice) return;
  const isWin = result === winOf(match.side);
  const isLoss = result === winOf(other(match.side));
  const streak = isWin ? Math.max(1, settings.streak + 1) : isLoss ? Math.min(-1, settings.streak - 1) : 0;
  set({ streak });
  if (!settings.adapts || Math.abs(streak) < 2) return;
  const next = neighbour(match.opponent.key, Math.sign(streak));
  set({ opponent: next.key, streak: 0 });
  if (next !== match.opponent) match.message = streak > 0 ? 'adapts_up' : 'adapts_down';
}

/** Records the verdict of the rules. */
function recordVerdict() {
  const result = { red_wins: '1-0', black_wins: '0-1', draw: '1/2-1/2' }[game.state.verdict.word];
  if (result && game.result === '*') end(result, null, match.last);
}

function afterMove() {
  // Moves that are only looked at, in the analysis, do not come first.
  const { children } = match.last;
  children.splice(children.indexOf(game.current), 1);
  children.unshift(game.current);
  const mover = other(game.state.side);
  tick();
  match.last = game.current;
  match.toMove = game.state.side;
  if (match.clock && !game.ending) {
    moved(match.clock, mover);
    game.current.clock = copyClock(match.clock);
  }
  recordVerdict();
  keepGame();
  if (isUsersTurn() && match.premove) {
    const move = match.premove;
    match.premove = null;
    if (game.state.legal.includes(move)) {
      userMove(move);
      return;
    }
  }
  continueGame();
}

/** Connects the game against the engine with the board. */
export function setUpMatch() {
  setUpBoards();
  onChange((kind) => {
    if (match.thinking && searched && !isInGame(searched)) interrupt();
    if (kind === 'game' && match.side !== null && !isInGame(match.last)) leaveMatch();
    if (kind === 'turn' && match.side !== null && game.current.parent === match.last) afterMove();
    if (kind === 'end' && match.side !== null && game.result !== '*') {
      match.premove = null;
      match.message = null;
      adapt(game.result);
      keepGame();
    }
    // The engine's turn may have come while the user looked at other moves.
    if (kind === 'position') continueGame();
    redraw();
  });
  onConnection((state) => {
    if (state === 'closed') {
      search = 0;
      match.thinking = false;
    } else {
      lastTick = performance.now();
      continueGame();
    }
    redraw();
  });
  onForeignChange((id) => {
    if (id !== match.id || match.side === null) return;
    // Another tab plays on; this one stops its clock and its engine.
    interrupt();
    match.isParked = true;
    setCurrent(null);
    redraw();
  });
  window.addEventListener('pagehide', () => keepGame(false));
  setInterval(tick, 200);
}

/** Takes a game over that another tab has gone on with. */
export async function takeOver() {
  const { id } = match;
  if (connection.state !== 'open') return;
  if (find(id)) {
    match.side = null;
    await resume(id);
    return;
  }
  // The other tab has deleted it: what this one has goes on.
  match.isParked = false;
  setCurrent(id);
  lastTick = performance.now();
  keepGame(false);
  continueGame();
  redraw();
}
