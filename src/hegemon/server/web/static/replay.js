// Stepping through a game by the arrow keys; the links work without this script.
document.addEventListener("keydown", (event) => {
  if (/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
  document.querySelector(`a[data-key="${event.key}"]`)?.click();
});
