// A bot in JavaScript, without any package: hegemon play --bots "program:node examples/javascript_bot/collector.js"
// It collects its largest Domain and never attacks. `hegemon bot-protocol` describes the protocol.
"use strict";

// The number of cards of each Domain in the play area of the viewer. A view begins with the seats, separated by
// slashes: in "M112R1e1(E1S2)", the area has three Military cards and one Religion card, under an Embargo (e1).
function ownArea(view) {
  const fields = view.split(" ");
  const seat = fields[9].slice(1) - 1;
  const area = fields[0].split("|")[0].split("/")[seat].split("(")[0];
  const cards = {};
  for (const [, domain, ages] of area.matchAll(/([MRESCU])([123]*)/g)) cards[domain] = ages.length;
  return cards;
}

// Whether cards are being discarded, taken back or given away: field 4 is what an effect still requires.
function givesUp(view) {
  return /^[hatg]/.test(view.split(" ")[3]);
}

function choose(view, choices) {
  if (choices.includes(".")) return ["R++", "R+"].find((effect) => choices.includes(effect)) ?? ".";
  const cards = ownArea(view);
  const worth = (choice) => (givesUp(view) ? -1 : 1) * (cards[choice[0]] ?? 0);
  return choices.reduce((best, choice) => (worth(choice) > worth(best) ? choice : best));
}

let view = "";
let choices = [];

require("node:readline")
  .createInterface({ input: process.stdin })
  .on("line", (line) => {
    const [word, ...rest] = line.split(" ");
    if (word === "hegemon") console.log("ready");
    if (word === "view") view = rest.join(" ");
    if (word === "choices") choices = rest;
    if (word === "choose") console.log(`choice ${choose(view, choices)}`);
    if (word === "quit") process.exit();
  });
