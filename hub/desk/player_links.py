"""The private addresses of players' own pages (`/me/TOKEN`), of the tablet at the door (`/arrival/TOKEN`) and of
scribes (`/scribe/TOKEN`).

A token is a MAC over the event, the player or game and the number of the link, under a secret that is derived from the
hub's key: nobody can guess it, prints can make it again, and another number on the record renews or revokes it
(docs/decisions/0004-tournaments.md).
"""

from __future__ import annotations

import base64
import hashlib
import hmac
from collections.abc import Callable, Mapping

import msgspec

from hub.model.games import Game
from hub.model.players import Player
from hub.proof.hub_key import HubKey
from hub.record.state import PlayerLink, TournamentState

TOKEN_BYTES = 18  # 144 bits
# A text of another length is no token.
TOKEN_LETTERS = TOKEN_BYTES * 4 // 3


class PlayerOfLink(msgspec.Struct, frozen=True):
    """The player of a token, and their event."""

    event: str
    player: str


class GameOfLink(msgspec.Struct, frozen=True):
    """The game of a scribe's token, and its event."""

    event: str
    game: str


class _Made(msgspec.Struct, frozen=True):
    """The players of an event by the SHA-256 of their tokens, and the values of the event that these depend on."""

    players: tuple[Player, ...]
    links: Mapping[str, PlayerLink]
    by_digest: Mapping[bytes, PlayerOfLink]


class PlayerLinks:
    """The addresses of the players of `states`. `beginning` names the start of an event's record, so that an event of
    the same id on another record has other addresses.
    """

    def __init__(
        self, key: HubKey, states: Mapping[str, TournamentState], beginning: Callable[[str], str]
    ) -> None:
        self._secret = hmac.new(key.key, b"players' links", hashlib.sha256).digest()
        self._states = states
        self._beginning = beginning
        self._made: dict[str, _Made] = {}

    def path(self, state: TournamentState, player: str) -> str:
        """Return the address of the player's own page on this hub, "" if they have none."""
        link = state.links.get(player, PlayerLink())
        if not state.has_players_pages or state.away or not link.active:
            return ""
        return f"/me/{self._token(state.id, player, link.number)}"

    def arrival_path(self, state: TournamentState) -> str:
        """Return the address for the tablet at the door, "" while no list of arrivals is open."""
        if not state.arrival.open or state.closed or state.away:
            return ""
        return f"/arrival/{self._arrival_token(state)}"

    def arrival_of(self, token: str) -> str | None:
        """Return the event whose arrivals a token opens now, or None."""
        if len(token) != TOKEN_LETTERS or not token.isascii():
            return None
        opened = [state for state in self._states.values() if self.arrival_path(state)]
        return next(
            (state.id for state in opened if hmac.compare_digest(self._arrival_token(state), token)), None
        )

    def scribe_path(self, state: TournamentState, game: Game) -> str:
        """Return the address at which a scribe taps the moves of a game, "" without one. It lasts until the next games
        are at the tables."""
        if game.scribe is None or not game.scribe.active or game.id not in state.present:
            return ""
        if state.closed or state.away:
            return ""
        return f"/scribe/{self._scribe_token(state, game.id, game.scribe.number)}"

    def scribe_of(self, token: str) -> GameOfLink | None:
        """Return the game whose moves a token lets somebody tap now, or None."""
        if len(token) != TOKEN_LETTERS or not token.isascii():
            return None
        for state in self._states.values():
            for game in state.present_games if not state.away else ():
                path = self.scribe_path(state, game)
                if path and hmac.compare_digest(path, f"/scribe/{token}"):
                    return GameOfLink(state.id, game.id)
        return None

    def player_of(self, token: str) -> PlayerOfLink | None:
        """Return the player whose page a token opens now, or None."""
        if len(token) != TOKEN_LETTERS or not token.isascii():
            return None
        digest = hashlib.sha256(token.encode()).digest()
        of_events = (self._by_digest(state).get(digest) for state in self._states.values())
        return next(filter(None, of_events), None)

    def _by_digest(self, state: TournamentState) -> Mapping[bytes, PlayerOfLink]:
        """Return the players of an event by the SHA-256 of their tokens, made again after a change of either."""
        if state.away or not state.has_players_pages:
            return {}
        players, made = state.tournament.players, self._made.get(state.id)
        if made is None or made.players is not players or made.links is not state.links:
            by_digest = {}
            for player in players:
                link = state.links.get(player.id, PlayerLink())
                if link.active:
                    token = self._token(state.id, player.id, link.number)
                    digest = hashlib.sha256(token.encode()).digest()
                    by_digest[digest] = PlayerOfLink(state.id, player.id)
            made = self._made[state.id] = _Made(players, state.links, by_digest)
        return made.by_digest

    def _token(self, event: str, player: str, number: int) -> str:
        return self._marked(["player", event, self._beginning(event), player, number])

    def _arrival_token(self, state: TournamentState) -> str:
        return self._marked(["arrival", state.id, self._beginning(state.id), state.arrival.number])

    def _scribe_token(self, state: TournamentState, game: str, number: int) -> str:
        return self._marked(["scribe", state.id, self._beginning(state.id), game, number])

    def _marked(self, parts: list[str | int]) -> str:
        """Return the token that says these parts."""
        about = msgspec.json.encode(parts)
        mark = hmac.new(self._secret, about, hashlib.sha256).digest()[:TOKEN_BYTES]
        return base64.urlsafe_b64encode(mark).decode()
