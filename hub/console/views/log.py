"""What an entry of the log says, in a few words of the reader's language. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

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
    FinalsPublished,
    Happening,
    JudgesSet,
    PairingPublished,
    PlayerAbsent,
    PlayerAdded,
    PlayerChanged,
    PlayerWithdrawn,
    RecordGap,
    ResultEntered,
    ResultJudged,
    ResultReceived,
    RulingSent,
    SeatAssigned,
    ShowingSet,
    TournamentCreated,
    WorldPlacesSet,
)
from hub.record.state import TournamentState
from link.words import Catalogue

_MOST_TABLES = 12


@dataclass(frozen=True, slots=True)
class Telling:
    """`numbers`: the place in the log of each entry, by id."""

    state: TournamentState
    words: Catalogue
    say: Translator
    name_of: Callable[[str], str]
    numbers: Mapping[str, int]

    def __call__(self, what: Happening) -> str:
        return ", ".join(filter(None, self._parts(what)))

    def _parts(self, what: Happening) -> Iterable[str]:
        w = self.words
        match what:
            case TournamentCreated():
                return [
                    str(what.file.get("rulebook", "")),
                    f"{len(what.file.get('players', []))} {w('players')}",
                ]
            case PlayerAdded() | PlayerChanged():
                added = [str(what.player.get(name, "")) for name in ("name", "country", "admitted_because")]
                return [added[0] or str(what.player.get("id", "")), *added[1:]]
            case PlayerWithdrawn():
                gone = (
                    w("expelled")
                    if what.expelled
                    else w("Withdrawn after round {number}.", number=what.after_round).rstrip(".。")
                )
                return [self.name_of(what.player), gone, what.why]
            case PlayerAbsent():
                return [self.name_of(what.player), w("Round {number}", number=what.round)]
            case SeatAssigned():
                return [w("Seat {seat}", seat=what.seat), what.device or w("no device")]
            case BansSet():
                return [self._pair(*ban) for ban in what.bans]
            case CategoriesSet():
                merged = [f"{name} → {into}" for name, into in what.merged.items()]
                return [*merged, *(f"{name}: {w('small, allowed')}" for name in what.allowed)]
            case ConductNoted():
                about = self.name_of(what.player) if what.player is not None else what.person
                return [about, w.named(f"conduct.{what.kind}"), what.clause, what.until, what.why]
            case WorldPlacesSet():
                return [f"{w('Places at the World Championship')} {what.places}"]
            case JudgesSet():
                return [f"{seat} {name}" for seat, name in sorted(what.judges.items())]
            case PairingPublished():
                byes = [f"{w.pgettext('who sits out', 'Bye')} {self.name_of(player)}" for player in what.byes]
                by_hand = w("Changed by hand") if what.by_hand else ""
                return [
                    w("Round {number}", number=what.round),
                    f"{w('Tables')} {len(what.games)}",
                    *byes,
                    by_hand,
                ]
            case FinalsPublished():
                return [
                    f"{self._titled(game.title)} {w.named(f'stage.{game.stage}')}: {self._pair(game.black, game.white)}"
                    for game in what.games
                ]
            case ColoursChosen():
                return [self._game(what.game), f"{w('Black')} {self.name_of(what.black)}"]
            case ShowingSet():
                starts = f"{w('The next round starts at')} {what.starts_at}" if what.starts_at else ""
                boards = f"{w('Boards of tables')} {', '.join(map(str, what.boards))}" if what.boards else ""
                return [
                    starts,
                    boards,
                    f"{w('Minutes later for the world outside')} {what.delay_s // 60}"
                    if what.delay_s
                    else "",
                ]
            case RulingSent():
                return [self._worded("rule", what.rule), self._tables(what.games), *self._fields(what.fields)]
            case ResultReceived():
                closed = w("closed by the director without both signatures") if what.closed else ""
                signed = w.pgettext("state of a table", "signed") if all(what.signed) else closed
                return [
                    self._game(what.game),
                    score_text(what.score),
                    w.named(f"reason.{what.reason}"),
                    signed,
                ]
            case ResultJudged():
                return [self._game(what.game), *map(self.say, what.differences)]
            case ResultEntered():
                return [self._game(what.game), score_text(what.score), w.named(f"reason.{what.reason}")]
            case ConflictResolved():
                return [self._game(what.game), score_text(what.score), what.why]
            case CorrectionMade():
                return [*self._change(msgspec.to_builtins(what.change)), what.why]
            case RecordGap():
                return [f"# {what.known_entries}", what.known_head[:12]]
            case EntryUndone():
                return [f"# {self.numbers[what.entry]}" if what.entry in self.numbers else what.entry]
        return []

    def _change(self, change: Mapping[str, object]) -> Iterable[str]:
        yield self._worded("change", str(change["kind"]))
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

    def _fields(self, fields: Mapping[str, object]) -> Iterable[str]:
        for name, value in fields.items():
            said = str(value)
            if name in ("player", "winner"):
                yield self.words.named(said) if said in ("black", "white") else said
            else:
                yield said if name == "reason" else f"{self._worded('field', name)} {said}"

    def _tables(self, games: Iterable[str]) -> str:
        tables = [str(self.state.games[game].table) for game in games if game in self.state.games]
        more = " …" if len(tables) > _MOST_TABLES else ""
        return f"{self.words('Tables')} {', '.join(tables[:_MOST_TABLES])}{more}" if tables else ""

    def _game(self, game: str) -> str:
        record = self.state.games.get(game)
        if record is None:
            return game
        return f"{self.say(record.where)}: {self._pair(record.black, record.white)}"

    def _pair(self, black: str, white: str) -> str:
        return f"{self.name_of(black)} – {self.name_of(white)}"

    def _titled(self, title: str) -> str:
        return self._worded("title", title).removeprefix("division:")

    def _worded(self, family: str, word: str) -> str:
        key = f"{family}.{word}"
        return self.words.named(key) if self.words.has(key) else word
