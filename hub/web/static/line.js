// One connection to the hub, which carries the streams of several tabs: a browser has six for all tabs of one hub.

const TOGETHER = "/events/"; // streams below it come in one connection, any other has one of its own
const GATHER_MS = 50; // tabs that open together ask together
const RETRY_MS = 3000;
const LOOK_MS = 1000;
// A connection that has gone silent is given up after the first of these, the next one after the second ...: a slow
// link gets ever more time for what it has begun.
const PATIENCE_MS = [10000, 20000, 40000, 60000];
const MOST = 24; // streams of one connection, and letters of its address, that the hub takes
const MOST_LETTERS = 1800;
const KINDS = ["part", "message", "beat"];

export const lineOf = (address) => (address.startsWith(TOGETHER) ? TOGETHER : address);

function urlOf(name, addresses) {
  if (name !== TOGETHER) return name;
  const asked = addresses.map((address) => `on=${encodeURIComponent(address.slice(TOGETHER.length))}`);
  return `${TOGETHER.slice(0, -1)}?${asked.join("&")}`;
}

export class Line {
  // `deliver(address, kind, data)` takes what came for a stream; kinds: those of events, "open" and "lost".
  constructor(name, deliver) {
    this.name = name;
    this.deliver = deliver;
    this.addresses = [];
    this.kept = new Map();
    this.source = null;
    this.patience = 0;
    this.timer = null;
    setInterval(() => this.look(), LOOK_MS);
  }

  // Sets the streams that are wanted from now on.
  want(addresses) {
    if (addresses.join("\n") === this.addresses.join("\n")) return;
    this.addresses = addresses;
    this.patience = 0;
    clearTimeout(this.timer);
    if (addresses.length) this.timer = setTimeout(() => this.open(), GATHER_MS);
    else this.close();
  }

  // Repeats the latest events of an open stream for a tab that comes later.
  replay(address, deliver) {
    for (const { kind, data } of this.kept.get(address)?.values() ?? []) deliver(kind, data);
  }

  open() {
    this.close();
    const addresses = this.addresses.slice(0, MOST);
    while (addresses.length > 1 && urlOf(this.name, addresses).length > MOST_LETTERS) addresses.pop();
    let current = addresses[0];
    const source = new EventSource(urlOf(this.name, addresses));
    this.source = source;
    this.heardAt = performance.now();
    source.addEventListener("open", () => {
      this.kept.clear();
      for (const address of addresses) this.deliver(address, "open");
    });
    source.addEventListener("of", (event) => { current = addresses[Number(event.data)]; });
    for (const kind of KINDS) source.addEventListener(kind, (event) => this.receive(current, kind, event.data));
    source.addEventListener("error", () => this.lost());
  }

  receive(address, kind, data) {
    this.heardAt = performance.now();
    this.patience = 0;
    if (kind === "beat") {
      for (const other of this.addresses) this.deliver(other, kind, data);
      return;
    }
    const kept = this.kept.get(address) ?? new Map();
    this.kept.set(address, kept);
    const name = `${kind} ${JSON.parse(data).id ?? ""}`;
    kept.delete(name); // the latest comes last: a part may be within another that came before it
    kept.set(name, { kind, data });
    this.deliver(address, kind, data);
  }

  lost() {
    this.close();
    for (const address of this.addresses) this.deliver(address, "lost");
    this.timer = setTimeout(() => this.open(), RETRY_MS);
  }

  look() {
    if (!this.source || performance.now() - this.heardAt < PATIENCE_MS[this.patience]) return;
    this.patience = Math.min(this.patience + 1, PATIENCE_MS.length - 1);
    this.open();
  }

  close() {
    clearTimeout(this.timer);
    this.source?.close();
    this.source = null;
    this.kept.clear();
  }
}
