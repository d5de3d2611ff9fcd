"""Answers of private addresses: for one person alone, and kept nowhere on their way."""

from __future__ import annotations

from collections.abc import Callable

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from flagfall.base.isolate import isolated
from flagfall.base.message import Message, Plain
from flagfall.base.words import Catalogue
from flagfall.ledger.store import LedgerError
from hub.desk.forms import BY_SCRIPT
from hub.limits import Abuse, Abuses, Buckets
from hub.people.acts import TooManyTries
from hub.public.site import PublicSite
from hub.record.state import TournamentState
from hub.text import PEOPLE, Refused
from hub.web.connections import client_address

# Wrong addresses that may be tried at once, and the pause for each one more: as with passwords.
FREE_TRIES = 5
PAUSE_S = 30
HEADERS = {
    "Cache-Control": "private, no-store",
    "Referrer-Policy": "no-referrer",
    "X-Robots-Tag": "noindex, nofollow, noarchive",
}
# Where the hub keeps its record is for the director alone.
NOT_STORED = Message("This cannot be stored now. Tell the director.")
NO_PAGE = Message("This private link is not valid, or no longer. Ask the director for another one.")
_WAIT = Message.of("Too many wrong links. Wait {seconds} seconds, then try again.", seconds=PAUSE_S)


def private_page(html: str, status: int = 200) -> Response:
    """Return a page that no browser, server or search engine keeps, and whose address no other site is told."""
    return HTMLResponse(html, status, HEADERS)


def private_redirect(to: str) -> Response:
    """Return the way to a private page, after a form of it."""
    return RedirectResponse(to, 303, HEADERS)


def outcome(kind: str, line: str = "", to: str = "", status: int = 200) -> Response:
    """Return what became of a form to the page's own script: it is "stored", or "refused" for the reason in `line`, or
    it "waits" and is to be sent again, or the address is "gone". `to` is where the form leads without a script."""
    return JSONResponse({"outcome": kind, "line": line, "to": to}, status, HEADERS)


def is_by_script(request: Request) -> bool:
    """Return whether the page's script has sent this form, and stays on its page."""
    return BY_SCRIPT in request.headers


def refusal_of(fault: Refused | LedgerError) -> Message:
    """Return why an act was not taken, as its player is told. A full disk is said without its files."""
    return NOT_STORED if isinstance(fault, LedgerError) else fault.message


def refusal_text(words: Catalogue, why: Message, name_of: Callable[[str], str]) -> str:
    """Return why a form was not taken, without the name of its field, with players' names for their ids."""

    def shown(name: str, value: Plain) -> object:
        return isolated(name_of(value)) if name in PEOPLE and isinstance(value, str) else value

    line = words.say(why, shown, lambda field: "")
    return line[:1].upper() + line[1:]


def refused_outcome(
    site: PublicSite, request: Request, fault: Refused | LedgerError, state: TournamentState
) -> Response:
    """Return to the page's script why its form was not taken, or that it is to be sent again."""
    line = refusal_text(site.words[site.language(request)], refusal_of(fault), state.tournament.name_of)
    if isinstance(fault, LedgerError):
        return outcome("waits", line, status=503)
    if isinstance(fault, TooManyTries):
        return outcome("waits", line, status=429)
    return outcome("refused", line, status=400)


class WrongLinks:
    """The patience with addresses that try wrong private links. A right link is always answered: its 144 bits cannot be
    guessed, and in a hall everybody may share one address."""

    def __init__(self, site: PublicSite, abuses: Abuses, now_ns: Callable[[], int]) -> None:
        self._site, self._abuses, self._now_ns = site, abuses, now_ns
        self._addresses = Buckets(FREE_TRIES, 1 / PAUSE_S, now_ns)

    def answer(self, request: Request) -> Response:
        """Return the answer to a wrong link: that it is none, or that the address has to wait."""
        address, why, status = client_address(request.scope), NO_PAGE, 404
        if not self._addresses.of(address).take(1, self._now_ns()):
            self._abuses.note(Abuse.LINKS, address)
            why, status = _WAIT, 429
        if is_by_script(request):
            answer = outcome("gone", self._site.words[self._site.language(request)].say(why), status=status)
        else:
            answer = self._site.refusal_page(request, why, status)
        if status == 429:
            answer.headers["Retry-After"] = str(PAUSE_S)
        answer.headers.update(HEADERS)
        return answer
