// Times in the reader's time zone, including in regions that change later; without this script they are in UTC.

const language = document.documentElement.lang;
const format = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" });

function show() {
  for (const time of document.querySelectorAll('time[data-local=""]')) {
    time.dataset.local = "shown";
    time.textContent = format.format(new Date(time.dateTime));
  }
}
show();
new MutationObserver(show).observe(document.getElementById("main"), { childList: true, subtree: true });
