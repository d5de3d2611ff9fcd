"""The machine of a measurement: cores, memory, kernel, Python, versions of the parts, and how busy it was."""

from __future__ import annotations

import datetime
import os
import platform
import re
import shutil
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

PARTS = (
    "flagfall",
    "gpiozero",
    "msgspec",
    "numpy",
    "paho-mqtt",
    "pygame-ce",
    "redis",
    "rustworkx",
    "starlette",
    "uvicorn",
)
# What people would use instead.
PEERS = ("networkx", "py4swiss", "rust-reversi")
# Search path for programs: Debian's servers lie where only root's leads.
PATH = os.pathsep.join((os.environ.get("PATH", os.defpath), "/usr/sbin", "/sbin"))
PROGRAMS = {"mosquitto": ("mosquitto", "-h"), "redis-server": ("redis-server", "--version")}


def describe() -> dict[str, str]:
    """Return name -> value, in the order in which they are shown."""
    return {
        "processor": f"{_processor()}, {os.cpu_count()} cores",
        "memory": _memory(),
        "kernel": f"{platform.system()} {platform.release()} {platform.machine()}",
        "Python": platform.python_version(),
        "parts": _versions(PARTS),
        "peers": _versions(PEERS),
        "servers": ", ".join(
            f"{name} {version}"
            for name, command in PROGRAMS.items()
            if (version := _program_version(command))
        ),
    }


def _versions(names: tuple[str, ...]) -> str:
    return ", ".join(f"{name} {version}" for name in names if (version := _version(name)))


def load() -> float:
    """Return the number of processes wanting a core, over the last minute."""
    return round(os.getloadavg()[0], 2)


def today() -> str:
    return datetime.datetime.now(datetime.UTC).date().isoformat()


def _processor() -> str:
    match = re.search(r"^model name\s*: (.*)$", _text("/proc/cpuinfo"), re.M)
    return " ".join(match[1].split()) if match else platform.processor() or "unknown"


def _memory() -> str:
    match = re.search(r"^MemTotal:\s*(\d+) kB", _text("/proc/meminfo"), re.M)
    return f"{int(match[1]) / 1024**2:.0f} GB" if match else "unknown"


def _text(path: str) -> str:
    try:
        return Path(path).read_text("utf-8")
    except OSError:
        return ""


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def _program_version(command: tuple[str, ...]) -> str:
    program = shutil.which(command[0], path=PATH)
    if program is None:
        return ""
    done = subprocess.run([program, *command[1:]], capture_output=True, text=True, check=False)
    match = re.search(r"\d+\.\d+(?:\.\d+)?", done.stdout + done.stderr)
    return match[0] if match else ""
