// Keeps the console fresh and a little quicker to use; every form works without it.

let live = document.querySelector("[data-live]");

// What may be done beside the tables, as the live part says (`live.js` keeps it up to date).
const formsNow = () => document.getElementById("step")?.dataset.forms;
let forms = formsNow();

async function foundBy(text) {
  const answer = await fetch(`/desk/find?q=${encodeURIComponent(text)}`);
  return answer.ok ? answer.json() : null;
}

async function pageNow() {
  const answer = await fetch(live.dataset.page, { credentials: "same-origin" });
  return answer.ok ? new DOMParser().parseFromString(await answer.text(), "text/html") : null;
}

// The forms beside the tables are those of this step. Results are typed on while the others change; a page without
// the form for them is loaded again, unless somebody types in it.
async function renewForms() {
  const results = document.getElementById("result-form");
  if (!results) {
    const typed = [...document.querySelectorAll("aside input:not([type=hidden])")].some((input) => input.value !== input.defaultValue);
    if (!typed) location.replace(live.dataset.page + location.search);
    return;
  }
  const wanted = formsNow();
  const page = await pageNow().catch(() => null); // the next look at the live part asks again
  if (!page) return;
  for (const id of ["ruling-form", "withdraw-form"]) {
    const [old, fresh] = [document.getElementById(id), page.getElementById(id)];
    if (old && !fresh) old.remove();
    else if (fresh && !old) document.querySelector("aside > section:last-of-type").before(fresh);
  }
  if (!page.getElementById("result-form") && !window.typedResults.busy()) results.remove();
  forms = wanted;
}

document.addEventListener("news", () => {
  showPicked();
  if (forms && forms !== formsNow()) renewForms();
});

// Which tables a ruling goes to.
function showPicked() {
  const hint = document.querySelector("[data-picked]");
  if (!hint) return;
  const tables = [...document.querySelectorAll("input[name=pick]:checked")].map((box) => box.value);
  hint.textContent = tables.length ? hint.dataset.some.replace("{tables}", tables.join(", ")) : hint.dataset.none;
}
document.addEventListener("change", (event) => { if (event.target.name === "pick") showPicked(); });

function dress() {
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

  // A file that the hub would refuse is refused before it takes what was typed with it.
  for (const input of document.querySelectorAll("input[data-most]")) {
    input.addEventListener("change", () => {
      const larger = [...input.files].some((file) => file.size > Number(input.dataset.most));
      input.setCustomValidity(larger ? input.dataset.larger : "");
      input.reportValidity();
    });
  }

  // Two players of the draft change places: pressed one after the other, or dragged.
  const exchange = document.getElementById("exchange");
  if (exchange) {
    const status = document.getElementById("draft-status");
    const help = document.getElementById("draft-help");
    let picked = null;
    const pick = (chip) => {
      picked?.setAttribute("aria-pressed", "false");
      picked = chip;
      chip?.setAttribute("aria-pressed", "true");
      if (chip) status.textContent = help.dataset.picked.replace("{name}", `\u2068${chip.querySelector("span:not(.disc)").textContent}\u2069`);
    };
    const exchangePlayers = (chip, other) => {
      exchange.elements.one.value = chip.dataset.player;
      exchange.elements.other.value = other.dataset.player;
      sessionStorage.setItem("back-to", other.dataset.player);
      exchange.requestSubmit();
    };
    for (const chip of document.querySelectorAll(".chip")) {
      chip.addEventListener("click", () => {
        if (!picked) pick(chip);
        else if (picked === chip) pick(null);
        else exchangePlayers(picked, chip);
      });
      chip.addEventListener("dragstart", (event) => { pick(chip); event.dataTransfer.setData("text/plain", chip.dataset.player); });
      chip.addEventListener("dragover", (event) => { if (picked && picked !== chip) { event.preventDefault(); chip.classList.add("over"); } });
      chip.addEventListener("dragleave", () => chip.classList.remove("over"));
      chip.addEventListener("drop", (event) => { event.preventDefault(); if (picked && picked !== chip) exchangePlayers(picked, chip); });
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
    const list = document.getElementById("players-found");
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
      const text = input.value.trim();
      // Without a connection nobody is proposed; the next letter asks again.
      const found = text ? await foundBy(text).catch(() => null) : null;
      if (mine !== latest) return;
      if (found?.length === 0) { list.replaceChildren(Object.assign(document.createElement("li"), { textContent: list.dataset.none })); return; }
      list.replaceChildren(...(found ?? []).map((player) => {
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
      await looking; // a fast typist means the latest text, not the players shown before
      list.querySelector("button")?.click();
    });
  }
}

dress();
// A refused form is shown with its page in the place of the one before (forms.js).
document.addEventListener("page-swapped", () => {
  live = document.querySelector("[data-live]");
  forms = formsNow();
  dress();
});
