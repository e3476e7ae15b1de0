// Find a ruling as you type; without this script the page is the plain list, and the browser's own search works on it.

const find = document.querySelector(".find");
const input = find.querySelector("input");
const found = find.querySelector("[role=status]");
const chapters = [...document.querySelectorAll(".chapter")];
const others = document.querySelectorAll("#switches, #principles");

/** Remove capitals and accents, so that they can be left out; A39 may be typed on a Greek keyboard. */
function normalize(text) {
  return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().replaceAll("ł", "l").replaceAll("ς", "σ")
    .replace(/α(?=\d)/g, "a").replace(/δ(?=\d)/g, "d");
}

const rulings = chapters.flatMap((chapter) => {
  const heading = chapter.querySelector("h2").textContent;
  return [...chapter.querySelectorAll(".rulings > div")].map((row) => ({ row, text: normalize(`${heading} ${row.textContent}`) }));
});

/** Show the rulings that contain every word of the query. */
function filter() {
  const words = normalize(input.value).split(/\s+/).filter(Boolean);
  let number = 0;
  for (const { row, text } of rulings) {
    row.hidden = !words.every((word) => text.includes(word));
    number += !row.hidden;
  }
  for (const chapter of chapters) chapter.hidden = !chapter.querySelector(".rulings > div:not([hidden])");
  for (const other of others) other.hidden = words.length > 0;
  for (const link of document.querySelectorAll(".contents a")) link.parentElement.hidden = document.querySelector(link.hash).hidden;
  found.textContent = !words.length ? "" : number
    ? found.dataset.found.replace("{number}", number).replace("{total}", rulings.length)
    : found.dataset.none;
}

/** A link to a ruling leads there even if the filter has hidden it. */
function follow() {
  const target = document.getElementById(location.hash.slice(1));
  if (!target?.closest("[hidden]")) return;
  input.value = "";
  filter();
  target.scrollIntoView();
}

find.hidden = false;
input.addEventListener("input", filter);
addEventListener("hashchange", follow);
filter(); // the browser may have restored the query of the last visit
