"""A row of the tables of the JSON API: one operation, from its address to its answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import msgspec


class Operation(msgspec.Struct, frozen=True):
    """`body`: the request (dict: any object). `told`: the answer; None: an object without a schema. `act`: the
    function that answers it. `public`: without the token."""

    method: str
    path: str
    summary: str
    act: Callable[..., Awaitable[object]]
    body: Any = None
    status: int = 200
    stream: bool = False
    told: type | None = None
    public: bool = False
