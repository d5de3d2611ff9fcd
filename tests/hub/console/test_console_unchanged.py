"""A form saved as its page shows it is no error, and figures may be full-width as Japanese keyboards give them."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

import pytest
from helpers.console_director import PLAYED, director_at
from helpers.hub_files import tournament_file
from helpers.people import club, my_page, sends

from hub.fields import whole_in
from hub.record.typed_moves import read_moves
from hub.rounds.openings import read_list

# The forms that show what is set and save it, by their pages.
SAVED = {
    "event": ("event", "event/players-pages"),
    "room": ("judges",),
    "lists": ("lists", "lists/prizes", "show", "prizes"),
    "teams": ("teams", "teams/players", "teams/line-up"),
    "leagues": ("leagues",),
    "player/p1": ("player/p1",),
}


class Forms(HTMLParser):
    """The parser for a page's forms with the fields that a browser would send: action -> fields."""

    def __init__(self) -> None:
        super().__init__()
        self.forms: dict[str, dict[str, list[str]]] = {}
        self._fields: dict[str, list[str]] = {}
        self._select = self._text_of = ""

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        attributes = dict(attrs)
        name = attributes.get("name", "")
        if tag == "form":
            action = attributes.get("action", "").partition("/desk/t/open/")[2]
            self._fields = self.forms.setdefault(action, {})
        elif tag == "input" and name and attributes.get("type") not in ("file", "submit"):
            ticks = attributes.get("type") in ("checkbox", "radio")
            if not ticks or "checked" in attributes:
                self._fields.setdefault(name, []).append(attributes.get("value") or "")
        elif tag == "select":
            self._select = name
        elif tag == "textarea":
            self._text_of = name
            self._fields[name] = [""]
        elif tag == "option" and ("selected" in attributes or self._select not in self._fields):
            self._fields[self._select] = [attributes.get("value", "")]

    def handle_data(self, data: str) -> None:
        if self._text_of:
            self._fields[self._text_of][0] += data

    def handle_endtag(self, tag: str) -> None:
        self._text_of = "" if tag == "textarea" else self._text_of


@pytest.mark.parametrize("system", ["swiss", "leagues"])
async def test_every_form_may_be_saved_as_it_is_shown(served: Any, system: str) -> None:
    leagues: dict[str, Any] = (
        {"leagues": [["p1", "p2", "p3"], ["p4", "p5", "p6"]]} if system == "leagues" else {}
    )
    file = club(6, system=system, **(leagues or {"team_matches": 2}))
    for number, player in enumerate(file["players"]):
        player["team"] = "Ants" if number < 2 else "Crows"
    tried = []
    async with director_at(served, file) as director:
        for page, actions in SAVED.items():
            answer = await director.client.get(f"/desk/t/open/{page}")
            if page == "leagues" and system != "leagues":
                continue
            forms = Forms()
            forms.feed(answer.text)
            for action in actions:
                if action not in forms.forms:
                    continue
                fields = {**forms.forms[action], "csrf": director.csrf}
                sent = await director.client.post(f"/desk/t/open/{action}", data=fields)
                assert sent.status_code == 303, (page, action, sent.text)
                tried.append(action)
    assert len(tried) > 6, tried


async def test_full_width_figures_are_figures_in_every_form(served: Any) -> None:
    async with director_at(served, club(4)) as director:
        await director.send("event", rounds_planned="３", date="２０２６－１１－０６")
        tournament = director.state.tournament
        assert (tournament.rounds_planned, tournament.date) == (3, "2026-11-06")
        await director.send("show", boards="１，２", delay_min="３")
        assert (director.state.showing.boards, director.state.showing.delay_s) == ((1, 2), 180)
        prizes = {"list": "open", "prizes-open-money": "３００　２００．５", "round_to_cents": "1"}
        await director.send("lists/prizes", **prizes)
        assert director.state.tournament.prizes.lists["open"].cents == (30_000, 20_050)
        await director.send("players", name="見本　花子", rating="１５００", grade="３dan")
        entered = director.state.tournament.players[-1]
        assert (entered.name, entered.rating, entered.grade) == ("見本 花子", 1500, "3dan")
        await director.send(f"player/{entered.id}/remove")
        await director.send("event/players-pages", pages="1", results="1")
        await director.served.run("publish-round")
        await director.send("start")
        game = director.game(1, 1)
        black, white = game.players
        await sends(served, "score", black, game=game.id, seen="0", mine="４０", theirs="２４")
        assert "Confirm 24–40" in await my_page(served, white)
        await sends(served, "score", white, game=game.id, seen="1", mine="２４", theirs="４０")
        assert director.game(1, 1).score == (40, 24)
        await director.send("result", table="１", black="３３", white="３１")
        assert director.game(1, 1).conflict
        await director.send("decide", game=game.id, black="３３", white="３１", why="the sheet")
        assert director.game(1, 1).score == (33, 31)
        await director.send("player/p1/absent", round="２")
        assert [absence.round for absence in director.state.tournament.absences] == [2]
        await director.send(
            "corrections",
            game=game.id,
            change="result",
            black="３４",
            white="３０",
            reason="board",
            why="slip",
        )
        assert director.game(1, 1).score == (34, 30)


async def test_full_width_figures_are_figures_in_addresses_codes_moves_and_openings(served: Any) -> None:
    assert whole_in("１２") == 12
    assert read_moves("１．ｆ５ ｄ６ 2. c3") == "f5d6c3"
    assert read_list("ｆ５ｄ６ｃ４ｄ３ｃ２ｂ３ｂ４ｂ５").openings == ("f5d6c4d3c2b3b4b5",)
    async with served:
        code, client = served.hub.setup.code, served.browser()
        wide = "".join(chr(ord(letter) + 0xFEE0) for letter in code)
        form = {"code": wide, "name": "Ada", "password": "a long password"}
        assert (await client.post("/desk/setup", data=form)).status_code == 303


async def test_full_width_numbers_find_players(served: Any) -> None:
    async with director_at(served, tournament_file(4, rounds=PLAYED)) as director:
        assert "Player 3" in await director.page("players", q="ｐ３")
