// The table, live: open the stream, swap the regions that changed, keep the focus, answer by key.
// Without this script everything works by forms and reloads. It knows no rule and holds no secret.

const form = document.getElementById("table");
const connection = document.getElementById("connection");
const still = matchMedia("(prefers-reduced-motion: reduce)");
const PACES = { slow: 1600, normal: 900, fast: 350, none: 0 };

// ---------------------------------------------------------------- swapping regions

/** Regions that have come and wait to be shown, oldest first. */
const waiting = [];
let showing = false;

function pace() {
  return PACES[form.dataset.pace] ?? PACES.normal;
}

/** Put new regions in place of the old; whatever had the focus has it again, if it is still there. */
function swap(regions) {
  const active = document.activeElement;
  const focus = active && form.contains(active)
    ? { region: active.closest("[data-region]")?.dataset.region, value: active.value, name: active.name, id: active.id }
    : null;
  const open = new Set([...form.querySelectorAll("details[open]")].map((d) => d.closest("[data-region]").dataset.region));
  for (const [name, html] of Object.entries(regions)) {
    const region = document.getElementById(`region-${name}`);
    if (region) region.innerHTML = html;
    const details = region?.querySelector("details");
    if (details && open.has(name)) details.open = true;
  }
  if (focus && !document.contains(active)) {
    const region = document.getElementById(`region-${focus.region}`);
    const again = [...(region?.querySelectorAll("button") ?? [])].find((b) => b.name === focus.name && b.value === focus.value);
    (again ?? document.getElementById("question"))?.focus({ preventScroll: true });
  }
}

/** Show what waits, one entry after the other, at the reader's pace. */
async function show() {
  if (showing) return;
  showing = true;
  form.classList.toggle("catching-up", waiting.length > 1);
  while (waiting.length) {
    const regions = waiting.shift();
    if (document.startViewTransition && !still.matches && pace() && !document.hidden) {
      const transition = document.startViewTransition(() => swap(regions));
      transition.ready.catch(() => {}); // the next change may come before this one has moved
      await transition.updateCallbackDone;
    } else {
      swap(regions);
    }
    if (waiting.length && pace() && !document.hidden) await pause(pace());
    form.classList.toggle("catching-up", waiting.length > 0);
  }
  showing = false;
}

let skip = null;
function pause(milliseconds) {
  return new Promise((done) => {
    const timer = setTimeout(done, milliseconds);
    skip = () => { clearTimeout(timer); done(); };
  });
}

/** Show everything that waits at once. */
function catchUp() {
  if (!waiting.length) return;
  const all = Object.assign({}, ...waiting.splice(0));
  waiting.push(all);
  skip?.();
}

// ---------------------------------------------------------------- the stream

const stream = new EventSource(form.dataset.stream);
let first = true;
stream.addEventListener("regions", (event) => {
  connection.hidden = true;
  const regions = JSON.parse(event.data);
  if (first) {
    // The page shows this moment already; after a lost connection it may not.
    first = false;
  }
  waiting.push(regions);
  show();
});
stream.addEventListener("error", () => { connection.hidden = false; });
stream.addEventListener("open", () => { connection.hidden = true; });

// ---------------------------------------------------------------- commands

/** The question for which somebody was asked whether the turn shall really end. */
let asked = null;

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const number = form.elements.number.value;
  if (event.submitter && "unused" in event.submitter.dataset && form.dataset.confirm === "on" && asked !== number) {
    asked = number;
    return notice(form.dataset.sure);
  }
  const data = new URLSearchParams(new FormData(form, event.submitter));
  form.setAttribute("aria-busy", "true");
  try {
    const answer = await fetch(form.action, { method: "POST", body: data, headers: { Accept: "application/json" } });
    const said = await answer.json();
    if (said.next) location.assign(said.next);
    notice(answer.ok ? "" : said.why);
  } catch {
    connection.hidden = false;
  } finally {
    form.removeAttribute("aria-busy");
  }
});

function notice(sentence) {
  const box = document.getElementById("notice");
  box.textContent = sentence;
  box.hidden = !sentence;
}

// ---------------------------------------------------------------- keys

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
  const key = event.key.length === 1 ? event.key.toUpperCase() : event.key;
  if (key === "Escape") return catchUp();
  if (key.startsWith("Arrow")) return move(event, key);
  const button = [...form.querySelectorAll("button[data-key]")].find((b) => b.dataset.key.toUpperCase() === key);
  if (button) {
    event.preventDefault();
    button.focus();
    button.click();
  }
});

/** Arrows walk through the answers, wherever they lie on the table. */
function move(event, key) {
  const buttons = [...form.querySelectorAll("button")].filter((b) => b.offsetParent);
  const here = buttons.indexOf(document.activeElement);
  if (!buttons.length || (here < 0 && document.activeElement !== document.body && !form.contains(document.activeElement))) return;
  event.preventDefault();
  const step = key === "ArrowRight" || key === "ArrowDown" ? 1 : -1;
  buttons[(here + step + buttons.length) % buttons.length].focus();
}

document.getElementById("catch-up")?.addEventListener("click", catchUp);
