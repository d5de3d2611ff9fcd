// Clocks that run on by themselves. Each has the hub's count at which nothing is left of it (data-ends-ms). The hub's
// count is estimated from its events, so that a late event still shows the right time.

const WINDOW_MS = 120000; // two clocks drift apart by some milliseconds in that time
let estimates = [];
let anew = false;

// An event was made at the hub's count `atMs`. The event with the shortest delay is the best estimate.
export function hearHub(atMs, nowMs = performance.now()) {
  if (anew) estimates = [];
  anew = false;
  const ahead = atMs - nowMs;
  estimates = estimates.filter((other) => other.ahead > ahead && nowMs - other.nowMs < WINDOW_MS);
  estimates.push({ ahead, nowMs });
}

// A hub that was started again may count from elsewhere: the next event begins a new estimate.
export function hubAnew() { anew = true; }

export function hubMs(nowMs = performance.now()) {
  return estimates.length ? estimates[0].ahead + nowMs : null;
}

// Rounded up, as at the table.
function clockText(leftMs) {
  const tenths = Math.ceil(Math.max(0, leftMs) / 100);
  if (tenths < 100) return `0:0${Math.floor(tenths / 10)}.${tenths % 10}`;
  const seconds = Math.ceil(tenths / 10);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

export function tick() {
  const now = hubMs();
  if (now === null) return; // until the first event, the page keeps the time that it was sent with
  for (const clock of document.querySelectorAll("[data-ends-ms]")) {
    const text = clockText(Number(clock.dataset.endsMs) - now);
    if (clock.textContent !== text) clock.textContent = text;
  }
}
