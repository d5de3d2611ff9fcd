// Checks a proof of a result (`flagfall-proof/1`) with a hub's key, and compares it with a head that was kept. It is put
// into verify.html, which works without a server. It takes and refuses the same as hub/proof/result_proof.py and
// hub/proof/kept_head.py, in which a change here belongs too.
"use strict";

const texts = JSON.parse(document.getElementById("texts").textContent);
const utf8 = new TextEncoder();
const LARGEST_BYTES = 8 << 20;
const LARGEST_NOTE = 100000;
const MOST_SIGNATURES = 16;
const MOST_ENTRIES = 10 ** 15;
const HASH_BYTES = 32;
const DEEPEST = 64;

const MOST_HASHES = 63;

class Refused extends Error {}

// The path between two heads, which was not given.
class PathMissing extends Error {
  constructor(event, from, to) {
    super(`/t/${encodeURIComponent(event)}/consistency.txt?from=${from}&to=${to}`);
  }
}

function expect(holds, reason) {
  if (!holds) throw new Refused(texts[reason]);
}

function join(...parts) {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

function hex(bytes) {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function fromHex(text) {
  return Uint8Array.from(text.match(/../g) || [], (pair) => parseInt(pair, 16));
}

// Nothing for a text that is not base64 in its one form.
function decoded(text) {
  let binary = "";
  try {
    binary = atob(text);
  } catch {
    return new Uint8Array();
  }
  return Uint8Array.from(btoa(binary) === text ? binary : "", (character) => character.charCodeAt(0));
}

function fromBase64(text, reason) {
  const bytes = decoded(text);
  expect(bytes.length > 0, reason);
  return bytes;
}

async function sha256(bytes) {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
}

// A key or an R must be in its one encoding and not of small order, and S below the order of the group: libraries differ
// in what else they take (flagfall/link/keys.py).
const PRIME = 2n ** 255n - 19n;
const ORDER = 2n ** 252n + 27742317777372353535851937790883648493n;
const OF_ORDER_8 = 0x5fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826n;
const LETTERS = "0123456789abcdefghjkmnpqrstvwxyz";
const SMALL_ORDER = [0n, 1n, PRIME - 1n, OF_ORDER_8, PRIME - OF_ORDER_8];

function number(littleEndian) {
  return BigInt(`0x${hex(littleEndian.slice().reverse())}`);
}

function isPublicKey(bytes) {
  if (bytes.length !== 32) return false;
  const y = number(bytes) & ((1n << 255n) - 1n);
  return y < PRIME && !SMALL_ORDER.includes(y);
}

async function isSigned(message, signature, key) {
  if (signature.length !== 64 || number(signature.slice(32)) >= ORDER) return false;
  if (!isPublicKey(key) || !isPublicKey(signature.slice(0, 32))) return false;
  try {
    const imported = await crypto.subtle.importKey("raw", key, { name: "Ed25519" }, false, ["verify"]);
    return await crypto.subtle.verify({ name: "Ed25519" }, imported, signature, message);
  } catch (fault) {
    expect(fault.name !== "NotSupportedError", "browser");
    return false;
  }
}

function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const fields = Object.keys(value).sort().map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`);
  return `{${fields.join(",")}}`;
}

function isDeep(text) {
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (quoted && character === "\\") at += 1;
    else if (character === '"') quoted = !quoted;
    else if (!quoted && (character === "[" || character === "{")) depth += 1;
    else if (!quoted && (character === "]" || character === "}")) depth -= 1;
    if (depth > DEEPEST) return true;
  }
  return false;
}

// The value of a JSON text of at most DEEPEST levels, in which there is no half of a surrogate pair.
function parsed(text, reason) {
  expect(!isDeep(text), reason);
  let halves = false;
  const look = (name, part) => {
    halves ||= /\p{Surrogate}/u.test(name) || (typeof part === "string" && /\p{Surrogate}/u.test(part));
    return part;
  };
  let value;
  try {
    value = JSON.parse(text, look);
  } catch {
    expect(false, reason);
  }
  expect(!halves, reason);
  return value;
}

const isText = (value) => typeof value === "string";
const isFlag = (value) => typeof value === "boolean";
const isDiscs = (value) => Number.isInteger(value) && value >= 0 && value <= 64;
const isIndex = (value) => Number.isInteger(value) && value >= 0 && value < MOST_ENTRIES;
const each = (fits) => ({ black: fits, white: fits });
const PROVEN = { entry: isText, index: isIndex, path: (value) => Array.isArray(value) && value.every(isText) };
const RESULT = {
  device: isText,
  score: (value) => Array.isArray(value) && value.length === 2 && value.every(isDiscs),
  signature: isText,
  message: isText,
};
const ENROLMENT = {
  device: isText,
  public_key: (value) => isText(value) && /^[0-9a-f]{64}$/.test(value),
  by: (value) => [undefined, null, "device", "api"].includes(value),
};
const MESSAGE = {
  v: (value) => value === 2,
  game: isText,
  device: isText,
  tournament: isText,
  hub: isText,
  players: each(isText),
  score: each(isDiscs),
  winner: (value) => value === null || isText(value),
  reason: isText,
  transcript: isText,
  signatures: each(isFlag),
  sha256: isText,
};
const LEAF = { type: isText, version: Number.isInteger, tournament: isText, body: isText };
const HEADER = each({ name: (value) => value === undefined || isText(value) });

// Whether an object has these fields, each of its form; it may have others.
function fits(value, form) {
  if (typeof form === "function") return form(value);
  if (value === null || typeof value !== "object" || Array.isArray(value)) return false;
  const part = (name) => (Object.hasOwn(value, name) ? value[name] : undefined);
  return Object.entries(form).every(([name, inner]) => fits(part(name), inner));
}

function read(text, form, reason) {
  const value = parsed(text, reason);
  expect(fits(value, form), reason);
  return value;
}

function hasOnly(value, names) {
  return Object.keys(value).every((name) => names.includes(name));
}

async function readKey(line) {
  const [, name, id, encoded] = /^([!-*,-~]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)$/.exec(stripped(line)) || [];
  expect(name !== undefined, "key");
  const data = fromBase64(encoded, "key");
  expect(data[0] === 1 && isPublicKey(data.slice(1)), "key");
  const expected = (await sha256(join(utf8.encode(`${name}\n`), data))).slice(0, 4);
  expect(hex(expected) === id, "key");
  return { name, id, public: data.slice(1) };
}

async function openNote(copy, key, reason) {
  // A copy by an editor or a mail program counts: with a byte order mark, with other line ends, without the last one.
  const note = `${copy.replace(/^\ufeff/, "").replaceAll("\r\n", "\n").replace(/\n+$/, "")}\n`;
  const end = note.lastIndexOf("\n\n");
  expect(end >= 0 && end + 2 < note.length, reason);
  expect(utf8.encode(note).length <= LARGEST_NOTE && !/[\x00-\x09\x0b-\x1f]/.test(note), reason);
  const text = note.slice(0, end + 1);
  const lines = note.slice(end + 2, -1).split("\n");
  expect(lines.length <= MOST_SIGNATURES, reason);
  for (const line of lines) {
    const [dash, name, encoded, ...more] = line.split(" ");
    expect(dash === "\u2014" && encoded !== undefined && more.length === 0, reason);
    const signature = decoded(encoded);
    if (name !== key.name || hex(signature.slice(0, 4)) !== key.id) continue;
    expect(await isSigned(utf8.encode(text), signature.slice(4), key.public), reason);
    const [origin, size, root] = text.split("\n");
    expect(/^[1-9][0-9]{0,14}$/.test(size), reason);
    const head = { origin, size: Number(size), root: decoded(root || ""), shown: root };
    expect(head.root.length === HASH_BYTES, reason);
    return head;
  }
  return expect(false, reason);
}

async function isIncluded(leaf, index, path, head) {
  if (index >= head.size) return false;
  let place = index;
  let last = head.size - 1;
  let reached = leaf;
  for (const sibling of path) {
    if (last === 0) return false;
    if (place % 2 === 1 || place === last) {
      reached = await sha256(join([1], sibling, reached));
      while (place % 2 === 0 && place !== 0) {
        place = Math.floor(place / 2);
        last = Math.floor(last / 2);
      }
    } else {
      reached = await sha256(join([1], reached, sibling));
    }
    place = Math.floor(place / 2);
    last = Math.floor(last / 2);
  }
  return last === 0 && hex(reached) === hex(head.root);
}

async function readEntry(proven, head, type, version, form) {
  const content = fromBase64(proven.entry, "proof");
  const path = proven.path.map((node) => fromBase64(node, "proof"));
  expect(path.every((node) => node.length === HASH_BYTES), "included");
  expect(await isIncluded(await sha256(join([0], content)), proven.index, path, head), "included");
  const entry = read(inUtf8(content, "facts"), LEAF, "facts");
  expect(entry.type === type && entry.version === version, "facts");
  return { tournament: entry.tournament, body: read(entry.body, form, "facts") };
}

function inUtf8(content, reason) {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(content);
  } catch {
    return expect(false, reason);
  }
}

function readProof(content) {
  expect(content.length <= LARGEST_BYTES, "proof");
  const text = inUtf8(content, "proof");
  const proof = parsed(text, "proof");
  const form = { format: (value) => value === "flagfall-proof/1", game: isText, checkpoint: isText };
  expect(fits(proof, form), "proof");
  expect(`${canonical(proof)}\n` === text, "bytes");
  const isFile = (value) => value === undefined || isText(value);
  expect(fits(proof, { result: PROVEN, enrolment: PROVEN, file: isFile }), "bytes");
  expect(hasOnly(proof, ["checkpoint", "enrolment", "file", "format", "game", "result"]), "bytes");
  for (const proven of [proof.result, proof.enrolment]) expect(hasOnly(proven, Object.keys(PROVEN)), "bytes");
  return proof;
}

// As RFC 9162, 2.1.4.2: whether the path shows that the later record begins with the earlier one.
async function isConsistent(earlier, later, path) {
  if (earlier.size === later.size) return path.length === 0 && hex(earlier.root) === hex(later.root);
  let place = earlier.size - 1;
  let last = later.size - 1;
  while (place % 2 === 1) {
    place = Math.floor(place / 2);
    last = Math.floor(last / 2);
  }
  // The whole of an earlier tree of 1, 2, 4 ... leaves is a node of the later one.
  const hashes = place === 0 ? [earlier.root, ...path] : path;
  if (hashes.length === 0) return false;
  let [before, after] = [hashes[0], hashes[0]];
  for (const sibling of hashes.slice(1)) {
    if (last === 0) return false;
    if (place % 2 === 1 || place === last) {
      before = await sha256(join([1], sibling, before));
      after = await sha256(join([1], sibling, after));
      while (place % 2 === 0 && place !== 0) {
        place = Math.floor(place / 2);
        last = Math.floor(last / 2);
      }
    } else {
      after = await sha256(join([1], after, sibling));
    }
    place = Math.floor(place / 2);
    last = Math.floor(last / 2);
  }
  return last === 0 && hex(before) === hex(earlier.root) && hex(after) === hex(later.root);
}

function stripped(text) {
  return text.replace(/^\ufeff/, "").replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, "");
}

// The head in a signed note, or in a link that has one behind #.
async function readKept(text, key) {
  let note = stripped(text);
  if (!note.includes("\n") && note.includes("#")) {
    try {
      note = decodeURIComponent(note.slice(note.indexOf("#") + 1));
    } catch {
      expect(false, "kept");
    }
  }
  return openNote(note, key, "kept");
}

function readPath(text) {
  const plain = stripped(text);
  const nodes = (plain ? plain.split("\n") : []).map((line) => decoded(stripped(line)));
  expect(nodes.length <= MOST_HASHES && nodes.every((node) => node.length === HASH_BYTES), "path_form");
  return nodes;
}

async function compareHeads(proven, kept, path) {
  expect(kept.origin === proven.origin, "kept_event");
  expect(kept.size !== proven.size || hex(kept.root) === hex(proven.root), "split");
  const [earlier, later] = kept.size < proven.size ? [kept, proven] : [proven, kept];
  if (path === null && earlier.size !== later.size) {
    throw new PathMissing(proven.origin.slice(proven.origin.lastIndexOf("/") + 1), earlier.size, later.size);
  }
  expect(await isConsistent(earlier, later, path || []), "path");
}

// `keptText` is the text of a head that was kept, `pathText` that of the path; null for what is not given.
async function check(content, keyLine, keptText = null, pathText = null) {
  const key = await readKey(keyLine);
  const proof = readProof(content);
  const head = await openNote(proof.checkpoint, key, "checkpoint");
  const result = await readEntry(proof.result, head, "result_received", 2, RESULT);
  const enrolment = await readEntry(proof.enrolment, head, "device_enrolled", 1, ENROLMENT);
  expect(head.origin === `${key.name}/${result.tournament}`, "event");
  expect(enrolment.tournament === result.tournament, "event");
  expect(proof.enrolment.index < proof.result.index, "facts");
  const { device } = result.body;
  expect(enrolment.body.device === device, "facts");
  const signed = utf8.encode(`flagfall/2/result\n${result.body.message}`);
  const signature = fromBase64(result.body.signature, "signature");
  expect(await isSigned(signed, signature, fromHex(enrolment.body.public_key)), "signature");
  const message = read(result.body.message, MESSAGE, "facts");
  const shown = [proof.game, device, result.tournament, hex(key.public), ...result.body.score];
  const told = [message.game, message.device, message.tournament, message.hub];
  expect(canonical(shown) === canonical([...told, message.score.black, message.score.white]), "facts");
  let names = { black: "", white: "" };
  if (Object.hasOwn(proof, "file")) {
    expect(hex(await sha256(utf8.encode(proof.file))) === message.sha256, "game_file");
    const header = read(proof.file.split("\n", 1)[0], HEADER, "game_file");
    names = { black: header.black.name || "", white: header.white.name || "" };
  }
  const table = await fingerprint(fromHex(enrolment.body.public_key));
  const { by } = enrolment.body;
  if (keptText === null) return { proof, message, head, names, table, kept: null, inKept: null, by };
  const kept = await readKept(keptText, key);
  await compareHeads(head, kept, pathText === null ? null : readPath(pathText));
  return { proof, message, head, names, table, kept, inKept: proof.result.index < kept.size, by };
}

// 60 bits of a key's SHA-256 for people to compare, in Crockford's base32 (flagfall/link/keys.py).
async function fingerprint(key) {
  const bits = number((await sha256(key)).slice(0, 8).reverse()) >> 4n;
  const letters = Array.from({ length: 12 }, (_, at) => LETTERS[Number((bits >> BigInt(55 - 5 * at)) & 31n)]);
  return [0, 4, 8].map((at) => letters.slice(at, at + 4).join("")).join("-");
}

function filled(text, values) {
  return text.replace(/\{(\w+)\}/g, (_, name) => String(values[name]));
}

function groundOf({ kept, inKept }) {
  if (kept === null) return texts.level_hub;
  return filled(inKept ? texts.level_in : texts.level_later, { size: kept.size });
}

function linesOf(proven) {
  const { proof, message, head, names, table, by } = proven;
  const player = (side) => (names[side] ? `${names[side]} (${message.players[side]})` : message.players[side]);
  const both = ["black", "white"].filter((side) => message.signatures[side]);
  const confirmed = { 0: "neither", 1: both[0], 2: "both" }[both.length];
  return [
    groundOf(proven),
    filled(texts.line_result, {
      event: message.tournament,
      game: message.game,
      black: player("black"),
      white: player("white"),
      score: `${message.score.black}\u2013${message.score.white}`,
      reason: texts[`reason_${message.reason}`] || message.reason,
    }),
    texts[`confirmed_${confirmed}`],
    filled(texts.line_signed, { table: message.device, key: table, entry: proof.enrolment.index + 1 }),
    ...(by ? [texts[`enrolled_${by}`]] : []),
    filled(texts.line_record, {
      entry: proof.result.index + 1,
      entries: head.size,
      record: head.origin,
      root: head.shown,
    }),
  ];
}

function show(kind, heading, lines) {
  const answer = document.getElementById("answer");
  answer.className = kind;
  const title = document.createElement("h2");
  title.textContent = heading;
  answer.replaceChildren(
    title,
    ...lines.map((line) => {
      const paragraph = document.createElement("p");
      paragraph.textContent = line;
      return paragraph;
    }),
  );
}

let asked = 0;

async function answer() {
  const [file] = document.getElementById("file").files;
  const [key, kept, path] = ["key", "kept", "path"].map((name) => document.getElementById(name).value);
  const turn = (asked += 1);
  if (!file || !key.trim()) {
    document.getElementById("answer").replaceChildren();
    return;
  }
  let outcome;
  try {
    expect(window.isSecureContext && crypto.subtle !== undefined, "insecure");
    expect(stripped(kept) || !stripped(path), "path_alone");
    const content = new Uint8Array(await file.arrayBuffer());
    const proven = await check(content, key, stripped(kept) ? kept : null, stripped(path) ? path : null);
    const heading = proven.inKept ? ["holds", texts.holds] : ["partly", texts.hub_says];
    outcome = [...heading, [...linesOf(proven), texts.not_proved]];
  } catch (fault) {
    outcome =
      fault instanceof PathMissing
        ? ["partly", texts.path_missing, [texts.path_from, fault.message]]
        : ["fails", texts.fails, [fault instanceof Refused ? fault.message : texts.facts]];
  }
  if (turn === asked) show(...outcome);
}

document.getElementById("file").addEventListener("change", answer);
for (const name of ["key", "kept", "path"]) document.getElementById(name).addEventListener("input", answer);

// The link of a QR code has the head that was printed behind #.
function takeHead() {
  if (location.hash.length > 1) document.getElementById("kept").value = location.href;
  answer();
}

window.addEventListener("hashchange", takeHead);
takeHead();
if (!window.isSecureContext) show("fails", texts.save, [texts.insecure]);
