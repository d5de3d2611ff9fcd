"""What players send twice, because their telephone lost the answer, counts once; and what its script is told."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from helpers.console_director import Director, director_at
from helpers.hub_in_one import neighbours
from helpers.people import club, link, my_page, sends

from flagfall.ledger.sqlite import SqliteLedger
from flagfall.ledger.store import StoreFailed
from hub.desk.forms import BY_SCRIPT
from hub.people.acts import FREE_ACTS, shown_game
from hub.record.objections import LONGEST_WORDS

MINE = {"mine": "40", "theirs": "24"}
THEIRS = {"mine": "24", "theirs": "40"}


async def begun(director: Director) -> str:
    """Start a round on paper, with results by players and a tablet, and return the id of its first game."""
    await director.served.create("open", club())
    await director.send("event/players-pages", pages="1", results="1")
    await director.send("arrival")
    await director.served.run("publish-round")
    await director.send("start")
    return str(director.state.present_games[0].id)


async def told(served: Any, address: str, **form: str) -> tuple[int, Mapping[str, str]]:
    """Send a form as the page's script does. Return the status and what the script is told."""
    answer = await served.browser().post(address, data=form, headers={BY_SCRIPT: "1"})
    assert answer.headers["cache-control"] == "private, no-store"
    return answer.status_code, answer.json()


async def test_whatever_is_sent_again_counts_once(served: Any) -> None:
    """A report, a confirmation, a second score, an objection, an arrival and its undoing: the answer got lost, and the
    telephone asks again."""
    served.pair = neighbours
    async with director_at(served) as director:
        game = await begun(director)
        door = served.hub.player_links.arrival_path(director.state)
        other = str(director.state.present_games[1].id)
        acts: list[tuple[str, dict[str, str]]] = [
            (f"{link(served)}/score", {"game": game, **MINE}),
            (f"{link(served, 'p2')}/score", {"game": game, **THEIRS}),
            (f"{link(served)}/wrong", {"game": game, "words": "It was\r\n34 to 30."}),
            (f"{door}/here", {"player": "p3"}),
            (f"{door}/undo", {"player": "p3"}),
            (f"{door}/score", {"game": other, "player": "p3", **MINE}),
            (f"{door}/score", {"game": other, "player": "p4", "mine": "30", "theirs": "34"}),
        ]
        for address, form in acts:
            if "game" in form:
                form["shown"] = shown_game(director.state.games[form["game"]])
            status, said = await told(served, address, **form)
            assert (status, said["outcome"]) == (200, "stored"), (address, said)
            entries = len(await served.store.entries("open"))
            status, said = await told(served, address, **form)
            assert (status, said["outcome"]) == (200, "stored"), (address, said)
            assert (await served.browser().post(address, data=form)).status_code == 303, address
            assert len(await served.store.entries("open")) == entries, address
        entry = director.state.games[game]
        assert entry.score == (40, 24) and [objection.words for objection in director.state.objections] == [
            "It was 34 to 30."
        ]


async def test_the_same_report_again_takes_no_confirmation_away(served: Any) -> None:
    async with director_at(served) as director:
        game = await begun(director)
        await sends(served, "score", game=game, **MINE)
        shown = shown_game(director.state.games[game])
        assert f'name="shown" value="{shown}"' in await my_page(served, "p2")
        await sends(served, "score", game=game, **MINE)
        status, _ = await sends(served, "score", "p2", game=game, shown=shown, **THEIRS)
        assert status == 303 and director.state.games[game].score == (40, 24)


async def test_a_script_is_told_why_and_whether_to_ask_again(served: Any) -> None:
    async with director_at(served) as director:
        game = await begun(director)
        before = shown_game(director.state.games[game])
        await sends(served, "score", game=game, **MINE)
        address = f"{link(served, 'p2')}/score"
        status, said = await told(served, address, game=game, shown=before, mine="30", theirs="34")
        assert (status, said["outcome"]) == (400, "refused") and "in the meantime" in said["line"]
        for _ in range(FREE_ACTS):
            status, said = await told(served, address, game=game, shown=before, mine="30", theirs="34")
        assert (status, said["outcome"]) == (429, "waits"), "too many at once are no refusal for good"
        served.now_ns += 60_000_000_000
        status, said = await told(
            served, address, game=game, shown=shown_game(director.state.games[game]), **THEIRS
        )
        assert (status, said["outcome"]) == (200, "stored") and said["to"] == link(served, "p2")

        revoked = link(served)
        await director.send("player/p1/unlink")
        for nth in range(8):
            status, said = await told(served, f"{revoked}/wrong", game=game, words="It was 34 to 30.")
            assert said["outcome"] == "gone" and status == (404 if nth < 5 else 429)


@pytest.mark.parametrize("line_end", ["\r\n", "\n"])
async def test_a_line_end_counts_as_one_character(served: Any, line_end: str) -> None:
    """A browser counts it as one against the field's maximum, and sends two."""
    async with director_at(served) as director:
        game = await begun(director)
        await director.send("result", table=1, black=40, white=24)
        lines = ["Not" for _ in range(LONGEST_WORDS // 4)]
        words = line_end.join(lines) + "!"
        assert len(words.replace("\r\n", "\n")) == LONGEST_WORDS
        assert (await sends(served, "wrong", game=game, words=words))[0] == 303
        assert director.state.objections[0].words == " ".join(lines) + "!"
        assert (await sends(served, "wrong", "p2", game=game, words=words + "?"))[0] == 400


async def test_a_full_disk_is_told_without_the_hubs_files(
    served: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with director_at(served) as director:
        game = await begun(director)
        door = served.hub.player_links.arrival_path(director.state)

        def full(*_: Any) -> None:
            raise StoreFailed("/var/lib/flagfall/ledger.sqlite: disk is full")

        monkeypatch.setattr(SqliteLedger, "append", full)
        shown = shown_game(director.state.games[game])
        status, page = await sends(served, "score", game=game, shown=shown, **MINE)
        assert status == 503 and "cannot be stored now" in page and "ledger.sqlite" not in page
        status, said = await told(served, f"{link(served)}/score", game=game, shown=shown, **MINE)
        assert (status, said["outcome"]) == (503, "waits") and "ledger" not in said["line"]
        answer = await served.browser().post(f"{door}/here", data={"player": "p3"})
        assert answer.status_code == 503 and "ledger.sqlite" not in answer.text


@pytest.mark.parametrize(("player", "status"), [("nobody", 400), ("p4", 200)])
async def test_acts_that_record_nothing_use_up_nothing_of_the_tablets_budget(
    served: Any, monkeypatch: pytest.MonkeyPatch, player: str, status: int
) -> None:
    """Somebody with the tablet's link who notes one player again and again keeps nobody else off the list."""
    monkeypatch.setattr("hub.people.acts.TABLET_ACTS", 3)
    async with director_at(served) as director:
        await begun(director)
        door = served.hub.player_links.arrival_path(director.state)
        browser = served.browser()
        for _ in range(5):
            answer = await browser.post(f"{door}/here", data={"player": player}, headers={BY_SCRIPT: "1"})
            assert answer.status_code == status
        assert (await browser.post(f"{door}/here", data={"player": "p3"})).status_code == 303
