// The list of moves: main line, variations, comments and marks.

import { game, goTo, isInGame, onChange, path, promote, remove } from './game.js';
import { say } from './words.js';

const list = document.getElementById('moves');
const comment = document.getElementById('comment');
const notation = document.getElementById('notation');
const buttons = new Map();

/** Returns a move in the notation that the reader chose. */
export const shown = (name) => name[notation.value] || name.move;

function text(className, content, parent) {
  const span = document.createElement('span');
  span.className = className;
  span.textContent = content;
  parent.append(span, ' ');
}

/** Side that moves first, and the number of the first move. */
function firstMove() {
  const fields = (game.start ?? '').split(/\s+/);
  return { number: Number(fields[5]) || 1, isBlack: fields[1] === 'b' };
}

/** Draws the line that begins with `node` at ply `ply` (0 for the first move of the game). */
function drawLine(node, ply, parent, isVariation) {
  const { number, isBlack } = firstMove();
  let needsNumber = true;
  for (let at = node; at; at = at.children[0], ply += 1) {
    const half = ply + (isBlack ? 1 : 0);
    const ofBlack = half % 2 === 1;
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'move';
    button.textContent = shown(at);
    const target = at;
    button.addEventListener('click', () => goTo(target));
    buttons.set(at, button);
    // A number stays with its move.
    const whole = document.createElement('span');
    whole.className = 'numbered';
    if (!ofBlack || needsNumber) text('number', `${number + Math.floor(half / 2)}.${ofBlack ? '..' : ''}`, whole);
    whole.append(button);
    parent.append(whole);
    if (at.mark) text('mark', at.better ? `${at.mark} (${say('better')} ${shown(at.better)})` : at.mark, parent);
    if (at.comment) text('comment', at.comment, parent);
    parent.append(' ');
    needsNumber = Boolean(at.comment);
    const siblings = at.parent.children;
    if (siblings[0] === at && !(isVariation && at === node)) {
      for (const other of siblings.slice(1)) {
        const variation = document.createElement('span');
        variation.className = 'variation';
        drawLine(other, ply, variation, true);
        parent.append(variation);
        needsNumber = true;
      }
    }
  }
}

/** Draws the whole list. */
export function drawMoves() {
  list.replaceChildren();
  buttons.clear();
  if (game.root.comment) text('comment', game.root.comment, list);
  if (game.root.children[0]) drawLine(game.root.children[0], 0, list, false);
  if (game.result !== '*') text('number', game.result, list);
  mark();
}

let marked = null;
/** Node whose comment the user is writing; null when the field has no focus. */
let commented = null;

/** Shows the comment of the current move, unless that of another move of the game is being written. */
function showComment() {
  if (commented && isInGame(commented)) return;
  if (commented) commented = game.current;
  comment.value = game.current.comment;
}

/** Marks the current move. */
function mark() {
  marked?.removeAttribute('aria-current');
  marked = buttons.get(game.current) ?? null;
  marked?.setAttribute('aria-current', 'true');
  if (marked) {
    const [top, bottom] = [marked.offsetTop - 40, marked.offsetTop + marked.offsetHeight + 40 - list.clientHeight];
    if (list.scrollTop > top) list.scrollTop = top;
    else if (list.scrollTop < bottom) list.scrollTop = bottom;
  }
  showComment();
}

/** Goes a step along the current line. */
export function step(name) {
  const { current } = game;
  if (name === 'previous' && current.parent) goTo(current.parent);
  else if (name === 'next' && current.children[0]) goTo(current.children[0]);
  else if (name === 'first' && current.parent) goTo(game.root);
  else if (name === 'last') {
    let at = current;
    while (at.children[0]) [at] = at.children;
    if (at !== current) goTo(at);
  }
}

/** Connects the list with the game. */
export function setUpMoves() {
  onChange((kind) => (kind === 'position' ? mark() : drawMoves()));
  notation.addEventListener('change', drawMoves);
  comment.addEventListener('focus', () => {
    commented = game.current;
  });
  comment.addEventListener('blur', () => {
    commented = null;
    showComment();
  });
  comment.addEventListener('input', () => {
    (commented ?? game.current).comment = comment.value;
  });
  comment.addEventListener('change', drawMoves);
  for (const name of ['first', 'previous', 'next', 'last']) document.getElementById(name).addEventListener('click', () => step(name));
  document.getElementById('promote').addEventListener('click', () => promote(game.current));
  document.getElementById('delete').addEventListener('click', () => (path().length ? remove(game.current) : null));
}
