// The table, live: open the stream, swap the regions that changed, let cards move, answer by key.
// Without this script everything works by forms and reloads. It knows no rule and holds no secret.

import { setTime, showClocks } from "./clocks.js";
import { answerByKeys, press } from "./keys.js";
import { play } from "./sounds.js";

const form = document.getElementById("table");
const connection = document.getElementById("connection");
const still = matchMedia("(prefers-reduced-motion: reduce)");
const PACES = { slow: 1500, normal: 700, fast: 300, none: 0 };
const pace = PACES[form.dataset.animationSpeed] ?? PACES.normal;

/** Elements that hold others. */
const GROUPS = new Set(["section", "details", "div", "table", "thead", "tbody", "tr", "ol", "ul", "li", "p", "span"]);

const region = (name) => document.getElementById(`region-${name}`);
const answers = () => [...form.querySelectorAll("button[name=choice]:not([value=undo])")].filter((button) => button.checkVisibility());

// ---------------------------------------------------------------- swapping regions

/** Put new content into a region, and leave what stays the same: a button that is being pressed must not be exchanged. */
function renew(here, html) {
  const template = document.createElement("template");
  template.innerHTML = html;
  become(here, template.content);
}

/** Let an element have the children of another: what is equal stays, and of a group only what has changed is exchanged. */
function become(here, other) {
  const coming = [...other.childNodes];
  let old = here.firstChild;
  while (coming.length) {
    const fresh = coming.shift();
    let same = old;
    while (same && !same.isEqualNode(fresh)) same = same.nextSibling;
    if (same) {
      while (old !== same) old = remove(old);
      old = same.nextSibling;
    } else if (old && isGroup(old) && isGroup(fresh) && old.nodeName === fresh.nodeName && !coming.some((later) => old.isEqualNode(later))) {
      for (const { name } of [...old.attributes]) if (!fresh.hasAttribute(name)) old.removeAttribute(name);
      for (const { name, value } of fresh.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
      become(old, fresh);
      old = old.nextSibling;
    } else {
      here.insertBefore(fresh, old);
    }
  }
  while (old) old = remove(old);
}

/** Whether something only holds other things; a card with what explains it, or what has an answer in it, is exchanged as a whole. */
function isGroup(node) {
  return GROUPS.has(node.localName) && !node.matches("[data-card], .slot, .kind") && !node.querySelector("button:not([type=button])");
}

function remove(node) {
  const next = node.nextSibling;
  node.remove();
  return next;
}

/** Put new regions in place of the old; whatever had the focus has it again, if it is still there. */
function swap(regions) {
  const active = document.activeElement;
  const number = form.elements.version.value;
  const hint = document.getElementById("hint");
  const focus = form.contains(active) && { region: active.closest("[data-region]")?.dataset.region, name: active.name, value: active.value };
  for (const [name, html] of Object.entries(regions)) {
    const here = region(name);
    if (!here) continue;
    const open = here.querySelector("details:not([data-keep-open])")?.open;
    renew(here, html);
    const details = here.querySelector("details:not([data-keep-open])");
    if (details && open !== undefined) details.open = open;
  }
  showClocks();
  // What was told about a question is told as long as it is asked.
  if (hint && !hint.isConnected && number === form.elements.version.value) document.getElementById("hint")?.replaceWith(hint);
  if (focus && document.activeElement !== active) {
    const again = active.isConnected ? active : [...(region(focus.region)?.querySelectorAll("button[name]") ?? [])].find((b) => b.name === focus.name && b.value === focus.value);
    (again ?? document.getElementById("question"))?.focus({ preventScroll: true });
  }
}

/** Regions that have come and wait to be shown, oldest first. */
const waiting = [];
let showing = false;
let shown = 0;

/** Show what waits, one entry after the other, at the reader's pace; what the reader did is shown at once. */
async function show() {
  if (showing) return;
  showing = true;
  while (waiting.length) {
    const rest = answers().length || document.hidden ? 0 : shown + pace - performance.now();
    document.getElementById("catch-up").hidden = rest <= 0;
    if (rest > 0) await pause(rest);
    const regions = waiting.shift();
    if (document.startViewTransition && pace && !still.matches && !document.hidden) await moveCards(regions);
    else swap(regions);
    shown = performance.now();
    tell();
  }
  document.getElementById("catch-up").hidden = true;
  showing = false;
}

let skip = null;
function pause(milliseconds) {
  return new Promise((done) => {
    const timer = setTimeout(done, milliseconds);
    skip = () => { clearTimeout(timer); done(); };
  });
}

/** Show everything that waits at once. */
function catchUp() {
  if (waiting.length) waiting.push(Object.assign({}, ...waiting.splice(0)));
  shown = 0;
  skip?.();
}

// ---------------------------------------------------------------- cards that move

/** The cards and backs that can be seen in a region, by where they lie and what they show. */
function cardsIn(root, visible) {
  const found = new Map();
  for (const card of root.querySelectorAll("[data-card]")) {
    if (visible && !card.checkVisibility()) continue;
    const key = `${card.dataset.place} ${card.dataset.card}`;
    found.set(key, [...(found.get(key) ?? []), card]);
  }
  return found;
}

/** Whether a card that left could be the one that came: the same card, or a back and a card of the same Age. */
const alike = (one, other) => one === other || ((one[0] === "?" || other[0] === "?") && one[1] === other[1]);

/** The change that is to be seen, and the cards that bear a name for it. */
let moving = null;
let marked = [];

function mark(element, name, kind) {
  if (!element) return;
  element.style.viewTransitionName = name;
  if (kind) element.style.viewTransitionClass = kind;
  marked.push(element);
}

function stopMarking() {
  for (const element of marked) element.removeAttribute("style");
  marked = [];
}

/** Swap regions and let cards go from where they lay to where they lie. Only what is on the page anyway is compared. */
async function moveCards(regions) {
  const parsed = Object.entries(regions).filter(([name]) => region(name)).map(([name, html]) => {
    const template = document.createElement("template");
    template.innerHTML = html;
    return [name, template.content];
  });
  const gone = [];
  const come = [];
  for (const [name, fragment] of parsed) {
    const before = cardsIn(region(name), true);
    const after = cardsIn(fragment, false);
    for (const key of new Set([...before.keys(), ...after.keys()])) {
      const card = key.split(" ")[1];
      const old = before.get(key) ?? [];
      const number = after.get(key)?.length ?? 0;
      for (const element of old.slice(number)) gone.push({ card, element });
      for (let place_in_row = old.length; place_in_row < number; place_in_row += 1) come.push({ card, key, name, place_in_row });
    }
  }
  stopMarking(); // the next change may come while the last one still moves
  for (const [number, arrival] of come.entries()) {
    const from = gone.findIndex(({ card }) => alike(card, arrival.card));
    if (from < 0) continue;
    arrival.moved = true;
    mark(gone.splice(from, 1)[0].element, `card-${number}`);
  }
  const transition = document.startViewTransition(() => {
    swap(regions);
    for (const [number, { key, name, place_in_row, moved }] of come.entries()) {
      const element = cardsIn(region(name), true).get(key)?.[place_in_row];
      mark(element, `card-${number}`, moved ? "" : "arriving");
    }
  });
  moving = transition;
  const arrived = () => { if (moving === transition) stopMarking(); };
  transition.ready.catch(() => {});
  transition.finished.then(arrived, arrived);
  await transition.updateCallbackDone;
  if (come.length) sound("card");
}

// ---------------------------------------------------------------- telling

let heard = [];
let asked = answers().length > 0;
let over = Boolean(form.querySelector("h1.over"));

/** Say aloud what is new: the last sentences, and the question if it is for this reader. */
function tell() {
  const turn = [...(region("log")?.querySelectorAll(".turn:first-child p") ?? [])].map((line) => line.textContent);
  const news = turn.filter((line, place) => heard[place] !== line);
  heard = turn;
  const question = document.getElementById("question")?.textContent ?? "";
  const mine = answers().length > 0;
  const ended = Boolean(form.querySelector("h1.over"));
  document.getElementById("live").textContent = [...news, mine || ended ? question : ""].join(" ").trim();
  if ((ended && !over) || (mine && !asked)) {
    sound(ended ? "end" : "turn");
    document.dispatchEvent(new CustomEvent("asked", { detail: ended ? "end" : "turn" }));
    region("question").scrollIntoView({ block: "nearest", behavior: pace && !still.matches ? "smooth" : "auto" });
  }
  asked = mine;
  over = ended;
  entitle();
  pointToQuestion();
}

/** Say in the title that it is one's turn, where the tab can be seen but not the page. */
function entitle() {
  const { title, turn } = form.dataset;
  if (title) document.title = asked ? `${turn} · ${title}` : title;
}

function sound(name) {
  if (form.dataset.sound === "on") play(name);
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

/** So long it takes until what failed is tried again. */
const RETRY = 1500;
let streaming = true;
let unsent = false;

function sayWhetherConnected() {
  connection.hidden = streaming && !unsent;
}

/** Open the stream. A browser opens one again that was cut, but gives up on one that was refused. */
function listen() {
  const stream = new EventSource(form.dataset.stream);
  const alive = () => { streaming = true; sayWhetherConnected(); };
  stream.addEventListener("open", alive);
  stream.addEventListener("regions", (event) => {
    alive();
    const { now, ...regions } = JSON.parse(event.data);
    if (now) setTime(now);
    waiting.push(regions);
    show();
  });
  stream.addEventListener("go", (event) => {
    stream.close();
    location.assign(JSON.parse(event.data));
  });
  stream.addEventListener("error", () => {
    streaming = false;
    sayWhetherConnected();
    if (stream.readyState === EventSource.CLOSED) setTimeout(listen, RETRY);
  });
}
listen();

// ---------------------------------------------------------------- commands

/** The question that has been answered and whose answer is on its way. */
let answered = null;

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const number = form.elements.version.value;
  if (answered === number) return;
  answered = number;
  form.setAttribute("aria-busy", "true");
  send(new URLSearchParams(new FormData(form, event.submitter)));
});

/** Send a command until somebody has heard it: it bears a name, so that it counts once however often it arrives. */
async function send(data) {
  try {
    const answer = await fetch(form.action, { method: "POST", body: data, headers: { Accept: "application/json" } });
    const said = await answer.json();
    unsent = false;
    form.removeAttribute("aria-busy");
    if (said.next) location.assign(said.next);
    notice(answer.ok ? "" : said.why);
    if (!answer.ok) {
      answered = null;
      catchUp();
    }
  } catch {
    unsent = true;
    setTimeout(send, RETRY, data);
  }
  sayWhetherConnected();
}

function notice(sentence) {
  const box = document.getElementById("notice");
  box.textContent = sentence;
  box.hidden = !sentence;
}

// ---------------------------------------------------------------- keys

const undo = () => form.querySelector("button[value=undo]");

/** A dialog has the keys to itself; one may stop looking on; U takes back where it names no Domain. */
function first(key, keyed) {
  const dialog = document.querySelector(".dialog:popover-open");
  if (dialog) {
    if (key === "." && dialog.id === "sure") return press(dialog.querySelector("[data-sure]"));
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
