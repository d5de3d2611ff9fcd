"""A printed page of the buttons that a judge touches: `python -m table_app.tools.judge_card [--language en] [FILE]`.

Their names come from the screen's own catalogue.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from html import escape
from pathlib import Path

from flagfall.base.errors import Invalid
from flagfall.base.words import STAFF, Catalogue, languages
from table_app.screen.kit.catalogue import load_words
from table_app.texts import TEXTS

# Each has a heading, `card_NAME_title`, and what it says, `card_NAME`.
SECTIONS = tuple(key[len("card_") :] for key in TEXTS if key.startswith("card_") and f"{key}_title" in TEXTS)
BUTTONS = tuple(key for key in TEXTS if not key.startswith("card_"))

_PAGE = """<!DOCTYPE html>
<html lang="{language}" dir="{direction}">
<head>
<meta charset="utf-8">
<title>{title}</title>
<style>
@page {{ size: A4; margin: 14mm }}
body {{ font: 11pt/1.36 "Noto Sans", "Noto Sans CJK JP", sans-serif; max-width: 182mm; margin: 0 auto; color: #111 }}
h1 {{ font-size: 20pt; margin: 0 0 1mm }}
p {{ margin: 0 0 3mm }}
dl {{ display: grid; grid-template-columns: 38mm 1fr; column-gap: 5mm; margin: 0 }}
dt, dd {{ border-top: 0.3mm solid #999; padding: 2mm 0; margin: 0 }}
dt {{ font-weight: bold }}
b {{ border: 0.3mm solid #111; border-radius: 1.2mm; padding: 0 1.2mm; white-space: nowrap; font-weight: 600 }}
</style>
</head>
<body>
<h1>{title}</h1>
<p>{subtitle}</p>
<dl>
{sections}
</dl>
</body>
</html>
"""


def card(words: Catalogue) -> str:
    """Return the page as HTML; the braces in the catalogue's `card_` texts name buttons."""
    names = {key: f"<b>{escape(words.text(TEXTS[key]))}</b>" for key in BUTTONS}

    def text_of(key: str) -> str:
        return escape(words.text(TEXTS[key]), quote=False).format(**names)

    rows = []
    for name in SECTIONS:
        title, text = text_of(f"card_{name}_title"), text_of(f"card_{name}")
        rows.append(f"<dt>{title}</dt>\n<dd>{text}</dd>")
    return _PAGE.format(
        language=words.language,
        direction=words.direction,
        title=text_of("card_title"),
        subtitle=text_of("card_subtitle"),
        sections="\n".join(rows),
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the page. Return 0 done, 2 bad arguments (one line on standard error)."""
    parser = argparse.ArgumentParser(
        prog="python -m table_app.tools.judge_card", description="A judge's card to print."
    )
    parser.add_argument("file", nargs="?", type=Path, help="where to write it; standard output if left out")
    parser.add_argument("--language", default="en", help=f"one of {', '.join(languages(domain=STAFF))}")
    options = parser.parse_args(arguments)
    try:
        page = card(load_words(options.language))
        if options.file is None:
            sys.stdout.write(page)
        else:
            options.file.write_text(page, "utf-8")
    except Invalid as error:
        print(f"--language: {error}", file=sys.stderr)
        return 2
    except OSError as failure:
        print(f"{options.file}: cannot be written: {failure.strerror}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
