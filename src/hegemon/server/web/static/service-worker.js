// The service worker. The server puts `KEPT` before this file: the language, the URLs of files with their digest, and
// the pages for reading with a digest of each. Nothing else is ever answered from the cache: tables, forms, streams and
// the API always go to the server.

const CACHE = "hegemon";
const START = "/start";
/** Milliseconds after which a page is read from the cache if the server has not answered. */
const PATIENCE = 3000;
/** Milliseconds for which a notice that need not be read is shown. */
const BRIEFLY = 1000;

const keyOf = (path) => new Request(`/kept/${KEPT.pages[path]}${path}`);
const files = new Set(KEPT.files);

/** Pages are kept as a reader without a name sees them: no cookie is sent, so nothing personal is kept. They say so. */
async function keepPage(cache, path) {
  const page = await fetch(path, { credentials: "omit", cache: "no-store", headers: { "Accept-Language": KEPT.language } });
  if (!page.ok || page.redirected) throw new Error(`${path}: ${page.status}`);
  await cache.put(keyOf(path), new Response((await page.text()).replace("<html ", "<html data-kept "), page));
}

/** Keep what is not kept yet. The start page and the files of all pages must be there; other pages can come later. */
async function keepAll() {
  const cache = await caches.open(CACHE);
  const there = new Set((await cache.keys()).map(({ url }) => url));
  const pages = Object.keys(KEPT.pages).filter((path) => !there.has(keyOf(path).url));
  const added = KEPT.files.filter((file) => !there.has(new Request(file).url)).map((file) => cache.add(file));
  await Promise.all([...added, pages.includes(START) && keepPage(cache, START)]);
  await Promise.allSettled(pages.filter((path) => path !== START).map((path) => keepPage(cache, path)));
}

async function dropOthers() {
  const cache = await caches.open(CACHE);
  const kept = new Set([...KEPT.files, ...Object.keys(KEPT.pages).map((path) => keyOf(path).url)].map((url) => new URL(url, location.href).href));
  for (const { url } of await cache.keys()) if (!kept.has(url)) await cache.delete(url);
}

const keptPage = async (url) => {
  const path = url.pathname + url.search;
  return path in KEPT.pages ? (await caches.open(CACHE)).match(keyOf(path)) : undefined;
};

const startPage = () => keptPage(new URL(START, location.href));

const afterPatience = () => new Promise((_, give) => { setTimeout(give, PATIENCE); });

/** The answer of the server itself. A proxy that cannot reach the server also answers, but without our policy. */
async function answerTo(event) {
  const answer = await event.preloadResponse ?? await fetch(event.request);
  if (answer.status >= 500 && !answer.headers.has("Content-Security-Policy")) throw new Error(`${answer.status}`);
  return answer;
}

/** A page: from the server; while it cannot be reached, the page that is kept, or the one that says so. */
async function visit(event, url) {
  const kept = await keptPage(url);
  if (kept && url.pathname === START) return kept;
  const answer = answerTo(event);
  try {
    return await (kept ? Promise.race([answer, afterPatience()]) : answer);
  } catch {
    return kept ?? await startPage() ?? Response.error();
  }
}

self.addEventListener("install", (event) => {
  self.skipWaiting();
  event.waitUntil(keepAll());
});

self.addEventListener("activate", (event) => {
  event.waitUntil(Promise.all([self.clients.claim(), self.registration.navigationPreload?.enable(), dropOthers()]));
});

/** A page asks whether anything is missing that could not be kept before. */
self.addEventListener("message", (event) => { event.waitUntil(keepAll().catch(() => {})); });

self.addEventListener("fetch", (event) => {
  const { request } = event, url = new URL(request.url);
  // Forms are sent by the browser itself, never by this worker, so that the server sees which site they come from.
  if (url.origin !== location.origin || request.method !== "GET") return;
  if (request.mode === "navigate") {
    event.waitUntil(Promise.resolve(event.preloadResponse).catch(() => {}));
    event.respondWith(visit(event, url));
  } else if (files.has(url.pathname)) {
    event.respondWith(caches.match(url.pathname).then((file) => file ?? fetch(request)));
  }
});

const pagesOpen = () => self.clients.matchAll({ type: "window", includeUncontrolled: true });

/** A notice: one for each table, which the next one replaces. */
async function notify(notice) {
  const looked = (await pagesOpen()).some(({ url, focused }) => focused && new URL(url).pathname === notice.tag);
  const brief = looked || Boolean(notice.close);
  const until = notice.until && new Date(notice.until).toLocaleString(notice.language, { dateStyle: "medium", timeStyle: "short" });
  const body = [notice.body, until && notice.sentence.replace("{time}", until)].filter(Boolean).join("\n");
  await self.registration.showNotification(notice.title, { body, tag: notice.tag, data: { path: notice.tag, brief }, silent: brief, renotify: !brief, icon: "/static/icon-192.png", badge: "/static/icon-192.png" });
  // Browsers end subscriptions whose pushes show nothing, so even a notice that is withdrawn, or that a player sees at
  // the table, is shown briefly and without a sound. If this worker is stopped before the notice is closed, the next
  // page of the table closes it.
  if (brief) setTimeout(closeBrief, BRIEFLY, notice.tag);
}

async function closeBrief(tag) {
  for (const shown of await self.registration.getNotifications({ tag })) if (shown.data.brief) shown.close();
}

/** The browser has given this device another address: the server has to know it. */
async function renew({ oldSubscription, newSubscription }) {
  const { key, person } = await (await fetch("/me/notices")).json();
  if (!person) return;
  const subscription = newSubscription ?? await self.registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
  const { endpoint, keys } = subscription.toJSON();
  const body = new URLSearchParams({ endpoint, public_key: keys.p256dh, secret: keys.auth, replaces: oldSubscription?.endpoint ?? "" });
  await fetch("/me/notices", { method: "POST", body });
}

self.addEventListener("push", (event) => { event.waitUntil(notify(event.data.json())); });

self.addEventListener("pushsubscriptionchange", (event) => { event.waitUntil(renew(event)); });

/** Lead to the table of a notice: to a page that shows it already, or else to a new one. */
async function open(address) {
  const page = (await pagesOpen()).find(({ url }) => new URL(url).pathname === new URL(address, location.href).pathname);
  return page ? page.focus() : self.clients.openWindow(address);
}

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(open(event.notification.data.path));
});
