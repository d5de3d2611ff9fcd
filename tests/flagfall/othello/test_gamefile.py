"""Broken game files and rulebooks: one line that names the place and what was expected."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import flagfall.othello.rulebook as rulebooks
from flagfall.base.errors import Invalid
from flagfall.othello.gamefile import (
    format_game,
    header_object,
    input_object,
    parse_game,
    parse_header,
    parse_input,
)
from flagfall.othello.inputs import Tick
from flagfall.othello.referee import replay
from flagfall.othello.report import outcome
from flagfall.othello.rulebook import Stage, parse_rulebook, rulebook

HEADER = '{"type":"game","format":"flagfall-game/1","rulebook":"woc-2019"}'
DEFAULTS = (
    '{"type":"game","format":"flagfall-game/1","rulebook":"woc-2019","stage":"qualifying","minutes":30,'
    '"judged":true,"sensors":true,"black":{"id":"5577","name":"..."},"white":{"id":"...","name":"..."},'
    '"draw_win":null,"extra_minutes":{"black":0,"white":0},"hands_commit":{"black":true,"white":true},'
    '"board_turned":false,"broadcast":false}'
)


def test_what_is_left_out_has_the_contracts_defaults() -> None:
    short, full = parse_header(json.loads(HEADER)), parse_header(json.loads(DEFAULTS))
    assert short.black.id == ""
    assert (full.black.id, full.black.name) == ("5577", "...")
    for name in (
        "rulebook",
        "stage",
        "minutes",
        "judged",
        "sensors",
        "draw_win",
        "extra_minutes",
        "broadcast",
    ):
        assert getattr(short, name) == getattr(full, name), name


def test_unknown_fields_are_nobodys_business() -> None:
    header, lines = parse_game(
        HEADER[:-1] + ',"colour_of_table":"green"}\n{"at_ns":1,"type":"tick","x":[]}\n'
    )
    assert len(lines) == 1 and header.judged


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", 'line 1: expected a header {"type":"game"'),
        ("{", "line 1: expected a JSON object"),
        ("[]", "line 1: expected a JSON object, got []"),
        ('{"type":"game"}', 'line 1: format: expected "flagfall-game/1", got nothing'),
        ('{"type":"tick","at_ns":1}', 'line 1: type: expected "game" in the first line'),
        (HEADER.replace("woc-2019", "fide"), "line 1: rulebook: expected one of woc-2019"),
        (
            HEADER[:-1] + ',"minutes":20,"minutes":30}',
            'line 1: expected a JSON object: "minutes" stands in it twice',
        ),
        (HEADER[:-1] + ',"minutes":0}', "line 1: minutes: expected a number from"),
        (HEADER[:-1] + ',"minutes":NaN}', "line 1: minutes: expected a number"),
        (HEADER[:-1] + ',"judged":1}', "line 1: judged: expected true or false, got 1"),
        (HEADER[:-1] + ',"draw_win":"red"}', "line 1: draw_win: expected one of black, white"),
        (HEADER[:-1] + ',"stage":"heat"}', "line 1: stage: expected one of qualifying"),
        (HEADER[:-1] + ',"black":{"id":7}}', "line 1: black.id: expected a text, got 7"),
        (HEADER[:-1] + ',"extra_minutes":{"white":-1}}', "line 1: extra_minutes.white: expected a number"),
        (HEADER.replace("woc-2019", "usoa"), "line 1: minutes: expected minutes, usoa sets none"),
        (HEADER + '\n{"type":"tick"}', "line 2: at_ns: expected a whole number from 0"),
        (HEADER + '\n{"at_ns":1.5,"type":"tick"}', "line 2: at_ns: expected a whole number"),
        (HEADER + '\n{"at_ns":true,"type":"tick"}', "line 2: at_ns: expected a whole number"),
        (
            HEADER + '\n{"at_ns":5,"type":"tick"}\n{"at_ns":4,"type":"tick"}',
            "line 3: at_ns: expected at least 5",
        ),
        (HEADER + '\n{"at_ns":1,"type":"jump"}', "line 2: type: expected one of start, press"),
        (HEADER + '\n{"at_ns":1,"type":"press","by":"red"}', "line 2: by: expected one of black, white"),
        (
            HEADER + '\n{"at_ns":1,"type":"touch","square":"i9","with":"disc"}',
            "line 2: square: expected a square",
        ),
        (
            HEADER + '\n{"at_ns":1,"type":"touch","square":"f5","with":"nose"}',
            "line 2: with: expected one of disc",
        ),
        (
            HEADER + '\n{"at_ns":1,"type":"position","squares":"X"}',
            "line 2: squares: expected 64 characters, got 1",
        ),
        (
            HEADER + '\n{"at_ns":1,"type":"ruling","rule":"hang"}',
            "line 2: rule: expected one of correct_error",
        ),
        (
            HEADER + '\n{"at_ns":1,"type":"ruling","rule":"adjust_time","player":"black","seconds":"5"}',
            "line 2: seconds: expected a number",
        ),
        (
            HEADER + '\n{"at_ns":1,"type":"ruling","rule":"award","winner":"black","score":{"black":70}}',
            "line 2: score.black: expected a whole number from 0 to 64, got 70",
        ),
        (HEADER + "\n" + "[" * 100_000, "line 2: expected a JSON object"),
        (
            HEADER + '\n{"type":"tick}',
            "line 2: expected a JSON object: Unterminated string starting at: column 9",
        ),
        (HEADER + '\n{"at_ns":1,"type":"tick","x":"\\ud800"}', "line 2: expected a JSON object"),
        (HEADER + '\n{"at_ns":' + "9" * 10_000 + ',"type":"tick"}', "line 2: "),
        (HEADER[:-1] + ',"minutes":1' + "0" * 400 + "}", "line 1: minutes: expected a number from 0.001"),
        (HEADER[:-1] + ',"increment_s":NaN}', "line 1: increment_s: expected a number from 0"),
    ],
)
def test_a_broken_file_names_line_and_field(text: str, why: str) -> None:
    with pytest.raises(Invalid) as error:
        parse_game(text)
    assert str(error.value).startswith(why)
    assert "\n" not in str(error.value)


@given(st.text(max_size=300))
def test_any_text_is_read_or_refused_in_one_line(text: str) -> None:
    try:
        parse_game(HEADER + "\n" + text)
    except Invalid as error:
        assert str(error).startswith("line ")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("id = ", "expected TOML"),
        ("id = " + "9" * 5000, "expected TOML"),
        ("id = " + "[" * 5000, "expected TOML"),
        ('based_on = "chess"', "based_on: expected one of woc-2019"),
        ('id = "x"', "minutes: expected a table, got nothing"),
        ('based_on = "woc-2019"\nspeed = 1', "speed: unknown field"),
        ('based_on = "woc-2019"\n[minutes]\nfinal = 45', "id: expected a name of its own"),
        ('based_on = "woc-2019"\nid = "x"\nfamily = "chess"', "family: expected one of woc-2019"),
        ('based_on = "woc-2019"\n[flag]\nfirst = "explodes"', "flag.first: expected one of extension, loses"),
        ('based_on = "woc-2019"\n[flag]\nwings = 2', "flag.wings: unknown field"),
        ('based_on = "woc-2019"\n[flag]\nguarantee = [33]', "flag.guarantee: expected two disc counts"),
        ('based_on = "woc-2019"\n[flag]\nguarantee = [40, 40]', "flag.guarantee: expected at most 64 discs"),
        ('based_on = "woc-2019"\n[minutes]\nqualifying = -1', "minutes.qualifying: expected minutes above 0"),
        (
            'based_on = "woc-2019"\n[minutes]\nheat = 1',
            "minutes.heat: unknown field, expected one of qualifying",
        ),
        ('based_on = "woc-2019"\nid = "x"\ntext = "y"', "text: unknown field"),
        ('based_on = "woc-2019"\nleast_minutes = 1', "least_minutes: unknown field"),
        (
            'based_on = "woc-2019"\n[minutes]\nleast = -1',
            "minutes.least: expected a number from 0 to 600, got -1",
        ),
        (
            'based_on = "woc-2019"\n[score]\ndraw = "even"',
            "score.draw: expected two disc counts, as [33, 31], or",
        ),
        ('based_on = "woc-2019"\n[flag]\nguarantee = [-1, 3]', "flag.guarantee: expected at most 64 discs"),
        (
            'based_on = "woc-2019"\n[cites]\nflag = 3',
            "cites.flag: expected a clause or a list of clauses, got 3",
        ),
        ('based_on = "woc-2019"\n[event.told]\nx = "joke"', "event.told.x: expected one of consultation"),
        ('based_on = "woc-2019"\nplayers_stop = 1', "players_stop: expected true or false, got 1"),
        (
            'based_on = "woc-2019"\nmost_time_removed = 2',
            "most_time_removed: expected a number from 0 to 1, got 2",
        ),
        (
            'based_on = "woc-2019"\ntouch_binds = ["nose"]',
            'touch_binds[0]: expected one of disc, hand, got "nose"',
        ),
    ],
)
def test_a_broken_rulebook_names_the_field(text: str, why: str) -> None:
    with pytest.raises(Invalid) as error:
        parse_rulebook(text)
    assert str(error.value).startswith(why)
    assert "\n" not in str(error.value)


def test_a_directors_own_rulebook_overrides_what_it_names() -> None:
    custom = parse_rulebook('based_on = "cc-2024"\nid = "evening"\n[minutes]\nqualifying = 15\n')
    base = rulebook("cc-2024")
    assert custom.minutes[Stage.QUALIFYING] == 15
    assert custom.minutes[Stage.FINAL] == base.minutes[Stage.FINAL]
    assert [type(minutes) for minutes in base.minutes.values()] == [int] * len(base.minutes)
    assert custom.flag == base.flag


def test_a_whole_rulebook_that_is_based_on_none_is_a_text_of_its_own() -> None:
    custom = parse_rulebook(
        (rulebooks._FOLDER / "woc-2019.toml")
        .read_text("utf-8")
        .replace('"woc-2019"', '"mine"', 1)
        .partition("[tournament]")[0]
    )
    assert (custom.id, custom.family) == ("mine", "mine")


def test_a_directors_own_rulebook_travels_with_the_game() -> None:
    text = 'based_on = "cc-2024"\nid = "evening"\n[minutes]\nqualifying = 15\n'
    line = json.loads(HEADER) | {"rulebook": "evening", "rulebook_text": text}
    header = parse_header(line)
    assert (header.minutes, header.rulebook.family) == (15, "cc-2024")
    assert parse_header(json.loads(json.dumps(header_object(header)))) == header
    assert not {"increment_s", "delay_s"} & set(header_object(header))
    incremental = parse_header(
        line | {"rulebook_text": text.replace("[", 'per_move = "increment"\n[', 1), "increment_s": 2.5}
    )
    assert parse_header(json.loads(json.dumps(header_object(incremental)))).increment_s == 2.5
    with pytest.raises(Invalid, match=r"rulebook: expected .evening."):
        parse_header(line | {"rulebook": "night"})
    with pytest.raises(Invalid, match=r"rulebook_text: flag\.wings: unknown field"):
        parse_header(line | {"rulebook_text": text + "[flag]\nwings = 2\n"})


@pytest.mark.parametrize(
    ("name", "family"),
    [("club", "woc-2019"), ("woc-2017", "woc-2017"), ("cc-2024", "cc-2024"), ("usoa", "usoa")],
)
def test_the_family_of_a_rulebook_is_the_text_it_comes_from(name: str, family: str) -> None:
    assert rulebook(name).family == family


def test_an_unknown_rulebook_says_which_there_are() -> None:
    with pytest.raises(Invalid, match="expected one of woc-2019, "):
        rulebook("fide")


@pytest.mark.clause("usoa 8.1", "woc-2019 I.3", "woc-2017 I.3", "woc-classic I.2")
@pytest.mark.parametrize("book", ["woc-2019", "woc-2017", "woc-classic", "usoa"])
def test_a_game_is_recorded_whole_and_its_transcript_can_be_read_from_the_record(book: str) -> None:
    story = Path(__file__).parents[2] / "stories" / "the_nine_move_game.jsonl"
    text = story.read_text("utf-8").replace("woc-2019", book)
    header, lines = parse_game(text)
    assert header.rulebook.id == book
    assert outcome(replay(header, lines))["transcript"] == "f5d6c5f6e7f4g5e6e3"
    assert format_game(header, lines) == text


def test_reasons_and_notes_come_back_and_the_law_does_not_weigh_them() -> None:
    ruling = {"at_ns": 5, "type": "ruling", "rule": "stop", "reason": "noise in the hall", "who": "judge"}
    note = {"at_ns": 6, "type": "tick", "note": "judge_leaves", "who": "judge", "detail": "lunch"}
    for line in (ruling, note):
        assert input_object(parse_input(line)) == line
    start = [
        parse_input({"at_ns": 1, "type": "start"}),
        parse_input({"at_ns": 2, "type": "press", "by": "white"}),
    ]
    header = parse_header(json.loads(HEADER))
    silent = replay(header, [*start, parse_input(ruling | {"reason": None, "who": None}), Tick(6)])
    annotated = replay(header, [*start, parse_input(ruling), parse_input(note)])
    assert annotated.clock == silent.clock and annotated.state is silent.state
    facts = outcome(annotated)
    assert facts["incidents"][-1]["fields"] == {"reason": "noise in the hall", "who": "judge"}
    assert facts["notes"] == [{"at_ns": 6, "note": "judge_leaves", "who": "judge", "detail": "lunch"}]
    assert outcome(silent)["notes"] == []


@pytest.mark.parametrize("wrong", [5, "x" * 201, "two\nlines"])
def test_a_reason_is_one_line(wrong: object) -> None:
    with pytest.raises(Invalid, match="reason: expected one line of at most 200 characters"):
        parse_input({"at_ns": 5, "type": "ruling", "rule": "stop", "reason": wrong})
