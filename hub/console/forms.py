"""What a form brings, field by field; `Refused` names the field and what was expected."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import parse_qs

from starlette.requests import Request

from hub.line import Line
from hub.state import Refused

LARGEST_BYTES = 8 << 20
_MOST_FIELDS = 5_000
NOTHING = Line("nothing")


@dataclass(frozen=True, slots=True)
class Upload:
    name: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Form:
    """`fields` as typed, in their order; `files` where a file was chosen."""

    fields: Mapping[str, Sequence[str]] = field(default_factory=dict)
    files: Mapping[str, Upload] = field(default_factory=dict)

    def typed(self, name: str) -> str:
        """As it was typed, "" where it was not."""
        values = self.fields.get(name)
        return values[0] if values else ""

    def all(self, name: str) -> tuple[str, ...]:
        return tuple(self.fields.get(name, ()))

    def text(self, name: str, most: int = 200) -> str:
        said = self.typed(name).strip()
        if not said:
            raise Refused("{field}: expected something, got nothing", field=name)
        if len(said) > most or not said.replace("\n", "").replace("\r", "").replace("\t", "").isprintable():
            raise Refused("{field}: expected a text of {most} letters at most", field=name, most=most)
        return said

    def text_or_empty(self, name: str, most: int = 200) -> str:
        return self.text(name, most) if self.typed(name).strip() else ""

    def whole(self, name: str, least: int = 0, most: int = 1_000_000) -> int:
        said = self.typed(name).strip()
        digits = said.removeprefix("-") if least < 0 else said
        if not (digits.isascii() and digits.isdecimal() and len(digits) <= 9 and least <= int(said) <= most):
            raise Refused(
                "{field}: expected a whole number {least} to {most}, got {said}",
                field=name,
                least=least,
                most=most,
                said=said[:20] or NOTHING,
            )
        return int(said)

    def whole_or_none(self, name: str, least: int = 0, most: int = 1_000_000) -> int | None:
        return self.whole(name, least, most) if self.typed(name).strip() else None

    def truth(self, name: str) -> bool:
        """A box that was ticked."""
        return bool(self.typed(name))

    def choice(self, name: str, choices: Sequence[str]) -> str:
        said = self.typed(name)
        if said not in choices:
            raise Refused(
                "{field}: expected one of {choices}, got {said}",
                field=name,
                choices=", ".join(choices),
                said=said[:40] or NOTHING,
            )
        return said

    def score(self, black: str = "black", white: str = "white") -> tuple[int, int]:
        return self.whole(black, 0, 64), self.whole(white, 0, 64)


async def form_of(request: Request) -> Form:
    """The fields of a posted form; Refused where it is too large. What is no form has no fields."""
    data = bytearray()
    async for piece in request.stream():
        data += piece
        if len(data) > LARGEST_BYTES:
            raise Refused("form: expected {largest_bytes} bytes at most", largest_bytes=LARGEST_BYTES)
    kind = request.headers.get("content-type", "")
    if kind.startswith("multipart/form-data"):
        return _parts(kind, bytes(data))
    try:
        return Form(parse_qs(data.decode(), keep_blank_values=True, max_num_fields=_MOST_FIELDS))
    except ValueError:
        return Form()


def _parts(kind: str, data: bytes) -> Form:
    """A form with files: its body is a MIME message."""
    # Half a megabyte for whoever sends a file, not for every hub.
    from email import message_from_bytes, policy
    from email.message import EmailMessage

    head = f"Content-Type: {kind}\r\n\r\n".encode("latin-1", "replace")
    message = message_from_bytes(head + data, policy=policy.HTTP)
    fields: dict[str, list[str]] = {}
    files: dict[str, Upload] = {}
    parts = message.iter_parts() if message.is_multipart() and isinstance(message, EmailMessage) else ()
    for count, part in enumerate(parts):
        name = part.get_param("name", header="content-disposition")
        content = part.get_payload(decode=True)
        if count >= _MOST_FIELDS or not isinstance(name, str) or not isinstance(content, bytes):
            continue
        file = part.get_filename()
        if file:
            files[name] = Upload(file, content)
        elif file is None:
            fields.setdefault(name, []).append(content.decode("utf-8", "replace"))
    return Form(fields, files)
