// Transport to the program on this machine: a WebSocket, opened again after it was lost.

/** Times between attempts, in milliseconds; the last one repeats. */
const PAUSES = [500, 1000, 2000, 4000];

/** Opens the transport. */
export function openTransport({ opened, received, closed }) {
  let socket = null;
  let attempts = 0;
  let isLeaving = false;
  const open = () => {
    socket = new WebSocket(new URL('socket', document.baseURI.split('#')[0].replace(/^http/, 'ws')));
    socket.onopen = () => {
      attempts = 0;
      opened();
    };
    socket.onmessage = (event) => received(event.data);
    socket.onclose = () => {
      closed();
      if (isLeaving) return;
      setTimeout(open, PAUSES[Math.min(attempts, PAUSES.length - 1)]);
      attempts += 1;
    };
  };
  // A page that the browser keeps for going back would keep its search too.
  window.addEventListener('pagehide', () => {
    isLeaving = true;
    socket.close();
  });
  window.addEventListener('pageshow', (event) => {
    if (event.persisted) location.reload();
  });
  open();
  return { send: (text) => socket.send(text) };
}
