// Show at once that a choice is on its way, wherever it is offered on the page.

let pressed = [];

export function showPending(form, button) {
  endPending();
  const alike = [...form.querySelectorAll("button[name=choice]")].filter((other) => button?.name === "choice" && other.value === button.value);
  pressed = button ? [button, ...alike] : [];
  for (const one of pressed) one.classList.add("pending");
}

export function endPending() {
  for (const one of pressed) one.classList.remove("pending");
  pressed = [];
}
