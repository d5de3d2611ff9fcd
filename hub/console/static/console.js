// Keeps the console fresh and a little quicker to use; every form works without it.

import { listen } from "/static/stream.js";

const live = document.querySelector("[data-live]");
const LOOK_AGAIN_MS = 10000;

// What may be done beside the tables, as the live part says.
const formsNow = () => document.getElementById("step")?.dataset.forms;
const forms = formsNow();

// The live part: asked for again whenever something has changed; what is ticked, open or typed in stays.
const partsOf = (root) => [...root.querySelectorAll("[data-part]")];

function asBefore(fresh) {
  for (const one of fresh.querySelectorAll("input[id]:not([type=hidden]), details[id]")) {
    const before = document.getElementById(one.id);
    const state = one.matches("details") ? "open" : stateOf(one);
    if (before && !one.disabled) one[state] = before[state];
  }
}

function takeOver(old, fresh) {
  asBefore(fresh);
  const focused = old.contains(document.activeElement) ? document.activeElement.id : "";
  old.replaceWith(fresh);
  if (focused) document.getElementById(focused)?.focus();
}

function show(html) {
  const holder = document.createElement("div");
  holder.innerHTML = html;
  const old = partsOf(live);
  const fresh = partsOf(holder);
  const same = old.length === fresh.length && old.every((part, at) => part.id === fresh[at].id);
  if (!same) {
    const whole = live.cloneNode(false);
    whole.append(...holder.childNodes);
    asBefore(whole);
    live.replaceChildren(...whole.childNodes);
  } else {
    old.forEach((part, at) => {
      if (part.contains(document.activeElement) && document.activeElement.matches("input:not([type=checkbox]), select, textarea")) return;
      const html = fresh[at].outerHTML;
      if ((part.was ?? part.outerHTML) === html) return;
      takeOver(part, fresh[at]);
      fresh[at].was = html;
    });
  }
  told();
  // The forms beside the tables are those of this step; one in which somebody types waits.
  const typed = [...document.querySelectorAll("aside input:not([type=hidden])")].some((one) => one.value !== one.defaultValue);
  if (forms && forms !== formsNow() && !typed) location.replace(live.dataset.page + location.search);
}

let asking = false;
let again = false;
async function refresh() {
  if (!live) return;
  if (asking) { again = true; return; }
  asking = true;
  try {
    const address = new URL(location.href);
    // A page that was shown after a refused form stands at the form's address.
    if (live.dataset.page) address.pathname = live.dataset.page;
    address.searchParams.set("live", "1");
    const answer = await fetch(address, { credentials: "same-origin" });
    if (answer.status === 403) { location.assign(location.href); return; }
    if (answer.ok) show(await answer.text());
  } catch { /* the stream says that the hub is gone */ } finally {
    asking = false;
    if (again) { again = false; refresh(); }
  }
}

// Late tables and the end of the round depend on time alone.
setInterval(() => { if (!document.hidden) refresh(); }, LOOK_AGAIN_MS);

if (document.body.dataset.changes) listen(document.body.dataset.changes, { message: refresh });

// Which tables a ruling goes to.
const said = document.querySelector("[data-picked]");
function told() {
  if (!said) return;
  const tables = [...document.querySelectorAll("input[name=pick]:checked")].map((box) => box.value);
  said.textContent = tables.length ? said.dataset.some.replace("{tables}", tables.join(", ")) : said.dataset.none;
}
document.addEventListener("change", (event) => { if (event.target.name === "pick") told(); });

// Only the fields that a choice needs.
for (const choice of document.querySelectorAll("[data-needs]")) {
  const prefix = `${choice.dataset.needs}-`;
  const scope = choice.form;
  const fit = () => {
    const needed = (choice.selectedOptions[0]?.dataset.fields ?? "").split(" ");
    for (const field of scope.querySelectorAll("[data-field]")) {
      if (field.dataset.field.startsWith(prefix)) field.hidden = !needed.includes(field.dataset.field.slice(prefix.length));
    }
  };
  choice.addEventListener("change", fit);
  fit();
}

// White has what Black has not.
for (const black of document.querySelectorAll("[data-complement]")) {
  const white = black.form.elements[black.dataset.complement];
  black.addEventListener("input", () => {
    const discs = Number(black.value);
    const fits = black.value !== "" && discs >= 0 && discs <= 64;
    if (!white.dataset.touched) white.value = fits ? String(64 - discs) : "";
  });
  white.addEventListener("input", () => { white.dataset.touched = "1"; });
}

// Results are typed one after the other.
const results = document.getElementById("result-form");
if (results) {
  const whose = document.getElementById("whose");
  const tell = () => {
    const names = document.querySelectorAll(`#row-${Number(results.elements.table.value)} .name`);
    whose.textContent = [...names].map((name) => name.textContent).join(" – ");
  };
  results.elements.table.addEventListener("input", tell);
  tell();
  document.addEventListener("click", (event) => {
    const table = event.target.closest("[data-enter]")?.dataset.enter;
    if (!table) return;
    event.preventDefault();
    results.elements.table.value = table;
    tell();
    results.elements.black.focus();
  });
  results.addEventListener("submit", () => sessionStorage.setItem("result", "1"));
  if (sessionStorage.getItem("result")) {
    sessionStorage.removeItem("result");
    // After the last result the next step is to be seen, not this form.
    const next = results.querySelector("[aria-invalid]") ?? (document.querySelector(".step.play") && results.elements.table);
    next?.focus();
    next?.select(); // what is typed next takes the place of what was refused
  }
}

// What is grave is pressed twice; the second press counts for some seconds.
const SURE_MS = 6000;
let clickCount = 0;
document.addEventListener("click", (event) => { clickCount = event.detail; }, true);
function asksFirst(form, button) {
  if (!button?.dataset.sure) return false;
  if (button.dataset.asked) return clickCount > 1; // a double click is one press
  // A ruling to all tables: only those that end games.
  const rule = form.elements.rule?.selectedOptions?.[0];
  if (rule && !("grave" in rule.dataset)) return false;
  const said = button.textContent;
  button.dataset.asked = "1";
  button.textContent = button.dataset.sure;
  setTimeout(() => { button.textContent = said; delete button.dataset.asked; }, SURE_MS);
  return true;
}

// A file that the hub would refuse is refused before it takes what was typed with it.
for (const input of document.querySelectorAll("input[data-most]")) {
  input.addEventListener("change", () => {
    const larger = [...input.files].some((file) => file.size > Number(input.dataset.most));
    input.setCustomValidity(larger ? input.dataset.larger : "");
    input.reportValidity();
  });
}

// What was typed outlives a login that has ended: after the sign-in page it stands in its form again, not sent yet.
const fieldsOf = (form) => [...form.elements].filter((one) => one.name && !one.matches("button, [type=hidden], [type=password], [type=file]"));
const stateOf = (one) => (one.matches("[type=checkbox], [type=radio]") ? "checked" : "value");
function keep(form) {
  const typed = fieldsOf(form).map((one) => one[stateOf(one)]);
  sessionStorage.setItem("typed", JSON.stringify({ action: form.getAttribute("action"), typed }));
}
function bringBack() {
  const kept = JSON.parse(sessionStorage.getItem("typed") ?? "null");
  if (!document.body.dataset.changes) { if (kept) sessionStorage.setItem("signed-out", "1"); return; }
  const wanted = sessionStorage.getItem("signed-out") && kept;
  sessionStorage.removeItem("typed");
  sessionStorage.removeItem("signed-out");
  const form = wanted && [...document.forms].find((one) => one.getAttribute("action") === kept.action && fieldsOf(one).length === kept.typed.length);
  if (!form || fieldsOf(form).every((one, at) => one[stateOf(one)] === kept.typed[at])) return;
  fieldsOf(form).forEach((one, at) => { one[stateOf(one)] = kept.typed[at]; });
  for (const box of form.querySelectorAll("details")) box.open = true;
  document.getElementById("brought-back").hidden = false;
}
bringBack();

// A form is sent once, and only to a hub that answers: else the browser's own page would take the place of what was typed.
const ANSWER_MS = 5000;
const unsent = document.getElementById("unsent");
async function sendIfAnswered(form, button) {
  form.dataset.sent = "asks";
  unsent.hidden = true;
  try {
    await fetch("/desk/static/console.js", { method: "HEAD", cache: "no-store", signal: AbortSignal.timeout?.(ANSWER_MS) });
  } catch {
    delete form.dataset.sent;
    unsent.hidden = false;
    return;
  }
  form.dataset.sent = "answered";
  if (!form.isConnected) document.body.append(Object.assign(form, { hidden: true })); // the live part was renewed meanwhile
  form.requestSubmit(button);
}
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.dataset.sent !== "answered") {
    const stays = form.dataset.sent || asksFirst(form, event.submitter);
    if (!stays && form.requestSubmit) sendIfAnswered(form, event.submitter);
    if (stays || form.requestSubmit) { event.preventDefault(); return; }
  }
  form.dataset.sent = "1";
  const beside = document.getElementById(form.dataset.beside); // what is typed there outlives this form
  if (beside) sessionStorage.setItem("signed-out", "1");
  if (document.body.dataset.changes) keep(beside ?? form);
  // The games of a draft that are ticked to be kept go with everything that is done to it.
  const again = document.getElementById("again");
  if (again && form !== again && form.elements.revision) {
    for (const [name, value] of new FormData(again)) if (name === "ticks" || name === "keep") {
      form.append(Object.assign(document.createElement("input"), { type: "hidden", name, value }));
    }
  }
  const button = event.submitter;
  if (button?.dataset.busy) setTimeout(() => { button.textContent = button.dataset.busy; button.disabled = true; }, 0);
});
window.addEventListener("pageshow", () => { for (const form of document.forms) delete form.dataset.sent; });

// Two players of the draft change places: pressed one after the other, or dragged.
const exchange = document.getElementById("exchange");
if (exchange) {
  const status = document.getElementById("draft-said");
  const help = document.getElementById("draft-help");
  let picked = null;
  const pick = (chip) => {
    picked?.setAttribute("aria-pressed", "false");
    picked = chip;
    chip?.setAttribute("aria-pressed", "true");
    if (chip) status.textContent = help.dataset.picked.replace("{name}", `\u2068${chip.querySelector("span:not(.disc)").textContent}\u2069`);
  };
  const swap = (one, other) => {
    exchange.elements.one.value = one.dataset.player;
    exchange.elements.other.value = other.dataset.player;
    sessionStorage.setItem("back-to", other.dataset.player);
    exchange.requestSubmit();
  };
  for (const chip of document.querySelectorAll(".chip")) {
    chip.addEventListener("click", () => {
      if (!picked) pick(chip);
      else if (picked === chip) pick(null);
      else swap(picked, chip);
    });
    chip.addEventListener("dragstart", (event) => { pick(chip); event.dataTransfer.setData("text/plain", chip.dataset.player); });
    chip.addEventListener("dragover", (event) => { if (picked && picked !== chip) { event.preventDefault(); chip.classList.add("over"); } });
    chip.addEventListener("dragleave", () => chip.classList.remove("over"));
    chip.addEventListener("drop", (event) => { event.preventDefault(); if (picked && picked !== chip) swap(picked, chip); });
    chip.addEventListener("dragend", () => { pick(null); });
  }
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") pick(null); });
  const back = sessionStorage.getItem("back-to");
  if (back) {
    sessionStorage.removeItem("back-to");
    [...document.querySelectorAll(".chip")].find((chip) => chip.dataset.player === back)?.focus();
  }
}

// Players are found in the world list while a name or number is typed.
for (const label of document.querySelectorAll("[data-find]")) {
  const input = label.querySelector("input");
  const list = document.getElementById("found");
  const form = label.closest("form");
  let latest = 0;
  label.hidden = false;
  const take = (player) => {
    if (label.dataset.find === "players") {
      const players = form.elements.players;
      const before = players.value.trimEnd();
      players.value = `${before}${before ? "\n" : ""}${player.line}\n`;
      players.scrollTop = players.scrollHeight;
      input.focus();
    } else {
      for (const name of ["id", "name", "country", "rating"]) form.elements[name].value = player[name] ?? "";
    }
    input.value = "";
    list.replaceChildren();
  };
  const look = async () => {
    const mine = (latest += 1);
    const answer = input.value.trim() ? await fetch(`/desk/find?q=${encodeURIComponent(input.value)}`) : null;
    const found = answer?.ok ? await answer.json() : [];
    if (mine !== latest) return;
    if (answer?.ok && !found.length) { list.replaceChildren(Object.assign(document.createElement("li"), { textContent: list.dataset.none })); return; }
    list.replaceChildren(...found.map((player) => {
      const item = document.createElement("li");
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = player.line;
      button.addEventListener("click", () => take(player));
      item.append(button);
      return item;
    }));
  };
  let looking = null;
  input.addEventListener("input", () => { looking = look(); });
  input.addEventListener("keydown", async (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    await looking; // who types fast means what he typed, not what was found before
    list.querySelector("button")?.click();
  });
}
