// The hub's clock beside this browser's, and the browser's time zone for a new event.

const FAR_MS = 60_000;
const LONGEST_MS = 10_000; // an answer that took longer says nothing about a minute
const AGAIN_MS = 60_000;

const clocks = document.getElementById("clocks");
const shown = (ms) => new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: "medium", timeStyle: "short" }).format(ms);

async function compare() {
  try {
    const asked = performance.now();
    const answer = await fetch("/desk/static/wall.js", { method: "HEAD", cache: "no-store" });
    const hub = Date.parse(answer.headers.get("date") ?? "");
    if (Number.isNaN(hub) || performance.now() - asked > LONGEST_MS) return;
    const browser = Date.now();
    const far = Math.abs(browser - hub) > FAR_MS;
    if (far) clocks.textContent = clocks.dataset.text.replace("{hub}", shown(hub)).replace("{browser}", shown(browser));
    clocks.hidden = !far;
  } catch { /* the stream says that the hub is gone */ }
}
if (clocks) {
  compare();
  setInterval(compare, AGAIN_MS);
}

// The zone of a new event is this browser's, its first day today's there; what was typed stays.
const zone = document.querySelector("input[name=time_zone][data-propose]");
const day = zone?.form.elements.date;
function todayIn(name) {
  try {
    // Canada writes days as forms do: 2026-11-05.
    return new Intl.DateTimeFormat("en-CA", { timeZone: name, year: "numeric", month: "2-digit", day: "2-digit" }).format(Date.now());
  } catch {
    return "";
  }
}
if (zone) {
  const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
  let proposed = day.value;
  const propose = () => {
    const today = todayIn(zone.value);
    if (today && day.value === proposed) proposed = day.value = today;
  };
  if (here) zone.value = here;
  propose();
  zone.addEventListener("change", propose);
}
