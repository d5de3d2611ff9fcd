"""The contents of a form, field by field; `Refused` names the field and what was expected."""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Annotated, Any, get_args

import msgspec
from msgspec import UNSET, Meta
from msgspec.structs import fields as fields_of
from python_multipart.exceptions import FormParserError
from python_multipart.multipart import parse_options_header
from starlette.datastructures import FormData
from starlette.formparsers import FormParser, MultiPartException, MultiPartParser
from starlette.requests import Request

from flagfall.base.convert import NOTHING, convert_field, convert_typed, one_of
from flagfall.base.errors import Invalid
from hub.fields import Raw
from hub.model.players import visible
from hub.text import Refused, refused

# A header of forms that a page's script sends: the script stays on its page until it knows their outcome.
BY_SCRIPT = "x-flagfall-form"
_MOST_FIELDS = 5_000
_MOST_FILES = 4
_LONGEST_NAME = 100
_LARGEST_FIELD_BYTES = 1 << 20
_PIECE_BYTES = 2_048
_WHITE = re.compile(r"[\n\r\t]")
# Blanks of other widths, as a Japanese keyboard gives one, and those that are pasted.
_BLANK = re.compile("[\xa0\u1680\u2000-\u200a\u202f\u205f\u3000]")


def shown_key(value: object) -> str:
    """Return what a form's field `shown` says of the value that its page shows, to be compared when it is sent."""
    return hashlib.sha256(repr(value).encode()).hexdigest()[:16]


def expect_choice(field: str, value: str, choices: Sequence[str]) -> None:
    """Raise Refused if the value is none of the choices."""
    if value not in choices:
        raise refused(Invalid(field, one_of(choices), value[:40] or NOTHING))


class Upload(msgspec.Struct, frozen=True):
    name: str
    data: bytes


class Form(msgspec.Struct, frozen=True):
    """A posted form."""

    fields: Mapping[str, Sequence[str]] = {}  # as typed, in their order
    files: Mapping[str, Upload] = {}  # the chosen files

    def typed(self, name: str) -> str:
        """Return the text as typed, "" without one."""
        values = self.fields.get(name)
        return values[0] if values else ""

    def all(self, name: str) -> tuple[str, ...]:
        return tuple(self.fields.get(name, ()))

    def read(self, kind: Any, address: Mapping[str, str] | None = None) -> Any:
        """Return the fields as the struct `kind`; Refused names the field and what its type expects.

        A blank text counts as none, a ticked box as true; what somebody typed unseen is taken out. A blank text that
        the struct would leave UNSET is "", and a `Raw` one stays as it was typed. What the `address` says is not asked
        of the form. Of several structs the form's field of their tags names one.
        """
        if len(structs := get_args(kind)) > 1:
            of_tags = {struct.__struct_config__.tag: struct for struct in structs}
            return self.read(
                of_tags[self.choice(structs[0].__struct_config__.tag_field, tuple(of_tags))], address
            )
        typed = {name: [_visible(value) for value in values] for name, values in self.fields.items()}
        typed |= {name: [value] for name, value in (address or {}).items()}
        as_typed: dict[str, str] = {}
        for field in fields_of(kind):
            if field.type == Raw and field.name not in (address or {}):
                as_typed[field.name] = self.typed(field.name)
                typed.pop(field.name, None)
            elif field.default is UNSET and not "".join(typed.get(field.name, "?")).strip():
                as_typed[field.name] = ""
            if not all(_WHITE.sub("", value).isprintable() for value in typed.get(field.name, ())):
                raise Refused("expected letters, digits and signs only", field=field.name)
        try:
            return msgspec.structs.replace(convert_typed(typed, kind), **as_typed)
        except Invalid as fault:
            raise refused(fault) from None

    def field(self, name: str, kind: Any) -> Any:
        """Return one field as `kind`, where its name is known only from what the page has drawn."""
        typed = [_visible(value) for value in self.fields.get(name, ())]
        if not all(_WHITE.sub("", value).isprintable() for value in typed):
            raise Refused("expected letters, digits and signs only", field=name)
        try:
            return convert_field(name, typed, kind)
        except Invalid as fault:
            raise refused(fault) from None

    def text(self, name: str, most: int = 200) -> str:
        text: str = self.field(name, Annotated[str, Meta(max_length=most)])
        return text

    def text_or_empty(self, name: str, most: int = 200) -> str:
        return self.field(name, Annotated[str, Meta(max_length=most)] | None) or ""

    def integer(self, name: str, least: int = 0, most: int = 1_000_000) -> int:
        number: int = self.field(name, Annotated[int, Meta(ge=least, le=most)])
        return number

    def integer_or_none(self, name: str, least: int = 0, most: int = 1_000_000) -> int | None:
        number: int | None = self.field(name, Annotated[int, Meta(ge=least, le=most)] | None)
        return number

    def ticked(self, name: str) -> bool:
        """Return whether a box was ticked."""
        return bool(self.typed(name))

    def choice(self, name: str, choices: Sequence[str]) -> str:
        value = self.typed(name)
        expect_choice(name, value, choices)
        return value

    def score(self, black: str = "black", white: str = "white") -> tuple[int, int]:
        return self.integer(black, 0, 64), self.integer(white, 0, 64)


def _visible(text: str) -> str:
    """Return a typed text without what nobody sees, and with plain blanks."""
    return _BLANK.sub(" ", visible(text))


async def read_form(request: Request, in_memory_bytes: int | None = None) -> Form:
    """Return the fields of a posted form, none if the body is no form; Refused if there are too many.

    Files larger than a megabyte, or than `in_memory_bytes`, pass through a temporary file.

    The number of bytes and their time were limited before (`hub.web.bounds`).
    """
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    stream = _body_pieces(request)
    try:
        if kind == "multipart/form-data":
            _expect_utf8(request.headers["content-type"])
            parser = MultiPartParser(
                request.headers,
                stream,
                max_files=_MOST_FILES,
                max_fields=_MOST_FIELDS,
                max_part_size=_LARGEST_FIELD_BYTES,
            )
            if in_memory_bytes is not None:
                parser.spool_max_size = in_memory_bytes
            data = await parser.parse()
        elif kind == "application/x-www-form-urlencoded":
            data = await FormParser(
                request.headers, stream, max_fields=_MOST_FIELDS, max_part_size=_LARGEST_FIELD_BYTES
            ).parse()
        else:
            return Form()
    except (MultiPartException, FormParserError, UnicodeError) as fault:
        why = getattr(fault, "message", None) or "one that a browser sends"
        raise Refused("expected another one: {why}", field="form", why=str(why)[:200]) from None
    try:
        return await _form_from_data(data)
    finally:
        await data.close()


def _expect_utf8(content_type: str) -> None:
    """Raise UnicodeError for another charset: some hold halves of surrogate pairs, some take minutes for a megabyte."""
    if parse_options_header(content_type)[1].get(b"charset", b"utf-8").lower() != b"utf-8":
        raise UnicodeError


async def _form_from_data(data: FormData) -> Form:
    fields: dict[str, list[str]] = {}
    files: dict[str, Upload] = {}
    for name, value in data.multi_items():
        if len(name) > _LONGEST_NAME:
            raise Refused("expected names of at most {most} characters", field="form", most=_LONGEST_NAME)
        if isinstance(value, str):
            # Browsers send a line end as two characters, and count it as one of those that a field may have.
            fields.setdefault(name, []).append(value.replace("\r\n", "\n"))
        elif value.filename:
            files[name] = Upload(value.filename, await value.read())
    return Form(fields, files)


async def _body_pieces(request: Request) -> AsyncGenerator[bytes, None]:
    """Yield the body in pieces, each of which is parsed within a millisecond or so: longer work would block the
    loop."""
    async for chunk in request.stream():
        for start in range(0, len(chunk), _PIECE_BYTES):
            yield chunk[start : start + _PIECE_BYTES]
            await asyncio.sleep(0)
    yield b""
