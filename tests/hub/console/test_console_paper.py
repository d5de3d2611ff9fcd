"""A club evening without devices: no page of console, public or players speaks of what is not there."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any

from helpers.console_director import Director, director_at
from helpers.people import club, link

from hub.console.routes import PAGES
from hub.console.texts import TEXTS
from hub.public.prints import PRINTS

# What nobody at a club evening with boards and clocks of its own has.
FOREIGN = re.compile(
    r"\b(devices?|flags?|seats?|rulings?|hubs?|halls?|spares?|enrol\w*|sensors?|PINs?|table's)\b",
    re.IGNORECASE,
)
SPOKEN = ("aria-label", "title", "placeholder", "alt")
# Pages about the hub itself and not about an event.
OF_THE_HUB = ("rules", "accounts", "password", "sticks")
PUBLIC = ("", "/tables", "/players", "/players/p1", "/standings", "/event", "/games", "/finals")


class Words(HTMLParser):
    """The parser for what a reader sees or hears of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.words: list[str] = []
        self._hidden = ""

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.words += [value for name, value in attrs if name in SPOKEN and value]
        if tag in ("script", "style"):
            self._hidden = tag

    def handle_endtag(self, tag: str) -> None:
        self._hidden = "" if tag == self._hidden else self._hidden

    def handle_data(self, data: str) -> None:
        if not self._hidden and data.strip():
            self.words.append(re.sub(r"https?://\S+|hub\.toml", "", data.strip()))


async def look(director: Director, when: str) -> list[str]:
    """Return a line for each text with a foreign word."""
    game = next(iter(director.state.games), "")
    pages = [page.path for page in PAGES.values() if page.name not in OF_THE_HUB]
    addresses = [
        path.format(tournament="open", player="p1", game=game)
        for path in pages
        if game or "{game}" not in path
    ]
    addresses += [f"/t/open{page}" for page in PUBLIC] + ([f"/t/open/games/{game}"] if game else [])
    addresses += [f"/print/open/{kind}?key={director.served.hub.site.key}" for kind in PRINTS]
    addresses += ["/print/open", "/hall/open", link(director.served)]
    announced = {text for key, text in TEXTS.items() if key.startswith("told.")}  # the rulebook's own words
    said = []
    for address in addresses:
        answer = await director.client.get(address)
        assert answer.status_code in (200, 404), (address, answer.status_code)
        reader = Words()
        reader.feed(answer.text)
        said += [
            f"{when} {address}: {text}"
            for text in reader.words
            if FOREIGN.search(text) and text not in announced
        ]
    return said


async def test_no_page_speaks_of_devices_that_are_not_there(served: Any) -> None:
    async with director_at(served, club(4, rounds_planned=1)) as director:
        said = await look(director, "before")
        await director.send("event/players-pages", pages="1", results="1")
        await director.send("arrival")
        await director.send("draft/by-hand")
        said += await look(director, "draft")
        await director.served.run("publish-round")
        said += await look(director, "published")
        await director.send("start")
        said += await look(director, "started")
        await director.send("result", table="1", black="40", white="24")
        said += await look(director, "over")
        await director.send("close")
        said += await look(director, "closed")
    assert not said, "\n".join(dict.fromkeys(said))
