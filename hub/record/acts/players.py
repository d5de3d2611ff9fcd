"""Acts of players: entered, changed, absent, withdrawn, back, kept apart; notes of conduct; the addresses of their own
pages."""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

import msgspec

from flagfall.base.convert import within
from flagfall.base.errors import Invalid
from flagfall.base.value import replace
from flagfall.ledger.entry import Entry
from flagfall.othello.rulebook import Rulebook
from hub.fields import ShortText, Whole
from hub.form.conditions import check_conditions
from hub.form.event_size import check_number, check_player
from hub.form.parts import player_from_json
from hub.form.tournament import check_consistency
from hub.model.players import Player
from hub.model.tournament import Absence, Withdrawal
from hub.pairing.state import last_round
from hub.ranking.leagues import FEWEST_PLAYERS
from hub.record.acts.act import Act, filled
from hub.record.doors import Api, AtDoor, Form, FormOnly, Hubs, PlayerId
from hub.record.state import CONDUCT, Conduct, Note, PlayerLink, TournamentState
from hub.role import Role
from hub.rulebook import rules_of
from hub.text import Refused, refused

Leagues: TypeAlias = tuple[tuple[str, ...], ...]


class PlayerAdded(Act, frozen=True, kw_only=True):
    """A player has been entered."""

    TYPE = "player_added"
    # One object of the tournament file's `players`.
    player: dict[str, Any]

    def ready(self, state: TournamentState) -> PlayerAdded:
        check_conditions(self.player)
        check_player(self.player)
        check_number("players", len(state.tournament.players) + 1)
        return self

    def apply(self, state: TournamentState, entry: Entry) -> TournamentState:
        """Return the state with one more player. The system was settled when the tournament was created; one player
        more does not change it."""
        players = state.tournament.players
        newcomer = player_from_json(self.player, f"players[{len(players)}]")
        return _with_players(state, (*players, newcomer))


class PlayerChanged(Act, frozen=True, kw_only=True):
    """A player's facts have been put right."""

    TYPE = "player_changed"
    # One object of the tournament file's `players` with the id of a player.
    player: dict[str, Any]

    def ready(self, state: TournamentState) -> PlayerChanged:
        check_conditions(self.player)
        check_player(self.player)
        return self

    def apply(self, state: TournamentState, entry: Entry) -> TournamentState:
        player_id = self.player.get("id")
        if not isinstance(player_id, str):
            raise Refused("expected the id of a player, got nothing", field="id")
        state.expect_player(player_id)
        old = state.tournament.player(player_id)
        begins = self.player.get("from_round", 1)
        # Who has not begun yet may begin later.
        later = isinstance(begins, int) and begins > old.from_round > state.round
        if state.round and begins != old.from_round and not later:
            raise Refused("expected no change once rounds are published", field="from_round")
        players = state.tournament.players
        nth = players.index(old)
        new = player_from_json(self.player, f"players[{nth}]")
        return _with_players(state, (*players[:nth], new, *players[nth + 1 :]))


def _with_players(state: TournamentState, players: tuple[Player, ...]) -> TournamentState:
    new = state.with_tournament(players=players)
    check_consistency(new.tournament, rules_of(new.tournament))
    return new


class PlayerRemoved(Act, frozen=True, kw_only=True):
    """A player had been entered by mistake. A player who has been paired withdraws instead."""

    TYPE = "player_removed"
    ROLE = Role.ASSISTANT
    FORMS = (Form(path="player/{player}/remove", page="player", to="players", sure=True),)
    player: PlayerId
    # For the log.
    name: Hubs[str] = ""

    def ready(self, state: TournamentState) -> PlayerRemoved:
        return msgspec.structs.replace(self, name=state.player(self.player).name)

    def apply(self, state: TournamentState, entry: Entry) -> TournamentState:
        removed_id, old = self.player, state.tournament
        state.expect_player(removed_id)
        if any(removed_id in game.players for game in state.games.values()) or any(
            removed_id in round_.byes for round_ in old.rounds
        ):
            raise Refused(
                "expected a player who was never paired, got {player!r}", field="player", player=removed_id
            )
        ups = old.line_ups
        if ups is not None:
            ups = {
                team: tuple(player for player in members if player != removed_id)
                for team, members in ups.items()
            }
        new = state.with_tournament(
            players=tuple(player for player in old.players if player.id != removed_id),
            withdrawals=tuple(gone for gone in old.withdrawals if gone.player != removed_id),
            absences=tuple(absence for absence in old.absences if absence.player != removed_id),
            bans=tuple(ban for ban in old.bans if removed_id not in ban),
            pins=tuple(pin for pin in old.pins if removed_id not in pin.players),
            lots=tuple(player for player in old.lots if player != removed_id),
            line_ups=ups,
            leagues=_without(removed_id, old.leagues),
        )
        return replace(new, removed=state.removed | {removed_id})


def _without(player: str, leagues: Leagues) -> Leagues:
    """Return the leagues without a player who was never paired; all are to be drawn anew if theirs gets too small."""
    left = tuple(tuple(other for other in league if other != player) for league in leagues)
    return left if all(len(league) >= FEWEST_PLAYERS for league in left) else ()


class PlayerWithdrawn(Act, frozen=True, kw_only=True):
    """A player leaves, or is expelled.

    They are not paired again, by default after the last published round.
    """

    TYPE = "player_withdrawn"
    ROLE = Role.ASSISTANT
    API = Api("POST", "withdrawals")
    FORMS = (
        Form(path="player/{player}/withdraw", page="player", to="players", asks=(), sure=True),
        Form(
            path="player/{player}/expel",
            page="player",
            to="players",
            asks=("why",),
            needs=("why",),
            sets={"expelled": True},
            sure=True,
        ),
    )
    player: PlayerId
    after_round: Annotated[int | None, AtDoor(Whole | None)] = None
    # By the director, which counts as a withdrawal (`woc-2019` V.2.e); `why` is then the reason.
    expelled: bool = False
    why: Annotated[str, AtDoor(ShortText | None)] = ""

    def least(self) -> Role:
        return Role.DIRECTOR if self.expelled else self.ROLE

    def ready(self, state: TournamentState) -> PlayerWithdrawn:
        check_number("withdrawals", len(state.tournament.withdrawals) + 1)
        if self.after_round is not None:
            return self
        return msgspec.structs.replace(self, after_round=state.round)

    def apply(self, state: TournamentState, entry: Entry) -> TournamentState:
        state.expect_player(self.player)
        after_round, earlier = filled(self.after_round), state.tournament.withdrawals
        if state.tournament.withdrawn_after(self.player) is not None:
            raise Refused(
                "expected a player who has not withdrawn, got {player!r}", field="player", player=self.player
            )
        last_played = max((g.round for g in state.games.values() if self.player in g.players), default=0)
        if not last_played <= after_round <= state.round:
            raise Refused(
                "expected {last_played} to {round}, got {after_round}",
                field="after_round",
                last_played=last_played,
                round=state.round,
                after_round=after_round,
            )
        if self.expelled and not self.why.strip():
            raise Refused("expected the reason of an expulsion, got nothing", field="why")
        finals = len(state.tournament.finals)
        withdrawal = Withdrawal(self.player, after_round, self.expelled, self.why, finals)
        return state.with_tournament(withdrawals=(*earlier, withdrawal))


class PlayerAbsent(Act, frozen=True, kw_only=True):
    """A player misses a round.

    It is the next one if none is named.
    """

    TYPE = "player_absent"
    ROLE = Role.ASSISTANT
    API = Api("POST", "absences")
    FORMS = (Form(path="player/{player}/absent", page="player", to="players"),)
    player: PlayerId
    round: Annotated[int | None, AtDoor(Whole | None)] = None
    # Asked for in time; the rulebook leaves it to the director.
    half_point: FormOnly[bool] = False

    def ready(self, state: TournamentState) -> PlayerAbsent:
        check_number("absences", len(state.tournament.absences) + 1)
        last = last_round(state.tournament)
        missed = state.round + 1 if self.round is None else self.round
        if missed > last:
            raise refused(Invalid("round", within(1, last), str(missed)))
        return msgspec.structs.replace(self, round=missed)

    def apply(self, state: TournamentState, entry: Entry) -> TournamentState:
        state.expect_player(self.player)
        missed = filled(self.round)
        if missed <= state.round:
            raise Refused("expected a round that is not paired yet, got {round}", field="round", round=missed)
        if self.half_point:
            _expect_left_to_the_director(state, "half_point")
        others = [
            absence
            for absence in state.tournament.absences
            if (absence.player, absence.round) != (self.player, missed)
        ]
        return state.with_tournament(absences=(*others, Absence(self.player, missed, self.half_point)))


class PlayerReturned(Act, frozen=True, kw_only=True):
    """A player who withdrew plays again from the next round on, if the rulebook leaves it to the director."""

    TYPE = "player_returned"
    ROLE = Role.ASSISTANT
    FORMS = (Form(path="player/{player}/return", page="player", to="players"),)
    player: PlayerId

    def apply(self, state: TournamentState, entry: Entry) -> TournamentState:
        """Return the state with the player back. The rounds between count as absences for standings and quotient, not
        as a withdrawal."""
        state.expect_player(self.player)
        tournament = state.tournament
        last = tournament.withdrawn_after(self.player)
        if last is None:
            raise Refused(
                "expected a player who has withdrawn, got {player!r}", field="player", player=self.player
            )
        _expect_left_to_the_director(state, "player")
        theirs = [gone for gone in tournament.withdrawals if gone.player == self.player]
        if any(gone.expelled for gone in theirs):
            raise Refused(
                "expected a player who was not expelled, got {player!r}", field="player", player=self.player
            )
        missed = (Absence(self.player, number) for number in range(last + 1, state.round + 1))
        return state.with_tournament(
            withdrawals=tuple(gone for gone in tournament.withdrawals if gone not in theirs),
            absences=(*tournament.absences, *missed),
        )


def _expect_left_to_the_director(state: TournamentState, field: str) -> None:
    if not rules_of(state.tournament).free_absences:
        raise Refused(
            "expected a rulebook that leaves this to the director, got {rulebook}",
            field=field,
            rulebook=state.tournament.rulebook,
        )


class PlayerLinkSet(Act, frozen=True, kw_only=True):
    """The address of a player's own page is renewed, or revoked.

    That of this number counts alone, or none (`active` false).
    """

    TYPE = "player_link_set"
    CAN_BE_UNDONE = False
    ROLE = Role.ASSISTANT
    FORMS = (
        Form(path="player/{player}/link", page="player", sets={"active": True}, sure=True),
        Form(path="player/{player}/unlink", page="player", sets={"active": False}, sure=True),
    )
    player: PlayerId
    number: Hubs[int] = 0
    active: bool = True

    def ready(self, state: TournamentState) -> PlayerLinkSet:
        number = state.links.get(self.player, PlayerLink()).number + 1
        return msgspec.structs.replace(self, number=number)

    def apply(self, state: TournamentState, entry: Entry) -> TournamentState:
        state.expect_player(self.player)
        present = state.links.get(self.player, PlayerLink())
        if self.number < present.number:
            raise Refused(
                "expected a number from {least}, got {number}",
                field="number",
                least=present.number,
                number=self.number,
            )
        return replace(state, links={**state.links, self.player: PlayerLink(self.number, self.active)})


class ConductNoted(Act, Note, frozen=True, kw_only=True):
    """The director's note of somebody's conduct.

    It is a warning, an abuse, an expulsion from the room, or the end of that.
    """

    TYPE = "conduct_noted"
    ONCE = True
    FORMS = (
        Form(path="player/{player}/note", page="player", asks=("kind", "why", "until"), sure=True),
        Form(
            path="note", page="players", asks=("person", "kind", "why", "until"), needs=("person",), sure=True
        ),
    )

    def ready(self, state: TournamentState) -> ConductNoted:
        return msgspec.structs.replace(
            self,
            clause=clause_of(rules_of(state.tournament).law, self.kind),
            until=self.until if self.kind == "room" else "",
            after_round=state.round,
        )

    def apply(self, state: TournamentState, entry: Entry) -> TournamentState:
        """Return the state with a note about a player, or about anybody else by name, with its reason."""
        if self.kind not in CONDUCT:
            raise Refused(
                "expected one of {kinds}, got {kind}",
                field="kind",
                kinds=", ".join(CONDUCT),
                kind=self.kind[:40],
            )
        if self.player is not None:
            state.expect_player(self.player)
        elif not self.person.strip():
            raise Refused("expected a name, got nothing", field="person")
        if not self.why.strip():
            raise Refused("expected the reason of a note, got nothing", field="why")
        return replace(state, conduct=(*state.conduct, Conduct(self, entry.at, entry.who)))


def clause_of(rules: Rulebook, kind: str) -> str:
    """Return the rulebook's clause for such a note, "" if there is none."""
    clause = next((cited for cited, word in rules.event.told.items() if word == kind), "")
    return clause or ", ".join(rules.cites.get(kind, ()))


class BansSet(Act, frozen=True, kw_only=True):
    """All pairs that may not meet from now on."""

    TYPE = "bans_set"
    bans: tuple[tuple[str, str], ...]

    def ready(self, state: TournamentState) -> BansSet:
        check_number("bans", len(self.bans))
        return self

    def apply(self, state: TournamentState, entry: Entry) -> TournamentState:
        for ban in self.bans:
            for player in ban:
                state.expect_player(player)
            if ban[0] == ban[1]:
                raise Refused("expected two different players, got {ban!r} twice", field="bans", ban=ban[0])
        return state.with_tournament(bans=self.bans)
