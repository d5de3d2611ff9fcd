"""Tests of the rulebooks' rules for a whole tournament."""

import datetime
from pathlib import Path

import pytest

import flagfall.othello.rulebook as rulebooks
from flagfall.base.errors import Invalid
from hub.ranking.systems import SYSTEMS, planned
from hub.rulebook import FORMAT_RULES, format_rules

VILLAGE = """
based_on = "woc-2019"
id = "village"
title = "The village's evening"
[tournament]
systems = [{ most = 6, system = "round_robin" }, { system = "swiss" }]
swiss_rounds = 5
[tournament.swiss]
country_rule = true
[tournament.entry]
closes_with_first_round = true
[tournament.open]
qualifiers = 2
final = { games = 1, minutes = 10, may = "colour-or-draw-win" }
"""


@pytest.fixture
def village(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder of rulebooks with one more file in it, and its name in the list: the two places of
    `docs/adding.md`."""
    for path in rulebooks._FOLDER.glob("*.toml"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    monkeypatch.setattr(rulebooks, "_FOLDER", tmp_path)
    monkeypatch.setattr(rulebooks, "BUILT_IN", (*rulebooks.BUILT_IN, "village"))
    return tmp_path / "village.toml"


def test_a_rulebook_that_ships_is_one_file_and_its_name(village: Path) -> None:
    village.write_text(VILLAGE, "utf-8")
    law = rulebooks.rulebook.__wrapped__("village")
    assert (law.title, law.family, law.minutes) == (
        "The village's evening",
        "woc-2019",
        rulebooks.rulebook("woc-2019").minutes,
    )
    rules = format_rules("village")
    assert [rules.system_for(players) for players in (6, 7)] == ["round_robin", "swiss"]
    assert planned(rules, 12) is None
    assert rules.swiss.country_rule and rules.entry.closes_with_first_round
    assert rules.open is not None and rules.open.final.minutes == 10


@pytest.mark.parametrize(
    ("was", "damaged", "fault"),
    [
        ("swiss_rounds = 5", 'swiss_rounds = "five"', "swiss_rounds: expected a whole number, got"),
        (
            "country_rule = true",
            "countryrule = true",
            "swiss.countryrule: unknown field, expected one of country_rule",
        ),
        ("minutes = 10, ", "", "open.final.minutes: expected minutes above 0, at most 600, got nothing"),
        ('"colour-or-draw-win"', '"a cake"', "open.final.may: expected one of colour"),
        (VILLAGE[VILLAGE.index("[tournament]") :], "", "systems: expected a list, got nothing"),
    ],
)
def test_a_wrong_field_is_named(village: Path, was: str, damaged: str, fault: str) -> None:
    assert was in VILLAGE
    village.write_text(VILLAGE.replace(was, damaged), "utf-8")
    with pytest.raises(Invalid, match=f"^tournament: {fault}"):
        format_rules("village")


OWN = 'based_on = "woc-2019"\nid = "summer"\ntitle = "Summer"\n[tournament]\n'


def test_a_directors_own_rulebook_sets_what_events_change() -> None:
    text = OWN + 'young_age = 15\nyoung_on = "first day"\nbye_discs = 40\nties = ["difference", "mutual"]\n'
    text += '[tournament.entry]\ncategories = ["ladies"]\n'
    rules, base = format_rules("woc-2019", text), FORMAT_RULES["woc-2019"]
    assert (rules.young_age, rules.bye_discs, rules.ties) == (15, 40, ("difference", "mutual"))
    assert rules.young_day(datetime.date(2023, 10, 18)) == datetime.date(2023, 10, 18)
    assert (rules.entry.categories, rules.entry.team) == (("ladies",), base.entry.team)
    assert (rules.open, rules.systems) == (base.open, base.systems), "everything else is the text's"
    assert rules.law.title == "Summer"


@pytest.mark.parametrize(
    ("field", "fault"),
    [
        ("swiss_rounds = 3", "tournament.swiss_rounds: unknown field, expected one of ties, bye_discs"),
        ("teams = { best = 2 }", "tournament.teams.best: unknown field"),
        ("bye_discs = 65", "tournament: bye_discs: expected"),
        ('ties = ["luck"]', r"tournament: ties\[0\]: expected one of bq, discs, difference, mutual"),
        ('ties = ["bq", "bq"]', "tournament.ties: expected each way once"),
        ("young_on = [2, 30]", "tournament.young_on: expected month and day"),
        ('young_on = "birthday"', "tournament: young_on: expected a month and a day"),
    ],
)
def test_what_a_directors_own_rulebook_may_not_say_is_named(field: str, fault: str) -> None:
    with pytest.raises(Invalid, match=f"^{fault}"):
        format_rules("woc-2019", OWN + field)


def test_a_tournament_that_is_no_table_is_named() -> None:
    with pytest.raises(Invalid, match=r"^tournament: expected a table"):
        format_rules("woc-2019", OWN.replace("[tournament]", "tournament = 3"))


@pytest.mark.parametrize("name", rulebooks.BUILT_IN)
def test_every_number_of_players_has_a_system(name: str) -> None:
    rules = FORMAT_RULES[name]
    assert {rules.system_for(players) for players in range(2, 200)} <= set(SYSTEMS)
    assert all(rules.plan == () or planned(rules, players) for players in range(2, 200))
    if rules.plan:
        swiss = [planned(rules, players, "swiss") for players in (4, 8)]
        assert swiss == [("swiss", 3), ("swiss", 7)], "not more than there are others to meet"


def test_the_shipped_rules_are_those_of_the_shipped_rulebooks_in_their_order() -> None:
    assert tuple(FORMAT_RULES) == rulebooks.BUILT_IN
    assert len(FORMAT_RULES) == len(rulebooks.BUILT_IN)
    assert [rules.rulebook for rules in FORMAT_RULES.values()] == [*rulebooks.BUILT_IN]
    assert "village" not in FORMAT_RULES
    with pytest.raises(KeyError):
        FORMAT_RULES["village"]
