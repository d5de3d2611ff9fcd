"""Proofs with a head that was kept, and the path between both: what one checker says, every checker says."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from urllib.parse import quote

from flagfall.ledger.entry import canonical
from flagfall.ledger.merkle import Tree, consistency_path, inclusion_path, leaf_hash
from flagfall.link.signed_note import Checkpoint, read_key, sign_note
from helpers.proof_cases import HUB_KEY, NAME, VKEY, Case, encoded, proof, put
from hub.proof.kept_head import link_of_head


def short_link(hub: str, note: str) -> str:
    """Return the link of a QR code."""
    return "".join(link_of_head(hub, note, read_key(VKEY)))


def whole_link(hub: str, note: str) -> str:
    """Return a link as the codes of 0.3.1 have it, with the whole note behind `#`."""
    return f"{hub}/verify.html#{quote(note, safe='/+=')}"


class Record:
    """The record of a proof: its first entries, and `more` ones after them."""

    def __init__(self, content: bytes, more: int = 0, what: str = "other") -> None:
        made = json.loads(content)
        self.size = int(made["checkpoint"].split("\n")[1])
        leaves = [canonical({"other": number}) for number in range(self.size)]
        leaves += [canonical({what: number}) for number in range(self.size, self.size + more)]
        for part in ("result", "enrolment"):
            leaves[made[part]["index"]] = base64.b64decode(made[part]["entry"])
        self.hashes = [leaf_hash(leaf) for leaf in leaves]

    def tree(self, size: int) -> Tree:
        tree = Tree()
        for node in self.hashes[:size]:
            tree.add(node)
        return tree

    def head(self, size: int, origin: str = f"{NAME}/open", key: bytes = HUB_KEY) -> str:
        """Return the signed head of its first entries."""
        return sign_note(Checkpoint(origin, size, self.tree(size).root).text, NAME, key)

    def path(self, earlier: int, later: int) -> str:
        """Return the path between two heads, as the hub answers with it."""
        nodes = consistency_path(self.tree(later), earlier)
        return "".join(f"{encoded(node)}\n" for node in nodes)


def cases_with_heads() -> Iterator[Case]:
    """Yield the cases with a kept head: honest ones, and each way in which an organiser can have another record."""
    content = proof()
    record = Record(content, more=12)  # the proof is of its first 5 entries, the result is the fourth
    for size in (1, 2, 3, 4):
        name = f"a head of {size}, older than the proof's"
        path = record.path(size, 5)
        seen = 0 if 2 <= size < 4 else None
        yield Case(
            name, content, True, kept=record.head(size), path=path, in_kept=size >= 4, key_seen_by=seen
        )
        yield Case(f"{name}, without its path", content, False, kept=record.head(size), lacks_path=True)
        yield Case(f"{name}, with no hash", content, False, kept=record.head(size), path="")
    for size in (6, 8, 9, 16, 17):
        name = f"a head of {size}, newer than the proof's"
        path = record.path(5, size)
        yield Case(name, content, holds=True, kept=record.head(size), path=path, in_kept=True)
        yield Case(f"{name}, without its path", content, False, kept=record.head(size), lacks_path=True)
    note, path = record.head(4), record.path(4, 5)
    for name, kept in {
        "a short link": short_link("http://hall.local:8080", note),
        "the end of a short link": short_link("", note),
        "a link": whole_link("http://hall.local:8080", note),
        "a link with all its signs escaped": "https://x/#"
        + "".join(f"%{byte:02x}" for byte in note.encode()),
        "a link with blanks around it": f" \r\n{whole_link('http://h', note)}\t\n",
        "other line ends": "\ufeff" + note.replace("\n", "\r\n"),
        "no last line end": note.strip(),
    }.items():
        yield Case(f"a kept head as {name}", content, holds=True, kept=kept, path=path, in_kept=True)
    for name, text in {
        "other line ends": path.replace("\n", "\r\n"),
        "a mark": "\ufeff" + path.strip(),
    }.items():
        yield Case(f"a path with {name}", content, holds=True, kept=note, path=text, in_kept=True)
    for name, given in {"none": None, "an empty one": ""}.items():
        yield Case(
            f"the proof's own head, path: {name}",
            content,
            True,
            kept=record.head(5),
            path=given,
            in_kept=True,
        )
    large = proof(size=1000, places=(600, 0))
    of_large = Record(large, more=5000)
    for size in (512, 601, 4096, 6000):
        path = of_large.path(*sorted((size, 1000)))
        yield Case(
            f"a large record and {size}",
            large,
            True,
            kept=of_large.head(size),
            path=path,
            in_kept=size > 600,
            key_seen_by=None if size > 600 else 0,
        )

    for by in ("device", "api", None):
        yield Case(f"enrolled by {by}", proof(enrolment=put(by=by)), holds=True)
    for other in ("hub", 1, ["device"]):
        yield Case(f"enrolled by {other}", proof(enrolment=put(by=other)), holds=False)

    # Whoever has the hub's files makes a record with an invented table's key and another score.
    forged = proof(
        message=put(score={"black": 64, "white": 0}), result=put(score=[64, 0]), table_key=b"f" * 32
    )
    forgery = Record(forged, more=12)
    yield Case("forged: nothing was kept", forged, holds=True)
    yield Case("forged: without a path", forged, False, kept=record.head(4), lacks_path=True)
    yield Case("forged: of the same size (split view)", forged, holds=False, kept=record.head(5))
    yield Case("forged: its own head", forged, holds=True, kept=forgery.head(5), in_kept=True)
    for size in (2, 4, 8, 9):
        for name, of in {"its own": forgery, "the honest": record}.items():
            path = of.path(*sorted((size, 5)))
            name = f"forged: {name} path, and {size} kept"
            yield Case(name, forged, holds=False, kept=record.head(size), path=path)
    # A hub that was restored from a backup of 7 entries has gone on from there; 9 were kept before.
    restored = proof(size=7)
    after, before = Record(restored, more=6, what="after"), Record(restored, more=6)
    for name, of in {"after": after, "before": before}.items():
        yield Case(
            f"rollback: the path of the record {name}, to a newer head that was kept",
            proof(size=7),
            holds=of is before,
            kept=before.head(9),
            path=of.path(7, 9),
            in_kept=True if of is before else None,
        )
    late = _proof_at(after, restored)
    yield Case("rollback: a later proof", late, False, kept=before.head(9), path=after.path(9, 13))
    yield Case("rollback: a later proof, what was kept before it", late, True, kept=before.head(7),
               path=after.path(7, 13), in_kept=True)  # fmt: skip
    lines = record.path(3, 17).splitlines()
    seventeen = record.head(17)
    for name, text in {
        "of other heads": record.path(3, 17),
        "turned": "\n".join(reversed(record.path(5, 17).splitlines())),
        "without its last hash": "\n".join(record.path(5, 17).splitlines()[:-1]),
        "with a hash more": record.path(5, 17) + lines[0],
        "of 64 hashes": f"{lines[0]}\n" * 64,
        "of 63 hashes": f"{lines[0]}\n" * 63,
        "with a short hash": record.path(5, 17) + "AAAA\n",
        "with an empty line": record.path(5, 17).replace("\n", "\n\n", 1),
        "in another form": '{"path":[]}',
        "as a page": "<!doctype html>\n<p>404</p>\n",
    }.items():
        yield Case(f"a path {name}", content, holds=False, kept=seventeen, path=text)
    yield Case(
        "a path where none is needed", content, holds=False, kept=record.head(5), path=record.path(4, 5)
    )
    for name, kept in {
        "nothing": "",
        "another text": "kept",
        "no signature": note.partition("\n\n")[0] + "\n\n",
        "another key's": record.head(4, key=b"x" * 32),
        "another event's": record.head(4, origin=f"{NAME}/opem"),
        "another hub's": record.head(4, origin="flagfall/hell/open"),
        "a changed size": note.replace("\n4\n", "\n3\n"),
        "a record of nothing": sign_note(f"{NAME}/open\n0\n{encoded(bytes(32))}\n", NAME, HUB_KEY),
        "a link without a head": "http://hall.local:8080/verify.html#",
        "a link that is cut": whole_link("http://h", note)[:-20],
        "a link that is cut in an escape": whole_link("http://h", note).partition("%94")[0] + "%9",
        "a short link that is cut": short_link("http://h", note)[:-1],
        "a short link with a digit more": short_link("http://h", note) + "0",
        "a short link of another size": short_link("http://h", note).replace("/4/", "/3/"),
        "a short link of another event": short_link("http://h", note).replace("#open/", "#opem/"),
        "a short link with another number": short_link("http://h", note)[:-1] + "x",
        "a short link with a number that is too large": "http://h/v#open/4/" + "9" * 232,
        "a short link with no number": "http://h/v#open/4/" + "0" * 232,
        "a short link with half a letter": short_link("http://h", note).replace("#open", "#%e2%80"),
        "a link with half a letter": "http://h/#%e2%80",
        "a link without escapes": "http://h/#" + note.replace("\n", " "),
    }.items():
        yield Case(f"a kept head: {name}", content, holds=False, kept=kept, path=record.path(4, 5))


def _proof_at(record: Record, content: bytes) -> bytes:
    """Return a proof of the same entries under the head of all of a record."""
    made, tree = json.loads(content), record.tree(len(record.hashes))
    for part in ("result", "enrolment"):
        made[part]["path"] = [encoded(node) for node in inclusion_path(tree, made[part]["index"])]
    made["checkpoint"] = record.head(len(record.hashes))
    return canonical(made) + b"\n"
