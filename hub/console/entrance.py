"""Coming in: the first director with the set-up code, everybody else with a password; and the accounts themselves."""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from hub.console.accounts import ROLES, AccountError, Role
from hub.console.forms import Form
from hub.console.office import Office, Shown, Visit
from hub.line import Line
from hub.state import Refused
from hub.web.words import Words

Answer = Callable[[Request], Awaitable[Response]]
COOKIE = "flagfall-console"
_SETUP = "(set-up)"


@dataclass(frozen=True, slots=True)
class Entered:
    """`secret` of the new session, or why not."""

    secret: str = ""
    error: Line | None = None


@dataclass(slots=True)
class Setup:
    """The one-time code with which the first director makes his account; `used` is called when it is spent."""

    code: str
    used: Callable[[], None]


async def enter(office: Office, form: Form, words: Words) -> Entered:
    name, password = form.typed("name").strip(), form.typed("password")
    patience = office.patience
    wait_s = patience.wait_s(name)
    if wait_s:
        return Entered(error=Line(words("enter_wait", seconds=wait_s)))
    if len(password) > 200 or not await asyncio.to_thread(office.accounts.fits, name, password):
        patience.wrong(name)
        return Entered(error=Line(words("enter_wrong")))
    patience.right(name)
    return Entered(office.sessions.begin(name))


async def set_up(office: Office, setup: Setup, form: Form, words: Words) -> Entered:
    """The first account, a director's."""
    if office.patience.wait_s(_SETUP):
        return Entered(error=Line(words("enter_wait", seconds=office.patience.wait_s(_SETUP))))
    said = form.typed("code").strip().upper().replace("-", "")
    if not setup.code or not hmac.compare_digest(said.encode(), setup.code.replace("-", "").encode()):
        office.patience.wrong(_SETUP)
        return Entered(error=Line("code: " + words("setup_wrong")))
    name = form.typed("name").strip()
    try:
        await asyncio.to_thread(office.accounts.put, name, Role.DIRECTOR, form.typed("password"))
    except AccountError as fault:
        return Entered(error=fault.line)
    setup.code = ""
    setup.used()
    return Entered(office.sessions.begin(name))


async def accounts_page(office: Office, visit: Visit) -> Shown:
    return Shown("accounts.html", {"accounts": office.accounts.all, "roles": tuple(ROLES)})


async def put_account(office: Office, visit: Visit) -> str:
    """A new account, or another role and password for an old one, whose sessions end."""
    name = visit.form.text("name", 64)
    role = ROLES[visit.form.choice("role", tuple(ROLES))]
    await asyncio.to_thread(office.accounts.put, name, role, visit.form.typed("password"))
    if name != visit.who:
        office.sessions.end_all_of(name)
    return "/desk/accounts"


async def remove_account(office: Office, visit: Visit) -> str:
    name = visit.form.typed("name")
    if name == visit.who:
        raise Refused("name: expected another's account than one's own")
    office.accounts.remove(name)
    office.sessions.end_all_of(name)
    return "/desk/accounts"


async def password_page(office: Office, visit: Visit) -> Shown:
    return Shown("password.html")


async def change_password(office: Office, visit: Visit) -> str:
    if not await asyncio.to_thread(office.accounts.fits, visit.who, visit.form.typed("old")):
        raise Refused("old: expected one's present password")
    await asyncio.to_thread(office.accounts.put, visit.who, visit.role, visit.form.typed("password"))
    office.sessions.end_all_of(visit.who, but=visit.request.cookies.get(COOKIE, ""))
    return "/desk"
