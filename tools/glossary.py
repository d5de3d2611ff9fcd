"""The glossary of Othello's words in each language: `tools/glossary.toml`.

`python tools/glossary.py` writes its table into `docs/languages.md`; with `--check` it compares that page and all
catalogues with the glossary, prints a line for each fault and exits with 1 if there is any.
"""

from __future__ import annotations

import argparse
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from babel.messages.catalog import Catalog
from catalogues import catalogue_files, forms_of, read

from flagfall.base.words import LOCALE

ROOT = Path(__file__).parents[1]
GLOSSARY = ROOT / "tools" / "glossary.toml"
PAGE = ROOT / "docs" / "languages.md"
BEGIN, END = "<!-- glossary -->\n", "<!-- /glossary -->\n"
LANGUAGES = {
    "fr": "French",
    "ja": "Japanese",
    "it": "Italian",
    "es": "Spanish",
    "zh_Hans": "Chinese, simplified",
    "zh_Hant": "Chinese, traditional",
}


def load_glossary() -> dict[str, Any]:
    """Return the glossary: `term`, a list of tables, and `replaced`, words by language."""
    return tomllib.loads(GLOSSARY.read_text("utf-8"))


def table_of(terms: Sequence[Mapping[str, Any]]) -> str:
    """Return the table of a page, a row for each term. A word with a source has its number behind it."""
    sources: list[str] = []
    rows = [f"| English | {' | '.join(LANGUAGES.values())} |", "|---" * (1 + len(LANGUAGES)) + "|"]
    for term in terms:
        cells = [term["english"]]
        for language in LANGUAGES:
            word = term.get("shown", {}).get(language, term.get(language, ""))
            source = term.get("source", {}).get(language)
            if source is not None and source not in sources:
                sources.append(source)
            cells.append(f"{word} [{sources.index(source) + 1}]" if source is not None else word)
        rows.append(f"| {' | '.join(cells)} |")
    named = "; ".join(f"[{number}] {source}" for number, source in enumerate(sources, 1))
    return "\n".join(rows) + f"\n\nSources: {named}. A word without a number has none but judgement.\n"


def faults(
    terms: Iterable[Mapping[str, Any]],
    replaced: Mapping[str, Iterable[str]],
    language: str,
    catalogue: Catalog,
) -> Iterator[str]:
    """Yield a line for each text whose translation lacks the glossary's word, or has one that was replaced."""
    words = {key: term[language] for term in terms if language in term for key in term["keys"]}
    for message in catalogue:
        forms = [form for form in forms_of(message.string) if form]
        key = forms_of(message.id)[0]
        if not key or not forms:
            continue
        word = words.get(key)
        if word is not None and not message.context:
            yield from (
                f"{language}: {key!r}: expected {word!r}, got {form!r}"
                for form in forms
                if word.casefold() not in form.casefold()
            )
        yield from (
            f"{language}: {key!r}: expected another word than {old!r}, got {form!r}"
            for old in replaced.get(language, ())
            for form in forms
            if old.casefold() in form.casefold()
        )


def faults_of_all() -> Iterator[str]:
    """Yield the faults of every catalogue, and keys of the glossary that no catalogue of a language has."""
    glossary = load_glossary()
    found: dict[str, set[str]] = {language: set() for language in LANGUAGES}
    for file in catalogue_files():
        catalogue, language = read(file), file.relative_to(LOCALE).parts[0]
        found[language] |= {forms_of(message.id)[0] for message in catalogue}
        yield from faults(glossary["term"], glossary["replaced"], language, catalogue)
    for term in glossary["term"]:
        for language in LANGUAGES:
            if language in term:
                yield from (
                    f"{language}: {term['english']}: expected a text of the sources, got {key!r}"
                    for key in term["keys"]
                    if key not in found[language]
                )


def with_table(page: str, table: str) -> str:
    """Return the page with this table between its marks."""
    before, rest = page.split(BEGIN)
    return before + BEGIN + "\n" + table + "\n" + END + rest.split(END)[1]


def main() -> int:
    parser = argparse.ArgumentParser(description="Compares the catalogues with the glossary.")
    parser.add_argument("--check", action="store_true", help="change nothing, print faults")
    page = PAGE.read_text("utf-8")
    written = with_table(page, table_of(load_glossary()["term"]))
    if not parser.parse_args().check:
        PAGE.write_text(written, "utf-8")
        return 0
    lines = list(faults_of_all())
    if page != written:
        lines.append("docs/languages.md: expected the glossary's table: python tools/glossary.py")
    print("\n".join(lines), end="\n" if lines else "")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
