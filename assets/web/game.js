// The game on the page: a tree of moves, the current move, and the state that the program reports for it.

import { ask } from './connection.js';

const changed = [];

function newNode(parent, name) {
  return { parent, move: name?.move ?? '', chinese: name?.chinese ?? '', wxf: name?.wxf ?? '', comment: '', children: [], mark: '', better: null, score: null };
}

/** The game. `root` stands for the start; `state` is that of the current move. */
export const game = {
  start: null, tags: [], result: '*', ending: null, rules: 'computer', root: newNode(null), current: null, state: null,
};
game.current = game.root;

/** Calls a function after every change of the game or of the current move. */
export const onChange = (listener) => changed.push(listener);

const report = (kind) => changed.forEach((listener) => listener(kind));

/** Returns the nodes from the first move to this one. */
export function path(node = game.current) {
  const nodes = [];
  for (let at = node; at.parent; at = at.parent) nodes.push(at);
  return nodes.reverse();
}

/** Returns a line as the program expects it. */
export const line = (node = game.current) => ({ start: game.start, rules: game.rules, moves: path(node).map((at) => at.move) });

/** Returns all nodes of the game. */
export function allNodes() {
  const nodes = [game.root];
  for (const node of nodes) nodes.push(...node.children);
  return nodes;
}

/** Returns whether a node belongs to the game on the page and was not deleted. */
export function isInGame(node) {
  let at = node;
  while (at.parent?.children.includes(at)) at = at.parent;
  return at === game.root;
}

/** Returns whether a node lies on the main line of the game. */
const isOnMainLine = (node) => path(node).every((at) => at.parent.children[0] === at);

/** Returns the nodes of the main line through the current move. */
export function wholeLine() {
  const nodes = path();
  for (let at = game.current.children[0]; at; at = at.children[0]) nodes.push(at);
  return nodes;
}

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

/** Plays a move after a node, even if the game has it already. */
export async function play(move, parent = game.current) {
  const known = parent.children.find((child) => child.move === move);
  if (known) {
    await goTo(known, 'move');
    return known;
  }
  visits += 1;
  const visit = visits;
  const moves = [...line(parent).moves, move];
  const state = await ask('position', { ...line(parent), moves });
  if (visit !== visits) return null;
  const node = newNode(parent, state.moves[state.moves.length - 1]);
  parent.children.push(node);
  game.current = node;
  game.state = state;
  report('move');
  return node;
}

/** Begins a game at a position. */
export async function newGame(start) {
  const state = await ask('position', { start, moves: [], rules: game.rules });
  Object.assign(game, { start, tags: [], result: '*', ending: null, root: newNode(null), state });
  game.current = game.root;
  visits += 1;
  report('game');
}

/** Loads a game that the program has read. */
export async function load(object) {
  const root = newNode(null);
  root.comment = object.comment ?? '';
  const nodes = [];
  for (const { parent, comment, ...name } of object.nodes) {
    const before = parent === null ? root : nodes[parent];
    const node = newNode(before, name);
    node.comment = comment ?? '';
    before.children.push(node);
    nodes.push(node);
  }
  Object.assign(game, { start: object.start ?? null, tags: object.tags ?? [], result: object.result, ending: null, root });
  game.current = root;
  await goTo(root);
  report('game');
}

/** Returns the game as the program writes it. */
export function toObject() {
  const nodes = [];
  const stack = [...game.root.children].reverse().map((node) => [node, null]);
  while (stack.length) {
    const [node, parent] = stack.pop();
    const index = nodes.length;
    nodes.push({ parent, move: node.move, comment: node.comment });
    for (const child of [...node.children].reverse()) stack.push([child, index]);
  }
  return { start: game.start, tags: game.tags, result: game.result, comment: game.root.comment, nodes };
}

/** Deletes a move and all after it. The result belongs to the end of the main line, or to the move after which it came. */
export async function remove(node) {
  if (!node.parent) return;
  const wasOnMainLine = isOnMainLine(node);
  node.parent.children = node.parent.children.filter((child) => child !== node);
  const losesResult = wasOnMainLine || (game.ending && !isInGame(game.endedAt));
  await goTo(node.parent);
  if (losesResult) Object.assign(game, { result: '*', ending: null });
  report('game');
}

/** Makes the current line the main line. */
export function promote(node) {
  for (let at = node; at.parent; at = at.parent) {
    const children = at.parent.children;
    children.splice(children.indexOf(at), 1);
    children.unshift(at);
  }
  report('game');
}

/** Ends the game after a move, without a verdict of the rules if `ending` says how, such as by resignation. */
export function end(result, ending, endedAt = game.current) {
  Object.assign(game, { result, ending, endedAt });
  report('end');
}
