// The standings: pointing at a player, or a tap, shows their games; without it a name leads to the player's page. Keys do
// as well: a name that has the focus shows them, Escape hides them.

const table = document.getElementById("cross");
const SHOW_MS = 250;
const WIDEST_PX = 400;
const rows = new Map([...table.querySelectorAll("tr[data-player]")].map((row) => [row.dataset.player, row]));
const nameOf = (row) => row.querySelector("th a").textContent;
const panel = Object.assign(document.createElement("div"), { id: "games-of", className: "card games-of", hidden: true });
table.closest(".scroll").after(panel);
let shown = null;
let timer = null;

const made = (tag, values, ...children) => {
  const element = Object.assign(document.createElement(tag), values);
  element.append(...children);
  return element;
};

function lineOf(cell, number) {
  const opponent = rows.get(cell.dataset.against);
  const round = made("span", { className: "where", textContent: number });
  if (!opponent) return made("li", {}, round, made("span", { textContent: cell.textContent.trim() }));
  const disc = cell.querySelector(".disc").cloneNode(true);
  const link = cell.querySelector("a");
  const score = made(link ? "a" : "span", { className: "score", textContent: cell.querySelector(".own").textContent });
  if (link) score.href = link.href;
  if (cell.classList.contains("win")) score.classList.add("won");
  return made("li", {}, round, made("span", {}, disc, " ", nameOf(opponent)), score);
}

function hide() {
  clearTimeout(timer);
  panel.hidden = true;
  for (const row of table.querySelectorAll(".at, .met")) row.classList.remove("at", "met");
  shown = null;
}

function show(row) {
  clearTimeout(timer);
  if (shown === row) return;
  hide();
  shown = row;
  row.classList.add("at");
  const cells = [...row.querySelectorAll("td.c")];
  for (const cell of cells) rows.get(cell.dataset.against)?.classList.add("met");
  const link = row.querySelector("th a");
  const title = made("p", { className: "line" }, made("b", { textContent: nameOf(row) }));
  const close = made("button", { type: "button", textContent: "×", onclick: hide });
  close.setAttribute("aria-label", table.dataset.close);
  title.append(close);
  const page = made("a", { href: link.href, textContent: table.dataset.page });
  panel.replaceChildren(title, made("ol", { className: "games" }, ...cells.map((cell, at) => lineOf(cell, at + 1))), made("p", { className: "more" }, page));
  // Beside the table, where there is room.
  const beside = table.closest(".scroll").getBoundingClientRect().right + 16;
  const fits = beside + WIDEST_PX < innerWidth;
  Object.assign(panel.style, fits ? { left: `${beside}px`, right: "auto" } : { left: "", right: "" });
  panel.hidden = false;
}

const rowOf = (event) => event.target.closest?.("th[scope=row]")?.closest("tr") ?? null;
const isMouse = (event) => event.pointerType === "mouse";

table.addEventListener("pointerover", (event) => {
  if (!isMouse(event)) return;
  clearTimeout(timer);
  const row = rowOf(event);
  if (row) timer = setTimeout(show, SHOW_MS, row);
});
table.addEventListener("pointerleave", () => clearTimeout(timer));
table.addEventListener("click", (event) => {
  const row = rowOf(event);
  // A mouse has seen the games already, keys lead on; the second tap goes to the page.
  if (!row || event.detail === 0 || event.pointerType === "mouse" || event.ctrlKey || event.metaKey || shown === row) return;
  event.preventDefault();
  show(row);
});
table.addEventListener("focusin", (event) => {
  const row = rowOf(event);
  if (row && event.target.matches(":focus-visible")) show(row);
});
document.addEventListener("keydown", (event) => { if (event.key === "Escape") hide(); });
