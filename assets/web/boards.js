// The games that this tab has shown. A step of the browser's history leads back to its game, and a reload finds them again.

import { fileOf, setFile } from './files.js';
import { game, line, load, onChange, show, toObject } from './game.js';
import { isPlaying, leaveMatch, match } from './match.js';

const KEPT = 'chuhe-boards';
/** Games that can be found again. */
const MAX_BOARDS = 12;
/** Longest text of the games of a file that is kept. */
const MAX_FILE = 1_000_000;

/** Games by their `id`, the one shown last at the end. */
const boards = new Map();
const ids = new WeakMap();

/** Returns the `id` of the game on the board; null for one against the engine, which is kept elsewhere. */
export function boardId() {
  if (match.side !== null) return null;
  if (!ids.has(game.root)) ids.set(game.root, `board-${Date.now().toString(36)}-${Math.random().toString(36).slice(2, 8)}`);
  return ids.get(game.root);
}

const isEmpty = ({ start, tags, root }) => start === null && !tags.length && !root.children.length;

function note() {
  if (match.side !== null) return;
  boards.delete(boardId());
  boards.set(boardId(), { ...game });
  const others = [...boards.keys()].slice(0, -1);
  if (boards.size > MAX_BOARDS) boards.delete(others.find((id) => isEmpty(boards.get(id))) ?? others[0]);
}

/** Returns the games that were kept for a reload. */
function stored() {
  try {
    return JSON.parse(sessionStorage.getItem(KEPT)) ?? [];
  } catch {
    return [];
  }
}

function entry([id, board]) {
  const file = fileOf(board.root);
  return {
    id, rules: board.rules, line: line(board.current).moves,
    game: { ...toObject(board, true), ending: board.ending, endedAt: board.ending && line(board.endedAt).moves },
    file: file?.games.length > 1 && JSON.stringify(file).length < MAX_FILE ? file : null,
  };
}

/** Keeps the games for a reload; without the other games of their files, or the last one alone, if there is not enough room. */
function keepAll() {
  const own = [...boards].filter(([id, board]) => !isEmpty(board) || id === boardId()).map(entry);
  const all = [...stored().filter(({ id }) => !boards.has(id)), ...own].slice(-MAX_BOARDS);
  for (const kept of [all, all.map((board) => ({ ...board, file: null })), own.slice(-1)]) {
    try {
      sessionStorage.setItem(KEPT, JSON.stringify(kept));
      return;
    } catch { /* There is no room for them. */ }
  }
}

/** Shows a game of this tab again, not during a game against the engine. Returns whether it was found; `start` is its position, if known. */
export async function restore(id, start) {
  if (!id || id === boardId() || isPlaying()) return false;
  const board = boards.get(id);
  const kept = board ?? stored().find((other) => other.id === id);
  if (!kept || (start !== undefined && start !== (board ?? kept.game).start)) return false;
  leaveMatch();
  if (board) {
    await show(board);
    return true;
  }
  game.rules = kept.rules;
  await load(kept.game, kept.line);
  boards.delete(boardId());
  ids.set(game.root, id);
  note();
  if (kept.file) setFile(kept.file);
  return true;
}

/** Notes the games from now on. */
export function setUpBoards() {
  onChange(note);
  window.addEventListener('pagehide', keepAll);
  // A phone may end a page that is hidden without another word.
  document.addEventListener('visibilitychange', () => document.visibilityState === 'hidden' && keepAll());
}
