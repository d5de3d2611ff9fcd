"""The console over HTTPS from the venue's own authority: trusted through it alone, and nowhere in the clear."""

from __future__ import annotations

import asyncio
import datetime
import http.client
import os
import re
import socket
import ssl
import subprocess
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from helpers.waiting import PATIENCE_S, until

from flagfall.base.errors import Invalid
from hub.config import read_config
from hub.venue import folder as venue
from hub.venue.authority import holds, hosts_of
from hub.venue.names import web_host
from hub.web.serving import certificate_in, console_over_tls, reachable_address

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def https(new_hub_of_module: Any, tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Path, int]:
    """Return a hub with a venue: (hub, venue's folder, port of the console)."""
    folder = tmp_path_factory.mktemp("https")
    place = folder / "venue"
    venue.make(place, venue.VenueAddresses())
    hub = new_hub_of_module(folder / "state")
    hub.start("--venue", str(place), "--broker", "embedded", "--web-tls-port", "0", "--web-host", "0.0.0.0")
    ready = until(lambda: re.search(r"console=https://[\w.-]+:(\d+)/desk", hub.lines()))
    assert ready is not None
    return hub, place, int(ready[1])


def test_whoever_trusts_the_venue_gets_in_and_nobody_else(https: tuple[Any, Path, int]) -> None:
    hub, place, port = https
    trusting = ssl.create_default_context(cafile=str(place / "ca" / "ca.pem"))
    for name in ("localhost", "127.0.0.1", reachable_address("0.0.0.0")):
        with urllib.request.urlopen(
            f"https://{name}:{port}/desk/enter", context=trusting, timeout=PATIENCE_S
        ) as page:
            assert page.status == 200
    for name in re.findall("https://(.*):", hub.lines()):
        with socket.create_connection(("127.0.0.1", port), 30) as there:
            trusting.wrap_socket(there, server_hostname=name).close()
    with pytest.raises(urllib.error.URLError, match="certificate verify failed"):
        urllib.request.urlopen(f"https://localhost:{port}/desk/enter", timeout=PATIENCE_S)


def test_in_the_clear_there_is_no_console_but_everything_else(https: tuple[Any, Path, int]) -> None:
    hub, _, port = https
    plain = http.client.HTTPConnection("127.0.0.1", hub.ports["web_port"], timeout=PATIENCE_S)

    def asked(method: str, path: str, host: str = "127.0.0.1") -> http.client.HTTPResponse:
        plain.request(method, path, headers={"Host": f"{host}:{hub.ports['web_port']}"})
        answer = plain.getresponse()
        answer.read()
        return answer

    for path in ("/desk", "/desk/enter", "/desk/setup"):
        moved = asked("GET", path)
        assert (moved.status, moved.getheader("location")) == (307, f"https://127.0.0.1:{port}{path}")
        assert asked("POST", path).status == 403
    reachable = reachable_address("0.0.0.0")
    for host in (reachable, "flagfall-hub.local", "192.0.2.77", "[fe80::1]", "hub.of.another.network"):
        there = urlsplit(asked("GET", "/desk", host).getheader("location") or "")
        certified = host if host in (reachable, "flagfall-hub.local") else web_host(host, ())
        assert (there.hostname, there.port) == (certified, port), "a browser would warn elsewhere"
    assert asked("GET", "/").status == 200
    assert hub.ask("GET", "devices")[0] == 200, "with its token, on this machine"


def test_no_token_of_the_api_crosses_the_room_in_the_clear() -> None:
    reached: list[str] = []

    async def inner(scope: Any, receive: Any, send: Any) -> None:
        reached.append(scope["path"])

    pages = console_over_tls(inner, 8443, str)

    def asked(path: str, client: Any, token: bool) -> list[Any]:
        headers = [(b"authorization", b"Bearer x")] if token else []
        scope = {"type": "http", "method": "GET", "path": path, "headers": headers, "client": client}
        messages: list[Any] = []

        async def send(message: Any) -> None:
            messages.append(message)

        reached.clear()
        asyncio.run(pages(scope, None, send))  # type: ignore[arg-type]
        return messages

    for client in (("192.168.0.7", 5), ("fe80::1", 5), None, ("nonsense", 1)):
        assert asked("/api/1/live", client, token=True)[0]["status"] == 403 and not reached
        asked("/api/1/public/tournaments", client, token=False)
        assert reached
    for client in (("127.0.0.1", 5), ("::1", 5)):
        asked("/api/1/live", client, token=True)
        assert reached == ["/api/1/live"]


@pytest.mark.needs("chromium")
def test_in_a_browser_the_session_is_a_cookie_for_https_alone(
    https: tuple[Any, Path, int], browser: Any
) -> None:
    hub, _, port = https
    code = (hub.folder / "setup-code").read_text().strip()
    context = browser.new_context(ignore_https_errors=True)
    page = context.new_page()
    page.goto(f"{hub.page}/desk/setup")
    assert page.url == f"https://127.0.0.1:{port}/desk/setup"
    page.fill("[name=code]", code)
    page.fill("[name=name]", "director")
    for field in page.query_selector_all("[type=password]"):
        field.fill("a long enough password 1")
    page.click("button.main")
    page.wait_for_url(f"https://127.0.0.1:{port}/desk")
    cookies = context.cookies()
    assert cookies and all(cookie["secure"] for cookie in cookies), cookies
    page.reload()
    assert page.url.endswith("/desk")


def test_without_a_venue_or_with_a_broken_one_it_says_so(tmp_path: Path) -> None:
    with pytest.raises(Invalid, match="web_tls_port: expected a venue"):
        read_config(["--web-tls-port", "8443", "--state-dir", str(tmp_path)], {}, tmp_path / "none")
    with pytest.raises(Invalid, match=r"certificate\.pem: expected certificate and key"):
        certificate_in(tmp_path)


def test_the_certificate_for_browsers_is_short_and_renewed_in_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Safari takes none that holds for more than 825 days from a venue's authority, others may go down to 398."""
    place = tmp_path / "venue"
    venue.make(place, venue.VenueAddresses())
    first_day = datetime.datetime(2026, 12, 1, tzinfo=datetime.UTC)
    folder = venue.web_certificate(place, first_day)
    begin, end = holds(folder / "certificate.pem")
    assert begin < first_day < end and end - begin <= datetime.timedelta(days=397)
    kept = (folder / "certificate.pem").read_bytes()
    for later in (first_day + datetime.timedelta(days=300), first_day - datetime.timedelta(days=9000)):
        assert venue.web_certificate(place, later) == folder
        assert (folder / "certificate.pem").read_bytes() == kept, "neither in time nor with a wrong clock"
    monkeypatch.setattr(venue, "addresses", lambda: ["127.0.0.1", "10.42.0.1"])
    assert "10.42.0.1" in hosts_of(venue.web_certificate(place, first_day) / "certificate.pem"), (
        "a network of today"
    )
    venue.web_certificate(place, first_day + datetime.timedelta(days=350))
    begin, end = holds(folder / "certificate.pem")
    assert end > first_day + datetime.timedelta(days=700)
    trusted = subprocess.run(
        [
            *("openssl", "verify", "-CAfile", place / "ca" / "ca.pem", "-purpose", "sslserver"),
            *("-verify_hostname", "flagfall-hub.local", "-attime", str(int(begin.timestamp()) + 9)),
            folder / "certificate.pem",
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert trusted.returncode == 0, trusted.stderr


@pytest.mark.parametrize("year", [2027, 2037, 2068])
def test_a_certificate_made_while_the_clock_stood_too_late_is_replaced(tmp_path: Path, year: int) -> None:
    place, now = tmp_path / "venue", datetime.datetime(2026, 12, 1, tzinfo=datetime.UTC)
    venue.make(place, venue.VenueAddresses())
    folder = venue.web_certificate(place, datetime.datetime(year, 6, 1, tzinfo=datetime.UTC))
    assert holds(folder / "certificate.pem")[0] > now
    begin, end = holds(venue.web_certificate(place, now) / "certificate.pem")
    assert begin < now < end and end - now > datetime.timedelta(days=300)
    again, _ = holds(venue.web_certificate(place, end + datetime.timedelta(days=1)) / "certificate.pem")
    assert begin < end < again + datetime.timedelta(days=1), "and one that has expired"


def test_a_running_hub_looks_at_its_certificate(tmp_path: Path) -> None:
    place, now = tmp_path / "venue", datetime.datetime(2026, 12, 1, tzinfo=datetime.UTC)
    venue.make(place, venue.VenueAddresses())
    lines: list[str] = []
    past = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
    certificate = venue.WebCertificate(place, past, lambda level, line: lines.append(line))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    certificate.look(past, context)
    assert certificate.folder == place / "broker" and not lines
    certificate.look(now, context)
    assert certificate.folder == place / "web" and "flagfall-hub.local" in certificate.hosts
    certificate.look(now + datetime.timedelta(days=10), context)
    assert len(lines) == 1
    (place / "ca" / "ca.key").unlink()
    for _ in range(2):
        certificate.look(now + datetime.timedelta(days=400), context)
    assert len(lines) == 2 and "not renewed" in lines[-1], "the fault is said once"


def test_a_clock_that_is_set_right_brings_a_certificate_that_holds(new_hub: Any, tmp_path: Path) -> None:
    """The hub starts in 2037; then somebody sets its clock."""
    place, step = tmp_path / "venue", tmp_path / "step"
    venue.make(place, venue.VenueAddresses())
    step.write_text(str(11 * 365 * 86_400))
    hub = new_hub(tmp_path / "state")
    stepped = os.pathsep.join((str(ROOT / "tests" / "chaos" / "stepped_clock"), str(ROOT)))
    hub.more = {"PYTHONPATH": stepped, "CLOCK_STEP_FILE": str(step)}
    hub.start("--venue", str(place), "--broker", "embedded", "--web-tls-port", "0", "--web-host", "127.0.0.1")
    ready = until(lambda: re.search(r"console=https://[\w.-]+:(\d+)/desk", hub.lines()))
    assert ready is not None
    trusting = ssl.create_default_context(cafile=str(place / "ca" / "ca.pem"))

    def page() -> int:
        address = f"https://localhost:{ready[1]}/desk/enter"
        with urllib.request.urlopen(address, context=trusting, timeout=PATIENCE_S) as answer:
            return int(answer.status)

    with pytest.raises(urllib.error.URLError, match="not yet valid"):
        page()
    step.write_text("0")
    until(lambda: "made anew" in hub.lines())
    assert page() == 200


def test_a_hub_that_starts_in_the_past_serves_all_the_same(tmp_path: Path) -> None:
    place = tmp_path / "venue"
    venue.make(place, venue.VenueAddresses())
    past = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
    assert venue.web_certificate(place, past) == place / "broker"
    certificate_in(place / "broker")
    assert not (place / "web").exists()
