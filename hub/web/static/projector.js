// The hall's view: scene after scene, page after page, each as large as the room allows.

import { hubMs } from "./clock.js";
import { listen } from "./stream.js";

const { morph, replacePart } = globalThis.live;

// Of the window's height: two lines of a name in the smallest letters have room in a row.
const LEAST_ROW = 0.07;
const MOST_ROW = 0.1;
const LEAST_LETTERS = 0.0297; // 32 px of 1080: legible at 10 m on a picture 2 m high
const LEAST_OF_CARD = 1.45; // the smallest letters of a card, in its own size
const ROW_MS = 600; // a page stays for so long a row: nobody has to read faster
const REFRESH_MS = 1000;
const every = Number(document.body.dataset.every) * 1000;
const url = new URL(location.href);
let scene = 0;
let page = 0;
let paused = false;
let refreshing = null;
let timer = null;
let stayMs = every;

const scenes = () => [...document.querySelectorAll(".scene")];

// How many of a list's rows fit on one page, and how large they may be.
function plan(list) {
  const stage = document.getElementById("stage");
  const below = parseFloat(getComputedStyle(stage).paddingBottom);
  const room = stage.getBoundingClientRect().bottom - below - list.getBoundingClientRect().top;
  const count = list.children.length;
  if (list.matches("[data-boards], [data-tables]")) return planCards(list, room, count);
  if (list.matches("[data-whole]")) return count; // the style sheet gives it all the room
  const [few, many] = list.dataset.columns.split(" ").map(Number);
  const least = Math.max(30, window.innerHeight * LEAST_ROW);
  const fitting = Math.max(1, Math.floor(room / least));
  const wide = window.innerWidth > 1.2 * window.innerHeight;
  const columns = !wide ? 1 : count <= fitting * few ? few : many;
  const perColumn = Math.min(fitting, Math.ceil(count / columns));
  const row = Math.min(window.innerHeight * MOST_ROW, room / perColumn);
  list.dataset.perColumn = perColumn;
  list.style.gridTemplateColumns = `repeat(${columns}, minmax(0, 1fr))`;
  list.style.gridTemplateRows = `repeat(${perColumn}, ${row}px)`;
  list.style.fontSize = `${Math.min(row * 0.68, (window.innerWidth / columns) * 0.06)}px`;
  return perColumn * columns;
}

// A name is never cut: a name too long for its row takes a second line, in smaller letters if it must, and a word of it
// is broken only where no letters are small enough. Returns whether all words are whole.
function fit(row) {
  let whole = true;
  const least = window.innerHeight * LEAST_LETTERS;
  for (const name of row.querySelectorAll("b")) {
    name.style.overflowWrap = "normal";
    name.style.fontSize = "";
    const full = parseFloat(getComputedStyle(name).fontSize);
    for (let size = full; ; size = Math.max(least, size - 0.1 * full)) {
      if (size < full) name.style.fontSize = `${size}px`;
      if (row.hidden || size <= least || (name.offsetHeight <= row.clientHeight && name.scrollWidth <= name.clientWidth)) break;
    }
    whole &&= row.hidden || name.scrollWidth <= name.clientWidth;
    name.style.overflowWrap = "";
  }
  return whole;
}

function planCards(list, room, count) {
  // `shape`: width of a card to its height; `letters`: how wide it is at least.
  const boards = list.matches("[data-boards]");
  const { shape, letters, most } = boards
    ? { shape: 0.68, letters: 21, most: 3 }
    : { shape: 2.7, letters: 27, most: 12 };
  const least = (window.innerHeight * LEAST_LETTERS) / LEAST_OF_CARD;
  for (let shown = Math.min(count, most); ; shown -= 1) {
    let best = { size: 0, columns: 1 };
    for (let columns = 1; columns <= shown; columns += 1) {
      const rows = Math.ceil(shown / columns);
      const size = Math.min(list.clientWidth / columns, (room / rows) * shape);
      if (size > best.size) best = { size, columns };
    }
    // The shape is an estimate: names may take two lines, so the cards give way until all of them are in the room. Cards
    // whose letters would be too small for the hall go to another page.
    [...list.children].forEach((card, index) => { card.hidden = index >= shown; });
    for (let size = best.size; size / letters >= least || (shown === 1 && size > 80); size *= 0.95) {
      const width = boards ? `${Math.floor(size) - 12}px` : "minmax(0, 1fr)"; // a long name has all the room there is
      list.style.gridTemplateColumns = `repeat(${best.columns}, ${width})`;
      list.style.fontSize = `${size / letters}px`;
      if (list.scrollHeight <= room && [...list.querySelectorAll("article:not([hidden]) .seat")].every(fit)) return shown;
    }
    if (shown === 1) return shown;
  }
}

function show() {
  const all = scenes();
  scene = ((scene % all.length) + all.length) % all.length;
  all.forEach((section, index) => { section.hidden = index !== scene; });
  const list = all[scene].querySelector(".rows");
  for (const row of list.children) row.hidden = false;
  const size = plan(list);
  const pages = Math.max(1, Math.ceil(list.children.length / size));
  if (page < 0) page = pages - 1;
  page = Math.min(page, pages - 1);
  [...list.children].forEach((row, index) => {
    row.hidden = Math.floor(index / size) !== page;
    row.classList.toggle("heads", (index % size) % list.dataset.perColumn === 0);
  });
  list.querySelectorAll(".seat, ol > li").forEach(fit);
  stayMs = Math.max(every, ROW_MS * [...list.children].filter((row) => !row.hidden).length);
  all[scene].querySelector(".page").textContent = pages > 1 ? `${page + 1} / ${pages}` : "";
  return pages;
}

function turn(by) {
  const pages = show();
  page += by;
  if (page < 0) { scene -= 1; page = -1; }
  else if (page >= pages) { scene += 1; page = 0; }
  show();
  again();
}

function again() {
  clearTimeout(timer);
  timer = setTimeout(() => { if (paused) again(); else turn(1); }, stayMs);
}

function countdown() {
  const bar = document.getElementById("bar");
  const shown = document.getElementById("countdown");
  const now = hubMs() ?? Number(document.body.dataset.nowMs) + performance.now();
  if (!shown || !bar.dataset.startsMs) return;
  const left = Math.ceil((Number(bar.dataset.startsMs) - now) / 1000);
  const soon = left <= 0;
  shown.previousElementSibling.hidden = soon;
  shown.textContent = soon
    ? shown.dataset.now
    : `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`;
  shown.classList.toggle("soon", left <= 60);
}

// The page as the hub made it, without the clocks' times.
const madeOf = (root) => ["bar", "stage"].map((id) => root.getElementById(id).outerHTML.replace(/(data-ends-ms="\d+">)[^<]*/g, "$1")).join();
let made = madeOf(document);
// The newest part of each table's card that was heard: its id -> { html, atMs }, by the hub's count.
const newest = new Map();

// A change of more than one table's card reloads the whole; scene and page stay.
function refresh() {
  clearTimeout(refreshing);
  refreshing = setTimeout(async () => {
    try {
      const answer = await fetch(url, { cache: "no-store" });
      if (!answer.ok) return;
      const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
      if (made === madeOf(fresh)) return;
      made = madeOf(fresh);
      const before = scenes().map((section) => section.className).join();
      for (const id of ["bar", "stage"]) morph(document.getElementById(id), fresh.getElementById(id));
      if (scenes().map((section) => section.className).join() !== before) { scene = 0; page = 0; again(); }
      // The answer may be a copy: what was heard since it was made stays.
      for (const [id, part] of newest) {
        if (part.atMs >= Number(fresh.body.dataset.nowMs) && replacePart(id, part.html)) made = "";
      }
      countdown(); // its figures take room
      show();
    } catch { /* the stream says that the hub is away */ }
  }, REFRESH_MS);
}

function hearCard(id, html, atMs) {
  newest.set(id, { html, atMs });
  const old = document.getElementById(id);
  const board = old && old.querySelector(".board");
  if (!replacePart(id, html)) return;
  made = "";
  const fresh = document.getElementById(id).querySelector(".board");
  if (Boolean(board) !== Boolean(fresh)) refresh();
  else show();
}

// The page may be older than the first event, which has all cards in one part: it was made before it began to listen.
function hear({ id, html, at_ms: atMs }) {
  if (id.startsWith("table-")) return hearCard(id, html, atMs);
  const part = document.createElement("template");
  part.innerHTML = html;
  for (const card of part.content.querySelectorAll("[id^='table-']")) hearCard(card.id, card.outerHTML, atMs);
  refresh();
}
listen(document.body.dataset.hallStream, { part: hear });

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.key === "ArrowRight") turn(1);
  else if (event.key === "ArrowLeft") turn(-1);
  else if (event.key === " ") {
    paused = !paused;
    document.getElementById("paused").hidden = !paused;
  } else if (event.key === "f" || event.key === "F") {
    if (document.fullscreenElement) document.exitFullscreen();
    else document.documentElement.requestFullscreen();
  } else return;
  event.preventDefault();
});
window.addEventListener("resize", show);

const POINTED_MS = 3000;
let pointing = null;
window.addEventListener("pointermove", () => {
  document.body.classList.add("pointed");
  clearTimeout(pointing);
  pointing = setTimeout(() => document.body.classList.remove("pointed"), POINTED_MS);
});

// The screen stays on while the page is seen. Browsers take the wish back when it is hidden, and grant it only on a page
// that came over HTTPS or from this machine.
async function stayAwake() {
  if (document.hidden) return;
  try {
    await navigator.wakeLock?.request("screen");
  } catch { /* the battery is low, or the browser does not let pages */ }
}
document.addEventListener("visibilitychange", stayAwake);
stayAwake();

document.documentElement.classList.add("paged");
countdown();
show();
again();
setInterval(countdown, 250);
