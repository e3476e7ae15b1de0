// Show immediately that a choice is being sent, on all of its buttons.

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
