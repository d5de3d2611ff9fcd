"""A venue's nginx before a real hub: what it passes on, what it answers itself, and whom it limits."""

from __future__ import annotations

import asyncio
import http.client
import re
import socket
import ssl
import subprocess
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from helpers.nginx_front import SITE, Nginx
from helpers.waiting import PATIENCE_S, until
from starlette.requests import Request
from starlette.responses import JSONResponse

from flagfall.base.errors import Invalid
from hub.config import read_config
from hub.venue import folder as venue
from hub.web import front
from hub.web.app import HEADERS

STRANGER = "127.0.0.9"
PLAYERS = [{"id": name, "name": name} for name in ("Ann", "Bob", "Cai", "Dee")]
EVENT = {
    "format": "flagfall-tournament/1",
    "name": "Open",
    "rulebook": "woc-2019",
    "system": "swiss",
    "rounds_planned": 3,
    "seed": 1,
    "players": PLAYERS,
    "rounds": [],
}


class Venue:
    """A hub behind nginx, with one event."""

    def __init__(self, hub: Any, folder: Path) -> None:
        self.hub, self.folder = hub, folder
        venue.make(folder / "venue", venue.VenueAddresses())
        self.nginx = Nginx(folder / "nginx", hub.folder)
        hub.ports["web_port"] = self.nginx.port
        more = ["--broker", "embedded", "--web-tls-port", str(self.nginx.tls_port)]
        hub.start("--venue", str(folder / "venue"), "--web-socket", str(folder / "web.sock"), *more)
        self.nginx.start()
        hub.call("PUT", "tournaments/open", EVENT)
        self.trusting = ssl.create_default_context(cafile=str(folder / "venue" / "ca" / "ca.pem"))

    def ask(
        self, method: str, path: str, body: bytes | None = None, *, tls: bool = False, **headers: str
    ) -> tuple[int, http.client.HTTPMessage, bytes]:
        """Send a request from a stranger's address; return status, headers and body."""
        source = (STRANGER, 0)
        port = self.nginx.tls_port if tls else self.nginx.port
        link: http.client.HTTPConnection = (
            http.client.HTTPSConnection(
                "127.0.0.1", port, source_address=source, timeout=PATIENCE_S, context=self.trusting
            )
            if tls
            else http.client.HTTPConnection("127.0.0.1", port, source_address=source, timeout=PATIENCE_S)
        )
        link.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
        answer = link.getresponse()
        parts = answer.status, answer.headers, answer.read()
        link.close()
        return parts

    def sign_in(self) -> str:
        """Set up the first director; return the cookies of the browser."""
        form = {
            "code": (self.hub.folder / "setup-code").read_text().strip(),
            "name": "Ada",
            "password": "a long password",
        }
        kind = "application/x-www-form-urlencoded"
        status, headers, _ = self.ask(
            "POST", "/desk/setup", urlencode(form).encode(), tls=True, Content_Type=kind
        )
        assert status == 303
        cookies = [cookie.partition(";")[0] for cookie in headers.get_all("set-cookie", [])]
        status, headers, _ = self.ask("GET", "/desk", tls=True, Cookie="; ".join(cookies))
        assert status == 200
        signed = headers.get_all("set-cookie", [])
        assert len(signed) == 1 and "Secure" in signed[0] and "Path=/;" in signed[0]
        return "; ".join([*cookies, signed[0].partition(";")[0]])


@pytest.fixture(scope="module")
def place(new_hub_of_module: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("front")
    there = Venue(new_hub_of_module(folder / "state"), folder)
    yield there
    there.nginx.stop()


@pytest.fixture(scope="module")
def cookies(place: Venue) -> str:
    return place.sign_in()


pytestmark = pytest.mark.needs("nginx", "mosquitto")


def test_nginx_understands_the_site_with_what_the_hub_has_written(place: Venue) -> None:
    tested = place.nginx.tested()
    # nginx 1.25 and newer ask for a directive that Debian 12's 1.22 does not know.
    warned = [line for line in tested.stderr.splitlines() if "[warn]" in line and "http2" not in line]
    assert tested.returncode == 0 and warned == [], tested.stderr
    written = place.hub.folder / front.FOLDER / "hub.conf"
    assert written.stat().st_mode & 0o077 == 0, "it holds the token"


def test_the_site_serves_at_the_ports_of_the_hubs_settings(tmp_path: Path) -> None:
    text = SITE.read_text("utf-8")
    options = ["--venue", str(tmp_path), "--web-socket", "x", "--state-dir", str(tmp_path)]
    config = read_config(options, {}, tmp_path / "none")
    assert re.findall(r"listen (\d+) ", text) == [str(config.web_port)]
    assert (config.web_port, config.web_tls_port) == (8000, 8443)


def test_a_hub_without_a_venue_has_nginx_before_it_without_tls(new_hub: Any, tmp_path: Path) -> None:
    """The hub runs as on its card, and nginx forgets the port of an earlier venue."""
    hub = new_hub(tmp_path / "state")
    nginx = Nginx(tmp_path / "nginx", hub.folder)
    hub.ports["web_port"] = nginx.port
    written = hub.folder / front.FOLDER
    written.mkdir(mode=0o700, parents=True)
    (written / "tls.conf").write_text("listen 1 ssl;\n")
    hub.start("--web-socket", str(tmp_path / "web.sock"))
    assert not (written / "tls.conf").exists()
    nginx.start()
    try:
        link = http.client.HTTPConnection("127.0.0.1", nginx.port, timeout=PATIENCE_S)
        link.request("GET", "/")
        answer = link.getresponse()
        assert answer.status == 200 and "Flagfall" in answer.read().decode()
        hub.stop()
        for path in ("/t/open", "/desk/enter", "/events/open"):
            link.request("GET", path)
            answer = link.getresponse()
            assert (answer.status, answer.headers["retry-after"]) == (503, "2"), "while a hub starts again"
            assert answer.read() == b"Busy: come again in 2 s.\n"
    finally:
        nginx.stop()


def test_a_public_page_comes_whole_with_its_headers_and_without_the_hubs_hints(place: Venue) -> None:
    status, headers, body = place.ask("GET", "/t/open", Accept_Encoding="gzip")
    assert status == 200 and body[:2] == b"\x1f\x8b"
    assert {name: headers[name] for name in HEADERS} == HEADERS
    assert not [name for name in headers if name.lower().startswith("x-accel")]
    status, headers, _ = place.ask("GET", "/t/open/players")
    assert status == 200
    again, _, body = place.ask("GET", "/t/open/players", If_None_Match=headers["etag"])
    assert (again, body) == (304, b"")
    assert place.ask("HEAD", "/t/open/players")[0] == 200
    assert place.ask("GET", "/t/nowhere")[0] == 404


REFUSED_BY_NGINX = (
    "GET /static/",
    "GET /desk/static/",
    f"GET /static/{'a' * 300}",
    "GET /static/public.css/x",
    "GET /static/..%5capp.py",
    "POST /static/public.css",
    *(f"POST {path}" for path in ("/t/open", "/events/open", "/enrol", "/api/1/public/x", "/desk/new")),
    f"GET /t/open?{'a' * 3_000}",
    f"GET /t/open?{'a' * 5_000}",
    f"GET /t/open?{'a' * 20_000}",
)


def test_what_nginx_refuses_a_stranger_makes_it_write_no_line(place: Venue) -> None:
    before = place.nginx.lines()
    for request in REFUSED_BY_NGINX:
        with socket.create_connection(("127.0.0.1", place.nginx.port), PATIENCE_S) as link:
            length = 99_999_999 if request.startswith("POST") else 0
            link.sendall(f"{request} HTTP/1.1\r\nHost: hub\r\nContent-Length: {length}\r\n\r\n".encode())
            assert re.match(rb"HTTP/1.1 4\d\d ", link.recv(4_096)), request
    assert place.nginx.lines() == before


@pytest.mark.parametrize("path", ["/static/public.css", "/desk/static/console.css"])
def test_files_are_nginxs_with_the_headers_of_the_hub(place: Venue, path: str) -> None:
    status, headers, body = place.ask("GET", path, Accept_Encoding="gzip")
    assert status == 200 and headers["content-encoding"] == "gzip" and body
    assert {name: headers[name] for name in HEADERS} == HEADERS
    assert headers["cache-control"] == "max-age=300"
    assert place.ask("GET", f"{path}x")[0] == 404
    assert f"{path}x" not in place.nginx.lines(), "a stranger makes nobody write"
    assert place.ask("GET", "/static/../app.py")[0] in (400, 404)


def test_the_console_is_where_it_is_encrypted(place: Venue) -> None:
    status, headers, _ = place.ask("GET", "/desk")
    assert (status, headers["location"]) == (307, f"https://127.0.0.1:{place.nginx.tls_port}/desk")
    assert place.ask("POST", "/desk/enter", b"name=x")[0] == 403
    assert place.ask("GET", "/desk/enter", tls=True)[0] in (200, 303)
    token = (place.hub.folder / "api-token").read_text().strip()
    assert place.ask("GET", "/api/1/devices", tls=True, Authorization=f"Bearer {token}")[0] == 200
    assert place.hub.ask("GET", "devices")[0] == 200, "this machine's commands"


def test_browsers_get_http_2(place: Venue) -> None:
    context = ssl.create_default_context(cafile=str(place.folder / "venue" / "ca" / "ca.pem"))
    context.set_alpn_protocols(["h2", "http/1.1"])
    with (
        socket.create_connection(("127.0.0.1", place.nginx.tls_port), 30) as link,
        context.wrap_socket(link, server_hostname="localhost") as there,
    ):
        assert there.selected_alpn_protocol() == "h2"


@pytest.mark.parametrize("path", ["/events/open", "/events?on=open", "/api/1/public/tournaments/open/feed"])
def test_events_come_as_they_happen(place: Venue, path: str) -> None:
    """Nothing ends this answer: what nginx held back would never come."""
    with socket.create_connection(("127.0.0.1", place.nginx.port), 30) as link:
        link.sendall(f"GET {path} HTTP/1.1\r\nHost: hub\r\n\r\n".encode())
        received = b""
        while received.count(b"event: beat") < 1:
            piece = link.recv(65_536)
            assert piece, received
            received += piece
    assert b"200 OK" in received and b"text/event-stream" in received


def test_a_strangers_large_body_is_refused_before_it_is_read(place: Venue, cookies: str) -> None:
    kind = "multipart/form-data; boundary=x"
    with socket.create_connection(("127.0.0.1", place.nginx.port), 30) as link:
        head = "POST /desk/new HTTP/1.1\r\nHost: hub\r\nContent-Type: {}\r\nContent-Length: {}\r\n\r\n"
        link.sendall(head.format(kind, 8 << 20).encode())
        assert b" 413 " in link.recv(4_096)
    for path in ("/t/open", "/enrol", "/api/1/tournaments/open/start"):
        assert place.ask("POST", path, b"x" * 20_000)[0] == 413
    # Chunks do not say how many will come.
    assert place.ask("POST", "/desk/new", iter([b"x"]), Content_Type=kind)[0] == 413  # type: ignore[arg-type]
    status, _, _ = place.ask("POST", "/desk/new", b"x" * 100_000, tls=True, Cookie=cookies, Content_Type=kind)
    assert status in (303, 400, 403), "the hub's own answer"
    assert place.ask("POST", "/desk/new", b"x" * (9 << 20), tls=True, Cookie=cookies)[0] == 413


def test_a_pass_that_the_hub_has_not_signed_makes_nobody_known(place: Venue, cookies: str) -> None:
    forged = re.sub(r"(flagfall-pass-\w+)=[^.]*", r"\1=AAAAAAAAAAAAAAAAAAAAAA", cookies)
    late = re.sub(r"(flagfall-pass-\w+=[^.]*)\.[0-9]+", r"\1.9999999999", cookies)
    other = cookies.replace("flagfall-pass-", "flagfall-pass-0")
    assert len({cookies, forged, late, other}) == 4
    for cookie in (forged, late, other, ""):
        assert place.ask("POST", "/desk/new", b"x" * 20_000, tls=True, Cookie=cookie)[0] == 413
    assert place.ask("POST", "/desk/new", b"x" * 20_000, tls=True, Cookie=cookies)[0] != 413


def test_another_certificate_is_served_after_the_hub_has_written_of_it(place: Venue) -> None:
    written = place.hub.folder / front.FOLDER / "hub.conf"
    before = written.read_text()
    tls = written.with_name("tls.conf").read_text()
    certificate = Path(re.search(r'ssl_certificate "(.*)";', tls)[1])  # type: ignore[index]
    key = certificate.with_name("key.pem")
    pass_ = front.Pass("token-of-the-api", "-x", lambda: 0.0)
    text = front.settings(Path("/run/x.sock"), (certificate, key), pass_, "key")
    certificate.write_bytes(certificate.read_bytes() + b"\n")
    assert front.settings(Path("/run/x.sock"), (certificate, key), pass_, "key") != text
    until(lambda: written.read_text() != before, "the hub's next look")
    place.nginx.reload()
    assert place.ask("GET", "/t/open", tls=True)[0] == 200


def test_what_nginx_says_of_a_request_is_believed() -> None:
    async def inner(scope: Any, receive: Any, send: Any) -> None:
        request = Request(scope)
        assert request.client is not None
        origin = [request.client.host, str(request.url), scope["server"][0]]
        await JSONResponse(origin)(scope, receive, send)

    class NoSessions:
        cookie = "flagfall-console"

        def session(self, secret: str) -> None:
            return None

    pages = front.behind_nginx(inner, NoSessions(), front.Pass("token", "", lambda: 0.0))
    headers = {"x-forwarded-for": "10.0.0.7", "x-forwarded-proto": "https", "x-forwarded-server": "10.0.0.1"}
    scope = {
        "type": "http",
        "method": "GET",
        "path": "/x",
        "query_string": b"",
        "scheme": "http",
        "client": None,
        "server": ("/run/web.sock", None),
        "headers": [
            (b"host", b"hub:8443"),
            *((name.encode(), value.encode()) for name, value in headers.items()),
        ],
    }
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    asyncio.run(pages(scope, None, send))  # type: ignore[arg-type]
    assert sent[1]["body"] == b'["10.0.0.7","https://hub:8443/x","10.0.0.1"]'


def test_a_pass_is_what_nginx_computes_and_is_renewed_in_time() -> None:
    now_s = 1_800_000_000.0
    pass_ = front.Pass("token", "-hub", lambda: now_s)
    cookie = pass_.cookie("", False)
    assert cookie is not None and cookie.startswith("flagfall-pass-hub=")
    value = cookie.partition("=")[2].partition(";")[0]
    mark, _, until_s = value.partition(".")
    digest = subprocess.run(
        ["openssl", "md5", "-binary"],
        input=f"{until_s} {pass_.secret}".encode(),
        capture_output=True,
        check=True,
    ).stdout
    encoded = subprocess.run(
        ["openssl", "base64", "-A"], input=digest, capture_output=True, check=True
    ).stdout
    assert mark == encoded.decode().replace("+", "-").replace("/", "_").rstrip("=")
    assert pass_.cookie(value, True) is None
    now_s += 13 * 3600
    assert pass_.cookie(value, True) is not None
    now_s -= 30 * 3600
    assert pass_.cookie(value, True) is not None, "a clock that was set back"
    for rubbish in ("x", ".", ".9" * 200, "a." + "9" * 11):
        assert pass_.cookie(rubbish, True) is not None


def test_a_socket_that_an_ended_hub_has_left_is_taken_over(tmp_path: Path) -> None:
    path = tmp_path / "web.sock"
    front.unix_socket(path).close()
    assert path.exists()
    front.unix_socket(path).close()
    for bad in (tmp_path / ("x" * 200), tmp_path / "none" / "web.sock"):
        with pytest.raises(Invalid, match="web_socket: expected a socket's path to write to"):
            front.unix_socket(bad)


def test_who_is_signed_in_is_not_limited_with_strangers_of_their_address(place: Venue, cookies: str) -> None:
    flood = [asked_at_once(place, number) for number in range(200)]
    assert b"HTTP/1.1 503" in flood[-1].recv(16), "more than an address may ask at once"
    assert place.ask("GET", "/desk", tls=True, Cookie=cookies)[0] == 200
    for link in flood:
        link.close()


def asked_at_once(place: Venue, number: int) -> socket.socket:
    link = socket.create_connection(("127.0.0.1", place.nginx.port), 60, source_address=(STRANGER, 0))
    link.sendall(f"GET /desk/enter?{number} HTTP/1.1\r\nHost: hub\r\nConnection: close\r\n\r\n".encode())
    return link


def test_a_photograph_passes_for_a_valid_private_link_and_a_stranger_keeps_four_kilobytes(
    place: Venue, cookies: str
) -> None:
    place.hub.call("PUT", "tournaments/open/players-pages", {"pages": True, "results": True})
    body, kind = bytes(100_000), "multipart/form-data; boundary=b"
    assert place.ask("POST", "/me/AAAAAAAAAAAAAAAAAAAAAAAA/photo", body, Content_Type=kind)[0] == 413
    assert place.ask("POST", "/me/AAAAAAAAAAAAAAAAAAAAAAAA/score", body, Content_Type=kind)[0] == 413
    assert place.ask("POST", "/scribe/AAAAAAAAAAAAAAAAAAAAAAAA/moves", body, Content_Type=kind)[0] == 413
    _, _, page = place.ask("GET", "/desk/t/open/player/Ann", tls=True, Cookie=cookies)
    path = re.search(rb"/me/[\w-]{24}", page)
    assert path is not None
    # It is no picture; but it has arrived as a whole.
    status, _, page = place.ask("POST", f"{path[0].decode()}/photo", body, Content_Type=kind)
    assert status == 400 and b"That did not work." in page
    # A browser sends all before it reads: too large a picture gets its page, through nginx and at the hub itself.
    head = f"POST {path[0].decode()}/photo HTTP/1.1\r\nHost: hub\r\nContent-Type: {kind}\r\n"
    request = f"{head}Content-Length: {12 << 20}\r\n\r\n".encode() + bytes(12 << 20)
    with (
        socket.create_connection(("127.0.0.1", place.nginx.port), PATIENCE_S) as front_link,
        socket.socket(socket.AF_UNIX) as hub_link,
    ):
        hub_link.settimeout(PATIENCE_S)
        hub_link.connect(str(place.folder / "web.sock"))
        for link in (front_link, hub_link):
            link.sendall(request)
            answer = link.recv(65_536)
            assert b" 400 " in answer[:16]
    assert place.ask("POST", f"{path[0].decode()}/photo", bytes(34 << 20), Content_Type=kind)[0] == 413
