"""The sentences that a player hears on demand, and the voice that speaks them."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from catalogues import extracted, forms_of
from helpers.waiting import until
from samples.screens import finished, new

from flagfall.base.message import P_
from flagfall.base.words import STAFF, languages
from flagfall.othello.game import SECOND_NS
from flagfall.othello.inputs import Stop
from flagfall.othello.side import Side
from table_app.events import Event, ScreenRequest
from table_app.pins.mock import MockFactory
from table_app.pins.speech import CommandSpeech, SpeechButton, clocks_in_words, missing_program
from table_app.screen.kit.catalogue import load_words

WORDS = load_words()


@pytest.mark.clause("woc-2019 IV.10")
def test_the_opponents_move_and_both_clocks_are_said() -> None:
    played = new().start()
    sentence = clocks_in_words(played.game, Side.WHITE, played.now_ns + 61 * SECOND_NS, WORDS)
    assert sentence == (
        "Your opponent is to move. Your time, 30 minutes 0 seconds. Your opponent's, 28 minutes 59 seconds."
    )
    played.move()
    assert clocks_in_words(played.game, Side.WHITE, played.now_ns, WORDS).startswith(
        "Your opponent has moved. Your time"
    )


def test_nothing_of_the_board_is_said() -> None:
    """Two games with the same clocks, one of them with an error, sound the same."""
    right = new().start().moves(16).move()
    wrong = new().start().moves(16)
    to = (wrong.game.before.legal(True) & -wrong.game.before.legal(True)).bit_length() - 1
    turned = wrong.game.before.flips(True, to)
    wrong.move(to, wrong=turned & -turned)
    assert wrong.game.incidents and not right.game.incidents
    assert right.now_ns == wrong.now_ns
    for side in Side:
        assert clocks_in_words(right.game, side, right.now_ns, WORDS) == clocks_in_words(
            wrong.game, side, wrong.now_ns, WORDS
        )


@pytest.mark.parametrize("language", languages())
def test_every_situation_has_its_sentence(language: str) -> None:
    words = load_words(language)
    played = new(judged=False).start()
    stopped = new(judged=False).start().wait(1)
    stopped.give(Stop(stopped.now_ns, Side.BLACK))
    for game in (None, new().game, played.game, stopped.game, finished().game):
        for side in Side:
            assert clocks_in_words(game, side, 90 * SECOND_NS, words).strip(".")


def test_the_newest_is_said_and_cuts_off_what_is_being_said(tmp_path: Path) -> None:
    heard = tmp_path / "heard"
    script = tmp_path / "voice.py"
    script.write_text(
        "import signal, sys\n"
        "text = sys.stdin.read()\n"
        f"open({str(heard)!r}, 'a').write(text + '\\n')\n"
        "text == 'long' and signal.pause()\n",
        "utf-8",
    )
    voice = CommandSpeech(shlex.join((sys.executable, str(script))))
    voice.say("long")
    until(lambda: heard.exists() and heard.read_text() == "long\n")
    voice.say("short")
    until(lambda: heard.read_text() == "long\nshort\n")
    voice.close()


def test_a_voice_that_is_not_there_harms_nobody() -> None:
    voice = CommandSpeech("/nowhere/espeak-ng --stdin")
    voice.say("anything")
    voice.close()


def test_a_missing_program_is_named() -> None:
    assert missing_program("/nowhere/espeak-ng --stdin") == "/nowhere/espeak-ng"
    assert missing_program(shlex.quote(sys.executable)) == ""
    assert missing_program('"') == '"'


def test_a_button_of_its_own_asks() -> None:
    factory = MockFactory()
    put: list[Event] = []
    button = SpeechButton(factory, 5)
    button.start(put.append, lambda: 77)
    factory.pin("GPIO5").drive_low()
    factory.pin("GPIO5").drive_high()
    assert put == [ScreenRequest(77, "speak")]
    button.close()


@pytest.mark.needs("espeak-ng")
@pytest.mark.parametrize(
    "language",
    [
        pytest.param(language, marks=[] if language == "ja" else pytest.mark.long)
        for language in languages(domain=STAFF)
    ],
)
def test_espeak_speaks_every_language_and_spells_nothing(language: str, tmp_path: Path) -> None:
    words, heard = load_words(language), tmp_path / "said.wav"
    played = new(judged=False).start().move()
    voice = CommandSpeech(f"espeak-ng -v {language} --stdin -w {heard}")
    voice.say(clocks_in_words(played.game, Side.WHITE, played.now_ns, words))
    until(lambda: heard.exists() and heard.stat().st_size > 100_000)
    voice.close()
    messages = [message for message in extracted() if "table_app/pins/speech.py" in dict(message.locations)]
    assert messages
    for message in messages:
        singular, more = (*forms_of(message.id), "")[:2]
        if more:
            text = words.ngettext(singular, more, 5)
        else:
            text = words(
                P_(message.context, singular) if message.context else singular,
                time="",
                minutes="",
                seconds="",
            )
        phonemes = subprocess.run(
            ["espeak-ng", "-q", "-x", "-v", language, text], capture_output=True, text=True, check=True
        ).stdout
        # What it cannot read it spells, in English: "Chinese letter".
        assert "l'et@" not in phonemes and "(en)" not in phonemes, f"{text}: {phonemes}"
