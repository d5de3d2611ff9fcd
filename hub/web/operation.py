"""A row of the tables of the JSON API: one operation, from its address to its answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import msgspec


class Operation(msgspec.Struct, frozen=True):
    """An operation of the API."""

    method: str
    path: str
    summary: str
    act: Callable[..., Awaitable[object]]  # returns the answer
    body: Any = None  # the request (dict: any object)
    status: int = 200
    stream: bool = False
    answer: type | None = None  # None: an object without a schema
    public: bool = False  # needs no token
