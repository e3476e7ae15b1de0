// The service worker. The server puts `MANIFEST` before this file: the language, the URLs of files with their digest,
// and the offline pages with a digest of each. Nothing else is ever served from the cache: tables, forms, streams and
// the API always go to the server.

const CACHE = "hegemon";
const START = "/start";
/** Milliseconds after which a page is read from the cache if the server has not responded. */
const RESPONSE_TIMEOUT = 3000;
/** Milliseconds for which a notice that does not have to be read is shown. */
const BRIEF_NOTICE_DURATION = 1000;

const keyOf = (path) => new Request(`/cached/${MANIFEST.pages[path]}${path}`);
const files = new Set(MANIFEST.files);

/** Cache a page without cookies, so that it contains nothing personal, and mark it as cached. */
async function cachePage(cache, path) {
  const page = await fetch(path, { credentials: "omit", cache: "no-store", headers: { "Accept-Language": MANIFEST.language } });
  if (!page.ok || page.redirected) throw new Error(`${path}: ${page.status}`);
  await cache.put(keyOf(path), new Response((await page.text()).replace("<html ", "<html data-cached "), page));
}

/** Cache everything that is missing. The start page and the files of all pages are required; other pages are optional. */
async function cacheMissing() {
  const cache = await caches.open(CACHE);
  const cached = new Set((await cache.keys()).map(({ url }) => url));
  const pages = Object.keys(MANIFEST.pages).filter((path) => !cached.has(keyOf(path).url));
  const added = MANIFEST.files.filter((file) => !cached.has(new Request(file).url)).map((file) => cache.add(file));
  await Promise.all([...added, pages.includes(START) && cachePage(cache, START)]);
  await Promise.allSettled(pages.filter((path) => path !== START).map((path) => cachePage(cache, path)));
}

async function deleteStale() {
  const cache = await caches.open(CACHE);
  const current = new Set([...MANIFEST.files, ...Object.keys(MANIFEST.pages).map((path) => keyOf(path).url)].map((url) => new URL(url, location.href).href));
  for (const { url } of await cache.keys()) if (!current.has(url)) await cache.delete(url);
}

const cachedPage = async (url) => {
  const path = url.pathname + url.search;
  return path in MANIFEST.pages ? (await caches.open(CACHE)).match(keyOf(path)) : undefined;
};

const startPage = () => cachedPage(new URL(START, location.href));

const timeout = () => new Promise((_, reject) => { setTimeout(reject, RESPONSE_TIMEOUT); });

/** The response of the server itself. A proxy that cannot reach the server also responds, but without our policy. */
async function responseTo(event) {
  const response = await event.preloadResponse ?? await fetch(event.request);
  if (response.status >= 500 && !response.headers.has("Content-Security-Policy")) throw new Error(`${response.status}`);
  return response;
}

/** A page from the server or, if it cannot be reached, from the cache; the start page if the page is not cached. */
async function visit(event, url) {
  const cached = await cachedPage(url);
  if (cached && url.pathname === START) return cached;
  const response = responseTo(event);
  try {
    return await (cached ? Promise.race([response, timeout()]) : response);
  } catch {
    return cached ?? await startPage() ?? Response.error();
  }
}

self.addEventListener("install", (event) => {
  self.skipWaiting();
  event.waitUntil(cacheMissing());
});

self.addEventListener("activate", (event) => {
  event.waitUntil(Promise.all([self.clients.claim(), self.registration.navigationPreload?.enable(), deleteStale()]));
});

/** Every page asks to cache what could not be cached before. */
self.addEventListener("message", (event) => { event.waitUntil(cacheMissing().catch(() => {})); });

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

const openPages = () => self.clients.matchAll({ type: "window", includeUncontrolled: true });

/** Show a notice; it replaces the previous one of the same table. */
async function notify(notice) {
  const isSeen = (await openPages()).some(({ url, focused }) => focused && new URL(url).pathname === notice.tag);
  const brief = isSeen || Boolean(notice.close);
  const until = notice.until && new Date(notice.until).toLocaleString(notice.language, { dateStyle: "medium", timeStyle: "short" });
  const body = [notice.body, until && notice.sentence.replace("{time}", until)].filter(Boolean).join("\n");
  await self.registration.showNotification(notice.title, { body, tag: notice.tag, data: { path: notice.tag, brief }, silent: brief, renotify: !brief, icon: "/static/icon-192.png", badge: "/static/icon-192.png" });
  // Browsers end subscriptions whose pushes show nothing, so even the withdrawal of a notice, or a notice for a table
  // that the player is looking at, is shown briefly and silently. If this worker is stopped before the notice is closed, the next
  // page of the table closes it.
  if (brief) setTimeout(closeBrief, BRIEF_NOTICE_DURATION, notice.tag);
}

async function closeBrief(tag) {
  for (const shown of await self.registration.getNotifications({ tag })) if (shown.data.brief) shown.close();
}

/** Tell the server the new endpoint of this browser's subscription. */
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

/** Open the table of a notice, in a page that shows it already or else in a new one. */
async function open(address) {
  const page = (await openPages()).find(({ url }) => new URL(url).pathname === new URL(address, location.href).pathname);
  return page ? page.focus() : self.clients.openWindow(address);
}

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(open(event.notification.data.path));
});
