"""All benches, in the order in which they are run and shown."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Bench:
    """`name`: its module, `benchmarks.<name>`. `needs`: programs of the system without which it cannot run.

    `remark`: what is known of its figures, whenever they were taken (why an aim is not met, what to compare with).
    """

    name: str
    title: str
    what: str
    needs: tuple[str, ...] = ()
    remark: str = ""

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
    ),
    Bench(
        "table.frame",
        "From the press to the frame on the screen",
        "A real table program with a window under Xvfb, a board that streams at 100 Hz on a pty, hands that play.",
        needs=("Xvfb",),
    ),
    Bench(
        "boards.sensors",
        "The sensor board",
        "Over the physical model of its magnets, at the stated worst noise, offsets and drift, through the firmware.",
    ),
    Bench(
        "boards.eye",
        "The eye above the board",
        "Drawn scenes of many boards, lights and lenses; games played in front of a drawn camera, in their own time.",
        remark="All of it takes some 45 minutes.",
    ),
    Bench(
        "boards.eye_photographs",
        "Single pictures of boards",
        "Drawn photographs and screens; the board is found in each among all that lies around it, and read.",
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
    ),
    Bench(
        "pairing.speed",
        "One Swiss round, paired and proved",
        "Rounds 2 to 13 of simulated tournaments; each pairing is proved the best on the complete graph.",
    ),
    Bench(
        "pairing.peers",
        "Pairing beside what people would use",
        "The same round for all. Ours weighs ten fields and proves the result; a plain complete graph in rustworkx or "
        "networkx minimises a weighted sum of them; py4swiss pairs by the rules of chess (FIDE Dutch). Memory is by "
        "how much the process grew: 0 where its start had taken more.",
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
    ),
    Bench(
        "hub.stranger_requests",
        "What a stranger's request costs",
        "Processor time of the hub's loop for one request, where the bytes are there and where the page must be made.",
    ),
    Bench(
        "hub.results",
        "Durable results with receipt",
        "Signed results from many tables into a real hub process: checked, judged again, in the ledger, acknowledged. "
        "The generator runs on the same two cores.",
        needs=("mosquitto", "redis-server"),
        remark="Runs of the same code differ by a quarter from one hour to the next: half an hour before these, when "
        "mosquitto alone answered 19,900 a second, all six were met (5,794 and 5,037 with SQLite, 5,611 and 4,136 with "
        "Redis). Behind mosquitto the hub is the slowest part: of its time paho takes a third, checking and unpacking "
        "the result a quarter, the store a quarter. A whole game costs more than an entered score, as its file is "
        "unpacked and held against what the result says. A client of our own would save a quarter, see "
        "decisions/0001-parts.md.",
    ),
    Bench(
        "hub.reconnect",
        "A thousand tables come back at once",
        "All connect to the embedded broker in the same moment, each with a result that the hub does not have.",
    ),
    Bench(
        "hub.live",
        "A hundred live tables, two hundred browsers",
        "Each table tells its clock once a second and at each press; each browser listens to the page's events.",
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
    ),
)
