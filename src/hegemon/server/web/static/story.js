// The story of the table: one announcement per move, sounds, badges; the choice of sounds, and sharing a game.

import { clear, fly, point } from "./motion.js";
import { region } from "./regions.js";
import { play } from "./sounds.js";

const form = document.getElementById("table");
const live = document.getElementById("live");
const still = matchMedia("(prefers-reduced-motion: reduce)");
/** How long a badge stays at least, in milliseconds. */
const MIN_BADGE_DURATION = 900;

/** The elements that describe moves in the HTML of a region. */
function momentsIn(html = "") {
  const template = document.createElement("template");
  template.innerHTML = html;
  return [...template.content.querySelectorAll(".moment")];
}

const plyOf = (moment) => Number(moment?.dataset.ply ?? 0);

/** The ply that the page shows. */
let shownPly = plyOf(region("moment")?.querySelector(".moment"));

/** Merge several changes: the last state of every region, and all moves in between. */
export function merged(changes) {
  const moment = changes.map((regions) => regions.moment ?? "").join("");
  return Object.assign({}, ...changes, moment && { moment });
}

/** Show a change with its animations; return the new moves, or null if no move was made or undone. */
export function showChange(regions, swap, delay) {
  const moments = momentsIn(regions.moment);
  const fresh = moments.filter((moment) => plyOf(moment) > shownPly);
  const last = moments.at(-1);
  const isMove = Boolean(last) && plyOf(last) !== shownPly;
  if (last) shownPly = plyOf(last);
  const flights = fresh.length === 1 ? [...fresh[0].querySelectorAll(".flight")] : [];
  const isSeen = delay > 0 && !document.hidden;
  if (isSeen && !still.matches && flights.length) fly(flights, () => swap(regions), Math.min(450, delay * 0.8));
  else swap(regions);
  if (fresh.length !== 1) clear();
  else if (isSeen && fresh[0].dataset.own === "false") point(fresh[0], Math.max(delay, MIN_BADGE_DURATION), still.matches);
  return isMove ? fresh : null;
}

/** Milliseconds for which announcements are collected: the cards of one choice, or a forced choice, arrive separately. */
const ANNOUNCEMENT_DELAY = 120;
let sentences = [];
let timer = 0;

/** Announce moves, and the question if it is the reader's turn, in one text. */
export function announce(moves, question) {
  sentences.push(...(moves ?? []).map(({ dataset }) => dataset.said));
  clearTimeout(timer);
  timer = setTimeout(() => {
    const text = [...sentences, question].filter(Boolean).join(" ");
    sentences = [];
    if (text) live.textContent = text;
  }, ANNOUNCEMENT_DELAY);
}

const isOn = () => form.dataset.sound === "on";

/** Play the sound of a move, or the most important one of several moves. */
export function soundMoves(moves) {
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
