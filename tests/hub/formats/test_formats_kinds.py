"""A file of another kind is told by its name, and a list's check shows every row."""

from __future__ import annotations

import io
import random
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pytest
from helpers.console_director import Here, director_at, shown_answers
from helpers.hub_commands import flagfall_hub

from hub.console.pages import event as event_page
from hub.formats.kinds import foreign_kind
from hub.formats.reading import Source
from hub.formats.registry import FORMATS, ReadOptions, format_of
from hub.rounds.openings import text_of_file
from hub.text import FormatError


def zipped(*names: str, first: bytes = b"") -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as packed:
        if first:
            packed.writestr("mimetype", first)
        for name in names:
            packed.writestr(name, "x")
    return made.getvalue()


def tarred(name: str) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as packed:
        packed.addfile(tarfile.TarInfo(name))
    return made.getvalue()


OTHERS = {
    "a PDF": b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj",
    "a picture": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
    "an old Excel or Word file": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(500),
    "a web page": b"\xef\xbb\xbf\n<!DOCTYPE html><html>",
    "a formatted text (RTF)": rb"{\rtf1\ansi",
    "a Word document": zipped("[Content_Types].xml", "word/document.xml"),
    "an OpenDocument file": zipped("content.xml", first=b"application/vnd.oasis.opendocument.spreadsheet"),
    "a file of Numbers or Pages": zipped("Index/Document.iwa"),
    "an archive; unpack it first": zipped("players.csv"),
    "a hub's backup, which flagfall-hub restore takes": tarred("manifest.json"),
    "an archive; unpack it first ": tarred("players.csv"),
    "a database": b"SQLite format 3\0" + bytes(80),
    "a sound or a film": b"\0\0\0\x18ftypmp42",
}


@pytest.mark.parametrize("kind", OTHERS)
def test_every_reader_names_the_kind_of_a_file_that_it_cannot_read(kind: str) -> None:
    data, kind = OTHERS[kind], kind.strip()
    for name in ("list.csv", "list.xlsx", "list", "x.ELO", "x.wtb", "x.json"):
        with pytest.raises(FormatError, match="got " + kind.replace("(", r"\(").replace(")", r"\)")):
            format_of(name, data)
    for name in ("csv", "elo", "papp", "papp-work", "tournament", "xlsx"):
        read = FORMATS[name].read
        assert read is not None
        with pytest.raises(FormatError) as refused:
            read([Source("", data)], ReadOptions())
        assert kind in str(refused.value), name
    with pytest.raises(FormatError, match="with an opening on each line, got"):
        text_of_file(data)


@pytest.mark.parametrize(
    "data",
    [b"name\nAda\n", b"\xef\xbb\xbfName;ID3\n", "名前\n花子".encode(), b"", b"{}", zipped("xl/workbook.xml")],
)
def test_lists_and_workbooks_are_of_no_other_kind(data: bytes) -> None:
    assert foreign_kind(data) is None


@pytest.mark.parametrize("name", ["list", "list.dat", "list.ods.bak"])
def test_bytes_of_no_known_kind_are_no_text(name: str) -> None:
    for seed in range(20):
        data = b"\1" + random.Random(seed).randbytes(400)
        with pytest.raises(FormatError, match="got a file that is no text"):
            format_of(name, data)
    for encoding in ("utf-8", "utf-16", "utf-16-le", "cp932", "iso2022_jp"):
        assert format_of(name, "name,country\n花子,JPN\n次郎,JPN\n".encode(encoding)) is None


def test_the_command_names_file_and_kind(tmp_path: Path) -> None:
    file = tmp_path / "players.csv"
    file.write_bytes(OTHERS["a PDF"])
    done = flagfall_hub("import", str(file))
    assert done.returncode and "players.csv: expected a list saved as .csv" in done.stderr
    assert "got a PDF; save the list as .csv or .xlsx" in done.stderr and done.stderr.count("\n") == 1


async def test_the_console_says_that_a_list_is_a_pdf(served: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_page, "_ASIDE", Here())
    async with director_at(served) as director:
        files = {"file": ("players.pdf", OTHERS["a PDF"])}
        data = {"csrf": director.csrf, "name": "Club", "rulebook": "club"}
        answer = await director.client.post("/desk/new", data=data, files=files)
        assert answer.status_code == 400 and "got a PDF; save the list as" in answer.text
        assert "columns id" not in answer.text


async def test_a_lists_check_shows_every_row_and_a_repeated_name_can_be_left_out(
    served: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(event_page, "_ASIDE", Here())
    names = [f"Person {letter} Test" for letter in "ABCDEFGH"]
    text = "name\n" + "\n".join([*names, names[1]]) + "\n"
    async with director_at(served) as director:
        files = {"file": ("players.csv", text.encode())}
        data = {"csrf": director.csrf, "name": "Club", "rulebook": "club"}
        answer = await director.client.post("/desk/new", data=data, files=files)
        assert answer.status_code == 400
        assert all(f"<bdi>{name}</bdi>" in answer.text for name in names)
        assert answer.text.count('name="leave_out"') == 9, "each row has a tick"
        assert 'name="leave_out" value="10"' in answer.text and "the same name as in line 3" in answer.text
        answers = shown_answers(answer.text)
        answer = await director.client.post("/desk/new", data={**data, **answers, "leave_out": "10"})
        assert answer.status_code == 400, "after a change the list is shown again"
        assert 'value="10" checked' in answer.text and "8 players" in answer.text
        assert "number 9" not in answer.text, "nobody here has a number, and who is left out gets none"
        answers = shown_answers(answer.text)
        answer = await director.client.post("/desk/new", data={**data, **answers, "leave_out": "10"})
        assert answer.status_code == 303
        (state,) = served.store.states.values()
        assert sorted(player.name for player in state.tournament.players) == names


async def test_any_row_of_a_list_can_be_left_out_and_stays_in_sight(
    served: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(event_page, "_ASIDE", Here())
    lists = {
        "players.csv": (b"name,country\nAnn Test,FRA\nBo Test,ITA\nCem Test,FRA\n", "3"),
        "joueurs.txt": (b"pays = FRA\n1 TEST, Ann %_<99999>\n2 TEST, Bo\n3 TEST, Ann\n4 TEST, Cem\n", "id.2"),
    }
    async with director_at(served) as director:
        for file, (listed, row) in lists.items():
            files = {"file": (file, listed)}
            data = {"csrf": director.csrf, "name": file, "rulebook": "club"}
            answer = await director.client.post("/desk/new", data=data, files=files)
            assert answer.status_code == 400, "the list is shown first"
            answers = shown_answers(answer.text)
            for status in (400, 303):
                answer = await director.client.post("/desk/new", data={**data, **answers, "leave_out": row})
                assert answer.status_code == status
                if status == 400:
                    assert f'value="{row}" checked' in answer.text, "and it can be taken back"
                    answers = shown_answers(answer.text)
        entered = [
            sorted(player.name for player in state.tournament.players)
            for state in served.store.states.values()
        ]
        assert entered == [["Ann Test", "Cem Test"], ["TEST, Ann", "TEST, Ann", "TEST, Cem"]]
