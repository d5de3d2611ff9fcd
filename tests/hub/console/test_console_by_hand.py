"""Tests of operators' own material: moves of a game without an appliance, an event half played elsewhere, a search."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest
from helpers.console_director import Here, director_at
from helpers.hub_files import tournament_file
from hypothesis import given
from hypothesis import strategies as st

from flagfall.othello.board import START, square_name
from hub.console.pages import event as event_pages
from hub.formats.tournament_file import read_tournament, write_tournament
from hub.formats.wthor import read_wtb
from hub.record.typed_moves import read_moves
from hub.text import Refused

NINE = "f5d6c5f4e3c6e6f6g5"


def game_of(seed: int) -> tuple[str, tuple[int, int]]:
    """Return a whole random game: its moves and the discs at its end."""
    random, position, black, moves = Random(seed), START, True, ""
    while not position.over():
        if not position.legal(black):
            black = not black
        square = random.choice([n for n in range(64) if position.legal(black) >> n & 1])
        position, black, moves = position.played(black, square), not black, moves + square_name(square)
    return moves, (position.black.bit_count(), position.white.bit_count())


@pytest.mark.parametrize(
    "typed",
    [
        NINE,
        NINE.upper(),
        "f5 d6 c5 f4 e3 c6 e6 f6 g5",
        "1. f5 d6\n2. c5 f4\n3. e3 c6\n4. e6 f6\n5. g5",
        "1.F5 2.D6 3.C5 4.F4 5.E3 6.C6 7.E6 8.F6 9.G5",
        "f5,d6;c5|f4/e3-c6 pass -- e6 PA f6 パス g5 …",
        "\ufeff\u2068f5\u2069 \u200ed6 c5 f4 e\u200b3 c6 e6 f6 g\xad5\u202c",
        "  ",
    ],
)
def test_moves_are_read_as_people_write_them(typed: str) -> None:
    assert read_moves(typed) == (NINE if typed.strip() else "")


@pytest.mark.parametrize(
    ("typed", "why"),
    [
        ("f5 d6 z9", "move 3: expected a square a1 to h8"),
        ("f5 f5", "move 2: f5 is not legal"),
        ("a1", "move 1: a1 is not legal"),
        ("f5 " * 1_000, "at most 2000 characters"),
    ],
)
def test_a_move_that_is_none_is_named(typed: str, why: str) -> None:
    with pytest.raises(Refused, match=why):
        read_moves(typed)


@given(st.integers(0, 10_000), st.sampled_from(["", " ", ", ", "\n", " 12. "]))
def test_any_legal_game_is_read_whatever_stands_between_its_moves(seed: int, between: str) -> None:
    moves, _ = game_of(seed)
    assert read_moves(between.join(moves[at : at + 2] for at in range(0, len(moves), 2))) == moves


@given(st.text(max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        read_moves(text)
    except Refused as fault:
        assert str(fault).startswith("transcript: ")


async def test_moves_typed_for_a_game_make_it_a_game_of_the_archive(served: Any) -> None:
    seed = next(n for n in range(1_000) if sum(game_of(n)[1]) == 64)
    moves, (black, white) = game_of(seed)

    async with director_at(served, tournament_file(2)) as director:
        await director.served.run("publish-round")
        director.served.live.hear_link(True)
        assert "except results to be entered by hand" in await director.page("round")
        game = director.game(1, 1).id
        await director.send(f"game/{game}", transcript=NINE)
        assert director.state.games[game].transcript == NINE
        await director.send("result", table=1, black=white, white=black)
        page = await director.send(f"game/{game}", 400, transcript=moves)
        assert f"got a game that ends {black}-{white}" in page
        await director.send("undo", entry="", to="audit")
        await director.send("result", table=1, black=black, white=white)
        await director.send(f"game/{game}", transcript=moves)
        file = await director.client.get(f"/t/open/files/games/{game}.wtb")
        assert file.status_code == 200 and len(read_wtb(file.content)[1]) == 1
        assert (await director.client.get(f"/t/open/games/{game}")).status_code == 200
        await director.send(f"game/{game}", transcript="")
        assert (await director.client.get(f"/t/open/files/games/{game}.wtb")).status_code == 404


async def test_an_event_goes_on_from_a_file_with_rounds(served: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_pages, "_ASIDE", Here())
    played = {
        "games": [{"black": "p1", "white": "p2", "score": [40, 24]}, {"black": "p3", "white": "p4"}],
        "byes": [],
    }
    file = write_tournament(read_tournament(_json(tournament_file(4, rounds=[played]))))

    async with director_at(served, tournament_file(4)) as director:
        form = {"csrf": director.csrf, "name": "Second day", "rulebook": "woc-2019", "go_on": "1"}
        answer = await director.client.post("/desk/new", data=form, files={"file": ("day.json", file)})
        assert answer.headers["location"] == "/desk/t/second-day/round", answer.text
        state = director.served.store.states["second-day"]
        assert state.round == 1 and state.tournament.name == "Second day" and not state.complete
        result = {"csrf": director.csrf, "table": "2", "black": "33", "white": "31"}
        assert (await director.client.post("/desk/t/second-day/result", data=result)).status_code == 303
        await director.served.run("publish-round", "second-day")
        assert director.served.store.states["second-day"].round == 2
        answer = await director.client.post("/desk/new", data=form)
        assert answer.status_code == 400 and "expected a file" in answer.text


PAPP = b"""#_Nom-Tournoi = "Spring Open" ;
#_Nombre-Rondes = 3 ;
& +005083 +001492 +000007 +000008;
%_%      7 NEWCOMER, Ann\t{F}
%_%      8 NEWCOMER, Bo\t{GB}
raz-couplage;
(005083 40 001492 24);
(000008 20 000007 44);
ronde-suivante;
& +005083 +001492 +000007 +000008;
raz-couplage;
(000007 005083);
(000008 001492 33);
"""


async def test_an_event_goes_on_from_papps_work_file_and_the_world_list_names_its_players(
    served: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(event_pages, "_ASIDE", Here())

    async with director_at(served, tournament_file(4)) as director:
        post = director.client.post
        listed = b"pays = SWE\n  1492 NOBODY, Cy   %_<1720>\n  5083 NOBODY, Di\n"
        await post("/desk/new/list", data={"csrf": director.csrf}, files={"list": ("joueurs.txt", listed)})
        form = {"csrf": director.csrf, "name": "Spring Open", "rulebook": "woc-2019", "go_on": "1"}
        files = {"file": ("papp-internal-workfile.txt", PAPP)}
        answer = await post("/desk/new", data=form, files=files)
        assert answer.headers["location"] == "/desk/t/spring-open/round", answer.text

        def event() -> Any:
            return director.served.store.states["spring-open"]

        assert (event().round, event().tournament.rounds_planned, event().complete) == (2, 3, False)
        names = {player.id: player.name for player in event().tournament.players}
        assert names == {
            "5083": "NOBODY, Di",
            "1492": "NOBODY, Cy",
            "7": "NEWCOMER, Ann",
            "8": "NEWCOMER, Bo",
        }
        assert "NOBODY, Cy" in (await director.client.get("/desk/t/spring-open/round")).text
        result = {"csrf": director.csrf, "table": 1, "black": 40, "white": 24}
        assert (await post("/desk/t/spring-open/result", data=result)).status_code == 303
        assert event().complete
        assert (await director.served.run("publish-round", "spring-open")).round == 3


def _json(value: dict[str, Any]) -> bytes:
    return json.dumps(value).encode()


async def test_the_players_are_sorted_and_sifted(served: Any) -> None:
    file = tournament_file(3)
    for player, (name, country, rating) in zip(
        file["players"], (("Zoë", "AAA", 1500), ("Émile", "CCC", 1900), ("Bo", "BBB", None)), strict=True
    ):
        player |= {"name": name, "country": country, "rating": rating}

    async with director_at(served, file) as director:

        async def order(**asked: str) -> list[str]:
            page = await director.page("players", **asked)
            table = page[page.index("<tbody>") : page.index("</tbody>")]
            return sorted((name for name in ("Zoë", "Émile", "Bo") if name in table), key=table.index)

        assert await order(by="name") == ["Bo", "Émile", "Zoë"]
        assert await order(by="country") == ["Zoë", "Bo", "Émile"]
        assert await order(by="rating") == ["Émile", "Zoë", "Bo"]
        assert await order(q="emile") == ["Émile"] and await order(q="zoe aaa") == ["Zoë"]
        assert await order(q="nobody") == [] and len(await order(by="nonsense")) == 3
