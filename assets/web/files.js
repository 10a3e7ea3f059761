// Loading and saving games, and editing positions.

import { letterOn, pieceImage } from './board.js';
import { ask } from './connection.js';
import { game, load as loadGame, newGame, onChange, toObject } from './game.js';
import { leaveMatch } from './play.js';
import { pieceName, say } from './words.js';

const field = (name) => document.getElementById(name);

/** Largest file in bytes, below the limit of a message. */
const MAX_FILE = 28_000_000;

let loaded = [];
let notify = () => {};
let redraw = () => {};
let board = null;
let edited = null;

async function load(object) {
  leaveMatch();
  await loadGame(object);
}

async function show(answer) {
  loaded = answer.games;
  const select = field('games');
  select.replaceChildren(...loaded.map((object, index) => {
    const tag = (name) => object.tags.find(([other]) => other === name)?.[1] ?? '';
    const option = document.createElement('option');
    option.value = index;
    option.textContent = `${index + 1}. ${[tag('Red'), tag('Black')].filter(Boolean).join(' – ') || tag('Event') || tag('Title')} ${object.result}`;
    return option;
  }));
  field('games-label').hidden = loaded.length < 2;
  await load(loaded[0]);
  const lines = [...answer.errors.slice(0, 5)];
  if (answer.is_cut) lines.push(say('more_games'));
  notify(lines.join('\n'));
}

async function read(content) {
  try {
    await show(await ask('import', content));
  } catch (error) {
    notify(error.message);
  }
}

/** Reads a file in any format. */
export async function readFile(file) {
  if (file.size > MAX_FILE) {
    notify(`${file.name}: > ${MAX_FILE} bytes`);
    return;
  }
  const bytes = new Uint8Array(await file.arrayBuffer());
  let text = '';
  for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192));
  await read({ data: btoa(text) });
}

async function save(format) {
  try {
    const notation = field('notation').value;
    const answer = await ask('export', { game: toObject(), format, notation: notation === 'move' ? 'iccs' : notation });
    const bytes = Uint8Array.from(atob(answer.data), (letter) => letter.charCodeAt(0));
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([bytes]));
    const tag = (name) => game.tags.find(([other]) => other === name)?.[1] ?? '';
    const name = [tag('Red'), tag('Black')].filter(Boolean).join('-').replace(/[^\p{L}\p{N}-]+/gu, '_') || 'game';
    link.download = `${name}.${answer.extension}`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
    notify('');
  } catch (error) {
    notify(error.message);
  }
}

async function setFen(fen) {
  const start = fen.trim() || null;
  try {
    // An error leaves the game against the engine as it is.
    await ask('position', { start, moves: [] });
    leaveMatch();
    await newGame(start);
    notify('');
  } catch (error) {
    notify(error.message);
  }
}

function showEdited() {
  board.show({ board: edited.letters.join(''), legal: [], last: null, check: null, arrows: [], editing: true });
  field('edit-side').textContent = `${say('change_side')} (${say(edited.side)})`;
}

/** Changes the edited board: `from` is null for a piece of the palette, `to` is null off the board. */
export function edit(from, to) {
  if (!edited) return;
  const index = (square) => (9 - Number(square[1])) * 9 + square.charCodeAt(0) - 97;
  const letter = from ? letterOn(edited.letters.join(''), from) : edited.piece;
  if (from) edited.letters[index(from)] = '.';
  if (to) edited.letters[index(to)] = !from && edited.letters[index(to)] === letter ? '.' : letter;
  showEdited();
}

/** Returns whether the position is being edited. */
export const isEditing = () => edited !== null;

function palette() {
  const row = document.createElement('div');
  row.className = 'row';
  row.id = 'palette';
  for (const letter of 'KABNRCPkabnrcp') {
    const button = document.createElement('button');
    button.type = 'button';
    button.dataset.letter = letter;
    button.append(pieceImage(letter));
    button.setAttribute('aria-label', pieceName(letter));
    button.setAttribute('aria-pressed', String(letter === edited.piece));
    button.addEventListener('click', () => {
      edited.piece = letter;
      for (const other of row.children) other.setAttribute('aria-pressed', String(other === button));
    });
    row.append(button);
  }
  field('steps').before(row);
}

function showEditing(isOn) {
  document.body.classList.toggle('editing', isOn);
  field('edit').setAttribute('aria-pressed', String(isOn));
  for (const name of ['edit-clear', 'edit-start', 'edit-side', 'edit-help']) field(name).hidden = !isOn;
  redraw();
}

function startEditing() {
  leaveMatch();
  edited = { letters: [...game.state.board], side: game.state.side, piece: 'R' };
  palette();
  showEdited();
  showEditing(true);
}

/** Ends editing without a new position. */
function endEditing() {
  edited = null;
  field('palette').remove();
  board.show({ editing: false });
  showEditing(false);
}

/** Draws the texts of editing in the language of the page. */
export function translateEditing() {
  if (!edited) return;
  showEdited();
  for (const button of field('palette').children) button.setAttribute('aria-label', pieceName(button.dataset.letter));
}

const isUnchanged = () => edited.letters.join('') === game.state.board && edited.side === game.state.side;

/** Sets up the edited position, if it differs from that of the game. Returns false if it is not valid. */
export async function finishEditing() {
  if (!edited) return true;
  if (isUnchanged()) {
    endEditing();
    notify('');
    return true;
  }
  try {
    const { fen } = await ask('set_up', { board: edited.letters.join(''), side: edited.side });
    endEditing();
    await setFen(fen);
    return true;
  } catch (error) {
    notify(error.message);
    return false;
  }
}

/** Connects the controls; `show` shows a message above the board, `draw` draws what is beside it. */
export function setUpFiles(boardOfPage, show, draw) {
  board = boardOfPage;
  notify = show;
  redraw = draw;
  field('load').addEventListener('click', () => read({ text: field('paste').value }));
  field('file').addEventListener('change', () => {
    const [file] = field('file').files;
    if (file) readFile(file);
    field('file').value = '';
  });
  field('games').addEventListener('change', () => load(loaded[Number(field('games').value)]));
  for (const format of ['pgn', 'xqf', 'dhtmlxq', 'moves']) field(`save-${format}`).addEventListener('click', () => save(format));
  field('set-fen').addEventListener('click', () => setFen(field('fen').value));
  field('copy-fen').addEventListener('click', () => navigator.clipboard?.writeText(field('fen').value));
  field('edit').addEventListener('click', () => (edited ? finishEditing() : startEditing()));
  field('edit-clear').addEventListener('click', () => {
    edited.letters.fill('.');
    showEdited();
  });
  field('edit-start').addEventListener('click', async () => {
    const { board: letters } = await ask('position', { moves: [] });
    edited.letters = [...letters];
    showEdited();
  });
  field('edit-side').addEventListener('click', () => {
    edited.side = edited.side === 'red' ? 'black' : 'red';
    showEdited();
  });
  onChange((kind) => {
    if (edited && (kind === 'game' || kind === 'move')) endEditing();
    if (document.activeElement !== field('fen')) field('fen').value = game.state.fen;
  });
  for (const name of ['dragenter', 'dragover']) {
    document.addEventListener(name, (event) => {
      event.preventDefault();
      document.body.classList.add('dropping');
    });
  }
  document.addEventListener('dragleave', (event) => {
    if (!event.relatedTarget) document.body.classList.remove('dropping');
  });
  document.addEventListener('drop', (event) => {
    event.preventDefault();
    document.body.classList.remove('dropping');
    const [file] = event.dataTransfer.files;
    if (file) readFile(file);
    else if (event.dataTransfer.getData('text')) read({ text: event.dataTransfer.getData('text') });
  });
}
