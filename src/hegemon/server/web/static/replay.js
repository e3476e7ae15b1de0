// Stepping through a game without loading pages: links, slider, keys, autoplay. Without this script the links load pages.

import { region, renew } from "./regions.js";

const table = document.getElementById("table");
const slider = document.getElementById("at");
const perspective = document.querySelector(".perspective");

/** Milliseconds between the choices of a replay that plays. */
const DELAYS = { slow: 3000, normal: 1600, fast: 800, none: 500 };
const delay = DELAYS[table.dataset.animationSpeed] ?? DELAYS.normal;

/** The regions of moments that were loaded, by their addresses. */
const loaded = new Map();
const MAX_LOADED = 400;
const RETRY_INTERVAL = 1500;
const connection = document.getElementById("connection");

const steps = () => region("steps").querySelector("[data-at]");
const addressOf = (at, seat = steps().dataset.seat) => `${table.dataset.path}?seat=${seat}&at=${at}`;

let shown = addressOf(steps().dataset.at);
let wanted = shown;
let loading = false;
let stream = null;
let followed = "";
let timer = 0;

const pause = (milliseconds) => new Promise((done) => { setTimeout(done, milliseconds); });

/** The regions of a moment; null if the server has none for this page. A request that fails is sent again. */
async function load(address) {
  while (!loaded.has(address)) {
    try {
      const response = await fetch(address, { headers: { Accept: "application/json" } });
      if (loaded.size >= MAX_LOADED) loaded.clear();
      loaded.set(address, response.ok ? await response.json() : null);
    } catch {
      connection.hidden = false;
      await pause(RETRY_INTERVAL);
    }
  }
  connection.hidden = true;
  return loaded.get(address);
}

/** Show a moment. Of those requested while one is being loaded, only the last comes next. */
async function show(address) {
  wanted = address;
  if (loading) return;
  loading = true;
  while (wanted !== shown) {
    const next = wanted;
    const regions = await load(next);
    if (!regions) return location.assign(next);
    swap(regions);
    shown = next;
    history.replaceState(null, "", next);
    if (stream && steps().dataset.seat !== followed) followAnalysis();
  }
  loading = false;
  load(document.getElementById("to-next").getAttribute("href"));
}

/** Swap regions; the focus stays on the element with the same id. The order of panels depends on the perspective. */
function swap(regions) {
  const focused = document.activeElement?.id;
  const own = table.querySelector("[data-region=me]");
  if (own && !regions.me) own.remove();
  if (!own && regions.me) place("me", region("told"));
  for (let number = 1; number <= 4; number += 1) {
    const name = `other${number}`;
    if (!regions[name]) region(name)?.remove();
    else if (!region(name)) place(name, null, table.querySelector(".others"));
  }
  table.classList.toggle("watching", !regions.me);
  for (const [name, html] of Object.entries(regions)) {
    if (region(name) && !(stream && STREAMED_REGIONS.includes(name))) renew(region(name), html);
  }
  showButtons();
  const { at, seat, text } = steps().dataset;
  slider.value = at;
  slider.setAttribute("aria-valuetext", text);
  slider.form.elements.seat.value = seat;
  perspective.elements.seat.value = seat;
  perspective.elements.at.value = at;
  if (focused && document.activeElement?.id !== focused) document.getElementById(focused)?.focus({ preventScroll: true });
}

function place(name, before, within = before.parentElement) {
  const made = document.createElement("div");
  made.id = `region-${name}`;
  made.className = `region ${name}`;
  made.dataset.region = name;
  within.insertBefore(made, before);
}

// ---------------------------------------------------------------- links, slider, perspective

document.addEventListener("click", (event) => {
  const link = event.target.closest("a[href]");
  if (!link || link.pathname !== table.dataset.path || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  stop();
  link.closest(".beside:popover-open")?.hidePopover();
  show(link.pathname + link.search);
});

slider.addEventListener("input", () => {
  stop();
  show(addressOf(slider.value));
});

perspective.elements.seat.addEventListener("change", () => show(addressOf(steps().dataset.at, perspective.elements.seat.value)));

// ---------------------------------------------------------------- analysis

/** The regions that a stream sends while the analysis is computed. */
const STREAMED_REGIONS = ["chances", "report"];

/** Follow the analysis; at its end, reload all regions, or go to the ply at which the game was decided. */
function followAnalysis() {
  stream?.close();
  followed = steps().dataset.seat;
  stream = new EventSource(`${table.dataset.analysis}?seat=${followed}`);
  const from = shown;
  stream.addEventListener("regions", (event) => {
    const regions = JSON.parse(event.data);
    for (const name of STREAMED_REGIONS) if (regions[name]) renew(region(name), regions[name]);
  });
  stream.addEventListener("go", (event) => {
    stop();
    endStream();
    loaded.clear();
    const decides = "decides" in table.dataset && shown === from;
    const next = decides ? JSON.parse(event.data) : shown;
    shown = "";
    show(next);
  });
  stream.addEventListener("error", () => { if (stream?.readyState === EventSource.CLOSED) endStream(); });
}

function endStream() {
  stream?.close();
  stream = null;
}

region("chances").addEventListener("submit", (event) => {
  event.preventDefault();
  followAnalysis();
});

/** A touch on the curves goes to the moment below it. */
region("chances").addEventListener("click", (event) => {
  const curves = event.target.closest(".plot");
  if (!curves) return;
  const { left, width } = curves.getBoundingClientRect();
  stop();
  show(addressOf(Math.round(Math.min(1, Math.max(0, (event.clientX - left) / width)) * slider.max)));
});

if ("computing" in table.dataset) followAnalysis();

// ---------------------------------------------------------------- autoplay

async function advance() {
  const next = document.getElementById("to-next").getAttribute("href");
  if (next === shown) return stop();
  await show(next);
  if (timer) timer = setTimeout(advance, delay);
  return undefined;
}

function stop() {
  clearTimeout(timer);
  timer = 0;
  showButtons();
}

function playOrPause() {
  if (timer) return stop();
  timer = setTimeout(advance, 0);
  showButtons();
  return undefined;
}

/** Show the buttons that need a script, in their current state. */
function showButtons() {
  const button = document.getElementById("play");
  button.hidden = false;
  button.firstElementChild.textContent = timer ? "⏸" : "▶";
  button.lastElementChild.textContent = timer ? button.dataset.pause : button.dataset.play;
  for (const it of document.querySelectorAll("[data-copy]")) it.hidden = !navigator.clipboard;
  for (const it of document.querySelectorAll("[data-share]")) it.hidden = !navigator.share;
}
showButtons();

document.addEventListener("click", async (event) => {
  const copy = event.target.closest("[data-copy]");
  const share = event.target.closest("[data-share]");
  if (event.target.closest("#play")) playOrPause();
  if (event.target.matches("input.link")) event.target.select();
  if (copy) {
    await navigator.clipboard.writeText(copy.dataset.copy);
    copy.textContent = copy.dataset.done;
  }
  if (share) await navigator.share({ title: share.dataset.title, url: share.dataset.share }).catch(() => {});
});

// ---------------------------------------------------------------- keys

/** The keys that move a slider, and scroll the focused element. */
const SLIDER_KEYS = /^(Arrow|Page|Home|End)/;

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("select, textarea, input:not([type=range])")) return;
  if (SLIDER_KEYS.test(event.key) && event.target.closest("input, [role=log], [popover]")) return;
  const key = event.key === " " && !event.target.closest("a, button, summary") ? "p" : event.key;
  const keyed = [...document.querySelectorAll("[data-key]")].find((it) => it.dataset.key.toLowerCase() === key.toLowerCase());
  if (!keyed) return;
  event.preventDefault();
  keyed.click();
});
