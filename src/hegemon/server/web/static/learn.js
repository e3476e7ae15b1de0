// Lessons and puzzles by key, and a bar that leads to the question while it is out of sight. The rest is forms and links.

import { answerByKeys } from "./keys.js";
import { endPending, showPending } from "./pending.js";
import { markCards } from "./selection.js";

const answers = () => [...document.querySelectorAll("#table :is(input[name=card], button[name=choice])")].filter((it) => it.checkVisibility());

markCards(document.getElementById("table"));
answerByKeys(document.getElementById("main"), answers);

document.addEventListener("submit", (event) => showPending(event.target, event.submitter));
addEventListener("pageshow", endPending); // the browser's back button restores the page as it was left

const bar = document.getElementById("to-question");
const question = document.getElementById("question");
if (bar && question) {
  bar.textContent = question.textContent;
  new IntersectionObserver((seen) => { bar.hidden = seen.at(-1).isIntersecting; }).observe(question);
}
