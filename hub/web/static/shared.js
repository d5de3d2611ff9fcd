// Runs once for all tabs of this hub (SharedWorker): keeps the connections, and hands each tab its events.

import { Line, lineOf } from "./line.js";

const GONE_MS = 10000; // a tab that crashed says no goodbye
const LOOK_MS = 2000;
const tabs = new Map(); // port -> the address it listens to, and when it last named it
const lines = new Map();

function lineFor(address) {
  const name = lineOf(address);
  if (!lines.has(name)) lines.set(name, new Line(name, deliver));
  return lines.get(name);
}

function deliver(address, kind, data) {
  for (const [port, tab] of tabs) if (tab.address === address) port.postMessage({ kind, data });
}

function look() {
  const now = performance.now();
  for (const [port, tab] of tabs) if (now - tab.namedAt > GONE_MS) tabs.delete(port);
  const wanted = [...new Set([...tabs.values()].map((tab) => tab.address))].sort();
  for (const line of lines.values()) line.want(wanted.filter((address) => lineOf(address) === line.name));
}

// A tab names its stream again and again while it is seen, and "" when it is not.
function nameAddress(port, address) {
  if (!address) tabs.delete(port);
  else {
    const known = tabs.get(port)?.address === address;
    tabs.set(port, { address, namedAt: performance.now() });
    if (known) return;
    lineFor(address).replay(address, (kind, data) => port.postMessage({ kind, data }));
  }
  look();
}

self.addEventListener("connect", (event) => {
  const [port] = event.ports;
  port.addEventListener("message", (message) => nameAddress(port, message.data));
  port.start();
});
setInterval(look, LOOK_MS);
