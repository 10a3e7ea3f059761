// Analysis: lines of the engine, evaluation bar, chart, book moves, endgame tables and the report of a game.

import { ask, start } from './connection.js';
import { game, goTo, line, onChange, play, wholeLine } from './game.js';
import { drawMoves, shown } from './moves.js';
import { currentLanguage, say } from './words.js';

const field = (name) => document.getElementById(name);
const listed = field('lines');
const SVG = 'http://www.w3.org/2000/svg';

/** State of the analysis. */
export const analysis = { isShown: false, isOn: false, lines: [] };

let search = 0;
let report = 0;
let accuracy = null;
let stateText = () => '';
let drawBoard = () => {};

const number = (value) => value.toLocaleString(currentLanguage() === 'zh' ? 'zh-CN' : 'en');

/** Shows the state of the engine; `text` returns it in the language of the page. */
function showState(text) {
  stateText = text;
  field('engine-state').textContent = text();
}

const showNoState = () => showState(() => '');

function showProgress(event, { error }) {
  if (event === 'waiting') showState(() => say('waiting'));
  if (event === 'searching') showNoState();
  if (event === 'failed') showState(() => error);
}

/** Stops the engine. */
export function stopEngine() {
  if (search || report) ask('stop').catch(() => {});
  search = 0;
  report = 0;
  field('report-progress').hidden = true;
}

function begin() {
  stopEngine();
  analysis.lines = [];
  drawLines();
  if (!analysis.isShown || !analysis.isOn || game.state.verdict.word !== 'none') {
    showNoState();
    drawBoard();
    return;
  }
  const node = game.current;
  const content = { ...line(), purpose: 'analyse', lines: Number(field('line-count').value), tablebases: true };
  const id = start('go', content, (event, message) => {
    if (id !== search) return;
    showProgress(event, message);
    if (event === 'finished') search = 0;
    if (event !== 'line') return;
    if (message.index === 1) {
      analysis.fresh = [];
      node.score = message.score;
      showBar(message.score);
      drawChart();
    }
    analysis.fresh[message.index - 1] = message;
    const count = Number(field('line-count').value);
    // Lines of one iteration arrive one by one, the best first.
    analysis.lines = [...analysis.fresh, ...analysis.lines.slice(analysis.fresh.length)].slice(0, count);
    showState(() => `${say('depth')} ${message.depth}/${message.selective} · ${number(message.nodes)} ${say('nodes')} · ${number(Math.round(message.speed / 1000))} kN/s`);
    drawLines();
    drawBoard();
  });
  search = id;
}

function drawLines() {
  listed.replaceChildren(...analysis.lines.filter(Boolean).map((found) => {
    const item = document.createElement('li');
    const score = document.createElement('span');
    score.className = 'score';
    score.textContent = found.score.text;
    const moves = document.createElement('span');
    moves.className = 'pv';
    found.moves.forEach((name, index) => {
      if (index) {
        moves.append(` ${shown(name)}`);
        return;
      }
      const button = document.createElement('button');
      button.type = 'button';
      button.textContent = shown(name);
      button.addEventListener('click', () => play(name.move));
      moves.append(button);
    });
    item.append(score, moves);
    return item;
  }));
}

/** Shows a score in the bar beside the board. */
function showBar(score) {
  const bar = field('bar');
  if (!score) return;
  field('bar-fill').style.height = `${(score.chance * 100).toFixed(1)}%`;
  field('bar-text').textContent = score.text;
  bar.setAttribute('aria-label', `${say('bar')}: ${Math.round(score.chance * 100)} %`);
}

/** Returns the arrows of the lines. */
export function lineArrows() {
  if (!analysis.isShown || !field('arrows').checked) return [];
  const firsts = analysis.lines.filter(Boolean).map((found) => found.moves[0]?.move);
  return firsts.map((move, rank) => ({ move, rank })).filter(({ move }) => move).reverse();
}

async function showBook() {
  const node = game.current;
  const [moves, tables] = await Promise.all([ask('book', line()), ask('tablebase', line())]);
  if (node !== game.current) return;
  field('book').hidden = !moves.length;
  field('book').querySelector('tbody').replaceChildren(...moves.map((known) => {
    const row = document.createElement('tr');
    const cells = ['', `${Math.round(known.share * 100)} %`, number(known.games), `${known.wins} / ${known.draws} / ${known.losses}`];
    cells.forEach((content) => row.insertCell().append(content));
    row.cells[0].append(moveButton(known));
    return row;
  }));
  field('tables').hidden = !tables;
  if (!tables) return;
  const value = ({ outcome, plies }) => `${say(outcome)}${plies === null ? '' : ` (${plies} ${say('plies')})`}`;
  const head = document.createElement('p');
  head.textContent = `${value(tables)} ${say('side_to_move')}${tables.plies === null ? '' : ` ${say('until')}`}`;
  const list = document.createElement('p');
  tables.moves.slice(0, 12).forEach((found) => list.append(moveButton(found), ` ${value(found)}  `));
  field('tables').querySelector('div').replaceChildren(head, list);
}

function moveButton(name) {
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = shown(name);
  button.addEventListener('click', () => play(name.move));
  return button;
}

function shape(name, attributes, parent) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  parent.append(made);
  return made;
}

/** Draws the winning chance of Red over the current line. */
function drawChart() {
  const nodes = [game.root, ...wholeLine()];
  const known = nodes.map((node, index) => ({ node, index })).filter(({ node }) => node.score);
  const chart = field('chart');
  chart.replaceChildren();
  if (known.length < 2) return;
  const [width, height] = [600, 120];
  const x = (index) => (nodes.length > 1 ? (index / (nodes.length - 1)) * width : 0);
  const y = (chance) => height - chance * height;
  const svg = shape('svg', { viewBox: `-6 -6 ${width + 12} ${height + 12}`, role: 'img', 'aria-label': say('chart') }, chart);
  shape('line', { class: 'half', x1: 0, x2: width, y1: height / 2, y2: height / 2 }, svg);
  const points = known.map(({ node, index }) => `${x(index).toFixed(1)} ${y(node.score.chance).toFixed(1)}`);
  const [first, final] = [x(known[0].index), x(known[known.length - 1].index)];
  shape('path', { class: 'area', d: `M${first} ${height}L${points.join('L')}L${final} ${height}z` }, svg);
  shape('path', { class: 'curve', d: `M${points.join('L')}` }, svg);
  const here = nodes.indexOf(game.current);
  if (here >= 0) shape('line', { class: 'now', x1: x(here), x2: x(here), y1: 0, y2: height }, svg);
  for (const { node, index } of known) {
    if (node.mark) shape('circle', { class: 'bad', cx: x(index), cy: y(node.score.chance), r: 5 }, svg);
  }
  svg.addEventListener('click', (event) => {
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
    const index = Math.round((at.x / width) * (nodes.length - 1));
    goTo(nodes[Math.min(nodes.length - 1, Math.max(0, index))]);
  });
}

/** Analyses every position of the current line. */
function analyseGame() {
  setEngine(false);
  const nodes = wholeLine();
  if (!nodes.length) return;
  const bar = field('report-progress');
  bar.hidden = false;
  bar.value = 0;
  showAccuracy(null);
  const last = nodes[nodes.length - 1];
  const { root } = game;
  const id = start('review', { ...line(last), time: Number(field('report-time').value) }, (event, message) => {
    if (id !== report) return;
    // Another game was loaded.
    if (game.root !== root) {
      stopEngine();
      return;
    }
    showProgress(event, message);
    if (event === 'progress') {
      bar.value = message.done / message.total;
      const node = nodes[message.done - 1];
      game.root.score = message.done === 1 && !game.root.score ? message.start : game.root.score ?? message.start;
      node.score = message.move.score;
      node.mark = message.move.mark;
      [node.better = null] = message.move.best;
      drawChart();
    }
    if (event === 'finished' || event === 'failed') {
      report = 0;
      bar.hidden = true;
      if (event === 'finished') showAccuracy(message);
      drawMoves();
    }
  });
  report = id;
}

/** Shows the accuracy of both sides from the end of a report; nothing for null. */
function showAccuracy(message) {
  accuracy = message;
  const side = (index, name) => {
    const percent = message.accuracy[index] === null ? '–' : `${Math.round(message.accuracy[index])} %`;
    const [inaccuracies, mistakes, blunders] = message.marks[index];
    return `${say(name)} ${percent} (?! ${inaccuracies}, ? ${mistakes}, ?? ${blunders})`;
  };
  field('accuracy').textContent = message ? `${say('accuracy')}: ${side(0, 'red')}; ${side(1, 'black')}` : '';
}

/** Turns the engine on or off. */
export function setEngine(isOn) {
  analysis.isOn = isOn;
  field('engine').setAttribute('aria-pressed', String(isOn));
  begin();
}

/** Shows or hides the panel. */
export function showAnalysis(isShown) {
  analysis.isShown = isShown;
  field('analysis-panel').hidden = !isShown;
  field('bar').hidden = !isShown;
  if (!isShown) analysis.isOn = false;
  setEngine(isShown);
  if (isShown) refresh();
}

function refresh() {
  // The end of a game leaves no doubt.
  const ended = { red_wins: [1, '1-0'], black_wins: [0, '0-1'], draw: [0.5, '½'] }[game.state.verdict.word];
  showBar(ended ? { chance: ended[0], text: ended[1] } : game.current.score);
  drawChart();
  showBook().catch(() => {});
}

/** Draws the texts of the analysis in the language of the page. */
export function translateAnalysis() {
  showState(stateText);
  showAccuracy(accuracy);
  if (analysis.isShown) refresh();
}

/** Connects the controls; `draw` draws the board with the arrows. */
export function setUpAnalysis(draw) {
  drawBoard = draw;
  field('engine').addEventListener('click', () => setEngine(!analysis.isOn));
  field('line-count').addEventListener('change', () => {
    if (!report) begin();
  });
  field('arrows').addEventListener('change', draw);
  field('report').addEventListener('click', analyseGame);
  field('notation').addEventListener('change', () => {
    drawLines();
    if (analysis.isShown) refresh();
  });
  onChange((kind) => {
    if (kind === 'game') showAccuracy(null);
    if (!analysis.isShown) return;
    if (kind !== 'end') {
      if (!report) begin();
      refresh();
    }
  });
}
