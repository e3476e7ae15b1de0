// Notices, which are shown even while every page is closed: the subscription of this browser, and the section on /me.

import { SUBSCRIBED, reader, worker } from "./app.js";

/** The key in localStorage for whether open pages show notifications, for browsers without a push service. */
export const BY_PAGE = "notify";

const { person } = document.documentElement.dataset;
const section = document.getElementById("notices");

export const supported = () => Boolean(navigator.serviceWorker && window.PushManager && window.Notification);

const bytesOf = (text) => Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (letter) => letter.charCodeAt(0));

const sameBytes = (one, other) => one?.byteLength === other.byteLength && new Uint8Array(one).every((byte, at) => byte === other[at]);

/** The server's public key, the person who uses this browser, and the kinds of notices that their devices show. */
const fetchState = async () => (await fetch("/me/notices")).json();

const current = async () => (await navigator.serviceWorker.getRegistration("/"))?.pushManager.getSubscription();

/** The server identifies a device by the digest of its endpoint, which the browser may change at any time. */
async function idOf({ endpoint }) {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(endpoint));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("").slice(0, 22);
}

async function post(subscription, kinds) {
  const { endpoint, keys } = subscription.toJSON();
  const body = new URLSearchParams({ endpoint, public_key: keys.p256dh, secret: keys.auth });
  if (kinds) body.set("kinds", kinds.join(" "));
  const response = await fetch("/me/notices", { method: "POST", body });
  if (!response.ok) throw new Error(`notices: ${response.status}`);
  localStorage.setItem(SUBSCRIBED, reader);
  localStorage.removeItem(BY_PAGE);
}

/** Subscribe, or renew the subscription; the browser asks for permission, so call this after a click. */
export async function subscribe(kinds) {
  const { pushManager } = await worker();
  const key = bytesOf((await fetchState()).key);
  let subscription = await pushManager.getSubscription();
  if (subscription && !sameBytes(subscription.options.applicationServerKey, key)) {
    await subscription.unsubscribe();
    subscription = null;
  }
  subscription ??= await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
  await post(subscription, kinds);
}

export async function unsubscribe() {
  localStorage.removeItem(SUBSCRIBED);
  const subscription = await current();
  if (!subscription) return;
  const id = await idOf(subscription);
  await subscription.unsubscribe();
  if (person) await fetch(`/me/notices/${id}/remove`, { method: "POST" });
}

/** Update the subscription after the person or the language of this browser has changed, or end it. */
export async function renew() {
  const subscription = await current(), state = await fetchState();
  if (state.person !== person) return; // the page was loaded without cookies, by a form of another site
  const isOther = localStorage.getItem(SUBSCRIBED)?.split(" ")[0] !== person;
  if (subscription && person && (isOther || await idOf(subscription) in state.devices)) await post(subscription);
  else await unsubscribe();
  if (section) location.reload();
}

/** Forget a subscription of this reader that was ended elsewhere; another reader's is renewed later. */
function forget() {
  if (localStorage.getItem(SUBSCRIBED) === reader) localStorage.removeItem(SUBSCRIBED);
}

/** The kinds of notices that the server sends to this device; undefined if it sends none. */
export async function kindsHere() {
  const subscription = supported() ? await current() : undefined;
  const kinds = subscription && (await fetchState()).devices[await idOf(subscription)];
  if (!kinds) forget();
  return kinds;
}

async function showSection() {
  const show = (id, shown) => { document.getElementById(id).hidden = !shown; };
  show("no-notices", !supported());
  if (!supported()) return;
  const isDenied = () => Notification.permission === "denied";
  show("notices-denied", isDenied());
  document.getElementById("notices-on").addEventListener("click", async () => {
    try {
      await subscribe();
      location.reload();
    } catch {
      show("notices-denied", isDenied());
      show("notices-failed", !isDenied());
      show("notices-on", !isDenied());
    }
  });
  const subscription = await current().catch(() => undefined);
  const here = subscription && section.querySelector(`[data-device="${await idOf(subscription)}"]`);
  show("notices-on", !here && !isDenied());
  if (!here) return forget();
  here.querySelector(".tag").hidden = false;
  here.querySelector(".remove-device").addEventListener("submit", (event) => {
    event.preventDefault();
    unsubscribe().finally(() => location.reload());
  });
}

if (section) showSection();
