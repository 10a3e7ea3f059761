// Drawings of the board and of the pieces in three sets. The characters are outlines from glyphs.txt, so no font is needed.

import { html } from './view.js';

/** Sets of pieces by name. */
export const SETS = ['simplified', 'traditional', 'pictures'];

const CHARACTERS = {
  simplified: { K: '帅', A: '仕', B: '相', N: '马', R: '车', C: '炮', P: '兵', k: '将', a: '士', b: '象', n: '马', r: '车', c: '炮', p: '卒' },
  traditional: { K: '帥', A: '仕', B: '相', N: '傌', R: '俥', C: '炮', P: '兵', k: '將', a: '士', b: '象', n: '馬', r: '車', c: '砲', p: '卒' },
};

/** Pictures of the seven kinds, about 56 units wide around the origin. */
const PICTURES = {
  k: 'M-26 20h52v7h-52zM-26 14l-4-30 15 12L0-28l15 24 15-12-4 30zM-4-33a4 4 0 1 1 8 0a4 4 0 1 1-8 0z',
  a: 'M0-30c7 0 11 5 11 11 0 4-2 8-5 10 10 3 17 10 18 22l1 14h-50l1-14c1-12 8-19 18-22-3-2-5-6-5-10 0-6 4-11 11-11zM-17-22h34v5h-34zM-4-4l4 8 4-8 2 26h-12z',
  b: 'M-28-6c0-13 10-21 25-21 12 0 20 5 23 13 5 1 9 6 9 13 0 12-1 21-6 27-3 3-7 2-8-1-1-4 3-4 4-8 1-3 1-6 0-9-2 3-4 4-7 4v15h-12v-11h-12v11h-12v-18c-2-3-4-9-4-15zM10-14a3 3 0 1 0 6 0a3 3 0 1 0-6 0z',
  n: 'M-22 28c0-16 4-24 15-33-6 1-11 4-15 8-3 3-9 0-9-4 2-9 10-20 21-25l2-9 7 7c16 1 26 15 26 33v23zM-7-13a3 3 0 1 0 6 0a3 3 0 1 0-6 0z',
  r: 'M-26 28v-9h5l3-26h-7v-21h11v7h8v-7h12v7h8v-7h11v21h-7l3 26h5v9zM-9-7l-2 26h22l-2-26z',
  c: 'M-30-14l7-8 47-2c4 0 7 4 7 9s-3 9-7 9l-21 3c6 3 10 9 10 15 0 9-8 17-17 17s-17-8-17-17c0-6 3-11 8-14zM-12 12a8 8 0 1 0 16 0a8 8 0 1 0-16 0z',
  p: 'M0-31c8 0 14 6 14 13 0 5-2 8-6 11h10v6H9c1 9 5 16 12 21v8h-42v-8c7-5 11-12 12-21h-9v-6h10c-4-3-6-6-6-11 0-7 6-13 14-13z',
};

const outlines = new Map();

/** Reads the outlines of the characters. */
export async function loadGlyphs() {
  const text = await (await fetch('./glyphs.txt')).text();
  for (const row of text.split('\n')) {
    const [letter, outline] = row.split('\t');
    if (outline) outlines.set(letter, outline);
  }
}

/** Returns the side of a piece from its letter. */
const sideOf = (letter) => (letter === letter.toUpperCase() ? 'red' : 'black');

function face(letter, set) {
  if (set === 'pictures') return html`<path class="face" fill-rule="evenodd" d=${PICTURES[letter.toLowerCase()]} />`;
  return html`<path class="face" transform="scale(.128)" d=${outlines.get(CHARACTERS[set][letter])} />`;
}

/** A piece around the origin with a radius of 45 units. */
export const Piece = ({ letter, set }) => html`
  <g class=${`disc ${sideOf(letter)}`}>
    <circle class="shadow" cx="2" cy="5" r="45" />
    <circle class="body" r="45" />
    <circle class="edge" r="44" />
    <circle class="ring" r="37" />
    ${face(letter, set)}
  </g>`;

/** A picture of a piece of its own, such as for a button. */
export const PieceImage = ({ letter, set }) => html`
  <svg class="piece-image" viewBox="-52 -52 104 104" aria-hidden="true"><${Piece} letter=${letter} set=${set} /></svg>`;

/** A text drawn with the outlines of the characters. */
export const Brush = ({ text }) => html`
  <svg class="brush" viewBox=${`-250 -260 ${text.length * 500} 520`} aria-hidden="true">
    ${[...text].map((letter, index) => html`<path transform=${`translate(${index * 500} 0)`} d=${outlines.get(letter)} />`)}
  </svg>`;

/** Gradients that board and pieces share; the page contains them once. Their colours are those of the style sheet. */
export const Definitions = () => html`
  <svg class="definitions" aria-hidden="true">
    <defs>
      <linearGradient id="wood" x1="0" y1="0" x2="1" y2="1"><stop class="wood-from" offset="0" /><stop class="wood-to" offset="1" /></linearGradient>
      <radialGradient id="disc" cx="0.35" cy="0.3" r="0.85"><stop class="disc-light" offset="0" /><stop class="disc-shade" offset="1" /></radialGradient>
      <filter id="grain" x="0" y="0" width="100%" height="100%">
        <feTurbulence type="fractalNoise" baseFrequency="0.012 0.22" numOctaves="2" seed="7" />
        <feColorMatrix values="0 0 0 0 0.3  0 0 0 0 0.18  0 0 0 0 0.06  0 0 0 0.5 -0.16" />
      </filter>
    </defs>
  </svg>`;

function lines() {
  let path = 'M0 0v900M800 0v900';
  for (let row = 0; row < 10; row += 1) path += `M0 ${row * 100}h800`;
  for (let column = 1; column < 8; column += 1) path += `M${column * 100} 0v400m0 100v400`;
  for (const top of [0, 700]) path += `M300 ${top}l200 200m0-200l-200 200`;
  return path;
}

/** Corner marks around the first points of cannons and pawns. */
function corners() {
  const points = [[1, 2], [7, 2], [1, 7], [7, 7]];
  for (const column of [0, 2, 4, 6, 8]) points.push([column, 3], [column, 6]);
  let path = '';
  for (const [column, row] of points) {
    for (const [right, down] of [[-1, -1], [1, -1], [-1, 1], [1, 1]]) {
      const [x, y] = [column * 100 + right * 7, row * 100 + down * 7];
      if (x >= 0 && x <= 800) path += `M${x} ${y + down * 14}V${y}H${x + right * 14}`;
    }
  }
  return path;
}

const LINES = lines();
const CORNERS = corners();

/** View box of a board: left, top, width and height. The upper left point is (0, 0). */
export const VIEW = [-66, -66, 932, 1032];

const label = (letter, x, y) => html`<path transform=${`translate(${x} ${y}) scale(.05)`} d=${outlines.get(letter)} />`;

/** An empty board. */
export const EmptyBoard = ({ flipped, coordinates, isSmall }) => html`
  <g class="ground">
    <rect class="frame" x="-66" y="-66" width="932" height="1032" rx="14" />
    <rect class="wood" x="-54" y="-54" width="908" height="1008" rx="8" />
    ${!isSmall && html`<rect class="grain" x="-54" y="-54" width="908" height="1008" rx="8" filter="url(#grain)" />`}
    <path class="lines" d=${LINES} />
    <path class="lines" d=${CORNERS} />
    <rect class="border" x="-11" y="-11" width="822" height="922" />
    <g class="river">${[...'楚河漢界'].map((letter, index) => html`
      <path transform=${`translate(${[130, 270, 530, 670][index]} 450) scale(.13)`} d=${outlines.get(letter)} />`)}</g>
    ${coordinates && html`<g class="coordinates">
      ${[...'abcdefghi'].map((letter, index) => label(letter, (flipped ? 8 - index : index) * 100, 938))}
      ${[...'0123456789'].map((letter, index) => label(letter, -38, (flipped ? index : 9 - index) * 100))}</g>`}
  </g>`;
