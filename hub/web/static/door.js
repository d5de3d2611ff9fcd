// The tablet at the door leads nowhere while the hub is not reached: the list stays, and says so. What was pressed is
// followed as soon as the hub answers.

const TRY_MS = 4000;
let going = 0;

window.go = async (address) => {
  const mine = (going += 1);
  while (mine === going) {
    try {
      const answer = await fetch(address, { method: "HEAD", signal: AbortSignal.timeout?.(TRY_MS) });
      if (answer.status < 500 && mine === going) { location.assign(address); return; }
    } catch { /* asked again */ }
    window.reach.lost();
    await new Promise((done) => { setTimeout(done, TRY_MS); });
  }
};

document.addEventListener("click", (event) => {
  const link = event.target.closest("a[href]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  window.go(link.href);
});
document.addEventListener("submit", (event) => {
  if (event.target.method !== "get") return;
  event.preventDefault();
  window.go(`${event.target.action}?${new URLSearchParams(new FormData(event.target))}`);
});
document.addEventListener("stored", (event) => { window.go(event.detail.to); });
