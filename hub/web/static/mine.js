// My table on the first page: found by name, remembered in this browser alone, and read again after each change.

const { hasWords } = globalThis.letters;

const box = document.getElementById("mine");
const AGAIN_MS = 8000; // between two readings
const SPREAD_MS = 2000; // phones hear of a change together and do not all ask at once
const MOST_NAMES = 8;

function bind() {
  const form = box.querySelector("form");
  const part = (name) => box.querySelector(`[data-${name}]`);
  const [names, player, all, another] = ["names", "player", "all", "another"].map(part);
  const key = `flagfall my table ${box.dataset.event}`;
  let mine = "";
  let shownHtml = "";
  let readAt = -AGAIN_MS;
  let timer = null;

  const language = new URLSearchParams(location.search).get("lang");
  const inLanguage = (address) => {
    const url = new URL(address, location.href);
    if (language) url.searchParams.set("lang", language);
    return url;
  };
  const pageAt = async (address) => {
    const answer = await fetch(address);
    if (!answer.ok && answer.status !== 404) throw new Error(answer.statusText);
    return new DOMParser().parseFromString(await answer.text(), "text/html");
  };

  function show(shown) {
    form.hidden = shown === player;
    names.hidden = shown !== names;
    player.hidden = shown !== player;
    all.parentElement.hidden = shown !== names;
  }

  async function read() {
    clearTimeout(timer);
    timer = null;
    readAt = performance.now();
    try {
      const page = await pageAt(inLanguage(mine));
      const next = page.getElementById("next");
      if (!next) return forget(); // the player is in this event no more
      const name = document.createElement("a");
      name.href = inLanguage(mine);
      name.append(...page.querySelector("h1").childNodes);
      const heading = document.createElement("p");
      heading.className = "me";
      heading.append(name);
      next.querySelector("h2").remove();
      for (const link of next.querySelectorAll("a")) link.href = new URL(link.getAttribute("href"), inLanguage(mine));
      const html = heading.outerHTML + next.innerHTML;
      if (html !== shownHtml) {
        heading.append(another);
        player.replaceChildren(heading, ...next.childNodes);
      }
      shownHtml = html;
      show(player);
    } catch { /* the hub is away for a moment: what was read stays */ }
  }

  function remember(address) {
    mine = address;
    try { localStorage.setItem(key, address); } catch { /* this browser remembers nothing */ }
    read();
  }

  function forget() {
    mine = "";
    try { localStorage.removeItem(key); } catch { /* nothing was remembered */ }
    show(null);
  }

  async function find(words) {
    const url = inLanguage(form.getAttribute("action"));
    url.searchParams.set("q", words);
    all.href = url;
    try {
      const page = await pageAt(url);
      // A folder of files answers with all players.
      const rows = [...page.querySelectorAll(".people li")].filter((row) => {
        return page.getElementById("q") || hasWords(row.querySelector(".who").textContent, words);
      });
      const list = document.createElement("ul");
      list.className = "people";
      list.append(...rows.slice(0, MOST_NAMES));
      names.replaceChildren(rows.length ? list : page.querySelector(".empty") ?? "");
      show(names);
      all.parentElement.hidden = rows.length <= MOST_NAMES;
      names.querySelector("a")?.focus();
    } catch { location.href = url; }
  }

  form.addEventListener("submit", (event) => {
    const words = form.elements.q.value.trim();
    if (!words) return; // the list of all players
    event.preventDefault();
    find(words);
  });
  names.addEventListener("click", (event) => {
    const link = event.target.closest("a");
    if (!link || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    remember(link.getAttribute("href").split("?")[0]);
  });
  another.addEventListener("click", () => {
    forget();
    form.elements.q.focus();
  });
  document.addEventListener("news", () => {
    if (!mine || timer) return;
    timer = setTimeout(read, Math.max(0, readAt + AGAIN_MS - performance.now()) + Math.random() * SPREAD_MS);
  });

  try { mine = localStorage.getItem(key) ?? ""; } catch { /* asked for anew each time */ }
  if (mine) read();
}

if (box) bind();
