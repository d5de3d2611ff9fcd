"""The names of a venue's machines: this one's in its network, and those that a device may have."""

from __future__ import annotations

import re
import socket
import subprocess
from collections.abc import Collection

SERVER_NAME = "flagfall-hub"
NAME_EXPECTED = "1 to 64 letters, digits, dots, hyphens or underscores, the first a letter or digit"
NO_PUBLIC_PAGE = "the hub knows no address for phones: set public_address in hub.toml"
_NOT_ONE_MACHINES = ("0.0.0.0", "::", "::1")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


def is_name(name: str) -> bool:
    """Return whether a certificate can be made for a device of this name."""
    return _NAME.fullmatch(name) is not None


def web_host(host: str, certified: Collection[str]) -> str:
    """Return `host` if it is among the `certified` ones, otherwise this machine's name in its network."""
    return host if host in certified else network_name()


def public_page(public_address: str | None, *, at_venue: bool, web_host: str, web_port: int) -> str:
    """Return the address at which phones find the public pages, "" if nobody has given one: the configured one; else
    that of this machine in the network of a venue; else that of `web_host`, where it is one machine's own."""
    if public_address is not None:
        return public_address
    host = network_name() if at_venue else web_host
    if not at_venue and (host in ("", "localhost", *_NOT_ONE_MACHINES) or host.startswith("127.")):
        return ""
    host = f"[{host}]" if ":" in host else host
    return f"http://{host}" + (f":{web_port}" if web_port != 80 else "")


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
