// Clocks that run on by themselves, and parts of a page that the hub replaces while somebody looks.

const RETRY_MS = 3000;

// Rounded up, as at the table.
function clockText(leftMs) {
  const tenths = Math.ceil(Math.max(0, leftMs) / 100);
  if (tenths < 100) return `0:0${Math.floor(tenths / 10)}.${tenths % 10}`;
  const seconds = Math.ceil(tenths / 10);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

export function wind(root) {
  for (const clock of root.querySelectorAll("[data-left-ms]")) {
    clock.endsAt = performance.now() + Number(clock.dataset.leftMs);
  }
}

export function tick() {
  for (const clock of document.querySelectorAll("[data-left-ms]")) {
    const left = clock.endsAt - performance.now();
    const text = clockText(left);
    if (clock.textContent !== text) clock.textContent = text;
  }
}

// Who goes through the page by keyboard stays where he is.
const stopsOf = (root) => [...root.querySelectorAll("a, [tabindex]")];

export function replacePart(id, html) {
  const old = document.getElementById(id);
  if (!old) return false;
  const holder = document.createElement("template");
  holder.innerHTML = html;
  const fresh = holder.content.firstElementChild;
  if (!fresh || old.outerHTML === fresh.outerHTML) return false;
  wind(holder.content);
  const at = stopsOf(old).indexOf(document.activeElement);
  old.replaceWith(fresh);
  if (at >= 0) stopsOf(fresh)[at]?.focus({ preventScroll: true });
  return true;
}

// Calls `part(id, html)` for every part that comes; says in #connection while the hub cannot be reached.
export function listen(stream, part) {
  const connection = document.getElementById("connection");
  const reached = (yes) => {
    connection.hidden = yes;
    document.documentElement.classList.toggle("stale", !yes);
  };
  const source = new EventSource(stream);
  source.addEventListener("open", () => reached(true));
  source.addEventListener("part", (event) => {
    reached(true);
    const { id, html } = JSON.parse(event.data);
    part(id, html);
    tick();
  });
  source.addEventListener("error", () => {
    reached(false);
    source.close();
    setTimeout(() => listen(stream, part), RETRY_MS);
  });
}
