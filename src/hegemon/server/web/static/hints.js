// Hints, step by step, beside the question.

const form = document.getElementById("table");

form.addEventListener("click", async (event) => {
  const button = event.target.closest("button[name=step]");
  if (!button) return;
  event.preventDefault();
  const place = button.closest("#hint");
  if (place.getAttribute("aria-busy")) return;
  const data = new URLSearchParams(new FormData(form, button));
  place.setAttribute("aria-busy", "true");
  try {
    const response = await fetch(button.formAction, { method: "POST", body: data, headers: { Accept: "application/json" } });
    const reply = await response.json();
    if (!place.isConnected) return; // the question has changed in the meantime
    if (response.ok) {
      place.innerHTML = reply.html;
      const text = place.querySelector("[popover]");
      if (text && !text.checkVisibility()) text.showPopover();
      [...place.querySelectorAll("button")].find((it) => it.checkVisibility())?.focus({ preventScroll: true });
    } else {
      place.textContent = reply.why;
    }
  } finally {
    place.removeAttribute("aria-busy");
  }
});
