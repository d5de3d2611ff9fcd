"""`flagfall-hub account`: the console's accounts, from the command line; a running hub follows at once.

    flagfall-hub account list
    flagfall-hub account put NAME --role director|assistant|viewer   (asks for the password)
    flagfall-hub account remove NAME

The hub is found as for `run`, with the same options.
"""

from __future__ import annotations

import getpass
import os
import sys
from collections.abc import Sequence

from flagfall.base.command_line import DONE, CommandError, Parser, ended_by
from flagfall.base.errors import Failed, Invalid
from hub.config import ACCOUNTS, OF_RUN, read_config
from hub.desk.accounts import Accounts
from hub.role import ROLES
from hub.text import Refused

_AT_ONCE = (
    "This counts at once, also at a hub that runs: whoever was signed in under this name is out, and nobody waits any "
    "more for wrong passwords that were tried under it."
)


@ended_by(Failed, Refused, Invalid)
def account(arguments: Sequence[str]) -> int:
    """Run one of the three actions; CommandError, one line, for anything unexpected."""
    chosen, rest = _parser().parse_known_args(arguments)
    folder = read_config(rest, os.environ).state_dir
    if not folder.is_dir():
        raise CommandError(f"state_dir: expected the folder of a hub, got {folder}")
    accounts = Accounts(folder / ACCOUNTS)
    if chosen.action == "list":
        for listed in accounts.all:
            print(f"{listed.role.word}\t{listed.name}")
    elif chosen.action == "remove":
        accounts.remove(chosen.name)
        print(f"{chosen.name}: removed. {_AT_ONCE}")
    else:
        accounts.put(chosen.name, ROLES[chosen.role], _password())
        print(f"{chosen.name}: {chosen.role}, with this password. {_AT_ONCE}")
    return DONE


def _password() -> str:
    """Return the password: asked for twice at a terminal, else the first line of standard input."""
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\r\n")
    password = getpass.getpass("Password: ")
    if getpass.getpass("Again: ") != password:
        raise CommandError("password: expected the same twice")
    return password


def _parser() -> Parser:
    parser = Parser(prog="flagfall-hub account", description="who may use the hub's console", epilog=OF_RUN)
    actions = parser.add_subparsers(dest="action", metavar="list|put|remove", required=True)
    actions.add_parser("list", help="every account with its role")
    put = actions.add_parser("put", help="a new account, or a new password and role")
    put.add_argument("name")
    put.add_argument("--role", choices=tuple(ROLES), required=True)
    remove = actions.add_parser("remove", help="an account goes")
    remove.add_argument("name")
    return parser
