"""Store of this hub's own rulebooks: made at the console from one that ships, and given to events."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import msgspec
from msgspec import UNSET

from flagfall.base.errors import Invalid
from flagfall.base.foreign_text import LONGEST_RULEBOOK, parse_toml
from flagfall.base.message import Message
from flagfall.base.private_file import read_json, write_private
from flagfall.base.toml_text import toml_text
from flagfall.othello.rulebook import Stage, parse_rulebook
from hub.rulebook import format_rules
from hub.text import Refused

# Prefix of an own rulebook's id in the forms that choose one.
OWN = "own:"
MOST_OWN = 50
FLAGS = ("as_the_text", "loses", "extension")


@dataclass
class OwnRules:
    """Own rulebooks, stored in `file`. An unreadable file has none, and an invalid rulebook is left out."""

    file: Path

    @cached_property
    def texts(self) -> Mapping[str, str]:
        """Return TOML by id."""
        kept = read_json(self.file, dict[str, str])
        return {id_: text for id_, text in kept.items() if _is_rulebook(text)}

    @property
    def titles(self) -> Mapping[str, str]:
        return {id_: parse_rulebook(text).title for id_, text in self.texts.items()}

    def keep(self, text: str) -> str:
        """Store a rulebook and return its id; it replaces one with the same id. Refused naming the field."""
        if len(text) > LONGEST_RULEBOOK:
            raise Refused("expected at most {most} characters", field="text", most=LONGEST_RULEBOOK)
        try:
            parsed = parse_rulebook(text)
            if "based_on" in (table := parse_toml(text)):
                format_rules(str(table["based_on"]), text)
        except Invalid as fault:
            sentence = msgspec.structs.replace(fault.message, field=UNSET)
            # The names of a rulebook's keys are no labels of the page.
            if fault.field:
                sentence = Message.of("{name}: {fault}", name=fault.field, fault=sentence)
            raise Refused("{why}", field="text", why=sentence) from None
        if not _is_rulebook(text):
            raise Refused("based_on: expected the rulebook that it differs from, got nothing", field="text")
        if parsed.id not in self.texts and len(self.texts) >= MOST_OWN:
            raise Refused("expected at most {most} rulebooks, remove one first", field="text", most=MOST_OWN)
        self._write({**self.texts, parsed.id: text})
        return parsed.id

    def remove(self, id_: str) -> None:
        """Remove a rulebook; events that use it keep it."""
        self._write({other: text for other, text in self.texts.items() if other != id_})

    def _write(self, texts: Mapping[str, str]) -> None:
        try:
            write_private(self.file, msgspec.json.encode(texts))
        except OSError as fault:
            raise Refused(
                "the disk refuses it: {why}", field="text", why=str(fault.strerror or fault)
            ) from None
        self.__dict__["texts"] = texts

    def rulebook_choice(self, chosen: str) -> dict[str, str | None]:
        """Return `rulebook` and `rulebook_text` of the tournament file for the form's choice: a shipped rulebook or an
        own one."""
        text = self.texts.get(chosen.removeprefix(OWN)) if chosen.startswith(OWN) else None
        if text is None:
            return {"rulebook": chosen, "rulebook_text": None}
        return {"rulebook": str(parse_toml(text)["based_on"]), "rulebook_text": text}


def _is_rulebook(text: str) -> bool:
    try:
        parse_rulebook(text)
    except Invalid:
        return False
    return "based_on" in parse_toml(text)


def new_rulebook_text(
    based_on: str,
    title: str,
    minutes: int,
    *,
    flag: str,
    extension_s: int,
    empties: str,
    tournament: Mapping[str, object],
    taken: Collection[str],
) -> str:
    """Return the text of a rulebook as the form describes it; everything else is as in `based_on`."""
    table: dict[str, object] = {
        "based_on": based_on,
        "id": free_id(f"own-{slug(title)[:30] or 'rules'}", taken),
        "title": title,
        "minutes": dict.fromkeys((stage.value for stage in Stage), minutes) | {"least": 0},
    }
    if flag == "loses":
        table["flag"] = {"first": "loses"}
    elif flag == "extension":
        table["flag"] = {"first": "extension", "extension_s": extension_s}
    if empties:
        table["score"] = {"empties": empties}
    if tournament:
        table["tournament"] = dict(tournament)
    return toml_text(table)


def slug(name: str) -> str:
    """Return the name in small letters, digits and hyphens."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")


def free_id(base: str, taken: Collection[str]) -> str:
    """Return `base`, or the first of `base-2`, `base-3` ... that is not taken."""
    return next(
        candidate
        for candidate in (base, *(f"{base}-{n}" for n in range(2, 10_000)))
        if candidate not in taken
    )
