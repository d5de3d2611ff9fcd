"""A plugin of mypy: functions of `dataclasses` are not called with a msgspec struct.

mypy takes a struct for a dataclass, so `dataclasses.replace(struct)` would pass it and fail when it runs
(`msgspec.structs` has `replace` and `asdict` for structs).
"""

from __future__ import annotations

from collections.abc import Callable

from mypy.errorcodes import ARG_TYPE
from mypy.plugin import FunctionContext, Plugin
from mypy.types import Instance, Type, TypeVarType, UnionType, get_proper_type

_FUNCTIONS = frozenset(f"dataclasses.{name}" for name in ("asdict", "astuple", "fields", "replace"))


def _may_be_struct(kind: Type) -> bool:
    kind = get_proper_type(kind)
    if isinstance(kind, UnionType):
        return any(map(_may_be_struct, kind.items))
    if isinstance(kind, TypeVarType):
        return _may_be_struct(kind.upper_bound)
    return isinstance(kind, Instance) and kind.type.has_base("msgspec.Struct")


def _checked(context: FunctionContext) -> Type:
    if any(_may_be_struct(kind) for kinds in context.arg_types[:1] for kind in kinds):
        context.api.fail(
            "a msgspec struct is no dataclass: use msgspec.structs", context.context, code=ARG_TYPE
        )
    return context.default_return_type


class StructCalls(Plugin):
    def get_function_hook(self, fullname: str) -> Callable[[FunctionContext], Type] | None:
        return _checked if fullname in _FUNCTIONS else None


def plugin(version: str) -> type[Plugin]:
    return StructCalls
