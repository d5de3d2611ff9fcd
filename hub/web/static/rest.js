// Buttons with `data-rest` take no press in their first second: a finger that was on its way to another one presses none.

const REST_MS = 1000;

function rest(part) {
  for (const button of part.querySelectorAll("button[data-rest]")) {
    button.disabled = true;
    setTimeout(() => { button.disabled = false; }, REST_MS);
  }
}

rest(document);
