"""Every bench runs and finds something; no time is asserted here. The page and its plots say what was found."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import msgspec
import pytest
from helpers.waiting import PATIENCE_S
from msgspec.structs import replace

import benchmarks.__main__ as runner
from benchmarks.__main__ import run, write
from benchmarks.report import code, figures
from benchmarks.report.figures import (
    Aim,
    Figure,
    Found,
    Plot,
    Remark,
    Table,
    Yardstick,
    at_least,
    at_most,
    beside_loop,
    p99,
    shown,
    text_of,
)
from benchmarks.report.list import BENCHES, Bench
from benchmarks.report.page import Taken, anchor, page
from benchmarks.report.plot import svg

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("bench", BENCHES, ids=lambda bench: bench.name)
@pytest.mark.long
def test_a_bench_runs_small(bench: Bench) -> None:
    taken = run(bench, short=True)
    assert taken.failed == ""
    figures = [finding for finding in taken.found if isinstance(finding, Figure)]
    missing = [program for program in bench.needs if shutil.which(program) is None]
    assert figures or missing
    for plot in (finding for finding in taken.found if isinstance(finding, Plot)):
        ElementTree.fromstring(svg(plot))


def ended(code: str, *options: str) -> subprocess.CompletedProcess[str]:
    """Run a bench of this code to its end."""
    return subprocess.run(
        [
            sys.executable,
            "-c",
            f"import sys, threading, time\nfrom benchmarks.report import figures\n{code}",
            *options,
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )


@pytest.mark.parametrize(
    "failure", ["ValueError('broken')", "SystemExit('broken')", "KeyboardInterrupt('broken')"]
)
def test_a_bench_that_fails_ends_though_its_threads_go_on(failure: str) -> None:
    done = ended(f"""
def measure(short):
    threading.Thread(target=threading.Event().wait).start()
    raise {failure}
    yield
figures.run(measure, "")
""")
    assert done.returncode == 1 and "broken" in done.stderr.splitlines()[-1]


def test_a_bench_that_hangs_is_ended_with_its_reason() -> None:
    done = ended(
        """
figures.LONGEST_SHORT_S = 0.1
def measure(short):
    yield figures.Remark("begun")
    threading.Event().wait()
figures.run(measure, "")
""",
        "--short",
    )
    assert (done.returncode, done.stdout) == (1, "begun\n")
    assert done.stderr.endswith(": not done after 0.1 s\n")


def test_a_bench_that_does_not_end_itself_is_ended_with_its_programs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "benchmarks").mkdir()
    (tmp_path / "benchmarks" / "__init__.py").touch()
    # Its child holds the output open.
    waits = "import threading; threading.Event().wait()"
    (tmp_path / "benchmarks" / "stuck.py").write_text(
        f"import subprocess, sys\nsubprocess.run([sys.executable, '-c', {waits!r}])\n"
    )
    monkeypatch.setattr(runner, "ROOT", tmp_path)
    monkeypatch.setattr(runner, "digest", lambda name: "")
    monkeypatch.setattr(runner, "LONGEST_SHORT_S", 1.0)
    monkeypatch.setattr(runner, "_LET_GO_S", 0.0)
    taken = run(Bench("stuck", "Stuck", "Never ends."), short=True)
    assert taken.failed == "ended with status -9" and taken.found == ()


def test_a_row_whose_code_has_changed_names_the_commit_of_its_figures() -> None:
    bench = Bench("one", "One thing", "What.", first={"fast": "how fast"})
    figures = (Figure("fast", "s", (1.0,), at_most(2, "x")),)
    taken = {"one": Taken("2026-11-20", 0.5, 12, figures, commit="4f679cf9", code="as then")}
    same = page((bench,), taken, {}, {"one": "as then"})
    assert "load of the machine before it 0.50, took 12 s, at 4f679cf9." in same and "(at " not in same
    changed = page((bench,), taken, {}, {"one": "other"})
    assert "| [how fast](#one-thing) (at 4f679cf9) | 1 s |" in changed
    assert "| [fast](#one-thing) (at 4f679cf9) | 1 s |" in changed
    assert "| fast (at 4f679cf9) | 1 s |" in changed
    assert "took 12 s, at 4f679cf9: its code has changed since." in changed
    unknown = page((bench,), {"one": Taken("2026-11-20", 0.5, 12, figures)}, {}, {"one": "other"})
    assert "(at an earlier commit)" in unknown


def test_the_code_of_a_bench_is_all_that_it_imports_and_starts() -> None:
    def names(bench: str) -> set[str]:
        files = code._closure(ROOT / "benchmarks" / f"{bench.replace('.', '/')}.py")
        return {file.relative_to(ROOT).as_posix() for file in files}

    assert {
        "table_app/loop/assignment.py",
        "flagfall/othello/clock.py",
        "benchmarks/table/latency.py",
    } <= names("table.latency")
    assert "hub/service.py" in names("hub.results") and "hub/main.py" in names("programs.start_and_size")
    assert "hub/service.py" not in names("table.clock_exactness")


def test_the_page_says_of_each_row_whether_its_code_is_todays() -> None:
    # python -m benchmarks --page writes it anew.
    kept = msgspec.json.decode(
        (ROOT / "docs" / "benchmarks" / "figures.json").read_bytes(), type=dict[str, Taken]
    )
    machine = msgspec.json.decode(
        (ROOT / "docs" / "benchmarks" / "machine.json").read_bytes(), type=dict[str, str]
    )
    assert all(re.fullmatch(r"[0-9a-f]{8}\+?", took.commit) for took in kept.values())
    present = {name: code.digest(name) for name in kept}
    assert (ROOT / "docs" / "benchmarks.md").read_text("utf-8") == page(BENCHES, kept, machine, present)


def test_every_bench_of_the_folder_is_in_the_list() -> None:
    with_a_command = {
        f"{path.parent.name}.{path.stem}"
        for path in (ROOT / "benchmarks").glob("*/*.py")
        for node in ast.parse(path.read_text("utf-8")).body
        if isinstance(node, ast.FunctionDef) and node.name == "measure"
    }
    assert with_a_command == {bench.name for bench in BENCHES}


def test_an_aim_is_met_at_its_limit_and_not_beyond() -> None:
    assert Figure("a", "s", (1.0, 2.0, 9.0), at_most(2.0, "x")).met is True
    assert Figure("a", "s", (1.0, 2.1, 9.0), at_most(2.0, "x")).met is False
    assert Figure("a", "s", (2.0,), at_least(2.0, "x")).met is True
    assert Figure("a", "s", (1.9,), at_least(2.0, "x")).met is False
    assert Figure("a", "s", (1.9,)).met is None
    with pytest.raises(ValueError, match="a: expected a value"):
        Figure("a", "s", ())


def test_beside_a_yardstick_the_aim_is_one_of_the_ratio() -> None:
    beside = Yardstick("a loop", (2.0, 4.0, 30.0))
    quick = Figure("a", "s", (8.0,), at_most(2.0, "8 s"), beside=beside)
    assert (quick.ratio, quick.met) == (2.0, True)
    assert replace(quick, values=(8.1,)).met is False
    taken = Taken("2026-01-01", 0.5, 3.0, (quick,))
    text = page((Bench("one", "One thing", "What."),), {"one": taken}, {})
    assert "| [a](#one-thing) | 8 s | a loop: 4 s | 2 | ≤ 2 | met |" in text
    assert "| a | 8 s | one run | 2 x a loop (4 s) | ≤ 2 x (8 s) | met |" in text


def test_the_plain_loop_in_the_figure_s_own_unit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(figures, "plain_loop_s", lambda: 0.02)
    units = ("s", "ms", "%", "frames/s")
    assert [beside_loop(unit).median for unit in units] == [0.02, 20.0, 2.0, 50.0]


def test_what_is_found_survives_json() -> None:
    for finding in (
        Figure("a", "s", (1.0, 2.5), Aim(3, True, "issue 3"), "a note"),
        Figure("b", "", (0.0,)),
        Figure("c", "s", (1.0,), at_most(2, "x"), beside=Yardstick("d", (0.5, 1.0))),
        Remark("something"),
        Table("costs", ("who", "cost"), (("one", "1"), ("other", "20"))),
    ):
        assert msgspec.json.decode(msgspec.json.encode(finding), type=Found) == finding


def test_a_table_is_lines_of_text_too() -> None:
    table = Table("costs", ("who", "cost"), (("one", "1"), ("other", "20")))
    assert text_of(table) == "costs:\nwho    cost\none    1\nother  20"


def test_p99_is_the_value_that_99_in_a_hundred_do_not_exceed() -> None:
    assert p99([float(number) for number in range(1, 201)]) == 198
    assert p99([5.0]) == 5.0


@pytest.mark.parametrize(
    ("value", "text"), [(0, "0"), (1234.5, "1,234"), (12.3456, "12.35"), (0.01234, "0.0123"), (3.0, "3")]
)
def test_numbers_are_shown_with_what_matters(value: float, text: str) -> None:
    assert shown(value) == text


def test_a_plot_leaves_out_what_a_logarithm_cannot_show() -> None:
    plot = Plot("p.svg", "A <title>", "x", "y", {"one": [(1, 1), (10, 100)], "none": [(1, 0), (10, 0)]})
    drawing = svg(plot)
    ElementTree.fromstring(drawing)
    assert "A &lt;title&gt;" in drawing
    # Two points, and the key's: each mark is drawn once and used wherever it stands.
    (mark, *_) = re.findall(r'<use xlink:href="#(\w+)" x="[\d.]+" y="[\d.]+" style="fill: #0b5cad', drawing)
    assert drawing.count(f'<use xlink:href="#{mark}"') == 3
    ElementTree.fromstring(svg(replace(plot, lines={"none": []})))


def test_the_page_names_what_is_met_what_is_not_and_what_was_never_run() -> None:
    first = Bench("one", "One thing", "What it is.", first={"fast": "how fast it is"})
    other = Bench("other", "Another", "What that is.", first={"far": "how far"})
    taken = Taken(
        "2026-11-20",
        0.5,
        12,
        (
            Figure("fast", "s", (1.0, 3.0, 2.0), at_most(2, "issue 3")),
            Figure("slow", "s", (5.0,), at_most(2, "issue 3"), "why"),
            Plot("p.svg", "A plot", "x", "y", {}),
            Table("Costs", ("who", "cost"), (("one", "1"), ("other", "20"))),
        ),
    )
    text = page((first, other), {"one": taken}, {"Python": "3.11"})
    assert "| [how fast it is](#one-thing) | 2 s |  |  |" in text and "how far" not in text
    assert "1 of 2 aims are met" in text
    assert "- [One thing](#one-thing): slow 5 s, aim ≤ 2 s (issue 3)" in text
    assert "| fast | 2 s | 1 to 3 (3) |  | ≤ 2 s (issue 3) | met |" in text
    assert "| slow (why) | 5 s | one run |  | ≤ 2 s (issue 3) | **not met** |" in text
    assert "![A plot](benchmarks/p.svg)" in text
    assert "Costs:\n\n| who | cost |\n|---|---|\n| one | 1 |\n| other | 20 |\n" in text
    assert text.count("Not measured yet.") == 1
    assert anchor("The clock, and the two common mistakes") == "the-clock-and-the-two-common-mistakes"


def test_what_stands_in_the_first_table_was_measured() -> None:
    kept = msgspec.json.decode(
        (ROOT / "docs" / "benchmarks" / "figures.json").read_bytes(), type=dict[str, Taken]
    )
    figures = {
        (name, figure.what)
        for name, took in kept.items()
        for figure in took.found
        if isinstance(figure, Figure)
    }
    assert {(bench.name, label) for bench in BENCHES for label in bench.first} <= figures


def test_what_was_taken_earlier_stays_on_the_page(tmp_path: Path) -> None:
    first, second = BENCHES[0], BENCHES[1]
    digests = code.digest(first.name), code.digest(second.name)
    plot = Plot("p.svg", "A plot", "x", "y", {"line": [(1.0, 2.0), (2.0, 3.0)]})
    write(
        {first.name: Taken("2026-11-20", 0.5, 1, (Figure("earlier", "s", (1.0,)), plot), code=digests[0])},
        tmp_path,
    )
    write(
        {
            second.name: Taken(
                "2026-11-21", 0.5, 1, (Figure("later", "s", (1.0,)),), "broken", code=digests[1]
            )
        },
        tmp_path,
    )
    text = (tmp_path / "benchmarks.md").read_text("utf-8")
    assert text.index("| earlier |") < text.index("| later |")
    assert "**Could not be measured:** broken" in text
    assert text.count("Not measured yet.") == len(BENCHES) - 2
    ElementTree.fromstring((tmp_path / "benchmarks" / "p.svg").read_text("utf-8"))
    for bench in BENCHES:
        assert f"## {bench.title}\n" in text and bench.command in text
