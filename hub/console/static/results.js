// Results are typed one after the other: each is taken at the keypress, kept in this tab, and sent when the hub answers.
// Loaded before the page is drawn, so that no key comes before it.

(() => {
  const KEPT = "typed-results";
  const ANSWER_MS = 15000;
  const FIRST_PAUSE_MS = 500;
  const LONGEST_PAUSE_MS = 5000;
  const SHOWN = 12;
  const FIELDS = ["table", "black", "white", "reason", "draw_win", "in_order", "first", "had_black", "game", "seats", "instead", "key"];

  let results = [];
  try { results = JSON.parse(sessionStorage.getItem(KEPT)) ?? []; } catch { /* nothing is kept */ }
  let csrf = "";
  let signedOut = false; // the page's own secret counts no more
  let away = "";
  let inside = false; // the next page is one of the console's too: it goes on with what waits

  // A typed figure, full-width or not, as the hub reads it.
  const plain = (text) => text.normalize("NFKC").trim();
  const isOpen = (result) => ["waiting", "asked", "refused"].includes(result.state);
  const byId = (id) => document.getElementById(id);
  const newKey = () => [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  // The game that stands at this table on the page, and who sits there: the result is never stored for another one.
  const rowAt = (table) => byId(`row-${Number(plain(table))}`)?.dataset;
  const shownAt = (table) => {
    const { game = "", seats = "" } = rowAt(table) ?? {};
    return { game, seats };
  };
  const firstAt = (table) => rowAt(table)?.first ?? "";

  function changed() {
    const past = results.filter((result) => !isOpen(result)).slice(0, -SHOWN);
    results = results.filter((result) => !past.includes(result));
    try { sessionStorage.setItem(KEPT, JSON.stringify(results)); } catch { /* this page alone has them */ }
    draw();
  }

  // What is typed

  function names(form) {
    const row = byId(`row-${Number(plain(form.elements.table.value))}`);
    const players = [...(row?.querySelectorAll(".name") ?? [])].map((name) => name.textContent);
    const { had_black, draw_win } = form.elements;
    // As on the slip, whatever colours are known by now.
    if (had_black && row && "turned" in row.dataset) players.reverse();
    byId("whose").textContent = players.join(" – ");
    had_black?.querySelectorAll("[data-place]").forEach((option, at) => { option.textContent = `${at + 1} ${players[at] ?? option.dataset.place}`; });
    const sides = had_black?.value === "second" ? [...players].reverse() : players;
    draw_win?.querySelectorAll("[data-side]").forEach((option, at) => { option.textContent = sides[at] ?? option.dataset.side; });
    if (had_black) byId("had-black").hidden = Boolean(row && !("asksBlack" in row.dataset));
    drawn(form);
  }

  // True while it is open who had Black in a game whose colours were drawn at the table. A walkover has no colours.
  function blackOpen({ elements: { table, had_black, reason } }) {
    const row = rowAt(table.value);
    return Boolean(had_black && !had_black.value && row && "asksBlack" in row && !["walkover", "forfeit"].includes(reason.value));
  }

  // Where a player wins a draw, 32–32 needs one more word; true while it is open.
  function drawn(form) {
    const { black, white, draw_win } = form.elements;
    if (!draw_win) return false;
    const whites = black.dataset.complement && !white.dataset.touched ? String(64 - plain(black.value)) : plain(white.value);
    const even = plain(black.value) === "32" && whites === "32";
    byId("draw-win").hidden = !even;
    if (!even) draw_win.value = "";
    return even && !draw_win.value;
  }

  function take(form) {
    const { table, black, white, reason, draw_win, had_black, in_order } = form.elements;
    const typed = [table, black, white].map((input) => plain(input.value));
    if (typed.every((text) => !text)) { table.focus(); return; }
    // Enter in a field also leads to the next one.
    if (document.activeElement === table && !typed[1]) { black.focus(); return; }
    if (document.activeElement === black && typed[1] && !typed[2] && !black.dataset.complement) { white.focus(); return; }
    if (blackOpen(form) && document.activeElement !== had_black) { had_black.focus(); return; }
    if (drawn(form) && document.activeElement !== draw_win) { draw_win.focus(); return; }
    results.push({
      key: newKey(), state: "waiting", base: form.getAttribute("action").replace(/\/result$/, ""),
      table: typed[0], black: typed[1], white: typed[2], reason: reason.value, draw_win: draw_win?.value ?? "", ...shownAt(typed[0]),
      in_order: in_order?.value ?? "", first: in_order ? firstAt(typed[0]) : "", had_black: had_black?.value ?? "",
    });
    if (had_black) had_black.value = "";
    for (const input of [table, black, white]) { input.value = ""; input.removeAttribute("aria-invalid"); }
    delete white.dataset.touched;
    reason.value = "board";
    for (const box of form.querySelectorAll("details")) box.open = false;
    drawn(form);
    table.focus();
    names(form);
    changed();
    send();
  }

  // What is sent

  let wake = () => {};
  const pause = (ms) => new Promise((done) => { wake = done; setTimeout(done, ms); });

  async function freshCsrf(base) {
    const answer = await fetch(`${base}/round`, { credentials: "same-origin" });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    return page.querySelector("input[name=csrf]")?.value ?? "";
  }

  // What the hub says of a result; null: nothing, it is to be sent again.
  async function post(result, to) {
    const texts = document.body.dataset;
    try {
      csrf ||= !signedOut && document.querySelector("input[name=csrf]")?.value || await freshCsrf(result.base);
      const body = new URLSearchParams({ csrf });
      for (const name of FIELDS) if (result[name]) body.append(name, result[name]);
      const answer = await fetch(`${result.base}/result/${to}`, { method: "POST", body, signal: AbortSignal.timeout?.(ANSWER_MS) });
      const reply = answer.headers.get("content-type")?.includes("json") ? await answer.json() : {};
      if (answer.ok && reply.outcome) { away = ""; return reply; }
      if (answer.status === 403) { csrf = ""; signedOut = true; away = texts.signedOut; return null; }
      if (answer.status >= 500 || answer.status === 429 || answer.status === 408) { away = reply.line ?? texts.away; return null; }
      return { outcome: "refused", line: reply.line ?? `HTTP ${answer.status}` };
    } catch {
      away = texts.away;
      return null;
    }
  }

  let sending = false;
  async function send() {
    if (sending) return;
    sending = true;
    let pauseMs = FIRST_PAUSE_MS;
    for (;;) {
      const result = results.find((result) => result.state === "waiting");
      if (!result) break;
      const reply = await post(result, "typed");
      if (reply) {
        const { outcome, ...rest } = reply;
        Object.assign(result, { note: "" }, rest, { state: outcome });
        pauseMs = FIRST_PAUSE_MS;
        changed();
        continue;
      }
      draw();
      await pause(pauseMs);
      pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
    }
    sending = false;
    draw();
  }

  function sendAgain(result, how) {
    Object.assign(result, how, { state: "waiting", key: newKey() });
    if (byId("typed-results")?.contains(document.activeElement)) byId("result-form")?.elements.table.focus();
    changed();
    send();
  }

  function drop(result) {
    results = results.filter((other) => other !== result);
    byId("result-form")?.elements.table.focus();
    changed();
  }

  async function takeBack(result, button) {
    button.disabled = true;
    const reply = await post(result, "undo");
    button.disabled = false;
    result.refusal = reply?.outcome === "undone" ? "" : reply?.line ?? away;
    if (!result.refusal) result.state = "undone";
    changed();
  }

  // What is shown

  const made = (tag, values, ...children) => {
    const element = Object.assign(document.createElement(tag), values);
    element.append(...children);
    return element;
  };
  const button = (text, press, how = {}) => made("button", { type: "button", textContent: text, onclick: press, ...how });
  // Why it was not taken back; else what the hub has noted, as long as the table is still in conflict.
  const noteOf = (result) => {
    const row = rowAt(String(result.table));
    return result.refusal || (row && row.game === result.game && "conflict" in row ? result.note : "");
  };
  const scoreOf = (result) => `${result.black || "?"}–${result.white || "?"}`;

  function lineOf(result, texts) {
    const line = made("li", { className: result.state });
    const name = made("b", { textContent: `${result.table || "?"}${texts.colon}` });
    if (result.state === "waiting") line.append(made("p", {}, name, scoreOf(result), " ", made("small", { textContent: texts.waiting })));
    if (result.state === "stored" || result.state === "undone") {
      const paragraph = made("p", {}, name, `${result.score}${result.players ? `, ${result.players}` : ""}`);
      if (noteOf(result)) paragraph.append(made("span", { className: "warning", textContent: ` ${noteOf(result)}` }));
      line.append(paragraph);
      if (result.state === "undone") line.append(made("small", { textContent: texts.undone }));
      else line.append(button(texts.undo, (event) => takeBack(result, event.target), { ariaLabel: `${texts.undo}${texts.colon}${result.table}` }));
    }
    if (result.state === "asked") {
      line.append(made("p", { textContent: result.line }), made("div", { className: "row" },
        ...(result.choices ? result.choices.map(([answer, name]) => button(name, () => sendAgain(result, { [result.ask]: answer, choices: null })))
          : [button(result.confirm, () => sendAgain(result, {}), { className: "warn" })]), button(texts.drop, () => drop(result))));
    }
    if (result.state === "refused") {
      const inputs = ["table", "black", "white"].map((field) => made("input", {
        name: field, value: result[field], size: 3, inputMode: "numeric", autocomplete: "off", ariaLabel: texts[field], ariaInvalid: result.field === field ? "true" : null,
      }));
      const form = made("form", { className: "row", noValidate: true, onsubmit: (event) => {
        event.preventDefault();
        event.stopPropagation();
        const [table, black, white] = inputs.map((input) => plain(input.value));
        const had_black = Number(table) === Number(result.table) ? result.had_black : "";
        sendAgain(result, { table, black, white, had_black, ...shownAt(table), first: result.in_order ? firstAt(table) : "", instead: "", draw_win: "" });
      } }, ...inputs, made("button", { textContent: texts.again }), button(texts.drop, () => drop(result)));
      line.append(made("p", {}, result.line), form);
    }
    return line;
  }

  function draw() {
    const box = byId("typed-results");
    const here = box?.dataset.base;
    if (box) {
      const mine = results.filter((result) => result.base === here);
      const put = (list, wanted) => {
        const lines = new Map([...list.children].map((line) => [line.dataset.is, line]));
        const kept = wanted.map((result) => {
          const is = JSON.stringify([result.key, result.state, result.line, noteOf(result), result.instead]);
          const line = lines.get(is) ?? lineOf(result, box.dataset);
          line.dataset.is = is;
          return line;
        });
        for (const line of lines.values()) if (!kept.includes(line)) line.remove();
        // Lines that stand where they belong are not moved: a field in them keeps its focus.
        kept.forEach((line, at) => { if (list.children[at] !== line) list.insertBefore(line, list.children[at] ?? null); });
      };
      put(byId("typed-open"), mine.filter((result) => ["asked", "refused"].includes(result.state)));
      put(byId("typed-waiting"), mine.filter((result) => result.state === "waiting"));
      put(byId("typed-stored"), mine.filter((result) => !isOpen(result)).reverse());
      const sign = signedOut && away === document.body.dataset.signedOut;
      const back = encodeURIComponent(location.pathname);
      byId("typed-away").replaceChildren(sign ? made("a", { href: `/desk/enter?back=${back}`, textContent: away }) : away);
      box.hidden = !mine.length;
    }
    const elsewhere = results.filter((result) => isOpen(result) && result.base !== here);
    const unstored = byId("unstored");
    if (!unstored) return;
    unstored.hidden = !elsewhere.length;
    if (elsewhere.length) {
      unstored.firstElementChild.href = `${elsewhere[0].base}/round`;
      unstored.firstElementChild.textContent = unstored.dataset.text.replace("{count}", elsewhere.length);
    }
  }

  // Where it begins

  document.addEventListener("submit", (event) => {
    if (event.target.id !== "result-form") return;
    event.preventDefault();
    event.stopImmediatePropagation();
    take(event.target);
  }, true);
  // What is incomplete is a line of its own, to be corrected there: the next keys belong to the next result.
  document.addEventListener("invalid", (event) => { if (event.target.form?.id === "result-form") event.preventDefault(); }, true);
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.isComposing || event.repeat || event.target.form?.id !== "result-form" || !event.target.matches("input, [name=draw_win], [name=had_black]")) return;
    event.preventDefault();
    take(event.target.form);
  });
  document.addEventListener("input", (event) => {
    if (event.target.matches("#result-form [name=table]")) names(event.target.form);
    else if (event.target.matches("#result-form [name=black], #result-form [name=white]")) drawn(event.target.form);
  });
  document.addEventListener("change", (event) => { if (event.target.matches("#result-form [name=had_black]")) names(event.target.form); });
  document.addEventListener("click", (event) => {
    const table = event.target.closest?.("[data-enter]")?.dataset.enter;
    const form = byId("result-form");
    if (table && form) {
      event.preventDefault();
      form.elements.table.value = table;
      names(form);
      form.elements.black.focus();
    }
    const link = event.target.closest?.("a[href]");
    inside = Boolean(link && !link.target && link.origin === location.origin && link.pathname.startsWith("/desk"));
  });
  addEventListener("beforeunload", (event) => {
    if (!inside && results.some(isOpen)) event.preventDefault();
    inside = false;
  });
  addEventListener("online", () => wake());
  const begin = () => {
    const form = byId("result-form");
    if (form) { form.noValidate = true; names(form); }
    draw();
    if (document.body.dataset.changes) send();
  };
  document.addEventListener("DOMContentLoaded", begin);
  document.addEventListener("page-swapped", begin);
  document.addEventListener("news", draw);

  window.typedResults = {
    // Whether somebody types results here, or some are not dealt with.
    busy: () => results.some(isOpen) || byId("result-form")?.contains(document.activeElement) || byId("typed-results")?.contains(document.activeElement),
    goInside: () => { inside = true; },
  };
})();
