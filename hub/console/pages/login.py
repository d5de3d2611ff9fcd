"""Login: the first director with the set-up code, everybody else with a password; and the page of accounts."""

from __future__ import annotations

import hmac
from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import Response

from flagfall.base.errors import Failed
from flagfall.base.message import Message
from flagfall.link.enrolment import plain_code
from hub.commands.kept import NewPassword, in_password_thread
from hub.console.context import Values, Visit
from hub.desk.accounts import LONGEST_TEXT
from hub.desk.forms import Form
from hub.role import ROLES, Role
from hub.running import Hub
from hub.text import Refused
from hub.web.connections import client_address

Answer = Callable[[Request], Awaitable[Response]]
# A function that returns the name of the user who may enter.
Enter = Callable[[Hub, Form, Request], Awaitable[str]]
_SETUP = "(set-up)"


async def log_in(hub: Hub, form: Form, request: Request) -> str:
    """Check name and password and return the name. Refused if they do not fit, or the user must wait."""
    address, browser = client_address(request.scope), request.cookies.get(hub.guesses.cookie_name, "")
    name, password = hub.accounts.spelled(form.typed("name").strip()), form.typed("password")
    heed_command_line(hub)
    # Counted before the password is checked: simultaneous attempts all count.
    _expect_no_wait(await hub.guesses.wait_s(address, name, browser))
    if (
        len(password) > LONGEST_TEXT
        or len(name) > LONGEST_TEXT
        or not await in_password_thread(hub, hub.accounts.password_fits, name, password)
    ):
        raise Refused("Wrong name or password. Try again.")
    hub.guesses.forget_attempts(address, name, browser)
    return name


def heed_command_line(hub: Hub) -> None:
    """Apply changes by `flagfall-hub account` at once: waiting times and sessions of that name end."""
    for name in hub.accounts.changed_elsewhere():
        hub.guesses.forget(name)
        hub.sessions.end_sessions(name)


async def set_up(hub: Hub, form: Form, request: Request) -> str:
    """Make the first account, a director's; raise Refused or Failed if that is not possible."""
    address = client_address(request.scope)
    _expect_no_wait(await hub.guesses.wait_s(address, _SETUP))
    typed, code = plain_code(form.typed("code")), plain_code(hub.setup.code)
    if not code or not hmac.compare_digest(typed.encode(), code.encode()):
        raise Refused("expected the code that Flagfall has printed, such as ABCD-EFGH", field="code")
    hub.guesses.forget_attempts(address, _SETUP)
    name = form.typed("name").strip()
    # Used up before anything is awaited, so that two requests cannot make two directors.
    code, hub.setup.code = hub.setup.code, ""
    try:
        await in_password_thread(hub, hub.accounts.put, name, Role.DIRECTOR, form.typed("password"))
    except (Refused, Failed):
        hub.setup.code = code
        raise
    hub.setup.used()
    return name


async def accounts_page(visit: Visit) -> Values:
    return {"accounts": visit.hub.accounts.all, "roles": tuple(ROLES)}


async def password_page(visit: Visit) -> Values:
    return {}


async def read_password(visit: Visit) -> NewPassword:
    """Return the present and the new password. Refused after too many wrong ones."""
    if await visit.hub.guesses.wait_s(
        client_address(visit.request.scope),
        visit.who,
        visit.request.cookies.get(visit.hub.guesses.cookie_name, ""),
    ):
        raise Refused("too many wrong passwords. Try again in half a minute", field="old")
    return NewPassword(old=visit.form.typed("old"), password=visit.form.typed("password"))


def _expect_no_wait(wait_s: int) -> None:
    if wait_s:
        raise Refused(
            Message.plural(
                "Too many wrong tries. Wait {count} second, then try again.",
                "Too many wrong tries. Wait {count} seconds, then try again.",
                wait_s,
            )
        )
