"use strict";
// Keeps the desk's facts fresh; the forms beside them are left alone.

const stream = document.body.dataset.stream;
const connection = document.getElementById("connection");
const facts = document.getElementById("desk-live");
const RETRY_MS = 3000;
const BREATH_MS = 500;
let due = false;

async function refresh() {
  due = false;
  if (facts.contains(document.activeElement)) return later();
  try {
    const answer = await fetch("/desk/live", { credentials: "same-origin" });
    if (answer.status === 403) return location.reload();
    if (!answer.ok) return;
    const html = await answer.text();
    if (!facts.contains(document.activeElement)) facts.innerHTML = html;
  } catch { /* the stream says that the hub is gone */ }
}

function later() {
  if (due) return;
  due = true;
  setTimeout(refresh, BREATH_MS);
}

function listen() {
  const source = new EventSource(stream);
  source.addEventListener("part", () => { connection.hidden = true; later(); });
  source.addEventListener("error", () => {
    connection.hidden = false;
    source.close();
    setTimeout(listen, RETRY_MS);
  });
}

if (stream) listen();
setInterval(later, 5000);
