"""Requests from commands to the hub that runs on this machine with this state directory."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Mapping
from http.client import HTTPException
from typing import Any

from flagfall.base.command_line import CommandError
from hub.api.addresses import COMMANDS
from hub.config import PORTS, Config

_ASK_S = 15.0


def run(
    config: Config, command: str, body: Mapping[str, object] | None = None, **named: str
) -> dict[str, Any] | None:
    """Return the running hub's answer to a command of its table, by name; `named` are the names in its address. None if
    no hub runs there, CommandError if it refuses."""
    method, path = COMMANDS[command]
    return ask(config, method, path.format_map(named), body)


def ask(
    config: Config, method: str, path: str, body: Mapping[str, object] | None = None
) -> dict[str, Any] | None:
    """Return the hub's answer to a request of its API; None if no hub runs there. CommandError if it refuses."""
    try:
        port = int(json.loads((config.state_dir / PORTS).read_bytes())["web_port"])
        token = config.api_token.read_text("ascii").strip()
    except (OSError, ValueError, KeyError, TypeError):
        return None
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", data, method=method)
    request.add_header("Authorization", f"Bearer {token}")
    try:
        with urllib.request.urlopen(request, timeout=_ASK_S) as answer:
            value = json.load(answer)
    except urllib.error.HTTPError as refusal:
        raise CommandError(_why(refusal)) from None
    except (OSError, HTTPException, ValueError):
        return None
    return value if isinstance(value, dict) else None


def _why(refusal: urllib.error.HTTPError) -> str:
    try:
        return str(json.load(refusal)["error"])
    except (OSError, ValueError, KeyError, TypeError):
        return f"the hub refuses: {refusal.code} {refusal.reason}"
