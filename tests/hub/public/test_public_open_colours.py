"""No view names a colour while colours are open: every page, print, file, feed and answer of an event under jof.

Players draw the colours at the table by a hidden disc (jof J1). A question who had Black, and boxes to mark it, are
the only places with the colours' names.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any

import pytest
from helpers.console_director import Director, director_at
from helpers.hub_files import tournament_file
from helpers.night import by_night
from helpers.people import link

from hub.console.app import LANGUAGE_COOKIE
from hub.overview import PublicStates
from hub.pairing.round import PairedGame
from hub.public.api.views import FeedFacts
from hub.public.prints import PRINTS
from hub.rounds.paired import Paired
from hub.rounds.publish import FinalChoice

# The colours' names, as the catalogues have them.
COLOURS = {
    "en": re.compile(r"\b(Black|White)\b"),
    "fr": re.compile(r"\b(Noirs?|Blancs?)\b"),
    "ja": re.compile("黒(?!白)|(?<![空黒])白"),
}
# Elements whose names of colours are questions, boxes to mark, start squares, or rules that name no player.
ASKS = ("had", "drawn", "grid", "told")
VOID = frozenset(
    ["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"]
)


class NamedColours(HTMLParser):
    """The places of a page that name a colour, outside of questions."""

    def __init__(self, language: str) -> None:
        super().__init__()
        self.names = COLOURS[language]
        self.found: list[str] = []
        self._open: list[tuple[str, bool]] = []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        attributes = {name: value or "" for name, value in attrs}
        classes = attributes.get("class", "").split()
        asks = tag in ("script", "style", "select") or not {*ASKS}.isdisjoint(classes)
        asks = asks or attributes.get("id", "") in ("had-black",)
        asks = asks or any(inside for _, inside in self._open)
        if not asks:
            if "disc" in classes and not {"black", "white"}.isdisjoint(classes):
                self.found.append(f"<{tag} class={classes}> after {self.found[-1:]}")
            self._look(" ".join(attributes.get(name, "") for name in ("aria-label", "title", "alt")))
        if tag not in VOID:
            self._open.append((tag, asks))

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop()[0] != tag:
            pass

    def handle_data(self, text: str) -> None:
        if not any(inside for _, inside in self._open):
            self._look(text)

    def _look(self, text: str) -> None:
        if self.names.search(text):
            self.found.append(" ".join(text.split()))


def named_colours(page: str, language: str = "en") -> list[str]:
    parser = NamedColours(language)
    parser.feed(page)
    return parser.found


def games_in(value: Any) -> Iterator[dict[str, Any]]:
    """Yield every JSON object that has a game's two players, or the colour of one."""
    if isinstance(value, list):
        for item in value:
            yield from games_in(item)
    elif isinstance(value, dict):
        if {"black", "white"} <= {*value} or "colour" in value:
            yield value
        for item in value.values():
            yield from games_in(item)


async def pairs(tournament: Any) -> Paired:
    ids = [player.id for player in tournament.players]
    games = tuple(PairedGame(at + 1, *ids[2 * at : 2 * at + 2]) for at in range(len(ids) // 2))
    return Paired(len(tournament.rounds) + 1, games, (), None, ())


@pytest.fixture(params=["round"])
async def open_event(served: Any, request: pytest.FixtureRequest) -> Any:
    """Yield a director whose event under jof has games with open colours: of a round, or a final."""
    served.pair = pairs
    async with director_at(served) as director:
        if request.param == "round":
            await served.create("open", tournament_file(8, rulebook="jof", rounds_planned=2))
            await served.run("publish-round")
        else:
            played = [{"games": [{"black": "p1", "white": "p2", "score": [32, 32]}]}]
            file = tournament_file(2, rulebook="jof", rounds_planned=1, rounds=played, level_playoff=2)
            await served.create("open", file)
            await served.run("publish-finals", games=[FinalChoice("open", "final", "p1", "p2", 1)])
        await director.send("event/players-pages", pages="1", results="1")
        await director.send("start")
        await director.send("arrival")
        assert all(game.colours_open for game in director.state.present_games)
        yield director


def pages_of(director: Director) -> list[str]:
    state = director.state
    game, key = state.present_games[0].id, director.served.site.key
    player = state.present_games[0].black
    console: tuple[str, ...] = (
        "round",
        "round?live=1",
        f"game/{game}",
        "corrections",
        f"corrections?game={game}",
        "finals",
        "audit",
    )
    console += ("players", f"player/{player}", "draft", "links", "show", "lists", "arrival", "event", "room")
    console += ("file/final-list-html",)
    door = director.served.hub.player_links.arrival_path(state)
    return [
        *(f"/desk/t/open/{page}" for page in console),
        *(f"/print/open/{kind}?key={key}" for kind in PRINTS),
        f"/hall/open?key={key}",
        *(f"/t/open{page}" for page in ("", "/tables", "/players", f"/players/{player}", "/standings")),
        *(f"/t/open{page}" for page in ("/standings", "/games", "/finals")),
        *("/overlay/table/1", f"/overlay/game/{game}"),
        link(director.served, player),
        *(door, f"{door}?game={game}"),
    ]


@pytest.mark.clause("jof J1")
@pytest.mark.parametrize("language", ["en", *by_night("fr", "ja")])
async def test_no_page_names_a_colour_before_the_draw(open_event: Director, language: str) -> None:
    open_event.client.cookies.set(LANGUAGE_COOKIE, language)
    seen = {}
    for page in pages_of(open_event):
        address = f"{page}{'&' if '?' in page else '?'}lang={language}"
        answer = await open_event.client.get(address)
        if answer.status_code == 200:
            seen[page] = named_colours(answer.text, language)
    assert {page: found for page, found in seen.items() if found} == {}
    assert len(seen) > 30, "the pages were looked at"


@pytest.mark.clause("jof J1")
@pytest.mark.parametrize("open_event", ["round", "finals"], indirect=True)
async def test_every_answer_and_file_says_that_the_colours_are_open(open_event: Director) -> None:
    served, state = open_event.served, open_event.state
    ids = [game.id for game in state.present_games]
    public = "/api/1/public/tournaments/open"
    for address in (public, f"{public}/games", f"{public}/games/{ids[0]}", "/api/1/tournaments/open"):
        answer = await served.client.get(address)
        games = [game for game in games_in(answer.json()) if game.get("score") is None and "game" in game]
        assert games and all(game["colours"] == "open" for game in games), address
    facts = FeedFacts(PublicStates(served.store.states), served.live, lambda: 0)
    shown = facts.present("open")
    assert shown is not None
    assert {game: facts.colours for game, facts in shown.items()} == dict.fromkeys(ids, "open")
    assert facts.whole_events(shown).count('"colours":"open"') == len(ids)
    file = (await served.client.get("/api/1/tournaments/open/file")).json()
    unscored = [game for game in games_in(file) if game.get("score") is None]
    assert [game["colours"] for game in unscored] == ["open"] * len(ids)
    cells = [
        cell
        for cell in games_in((await served.client.get(f"{public}/cross-table")).json())
        if "colour" in cell
    ]
    assert {cell["colour"] for cell in cells if cell["kind"] == "game" and not cell["discs"]} <= {"open"}
    results = (await open_event.client.get("/desk/t/open/file/results")).text.removeprefix("\ufeff")
    rows = [row for row in csv.DictReader(io.StringIO(results)) if not row["black_score"]]
    assert [row["colours"] for row in rows] == ["open"] * len(ids)
    cross = (await open_event.client.get("/desk/t/open/file/cross")).text
    assert not re.search(r"(^|,)[BW] \d+($|,)", cross.replace(" 32-32", "-played"), re.MULTILINE)


def test_the_reader_of_pages_finds_what_it_looks_for() -> None:
    assert named_colours('<p class="seat"><span class="disc black"></span> A</p>')
    assert named_colours("<p>You have <b>Black</b> against A</p>") and named_colours("<p>黒番</p>", "ja")
    assert named_colours('<span class="disc open_colour" aria-label="White"></span>')
    assert not named_colours('<fieldset class="had"><input><span class="disc black">Black</span></fieldset>')
    assert not named_colours('<p class="blackboard">A – B</p><script>"Black"</script>')
