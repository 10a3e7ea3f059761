// Playing against the engine.

import { ask, start } from './connection.js';
import { allNodes, end, game, goTo, isInGame, line, newGame, onChange, play, remove } from './game.js';
import { shown } from './moves.js';
import { say } from './words.js';

const field = (name) => document.getElementById(name);

/**
 * State of the game against the engine, which may continue a loaded game. `side` is that of the user, null when no game
 * is on; `last` is the node of the position to play on from; `given` has the nodes that were there before. `message`
 * returns a text beside the state in the language of the page.
 */
export const match = {
  side: null, toMove: null, thinking: false, waiting: false, message: null, clocks: null, settings: null, last: null, given: new Set(),
};

let page = null;
let search = 0;
let searched = null;
let lastTick = 0;

const other = (side) => (side === 'red' ? 'black' : 'red');
const isOver = () => game.ending !== null || game.state.verdict.word !== 'none';
const winOf = (side) => (side === 'red' ? '1-0' : '0-1');

function readSettings() {
  const time = field('time').value;
  const [, base, increment] = time.startsWith('clock:') ? time.split(':').map(Number) : [];
  return { skill: Number(field('level').value), time: Number(time) || null, base, increment, book: field('use-book').checked, tablebases: field('use-tables').checked };
}

function begin() {
  // Of two clicks on New game, the first may have begun a search already.
  interrupt();
  const chosen = field('side').value;
  match.side = chosen === 'random' ? ['red', 'black'][Math.floor(Math.random() * 2)] : chosen;
  match.settings = readSettings();
  match.last = game.current;
  match.given = new Set(allNodes());
  match.message = null;
  match.clocks = match.settings.base ? { red: match.settings.base, black: match.settings.base } : null;
  for (const node of match.given) node.clocks = match.clocks && { ...match.clocks };
  lastTick = performance.now();
  match.toMove = game.state.side;
  game.result = '*';
  const others = game.tags.filter(([name]) => name !== 'Red' && name !== 'Black');
  game.tags = [['Red', match.side === 'red' ? say('you') : say('chuhe')], ['Black', match.side === 'black' ? say('you') : say('chuhe')], ...others];
}

/** Stops the engine's thinking without a move. */
export function interrupt() {
  if (search) ask('stop').catch(() => {});
  search = 0;
  match.thinking = false;
  match.waiting = false;
}

/** Ends the game against the engine, such as when another game is loaded. */
export function leaveMatch() {
  interrupt();
  match.side = null;
  match.clocks = null;
  match.message = null;
}

function think(purpose, done) {
  const { settings } = match;
  const node = game.current;
  const side = game.state.side;
  const content = { ...line(), purpose, skill: settings?.skill, book: settings?.book, tablebases: settings?.tablebases };
  if (purpose === 'play' && match.clocks) Object.assign(content, { clock: Math.max(50, Math.round(match.clocks[side])), increment: settings.increment });
  else if (purpose === 'play' && settings.time) content.time = settings.time;
  else if (purpose === 'play' && settings.skill === 20) content.time = 1500;
  const id = start('go', content, (event, message) => {
    // The time until now counts by the state until now.
    tick();
    if (id !== search) return;
    match.waiting = event === 'waiting';
    if (event === 'failed') match.message = () => message.error;
    if (event === 'finished' || event === 'failed') {
      search = 0;
      match.thinking = false;
      if (event === 'finished' && isInGame(node)) done(message);
    }
    page.drawPlayers();
  });
  search = id;
  searched = node;
  match.thinking = true;
  page.drawPlayers();
}

/** Lets the engine move if it is its turn and the user is not looking at another move. */
function continueGame() {
  if (!match.side || match.thinking || isOver() || game.current !== match.last || game.state.side === match.side) return;
  const node = game.current;
  think('play', async ({ best, book }) => {
    if (!best) return;
    match.message = book ? () => say('from_book') : null;
    // The user may be looking at an earlier move.
    await play(best.move, node);
  });
}

/** Returns whether the user may move now. */
export const isUsersTurn = () => !match.side || (!match.thinking && !isOver() && game.state.side === match.side);

function tick() {
  const now = performance.now();
  const passed = now - lastTick;
  lastTick = now;
  if (!match.side || !match.clocks || game.result !== '*') return;
  const side = match.toMove;
  // Searches of other pages cost no time.
  if (!match.waiting) match.clocks[side] -= passed;
  if (match.clocks[side] <= 0) {
    match.clocks[side] = 0;
    interrupt();
    end(winOf(other(side)), `timeout_${side}`, match.last);
  }
  page.drawClocks();
}

/** Plays on from the current move, with the clocks as they were there. */
function resume() {
  interrupt();
  match.last = game.current;
  match.message = null;
  if (match.clocks && game.current.clocks) match.clocks = { ...game.current.clocks };
  lastTick = performance.now();
  match.toMove = game.state.side;
  if (game.result !== '*') end('*', null);
  continueGame();
}

/** Returns to the user's last turn. Deletes only moves of this game against the engine, and only from its end. */
async function takeBack() {
  let at = game.current;
  if (match.side && game.state.side === match.side && at.parent?.parent) at = at.parent;
  const deletes = match.side && game.current === match.last && !match.given.has(at);
  interrupt();
  if (deletes) {
    await remove(at);
  } else {
    await goTo(at.parent ?? at);
    if (match.side) resume();
  }
}

/** Records the verdict of the rules; after other moves or under other rules there may be none. */
function recordVerdict() {
  const result = { red_wins: '1-0', black_wins: '0-1', draw: '1/2-1/2' }[game.state.verdict.word];
  if (result) end(result, null);
  else if (game.result !== '*' && !game.ending) end('*', null);
}

function afterMove() {
  const mover = other(game.state.side);
  tick();
  match.toMove = game.state.side;
  if (match.clocks && !game.ending) {
    match.clocks[mover] += match.settings.increment;
    game.current.clocks = { ...match.clocks };
  }
  if (!match.side) return;
  match.last = game.current;
  if (mover === match.side) match.message = null;
  recordVerdict();
  continueGame();
}

/**
 * Connects the controls with functions of the page: `drawPlayers`, `drawClocks`, `notify` for a message above the board,
 * `showHint` for the arrow of a hint, `flipTo` to turn the board, and `prepare`, which resolves to false if the position
 * on the board cannot be played.
 */
export function setUpPlay(functions) {
  page = functions;
  const beginHere = () => {
    begin();
    page.notify('');
    page.flipTo(match.side === 'black');
    continueGame();
    page.drawPlayers();
  };
  field('new-game').addEventListener('submit', async (event) => {
    event.preventDefault();
    leaveMatch();
    await newGame(null);
    beginHere();
  });
  field('from-here').addEventListener('click', async () => {
    if (!(await page.prepare())) return;
    leaveMatch();
    game.ending = null;
    beginHere();
  });
  field('level').addEventListener('input', () => {
    field('level-shown').textContent = field('level').value;
  });
  field('take-back').addEventListener('click', takeBack);
  field('hint').addEventListener('click', () => {
    if (match.thinking || isOver()) return;
    think('hint', ({ best, score }) => {
      if (!best) return;
      match.message = () => `${say('hint_is')}: ${shown(best)} (${score?.text ?? ''})`;
      page.showHint(best.move);
    });
  });
  field('offer-draw').addEventListener('click', () => {
    if (!match.side || !isUsersTurn()) return;
    think('draw', ({ accepts }) => {
      if (accepts) end('1/2-1/2', 'agreed', match.last);
      else match.message = () => say('refused');
    });
  });
  field('resign').addEventListener('click', () => {
    if (!match.side || isOver()) return;
    interrupt();
    end(winOf(other(match.side)), `resigned_${match.side}`, match.last);
  });
  onChange((kind) => {
    if (match.thinking && !isInGame(searched)) interrupt();
    if (kind === 'move') afterMove();
    if (kind === 'game' && match.side && !isInGame(match.last)) resume();
    // A reply that arrived while the user stepped through the game was not played, and rules may have changed.
    if (kind === 'position' && match.side && !game.ending && game.current === match.last) {
      recordVerdict();
      continueGame();
    }
    // The words of the result say enough.
    if (kind === 'end' && game.result !== '*') match.message = null;
    page.drawPlayers();
  });
  setInterval(tick, 200);
}
