// What the browser keeps: settings, and the games against the engine. Storage may be full or turned off; then the page
// works without it.

const SETTINGS = 'chuhe-settings';
const GAME = 'chuhe-game-';
/** Games kept; older ones make room. */
const MAX_GAMES = 400;

function read(key) {
  try {
    return JSON.parse(localStorage.getItem(key));
  } catch {
    return null;
  }
}

function write(key, value) {
  try {
    localStorage.setItem(key, JSON.stringify(value));
    return true;
  } catch {
    return false;
  }
}

/** Settings of the user. */
export const settings = {
  language: null, theme: 'auto', board: 'wood', pieces: null, notation: null, sound: true, targets: true, coordinates: false,
  rules: 'computer', lines: 3, arrows: true, engine: true,
  opponent: null, side: 'red', clock: 'none', adapts: false, streak: 0, book: true,
  ...read(SETTINGS),
};

/** Changes settings and keeps them, beside those that another tab has changed. */
export function set(changes) {
  Object.assign(settings, changes);
  write(SETTINGS, { ...read(SETTINGS), ...changes });
}

function keys() {
  try {
    return Object.keys(localStorage).filter((key) => key.startsWith(GAME));
  } catch {
    return [];
  }
}

let list = null;

/** Returns all games that are kept, the newest first. They are read once, and again after a change. */
export function games() {
  list ??= keys().map(read).filter((entry) => entry?.id && entry.game).sort((a, b) => b.updated - a.updated);
  return list;
}

/** Returns a game that is kept. */
export const find = (id) => read(GAME + id);

/** The game that was too large for the browser: another attempt would disturb the games of other tabs. */
let unkept = null;

/** Keeps a game under its `id`. Returns false, and forgets none, if there is no room even without the oldest ones. */
export function keep(entry) {
  if (entry.id === unkept) return false;
  if (keys().length >= MAX_GAMES && !find(entry.id)) {
    for (const old of games().slice(MAX_GAMES - 1)) forget(old.id);
  }
  list = null;
  if (write(GAME + entry.id, entry)) return true;
  const others = games().filter((other) => other.id !== entry.id);
  const forgotten = [];
  while (!write(GAME + entry.id, entry)) {
    const oldest = others.pop();
    if (!oldest) {
      forgotten.forEach((old) => write(GAME + old.id, old));
      unkept = entry.id;
      list = null;
      return false;
    }
    forgotten.push(oldest);
    forget(oldest.id);
  }
  list = null;
  return true;
}

/** Removes a game. */
export function forget(id) {
  list = null;
  unkept = null;
  try {
    localStorage.removeItem(GAME + id);
  } catch { /* Then it was not kept either. */ }
}

const CURRENT = 'chuhe-current';

/** Remembers the game of this tab for a reload; null for none. */
export function setCurrent(id) {
  try {
    if (id) sessionStorage.setItem(CURRENT, id);
    else sessionStorage.removeItem(CURRENT);
  } catch { /* Then a reload begins without it. */ }
}

/** Returns the `id` of the game that this tab had before a reload: one against the engine that is kept, or that of its step of the history. */
export function current() {
  try {
    const id = sessionStorage.getItem(CURRENT);
    return find(id) ? id : history.state?.board ?? null;
  } catch {
    return null;
  }
}

/** Calls a function when another tab of this browser has changed a game, not when it has deleted it; with its `id`. */
export function onForeignChange(listener) {
  window.addEventListener('storage', (event) => {
    list = null;
    if (event.key?.startsWith(GAME) && event.newValue !== null) listener(event.key.slice(GAME.length));
  });
}
