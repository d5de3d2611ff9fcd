"""Login: the first director with the set-up code, everybody else with a password; and the page of accounts."""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from hub.console.context import ConsoleContext, RequestContext, ShownPage
from hub.console.forms import Form
from hub.console.login.accounts import LONGEST_TEXT, ROLES, AccountError, Role
from hub.console.login.setup_code import SetupCode
from hub.record.state import Refused
from hub.text import Text
from hub.web.gate import client_address
from link.words import Catalogue

Answer = Callable[[Request], Awaitable[Response]]
_SETUP = "(set-up)"


@dataclass(frozen=True, slots=True)
class Entered:
    """`secret` of the new session and the cookie by which this `browser` is known, or why there is none."""

    secret: str = ""
    browser: str = ""
    error: Text | None = None


@dataclass(frozen=True, slots=True)
class Caller:
    """The client that signs in: its address, and the cookie of a known browser."""

    address: str
    browser: str = ""


async def enter(context: ConsoleContext, form: Form, words: Catalogue, caller: Caller) -> Entered:
    name, password = form.typed("name").strip(), form.typed("password")
    heed_command_line(context)
    # Counted before the password is checked: simultaneous attempts all count.
    wait_s = await context.guesses.wait_s(caller.address, name, caller.browser)
    if wait_s:
        return _to_wait(wait_s, words)
    if len(password) > LONGEST_TEXT or len(name) > LONGEST_TEXT or not await _fits(context, name, password):
        return Entered(error=Text(words("Name and password do not belong together.")))
    context.guesses.right(caller.address, name, caller.browser)
    return _entered(context, name)


def _entered(context: ConsoleContext, name: str) -> Entered:
    return Entered(context.sessions.begin(name), context.guesses.cookie(name, context.fresh_id()))


def heed_command_line(context: ConsoleContext) -> None:
    """Changes by `flagfall-hub account` count at once: waiting times under that name end, and so do its sessions."""
    for name in context.accounts.changed_elsewhere():
        context.guesses.forget(name)
        context.sessions.end_all_of(name)


async def set_up(
    context: ConsoleContext, setup: SetupCode, form: Form, words: Catalogue, caller: Caller
) -> Entered:
    """Makes the first account, a director's."""
    wait_s = await context.guesses.wait_s(caller.address, _SETUP)
    if wait_s:
        return _to_wait(wait_s, words)
    said = form.typed("code").strip().upper().replace("-", "")
    if not setup.code or not hmac.compare_digest(said.encode(), setup.code.replace("-", "").encode()):
        return Entered(error=Text("code: " + words("this is not the code of this hub")))
    context.guesses.right(caller.address, _SETUP)
    name = form.typed("name").strip()
    code, setup.code = (
        setup.code,
        "",
    )  # used up before anything is awaited, so that two requests cannot make two directors
    try:
        await _put(context, name, Role.DIRECTOR, form.typed("password"))
    except AccountError as fault:
        setup.code = code
        return Entered(error=fault.line)
    setup.used()
    return _entered(context, name)


async def _fits(context: ConsoleContext, name: str, password: str) -> bool:
    """Checks one password at a time in one thread, which needs 19 MB; the loop does not wait."""
    loop = asyncio.get_running_loop()
    return await loop.run_in_executor(context.hashing, context.accounts.fits, name, password)


async def _put(context: ConsoleContext, name: str, role: Role, password: str) -> None:
    loop = asyncio.get_running_loop()
    await loop.run_in_executor(context.hashing, context.accounts.put, name, role, password)


async def accounts_page(context: ConsoleContext, visit: RequestContext) -> ShownPage:
    return ShownPage("accounts.html", {"accounts": context.accounts.all, "roles": tuple(ROLES)})


async def put_account(context: ConsoleContext, visit: RequestContext) -> str:
    """Makes a new account, or another role and password for an old one, whose sessions end."""
    name = visit.form.text("name", 64)
    role = ROLES[visit.form.choice("role", tuple(ROLES))]
    await _put(context, name, role, visit.form.typed("password"))
    if name != visit.who:
        context.sessions.end_all_of(name)
    return "/desk/accounts"


async def remove_account(context: ConsoleContext, visit: RequestContext) -> str:
    name = visit.form.typed("name")
    if name == visit.who:
        raise Refused("name: expected another's account than one's own")
    context.accounts.remove(name)
    context.sessions.end_all_of(name)
    return "/desk/accounts"


async def password_page(context: ConsoleContext, visit: RequestContext) -> ShownPage:
    return ShownPage("password.html")


async def change_password(context: ConsoleContext, visit: RequestContext) -> str:
    old = visit.form.typed("old")
    if await context.guesses.wait_s(
        client_address(visit.request.scope),
        visit.who,
        visit.request.cookies.get(context.guesses.cookie_name, ""),
    ):
        raise Refused("old: expected fewer wrong ones, come again in half a minute")
    if len(old) > LONGEST_TEXT or not await _fits(context, visit.who, old):
        raise Refused("old: expected one's present password")
    await _put(context, visit.who, visit.role, visit.form.typed("password"))
    context.sessions.end_all_of(visit.who, but=visit.request.cookies.get(context.sessions.cookie, ""))
    return "/desk"


def _to_wait(wait_s: int, words: Catalogue) -> Entered:
    said = words.ngettext(
        "Too many wrong tries. Please wait {count} second.",
        "Too many wrong tries. Please wait {count} seconds.",
        wait_s,
    )
    return Entered(error=Text(said))
