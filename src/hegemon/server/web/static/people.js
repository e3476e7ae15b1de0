// The chat of a table, live. Without this script it works by forms and reloads.

const chat = document.getElementById("chat");

if (chat) {
  const notice = document.getElementById("chat-notice");
  const phrase = chat.querySelector("select[name=phrase]");

  /** Show the fields that a phrase needs. */
  const showFields = () => {
    const wanted = phrase.selectedOptions[0].dataset;
    for (const [name, flag] of [["about", wanted.player], ["domain", wanted.domain]]) {
      const field = chat.querySelector(`select[name=${name}]`);
      if (field) field.closest("label").hidden = flag !== "true";
    }
  };
  phrase.addEventListener("change", showFields);
  showFields();

  for (const form of [document.getElementById("chat-phrase"), document.getElementById("chat-text")]) {
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const written = form.elements.text;
      try {
        const response = await fetch(form.action, { method: "POST", body: new URLSearchParams(new FormData(form)), headers: { Accept: "application/json" } });
        const { why } = await response.json();
        notice.textContent = why ?? "";
        notice.hidden = !why;
        if (response.ok && written) written.value = "";
      } catch {
        // The table shows that the connection is lost; the text stays in its field.
      }
    });
  }

  /** A bar that leads to the latest message while it is out of sight. */
  const lines = document.getElementById("region-chat");
  const bar = document.getElementById("to-chat");
  let inSight = true;
  new IntersectionObserver((seen) => {
    inSight = seen.at(-1).isIntersecting;
    if (inSight) bar.hidden = true;
  }).observe(lines);
  bar.addEventListener("click", () => { bar.hidden = true; });

  /** Announce new messages. */
  const last = () => Number(lines.querySelector("[data-line]")?.dataset.line ?? 0);
  let announced = last();
  new MutationObserver(() => {
    const fresh = [...lines.querySelectorAll("[data-line]")].filter((line) => Number(line.dataset.line) > announced);
    announced = Math.max(announced, last());
    if (!fresh.length) return;
    const texts = fresh.reverse().map((line) => line.textContent);
    document.getElementById("chat-live").textContent = texts.join(" ");
    bar.textContent = texts.at(-1);
    bar.hidden = inSight;
  }).observe(lines, { childList: true, subtree: true });
}
