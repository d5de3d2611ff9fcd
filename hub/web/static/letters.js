// Letters of names without their marks: the same as `hub/model/letters.py`, so that a script finds what the server finds.
// No module: browsers refuse modules to pages that are read from a disk.

globalThis.letters = (() => {
  const FROM = "øđðłıħŧŋɓɖɗƒɣɩɨƙɲɔɵʋƴǝəɛʉƶς";
  const TO = "oddlihtnbddfgiiknoovyeeeuzσ";
  const PLAIN = new Map([...FROM].map((letter, at) => [letter, TO[at]]));
  for (const [letter, plain] of Object.entries({ ß: "ss", æ: "ae", œ: "oe", þ: "th" })) PLAIN.set(letter, plain);
  for (let code = 0x30a1; code < 0x30f7; code += 1) PLAIN.set(String.fromCharCode(code), String.fromCharCode(code - 0x60));

  function plainLetters(text) {
    const signs = text.replace(/[’‘ʼʻʹ′´`＇]/g, "'").replace(/[‐‑‒–—−]/g, "-");
    const kept = signs.normalize("NFKD").toLowerCase().replace(/[\p{M}\p{Cf}]/gu, "");
    return [...kept].map((letter) => PLAIN.get(letter) ?? letter).join("");
  }

  function hasWords(text, search) {
    const [plain, words] = [text, search].map((part) => plainLetters(part).replaceAll("'", ""));
    return words.split(/\s+/).filter(Boolean).every((word) => plain.includes(word));
  }

  return { plainLetters, hasWords };
})();
