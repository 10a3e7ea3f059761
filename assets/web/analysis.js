// Analysis: the lines of the engine for the position on the board, what books and tables know of it, and the report of a
// game.

import { ask, connection, onConnection, start, stop } from './engine.js';
import { game, line, onChange, wholeLine } from './game.js';
import { interrupt, isPlaying, markPractice, match } from './match.js';
import { set, settings } from './store.js';
import { redraw } from './view.js';

/**
 * State of the analysis. `lines` has an entry for each row, null until the engine has reported it; `state` is the depth and
 * the speed, or the name of a text.
 */
export const analysis = {
  isShown: false, lines: [], state: null, error: null, book: [], tables: null, report: null, accuracy: null,
};

let search = 0;
let fresh = [];
let facts = null;

/** Returns whether the engine may help: not during a game, unless the user has asked for it. */
export const mayHelp = () => !isPlaying() || analysis.helps;

/** Returns whether the engine is on. */
export const isOn = () => analysis.isShown && settings.engine && mayHelp();

/** Returns the moves of the lines as arrows. */
export function lineArrows() {
  if (!isOn() || !settings.arrows) return [];
  return analysis.lines.map((found, rank) => ({ move: found?.moves[0]?.move, rank })).filter(({ move }) => move).reverse();
}

function halt() {
  stop(search);
  search = 0;
}

/** Searches the position on the board. */
export function analyse() {
  if (analysis.report) return;
  halt();
  fresh = [];
  analysis.lines = Array.from({ length: settings.lines }, () => null);
  analysis.state = null;
  analysis.error = null;
  // The opponent's move comes first; the analysis begins after it.
  const isThinking = isPlaying() && match.thinking;
  if (!isOn() || isThinking || connection.state !== 'open' || game.state.verdict.word !== 'none') {
    redraw();
    return;
  }
  const node = game.current;
  const id = start('go', { ...line(), purpose: 'analyse', lines: settings.lines, tablebases: true }, (event, message) => {
    if (id !== search) return;
    if (event === 'waiting') analysis.state = 'waiting';
    if (event === 'failed') analysis.error = message.error;
    if (event === 'finished' || event === 'failed') search = 0;
    if (event === 'line') {
      if (message.index === 1) {
        fresh = [];
        node.score = message.score;
      }
      fresh[message.index - 1] = message;
      // Lines of one iteration arrive one by one, the best first.
      const known = [...fresh, ...analysis.lines.slice(fresh.length)];
      analysis.lines = Array.from({ length: settings.lines }, (_, index) => known[index] ?? null);
      analysis.state = { depth: message.depth, speed: message.speed };
    }
    redraw();
  });
  search = id;
}

async function readFacts() {
  const node = game.current;
  if (facts === node || connection.state !== 'open') return;
  facts = node;
  try {
    const [book, tables] = await Promise.all([ask('book', line()), ask('tablebase', line())]);
    if (node !== game.current) return;
    Object.assign(analysis, { book, tables });
  } catch {
    facts = null;
  }
  redraw();
}

/** Shows the analysis or leaves it. */
export function showAnalysis(isShown) {
  if (analysis.isShown === isShown) return;
  analysis.isShown = isShown;
  if (!isShown) analysis.helps = false;
  endReport();
  analyse();
  if (isShown && mayHelp()) readFacts();
}

/** Turns the engine on or off. During a game that makes the game practice. */
export function setEngine(isOnNow) {
  if (isOnNow && isPlaying()) {
    analysis.helps = true;
    // A hint that is still searched for gives way.
    if (match.toMove === match.side) interrupt();
    markPractice();
    readFacts();
  }
  if (!isOnNow) analysis.helps = false;
  set({ engine: isOnNow });
  analyse();
}

/** Ends a report that runs. */
export function endReport() {
  if (!analysis.report) return;
  stop(analysis.report.id);
  analysis.report = null;
  redraw();
}

/** Searches every position of the current line and marks mistakes; `time` is that of a position in milliseconds. */
export function reviewGame(time) {
  endReport();
  halt();
  const nodes = wholeLine();
  if (!nodes.length) return;
  const { root } = game;
  analysis.accuracy = null;
  analysis.report = { done: 0, total: nodes.length };
  analysis.error = null;
  const report = analysis.report;
  report.id = start('review', { ...line(nodes[nodes.length - 1]), time }, (event, message) => {
    if (analysis.report !== report) return;
    if (event === 'progress') {
      report.done = message.done;
      const node = nodes[message.done - 1];
      root.score ??= message.start;
      Object.assign(node, { score: message.move.score, mark: message.move.mark, better: message.move.best[0] ?? null });
    }
    if (event === 'failed') analysis.error = message.error;
    if (event === 'finished' || event === 'failed') {
      analysis.report = null;
      if (event === 'finished') analysis.accuracy = message;
      analyse();
    }
    redraw();
  });
}

/** Connects the analysis with the board. */
export function setUpAnalysis() {
  onChange((kind) => {
    if (kind === 'game') {
      analysis.accuracy = null;
      endReport();
    }
    if (!analysis.isShown || kind === 'end') return;
    analyse();
    if (mayHelp()) readFacts();
    else Object.assign(analysis, { book: [], tables: null });
  });
  onConnection(() => {
    search = 0;
    analysis.report = null;
    if (game.state) analyse();
  });
}
