// Games in and out: text and files in any format, addresses with a position, and pictures of the board.

import { restore } from './boards.js';
import { ask } from './engine.js';
import { game, load, newGame, tag, toObject } from './game.js';
import { leaveMatch } from './match.js';
import { redraw } from './view.js';
import { say } from './words.js';

/** Largest file in bytes, below the limit of a message. */
const MAX_FILE = 28_000_000;

/** The games of the file that each game came from, and the `index` of that game, by its root. */
const files = new WeakMap();

/** Returns the file that the game on the board, or another one, came from; null for none. */
export const fileOf = (root = game.root) => files.get(root) ?? null;

/** Says which file the game on the board came from. */
export function setFile(file) {
  files.set(game.root, file);
  redraw();
}

/** Shows a game of a file. */
export async function showGame(games, index) {
  leaveMatch();
  game.rules = 'computer';
  await load(games[index]);
  setFile({ games, index });
}

async function read(content) {
  const answer = await ask('import', content);
  if (answer.format === 'fen') await setUp(answer.games[0].start);
  else await showGame(answer.games, 0);
  return answer;
}

/** Reads games, moves or a position from a text. */
export const readText = (text) => read({ text });

/** Reads a file in any format. */
export async function readFile(file) {
  if (file.size > MAX_FILE) throw new Error(say('file_too_large', file.name));
  const bytes = new Uint8Array(await file.arrayBuffer());
  let text = '';
  for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return read({ data: btoa(text) });
}

/** Shows the position of an address, with the moves that this tab has made from it. */
export async function setFen(fen) {
  if (!(await restore(history.state?.board, fen))) await setUp(fen);
}

/** Sets up a position, the start position if it is empty. An error leaves the game as it is. */
export async function setUp(fen) {
  const start = fen?.trim() || null;
  await ask('position', { start, moves: [] });
  leaveMatch();
  await newGame(start);
}

/** Returns the game in a format as bytes, with the extension of its file. */
async function exported(format, notation) {
  const { data, extension } = await ask('export', { game: toObject(), format, notation: notation === 'move' ? 'iccs' : notation });
  return { bytes: Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0)), extension };
}

/** Returns the game in a format as text. */
export const exportText = async (format, notation) => new TextDecoder().decode((await exported(format, notation)).bytes).trim();

function fileName() {
  return [tag('Red'), tag('Black')].filter(Boolean).join('-').replace(/[^\p{L}\p{N}-]+/gu, '_') || 'game';
}

/** Saves bytes or text as a file. */
function download(content, extension, type = 'application/octet-stream') {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([content], { type }));
  link.download = `${fileName()}.${extension}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** Saves the game as a file. */
export async function saveGame(format, notation) {
  const { bytes, extension } = await exported(format, notation);
  download(bytes, extension);
}

/** Returns the end of the address of the page with a position. */
export const hashOf = (fen) => `#fen=${fen.replaceAll(' ', '_')}`;

/** Returns the address of the page with the position on the board. */
export const linkToPosition = () => location.href.split('#')[0] + hashOf(game.state.fen);

/** Returns the position that the address of the page names, or null. */
export function fenOfAddress() {
  const [, name, value] = /^#(fen)=(.+)$/.exec(location.hash) ?? [];
  try {
    return name ? decodeURIComponent(value).replaceAll('_', ' ').replaceAll('+', ' ') : null;
  } catch {
    return null;
  }
}

/** Styles that a picture of the board takes along, since it has no style sheet. */
const PICTURE_STYLES = ['fill', 'fill-opacity', 'stroke', 'stroke-width', 'stroke-opacity', 'stroke-linejoin', 'opacity', 'stop-color', 'transform', 'display'];

/** Returns the board as an SVG file. */
function boardPicture(size) {
  const board = document.querySelector('svg.board');
  const copy = board.cloneNode(true);
  const take = (from, to) => {
    const style = getComputedStyle(from);
    for (const name of PICTURE_STYLES) {
      const value = style.getPropertyValue(name);
      if (value && !(name === 'transform' && value === 'none')) to.setAttribute(name, value);
    }
    to.removeAttribute('class');
    to.removeAttribute('style');
    [...from.children].forEach((child, index) => take(child, to.children[index]));
  };
  take(board, copy);
  const definitions = document.querySelector('svg.definitions defs');
  const defs = definitions.cloneNode(true);
  take(definitions, defs);
  copy.prepend(defs);
  copy.querySelector('[data-point]').parentNode.remove();
  for (const name of ['role', 'tabindex', 'aria-label', 'data-keys']) copy.removeAttribute(name);
  const [, , width, height] = copy.getAttribute('viewBox').split(' ').map(Number);
  copy.setAttribute('width', size);
  copy.setAttribute('height', Math.round((size * height) / width));
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  return new XMLSerializer().serializeToString(copy);
}

/** Returns the board as a PNG. */
export async function boardImage() {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(boardPicture(932))}`;
  await image.decode();
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [image.width, image.height];
  canvas.getContext('2d').drawImage(image, 0, 0);
  return new Promise((resolve) => { canvas.toBlob(resolve, 'image/png'); });
}

/** Saves the board as a picture, `png` or `svg`. */
export async function savePicture(format) {
  if (format === 'svg') download(boardPicture(932), 'svg', 'image/svg+xml');
  else download(await boardImage(), 'png', 'image/png');
}
