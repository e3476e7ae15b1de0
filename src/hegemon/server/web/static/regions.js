// Replace the regions of a table, and no node in them that stays the same: a button that is being pressed must stay.

/** Elements that hold others. */
const GROUPS = new Set(["section", "details", "div", "table", "thead", "tbody", "tr", "ol", "ul", "li", "p", "span"]);

export const region = (name) => document.getElementById(`region-${name}`);

/** Replace the content of a region, except for what stays the same: a button that is being pressed must stay. */
export function renew(here, html) {
  const template = document.createElement("template");
  template.innerHTML = html;
  become(here, template.content);
}

/** Give an element the children of another: equal nodes stay, and only what changed inside a group is replaced. */
function become(here, other) {
  const coming = [...other.childNodes];
  let old = here.firstChild;
  while (coming.length) {
    const fresh = coming.shift();
    let same = old;
    while (same && !same.isEqualNode(fresh)) same = same.nextSibling;
    if (same) {
      while (old !== same) old = remove(old);
      old = same.nextSibling;
    } else if (old && isGroup(old) && isGroup(fresh) && old.nodeName === fresh.nodeName && !coming.some((later) => old.isEqualNode(later))) {
      for (const { name } of [...old.attributes]) if (!fresh.hasAttribute(name)) old.removeAttribute(name);
      for (const { name, value } of fresh.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
      become(old, fresh);
      old = old.nextSibling;
    } else {
      here.insertBefore(fresh, old);
    }
  }
  while (old) old = remove(old);
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
