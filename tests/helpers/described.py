"""The operations of the API as their description has them, without the names of schemas."""

from __future__ import annotations

import json
from typing import Any

from hub.api.openapi import description

_LEFT_OUT = ("title", "description")


def operations() -> dict[str, Any]:
    """Return by `operationId` the address, parameters, statuses and schemas, each in full."""
    document = description()
    return {
        operation["operationId"]: _whole(
            {"address": f"{method} {path}"}
            | {
                name: operation[name]
                for name in ("parameters", "requestBody", "responses", "security")
                if name in operation
            },
            document,
        )
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    }


def _whole(value: Any, document: Any, inside: tuple[str, ...] = ()) -> Any:
    if isinstance(value, list):
        return [_whole(item, document, inside) for item in value]
    if not isinstance(value, dict):
        return value
    reference = value.get("$ref")
    if isinstance(reference, str):
        if reference in inside:
            return "…"
        schema = document["components"]["schemas"][reference.rpartition("/")[2]]
        return _whole(schema, document, (*inside, reference))
    return {name: _whole(item, document, inside) for name, item in value.items() if name not in _LEFT_OUT}


if __name__ == "__main__":  # for `operations-RELEASE.json.gz`
    print(json.dumps(operations(), sort_keys=True, separators=(",", ":")))
