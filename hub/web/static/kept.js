// What somebody sends from a private page waits in the browser until the hub has stored it: neither a lost network nor a
// reload loses it. Sent again it changes nothing, because the hub knows what it has stored. Without this script the forms
// are sent as they are.

(() => {
  const box = document.getElementById("waiting");
  if (!box) return;
  const KEPT = `flagfall waits ${location.pathname.split("/").slice(0, 3).join("/")}`;
  const ANSWER_MS = 15000;
  const FIRST_PAUSE_MS = 500;
  const LONGEST_PAUSE_MS = 5000;
  const STORED_MS = 60000; // what was stored is told for so long, also after a reload
  const STORED_LINES = 3; // at a door, where many come at once, more would push the list out of sight
  let acts = [];
  let stored = []; // { label, at } of what this tab has seen stored
  let wake = () => {};

  const load = () => { try { acts = JSON.parse(localStorage.getItem(KEPT)) ?? []; } catch { /* this page alone has them */ } };
  const save = () => { try { localStorage.setItem(KEPT, JSON.stringify(acts)); } catch { /* this page alone has them */ } };
  const loadStored = () => { try { stored = JSON.parse(sessionStorage.getItem(KEPT)) ?? []; } catch { /* told once */ } };
  const saveStored = () => { try { sessionStorage.setItem(KEPT, JSON.stringify(stored)); } catch { /* told once */ } };
  const pause = (ms) => new Promise((done) => { wake = done; setTimeout(done, ms); });
  const textsOf = (form) => [...form.querySelectorAll("textarea, input:not([type=hidden], [type=radio])")];
  const isSame = (act, other) => act.action === other.action && JSON.stringify(act.fields) === JSON.stringify(other.fields);

  function change(work) {
    load();
    work();
    save();
    draw();
  }

  function labelOf(form, button) {
    const typed = textsOf(form).map((field) => field.value.trim()).join("–");
    const whom = form.closest("section")?.querySelector(".huge-name")?.textContent.trim().replace(/\s+/g, " ");
    return [whom, button?.textContent, form.dataset.says || typed].filter(Boolean).join(" · ");
  }

  function take(form, button) {
    const fields = [...new FormData(form)].map(([name, value]) => [name, String(value)]);
    const act = { action: form.getAttribute("action"), fields, label: labelOf(form, button), line: "" };
    change(() => { if (!acts.some((other) => !other.refused && isSame(act, other))) acts.push(act); });
    if (!("stays" in form.dataset)) {
      for (const field of textsOf(form)) field.value = "";
      const details = form.closest("details");
      if (details) details.open = false;
    }
    send();
  }

  // What the hub says of an act; null: nothing, it is to be sent again.
  async function post(act) {
    try {
      const body = new URLSearchParams(act.fields);
      const answer = await fetch(act.action, { method: "POST", body, headers: { "x-flagfall-form": "1" }, signal: AbortSignal.timeout?.(ANSWER_MS) });
      const reply = answer.headers.get("content-type")?.includes("json") ? await answer.json() : {};
      if (reply.outcome) { window.reach.heard(); return reply; }
      if (answer.status === 400 || answer.status === 413) return { outcome: "refused", line: `HTTP ${answer.status}` };
    } catch { /* the hub is away, or something else answers in its place */ }
    window.reach.lost();
    return null;
  }

  let sending = false;
  async function send() {
    if (sending) return;
    sending = true;
    let pauseMs = FIRST_PAUSE_MS;
    for (;;) {
      load();
      const act = acts.find((waiting) => !waiting.refused);
      if (!act) break;
      const reply = await post(act);
      const found = () => acts.find((other) => !other.refused && isSame(act, other));
      if (reply?.outcome === "stored") {
        settle(act, true);
        change(() => { acts = acts.filter((other) => other.refused || !isSame(act, other)); stored = [...stored, { label: act.label, at: Date.now() }].slice(-STORED_LINES); });
        saveStored();
        setTimeout(draw, STORED_MS);
        document.dispatchEvent(new CustomEvent("stored", { detail: reply }));
      } else if (reply?.outcome === "gone") {
        change(() => { for (const other of acts) if (!other.refused) Object.assign(other, { refused: true, line: reply.line }); });
        window.reach.gone();
      } else if (reply?.outcome === "refused") {
        settle(act, false);
        change(() => Object.assign(found() ?? {}, { refused: true, line: reply.line }));
        document.dispatchEvent(new CustomEvent("told")); // what stands now is the reason
      } else {
        change(() => Object.assign(found() ?? {}, { line: reply?.line ?? "" }));
        await pause(pauseMs);
        pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
        continue;
      }
      pauseMs = FIRST_PAUSE_MS;
    }
    sending = false;
    draw();
  }

  // The form that stands on the page now for the same act, with fields to type in.
  function formFor(act) {
    const forms = [...document.querySelectorAll("#content form")];
    return forms.find((form) => form.getAttribute("action") === act.action && textsOf(form).length && textsOf(form).every((field) => act.fields.some(([name]) => name === field.name)));
  }

  // A form with `data-stays` keeps its text until the answer comes. Then it is no longer being filled in, unless somebody
  // has gone on: what is stored is what the page shows, and what was refused makes room for what stands now.
  function settle(act, isStored) {
    const form = formFor(act);
    if (!form || !("stays" in form.dataset)) return;
    for (const field of textsOf(form)) {
      if (field.value !== act.fields.find(([name]) => name === field.name)[1]) continue;
      if (isStored) field.defaultValue = field.value;
      else field.value = field.defaultValue;
      heed(field);
    }
  }
  const heed = (field) => field.dispatchEvent(new Event("input", { bubbles: true }));

  function fillIn(act) {
    const form = formFor(act);
    if (!form) return;
    for (const field of textsOf(form)) {
      field.value = act.fields.find(([name]) => name === field.name)[1];
      heed(field);
    }
    const details = form.closest("details");
    if (details) details.open = true;
    change(() => { acts = acts.filter((other) => !isSame(act, other)); });
    if ("stays" in form.dataset) form.scrollIntoView({ block: "start" });
    else textsOf(form)[0].focus();
  }

  const made = (tag, values, ...children) => {
    const element = Object.assign(document.createElement(tag), values);
    element.append(...children);
    return element;
  };

  function lineOf(act) {
    const texts = box.dataset;
    const line = made("li", { className: act.refused ? "refused" : "waits" }, made("p", {}, made("b", { textContent: act.label })));
    if (!act.refused) line.append(made("p", { textContent: act.line || texts.waits }));
    else {
      line.append(made("p", {}, made("b", { textContent: `${texts.refused} ` }), act.line));
      const row = made("p", { className: "row" });
      if (formFor(act)) row.append(made("button", { type: "button", textContent: texts.again, onclick: () => fillIn(act) }));
      row.append(made("button", { type: "button", textContent: texts.drop, onclick: () => change(() => { acts = acts.filter((other) => !isSame(act, other)); }) }));
      line.append(row);
    }
    return line;
  }

  let drawn = "";
  function draw() {
    stored = stored.filter(({ at }) => Math.abs(Date.now() - at) < STORED_MS);
    const now = JSON.stringify([acts, stored, acts.map((act) => Boolean(formFor(act)))]);
    if (now === drawn) return;
    drawn = now;
    box.replaceChildren(made("ul", { className: "acts" }, ...acts.map(lineOf), ...stored.map(({ label }) => made("li", { className: "stored" }, made("p", {}, made("b", { textContent: label }), ` ✓ ${box.dataset.stored}`)))));
    box.hidden = !acts.length && !stored.length;
  }

  document.addEventListener("submit", (event) => {
    if (event.target.method !== "post") return;
    event.preventDefault();
    take(event.target, event.submitter);
  });
  document.addEventListener("news", draw);
  addEventListener("storage", () => { load(); draw(); });
  addEventListener("online", () => wake());
  load();
  loadStored();
  draw();
  setTimeout(draw, STORED_MS);
  send();
})();
