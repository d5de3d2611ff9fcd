"""Proofs made of nothing but keys, good ones and bad ones: what one checker takes, every checker takes."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from flagfall.ledger.entry import canonical
from flagfall.ledger.merkle import Tree, inclusion_path, leaf_hash
from flagfall.link.keys import public_key, signature_of
from flagfall.link.signed_note import Checkpoint, VerifierKey, sign_note

HUB_KEY, TABLE_KEY = b"h" * 32, b"t" * 32
NAME = "flagfall/hall"
VKEY = str(VerifierKey(NAME, public_key(HUB_KEY)))
ORDER = 2**252 + 27742317777372353535851937790883648493
FILE = '{"black":{"id":"p1","name":"Ånn 🙂"},"white":{"id":"p2","name":"Bo"}}\n{"t":1}\n'
MESSAGE: dict[str, Any] = {
    "v": 2,
    "game": "1-1-a",
    "device": "t1",
    "tournament": "open",
    "hub": public_key(HUB_KEY).hex(),
    "players": {"black": "p1", "white": "p2"},
    "score": {"black": 40, "white": 24},
    "winner": "black",
    "reason": "board",
    "transcript": "f5d6",
    "signatures": {"black": True, "white": True},
    "sha256": hashlib.sha256(FILE.encode()).hexdigest(),
    "incidents": [{"at": 1.5}],
}
Change = Callable[[Any], Any]


def same(value: Any) -> Any:
    return value


def signature(text: bytes, key: bytes = TABLE_KEY) -> str:
    return base64.b64encode(signature_of(b"flagfall/2/result\n" + text, key)).decode()


def encoded(content: bytes) -> str:
    return base64.b64encode(content).decode()


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def proof(
    *,
    message: Change = same,
    result: Change = same,
    enrolment: Change = same,
    result_leaf: Change = same,
    enrolment_leaf: Change = same,
    note: Change = same,
    whole: Change = same,
    size: int = 5,
    places: tuple[int, int] = (3, 1),
    table_key: bytes = TABLE_KEY,
) -> bytes:
    """Return a proof, signed anew after each change. A change returns a value or the text of its JSON; that of a leaf
    may return bytes, and so may that of the `whole`."""
    told = _text(message(MESSAGE))
    signed = signature(told.encode("utf-8", "surrogatepass"), table_key)
    body = result(
        {"device": "t1", "score": [40, 24], "signature": signed, "message": told, "reason": "board"}
    )
    enrolled = enrolment({"device": "t1", "public_key": public_key(table_key).hex()})
    entry = {"id": "x", "at": "now", "who": "t1", "tournament": "open", "previous": "", "hash": ""}
    leaves = [canonical({"other": number}) for number in range(size)]
    for place, made in zip(
        places,
        (
            result_leaf({**entry, "type": "result_received", "version": 2, "body": _text(body)}),
            enrolment_leaf({**entry, "type": "device_enrolled", "version": 1, "body": _text(enrolled)}),
        ),
        strict=True,
    ):
        leaves[place] = made if isinstance(made, bytes) else _text(made).encode("utf-8", "surrogatepass")
    tree = Tree()
    for leaf in leaves:
        tree.add(leaf_hash(leaf))
    head = Checkpoint(f"{NAME}/open", size, tree.root).text

    def proven(place: int) -> dict[str, Any]:
        path = [encoded(node) for node in inclusion_path(tree, place)]
        return {"entry": encoded(leaves[place]), "index": place, "path": path}

    made = whole(
        {
            "format": "flagfall-proof/1",
            "game": "1-1-a",
            "result": proven(places[0]),
            "enrolment": proven(places[1]),
            "checkpoint": note(sign_note(head, NAME, HUB_KEY)),
        }
    )
    return made if isinstance(made, bytes) else canonical(made) + b"\n"


@dataclass(frozen=True)
class Case:
    """A proof file, the key that it is checked with, and whether it holds; with a kept head and a path, too, whether
    the result was in that head, and whether the answer is that the path is missing."""

    name: str
    content: bytes
    holds: bool
    key: str = VKEY
    kept: str | None = None
    path: str | None = None
    in_kept: bool | None = None
    lacks_path: bool = False
    # Keys of witnesses, one on each line, or a policy; how many of them are asked for; how many have seen the head.
    witnesses: str | None = None
    at_least: str | None = None
    seen_by: int | None = None
    # How many have seen that the table's key came before the result; None where no head shows that it did.
    key_seen_by: int | None = None

    @property
    def answer(self) -> str:
        """What every checker says."""
        if self.lacks_path:
            return "path missing"
        if not self.holds:
            return "refused"
        return answer_of(self.in_kept, self.seen_by, self.key_seen_by)


def answer_of(in_kept: bool | None, seen_by: int | None, key_seen_by: int | None) -> str:
    """Return what a checker says of a proof that holds."""
    level = {None: "the hub says so", True: "in it", False: "later"}[in_kept]
    level += "" if seen_by is None else f", seen by {seen_by}"
    return level if key_seen_by is None else f"{level}, the key came before, seen by {key_seen_by}"


def put(**fields: Any) -> Change:
    return lambda value: {**value, **fields}


def without(name: str) -> Change:
    return lambda value: {key: part for key, part in value.items() if key != name}


def in_text(old: str, new: str) -> Change:
    return lambda value: _text(value).replace(old, new, 1)


def in_bytes(old: bytes, new: bytes) -> Change:
    return lambda value: (canonical(value) + b"\n").replace(old, new, 1)


def _with_s(change: Callable[[int], int]) -> Change:
    """Return the change of the result's signature by that of its S."""

    def changed(body: Any) -> Any:
        whole = base64.b64decode(body["signature"])
        other = change(int.from_bytes(whole[32:], "little"))
        return {**body, "signature": encoded(whole[:32] + other.to_bytes(32, "little"))}

    return changed


def _nested(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


def _note_of(text: str) -> Change:
    return lambda _: sign_note(text, NAME, HUB_KEY)


def _vkey(name: str, public: bytes) -> str:
    data = b"\x01" + public
    return f"{name}+{hashlib.sha256(name.encode() + bytes([10]) + data).hexdigest()[:8]}+{encoded(data)}"


def cases() -> Iterator[Case]:
    """Yield every case; names are unique."""
    good = {
        "plain": proof(),
        "a game file": proof(whole=put(file=FILE)),
        "a record of two": proof(size=2, places=(1, 0)),
        "a large record": proof(size=1000, places=(999, 0)),
        "another field in the message": proof(message=put(later={"x": [None, "é", 1e300]})),
        "a whole number as a decimal": proof(message=in_text('"black":40', '"black":4.0e1')),
        "minus nothing": proof(
            message=put(score={"black": 64, "white": 0}),
            result=lambda body: in_text("[40,24]", "[64,-0]")(body),
        ),
        "a number beyond doubles in another field": proof(message=in_text('"v":2', '"v":2,"x":1e999')),
        "a number of 5000 digits in another field": proof(
            message=in_text('"v":2', '"v":2,"x":' + "9" * 5000)
        ),
        "a name twice": proof(message=in_text('"v":2', '"v":1,"v":2')),
        "blanks in the message": proof(message=in_text('"v":2', '"v" :\t2\r\n')),
        "escapes in the message": proof(message=in_text('"reason":"board"', '"reas\\u006fn":"bo\\u0061rd"')),
        "no winner": proof(message=put(winner=None)),
        "a reason that nobody knows": proof(message=put(reason="__proto__")),
        "__proto__ in the message": proof(message=in_text('"v":2', '"v":2,"__proto__":{"black":1}')),
        "the depth that is allowed": proof(message=put(deep=_nested(63))),
        "brackets in a text": proof(message=put(deep="[" * 100 + '"' + "{" * 100)),
        "a second signature": proof(note=lambda note: note + "\N{EM DASH} other/hub AAAAAAAA\n"),
        "further lines in the head": proof(
            note=lambda note: _note_of(note.partition("\n\n")[0] + "\nmore\n")(note)
        ),
        "a head with other line ends": proof(note=lambda note: note.replace("\n", "\r\n")),
        "a head with an empty line more": proof(note=lambda note: note + "\n"),
        "players without names": _with_file('{"black":{},"white":{}}\n'),
        "a file of one line": _with_file('{"black":{"name":""},"white":{"name":"W"}}'),
    }
    for name, content in good.items():
        yield Case(name, content, holds=True)
    yield Case("blanks around the key", proof(), holds=True, key=f" {VKEY}\r\n")
    for name, content in _bad().items():
        yield Case(name, content, holds=False)
    for name, key in _bad_keys().items():
        yield Case(name, proof(), holds=False, key=key)


def _with_file(text: str) -> bytes:
    digest = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
    return proof(message=put(sha256=digest), whole=put(file=text))


def _bad() -> dict[str, bytes]:
    made = {
        "nothing": b"",
        "null": b"null\n",
        "a list": b"[]\n",
        "no end of line": proof()[:-1],
        "a byte order mark": b"\xef\xbb\xbf" + proof(),
        "no UTF-8": proof().replace(b"1-1-a", b"1-1-\xff"),
        "blanks": proof().replace(b":", b": ", 1),
        "a large number of levels": b"[" * 100_000,
        "file: null": proof(whole=put(file=None)),
        "another file": proof(whole=put(file=FILE + " ")),
        "a file that is no text": proof(whole=put(file=[1])),
        "half of a pair in the file": proof(
            message=put(sha256=hashlib.sha256('{"black":{"name":"�"},"white":{}}'.encode()).hexdigest()),
            whole=lambda value: (canonical({**value, "file": "FILE"}) + b"\n").replace(
                b'"FILE"', b'"{\\"black\\":{\\"name\\":\\"\\ud800\\"},\\"white\\":{}}"'
            ),
        ),
        "half of a pair in the header": _with_file('{"black":{"name":"\\ud800"},"white":{}}'),
        "another field": proof(whole=put(more=1)),
        "another format": proof(whole=put(format="flagfall-proof/2")),
        "another game": proof(whole=put(game="1-1-b")),
        "a game that is a number": proof(message=put(game=5), whole=put(game=5)),
        "an index as a decimal": proof(whole=in_bytes(b'"index":3', b'"index":3.0')),
        "an index as a text": proof(whole=in_bytes(b'"index":3', b'"index":"3"')),
        "an index below": proof(whole=in_bytes(b'"index":3', b'"index":-1')),
        "a large index": proof(whole=in_bytes(b'"index":3', b'"index":9007199254740993')),
        "an index beyond doubles": proof(whole=in_bytes(b'"index":3', b'"index":1e999')),
        "a result before its enrolment": proof(places=(1, 3)),
        "no object as a result": proof(whole=put(result=[])),
        "a path that is no list": proof(
            whole=lambda value: {**value, "result": {**value["result"], "path": ""}}
        ),
        "a longer path": proof(
            whole=lambda value: {
                **value,
                "result": {**value["result"], "path": [*value["result"]["path"], encoded(bytes(32))]},
            }
        ),
        "an empty entry": proof(whole=lambda value: {**value, "result": {**value["result"], "entry": ""}}),
        "another field of an entry": proof(
            whole=lambda value: {**value, "result": {**value["result"], "x": 1}}
        ),
        "names that look like all fields": proof(
            whole=lambda value: {**value, "result": {"entry,index": 1, "path": value["result"]["path"]}}
        ),
        "S above the order": proof(result=_with_s(lambda scalar: scalar + ORDER)),
        "no S": proof(result=_with_s(lambda scalar: 0)),
        "a signature in other base64": proof(
            result=lambda body: {**body, "signature": body["signature"].replace("==", "")}
        ),
        "an empty signature": proof(result=put(signature="")),
        "a short signature": proof(result=put(signature="AAAA")),
        "the hub's signature": proof(
            table_key=HUB_KEY, enrolment=put(public_key=public_key(TABLE_KEY).hex())
        ),
        "an enrolment of another device": proof(enrolment=put(device="t2")),
        "a key in capitals": proof(enrolment=lambda body: {**body, "public_key": body["public_key"].upper()}),
        "a key with a blank": proof(enrolment=lambda body: {**body, "public_key": body["public_key"] + " "}),
        "a key of small order": _signed_by_everybody(),
        "an entry that is no UTF-8": proof(
            result_leaf=lambda leaf: canonical(leaf).replace(b'"who":"t1"', b'"who":"\xff"')
        ),
        "an entry with a byte order mark": proof(result_leaf=lambda leaf: b"\xef\xbb\xbf" + canonical(leaf)),
        "half of a pair in an entry": proof(result_leaf=in_text('"who":"t1"', '"who":"\\ud800"')),
        "an entry that is a list": proof(result_leaf=lambda leaf: "[]"),
        "an entry that is null": proof(enrolment_leaf=lambda leaf: "null"),
        "a version that is true": proof(enrolment_leaf=put(version=True)),
        "a version that is a text": proof(result_leaf=put(version="2")),
        "a body that is an object": proof(result_leaf=put(body={})),
        "a body that is no JSON": proof(result_leaf=put(body="{")),
        "a body that is too deep": proof(result=put(x=_nested(64))),
        "three scores": proof(result=put(score=[40, 24, 0])),
        "a score of 65": proof(message=put(score={"black": 65, "white": 24}), result=put(score=[65, 24])),
        "a score that is broken": proof(
            message=put(score={"black": 40.5, "white": 24}), result=put(score=[40.5, 24])
        ),
        "a score that is true": proof(
            message=put(score={"black": True, "white": 24}), result=put(score=[True, 24])
        ),
        "another score": proof(message=put(score={"black": 24, "white": 40})),
        "players in a list": proof(message=put(players=["p1", "p2"])),
        "signatures that are numbers": proof(message=put(signatures={"black": 1, "white": 1})),
        "a message with NaN": proof(message=in_text('"v":2', '"v":2,"x":NaN')),
        "a message with a raw line end": proof(message=in_text('"board"', '"bo\nard"')),
        "a message with another escape": proof(message=in_text('"board"', '"bo\\qard"')),
        "a message with a leading zero": proof(message=in_text('"v":2', '"v":2,"x":01')),
        "a message with a comma at its end": proof(message=lambda value: _text(value)[:-1] + ",}"),
        "a message with a byte order mark": proof(message=lambda value: "\ufeff" + _text(value)),
        "a message that is too deep": proof(message=put(x=_nested(64))),
        "half of a pair in the message": proof(message=in_text('"board"', '"\\udc00"')),
        "half of a pair in a name": proof(message=in_text('"v":2', '"v":2,"\\ud800":1')),
        "another version of the message": proof(message=put(v=3)),
        "another hub": proof(message=put(hub="0" * 64)),
        "another event": proof(message=put(tournament="other")),
        "an event of another head": proof(
            message=put(tournament="other"),
            result_leaf=put(tournament="other"),
            enrolment_leaf=put(tournament="other"),
        ),
        "a file of no header": _with_file("flagfall\n"),
        "a file without players": _with_file("{}\n"),
        "a file with a list of players": _with_file('{"black":[],"white":[]}\n'),
        "a name that is null": _with_file('{"black":{"name":null},"white":{}}\n'),
        "a name that is a number": _with_file('{"black":{"name":1},"white":{}}\n'),
        "an empty file": _with_file(""),
    }
    made |= {
        f"a message without {name}": proof(message=without(name)) for name in MESSAGE if name != "incidents"
    }
    made |= {
        f"a message with {name} of another kind": proof(message=put(**{name: [1]}))
        for name in MESSAGE
        if name != "incidents"
    }
    for name in ("device", "score", "signature", "message"):
        made[f"a result without {name}"] = proof(result=without(name))
        made[f"a result with null as {name}"] = proof(result=put(**{name: None}))
    for name in ("device", "public_key"):
        made[f"an enrolment without {name}"] = proof(enrolment=without(name))
    for name in ("type", "version", "tournament", "body"):
        made[f"an entry without {name}"] = proof(result_leaf=without(name))
        made[f"an enrolment's entry without {name}"] = proof(enrolment_leaf=without(name))
    for name in ("format", "game", "result", "enrolment", "checkpoint"):
        made[f"a proof without {name}"] = proof(whole=without(name))
    notes: dict[str, Change] = {
        "no signature": lambda note: note.partition("\n\n")[0] + "\n\n",
        "a line of signatures without a blank": lambda note: note.replace(" flagfall", "flagfall"),
        "a line of signatures with a blank more": lambda note: note[:-1] + " x\n",
        "another line end within it": lambda note: note.replace("\n", "\r", 1),
        "another line end of Unicode among the signatures": lambda note: note[:-1] + "\u2028\n",
        "a control character": lambda note: note.replace("open", "op\x01en"),
        "seventeen signatures": lambda note: note + "\N{EM DASH} a AAAAAAAA\n" * 16,
        "a long note": lambda note: "x" * 100_000 + "\n" + note,
        "another size": lambda note: note.replace("\n5\n", "\n6\n"),
        "a size with a zero before": lambda note: _note_of(
            note.partition("\n\n")[0].replace("\n5\n", "\n05\n") + "\n"
        )(note),
        "a size of nothing": lambda note: _note_of(
            note.partition("\n\n")[0].replace("\n5\n", "\n0\n") + "\n"
        )(note),
        "a short root": lambda note: _note_of(f"{NAME}/open\n5\nAAAA\n")(note),
        "no root": lambda note: _note_of(f"{NAME}/open\n5\n")(note),
        "one line": lambda note: _note_of(f"{NAME}/open\n")(note),
        "another origin": lambda note: _note_of(note.partition("\n\n")[0].replace("/open", "/opem") + "\n")(
            note
        ),
    }
    made |= {f"a head with {name}": proof(note=change) for name, change in notes.items()}
    return made


def _signed_by_everybody() -> bytes:
    """Return a proof whose table's key has small order: R is the neutral point and S 0, for any message."""
    neutral = bytes([1]) + bytes(31)
    return proof(result=put(signature=encoded(neutral + bytes(32))), enrolment=put(public_key=neutral.hex()))


def _bad_keys() -> dict[str, str]:
    public = public_key(HUB_KEY)
    prime = 2**255 - 19
    _, digits, data = VKEY.rsplit("+", 2)
    return {
        "no key": "",
        "a key without a name": _vkey("", public),
        "a key with a blank in its name": _vkey("a b", public),
        "a name with another letter": _vkey("flagfall/häll", public),
        "a name with an invisible letter": _vkey("flagfall/ha\u200bll", public),
        "another name": _vkey("flagfall/hell", public),
        "other digits": f"{NAME}+00000000+{data}",
        "digits in capitals": f"{NAME}+{digits.upper()}+{data}" if digits.upper() != digits else "x",
        "a short key": _vkey(NAME, public[:31]),
        "a key with padding": VKEY + "=",
        "another kind of key": f"{NAME}+{digits}+{encoded(bytes([2]) + public)}",
        "a hub's key of small order": _vkey(NAME, bytes(32)),
        "a hub's key in another form": _vkey(NAME, (prime + 3).to_bytes(32, "little")),
        "a blank of Unicode around the key": f"\u2003{VKEY}",
    }
