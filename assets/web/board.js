// The board: pieces that move, mouse, touch and keyboard. Which moves are legal comes from the engine.

import { EmptyBoard, Piece, VIEW } from './pieces.js';
import { classes, Component, html } from './view.js';
import { pieceName, say } from './words.js';

const fileOf = (square) => square.charCodeAt(0) - 97;
const rankOf = (square) => Number(square[1]);
const nameOf = (file, rank) => `${'abcdefghi'[file]}${rank}`;
const SQUARES = Array.from({ length: 90 }, (_, index) => nameOf(index % 9, 9 - Math.floor(index / 9)));

/** Returns the index of a square in a board of 90 letters. */
export const indexOf = (square) => (9 - rankOf(square)) * 9 + fileOf(square);

/** Returns the letter on a square of a board of 90 letters. */
export const letterOn = (board, square) => board[indexOf(square)];

/** Returns the board after moves; they are not checked. */
export function boardAfter(board, moves) {
  const letters = [...board];
  for (const move of moves) {
    letters[indexOf(move.slice(2))] = letters[indexOf(move.slice(0, 2))];
    letters[indexOf(move.slice(0, 2))] = '.';
  }
  return letters.join('');
}

/** Returns the coordinates of a square. */
function point(square, flipped) {
  const [x, y] = [fileOf(square) * 100, 900 - rankOf(square) * 100];
  return flipped ? [800 - x, 900 - y] : [x, y];
}

const place = ([x, y]) => ({ transform: `translate(${x}px, ${y}px)` });

/** Returns the outline of an arrow. */
function arrowPath(move, flipped, half) {
  const [[x1, y1], [x2, y2]] = [point(move.slice(0, 2), flipped), point(move.slice(2), flipped)];
  const length = Math.hypot(x2 - x1, y2 - y1);
  const [dx, dy] = [(x2 - x1) / length, (y2 - y1) / length];
  const at = (along, across) => `${(x1 + dx * along - dy * across).toFixed(1)} ${(y1 + dy * along + dx * across).toFixed(1)}`;
  const tip = length - 8;
  const points = [at(26, half), at(tip - 34, half), at(tip - 38, half * 2.7), at(tip, 0), at(tip - 38, -half * 2.7), at(tip - 34, -half), at(26, -half)];
  return `M${points.join('L')}z`;
}

/** A board without input, such as that of a line under the pointer. */
export const SmallBoard = ({ board, last, flipped, set }) => html`
  <svg class="small-board" viewBox=${VIEW.join(' ')} aria-hidden="true">
    <${EmptyBoard} isSmall=${true} flipped=${flipped} />
    ${last && [last.slice(0, 2), last.slice(2)].map((square) => html`<rect class="last" x="-46" y="-46" width="92" height="92" rx="14" style=${place(point(square, flipped))} />`)}
    ${SQUARES.filter((square) => letterOn(board, square) !== '.').map((square) => html`
      <g key=${square} style=${place(point(square, flipped))}><${Piece} letter=${letterOn(board, square)} set=${set} /></g>`)}
  </svg>`;

/**
 * The board. Properties: `fen`, `board` (90 letters), `legal`, `last`, `check`, `arrows`, `flipped`, `set`, `coordinates`,
 * `targets`, `editing`, `premoves` (whether moves of the other side are taken as premoves of `side`), `premove`.
 * `onMove(move)`, `onPremove(move)`, `onEdit(from, to)` where either may be null, and `announce(text)` are called.
 */
export class Board extends Component {
  constructor(props) {
    super(props);
    this.pieces = [];
    this.gone = [];
    this.nextKey = 0;
    this.selected = null;
    this.cursor = 'e0';
    this.usesKeys = false;
    this.dragged = null;
    this.drawing = null;
    /** Arrows and circles of the user, for the position they were drawn on. */
    this.marks = [];
    this.isStill = false;
    this.follow(props.board);
  }

  /** Gives each piece that moved the key that it had, so that it is seen to move. */
  follow(board) {
    const wanted = SQUARES.filter((square) => letterOn(board, square) !== '.').map((square) => ({ square, letter: letterOn(board, square) }));
    const left = [...this.pieces];
    const take = (test) => {
      const index = left.findIndex(test);
      return index < 0 ? null : left.splice(index, 1)[0];
    };
    const kept = wanted.map((piece) => ({ ...piece, key: take((old) => old.square === piece.square && old.letter === piece.letter)?.key }));
    const moved = kept.filter((piece) => piece.key === undefined);
    for (const piece of moved) {
      const old = take((other) => other.letter === piece.letter);
      piece.key = old?.key ?? this.nextKey;
      if (!old) this.nextKey += 1;
    }
    // A piece that was captured fades; after a jump to another position nothing does.
    this.gone = left.length === 1 && moved.length === 1 ? left : [];
    this.pieces = kept.sort((a, b) => a.key - b.key);
  }

  componentWillReceiveProps(next) {
    if (next.board === this.props.board && next.flipped === this.props.flipped) return;
    this.isStill = next.flipped !== this.props.flipped || next.editing;
    this.selected = null;
    this.marks = [];
    if (!this.dragged?.moved || next.board !== this.props.board) this.dragged = null;
    this.follow(next.board);
    // A piece that the user has dragged to its place is there already.
    if (this.dropped) {
      this.isStill = true;
      this.dropped = false;
    }
  }

  position(event) {
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg.getScreenCTM().inverse());
    return [at.x, at.y];
  }

  /** Returns the square of an event; null off the board. */
  square(event) {
    const [x, y] = this.position(event);
    let [file, row] = [Math.round(x / 100), Math.round(y / 100)];
    if (file < 0 || file > 8 || row < 0 || row > 9) return null;
    if (this.props.flipped) [file, row] = [8 - file, 9 - row];
    return nameOf(file, 9 - row);
  }

  targets(from) {
    return this.props.legal.filter((move) => move.startsWith(from)).map((move) => move.slice(2));
  }

  isOwn(square) {
    const letter = letterOn(this.props.board, square);
    return letter !== '.' && (letter === letter.toUpperCase() ? 'red' : 'black') === this.props.side;
  }

  /** Returns whether a piece can be taken up. */
  canSelect(square) {
    return this.targets(square).length > 0 || (this.props.premoves && this.isOwn(square));
  }

  /** Plays a move, or keeps it for later. Returns false if it is neither. */
  finish(from, to) {
    if (this.targets(from).includes(to)) {
      this.selected = null;
      this.props.onMove(from + to);
      return true;
    }
    if (this.props.premoves && from !== to && this.isOwn(from) && !this.isOwn(to)) {
      this.selected = null;
      this.props.onPremove(from + to);
      return true;
    }
    return false;
  }

  press(event) {
    const square = this.square(event);
    if (event.button === 2 && square && !this.props.editing) {
      this.drawing = square;
      this.svg.setPointerCapture(event.pointerId);
      return;
    }
    if (event.button || !square) return;
    event.preventDefault();
    this.usesKeys = false;
    this.isPressed = true;
    this.svg.focus({ preventScroll: true });
    this.isPressed = false;
    this.cursor = square;
    if (this.marks.length) this.marks = [];
    if (this.props.premove) this.props.onPremove(null);
    const beginDrag = (deselects) => {
      this.dragged = { from: square, moved: false, deselects };
      this.svg.setPointerCapture(event.pointerId);
    };
    if (this.props.editing) {
      if (letterOn(this.props.board, square) === '.') this.props.onEdit(null, square);
      else beginDrag(false);
    } else if (!(this.selected && this.selected !== square && this.finish(this.selected, square))) {
      if (this.canSelect(square)) {
        beginDrag(this.selected === square);
        this.selected = square;
      } else {
        this.selected = null;
      }
    }
    this.forceUpdate();
  }

  drag(event) {
    const { dragged } = this;
    if (!dragged) return;
    const [x, y] = this.position(event);
    const [startX, startY] = point(dragged.from, this.props.flipped);
    if (!dragged.moved && Math.hypot(x - startX, y - startY) < 30) return;
    Object.assign(dragged, { moved: true, x, y });
    this.forceUpdate();
  }

  release(event) {
    const square = this.square(event);
    if (this.drawing) {
      this.draw(this.drawing, square);
      this.drawing = null;
      return;
    }
    const { dragged } = this;
    if (!dragged) return;
    this.dragged = null;
    if (this.props.editing) {
      if (dragged.moved || square !== dragged.from) this.props.onEdit(dragged.from, square);
      else this.props.onEdit(null, square);
    } else if (dragged.moved && square) {
      this.dropped = this.finish(dragged.from, square);
    } else if (dragged.deselects && !dragged.moved) {
      this.selected = null;
    }
    this.forceUpdate();
  }

  /** Adds or removes an arrow, or a circle if both squares are the same. */
  draw(from, to) {
    if (to) {
      const mark = from + to;
      this.marks = this.marks.includes(mark) ? this.marks.filter((other) => other !== mark) : [...this.marks, mark];
    }
    this.forceUpdate();
  }

  drop() {
    this.dragged = null;
    this.drawing = null;
    this.forceUpdate();
  }

  key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const step = { ArrowUp: [0, 1], ArrowDown: [0, -1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] }[event.key];
    const isChoice = event.key === 'Enter' || event.key === ' ';
    // After the mouse was used, ← and → step through the game.
    if (step?.[0] && !this.usesKeys && !this.props.editing) return;
    if (step || isChoice) this.usesKeys = true;
    if (step) {
      const turn = this.props.flipped ? -1 : 1;
      const file = Math.min(8, Math.max(0, fileOf(this.cursor) + step[0] * turn));
      const rank = Math.min(9, Math.max(0, rankOf(this.cursor) + step[1] * turn));
      this.cursor = nameOf(file, rank);
      this.props.announce(`${this.cursor} ${pieceName(letterOn(this.props.board, this.cursor))}`);
    } else if (isChoice) {
      this.choose();
    } else if (event.key === 'Escape' && (this.selected || this.props.premove)) {
      this.selected = null;
      if (this.props.premove) this.props.onPremove(null);
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
    this.forceUpdate();
  }

  /** Chooses the square of the cursor. */
  choose() {
    const square = this.cursor;
    if (this.props.premove) this.props.onPremove(null);
    if (this.props.editing) {
      this.props.onEdit(null, square);
    } else if (this.selected && this.selected !== square && this.finish(this.selected, square)) {
      // The move is announced when it is made.
    } else if (this.canSelect(square)) {
      this.selected = square;
      this.props.announce(`${say('selected')}: ${square} ${pieceName(letterOn(this.props.board, square))}: ${this.targets(square).join(' ')}`);
    } else {
      this.props.announce(say('not_legal'));
    }
  }

  focus(isOn) {
    // The cursor is only for the keyboard.
    this.usesKeys = isOn && !this.isPressed;
    this.forceUpdate();
  }

  render({ fen, board, last, check, arrows, flipped, set, coordinates, targets, editing, premove }) {
    const at = (square) => place(point(square, flipped));
    const { dragged } = this;
    const isDragged = (piece) => dragged?.moved && piece.square === dragged.from;
    const isCapture = (square) => letterOn(board, square) !== '.';
    const box = (name, square) => html`<rect class=${name} x="-46" y="-46" width="92" height="92" rx="14" style=${at(square)} />`;
    return html`<svg ref=${(svg) => { this.svg = svg; }} class=${classes({ board: true, still: this.isStill, editing })} viewBox=${VIEW.join(' ')}
        role="application" tabindex="0" aria-label=${say('board_label')} data-fen=${fen} data-keys=${this.usesKeys ? '' : null}
        onPointerDown=${(event) => this.press(event)} onPointerMove=${(event) => this.drag(event)} onPointerUp=${(event) => this.release(event)}
        onPointerCancel=${() => this.drop()} onContextMenu=${(event) => event.preventDefault()} onKeyDown=${(event) => this.key(event)}
        onFocus=${() => this.focus(true)} onBlur=${() => this.focus(false)}>
      <${EmptyBoard} flipped=${flipped} coordinates=${coordinates} />
      <g>
        ${last && [last.slice(0, 2), last.slice(2)].map((square) => box('last', square))}
        ${premove && [premove.slice(0, 2), premove.slice(2)].map((square) => box('premove', square))}
        ${check && html`<circle key=${`check${fen}`} class="check" r="56" style=${at(check)} />`}
      </g>
      <g>
        ${this.gone.map((piece) => html`<g key=${`gone${piece.key}`} class="gone" style=${at(piece.square)}><${Piece} letter=${piece.letter} set=${set} /></g>`)}
        ${this.pieces.map((piece) => html`<g key=${piece.key} class=${classes({ piece: true, lifted: isDragged(piece), held: piece.square === this.selected })}
            style=${isDragged(piece) ? place([dragged.x, dragged.y]) : at(piece.square)} data-square=${piece.square}>
          <${Piece} letter=${piece.letter} set=${set} /></g>`)}
      </g>
      <g class="marks">
        ${this.selected && !editing && html`<circle class="selected" r="49" style=${at(this.selected)} />`}
        ${this.selected && !editing && targets && this.targets(this.selected).map((square) => (isCapture(square)
          ? html`<circle class="capture" r="49" style=${at(square)} />` : html`<circle class="target" r="13" style=${at(square)} />`))}
        ${arrows.map(({ move, rank }) => html`<path class=${`arrow rank${rank}`} d=${arrowPath(move, flipped, rank ? 6 : 10)} />`)}
        ${this.marks.map((mark) => (mark.slice(0, 2) === mark.slice(2) ? html`<circle class="drawn" r="50" style=${at(mark.slice(2))} />`
          : html`<path class="arrow drawn" d=${arrowPath(mark, flipped, 9)} />`))}
        ${this.usesKeys && html`<rect class="cursor" x="-50" y="-50" width="100" height="100" rx="12" style=${at(this.cursor)} />`}
      </g>
      <g class="points">${SQUARES.map((square) => html`<rect key=${square} data-point=${square} x="-50" y="-50" width="100" height="100" style=${at(square)} />`)}</g>
    </svg>`;
  }
}
