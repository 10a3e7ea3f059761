// Parts that several views share: icons, buttons, the board with its players, and the list of moves.

import { makeMove } from './actions.js';
import { lineArrows } from './analysis.js';
import { Board } from './board.js';
import { clockText, shownTime } from './clock.js';
import { edit, editedBoard, editor } from './editor.js';
import { firstMove, game, goTo, isEnded, isOver, path, step, tag } from './game.js';
import { opponentOf } from './opponents.js';
import { hintMove, isAtLast, isPlaying, isUsersTurn, match, other, setPremove } from './match.js';
import { announce, attempt, flip, hasBar, page, shown } from './page.js';
import { settings } from './store.js';
import { classes, Component, html } from './view.js';
import { choose, choosePair, say } from './words.js';

const ICONS = {
  share: 'M12 15V4m0 0L8 8m4-4l4 4M5 12v7h14v-7', gear: 'M12 9a3 3 0 1 0 0 6a3 3 0 0 0 0-6zM12 2v3m0 14v3M2 12h3m14 0h3M5 5l2 2m10 10l2 2M5 19l2-2M17 7l2-2', close: 'M6 6l12 12M18 6L6 18',
  first: 'M18 6l-6 6 6 6M7 6v12', previous: 'M15 6l-6 6 6 6', next: 'M9 6l6 6-6 6', last: 'M6 6l6 6-6 6M17 6v12', flip: 'M8 4v15m0 0l-3-3m3 3l3-3M16 20V5m0 0l-3 3m3-3l3 3',
  hint: 'M9 18h6m-5 3h4M12 3a6 6 0 0 0-3.5 10.9c.6.5 1 1.200 1 2V16h5v-.1c0-.8.4-1.500 1-2A6 6 0 0 0 12 3z', undo: 'M9 7L4 12l5 5M4 12h10a6 6 0 0 1 0 7', draw: 'M5 9h14M5 15h14', resign: 'M6 21V4h11l-3 4 3 4H6', open: 'M4 19V6h6l2 2h8v11zM4 11h16',
  edit: 'M4 20h4L19 9l-4-4L4 16zM13 7l4 4', bin: 'M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13', up: 'M12 19V5m0 0l-5 5m5-5l5 5', right: 'M9 5l7 7-7 7', engine: 'M7 7h10v10H7zM10 2v5m4-5v5m-4 10v5m4-5v5M2 10h5m-5 4h5m10-4h5m-5 4h5',
};

/** An icon. */
export const Icon = ({ name }) => html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d=${ICONS[name]} /></svg>`;

/** A button with an icon, and its name as a text or a tooltip. */
export const Button = ({ icon, name, text, onClick, disabled, pressed, kind, id }) => html`
  <button type="button" id=${id} class=${kind} onClick=${onClick} disabled=${disabled} aria-pressed=${pressed === undefined ? null : String(pressed)}
      aria-label=${text ? null : say(name)} title=${text ? null : say(name)}>
    ${icon && html`<${Icon} name=${icon} />`}${text && html`<span>${say(name)}</span>`}
  </button>`;

/** A choice among a few values, shown side by side. */
export const Choice = ({ name, label, values, value, onChange }) => html`
  <fieldset class="choice"><legend>${label}</legend><div>
    ${values.map(([key, text]) => html`<label key=${key} class=${classes({ chosen: key === value })}>
      <input type="radio" name=${name} value=${key} checked=${key === value} onChange=${() => onChange(key)} /><span>${text}</span></label>`)}
  </div></fieldset>`;

/** A switch. */
export const Switch = ({ label, value, onChange }) => html`
  <label class="switch"><span>${label}</span><input type="checkbox" role="switch" checked=${value} onChange=${(event) => onChange(event.target.checked)} /></label>`;

/** Returns how the game ended, or whose turn it is, in words. */
export function stateText() {
  const { state, ending } = game;
  const results = { '1-0': say('red_wins'), '0-1': say('black_wins'), '1/2-1/2': say('draw') };
  if (isEnded()) return `${results[game.result]}: ${say(ending)}`;
  if (state.verdict.word !== 'none') return `${say(state.verdict.word)}: ${choose(state.verdict.reason)}`;
  const turn = say(`to_move_${state.side}`);
  return state.check ? `${turn}, ${say('check')}` : turn;
}

/** Name, clock and side of a player. */
function Player({ side, place }) {
  const isMatch = match.side !== null && page.view !== 'games';
  // Before a game from the start its players are those that are chosen.
  const isFresh = game.start === null && !game.root.children.length;
  const isChoice = page.view === 'play' && match.side === null && isFresh && settings.opponent && settings.side !== 'random';
  const usersSide = isMatch ? match.side : isChoice ? settings.side : null;
  const isUser = usersSide === side;
  const opponent = usersSide === null || isUser ? null : isMatch ? match.opponent : opponentOf(settings.opponent);
  const name = isUser ? say('you') : opponent ? choosePair(opponent.name) : tag(side === 'red' ? 'Red' : 'Black') || say(side);
  const mark = opponent?.mark ?? (side === 'red' ? '帅' : '将');
  const hasTurn = game.state.side === side && !isOver() && !editor.isOn;
  const clock = isMatch && match.clock ? shownTime(match.clock, side, match.toMove) : null;
  const isThinking = isMatch && opponent && match.thinking;
  const about = isThinking ? say(match.waiting ? 'waiting' : 'thinking') : opponent ? choosePair(opponent.about) : name === say(side) ? '' : say(side);
  return html`<div class=${classes({ player: true, [place]: true, turn: hasTurn })} id=${`player-${place}`} data-side=${side}>
    <span class=${`avatar ${side}`} aria-hidden="true" lang="zh">${mark}</span>
    <span class="who"><b>${name}</b> <span class="muted">${about}</span></span>
    ${clock && html`<span class=${classes({ clock: true, low: clock.time < 20_000, counting: clock.isCountdown })} data-clock=${side}>${clockText(clock.time)}</span>`}
  </div>`;
}

/** Score of the current position. */
function currentScore() {
  const ended = { red_wins: [1, '1-0'], black_wins: [0, '0-1'], draw: [0.5, '½'] }[game.state.verdict.word];
  return ended ? { chance: ended[0], text: ended[1] } : game.current.score;
}

function Bar() {
  const score = currentScore();
  const chance = score?.chance ?? 0.5;
  return html`<div class=${classes({ bar: true, flipped: page.flipped })} id="bar" role="img" aria-label=${`${say('bar')}: ${Math.round(chance * 100)} %`}>
    <div style=${{ transform: `scaleY(${chance.toFixed(3)})` }}></div></div>`;
}

const onMove = (move) => makeMove(move, page.view === 'play');

/** Returns the moves that the board takes. */
function legalMoves() {
  if (page.view !== 'play' || match.side === null) return page.view === 'play' && game.ending ? [] : game.state.legal;
  return isUsersTurn() ? game.state.legal : [];
}

/** The board with its players and the bar. */
export function BoardArea() {
  const { state } = game;
  const bottom = page.flipped ? 'black' : 'red';
  const hint = hintMove();
  const isWaiting = page.view === 'play' && isPlaying() && isAtLast() && state.side !== match.side && !match.isParked;
  const shownBoard = editor.isOn ? editedBoard() : state.board;
  return html`<section class=${classes({ 'board-area': true, barred: hasBar() })} aria-label=${say('board_small')}>
    <${Player} side=${other(bottom)} place="top" />
    ${hasBar() && html`<${Bar} />`}
    <div class="board-frame" id="board">
      <${Board} fen=${editor.isOn ? '' : state.fen} board=${shownBoard} legal=${editor.isOn ? [] : legalMoves()} last=${editor.isOn ? null : game.current.move || null}
        check=${editor.isOn ? null : state.check} arrows=${editor.isOn ? [] : hint ? [{ move: hint, rank: 0 }] : page.view === 'analyse' ? lineArrows() : []}
        flipped=${page.flipped} set=${settings.pieces} coordinates=${settings.coordinates} targets=${settings.targets} editing=${editor.isOn}
        side=${match.side} premoves=${isWaiting} premove=${match.premove} onMove=${onMove} onPremove=${setPremove} onEdit=${edit} announce=${announce} />
    </div>
    <${Player} side=${bottom} place="bottom" />
  </section>`;
}

const MARKS = { '?!': 'inaccuracy', '?': 'mistake', '??': 'blunder', '!': 'good' };

function MoveCell({ node, ply }) {
  if (!node) return html`<span class="cell"></span>`;
  const isCurrent = node === game.current;
  const mark = MARKS[node.mark];
  return html`<button type="button" class="cell move" data-ply=${ply} aria-current=${isCurrent ? 'true' : null} onClick=${attempt(() => goTo(node))}>
    <span class="name">${shown(node)}</span>
    ${mark && html`<span class=${`mark ${mark}`} title=${say(`mark_${mark}`)}>${node.mark}</span>`}
    <span class="score">${(page.view === 'analyse' && hasBar() && node.score?.text) || ''}</span></button>`;
}

/** Returns the moves of a variation as text with buttons. */
function Variation({ node, ply }) {
  const { number, isBlack } = firstMove();
  const items = [];
  for (let at = node, index = ply; at; at = at.children[0], index += 1) {
    const half = index + (isBlack ? 1 : 0);
    if (half % 2 === 0 || at === node) items.push(html`<span class="number">${number + Math.floor(half / 2)}.${half % 2 ? '..' : ''}</span>`);
    const target = at;
    items.push(html`<button type="button" class="move" data-ply=${index + 1} aria-current=${at === game.current ? 'true' : null} onClick=${attempt(() => goTo(target))}>${shown(at)}</button>`);
    if (at.comment) items.push(html`<span class="comment">${at.comment}</span>`);
    if (at !== node) for (const sibling of at.parent.children.slice(1)) items.push(html`<${Variation} node=${sibling} ply=${index} />`);
  }
  return html`<div class="variation">${items}</div>`;
}

/** The sentence about a mistake. */
function Reason({ node }) {
  if (!node.better || !node.mark || node.mark === '!') return null;
  const word = { '?!': 'an_inaccuracy', '?': 'a_mistake', '??': 'a_blunder' }[node.mark];
  return html`<div class=${`reason ${MARKS[node.mark]}`}>${say('mistake_text', shown(node), say(word), shown(node.better))}
    <button type="button" class="plain" onClick=${attempt(() => goTo(node.parent))}>${say('try_again')}</button></div>`;
}

/** The list of moves: two columns, with variations and comments below their move. */
export class Moves extends Component {
  componentDidUpdate() {
    const { list } = this;
    const marked = list.querySelector('[aria-current="true"]');
    if (game.current === this.seen) return;
    this.seen = game.current;
    if (!marked) {
      list.scrollTop = game.current.parent ? list.scrollHeight : 0;
      return;
    }
    const top = marked.getBoundingClientRect().top - list.getBoundingClientRect().top + list.scrollTop;
    // With room for the sentence about a mistake.
    const lowest = top + Math.min(120, list.clientHeight - 40) - list.clientHeight;
    if (list.scrollTop > top - 40) list.scrollTop = top - 40;
    else if (list.scrollTop < lowest) list.scrollTop = lowest;
  }

  render() {
    const { number, isBlack } = firstMove();
    const nodes = [];
    for (let at = game.root.children[0]; at; at = at.children[0]) nodes.push(at);
    const offset = isBlack ? 1 : 0;
    const rows = [];
    if (game.root.comment) rows.push(html`<p class="comment">${game.root.comment}</p>`);
    for (let half = 0; half < nodes.length + offset; half += 2) {
      const pair = [half, half + 1].map((index) => ({ node: nodes[index - offset], ply: index - offset + 1 }));
      rows.push(html`<div class="pair" key=${half}><span class="number">${number + half / 2}</span>
        ${pair.map(({ node, ply }) => html`<${MoveCell} node=${ply > 0 ? node : null} ply=${ply} />`)}</div>`);
      for (const { node, ply } of pair) {
        if (!node || ply < 1) continue;
        if (node.comment) rows.push(html`<p class="comment">${node.comment}</p>`);
        if (node === game.current) rows.push(html`<${Reason} node=${node} />`);
        for (const sibling of node.parent.children.slice(1)) rows.push(html`<${Variation} node=${sibling} ply=${ply - 1} />`);
      }
    }
    if (game.result !== '*') rows.push(html`<p class="result">${game.result}${game.ending ? ` · ${say(game.ending)}` : ''}</p>`);
    return html`<div class="moves" id="moves" tabindex="0" role="group" aria-label=${say('moves')} ref=${(list) => { this.list = list; }}>${rows}</div>`;
  }
}

/** Why a game ended by repetition, ply by ply. */
export function Cycle() {
  const { cycle } = game.state.verdict;
  if (!cycle) return null;
  return html`<details id="cycle"><summary>${say('cycle')}</summary><ol>
    ${cycle.map((ply) => html`<li value=${ply.ply}>${ply.move}: ${choose(ply)}</li>`)}</ol></details>`;
}

/** The buttons that step through the game. */
export const Steps = () => html`<div class="steps" id="steps">
  ${['first', 'previous', 'next', 'last'].map((name) => html`<${Button} icon=${name} name=${name} id=${name} onClick=${() => step(name)} />`)}
  <${Button} icon="flip" name="flip" id="flip" onClick=${() => flip()} /></div>`;

/** The state below the moves: whose turn it is, or how the game ended. */
export const StateLine = ({ children }) => html`<p class="state" id="state">${stateText()}${children}${game.state.opening && path().length > 0
  ? html` <span class="muted opening" id="opening">${choose(game.state.opening)}</span>` : ''}</p>`;
