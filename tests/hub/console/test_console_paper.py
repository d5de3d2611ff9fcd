"""A club evening without devices: no page of console, public or players speaks of what is not there."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any

from helpers.console_director import Director, director_at
from helpers.people import club, link

from hub.console.routes import PAGES
from hub.console.texts import TEXTS
from hub.desk.accounts import Role
from hub.public.prints import PRINTS

# What nobody at a club evening with boards and clocks of its own has.
FOREIGN = re.compile(
    r"\b(devices?|flags?|seats?|rulings?|hubs?|halls?|spares?|enrol\w*|sensors?|PINs?|table's)\b",
    re.IGNORECASE,
)
# Our own words, on no page that a first visitor or such an evening opens.
OURS = re.compile(r"\b(devices?|rulings?|seats?|spares?|enrol\w*|hubs?)\b", re.IGNORECASE)
SPOKEN = ("aria-label", "title", "placeholder", "alt")
# Pages about the hub itself and not about an event.
OF_THE_HUB = ("rules", "accounts", "password", "sticks")
FIRST_VISIT = ("/desk", "/desk/new", "/desk/accounts", "/desk/password", "/desk/rules", "/")
PUBLIC = ("", "/tables", "/players", "/players/p1", "/standings", "/event", "/games", "/finals")


class Words(HTMLParser):
    """The parser for what a reader sees or hears of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.words: list[str] = []
        self._hidden = ""

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        # A page's scripts show what stands in `data-` attributes.
        self.words += [
            re.sub(r"{\w+}", "", value)
            for name, value in attrs
            if value and (name in SPOKEN or name.startswith("data-"))
        ]
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
        assert answer.status_code in (200, 303, 404), (address, answer.status_code)
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


async def test_a_first_visit_meets_none_of_our_words(served: Any) -> None:
    said = []

    def read(address: str, text: str) -> None:
        reader = Words()
        reader.feed(text)
        said.extend(f"{address}: {text}" for text in reader.words if OURS.search(text))

    async with served:
        entrance = served.browser()
        page = await entrance.get("/desk/setup")
        assert page.status_code == 200 and "one-time code" in page.text
        read("/desk/setup", page.text)
        refused = await entrance.post("/desk/setup", data={"code": "ABCD-EFGH", "name": "Ada"})
        assert refused.status_code == 403 and 'id="refusal"' in refused.text
        read("/desk/setup refused", refused.text)
        director = Director(served, *await served.entered(Role.DIRECTOR))
        for address in FIRST_VISIT:
            answer = await director.client.get(address)
            assert answer.status_code == 200, address
            read(address, answer.text)
        for where, form in (
            ("/desk/new", {"name": "", "rulebook": "club"}),
            ("/desk/accounts", {"name": "", "role": "assistant", "password": "short"}),
        ):
            read(where, await director.send(where, 400, **form))
        read("/desk/enter", (await entrance.get("/desk/enter")).text)
    assert not said, "\n".join(dict.fromkeys(said))


async def test_an_empty_hub_offers_three_steps_with_one_button_each(served: Any) -> None:
    async with director_at(served) as director:
        page = await director.page("/desk")
        steps = page.partition('<ol class="plain steps">')[2].partition("</ol>")[0]
        assert re.findall(r"(\d)\. ([A-Z][\w ]+)<", steps.replace(" <span", "<span")) == [
            ("1", "Create an event"),
            ("2", "Let others help"),
            ("3", "Show it to the players"),
        ]
        assert re.findall(r'<a class="button[^"]*" href="([^"]+)"', steps) == [
            "/desk/new",
            "/desk/accounts",
            "/",
        ]
        assert page.count("button main") == 1, "one of them is the next"
        await served.create("open", club(4))
        assert 'class="plain steps"' not in await director.page("/desk")
