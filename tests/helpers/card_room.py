"""Cards in one network: each a machine with a network card on a switch of this machine's own."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from helpers.virtual_machine import Machine, MachineError

SWITCH = "230.14.14.14:14714"
"""A group of this machine's own at which QEMU's network cards hear each other."""
SLOW = "\n[table]\nscreen_open_s = 600\nscreen_hung_s = 300\n"
ANSWERS = "grep -q :1F40 /proc/net/tcp"
"""The hub's port for pages, 8000, is open."""


@dataclass
class RoomOfCards:
    """The machines that are on. At the end each is cut; its last picture is kept beside its console's output."""

    folder: Path
    on: dict[str, Machine]

    def switch_on(self, name: str, card: Path, *more: str) -> Machine:
        """Its program in the guest answers later (`Machine.ask`). `more` are options of QEMU's."""
        mac = f"52:54:00:14:14:{len(self.on) + 1:02x}"
        network = (
            *("-netdev", f"socket,id=net,mcast={SWITCH},localaddr=127.0.0.1"),
            *("-device", f"virtio-net-pci,netdev=net,mac={mac}"),
        )
        arch = "arm64" if card.stem.endswith("arm64") else "amd64"
        machine = Machine(card, self.folder / name, arch, more=("-device", "qemu-xhci", *network, *more))
        machine.start()
        self.on[name] = machine
        return machine

    def close(self) -> None:
        for machine in self.on.values():
            with suppress(MachineError, OSError):
                machine.picture("last")
            machine.cut()
