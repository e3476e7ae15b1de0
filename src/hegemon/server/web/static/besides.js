// The people at a table: what they say reaches a page as it is said. Without this script it works by forms and reloads.

const talk = document.getElementById("talk");

if (talk) {
  const notice = document.getElementById("talk-notice");
  const phrase = talk.querySelector("select[name=phrase]");

  /** A phrase that names nobody asks for no name. */
  const ask = () => {
    const wanted = phrase.selectedOptions[0].dataset;
    for (const [name, flag] of [["about", wanted.player], ["domain", wanted.domain]]) {
      const field = talk.querySelector(`select[name=${name}]`);
      if (field) field.closest("label").hidden = flag !== "true";
    }
  };
  phrase.addEventListener("change", ask);
  ask();

  for (const form of [document.getElementById("say-phrase"), document.getElementById("say-text")]) {
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const written = form.elements.text;
      try {
        const answer = await fetch(form.action, { method: "POST", body: new URLSearchParams(new FormData(form)), headers: { Accept: "application/json" } });
        const { why } = await answer.json();
        notice.textContent = why ?? "";
        notice.hidden = !why;
        if (answer.ok && written) written.value = "";
      } catch {
        // The table says that the connection is lost; what was written stays where it is.
      }
    });
  }

  /** A bar that leads to what was said last, while that is out of sight. */
  const lines = document.getElementById("region-talk");
  const bar = document.getElementById("to-talk");
  let inSight = true;
  new IntersectionObserver((seen) => {
    inSight = seen.at(-1).isIntersecting;
    if (inSight) bar.hidden = true;
  }).observe(lines);
  bar.addEventListener("click", () => { bar.hidden = true; });

  /** Say aloud what is new. */
  const last = () => Number(lines.querySelector("[data-line]")?.dataset.line ?? 0);
  let heard = last();
  new MutationObserver(() => {
    const fresh = [...lines.querySelectorAll("[data-line]")].filter((line) => Number(line.dataset.line) > heard);
    heard = Math.max(heard, last());
    if (!fresh.length) return;
    const told = fresh.reverse().map((line) => line.textContent);
    document.getElementById("talk-live").textContent = told.join(" ");
    bar.textContent = told.at(-1);
    bar.hidden = inSight;
  }).observe(lines, { childList: true, subtree: true });
}
