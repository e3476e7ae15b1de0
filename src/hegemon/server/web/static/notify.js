// A notification of the reader's turn while the page is open in the background, if the reader wants it.
// Without this script there is no button.

const button = document.getElementById("notify");
const WANTED = "notify";

/** Browsers that show notifications only through a worker say so when one is made. */
async function show(title, options) {
  try {
    const shown = new Notification(title, options);
    shown.addEventListener("click", () => { window.focus(); shown.close(); });
  } catch {
    const worker = await navigator.serviceWorker.register("/static/notify-worker.js");
    const coming = worker.installing ?? worker.waiting;
    if (!worker.active) await new Promise((ready) => { coming.addEventListener("statechange", () => { if (coming.state === "activated") ready(); }); });
    await worker.showNotification(title, options);
  }
}

if (button && "Notification" in window) {
  const status = document.getElementById("notify-status");
  const wanted = () => localStorage.getItem(WANTED) === "on" && Notification.permission === "granted";

  const tell = () => {
    button.setAttribute("aria-pressed", String(wanted()));
    status.hidden = Notification.permission !== "denied";
  };

  button.addEventListener("click", async () => {
    const on = wanted();
    if (!on && Notification.permission === "default") await Notification.requestPermission();
    localStorage.setItem(WANTED, on ? "off" : "on");
    tell();
  });

  document.addEventListener("to-move", ({ detail }) => {
    if (!wanted() || (!document.hidden && document.hasFocus())) return;
    show(detail === "end" ? button.dataset.end : button.dataset.turn, { body: button.dataset.body, tag: location.pathname, icon: "/static/icon.svg", data: location.href }).catch(() => {});
  });

  button.hidden = false;
  tell();
}
