"""Settings made on the table's own screen, which go before the configuration: language, sound, rotation ..."""

from __future__ import annotations

import json
from contextlib import suppress

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from flagfall.base.words import languages
from table_app.config import Config

# In the state directory.
FILE_NAME = "settings.json"

# The values of each setting, in the order offered; the languages are the available ones.
CHOICES: dict[str, tuple[int, ...]] = {
    "brightness": (100, 85, 70, 55),
    "volume": (0, 1, 2, 3),
    "click": (0, 1),
    "rotation": (0, 90, 180, 270),
    "face_to_face": (0, 1),
    "tenths_s": (0, 10, 20, 60),
}


class Settings(Struct, frozen=True):
    """The settings that are chosen on the screen."""

    language: str = "en"
    brightness: int = 100  # percent
    volume: int = 2  # 0 (silent) to 3
    click: int = 0  # at each press of the clock
    rotation: int = 0  # of the picture, degrees clockwise
    face_to_face: int = 0
    tenths_s: int = 20  # tenths are shown below so many seconds

    def with_(self, name: str, value: str) -> Settings:
        """Return the settings with one value changed. ValueError if there is no such choice."""
        if name == "language" and value in languages():
            return replace(self, language=value)
        if name in CHOICES and int(value) in CHOICES[name]:
            return replace(self, **{name: int(value)})
        raise ValueError(value)

    def content(self) -> bytes:
        return msgspec.json.encode(self) + b"\n"


def settings_of(config: Config) -> Settings:
    """Return the settings made on the screen, otherwise the configured ones. Unreadable settings are ignored."""
    settings = Settings(config.language, rotation=config.rotation, face_to_face=int(config.face_to_face))
    try:
        kept = json.loads((config.state_dir / FILE_NAME).read_bytes())
    except (OSError, ValueError, RecursionError):
        return settings
    for name in Settings.__struct_fields__:
        if isinstance(kept, dict) and isinstance(kept.get(name), (str, int)):
            with suppress(ValueError):
                settings = settings.with_(name, str(kept[name]))
    return settings
