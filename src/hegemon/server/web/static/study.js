// The study board without loading pages: forms are sent and links are followed in the background, and the page becomes
// the one that comes back. Keys answer as at a table. Without this script everything works by forms and links.

import { answerByKeys } from "./keys.js";
import { endPending, showPending } from "./pending.js";
import { markCards } from "./selection.js";

const main = document.getElementById("main");
const answers = () => [...main.querySelectorAll("#table :is(input[name=card], button[name=choice])")].filter((it) => it.checkVisibility());
let latest = 0;
let left = false;

/** Set up the page after it was loaded, and after each change. */
function prepare() {
  const table = document.getElementById("table");
  if (table && !table.dataset.marks) {
    table.dataset.marks = "on";
    markCards(table);
  }
  for (const button of main.querySelectorAll("[data-copy]")) button.hidden = !navigator.clipboard;
  main.querySelector(".tree [aria-current]")?.scrollIntoView({ block: "nearest" });
}

/** Show a page that came back, and keep open what was open and where the reader was. */
function show(html, address) {
  const fresh = new DOMParser().parseFromString(html, "text/html");
  const open = [...main.querySelectorAll(".beside:popover-open, details[open]")].map((it) => it.id || it.className);
  const focused = document.activeElement;
  const marks = { id: focused?.id, name: focused?.name, value: focused?.value, href: focused?.getAttribute?.("href") };
  main.replaceChildren(...fresh.getElementById("main").childNodes);
  document.body.className = fresh.body.className; // that of an error page is different
  document.title = fresh.title;
  if (address) history.pushState({}, "", address);
  for (const it of main.querySelectorAll(".beside[popover], details")) {
    if (!open.includes(it.id || it.className)) continue;
    if (it.matches("details")) it.open = true;
    else it.showPopover();
  }
  const same = marks.id ? document.getElementById(marks.id) : [...main.querySelectorAll("button, a, input, select")].find((it) => (marks.name ? it.name === marks.name && (it.type === "text" || it.value === marks.value) : marks.href && it.getAttribute("href") === marks.href));
  (same ?? document.getElementById("question"))?.focus({ preventScroll: true });
  prepare();
}

/** Load a page in the background; if that fails, leave it to the browser. */
async function load(address, options, otherwise) {
  const turn = ++latest;
  try {
    const response = await fetch(address, { ...options, headers: { accept: "text/html" } });
    const html = await response.text();
    if (turn !== latest) return;
    const newAddress = options.method === "POST" && !response.redirected ? "" : response.url;
    show(html, options.again ? "" : newAddress);
  } catch {
    otherwise();
  } finally {
    endPending();
  }
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  const button = event.submitter;
  if (left || !main.contains(form) || form.enctype === "multipart/form-data" || /\/(copy|delete)$|\/study$/.test(form.action)) return;
  event.preventDefault();
  showPending(form, button);
  const fields = new URLSearchParams(new FormData(form, button));
  const otherwise = () => {
    left = true; // the browser sends the form itself
    form.requestSubmit(button);
  };
  if (form.method === "get") load(`${form.action}?${fields}`, {}, otherwise);
  else load(form.action, { method: "POST", body: fields }, otherwise);
});

document.addEventListener("click", async (event) => {
  const copy = event.target.closest("[data-copy]");
  if (copy) {
    await navigator.clipboard.writeText(copy.dataset.copy);
    copy.textContent = copy.dataset.done;
    return;
  }
  if (event.target.matches("input.link")) event.target.select();
  const link = event.target.closest("a[href]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || link.hasAttribute("download")) return;
  if (!main.contains(link) || new URL(link.href).pathname !== location.pathname) return;
  event.preventDefault();
  load(link.href, {}, () => location.assign(link.href));
});

// Settings of the whole table apply immediately.
document.addEventListener("change", ({ target }) => {
  if (target.closest(".whole") && target.matches("select, input")) target.form.requestSubmit(target.form.querySelector(".apply"));
});

addEventListener("popstate", () => load(location.href, { again: true }, () => location.reload()));
answerByKeys(main, answers);
prepare();
