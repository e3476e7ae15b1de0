// Choices by key: letters for Domains, numbers for choices, arrows to walk through them.

export function press(it) {
  if (!it) return false;
  it.focus();
  it.click();
  return true;
}

/** Focus an element, opening the sheet that hides it. */
function reach(it) {
  if (!it.checkVisibility()) it.closest("[popover]")?.showPopover();
  it.focus();
}

/**
 * Let the keys of a page press the buttons and links that name them, and walk through its answers.
 *
 * `first` handles a key before that: it returns true if it has handled the key, false to leave the key to the browser,
 * and undefined otherwise.
 */
export function answerByKeys(root, answers, first = () => undefined) {
  let typed = "";
  let typing = 0;

  /** The element with that key, visible or in a closed sheet; of cards to mark, the first unmarked one. */
  function keyed(key) {
    const all = [...root.querySelectorAll("[data-key]")].filter((it) => it.dataset.key.toUpperCase() === key.toUpperCase() && (it.checkVisibility() || it.closest("[popover]")));
    const seen = all.filter((it) => it.checkVisibility());
    const some = seen.length ? seen : all;
    return some.find((it) => !it.checked) ?? some.at(-1);
  }

  /** A digit selects a choice at once, unless it could be the first of two. */
  function type(digit) {
    clearTimeout(typing);
    typed = keyed(typed + digit) ? typed + digit : digit;
    if (!keyed(typed)) {
      typed = "";
      return false;
    }
    if (!keyed(`${typed}0`)) return choose();
    reach(keyed(typed));
    typing = setTimeout(choose, 900);
    return true;
  }

  function choose() {
    clearTimeout(typing);
    const it = keyed(typed);
    typed = "";
    return press(it);
  }

  function walk(key) {
    const all = answers();
    const here = all.indexOf(document.activeElement);
    const elsewhere = here < 0 && document.activeElement !== document.body && !root.contains(document.activeElement);
    if (!all.length || elsewhere || document.activeElement?.closest("[role=log]")) return false;
    const step = key === "ArrowRight" || key === "ArrowDown" ? 1 : -1;
    reach(all[here < 0 ? (step > 0 ? 0 : all.length - 1) : (here + step + all.length) % all.length]);
    return true;
  }

  function answer(key) {
    if (key.startsWith("Arrow")) return walk(key);
    if (/^\d$/.test(key)) return type(key);
    if (key === "Enter" && typed) return choose();
    // Enter activates the focused element; without one, it presses the element with the key Enter.
    return (key !== "Enter" || !document.activeElement?.closest("a, button, summary")) && press(keyed(key));
  }

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input:not([type=checkbox]), select, textarea")) return;
    const key = event.key.length === 1 ? event.key.toUpperCase() : event.key;
    if (first(key, keyed) ?? answer(key)) event.preventDefault();
  });
}
