// Forms are sent while their page stays: the browser's own error page never takes the place of what was typed.
// Loaded before the page is drawn, so that no form is sent without it.

(() => {
  const byId = (id) => document.getElementById(id);

  // White has what Black has not.
  document.addEventListener("input", (event) => {
    const input = event.target;
    const other = input.dataset.complement && input.form?.elements[input.dataset.complement];
    if (other && !other.dataset.touched) {
      const typed = input.value.normalize("NFKC").trim(); // full-width figures count too
      const discs = Number(typed);
      other.value = typed !== "" && discs >= 0 && discs <= 64 ? String(64 - discs) : "";
    } else if (!other && input.form?.querySelector(`[data-complement="${CSS.escape(input.name)}"]`)) {
      input.dataset.touched = "1";
    }
  });

  // What is grave is pressed twice; the second press counts for some seconds.
  const SURE_MS = 6000;
  let clickCount = 0;
  document.addEventListener("click", (event) => { clickCount = event.detail; }, true);
  function asksFirst(form, button) {
    if (!button?.dataset.sure) return false;
    if (button.dataset.asked) return clickCount > 1; // a double click is one press
    // A ruling to all tables: only those that end games.
    const rule = form.elements.rule?.selectedOptions?.[0];
    if (rule && !("grave" in rule.dataset)) return false;
    const text = button.textContent;
    button.dataset.asked = "1";
    button.textContent = button.dataset.sure;
    setTimeout(() => {
      button.textContent = text;
      delete button.dataset.asked;
      document.dispatchEvent(new Event("asked-no-more"));
    }, SURE_MS);
    return true;
  }

  // What was typed outlives a login that has ended: after the sign-in page it stands in its form again, not sent yet.
  const fieldsOf = (form) => [...form.elements].filter((field) => field.name && !field.matches("button, [type=hidden], [type=password], [type=file]"));
  const stateOf = (field) => (field.matches("[type=checkbox], [type=radio]") ? "checked" : "value");
  const typedIn = (form) => fieldsOf(form).map((field) => field[stateOf(field)]);
  const formOf = (kept) => [...document.forms].find((form) => form.getAttribute("action") === kept.action && fieldsOf(form).length === kept.typed.length);
  function fill(form, kept) {
    fieldsOf(form).forEach((field, at) => { field[stateOf(field)] = kept.typed[at]; });
    for (const box of form.querySelectorAll("details")) box.open = true;
  }
  function keep(form) {
    sessionStorage.setItem("typed", JSON.stringify({ action: form.getAttribute("action"), typed: typedIn(form) }));
  }
  function bringBack() {
    const kept = JSON.parse(sessionStorage.getItem("typed") ?? "null");
    if (!document.body.dataset.changes) { if (kept) sessionStorage.setItem("signed-out", "1"); return; }
    const wanted = sessionStorage.getItem("signed-out") && kept;
    sessionStorage.removeItem("typed");
    sessionStorage.removeItem("signed-out");
    const form = wanted && formOf(kept);
    // A field that the page itself proposes a value for is not typed.
    if (!form || fieldsOf(form).every((field, at) => "propose" in field.dataset || field[stateOf(field)] === kept.typed[at])) return;
    fill(form, kept);
    byId("brought-back").hidden = false;
  }

  // A change of the language keeps what is typed, also before signing in.
  const LANGUAGE = "/desk/language";
  const changed = (field) => (stateOf(field) === "checked" ? field.checked !== field.defaultChecked
    : field.matches("select") ? [...field.options].some((option) => option.selected !== option.defaultSelected) : field.value !== field.defaultValue);
  function keepForLanguage() {
    const form = [...document.forms].find((other) => other.getAttribute("action") !== LANGUAGE && fieldsOf(other).some(changed));
    if (form) sessionStorage.setItem("in-language", JSON.stringify({ action: form.getAttribute("action"), typed: typedIn(form) }));
  }
  function bringIntoLanguage() {
    const kept = JSON.parse(sessionStorage.getItem("in-language") ?? "null");
    sessionStorage.removeItem("in-language");
    const form = kept && formOf(kept);
    if (form) fill(form, kept);
  }

  // Back to a form that has made something: it has the name that it had then, and makes nothing a second time.
  function nameAgain() {
    const named = document.querySelectorAll("input[name=once]");
    if (!named.length) return;
    if (!history.state?.once) history.replaceState({ ...history.state, once: named[0].value }, "");
    for (const input of named) input.value = history.state.once;
  }

  // Another page in the place of this one, as the browser would show it.
  let address = location.pathname + location.search;
  function show(html, at) {
    const page = new DOMParser().parseFromString(html, "text/html");
    if (!page.getElementById("main")) { byId("unsent").hidden = false; return; }
    if (at) { history.pushState({}, "", at); address = location.pathname + location.search; }
    document.title = page.title;
    for (const place of [".top", "#main"]) document.querySelector(place).replaceWith(page.querySelector(place));
    if (page.body.dataset.changes) document.body.dataset.changes = page.body.dataset.changes;
    else delete document.body.dataset.changes;
    if (!document.body.dataset.changes && sessionStorage.getItem("typed")) sessionStorage.setItem("signed-out", "1");
    const first = document.querySelector("#main [autofocus]");
    if (first) first.focus();
    else scrollTo(0, 0);
    document.dispatchEvent(new Event("page-swapped"));
  }
  addEventListener("popstate", () => { if (location.pathname + location.search !== address) location.reload(); });

  function goTo(to) {
    window.typedResults?.goInside();
    location.assign(to);
  }

  function contentsOf(form, button) {
    const contents = new FormData(form);
    if (button?.name) contents.append(button.name, button.value);
    // The games of a draft that are ticked to be kept go with everything that is done to it.
    const again = byId("again");
    if (again && form !== again && form.elements.revision) {
      for (const [name, value] of new FormData(again)) if (name === "ticks" || name === "keep") contents.append(name, value);
    }
    return contents;
  }

  // A button or link that is being answered shows it, once that takes longer than anybody takes for at once.
  const FELT_MS = 300;
  function working(pressed) {
    const sign = setTimeout(() => pressed?.setAttribute("aria-busy", "true"), FELT_MS);
    return () => {
      clearTimeout(sign);
      pressed?.removeAttribute("aria-busy");
    };
  }

  const SLOW_MS = 5000;
  async function send(form, button) {
    const contents = contentsOf(form, button); // as it stands at this moment, whatever is typed next
    const isGet = form.method === "get";
    const plain = form.enctype !== "multipart/form-data";
    const action = new URL(form.getAttribute("action") || location.href, location.href);
    if (isGet) action.search = new URLSearchParams(contents);
    const beside = byId(form.dataset.beside); // what is typed there outlives this form
    if (!isGet && document.body.dataset.changes) keep(beside ?? form);
    form.dataset.sent = "1";
    byId("unsent").hidden = true;
    const text = button?.textContent;
    if (button?.dataset.busy) { button.textContent = button.dataset.busy; button.disabled = true; }
    const slow = setTimeout(() => { byId("slow").hidden = false; }, SLOW_MS);
    const rest = working(button ?? form.querySelector("button:not([type=button])"));
    const done = () => {
      clearTimeout(slow);
      rest();
      byId("slow").hidden = true;
      delete form.dataset.sent;
      if (button?.dataset.busy) { button.textContent = text; button.disabled = false; }
    };
    try {
      const how = isGet ? {} : { method: "POST", body: plain ? new URLSearchParams(contents) : contents, headers: { "X-Flagfall-Form": "1" } };
      const answer = await fetch(action, how);
      const html = await answer.text();
      const to = answer.headers.get("content-type")?.includes("json") && answer.ok ? JSON.parse(html).to : "";
      done();
      if (beside) sessionStorage.setItem("signed-out", "1");
      if (to || answer.redirected) {
        goTo(to || answer.url);
      } else {
        show(html, isGet && answer.ok ? action.href : "");
      }
    } catch {
      done();
      byId("unsent").hidden = false;
    }
  }

  const READ_MS = 60000; // browsers read the file some time after the press

  // A file that the hub makes first, such as a PDF: the page stays, and a refusal is shown as a form's is.
  async function take(link) {
    link.dataset.sent = "1";
    const rest = working(link);
    byId("unsent").hidden = true;
    try {
      const answer = await fetch(link.href);
      const name = decodeURIComponent(answer.headers.get("content-disposition")?.match(/filename\*=UTF-8''(.+)/)?.[1] ?? "");
      if (!answer.ok || !name) { show(await answer.text(), ""); return; }
      const file = Object.assign(document.createElement("a"), { href: URL.createObjectURL(await answer.blob()), download: name });
      file.click();
      setTimeout(() => URL.revokeObjectURL(file.href), READ_MS);
    } catch {
      byId("unsent").hidden = false;
    } finally {
      rest();
      delete link.dataset.sent;
    }
  }

  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("a[data-made]");
    if (!link || event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    if (!link.dataset.sent) take(link);
  });

  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (event.defaultPrevented) return;
    event.preventDefault();
    if (form.dataset.sent || asksFirst(form, event.submitter)) return;
    if (form.getAttribute("action") === LANGUAGE) keepForLanguage();
    send(form, event.submitter);
  });
  const begin = () => { nameAgain(); bringBack(); bringIntoLanguage(); };
  document.addEventListener("DOMContentLoaded", begin);
  document.addEventListener("page-swapped", bringBack);
  addEventListener("pageshow", () => { for (const form of document.forms) delete form.dataset.sent; });
})();
