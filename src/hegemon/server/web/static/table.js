// The table, live: open the stream, swap the regions that changed, move cards, choose by key.
// Without this script everything works by forms and reloads. It knows no rules and holds no secrets.

import { setTime, showClocks } from "./clocks.js";
import { answerByKeys, press } from "./keys.js";
import { endPending, showPending } from "./pending.js";
import { region, renew } from "./regions.js";
import { countMarks, markCards, resetMarks } from "./selection.js";
import { announce, merged, showChange, soundMoves, soundTurn } from "./story.js";
import { restoreAim, suspendAim } from "./touch.js";

const form = document.getElementById("table");
const connection = document.getElementById("connection");
const still = matchMedia("(prefers-reduced-motion: reduce)");
const ANIMATION_DELAYS = { slow: 1500, normal: 700, fast: 300, none: 0 };
const animationDelay = ANIMATION_DELAYS[form.dataset.animationSpeed] ?? ANIMATION_DELAYS.normal;

/** The choices, including those in a closed sheet. */
const answers = () => [...form.querySelectorAll("input[name=card], button[name=choice]:not([value=undo])")].filter((it) => it.checkVisibility() || it.closest(".answers"));

// ---------------------------------------------------------------- swapping regions

/** Swap regions, and restore the focus if its element is still there. */
function swap(regions) {
  const active = document.activeElement;
  const number = form.elements.version.value;
  if (!sending) endPending();
  const hint = document.getElementById("hint");
  const focus = form.contains(active) && { region: active.closest("[data-region]")?.dataset.region, name: active.name, value: active.value };
  resetMarks(form);
  suspendAim();
  for (const [name, html] of Object.entries(regions)) {
    const here = region(name);
    if (!here) continue;
    const open = here.querySelector("details:not([data-keep-open])")?.open;
    renew(here, html);
    const details = here.querySelector("details:not([data-keep-open])");
    if (details && open !== undefined) details.open = open;
  }
  countMarks(form);
  restoreAim();
  showClocks();
  // A hint stays with its question.
  if (hint && !hint.isConnected && number === form.elements.version.value) document.getElementById("hint")?.replaceWith(hint);
  if (focus && document.activeElement !== active) {
    const again = active.isConnected ? active : [...(region(focus.region)?.querySelectorAll("button[name]") ?? [])].find((b) => b.name === focus.name && b.value === focus.value);
    (again ?? document.getElementById("question"))?.focus({ preventScroll: true });
  }
}

/** Regions that have arrived and are not shown yet, oldest first. */
const queue = [];
let showing = false;
let shown = 0;

/** Show the queue entry by entry at the animation speed; the reader's own moves at once. */
async function show() {
  if (showing) return;
  showing = true;
  while (queue.length) {
    const rest = answers().length || document.hidden ? 0 : shown + animationDelay - performance.now();
    document.getElementById("catch-up").hidden = rest <= 0;
    if (rest > 0) await pause(rest);
    const regions = queue.shift();
    const moves = showChange(regions, swap, animationDelay);
    shown = performance.now();
    announceChange(moves);
  }
  document.getElementById("catch-up").hidden = true;
  showing = false;
  playForced();
}

/** Make a forced choice, if the server says so. */
function playForced() {
  const only = form.elements.version.dataset.forced;
  if (only) (form.querySelector(`button[name=choice][value="${only}"]`) ?? form.querySelector("button.confirm"))?.click();
}

let skip = null;
function pause(milliseconds) {
  return new Promise((done) => {
    const timer = setTimeout(done, milliseconds);
    skip = () => { clearTimeout(timer); done(); };
  });
}

/** Show the whole queue at once. */
function catchUp() {
  if (queue.length) queue.push(merged(queue.splice(0)));
  shown = 0;
  skip?.();
}

// ---------------------------------------------------------------- announcing

let toMove = answers().length > 0;
let over = Boolean(form.querySelector("h1.over"));

/** Announce moves (null if there are none), the reader's question, and the end of the game. */
function announceChange(moves) {
  const mine = answers().length > 0;
  const ended = Boolean(form.querySelector("h1.over"));
  const turned = (ended && !over) || (mine && !toMove);
  const asks = mine || (ended && !over);
  if (moves || turned) announce(moves, asks ? document.getElementById("question")?.textContent : "");
  if (turned) {
    soundTurn(ended);
    document.dispatchEvent(new CustomEvent("to-move", { detail: ended ? "end" : "turn" }));
    region("question").scrollIntoView({ block: "nearest", behavior: animationDelay && !still.matches ? "smooth" : "auto" });
  }
  if (!ended) soundMoves(moves);
  toMove = mine;
  over = ended;
  updateTitle();
  pointToQuestion();
}

/** Show the reader's turn in the title, for tabs in the background. */
function updateTitle() {
  const { title, turn } = form.dataset;
  if (title) document.title = toMove ? `${turn} · ${title}` : title;
}

/** A bar that leads to the question while it is out of sight. */
let inSight = true;
function pointToQuestion() {
  const bar = document.getElementById("to-question");
  bar.hidden = inSight || !(answers().length || over);
  bar.textContent = document.getElementById("question")?.textContent ?? "";
}
new IntersectionObserver((seen) => {
  inSight = seen.at(-1).isIntersecting;
  pointToQuestion();
}).observe(region("question"));

// ---------------------------------------------------------------- the stream

/** Milliseconds before a failed request is sent again. */
const RETRY_INTERVAL = 1500;
let streaming = true;
let unsent = false;

function showConnection() {
  connection.hidden = streaming && !unsent;
}

/** Open the stream. A browser reopens one that was cut, but gives up on one that was rejected. */
function listen() {
  const stream = new EventSource(form.dataset.stream);
  const alive = () => { streaming = true; showConnection(); };
  stream.addEventListener("open", alive);
  stream.addEventListener("regions", (event) => {
    alive();
    const { now, ...regions } = JSON.parse(event.data);
    if (now) setTime(now);
    queue.push(regions);
    show();
  });
  stream.addEventListener("go", (event) => {
    stream.close();
    location.assign(JSON.parse(event.data));
  });
  stream.addEventListener("error", () => {
    streaming = false;
    showConnection();
    if (stream.readyState === EventSource.CLOSED) setTimeout(listen, RETRY_INTERVAL);
  });
}
listen();

// ---------------------------------------------------------------- moves

/** Whether a move is being sent, and the version after the last one; earlier versions of the page are stale. */
let sending = false;
let acknowledged = 0;

form.addEventListener("submit", (event) => {
  event.preventDefault();
  if (sending || Number(form.elements.version.value) < acknowledged) return;
  sending = true;
  form.setAttribute("aria-busy", "true");
  showPending(form, event.submitter);
  send(new URLSearchParams(new FormData(form, event.submitter)));
});

/** Send a move until the server has it; because of its idempotency key, it counts once. */
async function send(data) {
  try {
    const response = await fetch(form.action, { method: "POST", body: data, headers: { Accept: "application/json" } });
    const reply = await response.json();
    unsent = sending = false;
    form.removeAttribute("aria-busy");
    if (reply.next) location.assign(reply.next);
    notice(response.ok ? "" : reply.why);
    if (response.ok) acknowledged = reply.version;
    else {
      endPending();
      catchUp();
    }
  } catch {
    unsent = true;
    setTimeout(send, RETRY_INTERVAL, data);
  }
  showConnection();
}

function notice(sentence) {
  const box = document.getElementById("notice");
  box.textContent = sentence;
  box.hidden = !sentence;
}

markCards(form);

// ---------------------------------------------------------------- keys

const undo = () => form.querySelector("button[value=undo]");

/** A dialog takes all keys; Escape catches up; U undoes where it is not the key of a Domain. */
function first(key, keyed) {
  const dialog = document.querySelector(".dialog:popover-open");
  if (dialog) {
    if (key === "." && dialog.id === "confirm-end") return press(dialog.querySelector("[data-confirm]"));
    if (key === "?") dialog.hidePopover();
    return key === "?";
  }
  if (key === "Escape") {
    catchUp();
    return false;
  }
  if (key === "Backspace" || (key === "U" && !keyed(key))) return press(undo());
  return undefined;
}

answerByKeys(form, () => [...answers(), undo()].filter(Boolean), first);

document.getElementById("catch-up").addEventListener("click", catchUp);
playForced();
