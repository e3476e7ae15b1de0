// Every page: registers the service worker in the language of the page once it has loaded, closes notices that are no
// longer needed, and handles forms that cannot be sent because the device is offline.

/** The key in localStorage for the person and the language with which this device has subscribed to notices. */
export const SUBSCRIBED = "notices";

const { lang, dataset } = document.documentElement;
export const reader = `${dataset.person} ${lang}`;
/** Whether this page comes from the cache: it was rendered for no one in particular, and may replace another page. */
const isCached = "cached" in dataset;

const register = () => navigator.serviceWorker.register(`/service-worker.js?language=${lang}`);

/** The registration of the existing worker, or of a new one. */
export async function worker() {
  if (!(await navigator.serviceWorker.getRegistration("/"))) await register();
  return navigator.serviceWorker.ready;
}

/** Close notices about the table that the reader is looking at. */
async function closeNotices() {
  if (document.hidden || isCached) return;
  const registration = await navigator.serviceWorker.getRegistration("/");
  for (const notice of await registration?.getNotifications({ tag: location.pathname }) ?? []) notice.close();
}

const start = async () => {
  await closeNotices();
  const subscribed = localStorage.getItem(SUBSCRIBED);
  if (subscribed && subscribed !== reader && !isCached) await (await import("./notices.js")).renew();
  await register();
  (await navigator.serviceWorker.ready).active.postMessage("cache");
};

if (navigator.serviceWorker && !navigator.connection?.saveData) {
  const startQuietly = () => start().catch(() => {});
  if (document.readyState === "complete") startQuietly();
  else addEventListener("load", startQuietly);
  document.addEventListener("visibilitychange", () => closeNotices().catch(() => {}));
}

/** The next page of a lesson is cached; every other form needs the server, and the start page says so. */
document.addEventListener("submit", (event) => {
  const { target } = event;
  if (event.defaultPrevented || navigator.onLine || target.method !== "post" || !navigator.serviceWorker?.controller) return;
  event.preventDefault();
  const step = /^\/learn\/(\d+)$/.exec(target.getAttribute("action"));
  location.assign(step ? `/learn/${Number(step[1]) + 1}` : "/start#unsent");
});
