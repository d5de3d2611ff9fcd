"""The right to enter: each clause of the texts, shown by an entry that breaks it and one that does not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hub.entries.findings import Finding, FindingKind, findings, late_entry_fault
from hub.form.tournament import tournament_from_json
from hub.formats.elo.writer import write_elo
from hub.formats.tournament_file import write_tournament
from hub.main import main
from hub.model.tournament import Tournament
from hub.ranking.categories import categories
from hub.ranking.finals import finals_of

Value = dict[str, Any]
CITIZEN: Value = {"represents": "citizen"}


def tournament(rulebook: str, players: list[Value], **more: Any) -> Tournament:
    return tournament_from_json(
        {
            "format": "flagfall-tournament/1",
            "rulebook": rulebook,
            "date": "2019-10-15",
            "players": [{"id": f"p{n}", "gender": "m", **player} for n, player in enumerate(players, 1)],
            "rounds": [],
            **more,
        }
    )


def team(country: str, *players: Value) -> list[Value]:
    return [{"country": country, **CITIZEN, **player} for player in players]


def about(rulebook: str, players: list[Value], clause: str, **more: Any) -> list[Finding]:
    """Return the findings under that clause. For a WOC every federation has reported unless `more` says otherwise."""
    if rulebook.startswith("woc-20"):
        more = {"federations_reporting": sorted({p.get("country", "") for p in players})} | more
    all_findings = findings(tournament(rulebook, players, **more))
    assert all(finding.clause.startswith(f"{rulebook} ") for finding in all_findings)
    return [finding for finding in all_findings if finding.clause == f"{rulebook} {clause}"]


ONE: Value = {}
WOMAN: Value = {"gender": "f"}
YOUNG: Value = {"extra_young": True, "born": "2005-01-01"}


@pytest.mark.clause("woc-2019 I.2.1")
@pytest.mark.clause("woc-2017 I.2.1")
@pytest.mark.parametrize("rulebook", ["woc-2019", "woc-2017"])
def test_a_federation_sends_four_of_whom_three_of_one_gender_and_a_young_player(rulebook: str) -> None:
    assert about(rulebook, team("FRA", ONE, ONE, ONE, WOMAN, YOUNG), "I.2.1") == []
    assert about(rulebook, team("FRA", WOMAN, WOMAN, WOMAN, ONE, YOUNG), "I.2.1") == []
    (five,) = about(rulebook, team("FRA", ONE, ONE, ONE, WOMAN, WOMAN), "I.2.1")
    assert (five.about, five.text) == ("FRA", "5 players, where a team may have 4")
    (men,) = about(rulebook, team("FRA", ONE, ONE, ONE, ONE), "I.2.1")
    assert men.text == "4 men, where 3 may be of one gender"
    (unsaid,) = about(rulebook, team("FRA", ONE, ONE, ONE, {"gender": ""}), "I.2.1")
    assert unsaid.kind is FindingKind.OPEN and "gender" in unsaid.text
    assert about(rulebook, team("FRA", ONE, ONE, WOMAN, {"gender": ""}), "I.2.1") == []
    assert about(rulebook, team("FRA", *[{"gender": ""}] * 4), "I.2.1") == [], "nobody has declared a gender"


@pytest.mark.clause("woc-2019 I.2.1")
@pytest.mark.clause("woc-2017 I.2.1")
@pytest.mark.parametrize("rulebook", ["woc-2019", "woc-2017"])
def test_a_nation_with_a_contact_person_sends_one_and_a_young_player(rulebook: str) -> None:
    nations = {"contact_nations": ["MLT"]}
    assert about(rulebook, team("MLT", ONE, YOUNG), "I.2.1", **nations) == []
    (two,) = about(rulebook, team("MLT", ONE, WOMAN), "I.2.1", **nations)
    assert two.text == "2 players, where a nation with a contact person may have 1"


@pytest.mark.clause("woc-2019 I.2.1")
@pytest.mark.clause("woc-2017 I.2.1")
@pytest.mark.parametrize("rulebook", ["woc-2019", "woc-2017"])
def test_only_members_send_players_unless_the_council_rules_otherwise(rulebook: str) -> None:
    players = [*team("FRA", ONE), *team("MLT", ONE), *team("ZZZ", ONE)]
    nations = {"federations": ["FRA"], "contact_nations": ["MLT"]}
    (finding,) = about(rulebook, players, "I.2.1", **nations)
    assert (finding.about, finding.kind) == ("ZZZ", FindingKind.AGAINST)
    (finding,) = about(rulebook, players, "I.2.1", **nations, admitted_nations=["ZZZ"])
    assert finding.kind is FindingKind.ALLOWED


@pytest.mark.clause("woc-2019 II.2")
@pytest.mark.clause("woc-2017 II.2")
@pytest.mark.clause("woc-classic II.2")
@pytest.mark.parametrize("rulebook", ["woc-2019", "woc-2017", "woc-classic"])
def test_one_additional_player_of_the_host_where_the_number_would_be_odd(rulebook: str) -> None:
    added: Value = {"additional": True}
    four = [*team("FRA", ONE, ONE, ONE), *team("FRA", added)]
    assert about(rulebook, four, "I.2.1") == about(rulebook, four, "II.2", host="FRA") == []
    wof = [*team("FRA", ONE, ONE, ONE), *team("WOF", added)]
    assert about(rulebook, wof, "II.2", host="FRA") == []
    (foreign,) = about(rulebook, [*team("FRA", ONE), *team("ITA", added)], "II.2", host="FRA")
    assert "is of ITA" in foreign.text
    (odd,) = about(rulebook, [*team("FRA", ONE, ONE), *team("FRA", added)], "II.2")
    assert "the number of players is odd" in odd.text
    (second,) = about(rulebook, [*team("FRA", ONE, ONE), *team("FRA", added, added)], "II.2")
    assert (second.about, "a second additional player" in second.text) == ("p4", True)


@pytest.mark.clause("woc-2019 I.2.2")
@pytest.mark.clause("woc-2017 B.2")
@pytest.mark.parametrize(("rulebook", "clause"), [("woc-2019", "I.2.2"), ("woc-2017", "B.2")])
def test_the_young_player_is_at_most_14_on_31_december(rulebook: str, clause: str) -> None:
    def age(**young: Any) -> list[Finding]:
        return about(rulebook, team("FRA", {"extra_young": True, **young}), clause)

    assert age(born="2005-01-01") == []
    (too_old,) = age(born="2004-12-31")
    assert too_old.text == "is 15 on 31 December 2019, where a young player is at most 14"
    (unsaid,) = age()
    assert unsaid.kind is FindingKind.OPEN and "day of birth" in unsaid.text
    (two,) = about(rulebook, team("FRA", YOUNG, YOUNG), clause)
    assert two.text == "2 additional young players, where a team may have 1"
    (undated,) = about(rulebook, team("FRA", YOUNG), clause, date=None)
    assert undated.kind is FindingKind.OPEN


@pytest.mark.clause("woc-2019 I.2.2")
@pytest.mark.clause("woc-2017 I.2.2")
@pytest.mark.parametrize(("rulebook", "last_day"), [("woc-2019", "2019-07-31"), ("woc-2017", "2019-09-15")])
def test_registration_ends_and_later_changes_need_the_directors_leave(rulebook: str, last_day: str) -> None:
    day_after = {"2019-07-31": "2019-08-01", "2019-09-15": "2019-09-16"}[last_day]
    assert about(rulebook, team("FRA", {"registered": last_day}), "I.2.2") == []
    (late,) = about(rulebook, team("FRA", {"registered": day_after}), "I.2.2")
    assert (late.kind, "without permission" in late.text) == (FindingKind.AGAINST, True)
    permitted = {"registered": day_after, "admitted_because": "visa came late"}
    (allowed,) = about(rulebook, team("FRA", permitted), "I.2.2")
    assert (allowed.kind, "visa came late" in allowed.text) == (FindingKind.ALLOWED, True)


@pytest.mark.clause("woc-2019 I.2.2")
@pytest.mark.clause("woc-2017 I.2.2")
@pytest.mark.parametrize("rulebook", ["woc-2019", "woc-2017"])
def test_no_changes_after_play_has_begun_but_by_the_directors_override(rulebook: str) -> None:
    (late,) = about(rulebook, team("FRA", ONE, {"from_round": 2}), "I.2.2")
    assert (late.about, late.kind) == ("p2", FindingKind.AGAINST)
    because = {"from_round": 2, "admitted_because": "flight cancelled"}
    assert about(rulebook, team("FRA", ONE, because), "I.2.2")[0].kind is FindingKind.ALLOWED
    before = tournament(rulebook, team("FRA", ONE))
    assert late_entry_fault(before, {"id": "x"}, rounds_paired=0) is None
    assert f"{rulebook}, I.2.2," in str(late_entry_fault(before, {"id": "x"}, rounds_paired=1))
    assert late_entry_fault(before, {"id": "x", "admitted_because": "flight"}, rounds_paired=1) is None
    assert late_entry_fault(tournament("cc-2024", []), {"id": "x"}, rounds_paired=1) is None


@pytest.mark.parametrize(
    ("first_day", "last_day", "late"),
    [
        ("2017-11-01", "2017-10-01", "2017-10-02"),
        ("2017-03-31", "2017-02-28", "2017-03-01"),
        ("2017-01-15", "2016-12-15", "2016-12-16"),
    ],
)
def test_a_month_before(first_day: str, last_day: str, late: str) -> None:
    for registered, faults in ((last_day, 0), (late, 1)):
        listed = about("woc-2017", team("FRA", {"registered": registered}), "I.2.2", date=first_day)
        assert len(listed) == faults


@pytest.mark.clause("woc-2019 I.2.3")
@pytest.mark.clause("woc-2017 I.2.3")
@pytest.mark.parametrize("rulebook", ["woc-2019", "woc-2017"])
def test_federations_have_sent_their_results(rulebook: str) -> None:
    players = [*team("FRA", ONE), *team("ITA", ONE), *team("MLT", ONE)]
    nations: Value = {"contact_nations": ["MLT"]}
    assert about(rulebook, players, "I.2.3", federations_reporting=["FRA", "ITA"], **nations) == []
    (silent,) = about(rulebook, players, "I.2.3", federations_reporting=["FRA"], **nations)
    assert (silent.about, silent.kind) == ("ITA", FindingKind.AGAINST)
    assert about(rulebook, players, "I.2.3", federations_reporting=None, **nations) == [], (
        "nobody has declared it"
    )


@pytest.mark.clause("woc-2019 I.2.3.a")
@pytest.mark.clause("woc-2019 I.2.3.b")
@pytest.mark.clause("woc-2017 I.2.3.a")
@pytest.mark.clause("woc-2017 I.2.3.b")
@pytest.mark.parametrize("rulebook", ["woc-2019", "woc-2017"])
def test_citizens_and_residents_represent_a_country(rulebook: str) -> None:
    for represents in ("citizen", "resident"):
        entered = team("FRA", {"represents": represents})
        assert about(rulebook, entered, "I.2.3.a") == about(rulebook, entered, "I.2.3.b") == []
    (unsaid,) = about(rulebook, team("FRA", {"represents": None}, ONE), "I.2.3.a")
    assert (unsaid.about, unsaid.kind) == ("p1", FindingKind.OPEN)
    assert about(rulebook, team("FRA", *[{"represents": None}] * 9), "I.2.3.a") == [], (
        "nobody has declared it"
    )
    (visitor,) = about(rulebook, team("FRA", {"represents": "visitor"}), "I.2.3.b")
    assert visitor.kind is FindingKind.AGAINST and "six of the last twelve months" in visitor.text


@pytest.mark.clause("woc-classic I.1")
def test_three_for_a_nation_and_credentials_on_doubt() -> None:
    assert about("woc-classic", team("FRA", ONE, ONE, ONE), "I.1") == []
    (four,) = about("woc-classic", team("FRA", ONE, ONE, ONE, ONE), "I.1")
    assert four.text == "4 players, where a team may have 3"
    assert about("woc-classic", team("FRA", ONE, ONE, ONE, {"additional": True}), "I.1") == []
    (doubt,) = about("woc-classic", team("FRA", {"credentials": "requested"}), "I.1")
    assert (doubt.about, doubt.kind) == ("p1", FindingKind.OPEN)
    assert about("woc-classic", team("FRA", {"credentials": "shown"}), "I.1") == []


@pytest.mark.clause("cc-2024 I.2.4")
def test_citizens_residents_and_flag_players_of_the_confederation() -> None:
    def findings_of(**player: Any) -> list[Finding]:
        return about("cc-2024", [player], "I.2.4", confederation=["FRA", "ITA"])

    assert findings_of(country="FRA") == findings_of(country="JPN", represents="resident") == []
    assert findings_of(country="JPN", represents="wof-flag") == findings_of(country="WOF") == []
    for foreign in (
        findings_of(country="JPN"),
        findings_of(country="JPN", represents="citizen"),
        findings_of(),
    ):
        assert [finding.kind for finding in foreign] == [FindingKind.AGAINST]
    assert about("cc-2024", [{"country": "JPN"}], "I.2.4") == [], "nobody has said whose it is"


PLAYED: Value = {
    "name": "Continental",
    "rounds_planned": 1,
    "system": "swiss",
    "rounds": [{"games": [{"black": "p1", "white": "p2", "score": [40, 24]}]}],
}


@pytest.mark.clause("cc-2024 I.2.3")
def test_the_direction_publishes_the_standings_and_sends_the_results(tmp_path: Path) -> None:
    players = [{"country": "FRA", "id": "1"}, {"country": "ITA", "id": "2"}]
    played = PLAYED | {"rounds": [{"games": [{"black": "1", "white": "2", "score": [40, 24]}]}]}
    assert about("cc-2024", players, "I.2.3", **played) == [], "the event declares nothing"
    (unsent,) = about("cc-2024", players, "I.2.3", **played, confederation=["FRA", "ITA"])
    assert unsent.kind is FindingKind.OPEN and "not yet declared sent" in unsent.text
    assert about("cc-2024", players, "I.2.3", **played, results_sent="2019-10-16") == []
    assert about("cc-2024", players, "I.2.3", **(played | {"rounds_planned": 2})) == []
    complete = tournament("cc-2024", players, **played)
    assert b"     1 (40)>(24)      2  B" in write_elo(complete)

    (tmp_path / "event.json").write_bytes(write_tournament(complete))
    options = ("--format", "csv", "--table", "standings", "-o", str(tmp_path / "standings.csv"))
    assert main(["export", str(tmp_path / "event.json"), *options]) == 0
    assert (tmp_path / "standings.csv").read_text("utf-8").splitlines()[1].startswith("1,1,1,FRA,1,40,")


@pytest.mark.clause("cc-2024 II.6.1")
@pytest.mark.clause("cc-2024 II.6.2")
def test_a_category_has_six_but_the_youth_or_is_merged_or_allowed() -> None:
    def players(**sizes: int) -> list[Value]:
        return [{"categories": [name]} for name, size in sizes.items() for _ in range(size)]

    assert about("cc-2024", players(Youth=2, female=6), "II.6.1") == []
    eleven = players(**{"50+": 6, "60+": 5})
    listed_apart = categories(finals_of(tournament("cc-2024", eleven)))
    assert [(category.name, category.too_small) for category in listed_apart] == [
        ("50+", False),
        ("60+", True),
    ]
    (small,) = about("cc-2024", eleven, "II.6.1")
    assert small.about == "60+"
    assert small.text == "5 players, where a category has at least 6; it can be merged with 50+"
    merged: Value = {"merged_categories": {"60+": "50+"}}
    assert about("cc-2024", eleven, "II.6.1", **merged) == []
    (listed,) = categories(finals_of(tournament("cc-2024", eleven, **merged)))
    assert (listed.name, len(listed.places), listed.too_small) == ("50+", 11, False)
    assert about("cc-2024", eleven, "II.6.1", allowed_categories=["60+"])[0].kind is FindingKind.ALLOWED
    (new_name,) = about("cc-2024", players(students=6), "II.6.2")
    assert new_name.kind is FindingKind.OPEN
    men = [*players(female=5), {"categories": ["female"], "gender": "f"}]
    assert {finding.text for finding in about("cc-2024", men, "II.6.2")} == {"a man in the category female"}


@pytest.mark.clause("cc-2024 II.7.1")
def test_a_division_has_six() -> None:
    players: list[Value] = [{"division": "A"}] * 6 + [{"division": "B"}] * 5
    (small,) = about("cc-2024", players, "II.7.1")
    assert (small.about, small.text) == ("B", "5 players, where a division has at least 6")


@pytest.mark.clause("woc-2019 IV.10")
@pytest.mark.clause("woc-2017 IV.10")
@pytest.mark.parametrize("rulebook", ["woc-2019", "woc-2017"])
def test_special_needs_are_declared_and_five_minutes_are_what_they_are_given(rulebook: str) -> None:
    needs: Value = {"needs": "sight impaired, second board", "hands_commit": False}
    assert about(rulebook, team("FRA", {**needs, "extra_minutes": 5}), "IV.10") == []
    (much,) = about(rulebook, team("FRA", {**needs, "extra_minutes": 15}), "IV.10")
    assert much.text == "extra minutes: 15, where the rulebook gives 5"
    (unsaid,) = about(rulebook, team("FRA", {"extra_minutes": 5}), "IV.10")
    assert unsaid.kind is FindingKind.OPEN


def test_texts_without_a_rule_for_special_needs_leave_them_to_the_director() -> None:
    needs: Value = {"needs": "sight impaired", "hands_commit": False, "extra_minutes": 5}
    for rulebook in ("woc-classic", "cc-2024"):
        listed = about(rulebook, team("FRA", needs), "IV.1") + about(rulebook, team("FRA", needs), "IV.4")
        assert [finding.kind for finding in listed] == [FindingKind.AGAINST, FindingKind.AGAINST]
    assert findings(tournament("usoa", team("FRA", *[needs] * 7, {"from_round": 3}))) == ()


def test_the_command_tells_findings_and_answers_no_where_one_stands_against(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "entries.json"
    value: Value = {"format": "flagfall-tournament/1", "rulebook": "woc-classic", "rounds": []}
    four = [{"id": str(n), "country": "FRA"} for n in range(4)]
    file.write_text(json.dumps(value | {"players": four}))
    assert main(["entry", str(file), "--json"]) == 1
    output = json.loads(capsys.readouterr().out)["findings"]
    assert output == [
        {
            "clause": "woc-classic I.1",
            "about": "FRA",
            "kind": "against",
            "text": "4 players, where a team may have 3",
        }
    ]
    assert main(["entry", str(file)]) == 1
    assert capsys.readouterr().out.split()[:3] == ["against", "woc-classic", "I.1"]
    file.write_text(json.dumps(value | {"players": four[:3]}))
    assert main(["entry", str(file)]) == 0


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=5,
)
ANY_FACT = ("represents", "registered", "admitted_because", "credentials", "needs")
PLAYER_FACTS = st.fixed_dictionaries(
    {},
    optional=dict.fromkeys(ANY_FACT, JSON)
    | {"extra_minutes": st.none() | st.integers(0, 600), "hands_commit": st.none() | st.booleans()},
)
OF_THE_EVENT = ("host", "federations", "admitted_nations", "federations_reporting", "confederation")
TOP_FACTS = st.dictionaries(
    st.sampled_from((*OF_THE_EVENT, "results_sent", "merged_categories", "allowed_categories")), JSON
)


@given(st.sampled_from(["woc-2019", "woc-2017", "woc-classic", "cc-2024", "usoa"]), PLAYER_FACTS, TOP_FACTS)
def test_no_declared_fact_is_more_than_it_can_bear(rulebook: str, facts: Value, top: Value) -> None:
    players = [facts | {"country": "FRA", "categories": ["60+"], "additional": True, "extra_young": True}]
    listed = findings(tournament(rulebook, players, **top))
    assert all(finding.clause.startswith(rulebook) and "\n" not in finding.text for finding in listed)
