"""What was measured on: cores, memory, kernel, Python, versions of the parts, and how busy it was."""

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
    "networkx",
    "py4swiss",
    "rust-reversi",
)
# Debian's servers lie where only root's leads.
PATH = os.pathsep.join((os.environ.get("PATH", os.defpath), "/usr/sbin", "/sbin"))
PROGRAMS = {"mosquitto": ("mosquitto", "-h"), "redis-server": ("redis-server", "--version")}


def described() -> dict[str, str]:
    """Name -> what it is, in the order in which it is shown."""
    return {
        "processor": f"{_processor()}, {os.cpu_count()} cores",
        "memory": _memory(),
        "kernel": f"{platform.system()} {platform.release()} {platform.machine()}",
        "Python": platform.python_version(),
        "parts": ", ".join(f"{name} {found}" for name in PARTS if (found := _version(name))),
        "servers": ", ".join(
            f"{name} {found}" for name, command in PROGRAMS.items() if (found := _said(command))
        ),
    }


def load() -> float:
    """Processes wanting a core, over the last minute."""
    return round(os.getloadavg()[0], 2)


def today() -> str:
    return datetime.datetime.now(datetime.UTC).date().isoformat()


def _processor() -> str:
    found = re.search(r"^model name\s*: (.*)$", _text("/proc/cpuinfo"), re.M)
    return " ".join(found[1].split()) if found else platform.processor() or "unknown"


def _memory() -> str:
    found = re.search(r"^MemTotal:\s*(\d+) kB", _text("/proc/meminfo"), re.M)
    return f"{int(found[1]) / 1024**2:.0f} GB" if found else "unknown"


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


def _said(command: tuple[str, ...]) -> str:
    program = shutil.which(command[0], path=PATH)
    if program is None:
        return ""
    done = subprocess.run([program, *command[1:]], capture_output=True, text=True, check=False)
    found = re.search(r"\d+\.\d+(?:\.\d+)?", done.stdout + done.stderr)
    return found[0] if found else ""
