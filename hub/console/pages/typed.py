"""Results that the round page sends from its queue, one after the other, and their undoing: answered as JSON.

Each result carries a name of its own (`key`): one that comes again after a lost answer is stored once and never asked
about. It also carries the game that stood at its table when it was typed, and who sat there, so that it never lands in
another round or with the other player.
"""

from __future__ import annotations

import re
from typing import Any

from hub.commands.corrections import Undo
from hub.commands.desk import Asks, AsksBlack, AsksDrawWin
from hub.commands.table import COMMANDS
from hub.console.context import Visit
from hub.console.pages.round import read_result
from hub.console.rendering import Translator, fault_field, sentence
from hub.console.texts import TEXTS
from hub.record.codec import happening
from hub.record.events import ResultEntered
from hub.text import Refused

Answer = dict[str, Any]
_PLACES = ("first", "second")
_KEY = re.compile(r"[0-9a-f]{16,64}")


async def type_result(visit: Visit) -> Answer:
    """Store a result, or answer with the question or the reason why not."""
    try:
        entry_id = _entry_id(visit)
        if not visit.hub.store.holds(visit.state.id, entry_id):
            game, seats = visit.form.typed("game") or None, visit.form.typed("seats")
            typed = read_result(visit, game=game, seats=seats, id=entry_id)
            await COMMANDS["enter-result"].run(visit.desk, typed)
        return await _recorded_answer(visit, entry_id)
    except Asks as question:
        confirm = visit.words("{score} counts", score="–".join(map(str, question.score)))
        return {"outcome": "asked", "instead": question.instead, "confirm": confirm} | _refusal(
            visit, question
        )
    except AsksDrawWin as question:
        name_of = visit.state.tournament.name_of
        choices = [
            [side, name_of(player) if player else visit.words("Nobody: the draw stands")]
            for side, player in question.winners.items()
        ]
        return {"outcome": "asked", "ask": "draw_win", "choices": choices} | _refusal(visit, question)
    except AsksBlack as question:
        names = map(visit.state.tournament.name_of, question.players)
        blacks = [[place, name] for place, name in zip(_PLACES, names, strict=True)]
        return {"outcome": "asked", "ask": "had_black", "choices": blacks} | _refusal(visit, question)
    except Refused as refused:
        return {"outcome": "refused", "field": fault_field(refused.message)} | _refusal(visit, refused)


async def undo_result(visit: Visit) -> Answer:
    """Take back a result that this user has typed; the director any."""
    try:
        entry_id = _entry_id(visit)
        await COMMANDS["take-back-result"].run(visit.desk, Undo(entry=entry_id))
        return {"outcome": "undone"}
    except Refused as refused:
        return {"outcome": "refused"} | _refusal(visit, refused)


def _entry_id(visit: Visit) -> str:
    """Return the id of the result's entry, from the name that the page has given it."""
    key = visit.form.typed("key")
    if not _KEY.fullmatch(key):
        raise Refused("expected 16 to 64 hexadecimal digits", field="key")
    return f"typed-{key}"


async def _recorded_answer(visit: Visit, entry_id: str) -> Answer:
    """Return the answer to a result that is on record, as it was recorded."""
    entry = await visit.hub.store.entry(visit.state.id, entry_id)
    typed = happening(entry) if entry is not None else None
    if not isinstance(typed, ResultEntered):
        raise Refused("expected the key of a stored result", field="key")
    game = visit.event.state.games.get(typed.game)
    answer: Answer = {"outcome": "stored", "score": "–".join(map(str, typed.score))}
    if game is None:
        return answer
    name_of = visit.state.tournament.name_of
    players = game.players if typed.black in (None, "", game.black) else game.players[::-1]
    black, white = map(name_of, players)
    pair = visit.words("{black} against {white}", black=black, white=white)
    if typed.black:
        colon = visit.words.pgettext("after the name of a field", ": ")
        pair += f" ({visit.words('Black')}{colon}{black})"
    if typed.draw_win is not None:
        won = name_of(typed.draw_win) if typed.draw_win else visit.words("Nobody: the draw stands")
        answer["score"] += f" ({won})"
    return answer | {
        "table": game.table,
        "players": pair,
        "note": visit.words(TEXTS["step.conflict_title"]) if game.conflict else "",
    }


def _refusal(visit: Visit, refused: Refused) -> Answer:
    """Return the reason in the user's language."""
    say = Translator(visit.words, visit.state.tournament.name_of)
    return {"line": sentence(say(refused.message))}


# Addresses under the event's, and the command that each runs.
QUEUE = (("result/typed", "enter-result", type_result), ("result/undo", "take-back-result", undo_result))
