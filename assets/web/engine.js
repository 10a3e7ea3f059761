// The messages to the engine: requests with one answer, and tasks with events. A transport carries them as JSON text; it
// calls `opened`, `received` and `closed`, and has `send`.

import { choose, say } from './words.js';

const pending = new Map();
const tasks = new Map();
const listeners = [];
let transport = null;
let lastId = 0;
let lastTask = 0;

/** State of the connection: `opening`, `open` or `closed`. */
export const connection = { state: 'opening' };

/** Error of a request without a connection. */
export class ConnectionClosed extends Error {
  constructor() {
    super(say('closed'));
  }
}

/** Calls a function after every change of the connection. */
export const onConnection = (listener) => listeners.push(listener);

function change(state) {
  connection.state = state;
  listeners.forEach((listener) => listener(state));
}

/** Uses a transport from now on. */
export function connect(open) {
  transport = open({
    opened: () => change('open'),
    received: (text) => receive(JSON.parse(text)),
    closed: () => {
      if (connection.state === 'closed') return;
      const lost = [...pending.values()];
      pending.clear();
      tasks.clear();
      change('closed');
      lost.forEach((request) => request.reject(new ConnectionClosed()));
    },
  });
}

function receive(message) {
  if (message.event) {
    const task = tasks.get(message.id);
    if (message.event === 'finished' || message.event === 'failed') tasks.delete(message.id);
    if (message.error) message.error = choose(message.error);
    task?.(message.event, message);
    return;
  }
  const request = pending.get(message.id);
  pending.delete(message.id);
  if (!request) return;
  if ('error' in message) request.reject(new Error(choose(message.error)));
  else request.resolve(message.ok ?? null);
}

function send(name, content, resolve, reject) {
  lastId += 1;
  if (connection.state !== 'open') {
    queueMicrotask(() => reject(new ConnectionClosed()));
    return lastId;
  }
  pending.set(lastId, { resolve, reject });
  transport.send(JSON.stringify({ id: lastId, do: name, ...content }));
  return lastId;
}

/** Sends a request and resolves to its answer. */
export const ask = (name, content = {}) => new Promise((resolve, reject) => send(name, content, resolve, reject));

/** Starts a task; `listener` receives its events. Returns its number. */
export function start(name, content, listener) {
  const id = send(name, content, () => {}, (error) => {
    tasks.delete(id);
    listener('failed', { error: error.message });
  });
  tasks.set(id, listener);
  lastTask = id;
  return id;
}

/** Ends a task, unless another one has replaced it. */
export function stop(id) {
  if (id && id === lastTask) ask('stop').catch(() => {});
}
