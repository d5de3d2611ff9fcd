// Checks a proof of a result (`flagfall-proof/1`) with a hub's key, as hub/proof/result_proof.py does. It is put into
// verify.html, which works without a server.
"use strict";

const texts = JSON.parse(document.getElementById("texts").textContent);
const utf8 = new TextEncoder();
const LARGEST_BYTES = 8 << 20;

class Refused extends Error {}

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
  expect(typeof text === "string" && /^([0-9a-f]{2})*$/.test(text), "facts");
  return Uint8Array.from(text.match(/../g) || [], (pair) => parseInt(pair, 16));
}

function fromBase64(text, reason) {
  let binary = "";
  try {
    binary = atob(text);
  } catch {
    expect(false, reason);
  }
  expect(typeof text === "string" && btoa(binary) === text, reason);
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

async function sha256(bytes) {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
}

async function isSigned(message, signature, key) {
  if (signature.length !== 64 || key.length !== 32) return false;
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

function parsed(text, reason) {
  try {
    return JSON.parse(text);
  } catch {
    return expect(false, reason);
  }
}

async function readKey(line) {
  const [, name, id, encoded] = /^([^+\s]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)$/.exec(line.trim()) || [];
  expect(name !== undefined, "key");
  const data = fromBase64(encoded, "key");
  expect(data.length === 33 && data[0] === 1, "key");
  const expected = (await sha256(join(utf8.encode(`${name}\n`), data))).slice(0, 4);
  expect(hex(expected) === id, "key");
  return { name, id, public: data.slice(1) };
}

async function openNote(copy, key) {
  expect(typeof copy === "string", "proof");
  // A copy by an editor or a mail program counts: with a byte order mark, with other line ends, without the last one.
  const note = `${copy.replace(/^\ufeff/, "").replaceAll("\r\n", "\n").replace(/\n+$/, "")}\n`;
  const end = note.lastIndexOf("\n\n");
  expect(end >= 0, "checkpoint");
  const text = note.slice(0, end + 1);
  for (const line of note.slice(end + 2, -1).split("\n")) {
    const [, name, encoded] = /^\u2014 (\S+) (\S+)$/.exec(line) || [];
    expect(name !== undefined, "checkpoint");
    if (name !== key.name) continue;
    const signature = fromBase64(encoded, "checkpoint");
    if (hex(signature.slice(0, 4)) !== key.id) continue;
    expect(await isSigned(utf8.encode(text), signature.slice(4), key.public), "checkpoint");
    const [origin, size, root] = text.split("\n");
    expect(/^[1-9][0-9]{0,14}$/.test(size), "checkpoint");
    return { origin, size: Number(size), root: fromBase64(root, "checkpoint"), shown: root };
  }
  return expect(false, "checkpoint");
}

async function isIncluded(leaf, index, path, head) {
  if (!Number.isSafeInteger(index) || index < 0 || index >= head.size) return false;
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

async function readEntry(proven, head, type, version) {
  expect(proven !== null && typeof proven === "object" && Array.isArray(proven.path), "proof");
  const content = fromBase64(proven.entry, "proof");
  expect(Object.keys(proven).join() === "entry,index,path", "bytes");
  const path = proven.path.map((node) => fromBase64(node, "proof"));
  expect(await isIncluded(await sha256(join([0], content)), proven.index, path, head), "included");
  const entry = parsed(new TextDecoder().decode(content), "facts");
  expect(entry.type === type && entry.version === version, "facts");
  return { ...entry, body: parsed(entry.body, "facts") };
}

async function check(content, keyLine) {
  const key = await readKey(keyLine);
  expect(content.length <= LARGEST_BYTES, "proof");
  let text = "";
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(content);
  } catch {
    expect(false, "proof");
  }
  const proof = parsed(text, "proof");
  expect(proof !== null && proof.format === "flagfall-proof/1", "proof");
  expect(`${canonical(proof)}\n` === text, "bytes");
  const fields = Object.keys(proof).filter((name) => name !== "file");
  expect(fields.join() === "checkpoint,enrolment,format,game,result", "bytes");
  const head = await openNote(proof.checkpoint, key);
  const result = await readEntry(proof.result, head, "result_received", 2);
  const enrolment = await readEntry(proof.enrolment, head, "device_enrolled", 1);
  expect(head.origin === `${key.name}/${result.tournament}`, "event");
  expect(enrolment.tournament === result.tournament, "event");
  expect(proof.enrolment.index < proof.result.index, "facts");
  const { device } = result.body;
  expect(enrolment.body.device === device, "facts");
  const signed = utf8.encode(`flagfall/2/result\n${result.body.message}`);
  const signature = fromBase64(result.body.signature, "signature");
  expect(await isSigned(signed, signature, fromHex(enrolment.body.public_key)), "signature");
  const message = parsed(result.body.message, "facts");
  const shown = [proof.game, device, result.tournament, hex(key.public), ...result.body.score];
  const told = [message.game, message.device, message.tournament, message.hub];
  expect(canonical(shown) === canonical([...told, message.score.black, message.score.white]), "facts");
  let names = { black: "", white: "" };
  if (proof.file !== undefined) {
    expect(hex(await sha256(utf8.encode(proof.file))) === message.sha256, "game_file");
    const header = parsed(proof.file.split("\n", 1)[0], "game_file");
    names = { black: header.black?.name || "", white: header.white?.name || "" };
  }
  return { proof, message, head, names, key: enrolment.body.public_key };
}

function filled(text, values) {
  return text.replace(/\{(\w+)\}/g, (_, name) => String(values[name]));
}

function linesOf({ proof, message, head, names, key }) {
  const player = (side) => (names[side] ? `${names[side]} (${message.players[side]})` : message.players[side]);
  const both = ["black", "white"].filter((side) => message.signatures[side]);
  const confirmed = { 0: "neither", 1: both[0], 2: "both" }[both.length];
  return [
    filled(texts.line_result, {
      event: message.tournament,
      game: message.game,
      black: player("black"),
      white: player("white"),
      score: `${message.score.black}\u2013${message.score.white}`,
      reason: texts[`reason_${message.reason}`] || message.reason,
    }),
    texts[`confirmed_${confirmed}`],
    filled(texts.line_signed, { table: message.device, key: key.slice(0, 16), entry: proof.enrolment.index + 1 }),
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
  const key = document.getElementById("key").value;
  const turn = (asked += 1);
  if (!file || !key.trim()) {
    document.getElementById("answer").replaceChildren();
    return;
  }
  let outcome;
  try {
    expect(window.isSecureContext && crypto.subtle !== undefined, "insecure");
    const proven = await check(new Uint8Array(await file.arrayBuffer()), key);
    outcome = ["holds", texts.holds, [...linesOf(proven), texts.not_proved]];
  } catch (fault) {
    outcome = ["fails", texts.fails, [fault instanceof Refused ? fault.message : texts.facts]];
  }
  if (turn === asked) show(...outcome);
}

document.getElementById("file").addEventListener("change", answer);
document.getElementById("key").addEventListener("input", answer);
if (!window.isSecureContext) show("fails", texts.save, [texts.insecure]);
