// The games of a page are those of one player while a name is typed; sent, the form finds the games of all rounds.

const { hasWords } = globalThis.letters;
const search = document.querySelector("#seek-games input[type=search]");
const before = search.value;

search.addEventListener("input", () => {
  if (before) return; // the page has the games of one player alone
  let shown = 0;
  for (const line of document.querySelectorAll(".games [data-name]")) {
    line.hidden = !hasWords(line.dataset.name, search.value);
    shown += line.hidden ? 0 : 1;
  }
  document.getElementById("none").hidden = shown > 0 || !document.querySelector(".games");
});
