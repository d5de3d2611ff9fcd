"""A witness written from the specifications alone (c2sp.org/tlog-witness, tlog-cosignature, RFC 6962), with nothing of
ours: what ours sends must please it."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey


def _key_id(name: str, kind: bytes, public: bytes) -> bytes:
    return hashlib.sha256(name.encode() + b"\n" + kind + public).digest()[:4]


def _root(leaves: int, proof: list[bytes], old: int, known: bytes, seed: bool) -> tuple[bytes, bytes]:
    """Return the roots of the old and the new tree that a consistency proof leads to (RFC 6962, 2.1.2, turned)."""
    if old == leaves:
        node = known if seed else proof.pop()
        return node, node
    split = 1 << (leaves - 1).bit_length() - 1
    right = proof.pop()  # the last hash is the nearest to the root
    if old <= split:
        first, second = _root(split, proof, old, known, seed)
        return first, hashlib.sha256(b"\1" + second + right).digest()
    first, second = _root(leaves - split, proof, old - split, known, False)
    return tuple(hashlib.sha256(b"\1" + right + node).digest() for node in (first, second))  # type: ignore


class FortyLineWitness(ThreadingHTTPServer):
    """The server; `logs` has the public keys by key name and origin, `heads` the last sizes and roots by origin."""

    def __init__(self, name: str, seed: bytes) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.name, self.key = name, Ed25519PrivateKey.from_private_bytes(seed)
        self.logs: dict[tuple[str, str], bytes] = {}
        self.heads: dict[str, tuple[int, bytes]] = {}
        self.answering: Callable[[str], tuple[int, str]] = self.answer

    def answer(self, body: str) -> tuple[int, str]:
        request, note = body.split("\n\n", 1)
        first, *lines = request.split("\n")
        text, signatures = note[: note.rindex("\n\n") + 1], note[note.rindex("\n\n") + 2 :]
        origin, size, root, *_ = text.split("\n")
        for line in signatures.splitlines():
            _, name, encoded = line.split(" ")
            public, signed = self.logs.get((name, origin)), base64.b64decode(encoded)
            if public is not None and signed[:4] == _key_id(name, b"\1", public):
                Ed25519PublicKey.from_public_bytes(public).verify(signed[4:], text.encode())
                break
        else:
            return 403 if any(known == origin for _, known in self.logs) else 404, ""
        old, head = int(first.removeprefix("old ")), (int(size), base64.b64decode(root))
        last = self.heads.get(origin, (0, b""))
        if old != last[0]:
            return 409, f"{last[0]}\n"
        if old:
            proof = [base64.b64decode(line) for line in lines]
            if _root(head[0], proof, old, last[1], True) != (last[1], head[1]) or proof:
                return 422, ""
        self.heads[origin] = head
        message = f"cosignature/v1\ntime 1700000000\n{text}".encode()
        signature = (1_700_000_000).to_bytes(8, "big") + self.key.sign(message)
        key_id = _key_id(self.name, b"\4", self.key.public_key().public_bytes_raw())
        return 200, f"\u2014 {self.name} {base64.b64encode(key_id + signature).decode()}\n"


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        server: Any = self.server
        status, text = server.answering(self.rfile.read(int(self.headers["Content-Length"])).decode())
        self.send_response(status if self.path == "/add-checkpoint" else 404)
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_: object) -> None:
        pass
