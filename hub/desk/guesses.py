"""Patience with those who guess passwords, without a lock that anybody else could pull.

Tries are counted by address and name, and by address, before a password is looked at. A browser in which somebody has
signed in before is known by a cookie of its own: what strangers try under his name does not delay it. What all
strangers try together is looked at a few times a second, each address in turn: who comes to this hub for the first time
waits for one try of each other address.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
from collections.abc import Callable

from hub.limits import Abuse, Abuses, Bucket, Buckets

FREE_GUESSES = 5
PAUSE_S = 30
_OF_ADDRESS, _OF_ADDRESS_PAUSE_S = 20, 10
_OF_ALL, _OF_ALL_PER_S = 20, 2.0
# Addresses, with one try each; it takes them half a minute.
MOST_IN_LINE = 60
LONGEST_S = 35.0
COOKIE_S = 400 * 24 * 3600


class Guesses:
    """The counts of wrong passwords. `secret` signs the cookies of known browsers, whose name contains `hub`; instants
    are monotonic."""

    def __init__(self, now_ns: Callable[[], int], secret: bytes, abuses: Abuses, hub: str = "") -> None:
        self.cookie_name = f"flagfall-browser{hub}"
        self._now_ns = now_ns
        self._secret = secret
        self._abuses = abuses
        self._browsers = Buckets(FREE_GUESSES, 1 / PAUSE_S, now_ns)
        self._names = Buckets(FREE_GUESSES, 1 / PAUSE_S, now_ns)
        self._addresses = Buckets(_OF_ADDRESS, 1 / _OF_ADDRESS_PAUSE_S, now_ns)
        self._all = Bucket(_OF_ALL, _OF_ALL_PER_S, now_ns())
        self._in_line: set[str] = set()
        self._line = asyncio.Lock()

    async def wait_s(self, address: str, name: str, browser: str = "") -> int:
        """Return 0 if an attempt may be made now, which then counts; else the seconds to wait. `browser` is the
        request's cookie."""
        now_ns = self._now_ns()
        known = self._is_known(browser, name)
        if known:
            wanted = [self._browsers.of(browser)]
        else:
            wanted = [self._names.of(_key(address, name)), self._addresses.of(address)]
        wait_s = max(bucket.wait_s(1, now_ns) for bucket in wanted)
        if not wait_s:
            for bucket in wanted:
                bucket.take(1, now_ns)
            if known or await self._wait_for_turn(address):
                return 0
        self._abuses.note(Abuse.GUESSES, address)
        return int(wait_s) + 1

    async def _wait_for_turn(self, address: str) -> bool:
        """Wait until the earlier attempts of this address are over. Return False where one waits already, or too many
        of other addresses."""
        if address in self._in_line or len(self._in_line) >= MOST_IN_LINE:
            return False
        self._in_line.add(address)
        try:
            async with asyncio.timeout(LONGEST_S), self._line:
                while not self._all.take(1, self._now_ns()):
                    await asyncio.sleep(self._all.wait_s(1, self._now_ns()))
                return True
        except TimeoutError:
            return False
        finally:
            self._in_line.discard(address)

    def forget_attempts(self, address: str, name: str, browser: str = "") -> None:
        """Forget the earlier attempts: the password was right."""
        self._browsers.forget(browser)
        self._names.forget(_key(address, name))

    def forget(self, name: str) -> None:
        """Forget the earlier attempts under this name, wherever they came from; those of an address still count."""
        self._browsers.forget_those(lambda cookie: cookie.startswith(f"{_base64_name(name)}."))
        self._names.forget_those(lambda key: key.endswith(_key("", name)))

    def cookie(self, name: str, fresh: str) -> str:
        """Return the cookie for a browser in which `name` has signed in; `fresh` is an unguessable text."""
        content = f"{_base64_name(name)}.{fresh}"
        return f"{content}.{self._signature(content)}"

    def _is_known(self, cookie: str, name: str) -> bool:
        content, _, mark = cookie.rpartition(".")
        if len(cookie) > 500 or not hmac.compare_digest(mark.encode(), self._signature(content).encode()):
            return False
        return content.partition(".")[0] == _base64_name(name)

    def _signature(self, content: str) -> str:
        return hmac.new(
            self._secret, b"browser " + content.encode("utf-8", "replace"), hashlib.sha256
        ).hexdigest()


def _key(address: str, name: str) -> str:
    """Return the key of an attempt. Invented names take no more room than short ones."""
    return f"{address} {hashlib.sha256(name.encode('utf-8', 'replace')).hexdigest()[:16]}"


def _base64_name(name: str) -> str:
    return base64.urlsafe_b64encode(name.encode("utf-8", "replace")).decode()
