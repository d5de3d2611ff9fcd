"""Limits of every Markdown page: 40 words a sentence, 200 characters a table cell, counted as a reader sees them.

`python tools/readable.py` prints a line for each sentence and cell above them, and exits with 1 if there is any.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

ROOT = Path(__file__).parents[1]
MOST_WORDS = 40
MOST_CHARACTERS = 200
_SENTENCE_END = re.compile(r"(?<=[.!?])[\"')\]]*\s+")
_MARKDOWN = MarkdownIt().enable("table")


def pages() -> list[Path]:
    """Return every Markdown page that git tracks or would track."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    return [ROOT / name for name in sorted(listed) if (ROOT / name).is_file()]


def faults(page: str) -> Iterator[tuple[int, str]]:
    """Yield the line and the fault of every sentence and table cell above its limit."""
    in_cell, row_line = False, 0
    for token in _MARKDOWN.parse(page):
        if token.type in ("td_open", "th_open"):
            in_cell = True
        elif token.type == "inline":
            if token.map is not None:
                row_line = token.map[0] + 1
            shown = text_of(token)
            if in_cell and len(shown) > MOST_CHARACTERS:
                yield row_line, f"expected a cell of at most {MOST_CHARACTERS} characters, got {len(shown)}"
            for sentence in _SENTENCE_END.split(text_of(token, code="x")):
                words = [word for word in sentence.split() if re.search(r"\w", word)]
                if len(words) > MOST_WORDS:
                    beginning = " ".join(words[:6])
                    yield (
                        row_line,
                        f"expected a sentence of at most {MOST_WORDS} words, got {len(words)}: {beginning} ...",
                    )
            in_cell = False


def text_of(inline: Token, code: str | None = None) -> str:
    """Return the text that a reader sees, without the addresses of links; each span of code as `code` if given."""
    parts = []
    for token in inline.children or ():
        if token.type == "code_inline":
            parts.append(token.content if code is None else code)
        elif token.type in ("softbreak", "hardbreak"):
            parts.append(" ")
        elif token.type in ("text", "image"):
            parts.append(token.content)
    return "".join(parts)


def main() -> int:
    """Return 0 if every page keeps the limits, else 1."""
    lines = [
        f"{page.relative_to(ROOT)}:{line}: {fault}"
        for page in pages()
        for line, fault in faults(page.read_text("utf-8"))
    ]
    for line in lines:
        print(line, file=sys.stderr)
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
