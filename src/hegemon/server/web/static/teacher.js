// The text of a lesson, placed beside the element that it is about. Without this script it stands above the table.

const words = document.querySelector(".lesson-text");
const form = document.getElementById("table");

/** Pixels between the text and its target, and between the text and the edge of the screen. */
const GAP = 14;
const MARGIN = 6;

const visible = (elements) => elements.filter((element) => element.checkVisibility());

/** What could be pressed next, the best first: the choice of this step, or what opens a place where it is offered; after a lesson, what it was about. */
function targets(looked) {
  const choices = [...form.querySelectorAll("button[name=choice]")].filter((button) => button.value === form.dataset.try);
  const opened = choices.filter((button) => button.closest(":popover-open"));
  const openers = choices.flatMap((button) => [...document.querySelectorAll(`[popovertarget="${button.closest("[popover]")?.id}"]`)]);
  return [opened, choices, openers, looked.slice(0, 1)].map(visible).find((some) => some.length) ?? [];
}

const overlap = (a, b) =>
  Math.max(0, Math.min(a.right, b.right) - Math.max(a.left, b.left)) * Math.max(0, Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top));

const clamp = (value, most) => Math.max(MARGIN, Math.min(value, most - MARGIN));

/** The places beside a box for words of that size. */
function places(box, { width, height }) {
  const x = clamp(box.left + (box.width - width) / 2, innerWidth - width);
  const y = clamp(box.top + (box.height - height) / 2, innerHeight - height);
  return [
    ["above", x, box.top - GAP - height],
    ["below", x, box.bottom + GAP],
    ["right", box.right + GAP, y],
    ["left", box.left - GAP - width, y],
  ].map(([side, left, top]) => ({ side, left, top, right: left + width, bottom: top + height }));
}

const fits = (place) => place.left >= MARGIN && place.top >= MARGIN && place.right <= innerWidth - MARGIN && place.bottom <= innerHeight - MARGIN;

/** The place beside an element that covers the least of what must stay in sight; undefined if the text fits nowhere. */
function best(element, inSight) {
  const covered = (place) => inSight.reduce((sum, other) => sum + overlap(place, other.getBoundingClientRect()), 0);
  return places(element.getBoundingClientRect(), words.getBoundingClientRect()).filter(fits).sort((a, b) => covered(a) - covered(b))[0];
}

function stand({ side, left, top, right, bottom }, box) {
  const within = (value, size) => `${Math.max(24, Math.min(value, size - 24))}px`;
  words.dataset.side = side;
  words.style.left = `${left}px`;
  words.style.top = `${top}px`;
  words.style.setProperty("--x", within(box.left + box.width / 2 - left, right - left));
  words.style.setProperty("--y", within(box.top + box.height / 2 - top, bottom - top));
}

function point() {
  const looked = form.dataset.look ? [...document.querySelectorAll(form.dataset.look)] : [];
  const inSight = [...looked, ...document.querySelectorAll("#question, .lessons, .others .panel")];
  const could = targets(looked);
  for (const element of could) element.scrollIntoView({ block: "nearest", inline: "nearest" });
  const here = could.find((element) => best(element, inSight)) ?? could[0];
  for (const element of document.querySelectorAll(".pointed")) element.classList.remove("pointed");
  if (!here) return;
  const box = here.getBoundingClientRect();
  here.classList.add("pointed");
  for (const element of looked) element.classList.add("looked");
  stand(best(here, inSight) ?? places(box, words.getBoundingClientRect())[box.top > innerHeight - box.bottom ? 0 : 1], box);
}

/** Move the text above a popover that has just opened, without moving the focus. */
function bringToFront() {
  const active = document.activeElement;
  words.hidePopover();
  words.showPopover();
  active?.focus({ preventScroll: true });
}

words.popover = "manual";
words.showPopover();
point();
addEventListener("resize", point);
document.fonts.ready.then(point);
document.addEventListener("toggle", ({ target: opened, newState }) => {
  if (opened === words) return;
  if (newState === "open") bringToFront();
  point();
}, true);
