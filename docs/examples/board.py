"""A board in a hundred lines, from docs/board-protocol.md alone: `python docs/examples/board.py PORT`.

PORT becomes the name of its port. What lies on it is typed: `f5 black`, `f5 white`, `f5 -`.
"""

import os
import select
import struct
import sys
import time
import tty
import zlib
from pathlib import Path

HELLO, POSITION, FAULT, ASK_HELLO, ASK_POSITION = 1, 2, 5, 16, 17
STATES = {"-": 0, "black": 1, "white": 2}


def stuffed(payload: bytes) -> bytes:
    """Return the payload by COBS, for less than 254 bytes."""
    return b"".join(bytes([len(run) + 1]) + run for run in payload.split(b"\0")) + b"\0"


def unstuffed(piece: bytes) -> bytes:
    payload, at = b"", 0
    while at < len(piece) and piece[at]:
        payload, at = payload + b"\0" + piece[at + 1 : at + piece[at]], at + piece[at]
    return payload[1:]


class Board:
    def __init__(self) -> None:
        self.squares, self.sequence, self.piece, self.told_us = [0] * 64, 0, b"", 0
        self.changed_us = 0

    def put(self, line: str, now_us: int) -> None:
        """Take in a typed line; what is no such line is ignored."""
        square, _, state = line.strip().partition(" ")
        if len(square) == 2 and square[0] in "abcdefgh" and square[1] in "12345678" and state in STATES:
            self.squares["abcdefgh".index(square[0]) + 8 * (int(square[1]) - 1)] = STATES[state]
            self.changed_us = now_us

    def frame(self, kind: int, body: bytes, now_us: int) -> bytes:
        payload = struct.pack("<BHI", kind, self.sequence & 0xFFFF, now_us & 0xFFFFFFFF) + body
        self.sequence += 1
        return stuffed(payload + struct.pack("<I", zlib.crc32(payload)))

    def position(self, now_us: int) -> bytes:
        packed = sum(state << 2 * square for square, state in enumerate(self.squares)).to_bytes(16, "little")
        changed_us = max(self.changed_us, now_us - 2**30)
        self.told_us = now_us
        instants = struct.pack("<II", changed_us & 0xFFFFFFFF, now_us & 0xFFFFFFFF)
        return self.frame(POSITION, packed + instants, now_us)

    def work(self, now_us: int, received: bytes) -> bytes:
        """Take in the table's bytes; return what the board sends."""
        out = b""
        *pieces, self.piece = (self.piece + received).split(b"\0")
        self.piece = self.piece[-300:]
        for payload in map(unstuffed, pieces):
            if len(payload) >= 11 and zlib.crc32(payload[:-4]) == int.from_bytes(payload[-4:], "little"):
                if payload[0] == ASK_HELLO:
                    hello = struct.pack("<8sBBBI", b"EXAMPLE1", 1, 0, True, now_us // 1_000_000)
                    out += self.frame(HELLO, hello, now_us)
                elif payload[0] == ASK_POSITION:
                    out += self.position(now_us)
                else:
                    out += self.frame(FAULT, struct.pack("<BBh", 6, 255, payload[0]), now_us)
        return out if now_us - self.told_us < 50_000 else out + self.position(now_us)


def main() -> None:
    master, slave = os.openpty()
    tty.setraw(slave)
    os.set_blocking(master, False)
    port = Path(sys.argv[1])
    if port.is_symlink():
        port.unlink()
    port.symlink_to(os.ttyname(slave))
    board, inputs = Board(), [master, sys.stdin]
    while True:
        ready, _, _ = select.select(inputs, [], [], 0.01)
        now_us = time.monotonic_ns() // 1000
        if sys.stdin in ready:
            line = sys.stdin.readline()
            board.put(line, now_us)
            inputs = inputs if line else [master]
        out = board.work(now_us, os.read(master, 4096) if master in ready else b"")
        for frame in out.split(b"\0")[:-1]:
            try:
                os.write(master, frame + b"\0")
            except BlockingIOError:
                break  # nobody reads: whole frames are dropped


if __name__ == "__main__":
    main()
