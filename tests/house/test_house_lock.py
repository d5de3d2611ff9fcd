"""The lock files: every part that the programs ask for is locked by version and hash, from anywhere."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from packaging.markers import default_environment
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[2]
PYTHONS = ("3.11.2", "3.12.3", "3.13.5")


# Each with the extras that are installed by it.
LOCKS = {
    "requirements.lock": ("table", "hub", "check", "redis"),
    "requirements-table.lock": ("table",),
    "requirements-hub.lock": ("hub", "check", "redis"),
}


def locked(lock: str) -> list[tuple[Requirement, list[str]]]:
    """Return every part with its hashes."""
    text = (ROOT / "packaging" / lock).read_text("utf-8").replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    parts = []
    for line in lines:
        requirement, *hashes = line.split("--hash=")
        parts.append((Requirement(requirement.strip()), [digest.strip() for digest in hashes]))
    return parts


@pytest.mark.parametrize("lock", LOCKS)
def test_every_part_has_one_version_and_its_hashes_and_no_place(lock: str) -> None:
    for part, hashes in locked(lock):
        assert re.fullmatch(r"==[^,*]+", str(part.specifier)), part
        assert part.url is None
        assert hashes and all(re.fullmatch(r"sha256:[0-9a-f]{64}", digest) for digest in hashes), part
    assert "://" not in (ROOT / "packaging" / lock).read_text("utf-8")


@pytest.mark.parametrize("lock", LOCKS)
def test_all_that_the_programs_ask_for_is_locked_as_they_want_it(lock: str) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    wanted = list(project["project"]["dependencies"])
    for extra in LOCKS[lock]:
        wanted += project["project"]["optional-dependencies"][extra]
    wanted += project["build-system"]["requires"]
    for python in PYTHONS:
        environment = {name: str(value) for name, value in default_environment().items()} | {
            "python_full_version": python,
            "python_version": python.rpartition(".")[0],
        }
        versions = {
            part.name: str(part.specifier).removeprefix("==")
            for part, _ in locked(lock)
            if part.marker is None or part.marker.evaluate(environment)
        }
        parts = [Requirement(requirement) for requirement in wanted]
        assert [part for part in parts if not part.specifier.contains(versions[part.name])] == [], python


def test_the_audit_stays_out_of_what_every_change_must_pass() -> None:
    assert "audit" not in (ROOT / ".ci" / "run").read_text("utf-8")
    assert "--strict" in (ROOT / "Makefile").read_text("utf-8"), "what could not be audited is a failure"


def test_a_table_installs_no_numpy_and_a_hub_no_pygame() -> None:
    table, hub = ({part.name for part, _ in locked(f"requirements-{role}.lock")} for role in ("table", "hub"))
    assert not table & {"numpy", "rustworkx", "starlette", "uvicorn", "jinja2", "argon2-cffi"}
    assert not hub & {"pygame-ce", "pyserial", "gpiozero"}
