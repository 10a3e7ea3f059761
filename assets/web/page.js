// State of the page outside the game: which view is open, dialogs and messages.

import { isOn, mayHelp, setEngine, showAnalysis } from './analysis.js';
import { boardId, restore } from './boards.js';
import { editor, cancelEditing } from './editor.js';
import { ConnectionClosed } from './engine.js';
import { hashOf } from './files.js';
import { game, goTo, step } from './game.js';
import { isPlaying, match } from './match.js';
import { settings } from './store.js';
import { redraw } from './view.js';

/**
 * `view` is `start`, `play`, `analyse` or `games`; `dialog` the name of an open dialog, `question` an open question; `toast` a
 * message with a remedy; `hover` the line under the pointer; `spoken` what a screen reader says.
 */
export const page = { view: 'start', dialog: null, question: null, toast: null, hover: null, flipped: false, tab: 'moves', spoken: '', version: '', isReady: false };

let toastTimer = 0;

/** Shows a message for a while; `undo` is a function that a button offers, `isError` keeps it until it is closed. */
export function toast(text, { undo = null, isError = false } = {}) {
  clearTimeout(toastTimer);
  page.toast = { text, undo, isError };
  if (!isError) toastTimer = setTimeout(() => closeToast(), undo ? 10_000 : 4000);
  redraw();
}

/** Closes the message. */
export function closeToast() {
  page.toast = null;
  redraw();
}

/** Shows an error. That of a lost connection is shown elsewhere. */
export function fail(error) {
  if (!(error instanceof ConnectionClosed)) toast(error.message, { isError: true });
}

/** Returns a handler that shows the errors of an action. */
export const attempt = (action) => async (...values) => {
  try {
    if (page.toast?.isError) closeToast();
    await action(...values);
  } catch (error) {
    fail(error);
  }
};

/** Asks a question by the names of its texts; resolves to whether it was confirmed. */
export function confirm(text, { detail = null, yes }) {
  page.question?.answer(false);
  return new Promise((resolve) => {
    page.question = {
      text, detail, yes,
      answer(value) {
        page.question = null;
        resolve(value);
        redraw();
      },
    };
    redraw();
  });
}

/** Asks before a game against the engine is left; resolves to whether it may be. */
export async function mayLeave(text = 'leave_ask') {
  return !isPlaying() || match.last?.parent == null || confirm(text, { detail: match.isKept ? 'kept' : 'not_kept', yes: 'leave' });
}

/** Says a text by a screen reader. */
export function announce(text) {
  page.spoken = text;
  redraw();
}

export function openDialog(name) {
  page.dialog = name;
  redraw();
}

export function closeDialog() {
  page.dialog = null;
  redraw();
}

/** Turns the board. */
export function flip(value = !page.flipped) {
  page.flipped = value;
  redraw();
}

let opened = 0;

/** Opens a view; `isStep` makes it a step of the browser's history. */
export async function open(view, isStep = true) {
  opened += 1;
  const visit = opened;
  if (editor.isOn) cancelEditing();
  page.view = view;
  page.hover = null;
  page.dialog = null;
  const isAnalysis = view === 'analyse';
  const { state } = history;
  // Another game in the analysis is a step, too. A position that was set up stands in the address.
  if (!isStep && isAnalysis) await restore(state?.board);
  // Another view was opened meanwhile.
  if (visit !== opened) return;
  const board = boardId();
  const hash = view === 'start' ? '' : isAnalysis && game.start && match.side === null ? hashOf(game.start) : `#${view}`;
  if (isStep && (location.hash !== hash || (isAnalysis && (state?.board ?? null) !== board))) history.pushState({ board }, '', hash || location.href.split('#')[0]);
  else if (board) history.replaceState({ board }, '');
  showAnalysis(view === 'analyse');
  if (view === 'play' && match.side !== null && game.current !== match.last) await goTo(match.last);
  redraw();
}

/** Keys of the whole page. */
export function onKey(event) {
  if (event.ctrlKey || event.altKey || event.metaKey || page.question) return;
  if (event.key === 'Escape' && page.dialog) closeDialog();
  if (page.dialog || /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)) return;
  const name = { ArrowLeft: 'previous', ArrowRight: 'next', Home: 'first', End: 'last' }[event.key];
  if (name && (page.view === 'play' || page.view === 'analyse') && !editor.isOn) step(name);
  else if (event.key.toLowerCase() === 'f') flip();
  else if (event.key.toLowerCase() === 'e' && page.view === 'analyse') setEngine(!isOn());
  else return;
  event.preventDefault();
}

/** Returns a move in the chosen notation. */
export const shown = (name) => name[settings.notation] || name.move;

/** Whether the evaluation bar is seen. */
export const hasBar = () => page.view === 'analyse' && !editor.isOn && mayHelp();
