// Connection to the program: requests with answers, and events of searches.

import { say } from './words.js';

const pending = new Map();
const listeners = new Map();
let socket = null;
let lastId = 0;
let whenClosed = () => {};

/** Error of a request after the end of the connection. */
export class ConnectionClosed extends Error {
  constructor() {
    super(say('closed'));
  }
}

/** Connects; resolves when requests can be sent. `closed` is called when the program is gone. */
export function connect(closed) {
  whenClosed = closed;
  return new Promise((resolve, reject) => {
    socket = new WebSocket(new URL('socket', location.href.replace(/^http/, 'ws')));
    socket.onopen = resolve;
    socket.onerror = () => reject(new ConnectionClosed());
    socket.onclose = () => {
      for (const request of pending.values()) request.reject(new ConnectionClosed());
      pending.clear();
      whenClosed();
    };
    socket.onmessage = (event) => receive(JSON.parse(event.data));
  });
}

function receive(message) {
  if (message.event) {
    const listener = listeners.get(message.id);
    if (message.event === 'finished' || message.event === 'failed') listeners.delete(message.id);
    listener?.(message.event, message);
    return;
  }
  const request = pending.get(message.id);
  pending.delete(message.id);
  if (!request) return;
  if ('error' in message) request.reject(new Error(message.error));
  else request.resolve(message.ok ?? null);
}

// A page that the browser keeps for going back would keep its search too.
window.addEventListener('pagehide', () => socket?.close());
window.addEventListener('pageshow', (event) => {
  if (event.persisted) location.reload();
});

/** Sends a request and resolves to its answer. */
export function ask(name, content = {}) {
  return new Promise((resolve, reject) => send(name, content, resolve, reject));
}

/** Starts a search; `listener` receives its events. Returns the number of the request. */
export function start(name, content, listener) {
  const id = send(name, content, () => {}, (error) => {
    listeners.delete(id);
    listener('failed', { error: error.message });
  });
  listeners.set(id, listener);
  return id;
}

function send(name, content, resolve, reject) {
  lastId += 1;
  if (socket?.readyState !== WebSocket.OPEN) {
    queueMicrotask(() => reject(new ConnectionClosed()));
    return lastId;
  }
  pending.set(lastId, { resolve, reject });
  socket.send(JSON.stringify({ id: lastId, do: name, ...content }));
  return lastId;
}
