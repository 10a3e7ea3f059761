// The view in which one analyses a position or reviews a game.

import { playHere } from './actions.js';
import { analysis, endReport, isOn, mayHelp, reviewGame, setEngine } from './analysis.js';
import { boardAfter, SmallBoard } from './board.js';
import { beginEditing, cancelEditing, changeEditor, editor, editStart, finishEditing } from './editor.js';
import { fileOf, showGame } from './files.js';
import { game, goTo, line, path, play, playLine, promote, remove, tag, wholeLine } from './game.js';
import { isPlaying, leaveMatch, match } from './match.js';
import { attempt, fail, mayLeave, open, openDialog, page, shown } from './page.js';
import { BoardArea, Button, Choice, Cycle, Moves, StateLine, Steps } from './parts.js';
import { PieceImage } from './pieces.js';
import { set, settings } from './store.js';
import { html, redraw } from './view.js';
import { number, pieceName, say } from './words.js';
import { ask } from './engine.js';

/** Time of a position in the report of a game, in milliseconds. */
const REPORT_TIME = 300;

/** Returns a handler for a click on a move of a line. The move is that under the pointer when the button went down. */
function lineHandlers(index, at) {
  const names = () => analysis.lines[index]?.moves.slice(0, at + 1);
  let pressed = null;
  return {
    onPointerDown: () => { pressed = { names: names(), node: game.current }; },
    onClick: attempt(async () => {
      const chosen = pressed?.node === game.current && pressed.names ? pressed.names : names();
      pressed = null;
      if (chosen) await playLine(chosen);
    }),
  };
}

function hover(event, index, at) {
  const found = analysis.lines[index];
  page.hover = found && found.moves[at] ? { board: game.state.board, moves: found.moves.slice(0, at + 1).map((name) => name.move), y: event.currentTarget.getBoundingClientRect().bottom } : null;
  redraw();
}

const leave = () => {
  page.hover = null;
  redraw();
};

/** Moves of a line that have a button; the row is cut at its end. */
const SHOWN_MOVES = 14;

const handlers = Array.from({ length: 5 }, (_, index) => Array.from({ length: SHOWN_MOVES }, (__, at) => lineHandlers(index, at)));

/** A row of a line. It keeps its elements while its text changes, so that no click is lost. */
function Line({ index }) {
  const found = analysis.lines[index];
  return html`<li class="line">
    <span class=${`chip ${found && found.score.chance < 0.5 ? 'black' : 'red'}`}>${found?.score.text ?? ' '}</span>
    <span class=${`pv ${settings.notation}`}>${Array.from({ length: SHOWN_MOVES }, (_, at) => html`<button type="button" key=${at} tabindex=${at || !found ? -1 : 0} aria-disabled=${found?.moves[at] ? null : 'true'} aria-hidden=${found?.moves[at] ? null : 'true'}
      ...${handlers[index][at]} onPointerEnter=${(event) => hover(event, index, at)} onPointerLeave=${leave}>${found?.moves[at] ? shown(found.moves[at]) : ''}</button>`)}</span></li>`;
}

function engineText() {
  if (analysis.error) return analysis.error;
  if (!mayHelp()) return say('engine_off');
  if (game.state.verdict.word !== 'none') return say('game_over');
  if (analysis.state === 'waiting') return say('waiting');
  if (!analysis.state) return '';
  return `${say('depth', analysis.state.depth)} · ${say('speed', (analysis.state.speed / 1e6).toFixed(1))}`;
}

function Engine() {
  return html`<div class="engine">
    <div class="engine-head"><b class="big-score" id="score">${game.current.score?.text ?? ' '}</b>
      <span class="muted" id="engine-state">${engineText()}</span>
      <button type="button" id="engine" class="toggle" role="switch" aria-checked=${String(isOn())} aria-label=${say('engine')} onClick=${() => setEngine(!isOn())}>${say(isOn() ? 'on' : 'off')}</button></div>
    <ol class="lines" id="lines">${Array.from({ length: settings.lines }, (_, index) => html`<${Line} key=${index} index=${index} />`)}</ol></div>`;
}

/** The winning chance of Red over the current line. */
function Chart() {
  const nodes = [game.root, ...wholeLine()];
  const known = nodes.map((node, index) => ({ node, index })).filter(({ node }) => node.score);
  const [width, height] = [600, 100];
  const x = (index) => (nodes.length > 1 ? (index / (nodes.length - 1)) * width : 0);
  const y = (chance) => height - chance * height;
  const points = known.map(({ node, index }) => `${x(index).toFixed(1)} ${y(node.score.chance).toFixed(1)}`);
  const here = nodes.indexOf(game.current);
  const choosePoint = (event) => {
    const svg = event.currentTarget;
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
    const index = Math.round((at.x / width) * (nodes.length - 1));
    goTo(nodes[Math.min(nodes.length - 1, Math.max(0, index))]).catch(fail);
  };
  return html`<svg class="chart" id="chart" viewBox=${`0 -4 ${width} ${height + 8}`} preserveAspectRatio="none" role="img" aria-label=${say('chart')} onClick=${choosePoint}>
    <line class="half" x1="0" x2=${width} y1=${height / 2} y2=${height / 2} />
    ${known.length > 1 && html`<path class="area" d=${`M${x(known[0].index)} ${height}L${points.join('L')}L${x(known[known.length - 1].index)} ${height}z`} />
    <path class="curve" d=${`M${points.join('L')}`} />`}
    ${here >= 0 && nodes.length > 1 && html`<line class="now" x1=${x(here)} x2=${x(here)} y1="-4" y2=${height + 4} />`}
    ${known.filter(({ node }) => node.mark && node.mark !== '!').map(({ node, index }) => html`<ellipse class=${`dot ${node.mark === '??' ? 'blunder' : ''}`} cx=${x(index)} cy=${y(node.score.chance)} rx="6" ry="5" />`)}
  </svg>`;
}

function Book() {
  const { book, tables } = analysis;
  const value = ({ outcome, plies }) => (plies === null ? say(outcome) : say('plies', say(outcome), plies));
  const moveButton = (name) => html`<button type="button" class="plain" onClick=${attempt(() => play(name.move))}>${shown(name)}</button>`;
  return html`<div class="moves" id="book" tabindex="0" role="group" aria-label=${say('book')}>
    ${tables && html`<h2>${say('tables')}</h2><p>${say('for_mover', value(tables))} ${tables.by_checks ? say('by_checks') : tables.plies === null ? '' : say('until')}</p>
      <ul class="table-moves">${tables.moves.slice(0, 16).map((found) => html`<li key=${found.move}>${moveButton(found)} ${value(found)}</li>`)}</ul>`}
    ${book.length > 0 ? html`<table><thead><tr><th>${say('move')}</th><th>${say('move_share')}</th><th>${say('game_count')}</th><th>${say('results')}</th></tr></thead>
      <tbody>${book.map((known) => html`<tr key=${known.move}><td>${moveButton(known)}</td><td>${Math.round(known.share * 100)} %</td>
        <td>${number(known.games)}</td><td>${known.wins} / ${known.draws} / ${known.losses}</td></tr>`)}</tbody></table>`
      : html`<p class="muted">${say('no_book')}</p>`}</div>`;
}

function Comment() {
  const node = game.current;
  const keep = (event) => {
    (event.target.node ?? node).comment = event.target.value;
    redraw();
  };
  return html`<label class="comment-field"><span class="hidden">${say('comment')}</span><textarea id="comment" rows="1" placeholder=${say('comment_here')} value=${node.comment}
    onFocus=${(event) => { event.target.node = node; }} onInput=${keep} onBlur=${(event) => { event.target.node = null; redraw(); }}></textarea></label>`;
}

function accuracyText() {
  const { accuracy } = analysis;
  if (!accuracy) return '';
  const side = (index, name) => say('side_accuracy', say(name), accuracy.accuracy[index] === null ? '–' : Math.round(accuracy.accuracy[index]));
  return `${side(0, 'red')} · ${side(1, 'black')}`;
}

function Moment() {
  const { report } = analysis;
  if (isPlaying() && !mayHelp()) {
    return html`<div class="action"><span>${say('practice_ask')}</span><button type="button" id="help" onClick=${() => setEngine(true)}>${say('help')}</button></div>`;
  }
  if (report) {
    return html`<div class="action"><progress id="report-progress" max=${report.total} value=${report.done} aria-label=${say('progress')}></progress>
      <button type="button" id="report-stop" onClick=${endReport}>${say('stop')}</button></div>`;
  }
  return html`<div class="action">
    <button type="button" class="main" id="report" disabled=${!wholeLine().length || isPlaying()} onClick=${() => reviewGame(REPORT_TIME)}>${say(analysis.accuracy ? 'report_again' : 'report')}</button>
    <button type="button" id="from-here" disabled=${isPlaying() || game.state.verdict.word !== 'none'} onClick=${playHere}>${say('from_here')}</button></div>`;
}

const typeMove = attempt(async (event) => {
  event.preventDefault();
  const field = event.target.elements.move;
  const { move } = await ask('read_move', { ...line(), text: field.value });
  field.value = '';
  await play(move);
});

/** A field for a move in any notation. */
const MoveForm = () => html`<form class="move-form" id="move-form" onSubmit=${typeMove}>
  <input name="move" id="move-text" autocomplete="off" autocapitalize="off" spellcheck=${false} aria-label=${say('type_move')} placeholder=${say('type_move')} /></form>`;

function Editor() {
  return html`<section class="panel" id="editor" aria-label=${say('edit')}>
    <div class="scroll"><h2>${say('edit')}</h2><p class="muted">${say('edit_help')}</p>
    <div class="palette" id="palette">${[...'KABNRCPkabnrcp'].map((letter) => html`<button type="button" key=${letter} data-letter=${letter} aria-label=${pieceName(letter)}
      aria-pressed=${String(editor.piece === letter)} onClick=${() => changeEditor({ piece: letter })}><${PieceImage} letter=${letter} set=${settings.pieces} /></button>`)}</div>
    <div class="row"><button type="button" id="edit-clear" onClick=${() => changeEditor({ letters: Array(90).fill('.') })}>${say('clear')}</button>
      <button type="button" id="edit-start" onClick=${attempt(editStart)}>${say('start_position')}</button></div>
    <${Choice} name="edit-side" label=${say('side_to_move')} value=${editor.side} onChange=${(side) => changeEditor({ side })} values=${[['red', say('red')], ['black', say('black')]]} />
    ${editor.error && html`<p class="error" role="alert" id="edit-error">${editor.error}</p>`}</div>
    <div class="action"><button type="button" class="main" id="edit-done" onClick=${attempt(async () => (await finishEditing()) && open('analyse'))}>${say('done')}</button>
      <button type="button" id="edit-cancel" onClick=${cancelEditing}>${say('cancel')}</button></div>
  </section>`;
}

/** Begins to edit the position; a game against the engine is left first. */
const edit = attempt(async () => {
  if (!(await mayLeave())) return;
  leaveMatch();
  beginEditing();
});

const names = (object, index) => `${index + 1}. ${[tag('Red', object.tags), tag('Black', object.tags)].filter(Boolean).join(' – ') || tag('Event', object.tags) || say('game')} ${object.result}`;

/** Shows another game of the file that this one came from. */
const chooseGame = attempt(async (event) => {
  const index = Number(event.target.value);
  const file = fileOf();
  event.target.value = file.index;
  if (!(await mayLeave())) return;
  await showGame(file.games, index);
  await open('analyse');
});

/** The games of the file that this one came from. */
function Collection() {
  const file = fileOf();
  if (!file || file.games.length < 2) return null;
  return html`<label class="field collection"><span class="hidden">${say('game')}</span><select id="collection" value=${file.index} onChange=${chooseGame}>
    ${file.games.map((object, index) => html`<option value=${index}>${names(object, index)}</option>`)}</select></label>`;
}

/** The position at the end of the line under the pointer. */
function HoverBoard() {
  if (!page.hover) return null;
  const { board, moves, y } = page.hover;
  return html`<div class="hover-board" id="hover-board" style=${{ top: `${Math.min(y + 6, window.innerHeight - 300)}px` }}>
    <${SmallBoard} board=${boardAfter(board, moves)} last=${moves[moves.length - 1]} flipped=${page.flipped} set=${settings.pieces} /></div>`;
}

/** Returns whether the current move belongs to a game against the engine that is on. */
const isOfMatch = () => match.side !== null && path(match.last).includes(game.current);

export function AnalyseView() {
  if (editor.isOn) return html`<main class="table" id="analyse"><h1 class="hidden">${say('analyse')}</h1><${BoardArea} /><${Editor} /></main>`;
  const tab = (name) => html`<button type="button" role="tab" id=${`tab-${name}`} aria-selected=${String(page.tab === name)} onClick=${() => { page.tab = name; redraw(); }}>${say(name)}</button>`;
  return html`<main class="table" id="analyse"><h1 class="hidden">${say('analyse')}</h1>
    <${BoardArea} />
    <section class="panel" id="analysis-panel" aria-label=${say('analyse')}>
      <${Engine} /><${Chart} />
      <div class="tabs"><div role="tablist" aria-label=${say('moves')}>${tab('moves')}${tab('book')}</div>
        <span class="muted accuracy" id="accuracy" title=${say('accuracy')}>${accuracyText()}</span>
        <${Button} icon="edit" name="edit" id="edit" onClick=${edit} /><${Button} icon="open" name="open" id="open" onClick=${() => openDialog('open')} /></div>
      <${Collection} />
      ${page.tab === 'book' ? html`<${Book} />` : html`<${Moves} />`}
      <${StateLine} /><${Cycle} />
      ${page.tab === 'moves' && html`<div class="comment-row"><${Comment} />
        <${Button} icon="up" name="promote" id="promote" onClick=${() => promote(game.current)} disabled=${!game.current.parent} />
        <${Button} icon="bin" name="delete" id="delete" onClick=${attempt(() => remove(game.current))} disabled=${!game.current.parent || isOfMatch()} /></div>`}
      <${Moment} />
      <div class="controls"><${Steps} /><${MoveForm} /></div>
    </section>
    <${HoverBoard} />
  </main>`;
}
