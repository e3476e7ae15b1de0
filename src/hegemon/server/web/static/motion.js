// Move cards from their old places to the new, by a view transition.

import { region } from "./regions.js";

/** The visible cards and backs of a region, by place and face. */
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

/** The current transition, and the cards that have a name for it. */
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

/** Swap regions and move cards from their old places to the new; call `arrived` if any came. Only what is on the page is compared. */
export async function moveCards(regions, swap, arrived) {
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
      for (let index = old.length; index < number; index += 1) come.push({ card, key, name, index });
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
    for (const [number, { key, name, index, moved }] of come.entries()) {
      const element = cardsIn(region(name), true).get(key)?.[index];
      mark(element, `card-${number}`, moved ? "" : "arriving");
    }
  });
  moving = transition;
  const done = () => { if (moving === transition) stopMarking(); };
  transition.ready.catch(() => {});
  transition.finished.then(done, done);
  await transition.updateCallbackDone;
  if (come.length) arrived();
}
