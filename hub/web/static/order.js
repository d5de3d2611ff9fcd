// The order of the tables on a live page: by number, or those first that just ended or have few minutes left. The choice is
// remembered in this browser alone. Tables that have moved take no press for a second.

(() => {
  const KEY = "flagfall order of tables";
  const REST_MS = 1000;
  const JUST_ENDED = 3; // so many of the latest results
  let order = "table";
  try { order = localStorage.getItem(KEY) ?? order; } catch { /* chosen anew each time */ }

  const secondsOf = (text) => text.trim().split(":").reduce((sum, part) => 60 * sum + Number(part), 0);
  const ended = () => [...document.querySelectorAll("#results li[data-game]")].slice(0, JUST_ENDED).map((line) => line.dataset.game);

  // What a table is sorted by: just ended, then by the shorter of its clocks, then those without clocks, then the others.
  function rankOf(card, latest) {
    const table = Number(card.dataset.table);
    if (order === "table") return [0, 0, table];
    const at = latest.indexOf(card.dataset.game);
    if (at >= 0) return [0, at, table];
    if (card.querySelector(".discs")) return [3, 0, table];
    const clocks = [...card.querySelectorAll(".clock")].map((clock) => secondsOf(clock.textContent));
    return clocks.length ? [1, Math.min(...clocks), table] : [2, 0, table];
  }

  function sort() {
    const choice = document.getElementById("order");
    const list = document.querySelector("#tables .cards");
    if (!choice || !list) return;
    choice.hidden = false;
    for (const button of choice.querySelectorAll("button")) button.setAttribute("aria-pressed", String(button.dataset.order === order));
    const latest = ended();
    const cards = [...list.children].map((card) => ({ card, rank: rankOf(card, latest) }));
    cards.sort((one, other) => one.rank.map((part, at) => part - other.rank[at]).find(Boolean) ?? 0);
    if (cards.every(({ card }, at) => list.children[at] === card)) return;
    const focused = document.activeElement;
    list.append(...cards.map(({ card }) => card));
    if (list.contains(focused)) focused.focus({ preventScroll: true });
    list.classList.add("moved");
    setTimeout(() => list.classList.remove("moved"), REST_MS);
  }

  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-order]");
    if (!button) return;
    order = button.dataset.order;
    try { localStorage.setItem(KEY, order); } catch { /* for this page alone */ }
    sort();
  });
  document.addEventListener("news", sort);
  sort();
})();
