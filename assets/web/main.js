// The page: connects board, moves, play, analysis and files.

import { analysis, lineArrows, setEngine, setUpAnalysis, showAnalysis, stopEngine, translateAnalysis } from './analysis.js';
import { Board } from './board.js';
import { ask, connect, ConnectionClosed } from './connection.js';
import { edit, finishEditing, isEditing, setUpFiles, translateEditing } from './files.js';
import { game, goTo, line, newGame, onChange, play } from './game.js';
import { drawMoves, setUpMoves, shown, step } from './moves.js';
import { interrupt, isUsersTurn, leaveMatch, match, setUpPlay } from './play.js';
import { choose, currentLanguage, say, setLanguage } from './words.js';

const field = (name) => document.getElementById(name);
let flipped = false;
let hint = null;
let audio = null;

function announce(text) {
  field('live').textContent = text;
}

function notify(text) {
  field('notice').textContent = text;
  field('notice').hidden = !text;
}

async function move(from, to) {
  if (!isUsersTurn()) return;
  try {
    await play(from + to);
    notify('');
  } catch (error) {
    notify(error.message);
  }
}

const board = new Board(field('board'), { onMove: move, onEdit: edit, announce });

function drawBoard() {
  if (isEditing() || !game.state) return;
  const { state } = game;
  const legal = match.side && (game.ending || !isUsersTurn()) ? [] : state.legal;
  const arrows = hint ? [{ move: hint, rank: 1 }] : lineArrows();
  board.show({ board: state.board, legal, last: game.current.move || null, check: state.check, arrows, flipped, editing: false });
  field('bar').classList.toggle('flipped', flipped);
}

/** Returns how the game ended, or whose turn it is, in words. */
function stateText() {
  const { state, ending } = game;
  if (isEditing()) return say('edit');
  if (ending) return `${{ '1-0': say('red_wins'), '0-1': say('black_wins'), '1/2-1/2': say('draw') }[game.result]}: ${say(ending)}`;
  if (state.verdict.word !== 'none') return `${say(state.verdict.word)}: ${choose(state.verdict.reason)}`;
  const turn = say(`to_move_${state.side}`);
  return state.check ? `${turn}, ${say('check')}` : turn;
}

function clockText(milliseconds) {
  const seconds = Math.ceil(milliseconds / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

function drawClocks() {
  for (const clock of document.querySelectorAll('.clock')) {
    clock.textContent = match.clocks ? clockText(match.clocks[clock.dataset.side]) : '';
  }
}

function drawPlayers() {
  if (!game.state) return;
  for (const [name, side] of [['player-top', flipped ? 'red' : 'black'], ['player-bottom', flipped ? 'black' : 'red']]) {
    const tag = game.tags.find(([other]) => other === (side === 'red' ? 'Red' : 'Black'))?.[1] ?? '';
    const who = match.side ? say(match.side === side ? 'you' : 'chuhe') : tag;
    const label = document.createElement('span');
    label.className = 'name';
    label.textContent = who ? `${say(side)} · ${who}` : say(side);
    const clock = document.createElement('span');
    clock.className = 'clock';
    clock.dataset.side = side;
    field(name).replaceChildren(label, clock);
    field(name).classList.toggle('turn', game.state.side === side && !stateIsOver() && !isEditing());
  }
  drawClocks();
  const thinking = match.waiting ? say('waiting') : say('thinking');
  const text = match.thinking ? thinking : stateText();
  field('state').textContent = match.message && !match.thinking ? `${text} · ${match.message()}` : text;
  const { opening } = game.state;
  field('opening').hidden = !opening || isEditing();
  field('opening').textContent = choose(opening);
  const { cycle } = game.state.verdict;
  field('reason').hidden = !cycle;
  if (cycle) {
    const items = cycle.map((ply) => {
      const item = document.createElement('li');
      item.value = ply.ply;
      item.textContent = `${ply.move}: ${choose(ply)}`;
      return item;
    });
    field('reason').querySelector('ol').replaceChildren(...items);
  }
  for (const name of ['offer-draw', 'resign']) field(name).disabled = !match.side || stateIsOver();
  field('take-back').disabled = !game.current.parent;
  drawBoard();
}

const stateIsOver = () => game.ending !== null || game.state.verdict.word !== 'none';

function click() {
  if (field('sound').getAttribute('aria-pressed') !== 'true') return;
  audio ??= new AudioContext();
  const [oscillator, gain] = [audio.createOscillator(), audio.createGain()];
  oscillator.frequency.value = 320;
  gain.gain.setValueAtTime(0.15, audio.currentTime);
  gain.gain.exponentialRampToValueAtTime(0.001, audio.currentTime + 0.09);
  oscillator.connect(gain).connect(audio.destination);
  oscillator.start();
  oscillator.stop(audio.currentTime + 0.1);
}

onChange((kind) => {
  hint = null;
  if (kind === 'move') click();
  const { current } = game;
  const mover = game.state.side === 'red' ? 'black' : 'red';
  const played = current.move && kind !== 'end' ? `${say(mover)}: ${shown(current)} (${current.move}). ` : '';
  announce(`${played}${stateText()}`);
});

async function setMode(name) {
  if (!(await finishEditing())) return;
  const isAnalysis = name === 'analyse';
  if (isAnalysis) {
    interrupt();
    leaveMatch();
  } else {
    stopEngine();
  }
  field('play-panel').hidden = isAnalysis;
  field('mode-play').setAttribute('aria-pressed', String(!isAnalysis));
  field('mode-analyse').setAttribute('aria-pressed', String(isAnalysis));
  showAnalysis(isAnalysis);
  drawPlayers();
}

function flip(value = !flipped) {
  flipped = value;
  drawPlayers();
  if (isEditing()) board.show({ flipped });
}

function remember(name, value) {
  try {
    localStorage.setItem(name, value);
  } catch { /* Storage may be turned off. */ }
}

function recall(name) {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

function setTheme(name) {
  document.documentElement.dataset.theme = name;
  remember('theme', name);
}

function translate(name) {
  setLanguage(name);
  remember('language', name);
  if (!game.state) return;
  drawMoves();
  drawPlayers();
  translateAnalysis();
  translateEditing();
}

function setUpKeys() {
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (/^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)) return;
    const steps = { ArrowLeft: 'previous', ArrowRight: 'next', Home: 'first', End: 'last' };
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (steps[key] && isEditing()) return;
    if (steps[key]) step(steps[key]);
    else if (key === 'f') flip();
    else if (key === 'e' && analysis.isShown) setEngine(!analysis.isOn);
    else return;
    event.preventDefault();
  });
}

/** Ends what waits for the program, which is gone. */
function showClosed() {
  leaveMatch();
  stopEngine();
  drawPlayers();
  notify(say('closed'));
}

// Any control may send a request after the end of the connection.
window.addEventListener('unhandledrejection', (event) => {
  if (!(event.reason instanceof ConnectionClosed)) return;
  event.preventDefault();
  notify(event.reason.message);
});

async function main() {
  const dark = matchMedia('(prefers-color-scheme: dark)').matches;
  setTheme(recall('theme') ?? (dark ? 'dark' : 'light'));
  translate(recall('language') ?? currentLanguage());
  field('notation').value = recall('notation') ?? (currentLanguage() === 'zh' ? 'chinese' : 'wxf');
  field('notation').addEventListener('change', () => remember('notation', field('notation').value));
  await connect(showClosed);
  const hello = await ask('hello');
  field('version').textContent = `chuhe ${hello.version}`;
  setUpMoves();
  setUpFiles(board, notify, drawPlayers);
  const showHint = (best) => {
    hint = best;
    drawBoard();
  };
  setUpPlay({ drawPlayers, drawClocks, notify, showHint, flipTo: flip, prepare: finishEditing });
  setUpAnalysis(drawBoard);
  setUpKeys();
  field('mode-play').addEventListener('click', () => setMode('play'));
  field('mode-analyse').addEventListener('click', () => setMode('analyse'));
  field('flip').addEventListener('click', () => flip());
  field('language').addEventListener('click', () => translate(currentLanguage() === 'zh' ? 'en' : 'zh'));
  field('theme').addEventListener('click', () => setTheme(document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark'));
  field('sound').addEventListener('click', () => {
    const isOn = field('sound').getAttribute('aria-pressed') === 'true';
    field('sound').setAttribute('aria-pressed', String(!isOn));
  });
  field('rules').addEventListener('change', async () => {
    // The engine of a game begins again by the new rules.
    interrupt();
    game.rules = field('rules').value;
    await goTo(game.current);
  });
  field('move-form').addEventListener('submit', async (event) => {
    event.preventDefault();
    try {
      if (!isUsersTurn()) {
        notify(match.thinking ? say('thinking') : stateText());
        return;
      }
      const { move: found } = await ask('read_move', { ...line(), text: field('move-text').value });
      field('move-text').value = '';
      notify('');
      await move(found.slice(0, 2), found.slice(2));
    } catch (error) {
      notify(error.message);
    }
  });
  await newGame(null);
  document.body.dataset.ready = 'true';
}

main().catch((error) => notify(error.message));
