// A page that follows: asked for again now and then, its content replaced when it has changed. A section in which
// somebody types stays as it is until they are done, what somebody has opened stays open, and a refusal stays to be read.

const EVERY_MS = 8000;
const GONE_MS = 60000; // an address that is valid no more is asked for seldom: it may be given back
const ANSWER_MS = 8000;
const PARTS = ["content", "under", "heading"];
const shown = new Map(PARTS.map((id) => [id, document.getElementById(id)?.innerHTML]));
let timer = null;

const textsIn = (part) => [...part.querySelectorAll("textarea, input:not([type=hidden])")];
const isTypedIn = (part) => "holds" in part.dataset || textsIn(part).some((field) => field === document.activeElement || field.value !== "");
const nameOf = (part) => part.getAttribute("aria-labelledby") ?? part.getAttribute("aria-label") ?? part.className;
const titleOf = (details) => details.querySelector("summary")?.textContent;

function renew(old, fresh) {
  const open = new Set([...old.querySelectorAll("details[open]")].map(titleOf));
  for (const details of fresh.querySelectorAll("details")) if (open.has(titleOf(details))) details.open = true;
  const typed = [...old.children].filter(isTypedIn);
  const kept = [...old.children].filter((part) => typed.includes(part) || part.matches("[role=alert]"));
  for (const part of [...old.childNodes]) if (!kept.includes(part)) part.remove();
  let after = kept.findLast((part) => part.matches("[role=alert]")) ?? null;
  for (const part of [...fresh.children]) {
    const same = typed.find((other) => nameOf(other) === nameOf(part));
    if (!same && after) after.after(part);
    else if (!same) old.prepend(part);
    after = same ?? part;
  }
}

function take(page) {
  document.title = page.title;
  for (const id of PARTS) {
    const [old, fresh] = [document.getElementById(id), page.getElementById(id)];
    if (!old || !fresh || fresh.innerHTML === shown.get(id)) continue;
    shown.set(id, fresh.innerHTML);
    renew(old, fresh);
    window.rest?.(old);
    document.dispatchEvent(new Event("news"));
  }
}

async function follow() {
  clearTimeout(timer);
  let nextMs = EVERY_MS;
  if (window.photographing) { timer = setTimeout(follow, nextMs); return; } // the camera is open
  try {
    const answer = await fetch(location.href, { signal: AbortSignal.timeout?.(ANSWER_MS) });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (answer.ok && page.getElementById("content")) {
      window.reach?.heard();
      take(page);
    } else if (answer.status === 404 || answer.status === 429) {
      window.reach?.gone();
      nextMs = GONE_MS;
    } else if (answer.status !== 503) window.reach?.lost(); // 503: it has too much to do for a moment
  } catch { window.reach?.lost(); }
  clearTimeout(timer);
  timer = setTimeout(follow, nextMs);
}

timer = setTimeout(follow, EVERY_MS);
for (const what of ["stored", "told"]) document.addEventListener(what, follow);
addEventListener("online", follow);
