// Brings the page to life; without it everything is still there, only not by itself.
// The server sends finished parts of the page; clocks that run are counted down between them.

import { listen, replacePart, tick, wind } from "./clocks.js";

const stream = document.body.dataset.stream;

wind(document);
setInterval(tick, 100);
if (stream) listen(stream, replacePart);
