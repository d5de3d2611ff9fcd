"""The text of a log entry in the reader's language. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import msgspec

from flagfall.base.words import Catalogue
from hub.console.act_fields import given_fields
from hub.console.rendering import Translator
from hub.console.texts import TEXTS
from hub.console.views.conflicts import score_text
from hub.event_words import rulebook_name
from hub.fields import instant_in
from hub.record import events
from hub.record.acts.act import Act
from hub.record.acts.arrivals import ArrivalSet, PlayerArrived
from hub.record.acts.devices import DeviceEnrolled, DeviceRevoked, SeatAssigned
from hub.record.acts.event import (
    CategoriesSet,
    EventChanged,
    EventPutAway,
    JudgesSet,
    PlayersPagesSet,
    ShowingSet,
    WorldPlacesSet,
)
from hub.record.acts.players import (
    BansSet,
    ConductNoted,
    PlayerAbsent,
    PlayerAdded,
    PlayerChanged,
    PlayerLinkSet,
    PlayerRemoved,
    PlayerWithdrawn,
)
from hub.record.acts.scribes import ScribeSet
from hub.record.happening import Happening
from hub.record.state import TournamentState
from hub.tables.scribes import SCRIBE
from hub.text import PEOPLE
from hub.zones import clock_text, zone_or_own

_MOST_TABLES = 12


class EntryTexts(msgspec.Struct, frozen=True):
    """Texts of entries for the log."""

    state: TournamentState
    words: Catalogue
    say: Translator
    name_of: Callable[[str], str]
    numbers: Mapping[str, int]  # the number of each entry in the log, by id

    def __call__(self, event: Happening) -> str:
        parts = _PARTS.get(type(event))
        if parts is None:
            return self.listed(self.drawn(event)) if isinstance(event, Act) else ""
        return self.listed(parts(event, self))

    def listed(self, parts: Iterable[str]) -> str:
        return self.words.pgettext("between the items of a list", ", ").join(filter(None, parts))

    def who(self, who: str) -> str:
        """Return the writer of an entry: a player by name, a user as they are called."""
        kind, _, player = who.partition(" ")
        if kind == "player" and player in self.state.tournament.by_id:
            return self.name_of(player)
        return self.words("Scribe") if who == SCRIBE else who

    def drawn(self, act: Act) -> Iterable[str]:
        """Yield the fields that somebody gave: names of players, words of choices, and other values with their
        labels."""
        for field in given_fields(type(act)):
            value = getattr(act, field.name)
            if value is None or value == "" or value is False:
                continue
            label = self.words(TEXTS[field.label]) if field.label else ""
            if field.name in PEOPLE:
                yield self.name_of(str(value))
            elif value is True:
                yield label
            elif str(value) in field.choices:
                yield self.words(TEXTS[field.choices[str(value)]])
            else:
                yield f"{label} {value}".strip() if isinstance(value, int | float) else str(value)

    def change(self, change: Mapping[str, object]) -> Iterable[str]:
        yield self.word_text("change", str(change["kind"]))
        if "round" in change:
            yield self.words("Round {number}", number=change["round"])
        for name in ("player", "other"):
            if name in change:
                yield self.name_of(str(change[name]))
        score = change.get("score")
        if isinstance(score, list | tuple) and change["kind"] != "award":
            yield score_text((score[0], score[1]))
        if change.get("black"):
            yield self.colon(self.words("Black"), self.name_of(str(change["black"])))
        if "discs" in change:
            yield f"{self.words('Discs taken')} {change['discs']}"

    def fields(self, fields: Mapping[str, object]) -> Iterable[str]:
        for name, value in fields.items():
            text = str(value)
            if name in ("player", "winner"):
                yield self.words(TEXTS[text]) if text in ("black", "white") else text
            else:
                yield text if name == "reason" else f"{self.word_text('field', name)} {text}"

    def tables(self, games: Iterable[str]) -> str:
        tables = [str(self.state.games[game].table) for game in games if game in self.state.games]
        more = " …" if len(tables) > _MOST_TABLES else ""
        return f"{self.words('Tables')} {', '.join(tables[:_MOST_TABLES])}{more}" if tables else ""

    def game(self, game: str) -> str:
        record = self.state.games.get(game)
        if record is None:
            return game
        return self.colon(self.say(record.where), self.pair(*record.players))

    def result(self, event: events.ResultReceived | events.ResultEntered) -> list[str]:
        parts = [*self.said(event), self.words(TEXTS[f"reason.{event.reason}"])]
        if isinstance(event, events.ResultEntered) and event.position:
            parts.append(self.words("with the board photographed"))
        if isinstance(event, events.ResultEntered) and event.draw_win:
            parts.append(self.words.pgettext("desk", "{name} wins a draw", name=self.name_of(event.draw_win)))
        return parts

    def said(
        self,
        event: events.ResultReceived | events.ResultEntered | events.ResultClaimed | events.ConflictResolved,
    ) -> list[str]:
        """Return the game, the score in the order of its players, and who had Black where the entry says it."""
        game, black = self.state.games.get(event.game), event.black
        score = event.score if game is None else game.in_seats(event.score, black)
        parts = [self.game(event.game), score_text(score)]
        if black and not isinstance(event, events.ResultReceived):
            parts.append(self.colon(self.words("Black"), self.name_of(black)))
        return parts

    def colon(self, name: str, value: str) -> str:
        return name + self.words.pgettext("after the name of a field", ": ") + value

    def pair(self, black: str, white: str) -> str:
        return f"{self.name_of(black)} – {self.name_of(white)}"

    def moment(self, label: str) -> str:
        """Return the day and time at the event."""
        at, zone = instant_in(label), zone_or_own(self.state.tournament.time_zone)
        return f"{at.astimezone(zone):%Y-%m-%d} {clock_text(at, zone)}" if at is not None else label

    def title_text(self, title: str) -> str:
        return self.word_text("title", title).removeprefix("division:")

    def word_text(self, family: str, word: str) -> str:
        key = f"{family}.{word}"
        return self.words(TEXTS[key]) if key in TEXTS else word


def _value(t: EntryTexts, name: str, value: object) -> object:
    if name == "rulebook":
        return rulebook_name(t.words, str(value))
    word = f"{_WORDED.get(name, '')}.{value}"
    return t.words(TEXTS[word]) if word in TEXTS else "–" if value is None or value == "" else value


# The field of an event whose value is a word -> the family of its words in the catalogue.
_WORDED = {"system": "system", "tie_break": "tie"}


# The parts of the text after the entry's kind; of other entries the kind says everything.
_PARTS: Mapping[type, Callable[[Any, EntryTexts], Iterable[str]]] = {
    events.TournamentCreated: lambda it, t: [
        rulebook_name(t.words, str(it.file.get("rulebook", ""))),
        t.words.ngettext("{count} player", "{count} players", len(it.file.get("players", []))),
    ],
    PlayerAdded: lambda it, t: _player(it.player),
    PlayerChanged: lambda it, t: _player(it.player),
    PlayerWithdrawn: lambda it, t: [
        t.name_of(it.player),
        t.words("expelled")
        if it.expelled
        else t.words("Withdrawn after round {number}.", number=it.after_round).rstrip(".。"),
        it.why,
    ],
    events.ResultObjected: lambda it, t: [t.game(it.game), t.name_of(it.player), it.words],
    PlayersPagesSet: lambda it, t: [
        t.words("allowed") if it.pages else t.words("not allowed"),
        t.words("with results") if it.results else "",
        t.words(TEXTS[f"confirm.{it.confirm}"]) if it.results and it.confirm != "tablet" else "",
        t.words("without photographs") if it.no_photographs else "",
    ],
    ArrivalSet: lambda it, t: [
        t.words("Round {number}", number=it.round),
        t.words("opened") if it.open else t.words.pgettext("a list", "closed"),
    ],
    PlayerArrived: lambda it, t: [t.name_of(it.player), "" if it.here else t.words("Is not here")],
    events.ResultClaimed: lambda it, t: [
        *t.said(it),
        t.words(TEXTS[f"reason.{it.reason}"]) if it.reason != "board" else "",
        t.name_of(it.player),
        t.words("at the tablet at the door") if it.at_tablet else "",
        t.words("with the board photographed") if it.position else "",
    ],
    PlayerLinkSet: lambda it, t: [t.name_of(it.player), "" if it.active else t.words("revoked")],
    ScribeSet: lambda it, t: [t.game(it.game), "" if it.active else t.words("revoked")],
    PlayerAbsent: lambda it, t: [
        t.name_of(it.player),
        t.words("Round {number}", number=it.round),
        t.words("half a point") if it.half_point else "",
    ],
    PlayerRemoved: lambda it, t: [it.name or t.name_of(it.player)],
    EventChanged: lambda it, t: [
        t.word_text("field", name)
        + ("" if name in ("rulebook_text", "leagues", "prizes") else f" {_value(t, name, value)}")
        for name, value in it.fields.items()
    ],
    EventPutAway: lambda it, t: [t.words("Hide the event") if it.away else t.words("Show the event again")],
    events.TranscriptEntered: lambda it, t: [
        t.game(it.game),
        it.transcript,
        t.name_of(it.player) if it.player else "",
    ],
    DeviceEnrolled: lambda it, t: [it.device, it.public_key[:16]],
    DeviceRevoked: lambda it, t: [it.device],
    events.GameFileReceived: lambda it, t: [t.game(it.game), it.sha256[:16]],
    SeatAssigned: lambda it, t: [t.words("Seat {seat}", seat=it.seat), it.device or t.words("no device")],
    BansSet: lambda it, t: [t.pair(*ban) for ban in it.bans],
    CategoriesSet: lambda it, t: [
        *(f"{name} → {into}" for name, into in it.merged.items()),
        *(t.colon(name, t.words("small, allowed")) for name in it.allowed),
    ],
    ConductNoted: lambda it, t: [
        t.name_of(it.player) if it.player is not None else it.person,
        t.words(TEXTS[f"conduct.{it.kind}"]),
        *(it.clause, it.until, it.why),
    ],
    WorldPlacesSet: lambda it, t: [f"{t.words('Places at the World Championship')} {it.places}"],
    JudgesSet: lambda it, t: [f"{seat} {name}" for seat, name in sorted(it.judges.items())],
    events.PairingPublished: lambda it, t: [
        t.words("Round {number}", number=it.round),
        t.words.ngettext("{count} game", "{count} games", len(it.games)),
        *(f"{t.words.pgettext('who sits out', 'Bye')} {t.name_of(player)}" for player in it.byes),
        t.words("Changed by hand") if it.by_hand else "",
        *map(t.say, it.warnings),
    ],
    events.GameAdded: lambda it, t: [
        t.words("Round {number}", number=it.round),
        t.colon(f"{t.words('Table')} {it.game.table}", t.pair(*it.game.players)),
    ],
    events.FinalsPublished: lambda it, t: [
        t.colon(f"{t.title_text(game.title)} {t.words(TEXTS[f'stage.{game.stage}'])}", t.pair(*game.players))
        for game in it.games
    ],
    events.ColoursChosen: lambda it, t: [t.game(it.game), f"{t.words('Black')} {t.name_of(it.black)}"],
    ShowingSet: lambda it, t: [
        f"{t.words('The next round starts at')} {t.moment(it.starts_at)}" if it.starts_at else "",
        f"{t.words('Boards shown, by table')} {', '.join(map(str, it.boards))}" if it.boards else "",
        f"{t.words('Broadcast delay in minutes')} {it.delay_s // 60}" if it.delay_s else "",
    ],
    events.RulingSent: lambda it, t: [t.word_text("rule", it.rule), t.tables(it.games), *t.fields(it.fields)],
    events.ResultReceived: lambda it, t: [
        *t.result(it),
        t.words.pgettext("state of a table", "signed")
        if all(it.signed)
        else t.words("closed by the director without both signatures")
        if it.closed
        else "",
    ],
    events.ResultJudged: lambda it, t: [t.game(it.game), *map(t.say, it.differences)],
    events.ResultEntered: lambda it, t: t.result(it),
    events.ConflictResolved: lambda it, t: [*t.said(it), it.why],
    events.MatterSettled: lambda it, t: [t.game(it.game) if it.game else "", it.why],
    events.CorrectionMade: lambda it, t: [*t.change(msgspec.to_builtins(it.change)), it.why],
    events.RecordGap: lambda it, t: [f"# {it.known_entries}", it.known_head[:12]],
    events.EntryUndone: lambda it, t: [f"# {t.numbers[it.entry]}" if it.entry in t.numbers else it.entry],
}


def _player(fields: Mapping[str, object]) -> list[str]:
    name, *more = (str(fields.get(key, "")) for key in ("name", "country", "admitted_because"))
    return [name or str(fields.get("id", "")), *more]
