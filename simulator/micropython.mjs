// Runs Python code in MicroPython's WebAssembly build: node micropython.mjs PACKAGE_DIR ROOT CODE [FOLDER ...]
// FOLDERs of ROOT are copied into its file system; standard input and output are passed through byte by byte.
import { readSync, writeSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [packageDir, root, code, ...folders] = process.argv.slice(2);
const { loadMicroPython } = await import(pathToFileURL(join(packageDir, "micropython.mjs")));

const inbox = Buffer.alloc(4096);
let at = 0, end = 0;
function stdin() {
  if (at === end) {
    flush();
    at = 0;
    try {
      end = readSync(0, inbox, 0, inbox.length, null);
    } catch (error) {
      if (error.code !== "EOF") throw error;
      end = 0;
    }
    if (end === 0) return null;
  }
  return inbox[at++];
}

let outbox = [];
function stdout(bytes) {
  for (const byte of bytes) outbox.push(byte);
  if (outbox.length > 8192) flush();
}
function flush() {
  const bytes = Buffer.from(outbox);
  outbox = [];
  for (let sent = 0; sent < bytes.length;) sent += writeSync(1, bytes, sent);
}

const mp = await loadMicroPython({ linebuffer: false, stdin, stdout, heapsize: 192 * 1024 });
for (const folder of folders) {
  mp.FS.mkdir(folder);
  for (const name of readdirSync(join(root, folder))) {
    if (name.endsWith(".py")) mp.FS.writeFile(join(folder, name), readFileSync(join(root, folder, name)));
  }
}
try {
  mp.runPython(code);
  flush();
} catch (error) {
  console.error(error.message);
  process.exit(1);
}
