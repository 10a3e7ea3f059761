// The editor of positions.

import { indexOf, letterOn } from './board.js';
import { ask } from './engine.js';
import { setUp } from './files.js';
import { game } from './game.js';
import { redraw } from './view.js';

/** The edited position: `letters`, `side`, the `piece` that a click adds, and an `error`; `isOn` while it is edited. */
export const editor = { isOn: false, letters: [], side: 'red', piece: 'R', error: null };

/** Returns the edited board as 90 letters. */
export const editedBoard = () => editor.letters.join('');

/** Begins with the position on the board. */
export function beginEditing() {
  Object.assign(editor, { isOn: true, letters: [...game.state.board], side: game.state.side, piece: 'R', error: null });
  redraw();
}

/** Ends editing and keeps the game as it was. */
export function cancelEditing() {
  editor.isOn = false;
  redraw();
}

/** Changes the board: `from` is null for the chosen piece, `to` is null off the board. */
export function edit(from, to) {
  const { letters } = editor;
  const letter = from ? letterOn(editedBoard(), from) : editor.piece;
  if (from) letters[indexOf(from)] = '.';
  if (to) letters[indexOf(to)] = !from && letters[indexOf(to)] === letter ? '.' : letter;
  editor.error = null;
  redraw();
}

/** Sets the whole board, or changes other properties. */
export function changeEditor(changes) {
  Object.assign(editor, changes, { error: null });
  redraw();
}

/** Puts up the start position. */
export async function editStart() {
  const { board } = await ask('position', { moves: [] });
  changeEditor({ letters: [...board], side: 'red' });
}

/** Sets the position up. An impossible one is explained and stays. Returns whether it was possible. */
export async function finishEditing() {
  if (editedBoard() === game.state.board && editor.side === game.state.side) {
    cancelEditing();
    return true;
  }
  try {
    const { fen } = await ask('set_up', { board: editedBoard(), side: editor.side });
    editor.isOn = false;
    await setUp(fen);
    return true;
  } catch (error) {
    editor.error = error.message;
    redraw();
    return false;
  }
}
