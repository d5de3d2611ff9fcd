"""The text of a log entry in the reader's language. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import singledispatch

import msgspec

from hub.console.translate import Translator
from hub.console.views.alerts import score_text
from hub.record.events import (
    BansSet,
    CategoriesSet,
    ColoursChosen,
    ConductNoted,
    ConflictResolved,
    CorrectionMade,
    EntryUndone,
    EventChanged,
    EventPutAway,
    FinalsPublished,
    Happening,
    JudgesSet,
    PairingPublished,
    PlayerAbsent,
    PlayerAdded,
    PlayerChanged,
    PlayerReturned,
    PlayerWithdrawn,
    RecordGap,
    ResultEntered,
    ResultJudged,
    ResultReceived,
    RulingSent,
    SeatAssigned,
    ShowingSet,
    TournamentCreated,
    TranscriptEntered,
    WorldPlacesSet,
)
from hub.record.state import TournamentState
from link.words import Catalogue

_MOST_TABLES = 12


@dataclass(frozen=True, slots=True)
class Telling:
    """`numbers`: the number in the log of each entry, by id."""

    state: TournamentState
    words: Catalogue
    say: Translator
    name_of: Callable[[str], str]
    numbers: Mapping[str, int]

    def __call__(self, what: Happening) -> str:
        return ", ".join(filter(None, _parts(what, self)))

    def change(self, change: Mapping[str, object]) -> Iterable[str]:
        yield self.worded("change", str(change["kind"]))
        if "round" in change:
            yield self.words("Round {number}", number=change["round"])
        for name in ("player", "other"):
            if name in change:
                yield self.name_of(str(change[name]))
        score = change.get("score")
        if isinstance(score, list | tuple) and change["kind"] != "award":
            yield score_text((score[0], score[1]))
        if "discs" in change:
            yield f"{self.words('Discs taken')} {change['discs']}"

    def fields(self, fields: Mapping[str, object]) -> Iterable[str]:
        for name, value in fields.items():
            said = str(value)
            if name in ("player", "winner"):
                yield self.words.named(said) if said in ("black", "white") else said
            else:
                yield said if name == "reason" else f"{self.worded('field', name)} {said}"

    def tables(self, games: Iterable[str]) -> str:
        tables = [str(self.state.games[game].table) for game in games if game in self.state.games]
        more = " …" if len(tables) > _MOST_TABLES else ""
        return f"{self.words('Tables')} {', '.join(tables[:_MOST_TABLES])}{more}" if tables else ""

    def game(self, game: str) -> str:
        record = self.state.games.get(game)
        if record is None:
            return game
        return f"{self.say(record.where)}: {self.pair(record.black, record.white)}"

    def pair(self, black: str, white: str) -> str:
        return f"{self.name_of(black)} – {self.name_of(white)}"

    def titled(self, title: str) -> str:
        return self.worded("title", title).removeprefix("division:")

    def worded(self, family: str, word: str) -> str:
        key = f"{family}.{word}"
        return self.words.named(key) if self.words.has(key) else word


@singledispatch
def _parts(what: Happening, telling: Telling) -> Iterable[str]:
    """The parts of the text after the entry's kind; none if the kind says everything."""
    return ()


@_parts.register
def _(what: TournamentCreated, telling: Telling) -> Iterable[str]:
    w = telling.words
    return [
        str(what.file.get("rulebook", "")),
        f"{len(what.file.get('players', []))} {w('players')}",
    ]


@_parts.register
def _(what: PlayerAdded | PlayerChanged, telling: Telling) -> Iterable[str]:
    added = [str(what.player.get(name, "")) for name in ("name", "country", "admitted_because")]
    return [added[0] or str(what.player.get("id", "")), *added[1:]]


@_parts.register
def _(what: PlayerWithdrawn, telling: Telling) -> Iterable[str]:
    w = telling.words
    gone = (
        w("expelled")
        if what.expelled
        else w("Withdrawn after round {number}.", number=what.after_round).rstrip(".。")
    )
    return [telling.name_of(what.player), gone, what.why]


@_parts.register
def _(what: PlayerAbsent, telling: Telling) -> Iterable[str]:
    w = telling.words
    half = w("half a point") if what.half_point else ""
    return [telling.name_of(what.player), w("Round {number}", number=what.round), half]


@_parts.register
def _(what: PlayerReturned, telling: Telling) -> Iterable[str]:
    return [telling.name_of(what.player)]


@_parts.register
def _(what: EventChanged, telling: Telling) -> Iterable[str]:
    return [
        telling.worded("field", name) + ("" if name == "rulebook_text" else f" {value or '–'}")
        for name, value in what.fields.items()
    ]


@_parts.register
def _(what: EventPutAway, telling: Telling) -> Iterable[str]:
    w = telling.words
    return [w("Put away") if what.away else w("Bring back")]


@_parts.register
def _(what: TranscriptEntered, telling: Telling) -> Iterable[str]:
    return [telling.game(what.game), what.transcript]


@_parts.register
def _(what: SeatAssigned, telling: Telling) -> Iterable[str]:
    w = telling.words
    return [w("Seat {seat}", seat=what.seat), what.device or w("no device")]


@_parts.register
def _(what: BansSet, telling: Telling) -> Iterable[str]:
    return [telling.pair(*ban) for ban in what.bans]


@_parts.register
def _(what: CategoriesSet, telling: Telling) -> Iterable[str]:
    w = telling.words
    merged = [f"{name} → {into}" for name, into in what.merged.items()]
    return [*merged, *(f"{name}: {w('small, allowed')}" for name in what.allowed)]


@_parts.register
def _(what: ConductNoted, telling: Telling) -> Iterable[str]:
    w = telling.words
    about = telling.name_of(what.player) if what.player is not None else what.person
    return [about, w.named(f"conduct.{what.kind}"), what.clause, what.until, what.why]


@_parts.register
def _(what: WorldPlacesSet, telling: Telling) -> Iterable[str]:
    w = telling.words
    return [f"{w('Places at the World Championship')} {what.places}"]


@_parts.register
def _(what: JudgesSet, telling: Telling) -> Iterable[str]:
    return [f"{seat} {name}" for seat, name in sorted(what.judges.items())]


@_parts.register
def _(what: PairingPublished, telling: Telling) -> Iterable[str]:
    w = telling.words
    byes = [f"{w.pgettext('who sits out', 'Bye')} {telling.name_of(player)}" for player in what.byes]
    by_hand = w("Changed by hand") if what.by_hand else ""
    return [
        w("Round {number}", number=what.round),
        f"{w('Tables')} {len(what.games)}",
        *byes,
        by_hand,
    ]


@_parts.register
def _(what: FinalsPublished, telling: Telling) -> Iterable[str]:
    w = telling.words
    return [
        f"{telling.titled(game.title)} {w.named(f'stage.{game.stage}')}: {telling.pair(game.black, game.white)}"
        for game in what.games
    ]


@_parts.register
def _(what: ColoursChosen, telling: Telling) -> Iterable[str]:
    w = telling.words
    return [telling.game(what.game), f"{w('Black')} {telling.name_of(what.black)}"]


@_parts.register
def _(what: ShowingSet, telling: Telling) -> Iterable[str]:
    w = telling.words
    starts = f"{w('The next round starts at')} {what.starts_at}" if what.starts_at else ""
    boards = f"{w('Boards of tables')} {', '.join(map(str, what.boards))}" if what.boards else ""
    return [
        starts,
        boards,
        f"{w('Minutes later for the world outside')} {what.delay_s // 60}" if what.delay_s else "",
    ]


@_parts.register
def _(what: RulingSent, telling: Telling) -> Iterable[str]:
    return [telling.worded("rule", what.rule), telling.tables(what.games), *telling.fields(what.fields)]


@_parts.register
def _(what: ResultReceived, telling: Telling) -> Iterable[str]:
    w = telling.words
    closed = w("closed by the director without both signatures") if what.closed else ""
    signed = w.pgettext("state of a table", "signed") if all(what.signed) else closed
    return [
        telling.game(what.game),
        score_text(what.score),
        w.named(f"reason.{what.reason}"),
        signed,
    ]


@_parts.register
def _(what: ResultJudged, telling: Telling) -> Iterable[str]:
    return [telling.game(what.game), *map(telling.say, what.differences)]


@_parts.register
def _(what: ResultEntered, telling: Telling) -> Iterable[str]:
    w = telling.words
    return [telling.game(what.game), score_text(what.score), w.named(f"reason.{what.reason}")]


@_parts.register
def _(what: ConflictResolved, telling: Telling) -> Iterable[str]:
    return [telling.game(what.game), score_text(what.score), what.why]


@_parts.register
def _(what: CorrectionMade, telling: Telling) -> Iterable[str]:
    return [*telling.change(msgspec.to_builtins(what.change)), what.why]


@_parts.register
def _(what: RecordGap, telling: Telling) -> Iterable[str]:
    return [f"# {what.known_entries}", what.known_head[:12]]


@_parts.register
def _(what: EntryUndone, telling: Telling) -> Iterable[str]:
    return [f"# {telling.numbers[what.entry]}" if what.entry in telling.numbers else what.entry]
