// The public tables, refreshed every few seconds while the page is visible. Without this script the page reloads itself.

const REFRESH_INTERVAL = 5000;
const offers = document.getElementById("offers");

async function refresh() {
  if (document.hidden || [...offers.querySelectorAll("input")].some((field) => field.value || field === document.activeElement)) return;
  const response = await fetch(location.href).catch(() => null); // the server may be temporarily unavailable
  if (!response?.ok) return;
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const fresh = page.getElementById("offers");
  if (fresh && fresh.innerHTML !== offers.innerHTML) offers.replaceChildren(...fresh.childNodes);
}

setInterval(refresh, REFRESH_INTERVAL);
document.addEventListener("visibilitychange", refresh);
