// Notifications of the reader's turn, if wanted: by the server, even while every page is closed, or in browsers without
// push, by this page while it is open in the background. Without this script there is no button.

import { BY_PAGE, kindsHere, subscribe, supported, unsubscribe } from "./notices.js";

const button = document.getElementById("notify");
const TURN = "turn";

/** Show a notification; browsers that allow them only through a worker throw an error first. */
async function show(title, options) {
  try {
    const shown = new Notification(title, options);
    shown.addEventListener("click", () => { window.focus(); shown.close(); });
  } catch {
    await (await navigator.serviceWorker.ready).showNotification(title, options);
  }
}

if (button && "Notification" in window) {
  const status = document.getElementById("notify-status"), only = document.getElementById("notify-only");
  const isPressed = () => button.getAttribute("aria-pressed") === "true";
  const byPage = () => localStorage.getItem(BY_PAGE) === "on" && Notification.permission === "granted";
  const kinds = () => kindsHere().catch(() => undefined);
  const byServer = async () => Boolean((await kinds())?.includes(TURN));

  async function update() {
    const served = await byServer();
    button.setAttribute("aria-pressed", String(served || byPage()));
    status.hidden = Notification.permission !== "denied";
    only.hidden = served || !byPage();
  }

  async function switchOn() {
    if (Notification.permission === "default") await Notification.requestPermission();
    if (Notification.permission !== "granted") return;
    const known = await kinds();
    const isServed = supported() && await subscribe(known && [...known, TURN]).then(() => true, () => false);
    if (!isServed) localStorage.setItem(BY_PAGE, "on");
  }

  async function switchOff() {
    localStorage.removeItem(BY_PAGE);
    if (supported()) await unsubscribe().catch(() => {});
  }

  button.addEventListener("click", async () => {
    await (isPressed() ? switchOff() : switchOn());
    await update();
  });

  document.addEventListener("to-move", async ({ detail }) => {
    if (!document.hidden && document.hasFocus()) return;
    // The server announces turns, but not the end of a game.
    if (await byServer() ? detail === TURN : !byPage()) return;
    show(detail === "end" ? button.dataset.end : button.dataset.turn, { body: button.dataset.body, tag: location.pathname, icon: "/static/icon.svg", data: { path: location.href } }).catch(() => {});
  });

  button.hidden = false;
  update();
}
