// The tablet at the door: names are found while they are typed, and what somebody has left goes back to the list.

const { hasWords } = globalThis.letters;

const BACK_MS = 60000;
const search = document.getElementById("q");

function filter() {
  for (const row of document.querySelectorAll(".people [data-name]")) {
    row.hidden = !hasWords(row.dataset.name, search.value);
  }
}

if (search) {
  search.addEventListener("input", filter);
  document.addEventListener("news", filter);
}

for (const form of document.querySelectorAll("[data-ends-s]")) {
  setTimeout(() => form.remove(), form.dataset.endsS * 1000);
}

const back = document.body.dataset.back;
if (back) {
  let timer = null;
  const wait = () => {
    clearTimeout(timer);
    timer = setTimeout(() => (window.photographing ? wait() : window.go(back)), BACK_MS); // not while the camera is open
  };
  document.addEventListener("pointerdown", wait);
  wait();
}
