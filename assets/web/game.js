// The game on the board: a tree of moves, the current move, and the state that the engine reports for it.

import { ask } from './engine.js';

const changed = [];

function newNode(parent, name) {
  return { parent, move: name?.move ?? '', chinese: name?.chinese ?? '', wxf: name?.wxf ?? '', comment: '', children: [], mark: '', better: null, score: null };
}

/**
 * The game. `root` stands for the start; `state` is that of the current move. `ending` says how it ended if not by the
 * rules, and `endedAt` after which move.
 */
export const game = {
  start: null, tags: [], result: '*', ending: null, endedAt: null, rules: 'computer', root: newNode(null), current: null, state: null,
};
game.current = game.root;

/**
 * Calls a function after every change, with its kind: `game`, `position`, `move`, `turn` for a move of the game against the
 * engine, or `end`.
 */
export const onChange = (listener) => changed.push(listener);

const report = (kind) => changed.forEach((listener) => listener(kind));

/** Returns the nodes from the first move to this one. */
export function path(node = game.current) {
  const nodes = [];
  for (let at = node; at.parent; at = at.parent) nodes.push(at);
  return nodes.reverse();
}

/** Returns a line as the engine expects it. */
export const line = (node = game.current) => ({ start: game.start, rules: game.rules, moves: path(node).map((at) => at.move) });

/** Returns the last node of the line that goes through a node by first moves. */
function lastOf(node) {
  let at = node;
  while (at.children[0]) [at] = at.children;
  return at;
}

/** Returns whether a node belongs to the game on the board and was not deleted. */
export function isInGame(node) {
  let at = node;
  while (at?.parent?.children.includes(at)) at = at.parent;
  return at === game.root;
}

const isOnMainLine = (node) => path(node).every((at) => at.parent.children[0] === at);

/** Returns the nodes of the line through the current move, from the first move to the last. */
export const wholeLine = () => path(lastOf(game.current));

/** Returns the side that moves first and the number of the first move. */
export function firstMove() {
  const fields = (game.start ?? '').split(/\s+/);
  return { number: Number(fields[5]) || 1, isBlack: fields[1] === 'b' };
}

/** Returns a tag of the game, empty if it is missing. */
export const tag = (name, tags = game.tags) => tags.find(([other]) => other === name)?.[1] ?? '';

/** Returns whether the players, not the rules, have ended the game at the current move. */
export const isEnded = () => game.ending !== null && game.current === game.endedAt;

/** Returns whether the rules or the players have ended the game at the current move. */
export const isOver = () => isEnded() || game.state.verdict.word !== 'none';

let visits = 0;

/** Makes a node the current one; `kind` is that of the change. */
export async function goTo(node, kind = 'position') {
  visits += 1;
  const visit = visits;
  const state = await ask('position', line(node));
  if (visit !== visits) return;
  game.current = node;
  game.state = state;
  report(kind);
}

/** Plays a move after a node, even if the game has it already. Returns its node, null if another change came first. */
export async function play(move, parent = game.current, kind = 'move') {
  const known = parent.children.find((child) => child.move === move);
  if (known) {
    await goTo(known, kind);
    return game.current === known ? known : null;
  }
  visits += 1;
  const visit = visits;
  const before = line(parent);
  const state = await ask('position', { ...before, moves: [...before.moves, move] });
  if (visit !== visits) return null;
  const node = newNode(parent, state.moves[state.moves.length - 1]);
  parent.children.push(node);
  game.current = node;
  game.state = state;
  report(kind);
  return node;
}

/** Plays several moves as a variation and shows the last one. */
export async function playLine(names) {
  let at = game.current;
  for (const name of names) {
    let next = at.children.find((child) => child.move === name.move);
    if (!next) {
      next = newNode(at, name);
      at.children.push(next);
    }
    at = next;
  }
  await goTo(at, 'move');
}

/** Begins a game at a position. */
export async function newGame(start) {
  const state = await ask('position', { start, moves: [], rules: game.rules });
  visits += 1;
  Object.assign(game, { start, tags: [], result: '*', ending: null, endedAt: null, root: newNode(null), state });
  game.current = game.root;
  report('game');
}

/** Loads a game that the engine has read, or with `ending` and the line `endedAt` one of the page, and shows the position after a line of moves. */
export async function load(object, moves = []) {
  const root = newNode(null);
  root.comment = object.comment ?? '';
  const nodes = [];
  root.score = object.score ?? null;
  for (const { parent, comment, score, mark, better, ...name } of object.nodes) {
    const before = parent === null ? root : nodes[parent];
    const node = Object.assign(newNode(before, name), { comment: comment ?? '', mark: mark ?? '', score: score ?? null, better: better ?? null });
    before.children.push(node);
    nodes.push(node);
  }
  const after = (names) => names.reduce((at, move) => at.children.find((child) => child.move === move) ?? at, root);
  const target = after(moves);
  const state = await ask('position', { start: object.start ?? null, rules: game.rules, moves: path(target).map((at) => at.move) });
  visits += 1;
  const { start = null, tags = [], result, ending = null, endedAt } = object;
  Object.assign(game, { start, tags, result, ending, endedAt: ending && after(endedAt), root, state });
  game.current = target;
  report('game');
}

/** Shows a game that was on the board before. */
export async function show(kept) {
  const state = await ask('position', { start: kept.start, rules: kept.rules, moves: path(kept.current).map((at) => at.move) });
  visits += 1;
  Object.assign(game, kept, { state });
  report('game');
}

/** Returns the game as the engine writes it, or `withReview` one that can be loaded with scores and marks. */
export function toObject(of = game, withReview = false) {
  const nodes = [];
  const stack = [...of.root.children].reverse().map((node) => [node, null]);
  while (stack.length) {
    const [node, parent] = stack.pop();
    const index = nodes.length;
    const { move, comment, chinese, wxf, score, mark, better } = node;
    nodes.push({ parent, move, comment, chinese, wxf, ...(withReview ? { score, mark, better } : {}) });
    for (const child of [...node.children].reverse()) stack.push([child, index]);
  }
  const { start, tags, result, root } = of;
  return { start, tags, result, comment: root.comment, nodes, ...(withReview ? { score: root.score } : {}) };
}

/** Deletes a move and all after it. The result belongs to the end of the main line, or to the move after which it came. */
export async function remove(node) {
  if (!node.parent) return;
  const wasOnMainLine = isOnMainLine(node);
  node.parent.children = node.parent.children.filter((child) => child !== node);
  const losesResult = game.endedAt ? !isInGame(game.endedAt) : wasOnMainLine;
  await goTo(node.parent);
  if (losesResult) Object.assign(game, { result: '*', ending: null, endedAt: null });
  report('game');
}

/** Makes the line to a node the main line. */
export function promote(node) {
  for (let at = node; at.parent; at = at.parent) {
    const { children } = at.parent;
    children.splice(children.indexOf(at), 1);
    children.unshift(at);
  }
  report('game');
}

/** Ends the game after a move; `ending` says how if not by a verdict of the rules. */
export function end(result, ending, endedAt = game.current) {
  Object.assign(game, { result, ending, endedAt });
  report('end');
}

/** Goes a step along the current line: `first`, `previous`, `next` or `last`. */
export function step(name) {
  const { current, root } = game;
  const target = { first: root, previous: current.parent, next: current.children[0], last: lastOf(current) }[name];
  if (target && target !== current) goTo(target);
}
