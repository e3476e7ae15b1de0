// The seats of a table, live; links that can be copied and shared; a personal link that fills its own form.
// Without this script everything works by forms and reloads.

const seating = document.querySelector("[data-stream]");
const RETRY_INTERVAL = 1500;

/** Show the buttons that this browser supports. */
function showButtons(root) {
  for (const button of root.querySelectorAll("[data-copy]")) button.hidden = !navigator.clipboard;
  for (const button of root.querySelectorAll("[data-share]")) button.hidden = !navigator.share;
}
showButtons(document);

document.addEventListener("click", async (event) => {
  const copy = event.target.closest("[data-copy]");
  const share = event.target.closest("[data-share]");
  if (copy) {
    await navigator.clipboard.writeText(copy.dataset.copy);
    copy.textContent = copy.dataset.done;
  } else if (share) {
    await navigator.share({ title: share.dataset.title, url: share.dataset.share }).catch(() => {});
  } else if (event.target.matches("input.link")) {
    event.target.select();
  }
});

// ---------------------------------------------------------------- live seats

function swap(regions) {
  for (const [name, html] of Object.entries(regions)) {
    const here = document.getElementById(`region-${name}`);
    if (!here || here.contains(document.activeElement?.closest("input:not([readonly]), select"))) continue;
    const open = [...here.querySelectorAll("details")].map((details) => details.open);
    here.innerHTML = html;
    [...here.querySelectorAll("details")].forEach((details, place) => { details.open = Boolean(open[place]); });
    showButtons(here);
  }
}

function listen() {
  const connection = document.getElementById("connection");
  const stream = new EventSource(seating.dataset.stream);
  stream.addEventListener("open", () => { connection.hidden = true; });
  stream.addEventListener("regions", (event) => swap(JSON.parse(event.data)));
  stream.addEventListener("go", (event) => {
    stream.close();
    location.assign(JSON.parse(event.data));
  });
  stream.addEventListener("error", () => {
    connection.hidden = false;
    if (stream.readyState === EventSource.CLOSED) setTimeout(listen, RETRY_INTERVAL);
  });
}
if (seating) listen();

// ---------------------------------------------------------------- a personal link

// The part after the # is never sent to the server, so no log contains it; it fills the form of the page.
const key = document.querySelector("input[name=key]");
if (key && location.hash.length > 1) {
  key.value = location.hash.slice(1);
  history.replaceState(null, "", location.pathname);
  key.form.querySelector("button").focus();
}
