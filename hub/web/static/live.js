// Keeps a page up to date: the one way in which pages of the hub change by themselves. The body says what it follows:
// `data-stream`: parts that the hub sends; `data-changes`: the console's live part, asked for after each change;
// `data-follow`: the page itself, read again now and then.
//
// What has changed is morphed (idiomorph): focus, selection and what somebody has opened stay, fields that are being filled
// in are never touched, and a refusal stays to be read. A page that is cut off says since when.
//
// No module: browsers refuse modules to pages that are read from a disk.

(() => {
  const EVERY_MS = Number(document.body.dataset.everyS ?? 8) * 1000;
  const LOOK_AGAIN_MS = 10000; // late tables and the end of a round depend on time alone
  const GONE_MS = 60000; // an address that is valid no more is asked for seldom: it may be given back
  const ANSWER_MS = 8000;
  const REST_MS = 1000; // buttons with `data-rest` take no press for so long: a finger on its way to another presses none
  const PARTS = ["content", "under", "heading"]; // of a page that is read again
  const NEWS = ["heading", "tables", "results"]; // beside them only clocks and places have changed

  // Cut off, and since when

  const note = document.querySelector("#cut-off, #connection");
  let heardAt = new Date();
  function say(text) {
    document.documentElement.classList.toggle("stale", Boolean(text));
    if (!note) return;
    if (text && note.textContent !== text) note.textContent = text;
    note.hidden = !text;
  }
  const timeOf = (moment) => moment.toLocaleTimeString(document.documentElement.lang, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
  const reach = {
    heard() {
      heardAt = new Date();
      say("");
    },
    lost: () => say((note?.dataset.lost ?? " ").replace("{time}", timeOf(heardAt))),
    gone: () => say(note?.dataset.gone ?? " "),
  };
  addEventListener("offline", reach.lost);

  // Fields that somebody fills in

  const TEXTS = "textarea, select, input:not([type=hidden], [type=checkbox], [type=radio])";
  const textsIn = (part) => [...(part.matches(TEXTS) ? [part] : []), ...part.querySelectorAll(TEXTS)];
  function isChanged(field) {
    if (field.matches("[type=checkbox], [type=radio]")) return field.checked !== field.defaultChecked;
    if (!field.matches("select")) return field.value !== field.defaultValue;
    return field.selectedIndex !== Math.max(0, [...field.options].findIndex((option) => option.defaultSelected));
  }
  const isFilling = (field) => field === document.activeElement || isChanged(field) || (field.form?.dataset.returned === "" && field.value !== "");
  // What stays as it is while somebody fills in a field: on players' pages the whole section, in the console the form.
  const wholeOf = (field) => field.closest("main:not(#main) > section") ?? field.form ?? field;
  const keptIn = (part) => textsIn(part).filter(isFilling).map(wholeOf);

  // A form that came back with a refusal is filled in, although its fields are as the hub has sent them.
  function noteReturned() {
    if (!document.querySelector("[role=alert]")) return;
    for (const form of document.forms) if (textsIn(form).some((field) => field.value !== "")) form.dataset.returned = "";
  }

  // Buttons that were not there a second ago, or promised something else

  const promises = new WeakMap();
  const promiseOf = (button) => [button.textContent, ...[...(button.form?.elements ?? [])].map((field) => (field.type === "hidden" ? field.value : ""))].join();
  function rest() {
    for (const button of document.querySelectorAll("button[data-rest]")) {
      if (promises.get(button) === promiseOf(button)) continue;
      promises.set(button, promiseOf(button));
      button.disabled = true;
      setTimeout(() => { button.disabled = false; }, REST_MS);
    }
  }

  // Change of a part

  const KEPT = { open: "details", disabled: "[data-rest]", "data-returned": "form" }; // attributes that the browser's side sets
  const callbacks = {
    beforeNodeMorphed(old, fresh) {
      if (!(old instanceof Element)) return true;
      if (old.hasAttribute("data-kept")) return false;
      if (old.matches("input:is([type=checkbox], [type=radio])")) return !isChanged(old) || fresh.disabled;
      return !keptIn(old).includes(old);
    },
    beforeNodeRemoved: (old) => !(old instanceof Element) || !(old.matches("[role=alert], [data-kept]") || keptIn(old).length),
    beforeAttributeUpdated: (name, node) => !(KEPT[name] && node.matches(KEPT[name])),
  };

  // A section is the same one if it has the same title.
  function nameSections(root) {
    for (const section of root.querySelectorAll("section:not([id])")) {
      section.id = `part-${section.getAttribute("aria-labelledby") ?? section.getAttribute("aria-label") ?? section.className}`;
    }
  }

  // Makes `old` what `fresh` is; returns whether anything was different.
  function morph(old, fresh, morphStyle = "outerHTML") {
    const before = old.outerHTML;
    nameSections(old);
    nameSections(fresh);
    Idiomorph.morph(old, fresh, { morphStyle, callbacks });
    rest();
    return before !== old.outerHTML;
  }

  const elementOf = (html) => {
    const holder = document.createElement("template");
    holder.innerHTML = html;
    return holder.content.firstElementChild;
  };
  const tell = (name, detail) => document.dispatchEvent(new CustomEvent(name, { detail }));

  // Replaces a part by its id; returns whether it has changed.
  function replacePart(id, html) {
    const [old, fresh] = [document.getElementById(id), elementOf(html)];
    return Boolean(old && fresh) && morph(old, fresh);
  }

  // Pages that are read again

  const read = new Map(PARTS.map((id) => [id, document.getElementById(id)?.innerHTML]));
  let timer = null;

  function takePage(page) {
    document.title = page.title;
    let changed = false;
    for (const id of PARTS) {
      const [old, fresh] = [document.getElementById(id), page.getElementById(id)];
      if (!old || !fresh || fresh.innerHTML === read.get(id)) continue;
      read.set(id, fresh.innerHTML);
      morph(old, fresh);
      changed = true;
    }
    tell("page", page);
    if (changed) tell("news");
  }

  async function follow() {
    clearTimeout(timer);
    let nextMs = EVERY_MS;
    // The camera is open, or its picture on the way: the page stays as it is.
    if (globalThis.photographing) { timer = setTimeout(follow, nextMs); return; }
    try {
      const answer = await fetch(location.href, { signal: AbortSignal.timeout?.(ANSWER_MS) });
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      if (answer.ok && page.getElementById("content")) {
        reach.heard();
        takePage(page);
      } else if (answer.status === 404 || answer.status === 429) {
        reach.gone();
        nextMs = GONE_MS;
      } else if (answer.status !== 503) reach.lost(); // 503: it has too much to do for a moment
    } catch { reach.lost(); }
    clearTimeout(timer);
    if ("follow" in document.body.dataset) timer = setTimeout(follow, nextMs);
  }

  // The console's live part

  let asking = false;
  let again = false;
  async function refresh() {
    const part = document.querySelector("[data-live]");
    if (!part || globalThis.photographing) return;
    if (asking) { again = true; return; }
    asking = true;
    try {
      const address = new URL(location.href);
      // A page that was shown after a refused form stands at the form's address.
      if (part.dataset.page) address.pathname = part.dataset.page;
      address.searchParams.set("live", "1");
      const answer = await fetch(address, { credentials: "same-origin" });
      if (answer.status === 403) { location.assign(location.href); return; }
      // Nothing moves under a hand that is about to press a second time.
      if (answer.ok && !part.querySelector("[data-asked]")) {
        const fresh = part.cloneNode(false);
        fresh.innerHTML = await answer.text();
        morph(part, fresh);
        tell("news");
      }
    } catch { /* the stream says that the hub is gone */ } finally {
      asking = false;
      if (again) { again = false; refresh(); }
    }
  }

  // What this page follows

  const phaseOf = () => document.getElementById("heading")?.dataset.phase;
  function hearPart({ id, html }) {
    const phase = phaseOf();
    if (!replacePart(id, html)) return;
    if (phase !== phaseOf()) follow(); // the event has begun, or is over: the page has other parts
    if (NEWS.includes(id)) tell("news");
  }

  async function listenTo(stream, handlers) {
    const { listen } = await import("/static/stream.js");
    listen(stream, handlers);
  }

  const { stream, changes, follow: follows } = document.body.dataset;
  noteReturned();
  rest();
  if (follows !== undefined && location.protocol !== "file:") {
    timer = setTimeout(follow, EVERY_MS);
    // What was left as it was, because somebody filled it in, is looked at anew: they have sent it.
    for (const name of ["stored", "told"]) document.addEventListener(name, () => { read.clear(); follow(); });
    addEventListener("online", follow);
  }
  if (changes) {
    document.addEventListener("asked-no-more", refresh);
    document.addEventListener("page-swapped", noteReturned);
    setInterval(() => { if (!document.hidden) refresh(); }, LOOK_AGAIN_MS);
    listenTo(changes, { message: refresh });
  }
  if (stream) listenTo(stream, { part: hearPart });

  globalThis.reach = reach;
  globalThis.live = { morph, replacePart };
})();
