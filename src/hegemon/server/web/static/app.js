// Every page: registers the service worker in the language of the page once it has loaded, closes notices that are no
// longer needed, and handles forms that cannot be sent because the device is offline.

/** Where the browser remembers for whom, and in which language, this device has subscribed to notices. */
export const SUBSCRIBED = "notices";

const { lang, dataset } = document.documentElement;
export const reader = `${dataset.person} ${lang}`;
/** Whether this page was kept on the device: it was made for anyone, and may stand in for another. */
const isKept = "kept" in dataset;

const register = () => navigator.serviceWorker.register(`/service-worker.js?language=${lang}`);

/** The existing worker, or a new one: a worker in another language takes a while to arrive. */
export async function worker() {
  if (!(await navigator.serviceWorker.getRegistration("/"))) await register();
  return navigator.serviceWorker.ready;
}

/** A reader who looks at a table needs no notice of it. */
async function closeNotices() {
  if (document.hidden || isKept) return;
  const registration = await navigator.serviceWorker.getRegistration("/");
  for (const notice of await registration?.getNotifications({ tag: location.pathname }) ?? []) notice.close();
}

const loaded = async () => {
  await closeNotices();
  const subscribed = localStorage.getItem(SUBSCRIBED);
  if (subscribed && subscribed !== reader && !isKept) await (await import("./notices.js")).renew();
  await register();
  (await navigator.serviceWorker.ready).active.postMessage("keep");
};

if (navigator.serviceWorker && !navigator.connection?.saveData) {
  const begin = () => loaded().catch(() => {});
  if (document.readyState === "complete") begin();
  else addEventListener("load", begin);
  document.addEventListener("visibilitychange", () => closeNotices().catch(() => {}));
}

/** The next page of a lesson is kept on the device; everything else needs the server, and a page says so. */
document.addEventListener("submit", (event) => {
  const { target } = event;
  if (event.defaultPrevented || navigator.onLine || target.method !== "post" || !navigator.serviceWorker?.controller) return;
  event.preventDefault();
  const step = /^\/learn\/(\d+)$/.exec(target.getAttribute("action"));
  location.assign(step ? `/learn/${Number(step[1]) + 1}` : "/start#unsent");
});
