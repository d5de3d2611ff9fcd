"""An event at the console: made and refused, its tables and its projector, from nothing to the final list."""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any

import pytest
from helpers.console_director import Director, director_at, one_game, paired, shown_answers
from helpers.hub_files import tournament_file
from helpers.hub_served import Served
from helpers.night import rows_by_night

from flagfall.ledger.store import LedgerError
from flagfall.link.messages import Health, Status
from hub.desk.forms import Form
from hub.ranking.finals import finals_of
from hub.role import Role
from hub.text import Refused


async def test_an_event_from_nothing_to_the_final_list(tmp_path: Path) -> None:
    names = "\n".join(f"Name {n}; {'AAA' if n % 2 else 'BBB'}; {2000 - n}" for n in range(1, 9))
    form = {
        "name": "Open!",
        "rulebook": "woc-2019",
        "date": "2026-11-05",
        "system": "swiss",
        "rounds_planned": "2",
        "players": names,
    }

    async with director_at(Served(tmp_path, paired)) as director:
        assert await director.send("/desk/new", **form) == "/desk/t/open/draft"
        tournament = director.state.tournament
        assert (len(tournament.players), tournament.rounds_planned) == (8, 2) and tournament.seed > 0
        for number in (1, 2):
            await director.send("draft/pair")
            draft = director.served.hub.drafting.of("open")
            await director.send("draft/publish", revision=draft.revision, judged="1")
            assert "Start the round" in await director.page("round")
            await director.send("start")
            for game in director.state.present_games:
                await director.send("result", table=game.table, black=40 - game.table, white=24 + game.table)
            assert director.state.round == number and director.state.complete
        stages = []
        while finals_of(director.state.tournament).due:
            page = await director.page("finals")
            fields = dict(re.findall(r'name="(m\d-match)" value="([^"]+)"', page))
            choice = {}
            for name, value in fields.items():
                key = name.removesuffix("-match")
                table = int(key[1:]) + 1
                choice |= {name: value, f"{key}-play": "1", f"{key}-way": "0", f"{key}-table": table}
            await director.send("finals", **choice)
            stages += [game.final.stage for game in director.state.present_games]
            await director.send("start")
            for game in director.state.present_games:
                if game.score is None:
                    await director.send("result", table=game.table, black="34", white="30")
        assert {"semi-final", "third-place", "final"} <= set(stages)
        champion = finals_of(director.state.tournament).champions["open"]
        page = await director.page("finals")
        assert "Everything is decided" in page and director.state.tournament.player(champion).name in page
        await director.send("close")
        assert director.state.closed and "This event is closed" in await director.page("round")
        assert "Closed events: 1" in await director.page("/desk")


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"name": ""}, "Name: expected something"),
        *rows_by_night(
            ({"rulebook": "chess"}, "Rulebook: expected one of"),
            ({"date": "tomorrow"}, "First day: expected a date YYYY-MM-DD"),
            ({"rounds_planned": "many"}, "Rounds: expected a whole number"),
            ({"system": "guess"}, "System: expected one of"),
        ),
        ({"players": "Only One"}, "Players: expected at least two players, got 1"),
        ({"players": "A\n\n" * 2_001 + "B; ???"}, "Players: expected at most 2000 players, got 2002"),
        (
            {"players": "\n".join("ABCDEFGHIJKLMN"), "rounds_planned": "9"},
            "Rounds: expected 13, as 14 players all meet",
        ),
    ],
)
async def test_a_refused_event_keeps_what_was_typed(served: Any, more: dict[str, str], reason: str) -> None:
    form = {"name": "Spring <b>Open", "rulebook": "woc-2019", "players": "Ada; FRA\nBob & Co; JPN", **more}

    async with director_at(served) as director:
        await director.send("/desk/new", 400, **form)
        page = director.sent
        assert reason in page and 'role="alert"' in page
        (focused,) = re.findall("<[^>]+ autofocus[ >]", page)
        assert "aria-invalid" in focused, "the cursor is at the fault"
        assert "<b>Open" not in page
        if "players" not in more:
            assert "Bob &amp; Co; JPN" in page
        if "name" not in more:
            assert 'value="Spring &lt;b&gt;Open"' in page
        assert director.served.store.states == {}


@pytest.mark.parametrize(
    ("typed", "reason"),
    [
        ("A\nB\nC; ???", "line 3: expected a country, a rating, f or m"),
        ("A\nB\n77", "line 3: expected a number of the list or the file, got 77: left out"),
        ("A\nB\nA", "line 3: A stands in line 1 too: both are entered"),
        *rows_by_night(
            ("3; A\n3; B\nC", "line 2: player 3 stands in the list before: left out"),
            ("A; FRA\nB; XYZ", 'line 2: Country: expected a country or its code, got "XYZ"'),
            ("A\nB 1500", "line 2: behind the name: 1500: read apart from B"),
            ("A\nTotal\nB", "line 2: a total, no player"),
        ),
    ],
)
async def test_a_doubtful_typed_line_is_shown_and_then_goes_on(served: Any, typed: str, reason: str) -> None:
    form = {"name": "Open", "rulebook": "open", "players": typed}

    async with director_at(served) as director:
        page = await director.send("/desk/new", 400, **form)
        assert reason in page and "Nothing is saved yet" in page and not director.served.store.states
        await director.send("/desk/new", **form, **shown_answers(director.sent))
        assert len(director.state.tournament.players) >= 2


async def test_typed_dates_that_could_be_either_are_asked_once(served: Any) -> None:
    form = {"name": "Open", "rulebook": "open", "players": "A; 03/04/2010\nB; 05/06/2011"}

    async with director_at(served) as director:
        page = await director.send("/desk/new", 400, **form)
        assert "Answer the marked questions below" in page and 'name="days-1.days"' in page
        answers = shown_answers(director.sent)
        await director.send("/desk/new", 400, **form, **answers)
        await director.send("/desk/new", 400, **form, **answers | {"days-1.days": "month"})
        assert "2010-03-04" in director.sent
        await director.send("/desk/new", **form, **shown_answers(director.sent))
        assert [player.born for player in director.state.tournament.players] == ["2010-03-04", "2011-05-06"]


async def test_a_fault_of_the_disk_names_its_file_as_it_is_called(served: Any, monkeypatch: Any) -> None:
    async def failing(*_: Any, **__: Any) -> None:
        raise LedgerError("tmp/a/ledger.sqlite: database or disk is full")

    async with director_at(served) as director:
        monkeypatch.setattr(served.store, "record", failing)
        await director.send("/desk/new", 409, name="Open", rulebook="woc-2019", players="Ada\nBob")
        assert "</b> tmp/a/ledger.sqlite: database or disk is full" in director.sent


@pytest.mark.parametrize(
    ("rulebook", "kinds", "judges", "boards"),
    [
        ("club", ("", ""), False, False),
        ("club", ("", "eye"), False, True),
        ("woc-2019", ("sensors",), True, True),
        ("woc-2019", (), False, False),
    ],
)
async def test_a_first_round_is_proposed_as_the_room_is(
    tmp_path: Path, *, rulebook: str, kinds: tuple[str, ...], judges: bool, boards: bool
) -> None:
    """A club's clocks alone miss neither judge nor board; later rounds are proposed as the last one was published."""
    async with director_at(Served(tmp_path, paired)) as director:
        served = director.served
        await served.create("open", tournament_file(4) | {"rulebook": rulebook})
        for seat, kind in enumerate(kinds, 1):
            await served.enroll(f"t{seat}", seat)
            served.live.hear_status(
                f"t{seat}", "", Status(online=True, fit=True, health=Health(board_kind=kind))
            )
        await director.send("draft/pair")
        page = await director.page("draft")
        for name, proposed in (("judged", judges), ("sensors", boards)):
            tick = re.search(rf'<input[^>]*name="{name}"[^>]*>', page)
            if name == "sensors" and not kinds:
                assert tick is None, "a room without devices is not asked for boards"
            else:
                assert tick is not None and ("checked" in tick[0]) == proposed


async def test_the_room_in_the_morning(tmp_path: Path) -> None:
    async with director_at(Served(tmp_path)) as director:
        served = director.served
        for device, seat in (("t1", 1), ("t2", 2), ("spare", None)):
            await served.enroll(device, seat)
        await served.create("open", tournament_file(6))
        served.live.hear_link(True)
        served.live.hear_status("t1", "", Status(online=True, fit=True))
        served.live.hear_status(
            "t2", "", Status(online=True, health=Health(board="<b>no board", board_kind="eye"))
        )
        troubles = {"board": [{"key": "eye_lost", "places": {}}], "clock": [{"key": "new", "places": {}}]}
        health = Health(board="the camera gives no picture", clock="a new fault")
        served.live.hear_status("spare", "", Status(online=True, fit=True, health=health, troubles=troubles))
        director.client.headers["Accept-Language"] = "fr"
        page = await director.page("room")
        assert "Othellier\u00a0: La caméra ne donne pas d’image, Pendule\u00a0: a new fault" in page
        director.client.headers["Accept-Language"] = "en"
        page = await director.page("room")
        assert (
            "1 of 3 seats ready" in page and "Board: &lt;b&gt;no board" in director.sent and "camera" in page
        )
        await director.send("seat", seat=2, device="spare")
        assert director.state.seats == {1: "t1", 2: "spare"}
        assert "2 of 3 seats ready" in await director.page("room")
        assert "Device: expected an enrolled device" in await director.send("seat", 400, seat=3, device="t9")
        await director.send("judges", **{"judge-1": "Jo", "judge-2": "Kim"})
        await director.send("judges", **{"judge-1": ""})
        assert director.state.judges == {2: "Kim"}
        await director.send("judges", **{"judge-2": "Kim"})
        assert director.state.judges == {2: "Kim"}, "saved without a change"


async def test_a_new_event_asks_before_it_takes_the_tables_of_another(served: Any) -> None:
    async with director_at(served) as director:
        served, client = director.served, director.client
        await served.enroll("t1", 1)
        asks = "Use the tables of"
        assert asks not in (await client.get("/desk/new")).text
        await served.create("open", tournament_file(4, name="Spring Open"))
        new = (await client.get("/desk/new")).text
        assert f"{asks} Spring Open" in new and re.search('name="take_devices"[^>]* checked', new)
        lines = "12; Ann; FRA; 1700; f; 2001-02-03; A\nBo; JPN; -50"
        form = {"csrf": director.csrf, "rulebook": "club", "players": lines}
        await client.post("/desk/new", data={**form, "name": "Left"})
        assert served.store.states["left"].seats == {} and director.state.seats == {1: "t1"}
        room = html.unescape((await client.get("/desk/t/left/room")).text)
        assert "t1: at another event – Spring Open" in room
        again = html.unescape((await client.get("/desk/new?like=left")).text)
        assert f">{lines}</textarea>" in again and '<option value="club" selected' in again
        assert ">Lists and paper<" in room and ">Finals<" not in room, "a club evening knows no finals"
        for old in ("finals", "show", "prizes"):
            moved = await client.get(f"/desk/t/left/{old}")
            assert (moved.status_code, moved.headers["location"]) == (303, "/desk/t/left/lists"), old
        for event, finals in (("left", False), ("open", True)):
            assert (">Finals<" in (await client.get(f"/t/{event}")).text) is finals
        await client.post("/desk/new", data={**form, "name": "Takes", "take_devices": "1"})
        assert served.store.states["takes"].seats == {1: "t1"} and director.state.seats == {}


async def test_what_the_projector_shows(served: Any) -> None:
    async with director_at(served) as director:
        await one_game(director)
        new = (await director.client.get("/desk/new")).text
        assert re.search('name="take_devices"[^>]*>', new)
        assert not re.search('name="take_devices"[^>]* checked', new), "a game is being played there"
        await director.send("show", starts="10:30", boards="1, 3", delay_min="15")
        showing = director.state.showing
        assert (showing.starts_at, showing.boards, showing.delay_s) == (
            "2026-11-05T10:30:00+00:00",
            (1, 3),
            900,
        )
        assert 'value="10:30"' in await director.page("lists") and "/hall/open?key=" in await director.page(
            "lists"
        )
        for bad, reason in (
            ({"starts": "noon"}, "The next round starts at: expected a time"),
            ({"boards": "a"}, "Boards shown, by table: expected"),
        ):
            assert reason in await director.send("show", 400, **bad)
        await director.send("show", starts="08:00")
        assert director.state.showing.starts_at == "2026-11-06T08:00:00+00:00", "the next time it is eight"


async def test_two_directors_at_once_cannot_publish_two_rounds(tmp_path: Path) -> None:
    async with director_at(Served(tmp_path, paired)) as director:
        await director.served.create("open", tournament_file(4))
        other = Director(director.served, *await director.served.entered(Role.DIRECTOR))
        await director.send("draft/pair")
        draft = director.served.hub.drafting.of("open")
        await director.send("draft/publish", revision=draft.revision)
        refused = await other.send("draft/publish", 409, revision=draft.revision)
        assert "Check whether the round is published" in refused
        assert director.state.round == 1


def test_a_form_reads_its_fields() -> None:
    form = Form({"a": ["x"], "n": ["12"], "neg": ["-5"], "odd": ["٤"], "many": ["1", "2"]})
    assert (form.text("a"), form.integer("n"), form.integer("neg", -9), form.all("many")) == (
        "x",
        12,
        -5,
        ("1", "2"),
    )
    for read in (
        lambda: form.text("none"),
        lambda: form.integer("odd"),
        lambda: form.integer("neg"),
        lambda: form.integer("n", 13),
        lambda: form.choice("a", ("y",)),
        lambda: form.text("a", 0),
    ):
        with pytest.raises(Refused, match="expected"):
            read()
