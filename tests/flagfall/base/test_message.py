"""A message: an English template, the values that fill it, and what a language makes of both."""

from __future__ import annotations

import msgspec
import pytest

from flagfall.base.message import P_, Message, say


class Backwards:
    """A language that writes every template with its words in reverse order."""

    def text(self, text: str) -> str:
        return " ".join(reversed(text.split()))

    def plural(self, singular: str, more: str, count: int, /) -> str:
        return self.text(more)


def test_its_english_text_has_its_values_in_their_places() -> None:
    assert str(Message("100 %, {plain}")) == "100 %, {plain}", "no values: the text as it is"
    assert str(Message.of("{a} and {b}", a=1, b=("x", "y"), field="score")) == "score: 1 and x, y"
    assert [str(Message.plural("{count} point", "{count} points", n)) for n in (0, 1, 2)] == [
        "0 points",
        "1 point",
        "2 points",
    ]
    assert str(Message(P_("ruling", "Stop"))) == "Stop"
    assert str(Message.of("{why}", why=(Message("one"), Message.of("{n} others", n=2)))) == "one; 2 others"


def test_a_place_without_a_value_is_found_where_the_message_is_made() -> None:
    with pytest.raises(ValueError, match="every place filled"):
        Message.of("{a} and {b}", a=1)


def test_a_language_has_its_own_order_of_words_also_inside() -> None:
    inner = Message.of("a number from {least}", least=3)
    message = Message.of("expected {expected} here", expected=inner, field="table")
    assert (
        say(message, Backwards(), label=lambda field: f"<{field}> ")
        == "<table> here 3 from number a expected"
    )
    shown = say(message, Backwards(), shown=lambda name, value: f"[{name}={value}]")
    assert shown == "table: here [least=3] from number a expected"


def test_a_translation_with_other_places_leaves_the_english_text() -> None:
    class Wrong(Backwards):
        def text(self, text: str) -> str:
            return "{nothing} {of} {the} {kind}"

    assert say(Message.of("{a} left", a=1), Wrong()) == "1 left"


def test_it_is_stored_with_what_it_has() -> None:
    assert msgspec.json.encode(Message("x")) == b'{"text":"x","values":{}}'
    plural = Message.plural("{count} point", "{count} points", 2)
    assert msgspec.json.decode(msgspec.json.encode(plural), type=Message) == plural
