"""The promise of what tests fetch once: it is whole for everybody who asks, at the same instant and however a run
ended.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.prepared import NotHadError, prepared
from helpers.waiting import PATIENCE_S, until

TESTS = Path(__file__).parents[1]
ASKERS = 8
_ASK = """
import os, signal, sys
from pathlib import Path
from helpers.prepared import NotHadError, prepared
from helpers.waiting import until
signal.signal(signal.SIGINT, signal.default_int_handler)  # a test run in the background ignores it
home, fate = Path(sys.argv[1]), sys.argv[2]

def make(place):
    (place / "begun").touch()
    with open(home.with_name("times"), "a") as times:
        times.write("made\\n")
    if fate == "hangs":
        signal.pause()
    until(lambda: len(list(home.parent.glob("asked-*"))) >= int(sys.argv[3]))
    if fate == "fails":
        raise NotHadError("no network")
    (place / "whole").write_text("all of it")

home.with_name(f"ready-{os.getpid()}").touch()
until(home.with_name("go").exists, every_s=0.001)
home.with_name(f"asked-{os.getpid()}").touch()
try:
    print((prepared(home, "whole", make) / "whole").read_text())
except NotHadError as why:
    print(why)
"""


def asker(home: Path, fate: str = "") -> subprocess.Popen[str]:
    """Start a process that prepares `home` as soon as the file `go` is there."""
    environment = os.environ | {"PYTHONPATH": str(TESTS)}
    command = [sys.executable, "-c", _ASK, str(home), fate, str(ASKERS)]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)


def at_once(home: Path, fate: str = "") -> list[str]:
    """Return what several processes find that ask at the same instant."""
    askers = [asker(home, fate) for _ in range(ASKERS)]
    until(lambda: all(home.with_name(f"ready-{process.pid}").exists() for process in askers), "all are ready")
    home.with_name("go").touch()
    return [process.communicate(timeout=PATIENCE_S)[0].strip() for process in askers]


def test_of_many_who_ask_at_once_one_makes_it_and_all_find_it_whole(tmp_path: Path) -> None:
    assert at_once(tmp_path / "home") == ["all of it"] * ASKERS
    assert (tmp_path / "times").read_text() == "made\n"


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_what_an_interrupted_run_left_is_made_anew(tmp_path: Path, how: signal.Signals) -> None:
    home = tmp_path / "home"
    first = asker(home, "hangs")
    home.with_name("go").touch()
    until(lambda: list(tmp_path.glob(".home.making-*/begun")), "the first begins")
    first.send_signal(how)
    first.communicate(timeout=PATIENCE_S)
    assert not home.exists()
    home.with_name("go").unlink()
    assert at_once(home) == ["all of it"] * ASKERS
    assert not list(tmp_path.glob(".home.making-*"))


def test_what_lies_there_in_part_is_made_anew(tmp_path: Path) -> None:
    (tmp_path / "home" / "lists").mkdir(parents=True)
    assert at_once(tmp_path / "home") == ["all of it"] * ASKERS
    assert not (tmp_path / "home" / "lists").exists()


def test_who_waited_for_a_failure_does_not_try_again_and_the_next_one_does(tmp_path: Path) -> None:
    assert at_once(tmp_path / "home", "fails") == ["no network"] * ASKERS
    assert (tmp_path / "times").read_text().count("made") < ASKERS
    assert prepared(tmp_path / "home", "whole", lambda place: (place / "whole").touch()).is_dir()


def test_what_lacks_its_sign_was_not_had(tmp_path: Path) -> None:
    with pytest.raises(NotHadError, match="expected whole"):
        prepared(tmp_path / "home", "whole", lambda place: None)
    assert not (tmp_path / "home").exists()


def test_what_is_prepared_beside_another_of_a_like_name_is_left_alone(tmp_path: Path) -> None:
    def beside(making: Path) -> None:
        prepared(tmp_path / "one", "whole", lambda place: (place / "whole").touch())
        (making / "whole").touch()

    assert (prepared(tmp_path / "one-more", "whole", beside) / "whole").exists()
