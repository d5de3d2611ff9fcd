"""Bytes from cables and networks: the board's and the broker's. None may end a program or be believed."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from random import Random
from typing import Any

from helpers.hub_files import clock_of
from helpers.hub_in_one import open_room, taken
from helpers.many_values import some, tried
from helpers.waiting import PATIENCE_S
from hypothesis import strategies as st

from flagfall.base.errors import Invalid
from flagfall.link.board.frames import LONGEST_FRAME, Frame
from flagfall.link.board.frames import encode as frame_bytes
from flagfall.link.board.messages import AskHello, AskSnapshot
from flagfall.link.identity import Identity
from flagfall.link.keys import public_key
from flagfall.link.messages import (
    Assignment,
    BadMessage,
    Call,
    Move,
    Receipt,
    Result,
    RulingMessage,
    SignedMessage,
    Status,
    Update,
    decode,
    encode,
)
from flagfall.link.packed_file import pack
from flagfall.link.signature import sign
from flagfall.link.topics import FROM_HUB, Arrival, Kind, Topic
from flagfall.othello.reason import Reason
from flagfall.othello.side import Both
from table_app.board.session import BoardSession
from table_app.hub_link.incoming import assigned, read_order, ruling_input

HEADER = {"type": "game", "format": "flagfall-game/1", "rulebook": "woc-2019"}


def messages(device: str, game: str, header: dict[str, Any], hub: str = "") -> dict[Kind, Any]:
    """Return a valid message of each kind."""
    content = json.dumps({**header, "type": "game"}) + "\n"
    packed = pack(content.encode())
    result = Result(
        id=f"{game}.1",
        game=game,
        revision=1,
        device=device,
        score=Both(40, 24),
        winner="black",
        reason=Reason.BOARD,
        transcript="",
        clocks_ns=Both(1, 2),
        flags=Both(0, 0),
        incidents=[],
        signatures=Both(True, True),
        hub=hub,
        tournament="open",
        players=Both(header.get("black", {}).get("id", ""), header.get("white", {}).get("id", "")),
        file=packed.file,
        sha256=packed.sha256,
    )
    return {
        Kind.STATUS: Status(online=True, game=game, seat=1, answers={"r": "applied"}),
        Kind.CLOCK: clock_of(game, moves=3, transcript="f5d6c3"),
        Kind.MOVE: Move(game=game, transcript="f5"),
        Kind.CALL: Call(wanted=True, why="a dispute", game=game),
        Kind.RESULT: result,
        Kind.ASSIGNMENT: Assignment(
            device=device, seq=1, tournament="open", game=game, seat=1, header=header
        ),
        Kind.RECEIPT: Receipt(device=device, id=f"{game}.1", accepted=True, head="0" * 64),
        Kind.RULING: RulingMessage(
            device=device,
            id="r",
            game=game,
            expires_s=60,
            rule="adjust_time",
            fields={"player": "black", "seconds": 60},
        ),
        Kind.UPDATE: Update(
            device=device, seq=7, version="0.2.0", size_bytes=1_000_000, sha256="0" * 64, port=8000
        ),
    }


def sealed(kind: Kind, payload: bytes, key: bytes) -> bytes:
    """Return the payload, signed if it can be signed: a malicious device has a key."""
    try:
        message = decode(Topic("open", "t1", kind), payload)
        return encode(sign(message, key)) if isinstance(message, SignedMessage) else payload
    except (BadMessage, UnicodeError):
        return payload


@some
def test_nothing_that_a_table_sends_stops_the_hub(examples: int, bent: Any, tmp_path: Path) -> None:
    async def story() -> None:
        room = await open_room(tmp_path)
        desk, reception, states = room, room.reception, room.store.states
        identity = await desk.enroll("t1", 1)
        file = {
            "format": "flagfall-tournament/1",
            "rulebook": "woc-2019",
            "system": "swiss",
            "players": [{"id": "p1"}, {"id": "p2"}],
            "rounds": [],
        }
        await desk.create("open", file)
        await desk.run("publish-round")
        (game,) = states["open"].games
        seeds = messages(
            "t1", game, {**HEADER, "black": {"id": "p1"}, "white": {"id": "p2"}}, identity.hub.hex()
        )
        payloads = [
            (kind, bent.json(json.loads(encode(seed))) | bent.bytes([encode(seed)]))
            for kind, seed in seeds.items()
        ]
        topics = st.text(max_size=30) | st.sampled_from(
            [
                "flagfall/1/open/table/t1/result",
                "flagfall/1/-/table/t1/status",
                "flagfall/2/open/table/t1/x",
                "",
            ]
        )
        batch = st.lists(
            st.one_of(
                *(
                    st.tuples(
                        st.just(str(Topic("open", "t1", kind))) | topics,
                        payload | payload.map(lambda payload, kind=kind: sealed(kind, payload, identity.key)),
                    )
                    for kind, payload in payloads
                )
            ),
            max_size=4,
        )
        loop = asyncio.get_running_loop()

        def check(arrivals: list[tuple[str, bytes]]) -> None:
            taking = taken(reception, [Arrival(topic, payload) for topic, payload in arrivals])
            asyncio.run_coroutine_threadsafe(taking, loop).result(PATIENCE_S)

        try:
            await asyncio.to_thread(tried, examples, batch, check)
            good = encode(sign(seeds[Kind.RESULT], identity.key))
            await taken(reception, [Arrival(str(Topic("open", "t1", Kind.RESULT)), good)])
            assert states["open"].games[game].score is not None, "and a good one still counts"
        finally:
            await room.store.close()

    asyncio.run(story())


@some
def test_a_table_reads_any_order_or_says_in_one_line_why_not(examples: int, bent: Any) -> None:
    hub = b"h" * 32
    identity = Identity("t1", b"k" * 32, "token", public_key(hub))
    seeds = {kind: message for kind, message in messages("t1", "g", HEADER).items() if kind in FROM_HUB}

    def check(entry: tuple[Kind, bytes]) -> None:
        kind, payload = entry
        topic = str(Topic("open", "t1", kind))
        for sent in (payload, sealed(kind, payload, hub)):
            try:
                order = read_order(topic, sent, identity)
                if isinstance(order, Assignment):
                    assigned(order)
                if isinstance(order, RulingMessage):
                    ruling_input(order, 1)
            except (BadMessage, Invalid) as why:
                assert len(str(why).splitlines()) == 1

    payloads = [
        st.tuples(st.just(kind), bent.json(json.loads(encode(seed))) | bent.bytes([encode(seed)]))
        for kind, seed in seeds.items()
    ]
    tried(examples, st.one_of(*payloads), check)


@some
def test_no_bytes_of_the_board_disturb_the_table(examples: int, bent: Any) -> None:
    seeds = [frame_bytes(Frame(0, 0, AskHello())), frame_bytes(Frame(1, 1000, AskSnapshot()))]
    random = Random(1)
    seeds += [random.randbytes(200).replace(b"\0", b"\1") + b"\0", b"\1" * (LONGEST_FRAME * 3)]

    def check(pieces: list[bytes]) -> None:
        dialogue = BoardSession(0)
        for at, piece in enumerate(pieces, 1):
            dialogue.received(piece, at * 1_000_000)
            dialogue.to_send(at * 1_000_000)
            dialogue.given_up(at * 1_000_000)

    tried(examples, st.lists(bent.bytes(seeds) | st.binary(max_size=600), max_size=6), check)
