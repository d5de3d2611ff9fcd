// A page that follows: asked for again now and then, its content replaced when it has changed.

const EVERY_MS = 8000;

async function follow() {
  try {
    const answer = await fetch(location.href);
    if (answer.ok) {
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      if (page.title !== document.title) return location.reload();
      for (const id of ["content", "under", "heading"]) {
        const [old, fresh] = [document.getElementById(id), page.getElementById(id)];
        if (!old || !fresh || old.innerHTML === fresh.innerHTML) continue;
        old.innerHTML = fresh.innerHTML;
        document.dispatchEvent(new Event("news"));
      }
    }
  } catch { /* the hub is away for a moment */ }
  setTimeout(follow, EVERY_MS);
}

setTimeout(follow, EVERY_MS);
