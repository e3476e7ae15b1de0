// Clocks: the server sends deadlines and its own time, so that the clock of the device does not matter.
// Without this script the clocks show the time at which the page was rendered.

const WARNINGS = [30, 10];
const UNITS = [["day", 86400], ["hour", 3600]];
const language = document.documentElement.lang;

let server = -Infinity;
let own = {};

/** Set the server's time. What arrives is a little old, never early: so the latest time is the best estimate. */
export function setTime(now) {
  server = Math.max(server, Number(now) - performance.now());
}

/** A number with its unit, in the reader's language. */
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

/** Show the time left; before the server's time is known, the rendered one stays. */
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

/** Announce, at two moments only, that the reader's own time runs out. */
function warn(clock, left) {
  const { until, says } = clock.dataset;
  const passed = own.until === until ? WARNINGS.findLast((limit) => left <= limit && own.left > limit) : undefined;
  own = { until, left };
  if (passed) document.getElementById("clock-live").textContent = says.replace("…", counted(passed, "second"));
}

setInterval(showClocks, 250);
