// A picture of the final board: made small here, sent, and shown beside the board that the hub has found in it. Its
// squares are changed by a tap, its corners by dragging them. Without this script the forms do the same at the hub.

(() => {
  const LONGEST = 2000; // pixels of the longer side: more shows grain, not more of a board
  const QUALITY = 0.85;
  const ANSWER_MS = 180000;
  const AGAIN_MS = 4000;
  const PLACE_MS = 2000;
  const NEXT = { "?": "X", X: "O", O: "-", "-": "X" };
  const KINDS = { X: "x", O: "o", "?": "u", "-": "" };
  const KEPT = `flagfall board ${location.pathname.split("/").slice(0, 3).join("/")}`;
  const CORNERS = [[0.1, 0.1], [0.9, 0.1], [0.9, 0.9], [0.1, 0.9]];

  let picture = null; // the blob that is sent, while this page lives
  let drawn = null; // the same as a canvas
  let sent = 0;

  const section = () => document.getElementById("photograph");
  const part = (selector) => section()?.querySelector(selector);
  const pause = (ms) => new Promise((done) => { setTimeout(done, ms); });
  const keep = (value) => { try { if (value) sessionStorage.setItem(KEPT, JSON.stringify(value)); else sessionStorage.removeItem(KEPT); } catch { /* a reload forgets it */ } };
  const kept = () => { try { return JSON.parse(sessionStorage.getItem(KEPT)); } catch { return null; } };

  function tell(text) {
    const status = part(".status");
    if (!status) return;
    status.textContent = text;
    status.hidden = !text;
  }

  // While the camera is open, or a picture on its way, the page does not renew itself.
  let opened = false;
  const hold = () => { window.photographing = opened || Boolean(sent); };

  async function small(file) {
    const bitmap = await createImageBitmap(file);
    const factor = Math.min(1, LONGEST / Math.max(bitmap.width, bitmap.height));
    const canvas = Object.assign(document.createElement("canvas"), { width: Math.max(1, Math.round(bitmap.width * factor)), height: Math.max(1, Math.round(bitmap.height * factor)) });
    canvas.getContext("2d").drawImage(bitmap, 0, 0, canvas.width, canvas.height);
    bitmap.close();
    const blob = await new Promise((done) => { canvas.toBlob(done, "image/jpeg", QUALITY); });
    if (!blob) throw new Error("no picture");
    return [blob, canvas];
  }

  async function take(input) {
    const [file] = input.files;
    const form = input.form;
    opened = false;
    if (!file) return;
    // What this browser cannot decode goes as it is: the hub says what to do with it.
    try { [picture, drawn] = await small(file); } catch { [picture, drawn] = [file, null]; }
    input.value = "";
    await send(form, "");
  }

  async function send(form, corners) {
    const mine = (sent += 1);
    hold();
    const contents = new FormData(form);
    for (const name of ["taken", "chosen"]) contents.delete(name);
    contents.append("chosen", picture, "board.jpg");
    if (corners) contents.set("corners", corners);
    const action = form.getAttribute("action");
    for (;;) {
      tell(section()?.dataset.reads ?? "");
      const told = tellPlace(mine);
      try {
        const answer = await fetch(action, { method: "POST", body: contents, signal: AbortSignal.timeout?.(ANSWER_MS) });
        const html = await answer.text();
        if (mine !== sent) return;
        if (answer.status !== 503) { sent = 0; hold(); show(html); return; }
      } catch {
        if (mine !== sent) return;
        window.reach?.lost();
      }
      clearInterval(told);
      tell(section()?.dataset.lost ?? "");
      await pause(AGAIN_MS);
      if (mine !== sent) return;
    }
  }

  function tellPlace(mine) {
    const address = section()?.dataset.place;
    if (!address) return 0;
    const timer = setInterval(async () => {
      if (mine !== sent) { clearInterval(timer); return; }
      try {
        const { place } = await (await fetch(address)).json();
        if (mine === sent && place > 1) tell(section().dataset.waits.replace("{place}", place));
      } catch { /* asked again */ }
    }, PLACE_MS);
    return timer;
  }

  // The answer is the whole page: its part about the picture, or why there is none, takes the place of this one's.
  function show(html) {
    const page = new DOMParser().parseFromString(html, "text/html");
    const fresh = page.getElementById("photograph");
    for (const without of page.querySelectorAll("noscript")) without.remove();
    const fault = page.querySelector("[role=alert].notice, #refusal");
    window.reach?.heard();
    if (!fresh?.querySelector("[data-count]") && fault && !fresh?.contains(fault) || !fresh) {
      tell(fault?.textContent ?? document.title);
      return;
    }
    section().replaceWith(document.adoptNode(fresh));
    begin();
    section().scrollIntoView({ block: "start" });
  }

  // The board

  const marks = (form) => form.elements.board.value;

  function scoreOf(squares, rules) {
    const [black, white] = [othello.count(squares, "X"), othello.count(squares, "O")];
    if (black === white) return rules.draw ? rules.draw.split("-") : [black, white];
    if (rules.wipeOut && (!black || !white)) { const [most, least] = rules.wipeOut.split("-"); return black ? [most, least] : [least, most]; }
    if (rules.count === "winner") return black > white ? [64 - white, white] : [black, 64 - black];
    return [black, white];
  }

  function count(form) {
    const squares = marks(form);
    const unknown = squares.includes("?");
    const ended = form.elements.ended?.value || form.elements.reason?.value || "board";
    const goesOn = !unknown && (othello.canMove(squares, "X") || othello.canMove(squares, "O"));
    const score = unknown || goesOn ? null : scoreOf(squares, form.dataset);
    form.querySelector("[data-unknown]").hidden = !unknown;
    form.querySelector("[data-goes-on]").hidden = !goesOn || ended !== "board";
    form.querySelector("[data-score]").hidden = !score || ended !== "board";
    for (const [side, at] of [["black", 0], ["white", 1]]) form.querySelector(`[data-${side}]`).textContent = score ? score[at] : "";
    const typed = form.querySelector("[data-unless-board]");
    if (typed) {
      typed.hidden = ended === "board";
      for (const input of typed.querySelectorAll("input")) input.required = ended !== "board";
    }
    form.querySelector("[data-report]").disabled = ended === "board" ? !score : unknown;
    const own = [form.elements.mine?.value, form.elements.theirs?.value];
    form.dataset.says = ended !== "board" ? own.join("–") : score ? score.join("–") : "";
  }

  function tap(button) {
    const form = button.form;
    const at = Number(button.value);
    const squares = marks(form);
    const mark = NEXT[squares[at]];
    form.elements.board.value = squares.slice(0, at) + mark + squares.slice(at + 1);
    button.className = KINDS[mark];
    const texts = button.parentElement.dataset;
    const name = button.getAttribute("aria-label");
    const text = texts[KINDS[mark] || "empty"];
    button.setAttribute("aria-label", name.slice(0, name.length - texts[KINDS[squares[at]] || "empty"].length) + text);
    count(form);
    remember(form);
  }

  const remember = (form) => keep(Object.fromEntries([...new FormData(form)].filter(([name]) => name !== "csrf" && name !== "shown")));

  // The corners

  const textOf = (corners) => corners.map(([x, y]) => `${x.toFixed(4)},${y.toFixed(4)}`).join(" ");

  function drawFrame() {
    const frame = part(".frame");
    if (!frame) return;
    if (!drawn) { frame.remove(); return; }
    const canvas = Object.assign(document.createElement("canvas"), { width: drawn.width, height: drawn.height });
    frame.hidden = false;
    frame.replaceChildren(canvas);
    const given = frame.dataset.corners ? frame.dataset.corners.split(" ").map((pair) => pair.split(",").map(Number)) : CORNERS;
    const corners = given.map((corner) => [...corner]);
    const handles = corners.map((_, at) => {
      const handle = Object.assign(document.createElement("button"), { type: "button", className: "corner" });
      handle.setAttribute("aria-label", section().dataset.corner.replace("{number}", at + 1));
      return handle;
    });
    const draw = () => {
      const pen = canvas.getContext("2d");
      pen.drawImage(drawn, 0, 0);
      pen.lineWidth = Math.max(canvas.width, canvas.height) / 200;
      pen.strokeStyle = getComputedStyle(frame).getPropertyValue("--mark");
      pen.beginPath();
      for (const [x, y] of corners) pen.lineTo(x * canvas.width, y * canvas.height);
      pen.closePath();
      pen.stroke();
      handles.forEach((handle, at) => {
        handle.style.insetInlineStart = "auto";
        handle.style.left = `${100 * corners[at][0]}%`;
        handle.style.top = `${100 * corners[at][1]}%`;
      });
    };
    const move = (at, x, y) => {
      corners[at] = [Math.min(1, Math.max(0, x)), Math.min(1, Math.max(0, y))];
      frame.dataset.moved = textOf(corners);
      draw();
    };
    handles.forEach((handle, at) => {
      handle.addEventListener("pointerdown", (event) => { handle.setPointerCapture(event.pointerId); event.preventDefault(); });
      handle.addEventListener("pointermove", (event) => {
        if (!handle.hasPointerCapture(event.pointerId)) return;
        const box = canvas.getBoundingClientRect();
        move(at, (event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height);
      });
      handle.addEventListener("keydown", (event) => {
        const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
        if (!step) return;
        event.preventDefault();
        move(at, corners[at][0] + step[0] / 200, corners[at][1] + step[1] / 200);
      });
    });
    frame.append(...handles);
    frame.dataset.moved = textOf(corners);
    for (const scripted of section().querySelectorAll("[data-scripted]")) scripted.hidden = false;
    draw();
  }

  // Begin and end

  function begin() {
    const form = part("form[data-count]");
    drawFrame();
    if (!form) return;
    count(form);
    remember(form);
  }

  // After a reload the board stands here again: what was tapped is not lost. The picture is.
  async function bringBack() {
    const fields = kept();
    const now = section();
    if (!fields || !now || now.querySelector("form[data-count]")) return;
    const pick = now.querySelector("form[data-photograph]");
    if (fields.game !== pick.elements.game?.value) return;
    const contents = new URLSearchParams(fields);
    for (const name of ["csrf", "shown"]) if (pick.elements[name]) contents.set(name, pick.elements[name].value);
    try {
      const answer = await fetch(now.dataset.board, { method: "POST", body: contents });
      if (answer.ok) show(await answer.text());
    } catch { /* at the next load */ }
  }

  document.addEventListener("click", (event) => {
    const button = event.target.closest("button, input[type=file]");
    if (!button?.closest("#photograph")) return;
    if (button.type === "file") { opened = true; hold(); return; }
    if (button.name === "tap") { event.preventDefault(); tap(button); }
    if ("again" in button.dataset && picture) send(part("form[data-photograph]"), part(".frame").dataset.moved);
  });
  document.addEventListener("change", (event) => {
    if (event.target.closest("form[data-photograph]") && event.target.type === "file") take(event.target);
    else if (event.target.closest("form[data-count]")) { count(event.target.form); remember(event.target.form); }
  });
  document.addEventListener("cancel", (event) => { if (event.target.type === "file") { opened = false; hold(); } }, true);
  document.addEventListener("submit", (event) => {
    if (event.target.matches("form[data-photograph]")) { event.preventDefault(); event.stopImmediatePropagation(); }
    else if (event.target.matches("form[data-count]")) section().removeAttribute("data-kept");
  }, true);
  document.addEventListener("stored", () => { keep(null); part("form[data-count]")?.reset(); [picture, drawn] = [null, null]; });
  document.addEventListener("told", () => { setTimeout(bringBack, 1000); });
  document.addEventListener("page-swapped", begin);
  const start = () => { begin(); bringBack(); };
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();
