"""The form in which an error line shows a value of a file."""

from __future__ import annotations

import json

_SHOWN = 60


def shown(value: object) -> str:
    """A value of a file for an error line: JSON, plain letters, cut to a readable length."""
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    if isinstance(value, bytes):
        value = value[:_SHOWN].decode("latin-1")
    if isinstance(value, str):
        value = value[: _SHOWN + 1]
    text = json.dumps(value, ensure_ascii=True, default=repr)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
