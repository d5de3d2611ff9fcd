// A board on which the moves of a game are tapped (`tap.html`). The field of moves beside it is what the form sends, and can
// be typed in as well; without this script it stands there alone. The board shows the moves up to the first one that
// cannot be read.

(() => {
  // As `hub/record/typed_moves.py` reads them.
  const PASS = /(?:pass|passe|pa|ps|--|パス)(?![a-z0-9])/iy;
  const BETWEEN = /(?:\d{1,2}\s*[.):]|[\s,;.\-–…|/])+/y;
  const SQUARE = /[a-h][1-8]/iy;
  const KINDS = { X: "x", O: "o", "-": "" };
  const STEPS = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -8, ArrowDown: 8 };

  const games = new WeakMap(); // the `.tapped` element -> its game

  // A game: `text` is the field's text, `moves` the squares that were read of it, `from` how many of them were set up,
  // `boards` the board after each move and `turns` who is then to move ("": nobody), `fault` the first text that is no legal
  // move, `undone` the squares that would come next, because they were taken back or stand behind a fault; the next one is
  // the last of them, and -1 stands for what is no square.
  function begun(opening) {
    const game = { text: "", moves: [], from: 0, boards: [othello.START], turns: ["X"], fault: "", undone: [] };
    for (const name of opening.match(/[a-h][1-8]/g) ?? []) add(game, othello.squareOf(name));
    game.from = game.moves.length;
    return game;
  }
  const boardOf = (game) => game.boards[game.boards.length - 1];
  const turnOf = (game) => game.turns[game.turns.length - 1];
  const textOf = (game) => game.moves.map(othello.nameOf).join("");

  function add(game, at) {
    const [board, mine] = [boardOf(game), turnOf(game)];
    if (!mine || !othello.isLegal(board, at, mine)) return false;
    game.moves.push(at);
    game.boards.push(othello.played(board, at, mine));
    game.turns.push(othello.nextOf(boardOf(game), mine));
    return true;
  }

  function takeBack(game) {
    for (const list of [game.boards, game.turns]) list.pop();
    return game.moves.pop();
  }

  const matched = (pattern, text, at) => {
    pattern.lastIndex = at;
    return pattern.exec(text)?.[0] ?? "";
  };

  function read(text, opening) {
    const typed = text.replace(/\p{Cf}/gu, "").normalize("NFKC").replaceAll("\u2212", "-");
    const named = (typed.match(/[a-h][1-8]/gi) ?? []).join("").toLowerCase();
    const game = begun(opening);
    let known = named.startsWith(opening) ? game.from : 0; // so many moves of the opening stand in the text too
    if (named && opening.startsWith(named)) known = named.length / 2;
    for (let at = 0; at < typed.length; ) {
      const between = matched(PASS, typed, at) || matched(BETWEEN, typed, at);
      const name = between ? "" : matched(SQUARE, typed, at);
      if (name && known) known -= 1;
      else if (!between && !(name && add(game, othello.squareOf(name)))) {
        game.fault = name || typed.slice(at, at + 12);
        game.undone = (typed.slice(at).match(/[a-h][1-8]/gi) ?? []).map(othello.squareOf).reverse();
        if (!name) game.undone.push(-1);
        break;
      }
      at += (between || name).length;
    }
    game.text = text;
    return game;
  }

  // The board

  const made = (tag, values, ...children) => {
    const element = Object.assign(document.createElement(tag), values);
    element.append(...children);
    return element;
  };
  const fieldOf = (root) => root.querySelector("textarea");
  const squaresOf = (root) => [...root.querySelectorAll("[role=gridcell] > button")];

  function build(root) {
    const { dataset: texts } = root;
    const grid = made("div", { className: "board", dir: "ltr" });
    grid.setAttribute("role", "grid");
    grid.setAttribute("aria-label", texts.board);
    for (let row = 0; row < 8; row += 1) {
      const line = made("div", {});
      line.setAttribute("role", "row");
      for (let column = 0; column < 8; column += 1) {
        const cell = made("div", {}, made("button", { type: "button", value: String(8 * row + column), tabIndex: row + column ? -1 : 0 }, made("b", {})));
        cell.setAttribute("role", "gridcell");
        line.append(cell);
      }
      grid.append(line);
    }
    const edge = (className, names) => {
      const element = made("div", { className, dir: "ltr" }, ...[...names].map((name) => made("span", { textContent: name })));
      element.setAttribute("aria-hidden", "true");
      return element;
    };
    const step = (name, text) => {
      const button = made("button", { type: "button", className: name, textContent: text });
      button.dataset.step = name;
      return button;
    };
    const score = (colour) => made("span", { className: "side" }, made("span", { className: `disc ${colour}` }), made("span", { className: `name ${colour}` }), made("b", { className: `discs ${colour}` }));
    const status = made("p", { className: "next-move" });
    status.setAttribute("role", "status");
    root.querySelector(".play-on").replaceChildren(
      made("p", { className: "sides" }, score("black"), score("white")),
      made("div", { className: "framed" }, edge("letters", "abcdefgh"), edge("figures", "12345678"), grid),
      made("div", { className: "steps" }, step("undo", texts.undo), step("redo", texts.redo), status),
    );
    root.querySelector(".play-on").hidden = false;
  }

  const nameOf = (root, colour) => (root.dataset[colour] ? ` ${root.dataset[colour]} ` : " ");

  function draw(root) {
    const game = games.get(root);
    for (const colour of ["black", "white"]) root.querySelector(`.name.${colour}`).textContent = nameOf(root, colour);
    const [board, mine] = [boardOf(game), turnOf(game)];
    const { dataset: texts } = root;
    const numbers = new Map(game.moves.map((at, index) => [at, index + 1]));
    const last = game.moves.at(-1);
    squaresOf(root).forEach((button, at) => {
      const kind = KINDS[board[at]];
      const legal = Boolean(mine) && othello.isLegal(board, at, mine);
      const number = numbers.get(at) ?? "";
      button.className = [kind, legal && "legal", at === last && "last"].filter(Boolean).join(" ");
      button.firstElementChild.textContent = number;
      const name = texts[kind || "empty"].replace("{square}", othello.nameOf(at));
      button.setAttribute("aria-label", number ? `${name}, ${number}` : name);
      if (legal) button.removeAttribute("aria-disabled");
      else button.setAttribute("aria-disabled", "true");
    });
    discsOf(game).forEach((discs, side) => { root.querySelector(`.discs.${side ? "white" : "black"}`).textContent = discs; });
    const form = root.closest("form[data-says]");
    if (form) form.dataset.says = game.moves.length;
    root.querySelector(".undo").setAttribute("aria-disabled", String(game.moves.length <= game.from));
    root.querySelector(".redo").setAttribute("aria-disabled", String(!canRedo(game)));
    root.querySelector(".redo").hidden = !game.undone.length;
    root.querySelector(".next-move").replaceChildren(...lineOf(root, game));
  }

  const canRedo = (game) => game.undone.length > 0 && Boolean(turnOf(game)) && othello.isLegal(boardOf(game), game.undone.at(-1), turnOf(game));

  const discsOf = (game) => [othello.count(boardOf(game), "X"), othello.count(boardOf(game), "O")];

  // Empty squares are the rulebook's: only a full board is compared here.
  function lineOfEnd(root, discs) {
    const inOrder = (score) => (root.dataset.own === "white" ? [...score].reverse() : score).join("–");
    const line = made("b", { textContent: inOrder(discs) });
    const { result } = root.dataset;
    if (!result || discs[0] + discs[1] < 64 || result === discs.join("-")) return [line];
    return [made("strong", { textContent: root.dataset.differs.replace("{moves}", inOrder(discs)).replace("{score}", inOrder(result.split("-"))) })];
  }

  const refusal = (root, game, text) => made("strong", { textContent: `${game.moves.length + 1}. ${text}: ${root.dataset.illegal}` });

  // Under the board: what is wrong with the text, who has passed, who is to move; the score when nobody can.
  function lineOf(root, game) {
    const { dataset: texts } = root;
    if (game.fault) return [refusal(root, game, game.fault)];
    const mine = turnOf(game);
    if (!mine) return lineOfEnd(root, discsOf(game));
    const [colour, name, other] = mine === "X" ? ["black", texts.toX, texts.toO] : ["white", texts.toO, texts.toX];
    const passed = game.moves.length > game.from && game.turns.at(-2) === mine;
    return [passed ? `${texts.passes.replace("{colour}", other)} · ` : "", made("span", { className: `disc ${colour}` }), ` ${game.moves.length + 1}. ${name}`];
  }

  function changed(root) {
    const game = games.get(root);
    draw(root);
    keep(root);
    root.dispatchEvent(new CustomEvent("flagfall-moves", {
      bubbles: true,
      detail: { moves: textOf(game), over: !turnOf(game), discs: discsOf(game), unread: game.fault },
    }));
  }

  // The field follows the board; other scripts hear of it as if it had been typed.
  function write(root) {
    const game = games.get(root);
    const field = fieldOf(root);
    game.fault = "";
    game.text = field.value = game.moves.length > game.from ? textOf(game) : "";
    field.dispatchEvent(new Event("input", { bubbles: true }));
    changed(root);
  }

  // A move takes the place of the first one that was taken back, or that could not be read: those behind it stay to be
  // played again.
  function tap(root, at) {
    const game = games.get(root);
    if (add(game, at)) {
      game.undone.pop();
      write(root);
    } else if (!game.fault && turnOf(game) && boardOf(game)[at] === "-") {
      root.querySelector(".next-move").replaceChildren(refusal(root, game, othello.nameOf(at)));
    }
  }

  function step(root, name) {
    const game = games.get(root);
    if (name === "undo" && game.moves.length > game.from) game.undone.push(takeBack(game));
    else if (name === "redo" && canRedo(game)) while (canRedo(game)) add(game, game.undone.pop());
    else return;
    write(root);
  }

  function focusOn(root, at) {
    squaresOf(root).forEach((button, index) => { button.tabIndex = index === at ? 0 : -1; });
    squaresOf(root)[at].focus({ preventScroll: true });
  }

  // What was tapped and not sent yet outlives a reload, with the key of what the page showed then: if somebody has kept
  // other moves since, the hub says so.
  const keyOf = (root) => `flagfall moves ${location.pathname.split("/").slice(0, 3).join("/")} ${root.dataset.keep}`;
  function keep(root) {
    if (!root.dataset.keep) return;
    const field = fieldOf(root);
    try {
      if (field.value === field.defaultValue) localStorage.removeItem(keyOf(root));
      else localStorage.setItem(keyOf(root), JSON.stringify({ text: field.value, shown: field.form.elements.shown.value }));
    } catch { /* a reload forgets it */ }
  }
  function bringBack(root) {
    if (!root.dataset.keep) return;
    let kept = null;
    try { kept = JSON.parse(localStorage.getItem(keyOf(root))); } catch { /* nothing was kept */ }
    if (!kept || kept.text === fieldOf(root).value) return;
    fieldOf(root).value = kept.text;
    fieldOf(root).form.elements.shown.value = kept.shown;
  }

  // Reads the field of each board that is new on the page, or whose text has changed.
  function look() {
    for (const root of document.querySelectorAll("[data-tap]")) {
      const field = fieldOf(root);
      const isNew = !root.querySelector("[role=grid]");
      if (isNew) {
        build(root);
        bringBack(root);
      }
      const isNamed = ["black", "white"].every((colour) => root.querySelector(`.name.${colour}`).textContent === nameOf(root, colour));
      if (!isNew && isNamed && games.has(root) && games.get(root).text === field.value) continue;
      games.set(root, read(field.value, root.dataset.opening));
      draw(root);
      keep(root);
    }
  }

  // A section that the page has no more goes, although somebody has tapped in it: their next game has begun.
  function leave(page) {
    for (const root of document.querySelectorAll("[data-tap]:not([data-keep=''])")) {
      const section = root.closest("section[id]");
      if (section && !page.getElementById(section.id)) section.remove();
    }
  }

  // Who plays, and the result, may change under what somebody has tapped: a page leaves such a form as it is.
  function takeTexts(page) {
    for (const root of document.querySelectorAll("[data-tap]")) {
      const fresh = [...page.querySelectorAll("[data-tap]")].find((other) => other.dataset.keep === root.dataset.keep);
      if (!fresh) continue;
      for (const name of ["black", "white", "own", "result", "differs"]) {
        if (name in fresh.dataset) root.dataset[name] = fresh.dataset[name];
        else delete root.dataset[name];
      }
    }
  }

  // Shows these moves as if they stood on the page from the beginning: nobody is told of a change.
  function show(root, moves) {
    fieldOf(root).value = moves;
    games.set(root, read(moves, root.dataset.opening));
    draw(root);
  }

  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-tap] .play-on button");
    const root = button?.closest("[data-tap]");
    if (!root) return;
    if (button.dataset.step) step(root, button.dataset.step);
    else {
      focusOn(root, Number(button.value));
      tap(root, Number(button.value));
    }
  });
  document.addEventListener("keydown", (event) => {
    const button = event.target.closest?.("[data-tap] [role=gridcell] > button");
    if (!button || event.ctrlKey || event.altKey || event.metaKey) return;
    const root = button.closest("[data-tap]");
    const at = Number(button.value);
    if (event.key === "Backspace") step(root, "undo");
    else if (STEPS[event.key]) {
      const next = at + STEPS[event.key];
      const leaves = next < 0 || next > 63 || (Math.abs(STEPS[event.key]) === 1 && next >> 3 !== at >> 3);
      if (!leaves) focusOn(root, next);
    } else return;
    event.preventDefault();
  });
  document.addEventListener("input", (event) => {
    const root = event.target.closest?.("[data-tap]");
    if (!root || !games.has(root)) return;
    if (games.get(root).text === event.target.value) { keep(root); return; }
    games.set(root, read(event.target.value, root.dataset.opening));
    changed(root);
  });
  document.addEventListener("reset", () => setTimeout(look));
  document.addEventListener("page", ({ detail: page }) => { leave(page); takeTexts(page); });
  for (const name of ["page", "news", "page-swapped"]) document.addEventListener(name, look);
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", look);
  else look();

  globalThis.tapping = { show, look };
})();
