"""A witness as the hub asks it, over HTTP. A thread of its own waits for the answer, so that nothing else does."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import urllib.error
import urllib.request
from collections.abc import Iterable
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path

from flagfall.base.errors import FlagfallError, Invalid, why_unreached
from flagfall.link.add_checkpoint import ADDRESS, AddCheckpoint
from flagfall.link.signed_note import COSIGNS, MOST_WITNESSES, VerifierKey, read_key
from hub.proof.policy import read_policy

# Time for each step of the network, and for the whole answer.
STEP_S, ANSWER_S = 10.0, 30.0
_LARGEST_BYTES = 16_384


class Away(FlagfallError):
    """The reason in one line why there was no answer."""


def witnesses_of(addresses: Iterable[tuple[str, str]], policy: Path | None) -> tuple[Witness, ...]:
    """Return the witnesses at these addresses with these keys, and those of a policy that have an address. Invalid for
    a file that is no policy, and for too many witnesses."""
    listed = [(url, read_key(key, COSIGNS)) for url, key in addresses]
    if policy is not None:
        try:
            content = policy.read_bytes()
        except OSError as fault:
            raise Invalid("witness_policy", f"a readable file: {policy}: {fault.strerror}") from None
        try:
            named = read_policy(content).witnesses.values()
        except Invalid as fault:
            raise fault.of(policy) from None
        known = {key.public for _, key in listed}
        listed += [(of.url, of.key) for of in named if of.url and of.key.public not in known]
    if len({key.name for _, key in listed}) != len(listed) or len(listed) > MOST_WITNESSES:
        raise Invalid("witnesses", f"{MOST_WITNESSES} at most, each with a name of its own", str(len(listed)))
    return tuple(Witness(url.rstrip("/"), key) for url, key in listed)


@dataclass(frozen=True, slots=True)
class Answer:
    """The status of HTTP, and the text."""

    status: int
    text: str


@dataclass(eq=False)
class Witness:
    """A witness at its address."""

    url: str
    key: VerifierKey

    def __post_init__(self) -> None:
        self._waits = False

    @property
    def name(self) -> str:
        return self.key.name

    async def ask(self, request: AddCheckpoint) -> Answer:
        """Return the witness's answer. Away without one, and while it is still waited for the one before."""
        if self._waits:
            raise Away("it has not answered yet")
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[Answer | Away] = loop.create_future()

        def put(outcome: Answer | Away) -> None:
            self._waits = False
            if not answer.done():
                answer.set_result(outcome)

        def work() -> None:
            outcome = self._post(request.body)
            with contextlib.suppress(RuntimeError):  # the hub has ended
                loop.call_soon_threadsafe(put, outcome)

        self._waits = True
        # The hub's end does not wait for it.
        threading.Thread(target=work, name=f"witness {self.name}", daemon=True).start()
        try:
            async with asyncio.timeout(ANSWER_S):
                outcome = await answer
        except TimeoutError:
            raise Away(f"no answer within {ANSWER_S:g} s") from None
        if isinstance(outcome, Away):
            raise outcome
        return outcome

    def _post(self, body: bytes) -> Answer | Away:
        headers = {"Content-Type": "text/plain; charset=utf-8", "User-Agent": "flagfall-hub"}
        try:
            # A policy may name an address that is no URL.
            asked = urllib.request.Request(f"{self.url}{ADDRESS}", body, headers)
            with urllib.request.urlopen(asked, timeout=STEP_S) as answer:
                return Answer(answer.status, answer.read(_LARGEST_BYTES).decode("utf-8", "replace"))
        except urllib.error.HTTPError as refused:
            try:
                with refused:
                    return Answer(refused.code, refused.read(_LARGEST_BYTES).decode("utf-8", "replace"))
            except (OSError, HTTPException) as fault:
                return Away(f"cannot be reached: {why_unreached(fault)}")
        except (OSError, ValueError, HTTPException) as fault:
            return Away(f"cannot be reached: {why_unreached(fault)}")
