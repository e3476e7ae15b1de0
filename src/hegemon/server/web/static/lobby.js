// The public tables, refreshed every few seconds while the page is visible. Without this script the page reloads itself.

const EVERY = 5000;
const offers = document.getElementById("offers");

async function look() {
  if (document.hidden || [...offers.querySelectorAll("input")].some((field) => field.value || field === document.activeElement)) return;
  const answer = await fetch(location.href).catch(() => null); // the server may be temporarily unavailable
  if (!answer?.ok) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const fresh = page.getElementById("offers");
  if (fresh && fresh.innerHTML !== offers.innerHTML) offers.replaceChildren(...fresh.childNodes);
}

setInterval(look, EVERY);
document.addEventListener("visibilitychange", look);
