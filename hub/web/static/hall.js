// Brings the page to life; without it everything is still there, only not by itself.
// The server sends finished parts of the page; clocks that run are counted down between them.

import { replacePart } from "./clock.js";
import { listen } from "./stream.js";

const stream = document.body.dataset.stream;

const NEWS = ["heading", "tables", "results"]; // beside them only clocks and places have changed

function hear({ id, html }) {
  if (replacePart(id, html) && NEWS.includes(id)) document.dispatchEvent(new Event("news"));
}
if (stream) listen(stream, { part: hear });
