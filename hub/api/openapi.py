"""The OpenAPI 3.1 description of `/api/1`, from the tables of its operations and the structs that are read and sent."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib.metadata import version
from typing import Any, cast

import msgspec
from msgspec.structs import fields

from hub.api.operations import OPERATIONS as OF_OPERATORS
from hub.public.api.operations import PUBLIC
from hub.public.api.views import GameAtTable, Refusal
from hub.web.operation import Operation

OPERATIONS = (*PUBLIC, *OF_OPERATORS)
_OBJECT = {"type": "object"}


def description() -> dict[str, Any]:
    """Return the whole document, JSON-ready. A schema has the name of its struct."""
    kinds = {
        kind for operation in OPERATIONS for kind in (operation.body, operation.answer) if kind is not None
    }
    asked = [Refusal, GameAtTable, *sorted(kinds - {dict}, key=lambda kind: kind.__name__)]
    shapes, components = msgspec.json.schema_components(asked, ref_template="#/components/schemas/{name}")
    shape_of = dict(zip(asked, shapes, strict=True)) | {dict: _OBJECT}
    paths: dict[str, dict[str, Any]] = {}
    for operation in OPERATIONS:
        paths.setdefault(operation.path, {})[operation.method.lower()] = _operation(operation, shape_of)
    document = {
        "openapi": "3.1.0",
        "info": {
            "title": "Flagfall hub",
            "version": version("flagfall"),
            "description": "Fields may be added; the meaning of one never changes.",
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "paths": paths,
        "components": {
            "securitySchemes": {
                "token": {"type": "http", "scheme": "bearer", "description": "the file api-token of the hub"}
            },
            "schemas": components,
        },
    }
    # A field's default may be a tuple, which JSON does not have.
    return cast(dict[str, Any], msgspec.json.decode(msgspec.json.encode(document)))


def _operation(operation: Operation, shape_of: Mapping[Any, Any]) -> dict[str, Any]:
    refusal = {
        "content": {"application/json": {"schema": shape_of[Refusal]}},
        "description": "refused: one line says why",
    }
    media, schema = "application/json", shape_of.get(operation.answer, _OBJECT)
    if operation.stream:
        media, schema = "text/event-stream", {"type": "string"}
    refusals = ("404",) if operation.public else ("400", "401", "404", "409")
    names = re.findall(r"{(\w+)}", operation.path)
    name = {"type": "string", "minLength": 1, "maxLength": 500}
    value: dict[str, Any] = {
        "operationId": re.sub(r"\W+", "_", f"{operation.method.lower()}{operation.path}").strip("_"),
        "summary": operation.summary,
        "tags": ["public" if operation.public else "operator"],
        "security": [] if operation.public else [{"token": []}],
        "parameters": [{"name": place, "in": "path", "required": True, "schema": name} for place in names],
        "responses": {
            str(operation.status): {"description": "done", "content": {media: {"schema": schema}}},
            **(dict.fromkeys(refusals, refusal) if names or not operation.public else {}),
        },
    }
    if operation.body is not None:
        value["requestBody"] = {
            "required": operation.body is dict or any(field.required for field in fields(operation.body)),
            "content": {"application/json": {"schema": shape_of[operation.body]}},
        }
    return value
