// The hub's events for a page, while it is seen. Tabs share a connection where the browser can (SharedWorker, also over
// plain HTTP). Elsewhere each tab has a connection, which it gives up while nobody looks at it.

import { hearHub, hubAnew, tick } from "./clock.js";
import { Line, lineOf } from "./line.js";

const SILENCE_MS = 5000;
const LOOK_MS = 1000;
const TICK_MS = 100;
const VERSION = "1"; // of the messages between tabs and worker: tabs of an older hub keep their worker

// `join()` again and again while the page is seen, `leave()` when it is not.
function ownLine(address, hear) {
  const line = new Line(lineOf(address), (_, kind, data) => hear(kind, data));
  return { join: () => line.want([address]), leave: () => line.want([]) };
}

function sharedLine(address, hear, failed) {
  const worker = new SharedWorker("/static/shared.js", { type: "module", name: `flagfall-${VERSION}` });
  worker.addEventListener("error", failed);
  worker.port.addEventListener("message", (message) => hear(message.data.kind, message.data.data));
  worker.port.start();
  return { join: () => worker.port.postMessage(address), leave: () => worker.port.postMessage("") };
}

// Runs the page's clocks, and calls `handlers.part({ id, html })` for each new part and `handlers.message()` for each
// change. The page says while nothing is heard (`live.js`).
export function listen(address, handlers) {
  let heardAt = performance.now();
  const reached = (yes) => (yes ? globalThis.reach.heard() : globalThis.reach.lost());
  const hear = (kind, data) => {
    if (document.hidden) return;
    if (kind === "lost") return reached(false);
    if (kind === "open") return hubAnew();
    heardAt = performance.now();
    reached(true);
    const message = JSON.parse(data);
    hearHub(message.at_ms);
    handlers[kind]?.(message);
    tick();
  };
  let line = null;
  let alone = false;
  const listenAlone = () => {
    if (alone) return;
    alone = true;
    line?.leave();
    line = ownLine(address, hear);
    look();
  };
  const look = () => {
    if (document.hidden) return line.leave();
    line.join();
    if (performance.now() - heardAt > SILENCE_MS) reached(false);
  };
  const seen = () => {
    heardAt = performance.now();
    look();
  };
  document.addEventListener("visibilitychange", seen);
  window.addEventListener("pagehide", () => line.leave());
  window.addEventListener("pageshow", seen);
  if (typeof SharedWorker === "undefined") listenAlone();
  else {
    line = sharedLine(address, hear, listenAlone);
    look();
  }
  setInterval(look, LOOK_MS);
  setInterval(tick, TICK_MS);
}
