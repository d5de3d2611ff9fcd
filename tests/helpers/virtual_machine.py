"""A card in a virtual machine: QEMU without hardware acceleration, driven through its monitor and a program in the
guest.

The card under test is not changed: the tests' own files lie on a disk beside it, and are started by the kernel's
command line (systemd's credentials). Everything of one machine lies in one folder.
"""

from __future__ import annotations

import base64
import json
import os
import shutil
import signal
import socket
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from image.layout import BOOT, SECTOR

from helpers.waiting import until

GUEST = Path(__file__).parents[1] / "machine/guest"
CARD_BYTES = 3 << 30
_DISK = "/dev/disk/by-id/virtio-tests"
_FIND = (
    f"until [ -e {_DISK} ]; do sleep 0.2; done"  # fixed: how often it looks; `waiting` is not in the guest
)
_UNIT = f"""\
[Unit]
DefaultDependencies=no
After=local-fs.target flagfall-kept.service
[Service]
ExecStartPre=/bin/sh -c '{_FIND}; mkdir -p /run/tests; mount -t squashfs -o ro {_DISK} /run/tests'
ExecStart=/usr/bin/python3 /run/tests/agent.py
Restart=always
OOMScoreAdjust=-900
"""

# The journal goes to the serial line too, and so into the file `console` of the machine's folder: a card keeps none,
# and a person who looks into a failed test finds the lines before a power cut.
_JOURNAL = "systemd.journald.forward_to_console=1 systemd.journald.max_level_console=info"
# The service's own times are for a Pi; a processor that is simulated takes twenty times as long. Nothing else of the
# service is changed.
_SLOW = """\
[Service]
TimeoutStartSec=900
WatchdogSec=180
"""


class MachineError(RuntimeError):
    """The machine did not do something that a test rests on."""


@dataclass(frozen=True, slots=True)
class Kind:
    """The arguments with which QEMU starts a kind of machine."""

    program: str
    machine: tuple[str, ...]
    console: str
    append: str
    display: tuple[str, ...]


KINDS = {
    "amd64": Kind(
        "qemu-system-x86_64",
        ("-M", "q35", "-cpu", "Nehalem", "-vga", "none"),
        "ttyS0",
        "mitigations=off no_timer_check tsc=reliable",
        ("-device", "virtio-gpu-pci,xres=800,yres=480"),
    ),
    "arm64": Kind(
        "qemu-system-aarch64",
        ("-M", "virt,gic-version=3", "-cpu", "cortex-a72"),
        "ttyAMA0",
        "mitigations=off",
        ("-device", "virtio-gpu-pci,xres=800,yres=480"),
    ),
}


def boot_files(card: Path, folder: Path) -> tuple[Path, Path, str]:
    """Return kernel, initrd and command line, as the firmware would read them from the card's first partition."""
    place = f"{card}@@{BOOT.start * SECTOR}"

    def copied(name: str) -> Path:
        subprocess.run(
            ["mcopy", "-n", "-o", "-i", place, f"::{name}", folder / name], check=True, capture_output=True
        )
        return folder / name

    settings = dict(
        line.replace(" ", "=", 1).split("=", 1) if line.startswith("initramfs ") else line.split("=", 1)
        for line in copied("config.txt").read_text().splitlines()
        if line.startswith(("kernel=", "initramfs "))
    )
    kernel, initrd = copied(settings["kernel"]), copied(settings["initramfs"].split()[0])
    return kernel, initrd, copied("cmdline.txt").read_text().strip()


class Machine:
    """A machine with the card `card`, a raw image. It writes only to `overlay`, which is made if it is missing."""

    def __init__(
        self,
        card: Path,
        folder: Path,
        arch: str = "amd64",
        *,
        memory_mb: int = 1024,
        more: Sequence[str] = (),
        service: str = "",
    ) -> None:
        """Describe the machine. `service` are lines for the table's unit beside its stretched times."""
        folder.mkdir(parents=True, exist_ok=True)
        self.folder, self.arch, self._card, self._kind = folder, arch, card, KINDS[arch]
        self._memory_mb = memory_mb
        self._more, self._service = tuple(more), _SLOW + service
        self.overlay = folder / "card.qcow2"
        self._process: subprocess.Popen[bytes] | None = None
        self._monitor: _Lines | None = None
        self._agent: _Lines | None = None
        # Processor time until its first picture (`worked_s`), if a test has waited for that.
        self.to_picture_s = 0.0

    def start(self, snapshot: str = "", frozen: Path | None = None, log: Path | None = None) -> None:
        """Switch the machine on.

        With `snapshot` or `frozen` (`freeze`) it goes on from there. With `log` each write and each sync of the card is
        logged there (`card_writes`).
        """
        if not self.overlay.exists():
            made = ["qemu-img", "create", "-q", "-f", "qcow2", "-F", "raw", "-b", str(self._card)]
            subprocess.run([*made, str(self.overlay), str(CARD_BYTES)], check=True)
        tools = self.folder / "tests.img"
        if not tools.exists():
            subprocess.run(
                ["mksquashfs", GUEST, tools, "-quiet", "-no-progress", "-noappend"],
                check=True,
                stdout=subprocess.DEVNULL,
            )
        kernel, initrd, line = boot_files(self._card, self.folder)
        unit, slow = (base64.b64encode(text.encode()).decode() for text in (_UNIT, self._service))
        line = (
            f"{line} console={self._kind.console} {self._kind.append} {_JOURNAL} "
            f"systemd.set_credential_binary=systemd.extra-unit.tests.service:{unit} systemd.wants=tests.service "
            f"systemd.set_credential_binary=systemd.unit-dropin.flagfall-table.service:{slow}"
        )
        for name in ("monitor", "agent"):
            (self.folder / name).unlink(missing_ok=True)
        command = [
            self._kind.program, *self._kind.machine, "-accel", "tcg,thread=multi", "-smp", "2",
            "-m", str(self._memory_mb),
            "-display", "none", "-nodefaults",
            "-chardev", f"file,id=console,path={self.folder / 'console'},append=on", "-serial", "chardev:console",
            "-qmp", f"unix:{self.folder / 'monitor'},server=on,wait=off",
            "-kernel", str(kernel), "-initrd", str(initrd), "-append", line,
            *_card_nodes(self.overlay, log), "-device", "virtio-blk-pci,drive=card,serial=card,id=card-disk",
            "-drive", f"file={tools},if=none,id=tests,format=raw,readonly=on",
            "-device", "virtio-blk-pci,drive=tests,serial=tests",
            "-device", "virtio-serial-pci",
            "-chardev", f"socket,path={self.folder / 'agent'},server=on,wait=off,id=agent",
            "-device", "virtserialport,chardev=agent,name=flagfall.test",
            "-device", "virtio-rng-pci", *self._kind.display, *self._more,
        ]  # fmt: skip
        if snapshot:
            command += ["-loadvm", snapshot]
        if frozen is not None:
            command += ["-incoming", f"exec:cat {frozen}"]
        with (self.folder / "qemu.log").open("ab") as log_file:
            self._process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log_file, stderr=log_file
            )
        self._monitor = _Lines(self.folder / "monitor", self._process)
        self._monitor.line()
        self.monitor("qmp_capabilities")
        self._agent = _Lines(self.folder / "agent", self._process)
        if frozen is not None:
            until(lambda: self.monitor("query-status")["status"] != "inmigrate", meanwhile=())
            self.monitor("cont")

    def monitor(self, command: str, **arguments: Any) -> Any:
        if self._monitor is None:
            raise MachineError(f"{command}: the machine is off")
        self._monitor.say({"execute": command, "arguments": arguments})
        while True:
            reply = self._monitor.line()
            if "return" in reply:
                return reply["return"]
            if "error" in reply:
                raise MachineError(f"{command}: {reply['error']}")

    def event(self, name: str, within_s: float) -> dict[str, Any]:
        """Return QEMU's next event of this name."""
        assert self._monitor is not None
        while (message := self._monitor.line(within_s)).get("event") != name:
            pass
        return message

    def human(self, line: str) -> str:
        reply = str(self.monitor("human-monitor-command", **{"command-line": line}))
        if "rror" in reply:
            raise MachineError(f"{line}: {reply}")
        return reply

    def ask(self, within_s: float = 300, **asked: Any) -> dict[str, Any]:
        """Return the answer of the program in the guest. The first time it may have to boot."""
        assert self._agent is not None
        self._agent.say(asked)
        reply: dict[str, Any] = self._agent.line(within_s)
        return reply

    def sh(self, command: str, within_s: float = 300) -> str:
        reply = self.ask(within_s, sh=command)
        if reply["rc"]:
            raise MachineError(f"{command}: status {reply['rc']}: {reply['out'][-2000:]}")
        return str(reply["out"])

    def wait_for(self, command: str, within_s: float = 600) -> str:
        """Wait until the command in the guest succeeds, and return its output."""

        def asked() -> dict[str, Any] | None:
            reply = self.ask(within_s, sh=command)
            return None if reply["rc"] else reply

        reply = until(
            asked, lambda: f"waited in vain for {command}\n{self.state()}", within_s, (), every_s=0.5
        )
        return str(reply["out"])

    def state(self) -> str:
        """Return the failed units and the last lines of the journal, for a person who looks into a failed test."""
        reply = self.ask(
            sh="systemctl --failed --no-pager --no-legend; journalctl -b --no-pager -o short-monotonic | tail -n 60"
        )
        return str(reply["out"])

    def touch(self, x: int, y: int, held_s: float = 0.2, size: tuple[int, int] = (800, 480)) -> None:
        self.ask(touch=[x * 1000 // size[0], y * 1000 // size[1], held_s])

    def press(self, *steps: tuple[float, int, int]) -> list[int]:
        """Set each line to its level after a pause: (seconds, line, level). Return the guest's instants around each."""
        # A busy machine makes the guest's waits longer.
        within_s = 300 + 20 * sum(wait_s for wait_s, _, _ in steps)
        reply = self.ask(within_s, press=[list(step) for step in steps])
        if reply["rc"]:
            raise MachineError(f"press: {reply['out']}")
        return list(reply["told_ns"])

    def plug(self, stick: Path) -> None:
        """Plug in a USB stick, the raw image `stick`. The machine needs a `qemu-xhci` for it."""
        self.monitor(
            "blockdev-add",
            **{"driver": "raw", "node-name": "stick", "file": {"driver": "file", "filename": str(stick)}},
        )
        self.monitor("device_add", driver="usb-storage", drive="stick", id="stick")

    def pull(self) -> None:
        self.monitor("device_del", id="stick")

        def gone() -> bool:
            self.monitor("blockdev-del", **{"node-name": "stick"})
            return True

        until(gone, "the stick is in use", meanwhile=(MachineError,))  # until the guest has heard of it

    def picture(self, name: str) -> Path:
        """Return the picture on the screen as a file."""
        file = self.folder / f"{name}.png"
        self.monitor("screendump", filename=str(file), format="png")
        return file

    def save(self, snapshot: str) -> None:
        self.human(f"savevm {snapshot}")

    def load(self, snapshot: str) -> None:
        """Start from a snapshot, in a new QEMU.

        One that goes on lets the guest's time never run back (`cpu_get_ticks`), so that its minutes since the snapshot
        would pass at once, and every watchdog bite.
        """
        self.cut()
        self.start(snapshot)

    def freeze(self, to: Path) -> None:
        """Keep memory and devices in `to`, for any number of starts on copies of `overlay`, and end this machine."""
        self.monitor("stop")
        self.monitor("migrate", uri=f"exec:cat >{to}")

        def written() -> bool:
            state = self.monitor("query-migrate")["status"]
            assert state != "failed", "it could not be frozen"
            return bool(state == "completed")

        until(written, "it is not frozen", 1800, ())
        self.cut()

    def copied(self, folder: Path) -> Machine:
        """Return a machine with the same devices and an overlay on this one's. It goes on from the frozen state."""
        other = Machine(self._card, folder, self.arch, memory_mb=self._memory_mb, more=self._more)
        shutil.copy(self.folder / "tests.img", folder)
        subprocess.run(
            ["qemu-img", "create", "-q", "-f", "qcow2", "-F", "qcow2", "-b", self.overlay, other.overlay],
            check=True,
        )
        return other

    @property
    def worked_s(self) -> float:
        """The processor time that this machine has taken since it was switched on, independent of the load of
        its host.
        """
        assert self._process is not None
        fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def cut(self) -> None:
        """Pull the plug."""
        if self._process is not None:
            self._process.send_signal(signal.SIGKILL)
            self._process.wait()
        for lines in (self._monitor, self._agent):
            if lines is not None:
                lines.close()
        self._process = self._monitor = self._agent = None


def _card_nodes(overlay: Path, log: Path | None) -> list[str]:
    disk = f"driver=qcow2,file.driver=file,file.filename={overlay}"
    if log is None:
        return ["-blockdev", f"{disk},node-name=card"]
    log.touch()
    logged = f"driver=blklogwrites,node-name=card,file=disk,log.driver=file,log.filename={log}"
    return ["-blockdev", f"{disk},node-name=disk", "-blockdev", logged]


class _Lines:
    """JSON objects through a socket of QEMU, one a line."""

    def __init__(self, path: Path, process: subprocess.Popen[bytes]) -> None:

        def connected() -> socket.socket:
            assert process.poll() is None, (path.parent / "qemu.log").read_text()[-500:]
            # A socket's name is short, wherever tests put their folders.
            here = os.open(path.parent, os.O_RDONLY)
            connection = socket.socket(socket.AF_UNIX)
            try:
                connection.connect(f"/proc/self/fd/{here}/{path.name}")
            except OSError:
                connection.close()
                raise
            finally:
                os.close(here)
            return connection

        self._socket = until(connected, lambda: f"QEMU: {(path.parent / 'qemu.log').read_text()[-500:]}")
        self._rest = b""

    def say(self, value: dict[str, Any]) -> None:
        self._socket.sendall(json.dumps(value).encode() + b"\n")

    def line(self, within_s: float = 120) -> dict[str, Any]:
        self._socket.settimeout(within_s)
        while b"\n" not in self._rest:
            try:
                got = self._socket.recv(1 << 16)
            except TimeoutError:
                raise MachineError(f"no answer within {within_s} s") from None
            if not got:
                raise MachineError("the machine is off")
            self._rest += got
        line, _, self._rest = self._rest.partition(b"\n")
        value: dict[str, Any] = json.loads(line)
        return value

    def close(self) -> None:
        self._socket.close()
