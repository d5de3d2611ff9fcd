// Says on a page that the hub is not reached, and since when; or that the page's private address is valid no more.

window.reach = (() => {
  const note = document.getElementById("cut-off");
  let heardAt = new Date();
  const show = (text) => {
    if (!note) return;
    if (note.textContent !== text) note.textContent = text;
    note.hidden = !text;
    document.documentElement.classList.toggle("stale", Boolean(text));
  };
  const timeOf = (moment) => moment.toLocaleTimeString(document.documentElement.lang, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
  return {
    heard() {
      heardAt = new Date();
      show("");
    },
    lost: () => show((note?.dataset.lost ?? "").replace("{time}", timeOf(heardAt))),
    gone: () => show(note?.dataset.gone ?? ""),
  };
})();

addEventListener("offline", () => window.reach.lost());
