// Steps through a game: buttons, keys, a click on a move, and the address that leads to a move.

const viewer = document.getElementById("viewer");
const board = document.getElementById("board");
const moves = document.getElementById("moves");
const caption = document.getElementById("caption");
const PLAY_MS = 900;
const MARKS = { X: "x", O: "o", "?": "u" };
let positions = moves ? moves.dataset.positions.split(" ") : [];
let at = Number(viewer.dataset.move);
let playing = null;

const cells = [...board.querySelectorAll("[role=cell]")];
const nameOf = (index) => "abcdefgh"[index % 8] + (Math.floor(index / 8) + 1);
const linkOf = (move) => moves.querySelector(`a[data-move="${move}"]`);

// The list of moves is what the links are measured from: it is positioned.
function reveal(link) {
  moves.scrollTop = link.offsetTop - moves.clientHeight / 2;
}

function show(move, inAddress = true) {
  at = Math.max(0, Math.min(positions.length - 1, move));
  const link = at ? linkOf(at) : null;
  const square = link ? link.dataset.square : "";
  const last = square ? square.charCodeAt(0) - 97 + 8 * (Number(square[1]) - 1) : -1;
  cells.forEach((cell, index) => {
    const kind = MARKS[positions[at][index]] || "";
    cell.className = `${kind}${index === last ? " last" : ""}`;
    const text = board.dataset[kind || "empty"].replace("{square}", nameOf(index));
    cell.firstElementChild.textContent = index === last ? `${text}, ${board.dataset.last}` : text;
  });
  board.setAttribute(
    "aria-label",
    square ? board.dataset.after.replace("{move}", at).replace("{square}", square) : board.dataset.start,
  );
  for (const old of moves.querySelectorAll("[aria-current]")) old.removeAttribute("aria-current");
  if (link) {
    link.setAttribute("aria-current", "step");
    reveal(link);
  }
  for (const bar of document.querySelectorAll(".bar")) bar.classList.toggle("now", Number(bar.dataset.move) === at);
  caption.textContent = square ? `${at}. ${square}` : caption.dataset.start;
  if (inAddress) history.replaceState(null, "", `#${at}`);
}

function stop() {
  clearInterval(playing);
  playing = null;
}

function play() {
  if (playing) return stop();
  if (at >= positions.length - 1) show(0);
  playing = setInterval(() => {
    show(at + 1);
    if (at >= positions.length - 1) stop();
  }, PLAY_MS);
}

const STEPS = { first: () => 0, back: () => at - 1, on: () => at + 1, last: () => positions.length - 1 };
const KEYS = { ArrowLeft: "back", ArrowRight: "on", Home: "first", End: "last" };

function bind() {
  caption.dataset.start = board.dataset.start;
  document.getElementById("keys").hidden = matchMedia("(hover: none)").matches;
  document.addEventListener("click", (event) => {
    const target = event.target.closest("[data-step], a[data-move], .plot [data-move]");
    if (!target || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    stop();
    show(target.dataset.step ? STEPS[target.dataset.step]() : Number(target.dataset.move));
  });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.target.matches("input, textarea, select")) return;
    if (event.key === " " && event.target.matches("a, button")) {
      event.preventDefault();
      return event.target.click();
    }
    if (event.key === " ") play();
    else if (KEYS[event.key]) {
      stop();
      show(STEPS[KEYS[event.key]]());
    } else return;
    event.preventDefault();
  });
  const wanted = Number(location.hash.slice(1));
  show(location.hash && Number.isInteger(wanted) ? wanted : at, false);
  window.addEventListener("hashchange", () => show(Number(location.hash.slice(1)) || 0, false));
}

// A game that is still being played goes on, unless the reader has stepped back (`live.js` reads the page again).
function takePage({ detail: page }) {
  const fresh = page.getElementById("moves");
  const atEnd = at >= positions.length - 1;
  if (!page.getElementById("viewer").hasAttribute("data-following") || (fresh && !moves)) return location.reload();
  if (!fresh || fresh.dataset.positions === moves.dataset.positions) return;
  moves.dataset.positions = fresh.dataset.positions;
  positions = fresh.dataset.positions.split(" ");
  moves.innerHTML = fresh.innerHTML;
  document.getElementById("line").textContent = page.getElementById("line").textContent;
  show(atEnd ? positions.length - 1 : at, false);
}

if (moves) bind();
if ("following" in viewer.dataset) document.addEventListener("page", takePage);
