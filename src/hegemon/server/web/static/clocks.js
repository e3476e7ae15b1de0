// Clocks: the server alone counts. A page is told until when somebody may think, and what time it is at the server;
// what the device believes about the time does not matter. Without this script the time stands as the page was drawn.

const WARNINGS = [30, 10];
const UNITS = [["day", 86400], ["hour", 3600]];
const language = document.documentElement.lang;

let server = -Infinity;
let own = {};

/** Take in what time it is at the server. What arrives is a little old, never early: so the latest time is the truest. */
export function setTime(now) {
  server = Math.max(server, Number(now) - performance.now());
}

/** So many of a unit, as the reader's language says it. */
const counted = (number, unit) => new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "long" }).format(number);

/** The time that is left: in words while there are days, otherwise as a clock shows it. */
function asOnAClock(seconds) {
  if (seconds >= 86400) {
    return UNITS.map(([unit, size]) => {
      const number = Math.floor(seconds / size);
      seconds %= size;
      return number ? counted(number, unit) : "";
    }).join(" ").trim();
  }
  const two = (number) => String(number).padStart(2, "0");
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return hours ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

/** Show how much time is left now; before the server has said what time it is, what it has drawn is the best guess. */
export function showClocks() {
  if (server === -Infinity) return;
  const now = server + performance.now();
  for (const clock of document.querySelectorAll("[data-until]")) {
    const left = Math.max(0, Math.ceil((clock.dataset.until - now) / 1000));
    const text = asOnAClock(left);
    if (clock.textContent !== text) clock.textContent = text;
    clock.closest(".clock").classList.toggle("short", left <= WARNINGS[0]);
    if (clock.dataset.says) warn(clock, left);
  }
}

/** Say aloud, at two moments only, that the reader's own time runs out. */
function warn(clock, left) {
  const { until, says } = clock.dataset;
  const passed = own.until === until ? WARNINGS.findLast((limit) => left <= limit && own.left > limit) : undefined;
  own = { until, left };
  if (passed) document.getElementById("clock-live").textContent = says.replace("…", counted(passed, "second"));
}

setInterval(showClocks, 250);
