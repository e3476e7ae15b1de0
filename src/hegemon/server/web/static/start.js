// The start page of the installed app, which also replaces any other page while the server cannot be reached.

const CHECK_INTERVAL = 5000;
const START_PATH = "/start";

/** Whether the server itself responds, rather than a proxy reporting that it is unavailable. */
async function isReachable() {
  try {
    return "failing" in await (await fetch("/health", { cache: "no-store" })).json();
  } catch {
    return false;
  }
}

/** Continue as soon as the server responds: reload the page that this one replaces, but not in a tight loop. */
async function connect(first) {
  if (!(await isReachable())) {
    document.getElementById("connecting").hidden = true;
    document.getElementById("offline").hidden = false;
    document.getElementById("unsent").hidden = location.hash !== "#unsent";
  } else if (location.pathname === START_PATH) location.replace("/");
  else if (!first) location.reload();
}

connect(true);
setInterval(connect, CHECK_INTERVAL);
addEventListener("online", () => connect());
