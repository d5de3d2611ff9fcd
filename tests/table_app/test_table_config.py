"""One line for whatever is wrong with a configuration, and where each value comes from."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flagfall.base.errors import Invalid
from table_app.config import KEYS, Config, load
from table_app.options import config_of, run_parser
from table_app.settings import Settings, settings_of

PINS = "black_pin = 17\nwhite_pin = 27\n"


def test_a_laptop_proposes_the_clubs_rulebook_unless_another_is_configured(tmp_path: Path) -> None:
    file = tmp_path / "table.toml"
    for text, named in (("", "club"), ('rulebook = "open"\n', "open")):
        file.write_text(text, "utf-8")
        laptop = config_of(run_parser().parse_args(["--laptop", "--config", str(file)]))
        assert (laptop.rulebook, laptop.board) == (named, "none")


def config(tmp_path: Path, text: str, environment: dict[str, str] | None = None, **options: str) -> Config:
    file = tmp_path / "table.toml"
    file.write_text(text, "utf-8")
    return load(options, environment or {}, file)


def test_command_line_before_environment_before_file_before_defaults(tmp_path: Path) -> None:
    text = PINS + 'broker_port = 1\nbroker_host = "file"\nlanguage = "fr"\n'
    environment = {"FLAGFALL_BROKER_PORT": "2", "FLAGFALL_BROKER_HOST": "environment", "OTHER": "x"}
    read = config(tmp_path, text, environment, broker_port="3")
    assert (read.broker_port, read.broker_host, read.language, read.theme) == (
        3,
        "environment",
        "fr",
        "light",
    )
    assert (read.black_pin, read.white_pin) == (17, 27)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("blackpin = 3", "blackpin: unknown key, expected one of state_dir,"),
        (
            "black_pin = 17",
            "white_pin: expected a GPIO number from 0 to 27 (without a device: --simulate, --laptop), got nothing",
        ),
        ("black_pin = 17\nwhite_pin = 17", "white_pin: expected another pin than black_pin, got 17"),
        ("black_pin = 99", "black_pin: expected a GPIO number from 0 to 27, got 99"),
        ("black_pin = true", "black_pin: expected a GPIO number from 0 to 27, got True"),
        (PINS + 'broker_port = "mqtt"', "broker_port: expected a port from 1 to 65535, got 'mqtt'"),
        (PINS + "judge_pin = 1234", "judge_pin: expected 4 to 8 digits in quotes"),
        (PINS + 'director_pin = "12a4"', "director_pin: expected 4 to 8 digits in quotes"),
        (
            PINS + 'judge_pin = "1234"\ndirector_pin = "1234"',
            "director_pin: expected other digits than judge_pin, got the same",
        ),
        (PINS + 'board = ""', 'board: expected a serial port, "auto" or "none", got \'\''),
        (PINS + 'board = "/tmp"', 'board: expected a serial port, "auto" or "none", got \'/tmp\''),
        (PINS + f'board = "/{"x" * 300}"', 'board: expected a serial port, "auto" or "none", got \'/xxx'),
        (PINS + 'broker_host = "a b"', "broker_host: expected a host name, or nothing for no hub, got 'a b'"),
        (PINS + 'speech = " "', "speech: expected a command that speaks its input, or \"\", got ' '"),
        (
            PINS + 'speech = "espeak-ng \\"--stdin"',
            'speech: expected a command that speaks its input, or "", got \'espeak-ng "--stdin\'',
        ),
        (PINS + "white_lamp = 5", "white_lamp: expected both lamps or none, got one"),
        (PINS + "speech_pin = 27", "speech_pin: expected another pin than white_pin, got 27"),
        (PINS + "minutes = nan", "minutes: expected minutes above 0, at most 600, got nan"),
        (PINS + "[gpio]\nblack = 1", "gpio: unknown key"),
        (PINS + 'buttons = "foot"', "buttons: expected one of gpio, virtual, keys, got 'foot'"),
        (PINS + 'screen = "pictures"', 'pictures_dir: expected a directory with screen = "pictures"'),
        (PINS + 'rulebook = "chess"', "rulebook: expected one of woc-2019"),
        (PINS + 'rulebook = "usoa"', "minutes: expected minutes, usoa sets none"),
        (PINS + "minutes = 0", "minutes: expected minutes above 0, at most 600, got 0"),
        (PINS + "judged = 1", "judged: expected true or false, got 1"),
        (PINS + "state_dir = []", "state_dir: expected a directory, got []"),
        ("black_pin = ", "expected TOML: Invalid value"),
    ],
)
def test_what_is_wrong_is_one_line(tmp_path: Path, text: str, expected: str) -> None:
    with pytest.raises(Invalid) as error:
        config(tmp_path, text)
    assert expected in str(error.value) and "\n" not in str(error.value)


def test_a_wrong_pin_is_not_repeated(tmp_path: Path) -> None:
    with pytest.raises(Invalid) as error:
        config(tmp_path, PINS + 'judge_pin = "123456789"')
    assert "123456789" not in str(error.value)


def test_a_missing_file_is_an_error_only_if_it_was_named(tmp_path: Path) -> None:
    with pytest.raises(Invalid, match="expected a readable file"):
        load({}, {}, tmp_path / "none.toml")
    assert load({"buttons": "keys"}, {}, None).buttons == "keys"


def test_errors_name_the_variable_and_the_option() -> None:
    with pytest.raises(Invalid, match=r"^FLAGFALL_BROKER_PORT: expected a port"):
        load({"buttons": "keys"}, {"FLAGFALL_BROKER_PORT": "0"}, None)
    with pytest.raises(Invalid, match=r"^--broker-port: expected a port"):
        load({"buttons": "keys", "broker_port": "x"}, {}, None)


scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.lists(st.integers())


@given(key=st.sampled_from(sorted(KEYS)), value=scalars)
def test_no_value_raises_anything_else(key: str, value: object) -> None:
    try:
        KEYS[key].read(value)
    except ValueError:
        return


@given(text=st.text())
def test_no_text_in_the_environment_raises_anything_else(text: str) -> None:
    for key in KEYS:
        try:
            load({"buttons": "keys"}, {f"FLAGFALL_{key.upper()}": text}, None)
        except Invalid as error:
            assert "\n" not in str(error)


@pytest.mark.parametrize("degrees", [0, 90, 180, 270])
def test_the_configuration_turns_the_picture_until_the_screen_says_otherwise(
    tmp_path: Path, degrees: int
) -> None:
    config = load({"buttons": "keys", "state_dir": str(tmp_path), "rotation": str(degrees)}, {}, None)
    assert settings_of(config).rotation == degrees
    (tmp_path / "settings.json").write_bytes(Settings(rotation=180).content())
    assert settings_of(config).rotation == 180


@pytest.mark.parametrize("degrees", [45, 360, -90])
def test_only_quarters_turn_the_picture(degrees: int) -> None:
    with pytest.raises(Invalid, match=r"rotation: .*0, 90, 180 or 270"):
        load({"buttons": "keys", "rotation": str(degrees)}, {}, None)
