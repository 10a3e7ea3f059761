// The engine in a worker. The first message has the module, and what is to be done with the texts that follow: answer
// requests, or run tasks.

import init, { answer, prepare, run } from './chuhe.js';

let stopped = null;
let work = null;

/** Runs a task; its events go to the page as they come. */
const runTask = (text) => run(text, stopped, (event, end) => postMessage({ event, end }));

async function handle(data) {
  if (typeof data === 'string') {
    postMessage({ last: work(data) });
    return;
  }
  await init({ module_or_path: data.module });
  stopped = data.stopped;
  work = data.runs ? runTask : answer;
  // Without this, the first search would do it on its clock. A worker that ends with its task does not.
  if (data.runs && stopped) prepare();
  postMessage({ isReady: true });
}

let queue = Promise.resolve();

onmessage = ({ data }) => {
  queue = queue.then(() => handle(data)).catch((error) => postMessage({ failure: String(error) }));
};
