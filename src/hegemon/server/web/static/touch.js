// Play on the table itself: unfold a column, aim its effect at another, see which cards would move, and confirm;
// or drag a card to where it belongs. Everything here presses buttons that work without it, and it knows no rules.

const form = document.getElementById("table");
const bar = document.getElementById("aimed");
const still = matchMedia("(prefers-reduced-motion: reduce)");

const own = () => Number(form.elements.seat.value) - 1;
const visible = (element) => element?.checkVisibility() && element.getClientRects().length > 0;

// ---------------------------------------------------------------- places

const columnOf = (seat, domain) => form.querySelector(`.column[data-seat="${seat}"][data-domain="${domain}"]`);
const panelOf = (seat) => form.querySelector(`.panel[data-seat="${seat}"]`);

/** The element that stands for a place of a card: a column, a hand, the discard pile, the deck. */
function placed(place, card) {
  const [kind, seat, domain] = place.split("-");
  if (kind === "area") return columnOf(seat, card[0]);
  if (kind === "mark") return columnOf(seat, domain);
  if (kind === "hand") return Number(seat) === own() ? form.querySelector(".fanned") : panelOf(seat)?.querySelector(".hidden-hand");
  return [...form.querySelectorAll(kind === "pile" ? ".pile-button, [data-region=pile]" : ".deck")].find(visible);
}

const movesOf = (button) => (button.dataset.preview ?? "").split(", ").filter(Boolean).map((move) => {
  const [card, origin, destination] = move.split(" ");
  return { card, origin, destination };
});

// ---------------------------------------------------------------- ghosts

let ghosts = [];
let changed = [];

/** Show which cards would go, and where to: as ghosts, and as numbers at the columns. */
function showMoves(button) {
  clearMoves();
  const used = new Set();
  const landed = new Map();
  for (const { card, origin, destination } of movesOf(button)) {
    const cards = [...form.querySelectorAll(`[data-card="${card}"][data-place="${origin}"]`)];
    const leaving = cards.find((element) => !used.has(element) && visible(element));
    if (leaving) {
      used.add(leaving);
      change(leaving, (element) => element.classList.add("leaving"), (element) => element.classList.remove("leaving"));
    }
    if (origin.startsWith("area")) count(placed(origin, card), -1);
    if (destination.startsWith("mark")) count(placed(destination, card), 1);
    const number = landed.get(destination) ?? 0;
    landed.set(destination, number + 1);
    fly(leaving ?? placed(origin, card), placed(destination, card), card, number);
  }
}

function change(element, act, undo) {
  act(element);
  changed.push(() => undo(element));
}

/** Write at a column how many cards it would lose, or that it would get a marker. */
function count(column, by) {
  if (!column) return;
  const lost = Number(column.dataset.change?.slice(1) ?? 0) + 1;
  column.dataset.change = by > 0 ? "+1" : `−${lost}`;
  changed.push(() => delete column.dataset.change);
}

/** A ghost of a card, at rest where the card would go; it comes from where the card is now. */
function fly(from, to, card, number) {
  if (!visible(from) || !visible(to)) return;
  const ghost = from.dataset.card ? from.cloneNode(true) : faceOf(from, card);
  for (const name of ["id", "name", "value", "popovertarget", "data-card", "data-place", "data-key", "aria-describedby"]) ghost.removeAttribute(name);
  ghost.classList.remove("leaving");
  ghost.classList.add("ghost");
  const [start, end] = [from.getBoundingClientRect(), to.getBoundingClientRect()];
  const width = from.dataset.card ? start.width : 28;
  const height = from.dataset.card ? start.height : 38;
  const scale = Math.min(1, end.width / width, Math.max(end.height, 30) / height);
  const left = end.left + (end.width - width) / 2 + number * 7;
  const top = end.top + (end.height - height) / 2 + number * 4;
  Object.assign(ghost.style, { left: `${left}px`, top: `${top}px`, width: `${width}px`, height: `${height}px`, transform: `scale(${scale})` });
  document.body.append(ghost);
  ghosts.push(ghost);
  if (still.matches) return;
  const origin = `translate(${start.left - left}px, ${start.top - top}px)`;
  ghost.animate([{ transform: origin, opacity: 1 }, { transform: `scale(${scale})` }], { duration: 420, delay: number * 60, fill: "backwards", easing: "cubic-bezier(.3, .1, .2, 1)" });
}

/** A small card, for places that show none: its emblem and Age, or its back. */
function faceOf(place, card) {
  const face = document.createElement("span");
  const emblem = place.querySelector(".head > .emblem");
  face.className = emblem ? `chip ${place.classList[1]}` : `back b${card[1] ?? 0}`;
  if (emblem) face.append(emblem.cloneNode(true), "I".repeat(Number(card[1])));
  return face;
}

function clearMoves() {
  for (const ghost of ghosts) ghost.remove();
  for (const undo of changed.reverse()) undo();
  ghosts = [];
  changed = [];
}

// ---------------------------------------------------------------- aiming

/** The elements that can be touched now to aim, each with the button that it presses. */
let targets = new Map();
let open = null;
let aimed = null;
let touched = null;
/** The version of the table at which the column was unfolded. */
let openedVersion = "";

/** Highlight the columns and players that the effects of an unfolded column can be aimed at. */
function highlightTargets(sheet) {
  clearTargets();
  for (const button of sheet.querySelectorAll("button[data-at]")) {
    const [, seat, domain] = button.dataset.at.match(/^(\d?)([A-Z]?)$/);
    if (seat && domain) target(columnOf(seat, domain), button);
    else if (seat) target(panelOf(seat), button);
    else for (const { origin, card } of movesOf(button)) if (card[0] === domain) target(columnOf(origin.split("-")[1], domain), button);
  }
}

function target(element, button) {
  if (!element || element.contains(button)) return; // a touch on the unfolded column folds it
  element.classList.add("target");
  targets.set(element, button);
}

function clearTargets() {
  for (const element of targets.keys()) element.classList.remove("target", "aimed-at");
  targets = new Map();
}

const targetOf = (node) => [...targets.keys()].find((element) => element.contains(node));

/** Aim an effect: show what would happen, and ask for confirmation. */
function aim(button) {
  if (aimed === button) return commit();
  aimed = button;
  const sheet = button.closest("[popover]");
  if (sheet.matches(":popover-open")) sheet.hidePopover();
  highlightTargets(sheet);
  showAim();
  document.getElementById("aimed-text").textContent = button.querySelector(".sentence").textContent;
  const place = document.querySelector("[data-region=question]").getBoundingClientRect();
  bar.showPopover();
  const height = Math.max(bar.offsetHeight, place.height);
  Object.assign(bar.style, { left: `${place.left}px`, width: `${place.width}px`, top: `${Math.min(place.top, document.documentElement.clientHeight - height - 4)}px`, minHeight: `${height}px` });
  bar.querySelector("[data-do]").focus({ preventScroll: true });
}

function showAim() {
  for (const [element, button] of targets) element.classList.toggle("aimed-at", button === aimed);
  showMoves(aimed);
}

function commit() {
  const button = aimed;
  fold();
  if (button?.isConnected) form.requestSubmit(button);
}

/** Fold everything; the focus returns to the column. */
function fold(focus = false) {
  const head = focus && aimed && form.querySelector(`[popovertarget="${aimed.closest("[popover]").id}"]`);
  aimed = null;
  open = null;
  clearMoves();
  clearTargets();
  if (bar.matches(":popover-open")) bar.hidePopover();
  if (head) head.focus({ preventScroll: true });
}

/** Unfold at the column: under it, where nothing that could be aimed at is covered. */
function place(sheet) {
  const head = form.querySelector(`[popovertarget="${sheet.id}"]`);
  if (!head) return;
  const column = head.closest(".column").getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = sheet;
  const screen = { width: document.documentElement.clientWidth, height: document.documentElement.clientHeight };
  const others = form.querySelector(".others")?.getBoundingClientRect();
  const beside = others && others.right <= column.left ? others.right : 0;
  const left = Math.max(beside + 6, Math.min(column.left + column.width / 2 - width / 2, screen.width - width - 6));
  const top = Math.max(6, Math.min(column.bottom + 6, screen.height - height - 6));
  Object.assign(sheet.style, { inset: `${top}px auto auto ${left}px`, margin: "0" });
}

if (bar) {
  form.addEventListener("toggle", (event) => {
    const sheet = event.target;
    if (!sheet.matches?.(".actions")) return;
    if (event.newState === "open") {
      if (open !== sheet) fold();
      open = sheet;
      openedVersion = form.elements.version.value;
      place(sheet);
      highlightTargets(sheet);
      sheet.querySelector("button[name]")?.focus({ preventScroll: true });
    } else if (open === sheet && !aimed) {
      fold();
    }
  }, true);

  // A touch outside closes an unfolded column before it becomes a click, so its target is remembered when it begins.
  document.addEventListener("pointerdown", (event) => {
    const element = targetOf(event.target);
    touched = element && !event.target.closest(".actions") ? targets.get(element) : null;
  }, true);

  document.addEventListener("click", (event) => {
    const button = event.target.closest("button[data-preview]");
    const lit = touched ?? (event.detail === 0 ? targets.get(targetOf(event.target)) : null);
    touched = null;
    if (button?.closest(".actions") || (lit && !event.target.closest(".actions"))) {
      event.preventDefault();
      event.stopPropagation();
      aim(button?.closest(".actions") ? button : lit);
    } else if (event.target.closest("[data-do]")) {
      commit();
    } else if (event.target.closest("[data-leave]")) {
      fold(true);
    } else if (aimed && !event.target.closest("#aimed")) {
      fold();
    }
  }, true);

  /** With a mouse or a keyboard, preview the moves before anything is pressed. */
  const preview = (event) => {
    if (aimed || !open || !(event.type === "focusin" ? event.target.matches(":focus-visible") : event.pointerType === "mouse")) return;
    const button = event.target.closest?.(".actions button[data-preview]") ?? targets.get(targetOf(event.target));
    if (button) showMoves(button);
    else clearMoves();
  };
  document.addEventListener("pointerover", preview);
  document.addEventListener("focusin", preview);

  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && aimed) {
      event.preventDefault();
      event.stopPropagation();
      fold(true);
    } else if (event.key.startsWith("Arrow") && open?.contains(document.activeElement)) {
      event.preventDefault();
      event.stopPropagation();
      const all = [...open.querySelectorAll("button[name]")];
      const step = event.key === "ArrowRight" || event.key === "ArrowDown" ? 1 : -1;
      all[(all.indexOf(document.activeElement) + step + all.length) % all.length].focus();
    }
  }, true);

  form.addEventListener("submit", () => fold());
  addEventListener("resize", () => fold());
}

// ---------------------------------------------------------------- while regions are swapped

/** Remove everything that this script has added to the page, so that the page can be compared with a new one. */
export function suspendAim() {
  clearMoves();
  for (const element of form.querySelectorAll(".target, .aimed-at, .hinted")) {
    element.classList.remove("target", "aimed-at", "hinted");
    if (!element.className) element.removeAttribute("class");
  }
  open?.removeAttribute("style");
}

/** Restore it, even on a column that was replaced; after a move, fold everything. */
export function restoreAim() {
  markHint();
  const old = (aimed ?? open)?.closest("[popover]");
  if (!old) return;
  const sheet = form.elements.version.value === openedVersion ? document.getElementById(old.id) : null;
  if (!sheet) return fold();
  aimed &&= sheet.querySelector(`button[value="${aimed.value}"]`);
  open = sheet;
  highlightTargets(sheet);
  if (aimed) return showAim();
  if (!sheet.matches(":popover-open")) sheet.showPopover();
  place(sheet);
}

// ---------------------------------------------------------------- hints

/** Mark what a hint is about: a card, a column, or the end of the turn. */
function markHint() {
  const choice = form.querySelector("#hint [data-choice]")?.dataset.choice;
  const hinted = new Set();
  for (const button of choice ? form.querySelectorAll("button[name=choice]") : []) {
    if (button.value !== choice && !button.value.startsWith(`${choice} `)) continue;
    hinted.add(button);
    const sheet = button.closest(".actions");
    if (sheet) hinted.add(sheet.closest(".column"));
  }
  if (choice) hinted.add(form.querySelector(`.mark:has(input[value^="${choice}"])`));
  if (choice === ".") hinted.add(form.querySelector(".answer.end"));
  for (const element of form.querySelectorAll(".hinted")) if (!hinted.has(element)) element.classList.remove("hinted");
  for (const element of hinted) element?.classList.add("hinted");
}

markHint();
new MutationObserver(markHint).observe(form, { childList: true, subtree: true });

// ---------------------------------------------------------------- dragging

/** Pixels that the pointer must move to drag a card rather than touch it. */
const DRAG_THRESHOLD = 8;
let drag = null;

/** Where a card of the hand may be dropped; null for a card that cannot be chosen. */
function dropOf(card) {
  const drop = card.closest("[data-drop]")?.dataset.drop;
  if (!drop || !card.matches("button:not(.asks), label.mark")) return null;
  return placed(drop === "area" ? `area-${own()}` : drop, card.dataset.card)?.closest(".column, .panel, .pile-button, .region") ?? null;
}

form.addEventListener("pointerdown", (event) => {
  const card = event.target.closest(".fanned [data-card]");
  const drop = card && event.button === 0 ? dropOf(card) : null;
  drag = drop && { card, drop, id: event.pointerId, x: event.clientX, y: event.clientY, ghost: null };
});

document.addEventListener("pointermove", (event) => {
  if (!drag || event.pointerId !== drag.id) return;
  const [x, y] = [event.clientX - drag.x, event.clientY - drag.y];
  if (!drag.ghost) {
    if (Math.hypot(x, y) < DRAG_THRESHOLD) return;
    const { left, top, width, height } = drag.card.getBoundingClientRect();
    drag.ghost = drag.card.cloneNode(true);
    for (const name of ["id", "name", "value", "popovertarget", "data-card", "data-place", "data-key", "aria-describedby"]) drag.ghost.removeAttribute(name);
    drag.ghost.classList.add("dragged");
    drag.ghost.setAttribute("aria-hidden", "true");
    Object.assign(drag.ghost.style, { left: `${left}px`, top: `${top}px`, width: `${width}px`, height: `${height}px` });
    document.body.append(drag.ghost);
    drag.card.classList.add("leaving");
    drag.drop.classList.add("target");
    drag.card.setPointerCapture?.(drag.id);
  }
  drag.ghost.style.translate = `${x}px ${y}px`;
  drag.drop.classList.toggle("aimed-at", isOver(drag.drop, event));
});

function isOver(element, { clientX: x, clientY: y }) {
  const { left, right, top, bottom } = element.getBoundingClientRect();
  return x >= left && x <= right && y >= top && y <= bottom;
}

/** A card that is dropped where it belongs is chosen; elsewhere it returns. */
function drop(event) {
  if (!drag || event.pointerId !== drag.id) return;
  const { card, drop: place, ghost } = drag;
  drag = null;
  if (!ghost) return;
  card.classList.remove("leaving");
  place.classList.remove("target", "aimed-at");
  if (event.type === "pointerup" && isOver(place, event)) {
    ghost.remove();
    suppressClick();
    if (!card.querySelector("input:checked")) card.click();
  } else {
    suppressClick();
    const gone = () => ghost.remove();
    if (still.matches) gone();
    else ghost.animate([{}, { translate: "0 0" }], { duration: 200, easing: "ease-out" }).finished.then(gone, gone);
  }
}

/** Releasing a dragged card must not count as a click. */
function suppressClick() {
  const stop = (event) => {
    if (!event.isTrusted) return;
    event.preventDefault();
    event.stopPropagation();
  };
  addEventListener("click", stop, { capture: true, once: true });
  setTimeout(() => removeEventListener("click", stop, { capture: true }), 50);
}

document.addEventListener("pointerup", drop);
document.addEventListener("pointercancel", drop);
form.addEventListener("dragstart", (event) => event.preventDefault());
