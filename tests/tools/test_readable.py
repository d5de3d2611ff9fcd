"""The limits of a page: what counts as a sentence and as a table cell, and at which line each fault is."""

from __future__ import annotations

from readable import faults

WORDS = " ".join(["word"] * 40)


def test_a_sentence_of_forty_words_passes_and_one_more_does_not() -> None:
    assert list(faults(f"# A page\n\n{WORDS}. {WORDS}.\n")) == []
    ((line, fault),) = faults(f"# A page\n\nA short one. {WORDS} more.\n")
    assert line == 3
    assert fault == "expected a sentence of at most 40 words, got 41: word word word word word word ..."


def test_a_sentence_ends_with_its_paragraph_item_or_cell() -> None:
    assert list(faults(f"{WORDS}\n\n- {WORDS}\n- {WORDS}\n\n## {WORDS}\n")) == []
    assert len(list(faults(f"- short\n- {WORDS}\n  and on\n"))) == 1


def test_code_is_one_word_and_blocks_of_code_are_none() -> None:
    assert list(faults(f"`{WORDS}` {WORDS[5:]}.\n\n```sh\n{WORDS} more\n```\n\n    {WORDS} more\n")) == []
    assert list(faults(f"(a) {WORDS[5:]} - !\n")) == []  # a dash is no word


def test_a_cell_is_counted_as_it_is_seen() -> None:
    head = "| a | b |\n|---|---|\n"
    link = f"[{'x' * 200}](https://example.org/{'y' * 50})"
    assert list(faults(f"{head}| {link} | `{'x' * 200}` |\n")) == []
    too_long = list(faults(f"{head}| short | b |\n| a | `{'x' * 200}`y |\n"))
    assert too_long == [(4, "expected a cell of at most 200 characters, got 201")]
