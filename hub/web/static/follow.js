// A page that follows: asked for again now and then, its content replaced when it has changed. A part in which somebody
// fills in a form stays as it is until they are done.

const EVERY_MS = 8000;
const PARTS = ["content", "under", "heading"];
const shown = new Map(PARTS.map((id) => [id, document.getElementById(id)?.innerHTML]));

function isFilledIn(part) {
  const fields = [...part.querySelectorAll("textarea, input:not([type=hidden])")];
  return fields.some((field) => field === document.activeElement || field.value !== field.defaultValue);
}

async function follow() {
  try {
    const answer = await fetch(location.href);
    if (answer.ok) {
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      if (page.title !== document.title) return location.reload();
      for (const id of PARTS) {
        const [old, fresh] = [document.getElementById(id), page.getElementById(id)];
        if (!old || !fresh || fresh.innerHTML === shown.get(id) || isFilledIn(old)) continue;
        old.innerHTML = fresh.innerHTML;
        shown.set(id, fresh.innerHTML);
        window.rest?.(old);
        document.dispatchEvent(new Event("news"));
      }
    }
  } catch { /* the hub is away for a moment */ }
  setTimeout(follow, EVERY_MS);
}

setTimeout(follow, EVERY_MS);
