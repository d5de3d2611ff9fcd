"""Proofs whose head witnesses have cosigned: what one checker says, every checker says."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

from flagfall.ledger.entry import canonical
from flagfall.link.cosignature import cosignature
from flagfall.link.keys import public_key, signature_of
from flagfall.link.signed_note import COSIGNS, VerifierKey, read_signatures, split_note
from helpers.kept_cases import Record
from helpers.proof_cases import HUB_KEY, NAME, VKEY, Case, proof, put

KEYS = {"north": b"n" * 32, "south": b"s" * 32, "east": b"e" * 32}
TIME_S = 1_700_000_000
LINES = {name: str(VerifierKey(f"{name}.example", public_key(key), COSIGNS)) for name, key in KEYS.items()}
NORTH, SOUTH, EAST = LINES.values()
HUB_RECORD = str(VerifierKey(f"{NAME}/open", public_key(HUB_KEY)))


def cosign(note: str, *names: str, time_s: int = TIME_S) -> str:
    """Return the note with the cosignatures of these witnesses."""
    text = split_note(note)[0]
    return note + "".join(cosignature(text, f"{name}.example", KEYS[name], time_s) for name in names)


def with_note(content: bytes, change: Callable[[str], str]) -> bytes:
    """Return the proof with another text of its head, not signed anew."""
    made = json.loads(content)
    return canonical({**made, "checkpoint": change(made["checkpoint"])}) + b"\n"


def seen(*names: str, content: bytes | None = None) -> bytes:
    """Return a proof whose head these witnesses have seen."""
    return with_note(content or proof(), lambda note: cosign(note, *names))


def policy(*lines: str) -> str:
    return "".join(f"{line}\n" for line in lines)


THREE = (f"witness n {NORTH}", f"witness\ts  {SOUTH}\thttps://south.example ", f"witness e {EAST}")


def cases_with_witnesses() -> Iterator[Case]:
    """Yield every case; names are unique."""
    yield from _with_keys()
    yield from _with_policies()
    yield from _forgeries()


def _with_keys() -> Iterator[Case]:
    two = seen("north", "south")
    yield Case("two witnesses, nobody asks", two, True)
    yield Case("two witnesses, one is asked for", two, True, witnesses=NORTH, seen_by=1)
    yield Case("two witnesses, both are asked for", two, True, witnesses=f"{NORTH}\n{SOUTH}\n", seen_by=2)
    all_three = f"{NORTH}\n{SOUTH}\n{EAST}\n"
    yield Case("one is away, all are asked for", two, False, witnesses=all_three)
    for number, holds in (("2", True), ("1", True), ("3", False), ("4", False), ("0", False), ("-1", False)):
        yield Case(
            f"one is away, at least {number}",
            two,
            holds,
            witnesses=all_three,
            at_least=number,
            seen_by=2 if holds else None,
        )
    yield Case("no witness has seen it", proof(), False, witnesses=NORTH)
    for name, keys in {
        "one twice": f"{NORTH}\n{NORTH}\n",
        "one under two names": f"{NORTH}\n{VerifierKey('other', public_key(KEYS['north']), COSIGNS)}\n",
        "the hub's key": VKEY,
        "the hub as its own witness": str(VerifierKey(NAME, public_key(HUB_KEY), COSIGNS)),
        "a key of small order": str(VerifierKey("w", bytes(32), COSIGNS)),
        "no key": "north.example",
    }.items():
        yield Case(f"witnesses: {name}", two, False, witnesses=keys)
    # The hub's key may cosign too, but that is the hub's word.
    itself = with_note(
        proof(), lambda note: note + cosignature(split_note(note)[0], "hub.example", HUB_KEY, TIME_S)
    )
    vkey = str(VerifierKey("hub.example", public_key(HUB_KEY), COSIGNS))
    yield Case("witnesses: the hub under another name", itself, False, witnesses=vkey)
    notes: dict[str, tuple[Callable[[str], str], bool]] = {
        "of nothing o'clock": (lambda note: cosign(note, "north", time_s=0), False),
        "at the end of time": (lambda note: cosign(note, "north", time_s=2**63 - 1), True),
        "after the end of time": (lambda note: cosign(note, "north", time_s=2**63), False),
        "twice": (lambda note: cosign(cosign(note, "north"), "north", time_s=1), True),
        "a good one and a bad one": (lambda note: cosign(note, "north") + _elsewhere(note, "north"), False),
        "of another head": (lambda note: note + _elsewhere(note, "north"), False),
        "of the text without a time": (lambda note: note + _plain(note), False),
        "of one that nobody asks for, bad": (
            lambda note: cosign(note, "north") + _elsewhere(note, "south"),
            True,
        ),
        "that is cut": (lambda note: note + _cut(note), False),
        "among sixteen": (lambda note: cosign(note, "north") + "\N{EM DASH} x AAAAAAAA\n" * 14, True),
        "among seventeen": (lambda note: cosign(note, "north") + "\N{EM DASH} x AAAAAAAA\n" * 15, False),
    }
    for name, (change, holds) in notes.items():
        content = with_note(proof(), change)
        yield Case(f"a cosignature {name}", content, holds, witnesses=NORTH, seen_by=1 if holds else None)


def _elsewhere(note: str, name: str) -> str:
    """Return the cosignature of another head."""
    return cosignature(
        note.replace("\n5\n", "\n6\n").partition("\n\n")[0] + "\n", f"{name}.example", KEYS[name], 1
    )


def _plain(note: str) -> str:
    key = VerifierKey("north.example", public_key(KEYS["north"]), COSIGNS)
    return key.line(TIME_S.to_bytes(8) + signature_of(split_note(note)[0].encode(), KEYS["north"]))


def _cut(note: str) -> str:
    key = VerifierKey("north.example", public_key(KEYS["north"]), COSIGNS)
    (signature,) = read_signatures(cosign(note, "north").splitlines()[-1])
    return key.line(signature.content[:-1])


def _with_policies() -> Iterator[Case]:
    two = seen("north", "south")
    good = {
        "one witness": (policy(THREE[0], "quorum n"), 1),
        "nobody": (policy("quorum none"), 0),
        "nobody, and witnesses": (policy(*THREE, "quorum none"), 2),
        "any": (policy(*THREE, "group g any n s e", "quorum g"), 2),
        "two of three": (policy("# of a federation", "", *THREE, "group g 2 n s e", "quorum g"), 2),
        "groups of groups": (
            policy(*THREE, "group a any n e", "group b all s", "group c 2 a b", "quorum c"),
            2,
        ),
        "this record": (policy(f"log {HUB_RECORD}", *THREE, "group g 2 n s e", "quorum g"), 2),
        "this hub": (policy(f"log {VKEY} https://hall.example", *THREE, "quorum n"), 2),
        "other line ends": (policy(*THREE, "quorum n").replace("\n", "\r\n"), 2),
        "names of other letters": (policy(f"witness Ñörd {NORTH}", "group 北 any Ñörd", "quorum 北"), 1),
        "no last line end": (policy(*THREE, "quorum n").strip(), 2),
    }
    for name, (text, count) in good.items():
        yield Case(f"a policy of {name}", two, True, witnesses=text, seen_by=count)
    other_log = str(VerifierKey("flagfall/other", public_key(b"o" * 32)))
    bad = {
        "three of three": policy(*THREE, "group g all n s e", "quorum g"),
        "the one who is away": policy(*THREE, "quorum e"),
        "groups, one too few": policy(
            *THREE, "group a any n s", "group b all e", "group c all a b", "quorum c"
        ),
        "another hub": policy(f"log {other_log}", *THREE, "quorum n"),
        "another record": policy(
            f"log {VerifierKey(NAME + '/opem', public_key(HUB_KEY))}", *THREE, "quorum n"
        ),
        "the hub itself": policy(
            f"witness h {VerifierKey(NAME, public_key(HUB_KEY), COSIGNS)}", "quorum none"
        ),
        "no quorum": policy(*THREE),
        "two quorums": policy(*THREE, "quorum n", "quorum n"),
        "a name that comes later": policy("quorum n", *THREE),
        "a member that comes later": policy("group g any n", *THREE, "quorum g"),
        "a member twice": policy(*THREE, "group g 2 n n", "quorum g"),
        "a member of two groups": policy(*THREE, "group g any n", "group h any n", "quorum g"),
        "none as a member": policy(*THREE, "group g any none n", "quorum g"),
        "none as a name": policy(f"witness none {NORTH}", "quorum none"),
        "a group without members": policy(*THREE, "group g any", "quorum n"),
        "a group of nobody": policy(*THREE, "group g 0 n", "quorum g"),
        "a group of too many": policy(*THREE, "group g 2 n", "quorum g"),
        "a number with a plus": policy(*THREE, "group g +1 n", "quorum g"),
        "a number with a zero": policy(*THREE, "group g 01 n", "quorum g"),
        "a name twice": policy(THREE[0], f"witness n {SOUTH}", "quorum n"),
        "a key twice": policy(THREE[0], f"witness m {NORTH}", "quorum n"),
        "a log twice": policy(f"log {VKEY}", f"log {HUB_RECORD}", *THREE, "quorum n"),
        "the hub's kind of key": policy(f"witness h {VKEY}", "quorum h"),
        "a witness's kind of log": policy(f"log {NORTH}", THREE[1], "quorum s"),
        "another word": policy(*THREE, "mirror n", "quorum n"),
        "a capital": policy(*THREE, "Quorum n"),
        "a control character": policy(*THREE, "# \x07", "quorum n"),
        "too many words": policy(*THREE, "quorum n s"),
        "65 logs": policy(*map(_log, range(64)), f"log {VKEY}", *THREE, "quorum n"),
    }
    for name, text in bad.items():
        yield Case(f"a policy of {name}", two, False, witnesses=text)
    yield Case("a policy and a number", two, False, witnesses=policy(*THREE, "quorum n"), at_least="1")


def _log(number: int) -> str:
    return f"log {VerifierKey('x', public_key(number.to_bytes(32)))}"


def _forgeries() -> Iterator[Case]:
    """Yield what an organiser with all files of the hub can make, and what he cannot: a witness's cosignature."""
    forged = proof(
        message=put(score={"black": 64, "white": 0}), result=put(score=[64, 0]), table_key=b"f" * 32
    )
    honest = json.loads(seen("north"))["checkpoint"]
    yield Case("forged, no witness has seen it", forged, False, witnesses=NORTH)
    lines = honest[honest.rindex("\N{EM DASH}") :]
    stolen = with_note(forged, lambda note: note + lines)
    yield Case("forged, with the cosignature of the honest head", stolen, False, witnesses=NORTH)
    yield Case("forged, with the honest head", with_note(forged, lambda _: honest), False, witnesses=NORTH)
    # A split view: one witness was shown one record, and the other one the other.
    split = seen("south", content=forged)
    yield Case("split view, the witness of the other record", split, False, witnesses=NORTH)
    yield Case("split view, its own witness", split, True, witnesses=SOUTH, seen_by=1)
    yield Case("split view, both witnesses", split, False, witnesses=f"{NORTH}\n{SOUTH}\n")
    # A key that came late: after a head that was kept, and before the result.
    record = Record(proof(), more=3)
    for size, is_before in ((1, False), (2, True), (3, True)):
        yield Case(
            f"seen, and a head of {size} kept from {'after' if is_before else 'before'} the key",
            seen("north"),
            True,
            witnesses=NORTH,
            seen_by=1,
            kept=cosign(record.head(size), "north"),
            path=record.path(size, 5),
            in_kept=False,
            key_seen_by=1 if is_before else None,
        )
    bad = record.head(3) + _elsewhere(record.head(5), "north")
    yield Case("seen, and a kept head with a bad cosignature", seen("north"), False, witnesses=NORTH,
               kept=bad, path=record.path(3, 5))  # fmt: skip
    yield Case("seen, and a path that was swapped", seen("north"), False, witnesses=NORTH,
               kept=record.head(3), path=record.path(4, 5))  # fmt: skip
