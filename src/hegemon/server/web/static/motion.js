// Cards that fly from one place to another, and badges at the places where something happened.
// The server says which cards moved. A copy of each card flies above the page, while the card itself is hidden.

/** A layer above the page that ignores the pointer. */
const sky = document.createElement("div");
sky.id = "sky";
sky.setAttribute("aria-hidden", "true");
document.body.append(sky);

const shown = (selector) => [...document.querySelectorAll(selector)].filter((it) => it.checkVisibility() && it.getBoundingClientRect().width);

/** Whether a card on the page can be the one that moves: the same card, or a back and a card of the same Age. */
const alike = (one, other) => one === other || ((one[0] === "?" || other[0] === "?") && (one[1] === other[1] || one === "?" || other === "?"));

/** The card at a place, or else the place itself; cards that another flight has taken are left out. */
function spot(place, kind, taken) {
  const [what, seat, domain] = place.split("-");
  const cards = shown(`[data-card][data-place="${domain ? `${what}-${seat}` : place}"]`).filter((it) => !taken.has(it) && alike(it.dataset.card, kind));
  const card = (cards.filter((it) => it.dataset.card === kind).at(-1) ?? cards.at(-1));
  const selectors = {
    deck: [`[data-anchor=deck] > :nth-child(${kind[1] ?? 1})`, "[data-anchor=deck]"],
    pile: ["[data-anchor=pile]", "[data-region=pile]"],
    center: ["[data-region=hand]"],
    hand: [`.panel[data-seat="${seat}"]:not(.own) .hidden-hand`, `.panel[data-seat="${seat}"]:not(.own)`, "[data-region=hand]"],
    area: [`.column[data-seat="${seat}"][data-domain="${domain}"]`, `.panel[data-seat="${seat}"]`],
  }[what];
  const it = what !== "pile" && card ? card : selectors.map((selector) => shown(selector)[0]).find(Boolean);
  if (it === card) taken.add(it);
  return it && { it, isCard: it === card, box: it.getBoundingClientRect() };
}

/** How a picture of this size must be moved to lie at a spot: as large as a card there, and small at a mere place. */
function at({ box, isCard }, width, height) {
  const scale = isCard ? Math.min(box.width / width, box.height / height) : Math.min(0.4, box.height / height);
  return `translate(${box.x + box.width / 2 - width / 2}px, ${box.y + box.height / 2 - height / 2}px) scale(${scale})`;
}

/** Swap regions, and let the cards of a move fly from where they lay to where they lie now. */
export function fly(flights, swap, duration) {
  const taken = new Set();
  const starts = flights.map((flight) => spot(flight.dataset.from, flight.firstElementChild.dataset.kind, taken));
  swap();
  const landed = new Set();
  flights.forEach((flight, number) => {
    const picture = flight.firstElementChild.cloneNode(true);
    const end = spot(flight.dataset.to, picture.dataset.kind, landed);
    const start = starts[number];
    if (!start || !end) return;
    sky.append(picture);
    const { offsetWidth: width, offsetHeight: height } = picture;
    const delay = Math.min(number * 60, duration);
    const timing = { duration, delay, easing: "cubic-bezier(.3, .1, .2, 1)", fill: "both" };
    picture.animate([{ transform: at(start, width, height) }, { transform: at(end, width, height) }], timing)
      .finished.catch(() => {}).then(() => picture.remove());
    if (end.isCard) end.it.animate([{ visibility: "hidden" }, { visibility: "hidden" }], { duration: duration + delay });
  });
}

/** Show a frame around a panel for a while. */
function glow(panel, color, duration) {
  const frame = `0 0 0 4px ${getComputedStyle(document.documentElement).getPropertyValue(color)}`;
  panel?.animate([{ boxShadow: frame }, { boxShadow: frame }], { duration });
}

/** Show what happened at its place for a while: the panel of the player, and labels on panels and columns. */
export function point(moment, duration, still) {
  glow(shown(`.panel[data-seat="${moment.dataset.seat}"]`)[0], "--accent", duration);
  if (moment.dataset.hitsReader === "true") glow(shown(".panel.own")[0], "--bad", duration);
  for (const label of moment.querySelectorAll(".badge")) {
    const { seat, domain } = label.dataset;
    const place = (domain && shown(`.column[data-seat="${seat}"][data-domain="${domain}"]`)[0]) || shown(`.panel[data-seat="${seat}"]`)[0];
    if (!place) continue;
    const badge = label.cloneNode(true);
    sky.append(badge);
    const { x, y, width, height } = place.getBoundingClientRect();
    const left = x + width / 2 - badge.offsetWidth / 2;
    const top = domain ? y - badge.offsetHeight / 3 : y + Math.min(height, 90) / 2 - badge.offsetHeight / 2;
    badge.style.left = `${Math.max(4, Math.min(left, innerWidth - badge.offsetWidth - 4))}px`;
    badge.style.top = `${Math.max(4, top)}px`;
    const frames = still ? [{ opacity: 1 }, { opacity: 1 }] : [{ opacity: 0, transform: "scale(.6)" }, { opacity: 1, transform: "none", offset: 0.15 }, { opacity: 1, offset: 0.8 }, { opacity: 0 }];
    badge.animate(frames, { duration }).finished.catch(() => {}).then(() => badge.remove());
  }
}

/** Remove cards that are still flying. */
export function clear() {
  sky.replaceChildren();
}
