"""The witnesses that somebody trusts, and how many of them must have seen a head: keys with a number, or a policy as a
federation publishes it (https://c2sp.org/tlog-policy).

`hub/web/static/verify.js` reads the same: a change here belongs there too.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from flagfall.base.errors import Invalid
from flagfall.link.signed_note import COSIGNS, Checkpoint, VerifierKey, read_key

LARGEST_BYTES = 100_000
# Of logs, witnesses and groups, each.
_MOST = 64
_NONE = "none"
_DECIMAL = re.compile(r"[1-9][0-9]{0,3}")
# The octets that a policy may have, as characters of Latin-1: it is a file of octets.
_OCTETS = re.compile(r"[\t\n\x20-\x7e\x80-\xff]*")


@dataclass(frozen=True, slots=True)
class Group:
    """Members of which `least` must have seen a head. A member is the name of a witness or of a group before it."""

    least: int
    members: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PolicyWitness:
    """A witness of a policy. `url` is where it takes heads, "" if the policy does not say."""

    key: VerifierKey
    url: str = ""


@dataclass(frozen=True, slots=True)
class Policy:
    """Witnesses by their names in the policy, groups in the order of the file, and the member that must have seen a
    head; `quorum` "none": nobody must."""

    witnesses: dict[str, PolicyWitness]
    groups: dict[str, Group]
    quorum: str
    # The keys of the records that it is for; () for any.
    logs: tuple[VerifierKey, ...] = ()

    @property
    def keys(self) -> tuple[VerifierKey, ...]:
        return tuple(witness.key for witness in self.witnesses.values())

    def holds(self, seen_by: Collection[VerifierKey]) -> bool:
        """Return whether enough witnesses have seen a head."""
        seen = {name for name, witness in self.witnesses.items() if witness.key in seen_by} | {_NONE}
        for name, group in self.groups.items():
            if sum(member in seen for member in group.members) >= group.least:
                seen.add(name)
        return self.quorum in seen

    def expect_key(self, head: Checkpoint, key: VerifierKey) -> None:
        """Raise Invalid if this is the hub's own key, or the record is none of the policy's."""
        if any(witness.public == key.public for witness in self.keys):
            raise Invalid("policy", "witnesses other than the hub itself", key.name)
        logs = self.logs
        if logs and not any(log.public == key.public and log.name in (head.origin, key.name) for log in logs):
            raise Invalid("policy", "a policy for this record, it names other ones", head.origin[:120])


def policy_of(keys: Sequence[str], at_least: int | None = None) -> Policy:
    """Return the policy that so many of these witnesses must have seen a head, by default all. Invalid for a line that
    is no key, for a key that comes twice, and for a number that they are not."""
    witnesses: dict[str, PolicyWitness] = {}
    for number, line in enumerate(keys, 1):
        _add_witness(witnesses, str(number), read_key(line, COSIGNS))
    least = len(witnesses) if at_least is None else at_least
    if not 1 <= least <= len(witnesses):
        raise Invalid(
            "--at-least", f"a number from 1 to {len(witnesses)}, as there are witnesses", str(least)
        )
    return Policy(witnesses, {"all": Group(least, tuple(witnesses))}, "all")


def read_policy(content: bytes) -> Policy:
    """Return the policy of a file. Invalid names the line."""
    # A copy by an editor counts, with a byte order mark and with other line ends.
    text = content.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n").decode("latin-1")
    if len(content) > LARGEST_BYTES or not _OCTETS.fullmatch(text):
        raise Invalid("policy", f"a text of {LARGEST_BYTES // 1000} kB at most, without control characters")
    witnesses: dict[str, PolicyWitness] = {}
    groups: dict[str, Group] = {}
    logs: list[VerifierKey] = []
    quorum: str | None = None
    members: set[str] = set()
    for number, words in _lines(text):
        try:
            match words:
                case ["log", key] | ["log", key, _]:
                    logs.append(_log(key, logs))
                case ["witness", name, key, *rest] if len(rest) <= 1:
                    _expect_new(name, witnesses, groups)
                    _add_witness(witnesses, name, read_key(key, COSIGNS), *rest)
                case ["group", name, least, *names] if names:
                    _expect_new(name, witnesses, groups)
                    groups[name] = _group(least, names, {*witnesses, *groups}, members)
                case ["quorum", name] if quorum is None:
                    if name not in {*witnesses, *groups, _NONE}:
                        raise Invalid("quorum", "a name of a line before it, or none", repr(name[:80]))
                    quorum = name
                case _:
                    raise Invalid("", "log, witness, group, or one quorum", repr(" ".join(words)[:80]))
            if max(len(logs), len(witnesses), len(groups)) > _MOST:
                raise Invalid("", f"{_MOST} logs, witnesses and groups at most")
        except Invalid as fault:
            raise Invalid(f"policy, line {number}", fault.expected, fault.got) from None
    if quorum is None:
        raise Invalid("policy", "a line quorum NAME, there is none")
    return Policy(witnesses, groups, quorum, tuple(logs))


def _lines(text: str) -> Iterator[tuple[int, list[str]]]:
    for number, line in enumerate(text.split("\n"), 1):
        words = [word for word in re.split("[ \t]+", line) if word]
        if words and not words[0].startswith("#"):
            yield number, words


def _log(text: str, logs: Sequence[VerifierKey]) -> VerifierKey:
    key = read_key(text)
    if any(other.public == key.public for other in logs):
        raise Invalid("log", "each key once", key.name)
    return key


def _add_witness(witnesses: dict[str, PolicyWitness], name: str, key: VerifierKey, url: str = "") -> None:
    if any(other.key.public == key.public for other in witnesses.values()):
        raise Invalid("witness", "each key once", key.name)
    witnesses[name] = PolicyWitness(key, url)


def _expect_new(name: str, *known: Collection[str]) -> None:
    if name == _NONE or any(name in names for names in known):
        raise Invalid("", "a name that no line before it has", repr(name[:80]))


def _group(least: str, names: Sequence[str], known: Collection[str], members: set[str]) -> Group:
    count = {"any": "1", "all": str(len(names))}.get(least, least)
    if not _DECIMAL.fullmatch(count) or int(count) > len(names):
        raise Invalid("group", f"any, all or a number from 1 to {len(names)}", repr(least[:80]))
    for name in names:
        if name not in known or name in members:
            raise Invalid("group", "names of lines before it, each in one group", repr(name[:80]))
        members.add(name)
    return Group(int(count), tuple(names))
