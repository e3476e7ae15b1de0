// The start page of the installed app, which also stands in for any other page while the server cannot be reached.

const INTERVAL = 5000;
const HERE = "/start";

/** Whether the server itself answers, rather than a proxy reporting that it is unavailable. */
async function isReached() {
  try {
    return "failing" in await (await fetch("/health", { cache: "no-store" })).json();
  } catch {
    return false;
  }
}

/** Go on as soon as the server answers; a page that it stands in for is loaded again, but not in a tight loop. */
async function connect(first) {
  if (!(await isReached())) {
    document.getElementById("connecting").hidden = true;
    document.getElementById("offline").hidden = false;
    document.getElementById("unsent").hidden = location.hash !== "#unsent";
  } else if (location.pathname === HERE) location.replace("/");
  else if (!first) location.reload();
}

connect(true);
setInterval(connect, INTERVAL);
addEventListener("online", () => connect());
