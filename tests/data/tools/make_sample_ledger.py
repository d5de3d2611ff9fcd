"""Writes the ledger of a small invented tournament with every type of entry; run once for each release.

python tests/data/tools/make_sample_ledger.py > tests/data/ledger-<release>.jsonl
"""

from __future__ import annotations

import json

from flagfall.base.message import Message
from flagfall.ledger.entry import START, chain
from flagfall.othello.colour_choice import May
from hub.model.games import Conditions
from hub.record.codec import draft
from hub.record.corrections import (
    ColoursExchanged,
    DoubleForfeit,
    FinalResultChanged,
    GameAwarded,
    GameDrawn,
    PlayersExchanged,
    ResultChanged,
    ScorePenalty,
    TablesExchanged,
)
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
    JudgesSet,
    PairingPublished,
    PlayerAbsent,
    PlayerAdded,
    PlayerChanged,
    PlayerRemoved,
    PlayerReturned,
    PlayerWithdrawn,
    PublishedFinal,
    PublishedGame,
    RecordGap,
    ResultEntered,
    ResultJudged,
    ResultReceived,
    RulingSent,
    SeatAssigned,
    ShowingSet,
    TournamentClosed,
    TournamentCreated,
    TranscriptEntered,
    WorldPlacesSet,
)


def published(game: str, table: int, black: str, white: str) -> PublishedGame:
    return PublishedGame(game=game, table=table, black=black, white=white)


def result(
    game: str, device: str, score: tuple[int, int], revision: int = 1, signed: bool = False
) -> ResultReceived:
    return ResultReceived(
        game=game,
        revision=revision,
        device=device,
        score=score,
        reason="board",
        winner="black" if score[0] > score[1] else "white",
        transcript="f5d6c3",
        signed=(signed, signed),
        differences=("score: the table says 40-24, its game file gives 41-23",) if game == "1-1-aa" else (),
        signature=f"{game}.{revision}",
        message="{}",
    )


FILE = {
    "format": "flagfall-tournament/1",
    "name": "Sample",
    "date": "2026-11-05",
    "rulebook": "woc-2019",
    "system": "swiss",
    "rounds_planned": 2,
    "seed": 3,
    "players": [
        {"id": f"p{n}", "country": "AAA" if n % 2 else "BBB", "categories": ["50+"] if n < 3 else ["60+"]}
        for n in range(1, 6)
    ],
    "rounds": [],
}
HAPPENINGS = (
    TournamentCreated(file=FILE, seats={1: "t1", 2: "t2"}, seq=1),
    PairingPublished(
        round=1,
        games=(published("1-1-aa", 1, "p1", "p2"), published("1-2-aa", 2, "p3", "p4")),
        byes=("p5",),
        conditions=Conditions(minutes=25, broadcast=True),
        seq=2,
        warnings=(
            Message.of("{player} has another bye: {why}", player="p5", why=Message("everybody has had one")),
        ),
    ),
    RulingSent(ruling="start-1", rule="start", games=("1-1-aa", "1-2-aa"), lifetime_s=600),
    SeatAssigned(seat=2, device="t3", seq=3),
    RulingSent(ruling="r1", rule="adjust_time", games=("1-1-aa",), fields={"player": "black", "seconds": 60}),
    result("1-1-aa", "t1", (40, 24)),
    result("1-1-aa", "t1", (40, 24), 2, signed=True),
    ResultEntered(game="1-2-aa", score=(20, 44)),
    result("1-2-aa", "t3", (44, 20)),
    ConflictResolved(game="1-2-aa", score=(20, 44), why="both players agree"),
    PlayerAdded(player={"id": "p6", "name": "Latecomer", "from_round": 2}),
    PlayerAbsent(player="p2", round=2),
    PlayerWithdrawn(player="p3", after_round=1),
    EntryUndone(entry="e12", seq=4),
    PairingPublished(
        round=2,
        games=(published("2-1-bb", 1, "p4", "p1"), published("2-2-bb", 2, "p6", "p5")),
        byes=("p3",),
        seq=5,
        cost={"gap": 2},
    ),
    result("2-1-bb", "t1", (33, 31)),
    ResultEntered(game="2-2-bb", score=(32, 32)),
    PlayerChanged(player={"id": "p5", "name": "Renamed", "country": "AAA"}),
    BansSet(bans=(("p1", "p2"),)),
    JudgesSet(judges={1: "Judge of table 1"}),
    CategoriesSet(merged={"60+": "50+"}, allowed=("50+",)),
    ShowingSet(starts_at="2026-11-05T14:30:00+01:00", boards=(1,), delay_s=900),
    CorrectionMade(change=TablesExchanged(round=2, player="p4", other="p5"), why="sat so", seq=6),
    FinalsPublished(
        games=(
            PublishedFinal(
                game="f1-1-cc",
                table=1,
                black="p4",
                white="p3",
                title="open",
                stage="semi-final",
                minutes=35,
                chooses="p4",
                may=May.COLOUR,
            ),
        ),
        seq=7,
    ),
    ColoursChosen(game="f1-1-cc", black="p4", draw_win=None, seq=8),
    result("f1-1-cc", "t1", (40, 24)),
    ResultJudged(
        game="f1-1-cc",
        revision=1,
        differences=(
            Message.of(
                "{what}: the table says {claimed}, its game file gives {found}",
                what="winner",
                claimed="black",
                found="white",
            ),
        ),
    ),
    EventPutAway(away=True, seq=9),
    EventPutAway(away=False, seq=10),
    PlayerAdded(player={"id": "p7", "name": "Entered by mistake", "from_round": 3}),
    PlayerRemoved(player="p7", name="Entered by mistake"),
    EventChanged(fields={"name": "Sample, renamed", "rounds_planned": 2, "bq_constant": 5}, seq=11),
    ConductNoted(kind="warning", player="p1", clause="V.2", why="spoke to a spectator", after_round=2),
    ConductNoted(kind="room", person="A spectator", why="named a move", until="2026-11-05T18:00:00+01:00"),
    TranscriptEntered(game="2-2-bb", transcript="f5d6c3d3c4"),
    CorrectionMade(change=FinalResultChanged(game=1, score=(34, 30)), why="counted again", seq=12),
    RecordGap(known_entries=60, known_head="ab" * 32, why="as_it_is"),
    TournamentClosed(),
)

CLUB = {**FILE, "name": "Club", "rulebook": "open", "players": [{"id": f"c{n}"} for n in range(1, 6)]}
CORRECTED = (
    TournamentCreated(file=CLUB, seats={}, seq=1),
    PairingPublished(
        round=1,
        games=(published("1-1-aa", 1, "c1", "c2"), published("1-2-aa", 2, "c3", "c4")),
        byes=("c5",),
        seq=2,
    ),
    ResultEntered(game="1-1-aa", score=(40, 24)),
    ResultEntered(game="1-2-aa", score=(20, 44)),
    CorrectionMade(change=ColoursExchanged(round=1, player="c1"), why="sat the other way round", seq=3),
    CorrectionMade(change=ResultChanged(round=1, player="c1", score=(24, 40)), why="by the sheet", seq=4),
    CorrectionMade(change=ScorePenalty(round=1, player="c4", discs=2), why="a late arrival", seq=5),
    CorrectionMade(change=GameAwarded(round=1, player="c3"), why="an opponent who left", seq=6),
    CorrectionMade(change=GameDrawn(round=1, player="c3"), why="after an appeal", seq=7),
    CorrectionMade(change=DoubleForfeit(round=1, player="c3"), why="neither came", seq=8),
    CorrectionMade(change=PlayersExchanged(round=1, player="c4", other="c5"), why="c5 played", seq=9),
    EntryUndone(entry="e9", seq=10),
    PlayerWithdrawn(player="c2", after_round=1),
    PlayerReturned(player="c2"),
    PlayerWithdrawn(player="c3", after_round=1, expelled=True, why="V.2.e"),
    PlayerAbsent(player="c1", round=2, half_point=True),
)
CONTINENTAL = (
    TournamentCreated(file={**FILE, "name": "Continental", "rulebook": "cc-2024"}, seats={}, seq=1),
    WorldPlacesSet(places=2),
)
FIELDS = ("id", "type", "version", "at", "who", "tournament", "previous", "hash")
EVENTS = {"sample": HAPPENINGS, "club": CORRECTED, "continental": CONTINENTAL}


if __name__ == "__main__":
    for event, happenings in EVENTS.items():
        drafts = [
            draft(happening, f"e{nth}", event, "operator", f"2026-11-05T10:00:{nth:02d}+00:00")
            for nth, happening in enumerate(happenings)
        ]
        for entry in chain(drafts, START):
            body = {"body": entry.body.decode()}
            print(json.dumps({**{name: getattr(entry, name) for name in FIELDS}, **body}))
