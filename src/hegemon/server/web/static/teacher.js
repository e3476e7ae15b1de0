// The teacher's words stand at what they are about, and point at it. Without this script they stand above the table.

const words = document.querySelector(".lesson-text");
const form = document.getElementById("table");

/** Pixels between the words and their target, and between the words and the edge of the screen. */
const GAP = 14;
const MARGIN = 6;

const visible = (elements) => [...elements].find((element) => element.checkVisibility());

/** What to press next: the choice of this step, or what opens the place where it is offered; after a lesson, what it was about. */
function target(looked) {
  const choices = [...form.querySelectorAll("button[name=choice]")].filter((button) => button.value === form.dataset.try);
  const opened = choices.filter((button) => button.closest(":popover-open"));
  const openers = choices.flatMap((button) => [...document.querySelectorAll(`[popovertarget="${button.closest("[popover]")?.id}"]`)]);
  return visible(opened) ?? visible(choices) ?? visible(openers) ?? looked[0];
}

const overlap = (a, b) =>
  Math.max(0, Math.min(a.right, b.right) - Math.max(a.left, b.left)) * Math.max(0, Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top));

const clamp = (value, most) => Math.max(MARGIN, Math.min(value, most - MARGIN));

/** Where words of that size could stand beside a box, within the screen. */
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

/** Stand where the least is covered of what the words are about. */
function stand(box, looked) {
  const boxes = looked.map((element) => element.getBoundingClientRect());
  const covered = (place) => boxes.reduce((sum, other) => sum + overlap(place, other), 0);
  const all = places(box, words.getBoundingClientRect());
  const best = all.filter(fits).sort((a, b) => covered(a) - covered(b))[0] ?? all[box.top > innerHeight - box.bottom ? 0 : 1];
  const { style, dataset } = words;
  dataset.side = best.side;
  style.left = `${best.left}px`;
  style.top = `${Math.max(MARGIN, best.top)}px`;
  const middle = { x: box.left + box.width / 2 - best.left, y: box.top + box.height / 2 - best.top };
  const least = 24;
  style.setProperty("--x", `${Math.max(least, Math.min(middle.x, best.right - best.left - least))}px`);
  style.setProperty("--y", `${Math.max(least, Math.min(middle.y, best.bottom - best.top - least))}px`);
}

function point() {
  const looked = form.dataset.look ? [...document.querySelectorAll(form.dataset.look)] : [];
  const here = target(looked);
  for (const element of document.querySelectorAll(".pointed")) element.classList.remove("pointed");
  if (!here) return;
  here.classList.add("pointed");
  here.scrollIntoView({ block: "nearest", inline: "nearest" });
  for (const element of looked) element.classList.add("looked");
  stand(here.getBoundingClientRect(), [...looked, ...document.querySelectorAll("#question, .lessons, .others .panel")]);
}

/** Come above what has just opened, and leave the focus where it is. */
function rise() {
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
  if (newState === "open") rise();
  point();
}, true);
