"""The page of contracts says what the programs do: its examples are read by them, its lists are theirs."""

from __future__ import annotations

import json
import re
from typing import Any

from helpers.documented import PROGRAMS, ROOT, blocks, help_of

from flagfall.link import messages
from flagfall.link.topics import FROM_TABLE, QOS_0, RETAINED, Kind
from flagfall.othello.game import ErrorState, IncidentType, State
from flagfall.othello.gamefile import header_object, parse_header
from flagfall.othello.inputs import TYPE_NAMES, Rule
from flagfall.othello.reason import Reason
from flagfall.othello.referee import new_game
from flagfall.othello.report import outcome
from flagfall.othello.rulebook import Stage
from hub.form.parts import STAGES
from hub.form.tournament import tournament_from_json
from hub.formats.registry import readable, writable
from hub.formats.tournament_file import tournament_to_json
from hub.pairing.cost import COST_FIELDS
from hub.ranking.systems import SYSTEMS

TEXT = (ROOT / "docs" / "contracts.md").read_text("utf-8")
GAME, OUTCOME, TOURNAMENT = (json.loads(text) for kind, text in blocks(TEXT) if kind == "json")


def section(heading: str) -> str:
    (text,) = re.findall(rf"^## {re.escape(heading)}.*?\n(.*?)(?=^## |\Z)", TEXT, re.M | re.S)
    return str(text)


def rows(text: str) -> list[list[str]]:
    """Return the cells of every table of a text, without its heads."""
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    cells = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]
    return [row for row in cells if row[0].startswith("`")]


def code(text: str) -> set[str]:
    return set(re.findall(r"`([^`\n]+)`", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)))


def test_the_header_shows_every_field_with_its_default() -> None:
    least = {key: GAME[key] for key in ("type", "format", "rulebook")}
    shown: dict[str, Any] = {**GAME, "black": {"id": "", "name": ""}, "white": {"id": "", "name": ""}}
    assert header_object(parse_header(least)) == shown
    assert {str(stage) for stage in Stage} <= code(section("Game file"))


def test_every_input_and_every_ruling_has_its_row() -> None:
    inputs, rulings = section("Game file").split("| `rule` |")
    assert {row[0].strip("`") for row in rows(inputs)} == set(TYPE_NAMES.values()) | {"type"}
    assert {name for row in rows(rulings) for name in code(row[0])} == {str(rule) for rule in Rule}


def test_the_outcome_shows_every_field_and_every_word() -> None:
    assert set(OUTCOME) == set(outcome(new_game(parse_header(GAME))))
    words_there = code(section("What came of a game"))
    for words in (State, Reason, IncidentType, ErrorState):
        assert {str(word) for word in words} <= words_there, words


def test_the_tournament_is_read_and_nothing_in_it_is_unknown() -> None:
    tournament = tournament_from_json(TOURNAMENT)
    assert not tournament.extra
    assert not any(player.extra for player in tournament.players)
    assert set(tournament_to_json(tournament)) <= set(TOURNAMENT)
    words_there = code(section("Tournament file"))
    assert set(SYSTEMS) <= words_there
    assert set(STAGES) <= code(section("Game file"))


def test_the_fields_of_a_pairings_cost_stand_in_their_order() -> None:
    named = [name for name in re.findall(r"`(\w+)`", section("Answers")) if name in COST_FIELDS]
    assert named == list(COST_FIELDS)


def test_topics_are_sent_as_the_table_says() -> None:
    kinds = {row[0].strip("`"): row for row in rows(section("MQTT")) if row[0] != "kind"}
    assert set(kinds) == {str(kind) for kind in Kind}
    for kind in Kind:
        _, sender, retained, qos, _ = kinds[kind]
        assert sender.startswith("table" if kind in FROM_TABLE else "hub"), kind
        assert retained == ("yes" if kind in RETAINED else "no"), kind
        assert qos == ("0" if kind in QOS_0 else "1"), kind
    signed = {
        str(kind) for kind, message in messages.MESSAGES.items() if "signature" in message.__struct_fields__
    }
    (line,) = [line for line in section("MQTT").splitlines() if "are signed" in line]
    assert code(line) & set(kinds) == signed


def test_every_command_is_named() -> None:
    named = " ".join(row[0] for row in rows(section("Commands")))
    for program in PROGRAMS:
        assert program in named
    commands = re.findall(r"^    (\w+) ", help_of("flagfall-hub"), re.M)
    assert len(commands) >= 12
    new = [name for name in commands if not re.search(rf"\b{name}\b", named)]
    (braces,) = set(re.findall(r"(run\|[\w|]+)", help_of("flagfall-table")))
    new += [name for name in braces.split("|") if f"flagfall-table {name}" not in named]
    assert new == [], "each needs its row under Commands in docs/contracts.md"


FORMAT_NAMES = {
    "flip-the-disc": "Flip the Disc",
    "wthor": "WTHOR",
    "papp-work": "Papp",
    "papp": "Papp",
    "elo": ".ELO",
    "xlsx": ".xlsx",
    "csv": "CSV",
    "ggf": "GGF",
    "transcripts": "transcripts",
}
# A tournament file is what the one command makes and the other takes; the other format has a row of its own.
ELSEWHERE = {"tournament", "flip-the-disc-lines"}


def test_every_format_is_named_where_files_are_read_or_written() -> None:
    says = {row[0]: row[1] for row in rows(section("Commands"))}
    for verb, formats in (("import", readable()), ("export", writable())):
        named = {name for name in FORMAT_NAMES.values() if name in says[f"`flagfall-hub {verb} FILE`"]}
        assert named == {FORMAT_NAMES[name] for name in formats if name not in ELSEWHERE}, verb


def test_the_commands_that_print_json_are_listed() -> None:
    (listed,) = re.findall(r"`--json` \(([^)]*)\)", section("Commands"))
    that_print = {
        command
        for program in ("flagfall-hub", "flagfall-table")
        for command in re.findall(r"`" + program + r" (\w+)", section("Commands"))
        if "--json" in help_of(program, command)
    }
    assert code(listed) == that_print
