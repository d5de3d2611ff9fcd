"""The web server before the hub of a venue: nginx with `systemd/flagfall-nginx.conf`.

nginx reaches the hub at a unix socket (`web_socket`), where the hub trusts the headers that state a request's origin.
The hub writes the settings that depend on it (`hub.conf`), and signs a cookie for browsers with a session: nginx does
not limit those together with strangers.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
import socket
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from flagfall.base.errors import Invalid
from flagfall.base.private_file import write_private
from hub.web.bounds import KnownSessions
from hub.web.serving import ListeningSocket

# In the state directory; `systemd/flagfall-nginx.conf` includes its `hub.conf` and `tls.conf`.
FOLDER = "nginx"
_FILES = Path(__file__).parents[1]
_LASTS_S = 24 * 3600
_RENEWED_S = 12 * 3600
_PLAIN = re.compile(r"[\w.~+/=-]+\Z", re.ASCII)


def unix_socket(path: Path) -> socket.socket:
    """Return a socket that listens at `path`, in place of an ended hub's. Raise Invalid if that is impossible."""
    listening = ListeningSocket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        path.unlink(missing_ok=True)
        listening.bind(str(path))
        path.chmod(0o600)
        listening.listen()
    except OSError as fault:
        listening.close()
        raise Invalid(
            "web_socket", f"a socket's path to write to: {path}: {fault.strerror or fault}"
        ) from None
    return listening


@dataclass(frozen=True)
class Pass:
    """A signed cookie that exempts a browser from nginx's limits."""

    token: str
    hub: str  # is in the cookie's name, because browsers do not distinguish ports
    now_s: Callable[
        [], float
    ]  # the time of day, which nginx reads too: a wrong one costs a user their exemption

    @property
    def name(self) -> str:
        return f"flagfall-pass{self.hub}"

    @property
    def secret(self) -> str:
        return hmac.new(self.token.encode(), b"pass", hashlib.sha256).hexdigest()

    def value(self, until_s: int) -> str:
        """Return a cookie that holds until then, in the form of nginx's secure_link."""
        mark = hashlib.md5(f"{until_s} {self.secret}".encode(), usedforsecurity=False).digest()
        return f"{base64.urlsafe_b64encode(mark).decode().rstrip('=')}.{until_s}"

    def cookie(self, present: str, is_https: bool) -> str | None:
        """Return the header of a new cookie, for HTTPS alone if `is_https`, or None if `present` will do."""
        until = present.rpartition(".")[2]
        now_s = int(self.now_s())
        if until.isdecimal() and len(until) < 12 and now_s + _RENEWED_S <= int(until) <= now_s + _LASTS_S:
            return None
        kept = f"Max-Age={_LASTS_S}; Path=/; HttpOnly; SameSite=Strict{'; Secure' if is_https else ''}"
        return f"{self.name}={self.value(now_s + _LASTS_S)}; {kept}"


def tls_settings(port: int, certificate: tuple[Path, Path]) -> str:
    """Return `tls.conf`, for nginx's `server` block: the port of the console, with the certificate and its key."""
    return f"""\
# Made by flagfall-hub run, which writes it anew: change nothing here.
listen {port} ssl http2 backlog=2048;
ssl_certificate {_quoted(certificate[0])};
ssl_certificate_key {_quoted(certificate[1])};
"""


def settings(web_socket: Path, certificate: tuple[Path, Path] | None, pass_: Pass, hall_key: str) -> str:
    """Return `hub.conf`, for nginx's `http` block. `hall_key` opens the hall's private pages."""
    if not (_PLAIN.match(pass_.token) and _PLAIN.match(hall_key)):
        raise Invalid("api_token", "a token of letters, digits and . ~ + / = _ -", "other characters")
    # A digest of the certificate: nginx reads it again where this text has changed.
    digest = hashlib.sha256(certificate[0].read_bytes()).hexdigest() if certificate else "none"
    keys = [
        f'map $http_authorization $hub_bearer {{ default ""; "Bearer {pass_.token}" 1; }}',
        f'map $arg_key $hub_key {{ default ""; "{hall_key}" 1; }}',
    ]
    return "\n".join(
        [
            "# Made by flagfall-hub run, which writes it anew: change nothing here.",
            f"# certificate {digest}",
            f"upstream hub {{ server {_quoted(f'unix:{web_socket}')}; }}",
            f'map "" $hub_files {{ default {_quoted(_FILES)}; }}',
            *keys,
            'map $hub_bearer$hub_key $hub_token { default 1; "" ""; }',
            "map $http_cookie $hub_pass {",
            '    default "";',
            rf'    "~(?:^|; ){pass_.name}=(?<mark>[\w-]+)\.(?<until>[0-9]+)(?:;|$)" "$mark,$until";',
            "}",
            "secure_link $hub_pass;",
            f'secure_link_md5 "$secure_link_expires {pass_.secret}";',
            "",
        ]
    )


def _quoted(path: object) -> str:
    text = str(path)
    if any(sign in text for sign in '"\\$;{}\n'):
        raise Invalid("web_socket", "paths that nginx can read", text)
    return f'"{text}"'


def write_settings(state_dir: Path, text: str, tls: str) -> bool:
    """Write `tls.conf` and `hub.conf` if they have changed; return whether they had. With an empty `tls`, delete
    `tls.conf`."""
    file, tls_file = (state_dir / FOLDER / name for name in ("hub.conf", "tls.conf"))
    try:
        file.parent.mkdir(mode=0o700, exist_ok=True)
        before = [path.read_text("utf-8") if path.exists() else "" for path in (file, tls_file)]
        if before == [text, tls]:
            return False
        if tls:
            write_private(tls_file, tls.encode())
        else:
            tls_file.unlink(missing_ok=True)
        write_private(file, text.encode())
    except OSError as fault:
        raise Invalid("state_dir", f"a folder to write to: {file}: {fault.strerror}") from None
    return True


def behind_nginx(inner: ASGIApp, sessions: KnownSessions, pass_: Pass) -> ASGIApp:
    """Return the application as nginx reaches it: it trusts nginx's headers for a request's origin, and gives
    signed-in users the cookie. Use it for the unix socket alone: any client could write these headers."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await inner(scope, receive, send)
            return
        headers = Headers(scope=scope)
        scope = {
            **scope,
            "client": (headers.get("x-forwarded-for", ""), 0),
            "scheme": "https" if headers.get("x-forwarded-proto") == "https" else "http",
            "server": (headers.get("x-forwarded-server", ""), None),
        }
        request = Request(scope)
        secret, cookie = request.cookies.get(sessions.cookie, ""), None
        if secret and sessions.session(secret) is not None:
            cookie = pass_.cookie(request.cookies.get(pass_.name, ""), scope["scheme"] == "https")

        async def send_with_cookie(message: Message) -> None:
            if cookie is not None and message["type"] == "http.response.start":
                MutableHeaders(scope=message).append("set-cookie", cookie)
            await send(message)

        await inner(scope, receive, send_with_cookie)

    return answer
