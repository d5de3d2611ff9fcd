"""A card's settings file, `flagfall.toml` on its first partition: the card's role, and the addresses of the others.

A person may write it with any editor, `flagfall-hub cards` writes it for a whole room, and so does the set-up screen of
a card without one. Every fault is one line that names the key and what was expected.
"""

from __future__ import annotations

from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any
from uuid import NAMESPACE_URL, uuid5

from msgspec import Meta

from flagfall.base.errors import Invalid
from flagfall.base.foreign_text import parse_json, parse_toml
from flagfall.base.pin import EXPECTED as PIN_EXPECTED
from flagfall.base.pin import is_pin
from flagfall.base.settings import LARGEST_BYTES, Setting, keys_of, where
from flagfall.base.toml_text import toml_text
from flagfall.base.zone import ZONE_EXPECTED, zone_of
from flagfall.link.enrolment import CODE_EXPECTED, read_code

FILE_NAME = "flagfall.toml"
# Has a file named after the card's role: empty, or with a line that tells what is wrong with the card.
RUN = Path("/run/flagfall-card")
TABLE, HUB = "table", "hub"
CABLE, WIFI, ACCESS_POINT = "cable", "wifi", "access-point"
HUB_NAME = "flagfall-hub"
HUB_HOST = HUB_NAME + ".local"
_MOST_SEAT = 999
_HEAD = (
    "# Flagfall: what this card is. To be changed with any editor; it holds from the card's next start on.\n"
)


_ZONE = Setting(expected=ZONE_EXPECTED, check=where(lambda name: zone_of(name) is not None))
_PIN = Setting(expected=f"{PIN_EXPECTED} in quotes", check=where(is_pin), secret=True)
_REGISTRY = Setting(
    expected="a registry made by flagfall-hub cards",
    check=where(lambda text: isinstance(parse_json(text), dict)),
    secret=True,
    lines=True,
)


@dataclass(frozen=True, slots=True)
class CardSettings:
    """The settings of one card. `seat` is the table's number in the room, `hub` the host of its hub ("" for none); PINs
    are 4 to 8 digits, "" for none. `code` is the one-time code with which the table enrols itself, `devices` the hub's
    registry, `setup_code` the first director's set-up code; "" for none of these. `program` has further keys of
    table.toml or hub.toml."""

    role: Annotated[str, Meta(pattern=rf"^({TABLE}|{HUB})\Z"), Setting(expected=f'"{TABLE}" or "{HUB}"')]
    seat: Annotated[
        Annotated[int, Meta(ge=1, le=_MOST_SEAT)] | None,
        Setting(expected=f"a table's number from 1 to {_MOST_SEAT}"),
    ] = None
    network: Annotated[
        str,
        Meta(pattern=rf"^({CABLE}|{WIFI}|{ACCESS_POINT})\Z"),
        Setting(expected=f'"{CABLE}", "{WIFI}" or "{ACCESS_POINT}"'),
    ] = CABLE
    wifi_name: Annotated[
        str,
        Setting(
            expected="a network's name of at most 32 bytes",
            check=where(lambda name: len(name.encode()) <= 32),
        ),
    ] = field(default="", repr=False)
    wifi_password: Annotated[
        str,
        Meta(pattern=r"^[ -~]{8,63}\Z"),
        Setting(expected="8 to 63 letters, digits and signs", secret=True),
    ] = field(default="", repr=False)
    wifi_country: Annotated[
        str, Meta(pattern=r"^[A-Z]{2}\Z"), Setting(expected="two capital letters, as FR")
    ] = ""
    time_zone: Annotated[str, _ZONE] = ""
    hub: Annotated[str, Meta(pattern=r"^\S{1,253}\Z"), Setting(expected="a host name")] = ""
    judge_pin: Annotated[str, _PIN] = field(default="", repr=False)
    director_pin: Annotated[str, _PIN] = field(default="", repr=False)
    code: Annotated[str, Setting(expected=CODE_EXPECTED, check=where(read_code), secret=True)] = field(
        default="", repr=False
    )
    setup_code: Annotated[
        str, Meta(max_length=32), Setting(expected="at most 32 letters and digits", secret=True)
    ] = field(default="", repr=False)
    devices: Annotated[str, _REGISTRY] = field(default="", repr=False)
    program: Mapping[str, Any] = field(default_factory=dict, repr=False)

    @property
    def host_name(self) -> str:
        """The card's host name in the network."""
        if self.role == HUB:
            return HUB_NAME
        return "flagfall-table" + (f"-{self.seat:02}" if self.seat else "")


_KEYS = keys_of(CardSettings)
_OF_TABLES = ("seat", "hub", "judge_pin", "director_pin", "code")
_OF_HUBS = ("devices", "setup_code")


def read_card(content: bytes) -> CardSettings:
    """Return the settings in `content`. Invalid names the key at fault. An empty text counts as not given."""
    if len(content) > LARGEST_BYTES:
        raise Invalid("", f"at most {LARGEST_BYTES} bytes")
    # Windows editors may begin with a byte order mark, of UTF-16 too.
    coding = "utf-16" if content.startswith((BOM_UTF16_LE, BOM_UTF16_BE)) else "utf-8-sig"
    try:
        settings: dict[str, Any] = parse_toml(content.decode(coding), LARGEST_BYTES)
    except UnicodeDecodeError as bad:
        line = content.count(b"\n", 0, bad.start) + 1
        raise Invalid("", "UTF-8", f"something else in line {line}") from None
    except ValueError as bad:
        raise Invalid("", f"TOML: {bad}") from None
    role = settings.get("role")
    program = settings.pop(role, {}) if isinstance(role, str) and role in (TABLE, HUB) else {}
    settings = {key: value for key, value in settings.items() if value != ""}
    for key, value in settings.items():
        if key not in _KEYS:
            raise Invalid(key, f"one of {', '.join(_KEYS)}, [table] or [hub]", unknown="key")
        settings[key] = _KEYS[key].read_at(key, value)
    if "role" not in settings:
        raise Invalid("role", _KEYS["role"].expected, "nothing")
    if not isinstance(program, dict):
        raise Invalid(str(role), f"a section [{role}] of {role}.toml's keys")
    card = CardSettings(**settings, program=program)
    _check_together(card, settings)
    return card


def _check_together(card: CardSettings, settings: Mapping[str, Any]) -> None:
    for key in _OF_HUBS if card.role == TABLE else _OF_TABLES:
        if key in settings:
            raise Invalid(key, f'no such key where role = "{card.role}"')
    if card.network == ACCESS_POINT and card.role == TABLE:
        raise Invalid("network", f'"{CABLE}" or "{WIFI}" for a table', repr(ACCESS_POINT))
    if card.network != CABLE and not card.wifi_name:
        raise Invalid("wifi_name", f'the name of the network (network = "{card.network}")', "nothing")
    if card.network == ACCESS_POINT and not card.wifi_password:
        raise Invalid("wifi_password", "8 to 63 letters, digits and signs", "nothing")
    if card.director_pin and card.director_pin == card.judge_pin:
        raise Invalid("director_pin", "other digits than judge_pin", "the same")


def write_card(card: CardSettings) -> bytes:
    """Return the settings file of `card`; `read_card` gives the same card back."""
    table = {key: getattr(card, key) for key in _KEYS if getattr(card, key) not in ("", None)}
    if card.program:
        table[card.role] = card.program
    return (_HEAD + toml_text(table)).encode()


def connection(card: CardSettings) -> str:
    """Return NetworkManager's file for the wireless network of `card`, "" if it uses a cable. An access point hands
    out addresses (`shared`); it routes no further."""
    if card.network == CABLE:
        return ""
    return wifi_connection(card.wifi_name, card.wifi_password, card.network == ACCESS_POINT)


def wifi_connection(name: str, password: str, mine: bool = False) -> str:
    """Return NetworkManager's file for the network `name`; `mine`: this device is its access point."""
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
