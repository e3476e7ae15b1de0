// Answers by key: letters for Domains, numbers for answers, arrows to walk through them.

/** Let the keys of a page press the buttons and links that name them, and walk through its answers. */
export function answerByKeys(root, answers) {
  let typed = "";
  let typing = 0;

  const keyed = (key) => [...root.querySelectorAll("[data-key]")].find((it) => it.dataset.key.toUpperCase() === key.toUpperCase() && it.checkVisibility());

  function press(it) {
    if (!it) return false;
    it.focus();
    it.click();
    return true;
  }

  /** A digit chooses an answer at once, unless it could be the first of two. */
  function type(digit) {
    clearTimeout(typing);
    typed = keyed(typed + digit) ? typed + digit : digit;
    if (!keyed(typed)) {
      typed = "";
      return false;
    }
    if (!keyed(`${typed}0`)) return choose();
    keyed(typed).focus();
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
    if (!all.length || document.activeElement?.matches("[role=log]")) return false;
    const step = key === "ArrowRight" || key === "ArrowDown" ? 1 : -1;
    all[here < 0 ? (step > 0 ? 0 : all.length - 1) : (here + step + all.length) % all.length].focus();
    return true;
  }

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
    const key = event.key;
    let done = false;
    if (key.startsWith("Arrow")) done = walk(key);
    else if (/^\d$/.test(key)) done = type(key);
    else if (key === "Enter" && typed) done = choose();
    // Enter is for whatever has the focus; only where nothing has, it goes on.
    else if (key !== "Enter" || !document.activeElement?.closest("a, button, summary")) done = press(keyed(key));
    if (done) event.preventDefault();
  });
}
