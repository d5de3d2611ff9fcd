// The page of a scribe: sends the moves so far after each tap, and keeps them in the browser until the hub has stored them,
// so that neither a lost network nor a reload loses one. The whole line is sent each time, with the one that it replaces.

(() => {
  const form = document.getElementById("line");
  const root = form.querySelector("[data-tap]");
  const told = document.getElementById("told");
  const two = document.getElementById("two");
  const list = form.querySelector(".back");
  const KEPT = `flagfall scribe ${location.pathname.split("/").slice(0, 3).join("/")}`;
  const REST_MS = 150; // taps that follow each other are sent together: moves taken back in a row
  const ANSWER_MS = 15000;
  const FIRST_PAUSE_MS = 500;
  const LONGEST_PAUSE_MS = 5000;
  const QUIET_MS = 10000; // longer than the answer of a page takes that was asked for before the last tap

  // `moves` stand on the board; `base` is what the hub has stored, as far as this page knows; `sent` was on its way when the
  // answer was lost; `theirs` are other moves that the hub has, null for none: nothing is sent until the scribe has chosen.
  let moves = document.getElementById("kept").dataset.moves;
  let base = moves;
  let sent = moves;
  let theirs = null;
  let changedAt = -QUIET_MS;
  let line = ""; // why the hub has not stored them
  let waits = false; // the last try has failed

  const lengthOf = (text) => text.length / 2;
  const isLast = () => moves === base;
  const save = () => { try { localStorage.setItem(KEPT, JSON.stringify({ moves, base, sent })); } catch { /* this page alone has them */ } };
  function load() {
    try { return JSON.parse(localStorage.getItem(KEPT)); } catch { return null; }
  }

  function say() {
    told.textContent = isLast() ? (moves ? `✓ ${form.dataset.stored}` : "") : line || (waits ? form.dataset.waits : "…");
    told.className = isLast() || !(line || waits) ? "hint" : "waits";
    two.hidden = theirs === null;
    if (theirs !== null) two.querySelector(".moves").textContent = theirs;
    const opening = lengthOf(root.dataset.opening);
    list.replaceChildren(...(moves.match(/../g) ?? []).map((square, index) => {
      const item = document.createElement("li");
      const button = Object.assign(document.createElement("button"), { type: "button", textContent: `${index + 1} ${square}`, value: String(index + 1) });
      button.disabled = index + 1 < opening || index + 1 === lengthOf(moves);
      item.append(button);
      return item;
    }));
    list.parentElement.hidden = !moves;
    list.scrollTop = list.scrollHeight;
  }

  // Moves that somebody else has taken back, or that a restored hub has lost, can be played again with one press.
  function takeBack(count) {
    for (let more = count; more > 0; more -= 1) root.querySelector(".undo").click();
  }

  function show(fresh) {
    if (moves !== fresh && moves.startsWith(fresh) && form.elements.moves.value === moves) takeBack(lengthOf(moves) - lengthOf(fresh));
    else tapping.show(root, fresh);
    moves = fresh;
  }

  // Takes what the hub has. Where one of the two lines only goes on from the other there is nothing to choose.
  function meet(stored) {
    const onwards = (shorter, longer) => shorter.startsWith(base) && longer.startsWith(shorter);
    if (isLast() || (stored !== base && onwards(moves, stored))) {
      base = stored;
      if (moves !== stored) show(stored);
    } else if (stored === sent || onwards(stored, moves)) base = stored;
    else if (stored !== base) theirs = stored;
    save();
    say();
  }

  async function post() {
    try {
      const body = new URLSearchParams({ moves: sent, before: base });
      const answer = await fetch(form.getAttribute("action"), { method: "POST", body, headers: { "x-flagfall-form": "1" }, signal: AbortSignal.timeout?.(ANSWER_MS) });
      const reply = answer.headers.get("content-type")?.includes("json") ? await answer.json() : {};
      if (reply.outcome) { window.reach.heard(); return reply; }
    } catch { /* the hub is away, or something else answers in its place */ }
    window.reach.lost();
    return {};
  }

  let sending = false;
  let gone = false;
  let wake = () => {};
  const pause = (ms) => new Promise((done) => { wake = done; setTimeout(done, ms); });

  async function send() {
    if (sending) return;
    sending = true;
    let pauseMs = FIRST_PAUSE_MS;
    while (!isLast() && theirs === null && !gone) {
      sent = moves;
      save();
      const reply = await post();
      changedAt = performance.now();
      line = reply.outcome === "stored" ? "" : reply.line ?? "";
      waits = !reply.outcome || reply.outcome === "waits";
      if (reply.outcome === "stored") { base = sent; save(); }
      else if (reply.outcome === "changed") meet(reply.moves);
      else if (reply.outcome === "gone") { gone = true; window.reach.gone(); }
      say();
      if (reply.outcome === "refused") break; // another tap is tried again
      if (reply.outcome === "stored" || reply.outcome === "changed") pauseMs = FIRST_PAUSE_MS;
      else if (!gone) {
        await pause(pauseMs);
        pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
      }
    }
    sending = false;
  }

  let timer = null;
  root.addEventListener("flagfall-moves", ({ detail }) => {
    if (detail.unread) return; // it is being typed
    moves = detail.moves;
    line = "";
    changedAt = performance.now();
    save();
    say();
    clearTimeout(timer);
    timer = setTimeout(send, REST_MS);
  });
  form.addEventListener("submit", (event) => { event.preventDefault(); send(); });
  list.addEventListener("click", ({ target }) => {
    const button = target.closest("button");
    if (!button) return;
    takeBack(lengthOf(moves) - Number(button.value));
  });
  two.addEventListener("click", ({ target }) => {
    const choice = target.closest("button")?.dataset.take;
    if (!choice) return;
    base = theirs;
    sent = theirs;
    theirs = null;
    if (choice === "theirs") show(base);
    save();
    say();
    send();
  });
  // What another telephone with this link has tapped.
  document.addEventListener("page", ({ detail: page }) => {
    gone = false;
    if (!sending && theirs === null && performance.now() - changedAt > QUIET_MS) meet(page.getElementById("kept").dataset.moves);
    send();
  });
  addEventListener("online", () => wake());
  addEventListener("pagehide", save);

  const kept = load();
  if (kept && kept.moves !== kept.base && kept.moves !== moves) {
    const stored = moves;
    ({ base, sent } = kept);
    show(kept.moves);
    meet(stored);
  } else show(moves);
  say();
  send();
})();
