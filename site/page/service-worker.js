// Keeps the files of the site, so that it works without a network, and gives each the headers that let the page share
// memory with its workers. scripts/site.sh fills in version and files.

const OWN_CACHES = `chuhe ${registration.scope} `;
const CACHE = `${OWN_CACHES}VERSION`;
/** Address and checksum. */
const FILES = [/* FILES */];
const HEADERS = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

async function install() {
  const cache = await caches.open(CACHE);
  // The browser has just loaded them, but those of another version must not stay, nor come in between.
  await cache.addAll(FILES.map(([file, integrity]) => new Request(file, { cache: 'no-cache', integrity })));
}

async function activate() {
  const names = await caches.keys();
  const old = names.filter((name) => name.startsWith(OWN_CACHES) && name !== CACHE);
  await Promise.all(old.map((name) => caches.delete(name)));
  await clients.claim();
}

async function answer(request) {
  const cache = await caches.open(CACHE);
  const response = await cache.match(request, { ignoreSearch: true });
  // Pages of others in the same path stay as they are.
  if (!response) return fetch(request);
  const headers = new Headers(response.headers);
  Object.entries(HEADERS).forEach(([name, value]) => headers.set(name, value));
  return new Response(response.body, { status: response.status, statusText: response.statusText, headers });
}

addEventListener('install', (event) => event.waitUntil(install()));
addEventListener('activate', (event) => event.waitUntil(activate()));
addEventListener('fetch', (event) => {
  const { request } = event;
  if (request.method === 'GET' && request.url.startsWith(registration.scope)) event.respondWith(answer(request));
});
