"""All benches, in the order in which they are run and shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Bench:
    """A bench of the list."""

    # Its module, `benchmarks.<name>`.
    name: str
    title: str
    description: str
    # Programs of the system without which it cannot run.
    needs: tuple[str, ...] = ()
    # Known of its figures, whenever they were taken (why an aim is not met, what to compare with).
    remark: str = ""
    # Those of its figures that stand in the page's first, short table, each with its words there.
    first: Mapping[str, str] = field(default_factory=dict)

    @property
    def command(self) -> str:
        return f".venv/bin/python -m benchmarks.{self.name}"


BENCHES = (
    Bench(
        "table.clock_exactness",
        "The clock, and the two common mistakes",
        "A million random presses: how much of the time that passed is charged to neither player.",
    ),
    Bench(
        "table.latency",
        "From the press to the clock and the verdict",
        "A real table program's loop, recorder and disk; mock pins, a board that streams at 100 Hz.",
        first={"press to clock turned, p99 of 200": "a press turns the clock (99 of 100)"},
    ),
    Bench(
        "table.frame",
        "From the press to the frame on the screen",
        "A real table program with a window under Xvfb, a board that streams at 100 Hz on a pty, hands that play.",
        needs=("Xvfb",),
        remark="The share of a core depends on what else the host of a virtual machine does: the same code took 2.2 to "
        "4.7 times the plain loop within two days.",
        first={"press to frame presented, p99": "a press is seen on the screen (99 of 100)"},
    ),
    Bench(
        "boards.sensors",
        "The sensor board",
        "Over the physical model of its magnets, at the stated worst noise, offsets and drift, through the firmware.",
        first={
            "a placed disc is told after, at most": "a sensor board tells a placed disc after, at most",
            "false accusations in 100 games": "false accusations of a sensor board, 100 games",
        },
    ),
    Bench(
        "boards.eye",
        "The eye above the board",
        "Drawn scenes of many boards, lights and lenses; games played in front of a drawn camera, in their own time.",
        remark="All of it takes some 45 minutes.",
        first={
            "a position is told after the hand has left, at most": "an eye tells a move after the hand, at most",
            "false accusations in 100 games": "false accusations of an eye, 100 games",
        },
    ),
    Bench(
        "boards.eye_photographs",
        "Single pictures of boards",
        "Drawn photographs and screens; the board is found in each among all that lies around it, and read.",
    ),
    Bench(
        "boards.club_photographs",
        "Photographs in the conditions of clubs",
        "Drawn boards in hard shadows, tinted light, under mirrored lamps, with notation, of travel sets, held askew.",
    ),
    Bench(
        "hub.photographs",
        "Photographs that players send",
        "Drawn photographs of final boards as the hub reads them, fifty at once, and real ones that others publish.",
        remark="The real ones are named in tests/data/photographs-elsewhere.toml; `FLAGFALL_PHOTOGRAPHS=FOLDER` says "
        "where they lie.",
    ),
    Bench(
        "boards.eye_beside",
        "Presses beside an eye",
        "A real table program's presses with and without an eye at work on the same device.",
    ),
    Bench(
        "table.law_speed",
        "The law",
        "Judging is the inner loop of replays and audits; perft counts the games of so many plies.",
        first={"perft(8), seconds": "counting all games of eight plies"},
    ),
    Bench(
        "pairing.speed",
        "One Swiss round, paired and proved",
        "Rounds 2 to 13 of simulated tournaments; each pairing is proved the best on the complete graph.",
        remark="With 50 players and with 100 hard ones the aims are missed: ten exact fields and the proof cost "
        "more there than one sum, 2 to 8 ms in all (decisions/0001-parts.md). Where one round of 50 takes "
        "2.1 ms, reading the rounds before takes 0.15, likely partners 0.4, the matching 0.7; none can be "
        "halved alone to reach 1.0.",
        first={
            "the slowest of them, 50 players, ordinary": "pairing 50 players and proving it, slowest round",
            "the slowest of them, 100 players, ordinary": "pairing 100 players and proving it, slowest round",
            "the slowest of them, 200 players, ordinary": "pairing 200 players and proving it, slowest round",
            "the slowest of them, 500 players, ordinary": "pairing 500 players and proving it, slowest round",
            "the slowest of them, 1,000 players, ordinary": "pairing 1,000 players and proving it, slowest round",
            "the slowest of them, 2,000 players, ordinary": "pairing 2,000 players and proving it, slowest round",
        },
    ),
    Bench(
        "pairing.peers",
        "Pairing beside what people would use",
        "The same round for all, each from the tournament to its games. Ours weighs ten fields and proves the result; "
        "a plain complete graph in rustworkx or networkx, built anew, minimises a weighted sum of them; py4swiss pairs "
        "by the rules of chess (FIDE Dutch). Beyond 300 players the figures are information without an aim. Memory is "
        "by how much the process grew: 0 where its start had taken more.",
    ),
    Bench(
        "pairing.published",
        "Published rounds, and the best ones possible",
        "Real tournaments: how far each round was from the best pairing possible at that time.",
    ),
    Bench(
        "hub.pages",
        "Standings and pages",
        "Standings of 10,000 players; the page of 200 players as a browser gets it from a real hub process.",
        remark="Standings took 4.6 loops in 0.2.0 and 12 in 0.3.1: with byes, walkovers and flags by rulebook each"
        " game made two tuples and went through a loop over its two players. Both are written out again, "
        "and the lines are structs. The clock was wrong too: seconds of a busy machine over the least of "
        "five loops. It is processor time of both now.",
        first={"standings of 10,000 players after 13 rounds": "standings of 10,000 players"},
    ),
    Bench(
        "hub.holds",
        "The longest that a page holds the hub",
        "Two pages of each kind of a large event, from the console to the sheets for printing, as links lead to them; "
        "processor time of one turn of the loop.",
        needs=("chromium-headless-shell",),
    ),
    Bench(
        "hub.stranger_requests",
        "What a stranger's request costs",
        "Processor time of the hub's loop for one request, where the bytes are there and where the page must be made.",
    ),
    Bench(
        "hub.attacks",
        "Attacks from the hall",
        "A hundred tables in play while a stranger asks for everything, one thing at a time, for 12 s each: a club's "
        "hub alone with 1,024 open files, and a venue's behind nginx with those that systemd sets.",
        needs=("mosquitto", "nginx"),
        remark="What each of the two withstands: security.md.",
    ),
    Bench(
        "hub.stopwatch",
        "The director's stopwatch",
        "An event of fourteen from an empty hub to its first round, and twenty results of paper tables, at the "
        "console in a browser without a window. Keystrokes and clicks are counted; nobody thinks or reads between "
        "them, so the seconds are the wait for browser and hub.",
        needs=("chromium-headless-shell",),
        remark="A list costs its child 0.4 s of processor time, of which openpyxl takes 0.27; the final list as "
        "PDF 4 s: 1.6 are WeasyPrint's import, nearly all the rest its style sheets and layout, with or "
        "without our fonts. The button shows that it is being worked on.",
    ),
    Bench(
        "hub.results",
        "Durable results with receipt",
        "Signed results from many tables into a real hub process: checked, judged again, in the ledger, acknowledged. "
        "The generator runs on the same two cores.",
        needs=("mosquitto", "redis-server"),
        remark="In 0.2.0 it was 0.48: since 0.3.0 tables and hub sign with Ed25519, 0.15 to 0.22 ms of a result's "
        "0.56 ms where it was 0.01. Where the rest goes, and what was tried: decisions/0001-parts.md.",
        first={"mosquitto + SQLite: a whole game of sixty moves": "results checked, durable and receipted"},
    ),
    Bench(
        "hub.reconnect",
        "A thousand tables come back at once",
        "All connect to the hub's own broker in the same moment, each with a result that the hub does not have.",
    ),
    Bench(
        "hub.live",
        "A hundred live tables, two hundred browsers",
        "Each table tells its clock once a second and at each press; each browser listens to the page's events.",
        first={"update to browser, p99: 100 tables, 200 browsers": "100 tables to 200 browsers (99 of 100)"},
    ),
    Bench(
        "programs.mutants",
        "Changes that the tests notice",
        "A hundred random small changes in each room, one at a time; its tests must fail or run out of time.",
        remark="`python tools/mutants.py` without `--sample` makes all of them, and prints those that survive.",
        first={"mutants killed, pairing": "changes in the pairing that its tests notice"},
    ),
    Bench(
        "programs.commands",
        "Commands that load little",
        "Processor time of whole commands, beside a Python that does nothing; all in turn.",
    ),
    Bench(
        "programs.start_and_size",
        "Start and size",
        "From the start of the process; installed size with everything that its extra brings.",
        remark="The hub's start: half is its own modules and 25 ms what paho imports for proxies that nobody uses "
        "(urllib, http, email). At rest it was 54 MB in 0.2.0: 9 MB more are pages of cryptography's "
        "library, with which the hub has signed its record since 0.3.0, and 4 MB are modules.",
        first={
            "flagfall-table, process to first frame, a window under Xvfb": "a table from its start to its picture",
            "flagfall-hub, process to first page": "a hub from its start to its page",
            "flagfall-hub at rest, with broker and ledger": "a hub at rest with its broker",
        },
    ),
)
