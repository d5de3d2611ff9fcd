"""A card's settings file, `flagfall.toml` on its first partition: the card's role, and the addresses of the others.

A person may write it with any editor, `flagfall-hub cards` writes it for a whole room, and so does the set-up screen of
a card without one. Every fault is one line that names the key and what was expected.
"""

from __future__ import annotations

import json
import tomllib
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from link.enrolment import EnrolmentError, Package, decode, read_code
from link.pin import EXPECTED as PIN_EXPECTED
from link.pin import is_pin

FILE_NAME = "flagfall.toml"
LARGEST_BYTES = 1 << 20
RUN = Path("/run/flagfall-card")
"""Has a file named after the card's role: empty, or with a line that tells what is wrong with the card."""
TABLE, HUB = "table", "hub"
CABLE, WIFI, ACCESS_POINT = "cable", "wifi", "access-point"
HUB_NAME = "flagfall-hub"
HUB_HOST = HUB_NAME + ".local"
_MOST_SEAT = 999
_HEAD = (
    "# Flagfall: what this card is. To be changed with any editor; it holds from the card's next start on.\n"
)


class CardError(ValueError):
    """The settings of a card are not as expected; one line."""


@dataclass(frozen=True, slots=True)
class CardSettings:
    """The settings of one card. `seat` is the table's number in the room, `hub` the host of its hub ("" for none); PINs
    are 4 to 8 digits, "" for none. `enrolment` is a device's package (`link.enrolment`), `code` a one-time code of the
    hub's console, `devices` the hub's registry, `setup_code` the first director's set-up code; "" for none of these.
    `program` has further keys of table.toml or hub.toml."""

    role: str
    seat: int | None = None
    network: str = CABLE
    wifi_name: str = field(default="", repr=False)
    wifi_password: str = field(default="", repr=False)
    wifi_country: str = ""
    hub: str = ""
    judge_pin: str = field(default="", repr=False)
    director_pin: str = field(default="", repr=False)
    code: str = field(default="", repr=False)
    setup_code: str = field(default="", repr=False)
    enrolment: str = field(default="", repr=False)
    devices: str = field(default="", repr=False)
    program: Mapping[str, Any] = field(default_factory=dict, repr=False)

    @property
    def host_name(self) -> str:
        """The card's host name in the network."""
        if self.role == HUB:
            return HUB_NAME
        package = self.package
        return (
            package.identity.device
            if package
            else "flagfall-table" + (f"-{self.seat:02}" if self.seat else "")
        )

    @property
    def package(self) -> Package | None:
        return decode(self.enrolment.encode()) if self.enrolment else None


def _text(longest: int) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, str) and value.isprintable() and len(value.encode()) <= longest


def _is_pin(value: Any) -> bool:
    return value == "" or is_pin(value)


def _is_seat(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= _MOST_SEAT


def _is_country(value: Any) -> bool:
    return value == "" or (
        isinstance(value, str) and len(value) == 2 and value.isascii() and value.isalpha() and value.isupper()
    )


def _is_host(value: Any) -> bool:
    return _text(253)(value) and len(value.split()) <= 1 and value == value.strip()


def _is_password(value: Any) -> bool:
    return value == "" or (
        isinstance(value, str) and 8 <= len(value) <= 63 and value.isascii() and value.isprintable()
    )


def _is_code(value: Any) -> bool:
    try:
        return value == "" or bool(read_code(value))
    except (EnrolmentError, AttributeError):
        return False


def _is_package(value: Any) -> bool:
    try:
        return value == "" or bool(decode(value.encode()))
    except (EnrolmentError, AttributeError, UnicodeEncodeError):
        return False


def _is_registry(value: Any) -> bool:
    try:
        return value == "" or (isinstance(value, str) and isinstance(json.loads(value), dict))
    except (ValueError, RecursionError):
        return False


_PIN = f"{PIN_EXPECTED} in quotes"
_KEYS: Mapping[str, tuple[str, Callable[[Any], bool]]] = {
    "role": (f'"{TABLE}" or "{HUB}"', lambda value: value in (TABLE, HUB)),
    "seat": (f"a table's number from 1 to {_MOST_SEAT}", _is_seat),
    "network": (
        f'"{CABLE}", "{WIFI}" or "{ACCESS_POINT}"',
        lambda value: value in (CABLE, WIFI, ACCESS_POINT),
    ),
    "wifi_name": ("a network's name of at most 32 bytes", _text(32)),
    "wifi_password": ("8 to 63 letters, digits and signs", _is_password),
    "wifi_country": ("two capital letters, as FR", _is_country),
    "hub": ("a host name", _is_host),
    "judge_pin": (_PIN, _is_pin),
    "director_pin": (_PIN, _is_pin),
    "code": ("16 letters and digits, as in K7QD-3MR9-0XTA-5WNE", _is_code),
    "setup_code": ("at most 32 letters and digits", _text(32)),
    "enrolment": ("a package made by flagfall-hub cards", _is_package),
    "devices": ("a registry made by flagfall-hub cards", _is_registry),
}
_SECRET = ("wifi_password", "judge_pin", "director_pin", "code", "setup_code", "enrolment", "devices")
_OF_TABLES = ("seat", "hub", "judge_pin", "director_pin", "code", "enrolment")
_OF_HUBS = ("devices", "setup_code")


def read_card(content: bytes) -> CardSettings:
    """The settings in `content`; CardError (one line) for anything unexpected."""
    if len(content) > LARGEST_BYTES:
        raise CardError(f"expected at most {LARGEST_BYTES} bytes")
    # Windows editors may begin with a byte order mark, of UTF-16 too.
    coding = "utf-16" if content.startswith((BOM_UTF16_LE, BOM_UTF16_BE)) else "utf-8-sig"
    try:
        found: dict[str, Any] = tomllib.loads(content.decode(coding))
    except UnicodeDecodeError as bad:
        line = content.count(b"\n", 0, bad.start) + 1
        raise CardError(f"expected UTF-8, got something else in line {line}") from None
    except (ValueError, RecursionError) as bad:
        raise CardError(f"expected TOML: {' '.join(str(bad).split())}") from None
    role = found.get("role")
    program = found.pop(role, {}) if isinstance(role, str) and role in (TABLE, HUB) else {}
    for key, value in found.items():
        if key not in _KEYS:
            raise CardError(f"{key}: unknown key, expected one of {', '.join(_KEYS)}, [table] or [hub]")
        expected, holds = _KEYS[key]
        if not holds(value):
            got = "" if key in _SECRET else f", got {str(value)[:60]!r}"
            raise CardError(f"{key}: expected {expected}{got}")
    if role is None:
        raise CardError(f"role: expected {_KEYS['role'][0]}, got nothing")
    if not isinstance(program, dict):
        raise CardError(f"{role}: expected a section [{role}] of {role}.toml's keys")
    card = CardSettings(**found, program=program)
    _check_together(card, found)
    return card


def _check_together(card: CardSettings, given: Mapping[str, Any]) -> None:
    for key in _OF_HUBS if card.role == TABLE else _OF_TABLES:
        if key in given:
            raise CardError(f'{key}: expected no such key where role = "{card.role}"')
    if card.network == ACCESS_POINT and card.role == TABLE:
        raise CardError(f'network: expected "{CABLE}" or "{WIFI}" for a table, got {ACCESS_POINT!r}')
    if card.network != CABLE and not card.wifi_name:
        raise CardError(
            f'wifi_name: expected the name of the network (network = "{card.network}"), got nothing'
        )
    if card.network == ACCESS_POINT and not card.wifi_password:
        raise CardError("wifi_password: expected 8 to 63 letters, digits and signs, got nothing")
    if card.director_pin and card.director_pin == card.judge_pin:
        raise CardError("director_pin: expected other digits than judge_pin, got the same")


def write_card(card: CardSettings) -> bytes:
    """The settings file of `card`; `read_card` gives the same card back."""
    lines = []
    for key in _KEYS:
        value = getattr(card, key)
        if value not in ("", None):
            lines.append(f"{key} = {_toml(value)}\n")
    if card.program:
        lines += [f"\n[{card.role}]\n", *(f"{key} = {_toml(value)}\n" for key, value in card.program.items())]
    return (_HEAD + "".join(lines)).encode()


def _toml(value: Any) -> str:
    if isinstance(value, str) and "\n" in value and "'''" not in value:
        return f"'''\n{value}'''"
    # JSON's strings, numbers and booleans are valid TOML, except for one character.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def connection(card: CardSettings) -> str:
    """NetworkManager's file for the wireless network of `card`, "" if it uses a cable. An access point hands out
    addresses (`shared`); it routes no further."""
    if card.network == CABLE:
        return ""
    return wifi_connection(card.wifi_name, card.wifi_password, card.network == ACCESS_POINT)


def wifi_connection(name: str, password: str, mine: bool = False) -> str:
    """NetworkManager's file for the network `name`; `mine`: this device is its access point."""
    lines = [
        "[connection]",
        "id=flagfall",
        f"uuid={uuid5(NAMESPACE_URL, 'flagfall:' + name)}",
        "type=wifi",
        "autoconnect-priority=10",
        "",
        "[wifi]",
        f"mode={'ap' if mine else 'infrastructure'}",
        *(["band=bg"] if mine else []),
        f"ssid={';'.join(str(byte) for byte in name.encode())};",
        # Power saving makes a radio answer late.
        "powersave=2",
        "",
    ]
    if password:
        secret = password.replace("\\", "\\\\")
        lines += ["[wifi-security]", "key-mgmt=wpa-psk", f"psk={secret}", ""]
    lines += ["[ipv4]", f"method={'shared' if mine else 'auto'}", "", "[ipv6]"]
    lines += [f"method={'link-local' if mine else 'auto'}", ""]
    return "\n".join(lines)
