// Update the regions of a table in place: nodes that stay the same are not replaced.

/** Elements that hold others. */
const GROUPS = new Set(["section", "details", "div", "table", "thead", "tbody", "tr", "ol", "ul", "li", "p", "span"]);

export const region = (name) => document.getElementById(`region-${name}`);

/** Update the content of a region. Nodes that stay the same are not replaced, as one may be a button being pressed. */
export function renew(here, html) {
  const template = document.createElement("template");
  template.innerHTML = html;
  become(here, template.content);
}

/** Give an element the children of another: what is equal or has the same id stays, and only what changed inside a group is replaced. */
function become(here, other) {
  const coming = [...other.childNodes];
  let old = here.firstChild;
  while (coming.length) {
    const fresh = coming.shift();
    let same = old;
    while (same && !same.isEqualNode(fresh) && !(fresh.id && same.id === fresh.id)) same = same.nextSibling;
    if (same) {
      while (old !== same) old = remove(old);
      old = same.nextSibling;
      if (!same.isEqualNode(fresh)) turnInto(same, fresh);
    } else if (old && alike(old, fresh) && !coming.some((later) => old.isEqualNode(later))) {
      const next = old.nextSibling;
      turnInto(old, fresh);
      old = next;
    } else {
      here.insertBefore(fresh, old);
    }
  }
  while (old) old = isPast(old) ? old.nextSibling : remove(old);
}

/** Whether a node is a turn that is too old for the log of a new page; it stays, because removing it would move the others. */
const isPast = (node) => node.classList?.contains("turn");

/** Whether two elements are groups of the same kind, and the same one if they have ids. */
const alike = (old, fresh) => isGroup(old) && isGroup(fresh) && old.nodeName === fresh.nodeName && old.id === fresh.id;

/** Turn a group into another; anything else is replaced. */
function turnInto(old, fresh) {
  if (!alike(old, fresh)) {
    old.replaceWith(fresh);
    return;
  }
  for (const { name } of [...old.attributes]) if (!fresh.hasAttribute(name)) old.removeAttribute(name);
  for (const { name, value } of fresh.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  become(old, fresh);
}

/** Whether a node is a mere container; a card with its explanation, or a node with a choice in it, is replaced as a whole. */
function isGroup(node) {
  return GROUPS.has(node.localName) && !node.matches("[data-card], .slot, .kind") && !node.querySelector("button:not([type=button])");
}

function remove(node) {
  const next = node.nextSibling;
  node.remove();
  return next;
}
