"""The address at which telephones find the hub: printed where they reach it, and nowhere else."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from helpers.console_director import director_at
from helpers.people import club

from hub.config import read_config
from hub.service import _renew
from hub.venue import names
from hub.venue.names import network_name, public_page

UNREACHABLE = ("127.0.0.1", "127.0.1.1", "localhost", "::1", "0.0.0.0", "::", "169.254.3.4", "fe80::1")


@pytest.fixture
def in_a_network(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(names, "own_address", lambda: "192.168.1.7")


@pytest.mark.parametrize(
    ("configured", "at_venue", "served_at", "page"),
    [
        ("https://othello.example.org", True, ("0.0.0.0", 8000), "https://othello.example.org"),
        (None, True, ("0.0.0.0", 8000), f"http://{network_name()}:8000"),
        (None, True, ("127.0.0.1", 80), f"http://{network_name()}"),
        (None, False, ("192.168.1.10", 8000), "http://192.168.1.10:8000"),
        (None, False, ("fd00::7", 8000), "http://[fd00::7]:8000"),
        (None, False, ("0.0.0.0", 8000), "http://192.168.1.7:8000"),
        (None, False, ("::", 80), "http://192.168.1.7"),
        ("http://127.0.0.1:8000", False, ("0.0.0.0", 8000), ""),
        *((None, False, (host, 8000), "") for host in UNREACHABLE if host not in ("0.0.0.0", "::")),
    ],
)
@pytest.mark.usefixtures("in_a_network")
def test_the_address_for_phones_is_the_configured_one_else_the_venues(
    configured: str | None, at_venue: bool, served_at: tuple[str, int], page: str
) -> None:
    web_host, port = served_at
    assert public_page(configured, at_venue=at_venue, web_host=web_host, web_port=port) == page


def test_a_computer_in_no_network_has_no_address_for_phones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(names, "own_address", lambda: "")
    assert public_page(None, at_venue=False, web_host="0.0.0.0", web_port=8000) == ""


def test_a_hub_finds_its_address_when_its_network_comes_and_keeps_it_when_it_goes(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    config = read_config(["--web-host", "0.0.0.0", "--state-dir", str(tmp_path)], {}, tmp_path / "none.toml")
    site = SimpleNamespace(public_page="")
    for address, page in (
        ("", ""),
        ("192.168.1.7", "http://192.168.1.7:8000"),
        ("", "http://192.168.1.7:8000"),
        ("10.0.0.2", "http://10.0.0.2:8000"),
    ):
        monkeypatch.setattr(names, "own_address", lambda address=address: address)
        at_port = SimpleNamespace(web_port=8000)
        _renew(config, SimpleNamespace(site=site), doors=at_port, certificate=None, server=None)  # type: ignore[arg-type]
        assert site.public_page == page, address


async def test_no_page_prints_an_address_that_telephones_cannot_reach(served: Any) -> None:
    """A console that is open at an address of its own computer, at a hub that knows no other: no page prints it, and
    each says what to start the hub with."""
    async with director_at(served, club()) as director:
        await director.send("event/players-pages", pages="1", results="1")
        await director.send("arrival")
        await served.run("publish-round")
        await director.send("enrol", device="t9", seat="1")
        code = served.hub.offers.open[0].code
        for host in UNREACHABLE:
            netloc = f"[{host}]:8000" if ":" in host else f"{host}:8000"
            director.client.headers["host"] = netloc
            served.site.public_page = f"http://{netloc}" if ":" not in host else ""
            for where in ("links", "lists", "arrival", "player/p1"):
                page = await director.page(where)
                assert "start the program with --web-host 0.0.0.0" in page, (where, host)
                assert netloc not in page and "<svg" not in page, (where, host)
            room = await director.page("room")
            assert code in room and 'class="qr"' not in room and "works on this computer only" in room, host
            for where in (
                "print/open/slips",
                "print/open/by-name",
                "print/open/by-table",
                "hall/open?show=phone",
            ):
                assert netloc not in (await director.client.get(f"/{where}")).text, (where, host)
        director.client.headers["host"] = "192.168.1.7:8000"
        assert "http://192.168.1.7:8000/me/" in await director.page("links"), (
            "where others open the console too"
        )
        assert 'class="qr"' in await director.page("room")
