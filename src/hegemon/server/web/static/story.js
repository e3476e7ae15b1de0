// What has happened at the table: one announcement a move, sounds, badges; the choice of sounds, and sharing a game.

import { clear, fly, point } from "./motion.js";
import { region } from "./regions.js";
import { play } from "./sounds.js";

const form = document.getElementById("table");
const live = document.getElementById("live");
const still = matchMedia("(prefers-reduced-motion: reduce)");
/** How long a badge stays at the least, in milliseconds. */
const SHORTEST_BADGE = 900;

/** The moves that regions tell of, as elements. */
function momentsIn(html = "") {
  const template = document.createElement("template");
  template.innerHTML = html;
  return [...template.content.querySelectorAll(".moment")];
}

const plyOf = (moment) => Number(moment?.dataset.ply ?? 0);

/** The number of moves of which the page has shown the last one. */
let told = plyOf(region("moment")?.querySelector(".moment"));

/** Several changes as one: the last state of every region, and all moves on the way. */
export function merged(changes) {
  const moment = changes.map((regions) => regions.moment ?? "").join("");
  return Object.assign({}, ...changes, moment && { moment });
}

/** Show a change with what moved in it; returns the moves that are new, or null if there was none, not even one that was undone. */
export function showChange(regions, swap, delay) {
  const moments = momentsIn(regions.moment);
  const fresh = moments.filter((moment) => plyOf(moment) > told);
  const last = moments.at(-1);
  const isMove = Boolean(last) && plyOf(last) !== told;
  if (last) told = plyOf(last);
  const flights = fresh.length === 1 ? [...fresh[0].querySelectorAll(".flight")] : [];
  const isSeen = delay > 0 && !document.hidden;
  if (isSeen && !still.matches && flights.length) fly(flights, () => swap(regions), Math.min(450, delay * 0.8));
  else swap(regions);
  if (fresh.length !== 1) clear();
  else if (isSeen && fresh[0].dataset.own === "false") point(fresh[0], Math.max(delay, SHORTEST_BADGE), still.matches);
  return isMove ? fresh : null;
}

/** Milliseconds in which what belongs together arrives: the cards of one choice, a choice that was made by itself. */
const TOGETHER = 120;
let sentences = [];
let saying = 0;

/** Say it once: what happened, and the question if it is the reader's. */
export function announce(moves, question) {
  sentences.push(...(moves ?? []).map(({ dataset }) => dataset.said));
  clearTimeout(saying);
  saying = setTimeout(() => {
    const text = [...sentences, question].filter(Boolean).join(" ");
    sentences = [];
    if (text) live.textContent = text;
  }, TOGETHER);
}

const isOn = () => form.dataset.sound === "on";

/** What a move sounds like; the loudest of several that came at once. */
export function soundOf(moves) {
  const sounds = (moves ?? []).map(({ dataset }) => dataset.sound);
  const sound = ["attack", "draw", "card"].find((name) => sounds.includes(name));
  if (sound && isOn()) play(sound);
}

const ENDINGS = { won: "win", shared: "win", lost: "loss" };

export function soundTurn(ended) {
  const kind = Object.keys(ENDINGS).find((name) => form.querySelector(`.ending.${name}`));
  if (isOn()) play(ended ? ENDINGS[kind] ?? "end" : "turn");
}

// ---------------------------------------------------------------- the choice of sounds

const choice = document.getElementById("sound-choice");

choice?.addEventListener("submit", async (event) => {
  event.preventDefault();
  const body = new URLSearchParams(new FormData(choice, event.submitter));
  form.dataset.sound = body.get("sound");
  document.querySelector(".sound-choice").remove();
  if (isOn()) play("turn");
  await fetch(choice.action, { method: "POST", body, redirect: "manual" }).catch(() => {});
});

// ---------------------------------------------------------------- the log

/** Arrow keys go through the lines of the log; Tab goes from turn to turn. */
form.addEventListener("keydown", (event) => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const log = event.target.closest("[role=log]");
  if (!step || !log) return;
  const lines = [...log.querySelectorAll("a")];
  const next = lines[lines.indexOf(event.target) + step];
  if (!next) return;
  event.preventDefault();
  next.focus();
});

// ---------------------------------------------------------------- sharing a finished game

form.addEventListener("click", async (event) => {
  const link = event.target.closest("a[data-share]");
  if (!link || !(navigator.share || navigator.clipboard)) return;
  event.preventDefault();
  const url = new URL(link.dataset.share, location.href).href;
  if (navigator.share) {
    await navigator.share({ title: link.dataset.title, url }).catch(() => {});
  } else {
    await navigator.clipboard.writeText(url);
    link.textContent = link.dataset.done;
  }
});
