"""The settings of all tests: real components that may be absent, and long tests."""

from __future__ import annotations

import ctypes
import gc
import os
import shutil
import sys
from functools import cache
from pathlib import Path

import pytest
from catalogues import compile_changed
from helpers.prepared import NODE, absent
from hypothesis import HealthCheck, settings

# Programs of the system, then of this virtual environment.
_PROGRAMS = os.pathsep.join((os.environ.get("PATH", ""), str(Path(sys.executable).parent)))
# Component -> its programs and shared libraries. It is there when all of them are.
COMPONENTS = {
    "chrony": ("chronyd", "chronyc"),
    "mosquitto": ("mosquitto",),
    "nginx": ("nginx",),
    "redis": ("redis-server",),
    "xvfb": ("Xvfb",),
    "xdotool": ("xdotool",),
    "chromium": ("chromium-headless-shell",),
    "weasyprint": ("weasyprint", "libpangoft2-1.0.so.0", "libharfbuzz-subset.so.0"),
    "openscad": ("openscad",),
    "ngspice": ("ngspice",),
    "gcc": ("gcc",),
    "faketime": ("faketime",),
    "espeak-ng": ("espeak-ng",),
    "systemd-analyze": ("systemd-analyze",),
    "systemd-nspawn": ("systemd-nspawn",),
    "debootstrap": ("debootstrap",),
    "avahi": ("avahi-daemon",),
    "ip": ("ip",),
    "mtools": ("mcopy", "mformat"),
    "fdisk": ("sfdisk",),
    "go": ("go",),
    "qemu": ("qemu-system-x86_64", "qemu-system-aarch64", "qemu-img"),
}

# Debian's servers lie where only root's PATH leads, or were unpacked into the environment (systemd/mosquitto.sh).
os.environ["PATH"] = os.pathsep.join(
    (os.environ.get("PATH", os.defpath), "/usr/sbin", "/sbin", str(Path(sys.prefix) / "bin"), str(NODE))
)


# Whoever wants no compiled modules of their own still wants the programs that tests start to keep theirs: some
# hundred starts would compile everything again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# A busy machine is no fault: no time is asserted. What fails once is kept in .hypothesis, and tried first from then on.
# No test has a number of its own without a reason beside it.
_PROFILE = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("suite", max_examples=25, **_PROFILE)
settings.register_profile("night", max_examples=400, **_PROFILE)


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    settings.load_profile("night" if config.getoption("--long") else "suite")
    gc.disable()  # until all is collected: nothing of it is ever garbage
    compile_changed()  # a catalogue that came with somebody else's change


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Exclude thousands of tests and their modules from each later garbage collection."""
    gc.freeze()
    gc.enable()


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """Return the library that runs the tests that are coroutines."""
    return "asyncio"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--long", action="store_true", help="also run the tests that take minutes")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    # Files begin in this order: nothing long is left for the end, when other workers have nothing to do.
    longest, programs = (
        {item.path for item in items if item.get_closest_marker(mark)} for mark in ("timeout", "needs")
    )
    if not config.getoption("--long"):
        config.hook.pytest_deselected(items=[item for item in items if item.get_closest_marker("long")])
        items[:] = [item for item in items if not item.get_closest_marker("long")]
    items.sort(key=lambda item: (item.path not in longest, item.path not in programs))


def pytest_runtest_setup(item: pytest.Item) -> None:
    for marker in item.iter_markers("needs"):
        for component in marker.args:
            if component not in COMPONENTS:
                pytest.fail(
                    f"unknown component {component!r}: expected one of {', '.join(COMPONENTS)}", False
                )
            missing = [part for part in COMPONENTS[component] if not _is_there(part)]
            if missing:
                absent(f"needs {component}: no {', '.join(missing)}")


@cache
def _is_there(part: str) -> bool:
    if ".so." not in part:
        return shutil.which(part, path=_PROGRAMS) is not None
    try:
        ctypes.CDLL(part)
    except OSError:
        return False
    return True
