"""The commands that a card's units run, as root but for the last: `python -m card.main take | settle FILE | setup`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from card.take import CardPlaces, as_json, settle, take
from flagfall.base.errors import Invalid


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command. Return 0 done, 2 bad input (one line on standard error)."""
    parser = argparse.ArgumentParser(prog="card", allow_abbrev=False)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("take", help="put the card's settings where they work")
    settling = commands.add_parser("settle", help="put what the screen was told onto the first partition")
    settling.add_argument("file", type=Path)
    asking = commands.add_parser("setup", help="ask on the screen")
    asking.add_argument("file", type=Path, help="gets the answers")
    asking.add_argument("--screen", default="kms", choices=("kms", "window"))
    asking.add_argument("--renderer", default="", help="one of SDL's; without it each is tried")
    chosen = parser.parse_args(arguments)
    try:
        if chosen.command == "setup":
            from card.asking import ask, ask_with_any_renderer

            if chosen.screen == "kms" and not chosen.renderer:
                return ask_with_any_renderer(chosen.file)
            return ask(chosen.file, chosen.screen, chosen.renderer, CardPlaces())
        if chosen.command == "settle":
            settle(CardPlaces(), chosen.file)
        else:
            print(as_json(take(CardPlaces())))
    except Invalid as fault:
        print(f"card: {fault}", file=sys.stderr)
        return 2
    except OSError as failure:
        print(f"card: {failure.filename}: {failure.strerror}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
