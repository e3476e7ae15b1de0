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

  /** Say aloud what is new. */
  const lines = document.getElementById("region-talk");
  const last = () => Number(lines.querySelector("[data-line]")?.dataset.line ?? 0);
  let heard = last();
  new MutationObserver(() => {
    const fresh = [...lines.querySelectorAll("[data-line]")].filter((line) => Number(line.dataset.line) > heard);
    if (fresh.length) document.getElementById("talk-live").textContent = fresh.reverse().map((line) => line.textContent).join(" ");
    heard = Math.max(heard, last());
  }).observe(lines, { childList: true });
}
