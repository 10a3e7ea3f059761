// Transport to the engine in this browser: WebAssembly in two workers, one for requests and one for tasks, so that a
// request is answered during a search.
//
// A search sees that it is stopped by memory that it shares with the page. Browsers allow that to isolated pages, which
// the service worker makes of this one from the second visit on. Elsewhere its worker is ended and started again.

import { toast } from './page.js';

const FAILED = { en: 'the engine failed and was started again', zh: '引擎出错，已重新启动' };
const UNUSABLE = 'The engine cannot run in this browser · 引擎无法在此浏览器中运行: ';
const NOT_LOADED = 'The engine could not be loaded, and is loaded again · 引擎未能加载，正在重试: ';
/** Time before the engine is loaded again, in milliseconds. */
const PAUSE = 5000;
/** The end of a task of which nothing is known: that of a search and that of a review. */
const NOTHING = {
  best: null,
  score: null,
  depth: 0,
  stopped: true,
  book: false,
  accuracy: [null, null],
  marks: [[0, 0, 0], [0, 0, 0]],
};

async function compile() {
  const response = await fetch('./chuhe_bg.wasm');
  if (!response.ok) throw new Error(`chuhe_bg.wasm: ${response.status}`);
  if (response.headers.get('Content-Type') === 'application/wasm') return WebAssembly.compileStreaming(response);
  return WebAssembly.compile(await response.arrayBuffer());
}

/** Opens the transport. */
export function openTransport({ opened, received }) {
  const stopped = globalThis.crossOriginIsolated ? new Int32Array(new SharedArrayBuffer(4)) : null;
  /** Requests without an answer, in order. */
  let asked = [];
  let answerer = null;
  let runner = null;
  /** The task that runs, and the one that follows it. */
  let running = null;
  let waiting = null;
  let module = null;
  let isOpen = false;

  const reply = (message) => received(JSON.stringify(message));

  /** Starts a worker; `take` receives its messages until it fails or is ended. */
  function startWorker(runs, take, failed) {
    const worker = new Worker('./worker.js', { type: 'module' });
    worker.onmessage = ({ data }) => {
      if ('failure' in data) failed(data.failure);
      else take(data);
    };
    worker.onerror = (event) => failed(event.message ?? 'worker.js');
    worker.postMessage({ module, stopped, runs });
    return worker;
  }

  function end(worker) {
    Object.assign(worker, { onmessage: null, onerror: null });
    worker.terminate();
  }

  function startAnswerer() {
    let isReady = false;
    answerer = startWorker(false, (data) => {
      if (data.last) {
        asked.shift();
        received(data.last);
        return;
      }
      isReady = true;
      if (!isOpen) opened();
      isOpen = true;
    }, (failure) => {
      end(answerer);
      // Without a worker that starts there would be no end of attempts: the next request makes one.
      if (!isReady) {
        answerer = null;
        toast(UNUSABLE + failure, { isError: true });
        asked.splice(0).forEach(({ id }) => reply({ id, error: FAILED }));
        return;
      }
      // The first request is the cause; the others are asked again.
      const [cause, ...others] = asked;
      asked = [];
      startAnswerer();
      others.forEach(ask);
      if (cause) reply({ id: cause.id, error: FAILED });
    });
  }

  function ask(request) {
    asked.push(request);
    if (!answerer) startAnswerer();
    answerer.postMessage(request.text);
  }

  function startRunner() {
    let isReady = false;
    runner = startWorker(true, (data) => {
      isReady ||= data.isReady;
      if (data.event) {
        running.end = data.end;
        received(data.event);
      }
      if (data.last) {
        // A task that cannot be read is answered as a request is.
        const { id, event, error } = JSON.parse(data.last);
        finish(event ? data.last : JSON.stringify({ id, event: 'failed', error }));
      }
    }, () => {
      end(runner);
      runner = null;
      // As above, the next task starts one.
      if (isReady) startRunner();
      if (running) finish(JSON.stringify({ id: running.id, event: 'failed', error: FAILED }));
    });
  }

  function run(task) {
    running = task;
    if (!runner) startRunner();
    runner.postMessage(task.text);
  }

  /** Gives out the last event of the task that runs, and begins the next one. */
  function finish(last) {
    const next = waiting;
    running = null;
    waiting = null;
    if (next) run(next);
    received(last);
  }

  /** Ends both tasks with what they have found. */
  function stop() {
    if (waiting) reply({ id: waiting.id, event: 'finished', ...NOTHING });
    waiting = null;
    if (!running) return;
    if (stopped) {
      Atomics.store(stopped, 0, running.id);
      return;
    }
    const { id, end: last } = running;
    end(runner);
    startRunner();
    finish(last ?? JSON.stringify({ id, event: 'finished', ...NOTHING }));
  }

  function start(task) {
    stop();
    if (running) waiting = task;
    else run(task);
  }

  function send(text) {
    const { id, do: name } = JSON.parse(text);
    const request = { id, text, end: null };
    const isTask = name === 'go' || name === 'review';
    if (!isTask && name !== 'stop') {
      ask(request);
      return;
    }
    queueMicrotask(() => {
      reply({ id, ok: {} });
      if (isTask) start(request);
      else stop();
    });
  }

  // A page that the browser keeps for going back would keep its search too.
  window.addEventListener('pagehide', () => [answerer, runner].forEach((worker) => worker && end(worker)));
  window.addEventListener('pageshow', (event) => {
    if (event.persisted) location.reload();
  });
  const load = () => compile().then((compiled) => {
    module = compiled;
    startAnswerer();
    startRunner();
    navigator.serviceWorker?.register('./service-worker.js').catch(() => {});
  }).catch((error) => {
    const isFinal = !globalThis.WebAssembly || error instanceof WebAssembly.CompileError;
    toast((isFinal ? UNUSABLE : NOT_LOADED) + error.message, { isError: true });
    if (!isFinal) setTimeout(load, PAUSE);
  });
  load();
  return { send };
}
