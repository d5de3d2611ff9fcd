"use strict";
// Brings the page to life; without it everything is still there, only not by itself.
// The server sends finished parts of the page; clocks that run are counted down between them.

const stream = document.body.dataset.stream;
const connection = document.getElementById("connection");
const RETRY_MS = 3000;

function clockText(leftMs) {
  const left = Math.max(0, leftMs);
  if (left < 10000) return `0:0${Math.floor(left / 1000)}.${Math.floor((left % 1000) / 100)}`;
  const seconds = Math.floor(left / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

function wind(root) {
  for (const clock of root.querySelectorAll("[data-left-ms]")) {
    clock.endsAt = performance.now() + Number(clock.dataset.leftMs);
  }
}

function tick() {
  for (const clock of document.querySelectorAll("[data-left-ms]")) {
    const text = clockText(clock.endsAt - performance.now());
    if (clock.textContent !== text) clock.textContent = text;
    clock.classList.toggle("short", clock.endsAt - performance.now() < 60000);
  }
}

function replacePart(id, html) {
  const old = document.getElementById(id);
  if (!old) return;
  const holder = document.createElement("template");
  holder.innerHTML = html;
  const fresh = holder.content.firstElementChild;
  if (!fresh || old.outerHTML === fresh.outerHTML) return;
  wind(holder.content);
  old.replaceWith(fresh);
}

function listen() {
  const source = new EventSource(stream);
  source.addEventListener("open", () => { connection.hidden = true; });
  source.addEventListener("part", (event) => {
    connection.hidden = true;
    const part = JSON.parse(event.data);
    replacePart(part.id, part.html);
    tick();
  });
  source.addEventListener("error", () => {
    connection.hidden = false;
    document.documentElement.classList.add("stale");
    source.close();
    setTimeout(listen, RETRY_MS);
  });
  source.addEventListener("open", () => document.documentElement.classList.remove("stale"));
}

wind(document);
setInterval(tick, 100);
if (stream) listen();
else setTimeout(() => location.reload(), 10000);
