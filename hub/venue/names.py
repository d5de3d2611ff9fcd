"""The names of a venue's machines: this one's in its network, and those that a device may have."""

from __future__ import annotations

import contextlib
import re
import socket
import subprocess
from collections.abc import Collection
from ipaddress import ip_address
from urllib.parse import urlsplit

from flagfall.base.message import Message

# Hosts of a server that listens at all addresses of its machine.
EVERYWHERE = ("0.0.0.0", "::")
SERVER_NAME = "flagfall-hub"
NAME_EXPECTED = "1 to 64 letters, digits, dots, hyphens or underscores, the first a letter or digit"
# Why a page has no codes, and what to do (`public_page`).
NO_PUBLIC_PAGE = Message(
    "Telephones find this computer at no address. Connect it to the room's network and start the program with"
    " --web-host 0.0.0.0, or set public_address in hub.toml."
)
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


def is_name(name: str) -> bool:
    """Return whether a certificate can be made for a device of this name."""
    return _NAME.fullmatch(name) is not None


def web_host(host: str, certified: Collection[str]) -> str:
    """Return `host` if it is among the `certified` ones, otherwise this machine's name in its network."""
    return host if host in certified else network_name()


def public_page(public_address: str | None, *, at_venue: bool, web_host: str, web_port: int) -> str:
    """Return the address at which phones find the hub's pages, "" if there is none: the configured one; else that of
    this machine in the network of a venue; else that of `web_host`, which for 0.0.0.0 is this machine's own."""
    if public_address is None:
        host = network_name() if at_venue else own_address() if web_host in EVERYWHERE else web_host
        host = f"[{host}]" if ":" in host else host
        public_address = f"http://{host}" + (f":{web_port}" if web_port != 80 else "")
    return reachable_page(public_address)


def reachable_page(*pages: str) -> str:
    """Return the first of these addresses that telephones can reach, "" if there is none; no other is printed."""
    return next((page for page in pages if is_reachable(urlsplit(page).hostname or "")), "")


def is_reachable(host: str) -> bool:
    """Return whether other machines can reach this host: not a loopback, unspecified or unrouted address."""
    try:
        address = ip_address(host.partition("%")[0])
    except ValueError:
        return host not in ("", "localhost") and not host.endswith(".localhost")
    return not (address.is_loopback or address.is_unspecified or address.is_link_local)


def own_address() -> str:
    """Return this machine's address in its network, "" if it is in none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked, contextlib.suppress(OSError):
        asked.connect(("192.0.2.1", 9))  # chooses a route, sends nothing
        return str(asked.getsockname()[0])
    return next(filter(is_reachable, addresses()), "")


def network_name() -> str:
    """Return this machine's name in its network, which stays when its address changes."""
    return host_names()[-2]


def host_names() -> list[str]:
    """Return the host names under which browsers reach this machine."""
    machine = socket.gethostname().partition(".")[0].lower()
    names = [SERVER_NAME, *([machine] if is_name(machine) and "_" not in machine else [])]
    return list(dict.fromkeys([*names, *(f"{name}.local" for name in names), "localhost"]))


def addresses() -> list[str]:
    """Return this machine's present IPv4 addresses: a phone may know no names of the local network. Those of IPv6
    change from day to day."""
    try:
        listed = subprocess.run(("hostname", "-I"), capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):  # not Debian's `hostname`
        listed = ""
    return ["127.0.0.1", *(address for address in listed.split() if ":" not in address)]


def own_hosts() -> frozenset[str]:
    """Return the names and addresses of this machine: what a table may be told to connect to."""
    return frozenset((*host_names(), *addresses()))
