// Checks a proof of a result (`flagfall-proof/1`) with a hub's key, and compares it with a head that was kept. It is put
// into verify.html, which works without a server. It takes and refuses the same as hub/proof/result_proof.py,
// hub/proof/kept_head.py and hub/proof/policy.py, in which a change here belongs too.
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
// Types of keys: of one that signs notes, and of a witness.
const SIGNS_NOTES = 1;
const COSIGNS = 4;
const SIGNATURE_BYTES = 64;
const TIME_BYTES = 8;
// Of logs, witnesses and groups of a policy, each.
const MOST_NAMES = 64;
// Of a text of the file, in characters.
const LONGEST_SHOWN = 200;

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

async function readKey(line, kind = SIGNS_NOTES, reason = "key") {
  const [, name, id, encoded] = /^([!-*,-~]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)$/.exec(stripped(line)) || [];
  expect(name !== undefined, reason);
  const data = fromBase64(encoded, reason);
  expect(data[0] === kind && isPublicKey(data.slice(1)), reason);
  const expected = (await sha256(join(utf8.encode(`${name}\n`), data))).slice(0, 4);
  expect(hex(expected) === id, reason);
  return { name, id, public: data.slice(1) };
}

// The text of a note and its signatures, none of which is checked.
function splitNote(copy, reason) {
  // A copy by an editor or a mail program counts: with a byte order mark, with other line ends, without the last one.
  const note = `${copy.replace(/^\ufeff/, "").replaceAll("\r\n", "\n").replace(/\n+$/, "")}\n`;
  const end = note.lastIndexOf("\n\n");
  expect(end >= 0 && end + 2 < note.length, reason);
  expect(utf8.encode(note).length <= LARGEST_NOTE && !/[\x00-\x09\x0b-\x1f]/.test(note), reason);
  const text = note.slice(0, end + 1);
  const lines = note.slice(end + 2, -1).split("\n");
  expect(lines.length <= MOST_SIGNATURES, reason);
  const signatures = lines.map((line) => {
    const [dash, name, encoded, ...more] = line.split(" ");
    expect(dash === "\u2014" && encoded !== undefined && more.length === 0, reason);
    const signature = decoded(encoded);
    return { name, id: hex(signature.slice(0, 4)), content: signature.slice(4) };
  });
  return { text, signatures };
}

async function openNote(copy, key, reason) {
  const { text, signatures } = splitNote(copy, reason);
  for (const { name, id, content } of signatures) {
    if (name !== key.name || id !== key.id) continue;
    expect(await isSigned(utf8.encode(text), content, key.public), reason);
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

function unquoted(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return expect(false, "kept");
  }
}

// The note of a short link EVENT/SIZE/DIGITS: the digits are the root and the hub's signature in one number.
function noteOf(event, size, digits, key) {
  const number = BigInt(digits).toString(16).padStart(2 * (HASH_BYTES + SIGNATURE_BYTES), "0");
  expect(number.length === 2 * (HASH_BYTES + SIGNATURE_BYTES), "kept");
  const content = fromHex(number);
  const encoded = (bytes) => btoa(String.fromCharCode(...bytes));
  const signature = encoded(join(fromHex(key.id), content.slice(HASH_BYTES)));
  const root = encoded(content.slice(0, HASH_BYTES));
  return `${key.name}/${event}\n${size}\n${root}\n\n\u2014 ${key.name} ${signature}\n`;
}

// The head in a signed note, or in a link that has one behind #, short or whole.
async function readKept(text, key) {
  let note = stripped(text);
  if (!note.includes("\n") && note.includes("#")) {
    const fragment = note.slice(note.indexOf("#") + 1);
    const short = /^([^/]+)\/([0-9]{1,15})\/([0-9]{232})$/.exec(fragment);
    note = short ? noteOf(unquoted(short[1]), short[2], short[3], key) : unquoted(fragment);
  }
  return { ...(await openNote(note, key, "kept")), note };
}

// The witnesses of a policy that have cosigned a head (C2SP's tlog-cosignature, that of Ed25519), by their keys.
async function cosigners(note, keys) {
  const { text, signatures } = splitNote(note, "checkpoint");
  const seen = new Set();
  for (const { name, id, content } of signatures) {
    for (const key of keys.filter((other) => other.name === name && other.id === id)) {
      const time = BigInt(`0x${hex(content.slice(0, TIME_BYTES)) || "0"}`);
      expect(content.length === TIME_BYTES + SIGNATURE_BYTES && time > 0n && time < 2n ** 63n, "cosignature");
      const message = utf8.encode(`cosignature/v1\ntime ${time}\n${text}`);
      expect(await isSigned(message, content.slice(TIME_BYTES), key.public), "cosignature");
      seen.add(key);
    }
  }
  return keys.filter((key) => seen.has(key));
}

function addWitness(witnesses, name, key) {
  const isSame = (other) => hex(other.public) === hex(key.public);
  expect(![...witnesses.values()].some(isSame), "policy");
  witnesses.set(name, key);
}

// The policy in a text: a key of a witness on each line, of which `atLeast` must have seen a head (by default all), or a
// policy as C2SP's tlog-policy has it.
async function readPolicy(text, atLeast) {
  const plain = text.replace(/^\ufeff/, "").replaceAll("\r\n", "\n");
  const lines = plain.split("\n").map((line) => line.split(/[ \t]+/).filter((word) => word !== ""));
  const filled = lines.filter((words) => words.length > 0 && !words[0].startsWith("#"));
  const isPolicy = filled.some((words) => words.length > 1);
  const [witnesses, groups, logs, members] = [new Map(), new Map(), [], new Set()];
  if (!isPolicy) {
    for (const [index, [line]] of filled.entries()) {
      addWitness(witnesses, `${index + 1}`, await readKey(line, COSIGNS, "witness_key"));
    }
    const least = atLeast === null ? witnesses.size : Number(atLeast);
    expect(Number.isInteger(least) && least >= 1 && least <= witnesses.size, "at_least");
    groups.set("all", { least, names: [...witnesses.keys()] });
    return { witnesses, groups, logs, quorum: "all" };
  }
  expect(atLeast === null, "at_least_policy");
  expect(utf8.encode(plain).length <= LARGEST_NOTE && !/[\x00-\x08\x0b-\x1f\x7f]/.test(plain), "policy");
  let quorum = null;
  const isNew = (name) => name !== "none" && !witnesses.has(name) && !groups.has(name);
  for (const [word, ...rest] of filled) {
    if (word === "log" && (rest.length === 1 || rest.length === 2)) {
      const key = await readKey(rest[0], SIGNS_NOTES, "policy");
      expect(!logs.some((other) => hex(other.public) === hex(key.public)), "policy");
      logs.push(key);
    } else if (word === "witness" && (rest.length === 2 || rest.length === 3)) {
      expect(isNew(rest[0]), "policy");
      addWitness(witnesses, rest[0], await readKey(rest[1], COSIGNS, "policy"));
    } else if (word === "group" && rest.length >= 3) {
      const [name, count, ...names] = rest;
      expect(isNew(name), "policy");
      const least = { any: "1", all: `${names.length}` }[count] || count;
      expect(/^[1-9][0-9]{0,3}$/.test(least) && Number(least) <= names.length, "policy");
      for (const member of names) {
        expect((witnesses.has(member) || groups.has(member)) && !members.has(member), "policy");
        members.add(member);
      }
      groups.set(name, { least: Number(least), names });
    } else {
      expect(word === "quorum" && rest.length === 1 && quorum === null, "policy");
      expect(rest[0] === "none" || witnesses.has(rest[0]) || groups.has(rest[0]), "policy");
      [quorum] = rest;
    }
    expect(Math.max(logs.length, witnesses.size, groups.size) <= MOST_NAMES, "policy");
  }
  expect(quorum !== null, "policy");
  return { witnesses, groups, logs, quorum };
}

// The names of the policy's witnesses that have seen the head of a proof, which must be enough.
async function witnessesOf(note, head, key, policy) {
  const keys = [...policy.witnesses.values()];
  expect(!keys.some((other) => hex(other.public) === hex(key.public)), "witness_hub");
  const isOf = (log) => hex(log.public) === hex(key.public) && [head.origin, key.name].includes(log.name);
  expect(policy.logs.length === 0 || policy.logs.some(isOf), "policy_record");
  const seenBy = await cosigners(note, keys);
  const seen = new Set(["none"]);
  for (const [name, witness] of policy.witnesses) if (seenBy.includes(witness)) seen.add(name);
  for (const [name, { least, names }] of policy.groups) {
    if (names.filter((member) => seen.has(member)).length >= least) seen.add(name);
  }
  expect(seen.has(policy.quorum), "witnesses_few");
  return seenBy.map((witness) => witness.name);
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

// `keptText` is the text of a head that was kept, `pathText` that of the path, `witnessText` has the keys of witnesses or
// a policy, `atLeast` how many must have seen the head; null for what is not given.
async function check(content, keyLine, keptText = null, pathText = null, witnessText = null, atLeast = null) {
  const key = await readKey(keyLine);
  const policy = witnessText === null ? null : await readPolicy(witnessText, atLeast);
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
  const seenBy = policy === null ? null : await witnessesOf(proof.checkpoint, head, key, policy);
  const proven = { proof, message, head, names, table, by, seenBy, kept: null, inKept: null, keyBefore: false, keptSeenBy: [] };
  if (keptText === null) return proven;
  const kept = await readKept(keptText, key);
  await compareHeads(head, kept, pathText === null ? null : readPath(pathText));
  const inKept = proof.result.index < kept.size;
  const keyBefore = !inKept && proof.enrolment.index < kept.size;
  const witnesses = policy === null ? [] : await cosigners(kept.note, [...policy.witnesses.values()]);
  return { ...proven, kept, inKept, keyBefore, keptSeenBy: witnesses.map((witness) => witness.name) };
}

// 60 bits of a key's SHA-256 for people to compare, in Crockford's base32 (flagfall/link/keys.py).
async function fingerprint(key) {
  const bits = number((await sha256(key)).slice(0, 8).reverse()) >> 4n;
  const letters = Array.from({ length: 12 }, (_, at) => LETTERS[Number((bits >> BigInt(55 - 5 * at)) & 31n)]);
  return [0, 4, 8].map((at) => letters.slice(at, at + 4).join("")).join("-");
}

// A text of the file as it may be shown: what turns or hides the text beside it is a question mark, and a long one is cut.
function visible(text) {
  const shown = Array.from(text.slice(0, 4 * LONGEST_SHOWN).replace(/[\p{C}\p{Zl}\p{Zp}]/gu, "?"));
  return shown.length > LONGEST_SHOWN ? `${shown.slice(0, LONGEST_SHOWN).join("")}\u2026` : shown.join("");
}

// The parts of a line. Each value is an element of its own, so that letters written from right to left turn no score
// that stands beside them.
function filled(text, values) {
  return text.split(/\{(\w+)\}/).map((part, at) => {
    if (at % 2 === 0) return part;
    const value = document.createElement("bdi");
    value.textContent = visible(String(values[part]));
    return value;
  });
}

// What the result rests on: witnesses, a head that was kept, or the hub's word alone.
function groundsOf({ kept, inKept, seenBy }) {
  const seen = seenBy && seenBy.length > 0;
  const witnesses = seen ? [filled(texts.level_seen, { count: seenBy.length, names: seenBy.join(", ") })] : [];
  if (kept === null) return seen ? witnesses : [texts.level_hub];
  return [...witnesses, filled(inKept ? texts.level_in : texts.level_later, { size: kept.size })];
}

function linesOf(proven) {
  const { proof, message, head, names, table, by, keyBefore, keptSeenBy } = proven;
  const seenToo = filled(texts.key_before_seen, { names: keptSeenBy.join(", ") });
  const before = keyBefore ? [texts.key_before, ...(keptSeenBy.length > 0 ? [seenToo] : [])] : [];
  const player = (side) => (names[side] ? `${names[side]} (${message.players[side]})` : message.players[side]);
  const both = ["black", "white"].filter((side) => message.signatures[side]);
  const confirmed = { 0: "neither", 1: both[0], 2: "both" }[both.length];
  return [
    ...groundsOf(proven),
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
    ...before,
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
      paragraph.append(...[line].flat());
      return paragraph;
    }),
  );
}

const FIELDS = ["key", "kept", "path", "witnesses", "least"];
let asked = 0;

async function answer() {
  const [file] = document.getElementById("file").files;
  const [key, kept, path, witnesses, atLeast] = FIELDS.map((name) => document.getElementById(name).value);
  const turn = (asked += 1);
  if (!file || !key.trim()) {
    document.getElementById("answer").replaceChildren();
    return;
  }
  let outcome;
  try {
    expect(window.isSecureContext && crypto.subtle !== undefined, "insecure");
    expect(stripped(kept) || !stripped(path), "path_alone");
    expect(stripped(witnesses) || !stripped(atLeast), "at_least_alone");
    const content = new Uint8Array(await file.arrayBuffer());
    const given = [kept, path, witnesses, atLeast].map((text) => (stripped(text) ? text : null));
    const proven = await check(content, key, ...given);
    const seen = proven.seenBy !== null && proven.seenBy.length > 0;
    const heading = proven.inKept || seen ? ["holds", texts.holds] : ["partly", texts.hub_says];
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
for (const name of FIELDS) document.getElementById(name).addEventListener("input", answer);

// The link of a QR code has the head that was printed behind #.
function takeHead() {
  if (location.hash.length > 1) document.getElementById("kept").value = location.href;
  answer();
}

window.addEventListener("hashchange", takeHead);
takeHead();
if (!window.isSecureContext) show("fails", texts.save, [texts.insecure]);
