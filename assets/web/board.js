// The board: drawing, mouse, touch and keyboard. Which moves are legal comes from the program.

import { pieceName, say } from './words.js';

const SVG = 'http://www.w3.org/2000/svg';
const KINDS = { k: 'king', a: 'advisor', b: 'elephant', n: 'horse', r: 'rook', c: 'cannon', p: 'pawn' };
const ARROWS = ['#1b5a9e', '#2f7d32', '#8a5a00', '#6b4fa0', '#555'];

const pieceId = (letter) => `chuhe-${letter === letter.toUpperCase() ? 'red' : 'black'}-${KINDS[letter.toLowerCase()]}`;
const nameOf = (file, rank) => `${'abcdefghi'[file]}${rank}`;
const fileOf = (square) => square.charCodeAt(0) - 97;
const rankOf = (square) => Number(square[1]);

/** Returns the letter on a square of a board of 90 letters. */
export const letterOn = (board, square) => board[(9 - rankOf(square)) * 9 + fileOf(square)];

function element(name, attributes, parent) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  parent?.append(made);
  return made;
}

/** Creates a picture of a piece. */
export function pieceImage(letter) {
  const svg = element('svg', { viewBox: '-50 -50 100 100', width: 36, height: 36, 'aria-hidden': 'true' });
  element('use', { href: `#${pieceId(letter)}` }, svg);
  return svg;
}

/**
 * Board in an element. `onMove(from, to)` is called for a legal move, `onEdit(from, to)` in edit mode, where either may
 * be null, and `announce(text)` for what a screen reader should say.
 */
export class Board {
  constructor(parent, { onMove, onEdit, announce }) {
    Object.assign(this, { onMove, onEdit, announce });
    this.view = { board: '.'.repeat(90), legal: [], last: null, check: null, arrows: [], flipped: false, editing: false };
    this.selected = null;
    this.cursor = 'e0';
    this.isPressed = false;
    this.svg = element('svg', { viewBox: '-110 -75 995 1085', tabindex: '0', role: 'application' }, parent);
    this.layers = {};
    element('use', { href: '#chuhe-board' }, this.svg);
    this.coordinates = element('use', {}, this.svg);
    for (const name of ['below', 'pieces', 'marks', 'arrows', 'cursor']) this.layers[name] = element('g', {}, this.svg);
    this.svg.addEventListener('pointerdown', (event) => this.press(event));
    this.svg.addEventListener('pointermove', (event) => this.drag(event));
    this.svg.addEventListener('pointerup', (event) => this.release(event));
    this.svg.addEventListener('pointercancel', () => this.drop());
    this.svg.addEventListener('keydown', (event) => this.key(event));
    // The cursor is only for the keyboard.
    this.svg.addEventListener('focus', () => this.useKeys(!this.isPressed));
    this.svg.addEventListener('blur', () => this.useKeys(false));
  }

  useKeys(isOn) {
    if (isOn) this.svg.dataset.keys = '';
    else delete this.svg.dataset.keys;
    this.draw();
  }

  /** Shows a position; fields that are left out keep their value. */
  show(view) {
    if ('board' in view && view.board !== this.view.board) {
      this.selected = null;
      this.dragged = null;
    }
    Object.assign(this.view, view);
    this.draw();
  }

  point(square) {
    const [x, y] = [fileOf(square) * 100, 900 - rankOf(square) * 100];
    return this.view.flipped ? [800 - x, 900 - y] : [x, y];
  }

  /** Returns the square of an event; null off the board. */
  square(event) {
    const { x, y } = this.position(event);
    let [file, row] = [Math.round(x / 100), Math.round(y / 100)];
    if (file < 0 || file > 8 || row < 0 || row > 9) return null;
    if (this.view.flipped) [file, row] = [8 - file, 9 - row];
    return nameOf(file, 9 - row);
  }

  position(event) {
    return new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg.getScreenCTM().inverse());
  }

  targets(from) {
    return this.view.legal.filter((move) => move.startsWith(from)).map((move) => move.slice(2));
  }

  draw() {
    // A piece that is being dragged would lose its place.
    if (this.dragged?.moved) return;
    const { board, last, check, arrows, flipped, editing } = this.view;
    this.svg.setAttribute('aria-label', say('board_label'));
    this.coordinates.setAttribute('href', flipped ? '#chuhe-coordinates-flipped' : '#chuhe-coordinates');
    const { below, pieces, marks, cursor } = this.layers;
    Object.values(this.layers).forEach((layer) => layer.replaceChildren());
    const use = (id, square, parent) => {
      const [x, y] = this.point(square);
      return element('use', { href: `#${id}`, x, y }, parent);
    };
    const circle = (square, attributes, parent) => {
      const [cx, cy] = this.point(square);
      return element('circle', { cx, cy, ...attributes }, parent);
    };
    if (last) use('chuhe-origin', last.slice(0, 2), below);
    if (check) circle(check, { r: 50, fill: '#d93025', 'fill-opacity': 0.55 }, below);
    if (this.selected) circle(this.selected, { r: 50, fill: '#e9b949', 'fill-opacity': 0.8 }, below);
    for (let rank = 0; rank < 10; rank += 1) {
      for (let file = 0; file < 9; file += 1) {
        const square = nameOf(file, rank);
        const letter = letterOn(board, square);
        if (letter !== '.') {
          const piece = use(pieceId(letter), square, pieces);
          piece.classList.add('piece');
          piece.dataset.square = square;
        }
      }
    }
    if (last) use('chuhe-target', last.slice(2), marks);
    if (this.selected && !editing) {
      for (const target of this.targets(this.selected)) {
        const isCapture = letterOn(board, target) !== '.';
        const attributes = isCapture ? { r: 47, fill: 'none', stroke: '#2f7d32', 'stroke-width': 8 } : { r: 14, fill: '#2f7d32', 'fill-opacity': 0.75 };
        circle(target, attributes, marks);
      }
    }
    arrows.forEach(({ move, rank }) => this.drawArrow(move, rank));
    if ('keys' in this.svg.dataset) {
      const [x, y] = this.point(this.cursor);
      element('rect', { x: x - 50, y: y - 50, width: 100, height: 100, fill: 'none', stroke: '#1b5a9e', 'stroke-width': 8, rx: 10 }, cursor);
    }
  }

  drawArrow(move, rank) {
    const [[x1, y1], [x2, y2]] = [this.point(move.slice(0, 2)), this.point(move.slice(2))];
    const length = Math.hypot(x2 - x1, y2 - y1);
    if (!length) return;
    const [dx, dy] = [(x2 - x1) / length, (y2 - y1) / length];
    const half = rank === 0 ? 9 : 6;
    const at = (along, across) => `${(x1 + dx * along - dy * across).toFixed(1)} ${(y1 + dy * along + dx * across).toFixed(1)}`;
    const tip = length - 12;
    const points = [at(22, half), at(tip - 34, half), at(tip - 38, 26), at(tip, 0), at(tip - 38, -26), at(tip - 34, -half), at(22, -half)];
    element('path', {
      d: `M${points.join('L')}z`, fill: ARROWS[Math.min(rank, ARROWS.length - 1)], 'fill-opacity': rank === 0 ? 0.8 : 0.55,
      'pointer-events': 'none',
    }, this.layers.arrows);
  }

  press(event) {
    if (event.button) return;
    const square = this.square(event);
    if (!square) return;
    event.preventDefault();
    this.isPressed = true;
    this.svg.focus({ preventScroll: true });
    this.isPressed = false;
    this.useKeys(false);
    this.cursor = square;
    const { board, editing } = this.view;
    if (editing) {
      if (letterOn(board, square) === '.') this.onEdit(null, square);
      else this.beginDrag(event, square);
      return;
    }
    if (this.selected && this.targets(this.selected).includes(square)) {
      this.finish(this.selected, square);
    } else if (this.targets(square).length) {
      const wasSelected = this.selected === square;
      this.selected = square;
      this.draw();
      this.beginDrag(event, square);
      this.dragged.deselects = wasSelected;
    } else {
      this.selected = null;
      this.draw();
    }
  }

  beginDrag(event, from) {
    this.dragged = { from, piece: null, moved: false };
    this.svg.setPointerCapture(event.pointerId);
  }

  drag(event) {
    if (!this.dragged) return;
    const { x, y } = this.position(event);
    const [startX, startY] = this.point(this.dragged.from);
    if (!this.dragged.moved && Math.hypot(x - startX, y - startY) < 45) return;
    this.dragged.moved = true;
    this.dragged.piece ??= this.layers.pieces.querySelector(`[data-square="${this.dragged.from}"]`);
    this.dragged.piece.classList.add('dragged');
    this.dragged.piece.setAttribute('x', x);
    this.dragged.piece.setAttribute('y', y);
    this.layers.pieces.append(this.dragged.piece);
  }

  release(event) {
    const { dragged } = this;
    if (!dragged) return;
    this.dragged = null;
    const square = this.square(event);
    if (this.view.editing) {
      if (dragged.moved || square !== dragged.from) this.onEdit(dragged.from, square);
      else this.onEdit(null, square);
      this.draw();
      return;
    }
    if (dragged.moved && square && this.targets(dragged.from).includes(square)) {
      this.finish(dragged.from, square);
      return;
    }
    if (dragged.deselects && !dragged.moved) this.selected = null;
    this.draw();
  }

  drop() {
    this.dragged = null;
    this.draw();
  }

  finish(from, to) {
    this.selected = null;
    this.dragged = null;
    this.draw();
    this.onMove(from, to);
  }

  key(event) {
    const steps = { ArrowUp: [0, 1], ArrowDown: [0, -1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] };
    const step = steps[event.key];
    // After the mouse was used, ← and → step through the game.
    if (step?.[0] && !('keys' in this.svg.dataset) && !this.view.editing) return;
    if (step || event.key === 'Enter' || event.key === ' ') this.svg.dataset.keys = '';
    if (step && !event.ctrlKey && !event.altKey && !event.metaKey) {
      event.preventDefault();
      event.stopPropagation();
      const turn = this.view.flipped ? -1 : 1;
      const file = Math.min(8, Math.max(0, fileOf(this.cursor) + step[0] * turn));
      const rank = Math.min(9, Math.max(0, rankOf(this.cursor) + step[1] * turn));
      this.cursor = nameOf(file, rank);
      this.draw();
      this.announce(`${this.cursor} ${pieceName(letterOn(this.view.board, this.cursor))}`);
    } else if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      event.stopPropagation();
      this.choose();
    } else if (event.key === 'Escape') {
      this.selected = null;
      this.draw();
    }
  }

  /** Chooses the square of the cursor by the keyboard. */
  choose() {
    const square = this.cursor;
    if (this.view.editing) {
      this.onEdit(null, square);
    } else if (this.selected && this.targets(this.selected).includes(square)) {
      this.finish(this.selected, square);
    } else if (this.targets(square).length) {
      this.selected = square;
      this.draw();
      this.announce(`${say('selected')}: ${square} ${pieceName(letterOn(this.view.board, square))}: ${this.targets(square).join(' ')}`);
    } else {
      this.announce(say('not_legal'));
    }
  }
}
