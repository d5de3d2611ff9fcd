"""A name in Hebrew or Arabic letters turns nothing around it, wherever it stands on a page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from helpers.console_director import PLAYED, director_at
from helpers.hub_files import tournament_file
from helpers.hub_served import Served

from flagfall.base.isolate import isolated
from flagfall.base.message import Message
from flagfall.base.words import words_in
from hub.console.rendering import Translator
from hub.public.prints import PRINTS
from hub.public.projector import SCENES
from hub.web.pages import PersonName

NAMES = ("יוסף כהן", "عمر", "דנה לוי", "Levi (לוי)")
BARE = re.compile(r"(?:(?<!<bdi>)(?<!\u2068))(?:{})".format("|".join(map(re.escape, NAMES))))


@pytest.mark.parametrize("name", ["Ada", "𠮷田 太郎", "Schönewald-Brettschneider", "O'Neill (2)", ""])
def test_a_name_that_turns_nothing_stays_as_it_is(name: str) -> None:
    assert isolated(name) == name and type(isolated(PersonName(name))) is str


@pytest.mark.parametrize("name", ["יוסף כהן", "عمر", "Levi (לוי)", "٣", "a\u202eb", "x\u2069y"])
def test_a_name_that_could_turn_others_is_enclosed(name: str) -> None:
    shown = isolated(name)
    assert shown[0] == "\u2068" and shown[-1] == "\u2069"
    assert not set(shown[1:-1]) & set("\u202e\u2068\u2069") and len(shown) >= 3


def test_a_persons_name_is_an_element_in_a_page_and_enclosed_in_a_sentence() -> None:
    assert PersonName("<עמר>").__html__() == "<bdi>&lt;עמר&gt;</bdi>"
    assert f"{PersonName('עמר')}: 3" == "\u2068עמר\u2069: 3" and f"{PersonName('Ada')}: 3" == "Ada: 3"


# The contents of a field turn nothing outside of it.
TYPED = re.compile(r' value="[^"]*"|<textarea[^>]*>.*?</textarea>', re.S)


async def test_no_page_has_a_name_that_turns_its_surroundings(tmp_path: Path) -> None:
    file = tournament_file(5, rounds=PLAYED)
    file["players"] = [
        player | {"name": name} for player, name in zip(file["players"], (*NAMES, "Ada"), strict=True)
    ]
    async with director_at(Served(tmp_path), file) as director:
        served = director.served
        await served.run("publish-round")
        await served.run("start-round")
        key = served.site.key
        game, played = director.state.present_games[0], director.game(1, 1)
        public = ["", "/players", "/players/p1", "/standings", "/event", "/games", "/finals"]
        addresses = [f"/t/open{page}" for page in (*public, f"/games/{played.id}")]
        addresses += [f"/hall/open?key={key}&show={scene}" for scene in SCENES]
        addresses += [f"/print/open/{kind}?key={key}" for kind in PRINTS]
        desk = ["round", "draft", "players", "player/p1", "room", "corrections", "finals", "event", "teams"]
        desk += ["categories", "lists", "audit", f"game/{game.id}", f"corrections?game={played.id}"]
        addresses += [f"/desk/t/open/{page}" for page in desk]
        named = 0
        for address in addresses:
            answer = await director.client.get(address)
            assert answer.status_code == 200, address
            page = TYPED.sub("", answer.text)
            bare = BARE.search(page)
            assert bare is None, (address, page[bare.start() - 80 : bare.end() + 20])
            named += any(name in page for name in NAMES)
        assert named > 20
        say = Translator(words_in("en"), director.state.tournament.name_of)
        assert (
            str(say(Message.of("{player} has not played", player="p1")))
            == f"\u2068{NAMES[0]}\u2069 has not played"
        )
