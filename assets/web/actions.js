// What controls of several views do with the game against the engine.

import { find, settings } from './store.js';
import { game, load, newGame, play } from './game.js';
import { beginGame, beginHere, isPlaying, leaveMatch, match, resume, userMove } from './match.js';
import { attempt, flip, mayLeave, open, toast } from './page.js';
import { say } from './words.js';

/** Goes on with a game that is kept. */
export const goOn = attempt(async (id) => {
  if (match.id !== id && !(await mayLeave())) return;
  await resume(id);
  flip(match.side === 'black');
  await open('play');
});

/** Leaves the game for a new one, after a question; the message offers to go on with it. */
async function leaveForNew() {
  const id = isPlaying() && match.last.parent ? match.id : null;
  if (!(await mayLeave('new_ask'))) return false;
  leaveMatch();
  if (id && find(id)) toast(say('left_game'), { undo: () => goOn(id) });
  return true;
}

/** Shows the choice of an opponent. */
export const chooseNew = attempt(async () => {
  if (!(await leaveForNew())) return;
  await newGame(null);
  flip(settings.side === 'black');
  await open('play');
});

/** Begins a game with the settings; the board turns to the user. */
export const beginNew = attempt(async (side) => {
  if (!(await leaveForNew())) return;
  await beginGame(side);
  flip(match.side === 'black');
});

/** Opens the game on the board, or one that is kept, in the analysis. */
export const reviewKept = attempt(async (id) => {
  const kept = id ? find(id) : null;
  if (kept) {
    if (!(await mayLeave())) return;
    leaveMatch();
    await load({ ...kept.game, ending: kept.ending, endedAt: kept.line });
    flip(kept.side === 'black');
  }
  await open('analyse');
});

/** Plays on from the position on the board against the engine. */
export const playHere = attempt(async () => {
  await beginHere();
  flip(match.side === 'black');
  await open('play');
});

/** Makes a move on the board: in a game, as its beginning, or as one to look at. */
export const makeMove = attempt(async (move, isGame) => {
  if (!isGame) {
    await play(move);
    return;
  }
  if (match.side === null) {
    // The first move on the start position begins a game.
    if (!game.current.parent && game.start === null) await beginGame(game.state.side);
    else await beginHere();
  }
  await userMove(move);
});
