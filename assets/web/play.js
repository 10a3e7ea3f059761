// Playing against the engine.

import { ask, start } from './connection.js';
import { end, game, goTo, line, newGame, onChange, play, remove } from './game.js';
import { shown } from './moves.js';
import { say } from './words.js';

const field = (name) => document.getElementById(name);

/** State of the game against the engine; `side` is that of the user, null when no game is on. */
export const match = { side: null, toMove: null, thinking: false, waiting: false, message: '', clocks: null, settings: null };

let page = null;
let search = 0;
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
  const chosen = field('side').value;
  match.side = chosen === 'random' ? ['red', 'black'][Math.floor(Math.random() * 2)] : chosen;
  match.settings = readSettings();
  match.message = '';
  match.clocks = match.settings.base ? { red: match.settings.base, black: match.settings.base } : null;
  game.current.clocks = match.clocks && { ...match.clocks };
  lastTick = performance.now();
  match.toMove = game.state.side;
  game.result = '*';
  game.tags = [['Red', match.side === 'red' ? say('you') : say('chuhe')], ['Black', match.side === 'black' ? say('you') : say('chuhe')]];
}

/** Stops the engine's thinking without a move. */
export function interrupt() {
  if (search) ask('stop').catch(() => {});
  search = 0;
  match.thinking = false;
}

/** Ends the game against the engine, such as when another game is loaded. */
export function leaveMatch() {
  interrupt();
  match.side = null;
  match.clocks = null;
  match.message = '';
}

function think(purpose, done) {
  const { settings } = match;
  const side = game.state.side;
  const content = { ...line(), purpose, skill: settings?.skill, book: settings?.book, tablebases: settings?.tablebases };
  if (purpose === 'play' && match.clocks) Object.assign(content, { clock: Math.max(50, Math.round(match.clocks[side])), increment: settings.increment });
  else if (purpose === 'play' && settings.time) content.time = settings.time;
  else if (purpose === 'play' && settings.skill === 20) content.time = 1500;
  const id = start('go', content, (event, message) => {
    if (id !== search) return;
    match.waiting = event === 'waiting';
    if (event === 'failed') match.message = message.error;
    if (event === 'finished' || event === 'failed') {
      search = 0;
      match.thinking = false;
      if (event === 'finished') done(message);
    }
    page.drawPlayers();
  });
  search = id;
  match.thinking = true;
  page.drawPlayers();
}

/** Lets the engine move if it is its turn. */
function continueGame() {
  if (!match.side || match.thinking || isOver() || game.state.side === match.side) return;
  const node = game.current;
  think('play', async ({ best, book }) => {
    if (!best) return;
    match.message = book ? say('from_book') : '';
    // The user may be looking at an earlier move.
    if (game.current !== node) await goTo(node);
    await play(best.move);
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
  match.clocks[side] -= passed;
  if (match.clocks[side] <= 0) {
    match.clocks[side] = 0;
    interrupt();
    end(winOf(other(side)), `timeout_${side}`);
  }
  page.drawClocks();
}

/**
 * Connects the controls with functions of the page: `drawPlayers`, `drawClocks`, `showHint` for the arrow of a hint,
 * `flipTo` to turn the board, and `prepare`, which resolves to false if the position on the board cannot be played.
 */
export function setUpPlay(functions) {
  page = functions;
  const beginHere = () => {
    begin();
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
  field('take-back').addEventListener('click', async () => {
    interrupt();
    game.ending = null;
    let at = game.current;
    if (match.side) {
      // Back to the user's last turn.
      const back = game.state.side === match.side ? 2 : 1;
      for (let count = 1; count < back && at.parent?.parent; count += 1) at = at.parent;
    }
    // First of all, or a flag that has fallen would fall again.
    const { clocks } = at.parent ?? at;
    if (match.clocks && clocks) match.clocks = { ...clocks };
    lastTick = performance.now();
    if (at.parent) await remove(at);
    else await goTo(at);
    match.toMove = game.state.side;
    continueGame();
  });
  field('hint').addEventListener('click', () => {
    if (match.thinking || isOver()) return;
    think('hint', ({ best, score }) => {
      if (!best) return;
      match.message = `${say('hint_is')}: ${shown(best)} (${score?.text ?? ''})`;
      page.showHint(best.move);
    });
  });
  field('offer-draw').addEventListener('click', () => {
    if (!match.side || !isUsersTurn()) return;
    think('draw', ({ accepts }) => {
      if (accepts) end('1/2-1/2', 'agreed');
      else match.message = say('refused');
    });
  });
  field('resign').addEventListener('click', () => {
    if (!match.side || isOver()) return;
    interrupt();
    end(winOf(other(match.side)), `resigned_${match.side}`);
  });
  onChange((kind) => {
    if (kind === 'move') {
      const mover = other(game.state.side);
      tick();
      match.toMove = game.state.side;
      if (match.clocks && !game.ending) {
        match.clocks[mover] += match.settings.increment;
        game.current.clocks = { ...match.clocks };
      }
      if (mover === match.side) match.message = '';
      const result = { red_wins: '1-0', black_wins: '0-1', draw: '1/2-1/2' }[game.state.verdict.word];
      if (match.side && result) end(result, null);
      // The user went back from the end of the game and plays another move.
      else if (match.side && game.result !== '*' && !game.ending) end('*', null);
      continueGame();
    }
    // The words of the result say enough.
    if (kind === 'end' && game.result !== '*') match.message = '';
    page.drawPlayers();
  });
  setInterval(tick, 200);
}
