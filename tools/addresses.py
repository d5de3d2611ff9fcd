"""Where readers reach whoever publishes Flagfall: `[project.urls]` of pyproject.toml, written into CONTACT.md.

`python tools/addresses.py` writes the page; with `--check` it says whether the page is up to date; with `--published`
it exits with 1 while an address is still one of `.invalid`, the domain of no one (RFC 2606).
"""

from __future__ import annotations

import argparse
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "CONTACT.md"
NEEDED = ("Homepage", "Source", "Downloads", "Issues", "Security")
FOR = {
    "Homepage": "what it is",
    "Source": "the source, and changes that you propose",
    "Downloads": "releases: wheel, packages, card images, files of the board",
    "Issues": "faults, questions, translations, photographs",
    "Security": "a hole, in private: [how](SECURITY.md)",
}
UNPUBLISHED = ".invalid"


def addresses() -> dict[str, str]:
    """Return the addresses by name. Raise KeyError for one that is missing."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return {name: project["urls"][name] for name in NEEDED}


def unpublished(urls: Mapping[str, str]) -> list[str]:
    """Return the names of the addresses that nobody has filled in."""
    return [name for name, url in urls.items() if UNPUBLISHED in url]


def page_of(urls: Mapping[str, str]) -> str:
    """Return the page; it says honestly what nobody has filled in."""
    rows = [
        f"| {name} | {'not published yet' if UNPUBLISHED in url else f'<{url}>'} | {FOR[name]} |"
        for name, url in urls.items()
    ]
    table = "\n".join(("| | address | for |", "|---|---|---|", *rows))
    return (
        "# Contact\n\n<!-- Written by `python tools/addresses.py` from `[project.urls]` of pyproject.toml. -->\n\n"
        f"{table}\n\nWhoever publishes Flagfall fills in `[project.urls]` of `pyproject.toml`; "
        "`make release` refuses until then.\n"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description="Writes CONTACT.md from [project.urls].")
    parser.add_argument("--check", action="store_true", help="change nothing; 1 if the page is old")
    parser.add_argument("--published", action="store_true", help="1 while an address is not filled in")
    chosen, urls = parser.parse_args(), addresses()
    if chosen.published:
        missing = unpublished(urls)
        for name in missing:
            print(
                f"pyproject.toml: project.urls.{name}: expected an address, got {urls[name]}", file=sys.stderr
            )
        return 1 if missing else 0
    if chosen.check:
        current = PAGE.read_text("utf-8") == page_of(urls)
        if not current:
            print("CONTACT.md: expected the addresses of pyproject.toml: python tools/addresses.py")
        return 0 if current else 1
    PAGE.write_text(page_of(urls), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
