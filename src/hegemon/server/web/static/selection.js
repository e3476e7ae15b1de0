// Mark the cards that are chosen together: count them, and let them be confirmed when there are as many as asked for.
// Without this script they are plain checkboxes, and the server checks the set.

const boxes = (root) => [...root.querySelectorAll("input[name=card]")];

/** Within a Domain the oldest cards are chosen first: when all cards are marked, marks on younger ones move to them. */
function oldestFirst(root, marked) {
  let moved = false;
  for (const letter of new Set(marked.map((box) => box.value[0]))) {
    const number = marked.filter((box) => box.value[0] === letter).length;
    for (const [place, box] of boxes(root).filter((it) => it.value[0] === letter).entries()) {
      moved ||= box.checked !== place < number;
      box.checked = place < number;
    }
  }
  if (moved) root.querySelector("#oldest-first")?.showPopover();
}

/** Show how many cards are marked; the set can be confirmed when it is complete. */
export function countMarks(root) {
  const chosen = boxes(root).filter((box) => box.checked).length;
  for (const button of root.querySelectorAll("button.confirm")) {
    const number = Number(button.dataset.number);
    const output = button.querySelector("output");
    button.disabled = chosen !== number;
    output.value = output.dataset.text.replace("{chosen}", chosen).replace("{number}", number);
  }
}

/** Undo the changes of `countMarks`, so that the page can be compared with a new one. */
export function resetMarks(root) {
  for (const button of root.querySelectorAll("button.confirm")) {
    button.disabled = false;
    button.querySelector("output").value = button.querySelector("output").defaultValue;
  }
}

/** A column is touched as a whole: it marks its next card, or takes the last mark off. */
function markInColumn({ target }) {
  const head = target.closest("label, input") ? null : target.closest("div.head");
  const inside = head ? boxes(head) : [];
  (inside.find((box) => !box.checked) ?? inside.at(-1))?.click();
}

export function markCards(root) {
  root.addEventListener("click", markInColumn);
  root.addEventListener("change", ({ target }) => {
    if (target.name !== "card") return;
    const marked = boxes(root).filter((box) => box.checked);
    if (marked.length === Number(root.querySelector("button.confirm")?.dataset.number)) oldestFirst(root, marked);
    countMarks(root);
  });
  countMarks(root);
}
