// Clocks: the server sends deadlines and its own time, so the clock of the device does not matter.
// Without this script the clocks show the time at which the page was rendered.

const WARNINGS = [30, 10];
const UNITS = [["day", 86400], ["hour", 3600]];
const language = document.documentElement.lang;

/** The server's time minus `performance.now()`. */
let offset = -Infinity;
let previous = {};

/** Set the server's time. Messages arrive late but never early, so the largest offset is the best estimate. */
export function setTime(now) {
  offset = Math.max(offset, Number(now) - performance.now());
}

/** A number with its unit, in the reader's language. */
const withUnit = (number, unit) => new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "long" }).format(number);

/** The remaining time: in days and hours from a day on, otherwise as on a digital clock. */
function remainingTime(seconds) {
  if (seconds >= 86400) {
    return UNITS.map(([unit, size]) => {
      const number = Math.floor(seconds / size);
      seconds %= size;
      return number ? withUnit(number, unit) : "";
    }).join(" ").trim();
  }
  const twoDigits = (number) => String(number).padStart(2, "0");
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return hours ? `${hours}:${twoDigits(minutes)}:${twoDigits(seconds % 60)}` : `${minutes}:${twoDigits(seconds % 60)}`;
}

/** Show the time left; before the server's time is known, the rendered one stays. */
export function showClocks() {
  if (offset === -Infinity) return;
  const now = offset + performance.now();
  for (const clock of document.querySelectorAll("[data-until]")) {
    const left = Math.max(0, Math.ceil((clock.dataset.until - now) / 1000));
    const text = remainingTime(left);
    if (clock.textContent !== text) clock.textContent = text;
    clock.closest(".clock").classList.toggle("short", left <= WARNINGS[0]);
    if (clock.dataset.says) warn(clock, left);
  }
}

/** Announce twice that the reader's own time is running out. */
function warn(clock, left) {
  const { until, says } = clock.dataset;
  const passed = previous.until === until ? WARNINGS.findLast((limit) => left <= limit && previous.left > limit) : undefined;
  previous = { until, left };
  if (passed) document.getElementById("clock-live").textContent = says.replace("…", withUnit(passed, "second"));
}

setInterval(showClocks, 250);
