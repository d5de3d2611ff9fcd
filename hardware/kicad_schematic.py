"""KiCad's schematic of a board, or of a whole table: each part a box of pins, each pin with the name of its net.

Equal names are joined. A board's schematic has the refs, values and footprints of its board file, so KiCad compares
both and carries a change from one to the other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from copper import Board
from kicad import NO_PART, identity
from nets import Nets, letters

_STEP = 2.54
_HALF = 12.7
_KINDS = {"VCC": "power_in", "GND": "power_in", "OUT": "output", "3V3": "power_out"}
_INPUTS = ("E", "S0", "S1", "S2", "S3", "SCL", "ADDR")
_PASSIVE = ("C", "R", "RN", "J", "X", "S", "D", "P", "Q", "TP", "Z")
# KiCad's mark of a net that has its power from outside: GND, by the USB cable.
_FLAG = "#FLG01"
# Height of a column of parts on the sheet.
_LONGEST = 380.0
_COLUMN = 76.2


@dataclass(frozen=True, slots=True)
class _Part:
    ref: str
    value: str
    footprint: str
    # (number of the pad, pin, net)
    pins: tuple[tuple[str, str, str], ...]


def of_a_board(name: str, board: Board) -> str:
    """Return the schematic of a board: what its pads are joined to."""
    parts = []
    for part in board.parts:
        shapes = [shape for shape in board.shapes if shape.pad.partition(".")[0] == part.ref]
        pins = tuple((shape.number, shape.pad.partition(".")[2], shape.net) for shape in shapes)
        parts.append(_Part(part.ref, part.value or part.ref, f"flagfall:{part.footprint}", pins))
    hidden = {part.ref for part in board.parts if part.footprint in NO_PART}
    # An electrode is copper alone: it is drawn where nothing else but one pad has its net.
    count = Counter(net for part in parts for _, _, net in part.pins)
    for net in sorted(net for net in count if count[net] == 1 and not net.startswith("unconnected-")):
        parts.append(_Part(f"AE{len(parts)}", f"electrode {net}", "", (("1", "1", net),)))
    return _text(name, parts, hidden)


def of_the_table(all_nets: Nets) -> str:
    """Return the schematic of every node of a table, for the check and not for the eye."""
    pins: dict[str, list[tuple[str, str, str]]] = {}
    for net, ends in all_nets.items():
        for ref, pin in ends:
            pins.setdefault(_reference(ref), []).append((pin, pin, net))
    return _text("table", [_Part(ref, ref, "", tuple(ends)) for ref, ends in pins.items()], set())


def _reference(ref: str) -> str:
    """Return a name as KiCad takes one: an electrode (`PLANE row 1`, `PLANE column a`) is a test point."""
    if not ref.startswith("PLANE"):
        return ref
    _, kind, which = ref.split()
    return f"TP{which}" if kind == "row" else f"TP{'abcdefgh'.index(which) + 11}"


def _text(name: str, parts: Sequence[_Part], hidden: set[str]) -> str:
    sheet = identity("sheet", name)
    flag = _Part(_FLAG, "PWR_FLAG", "", (("1", "1", "GND"),))
    order = sorted(parts, key=lambda part: (letters(part.ref), int(part.ref[len(letters(part.ref)) :])))
    everything = [*order, flag]
    kinds = {_kind_name(part): part for part in everything}
    lines = [
        f'(kicad_sch (version 20231120) (generator "flagfall") (uuid "{sheet}") (paper "A0")',
        "(lib_symbols",
        *(_symbol(kind, part) for kind, part in kinds.items()),
        ")",
    ]
    for part, (x, y) in zip(everything, _places(everything), strict=True):
        lines += _placed(name, sheet, part, part.ref not in hidden, (x, y))
    lines.append(f'(sheet_instances (path "/{sheet}" (page "1"))))')
    return "\n".join(lines) + "\n"


def _kind_name(part: _Part) -> str:
    """Return the name of a part's symbol: parts with the same pins share one."""
    pins = " ".join(f"{number} {pin}" for number, pin, _ in part.pins)
    return f"{letters(part.ref).lstrip('#')}_{identity(pins)[:6]}"


def _places(parts: Sequence[_Part]) -> Iterator[tuple[float, float]]:
    x, y = _COLUMN / 2 + _STEP, 10 * _STEP
    for part in parts:
        high = ((len(part.pins) + 1) // 2 + 4) * _STEP
        if y + high > 10 * _STEP + _LONGEST * 2:
            x, y = x + _COLUMN, 10 * _STEP
        yield round(x / 1.27) * 1.27, round(y / 1.27) * 1.27
        y += high


def _ends(part: _Part) -> Iterator[tuple[int, float, float]]:
    """Yield (index, x, y) of the outer end of each pin, from the symbol's middle top, downwards."""
    left = (len(part.pins) + 1) // 2
    for index in range(len(part.pins)):
        line = index if index < left else index - left
        yield index, (-_HALF if index < left else _HALF), line * _STEP


def _symbol(kind: str, part: _Part) -> str:
    lines = [
        f'(symbol "flagfall:{kind}" {"(power)" if part.ref == _FLAG else ""} (in_bom yes) (on_board yes)'
        f" {_fields(letters(part.ref), part.value, part.footprint, (0, 0))}",
        f'(symbol "{kind}_1_1"',
    ]
    if part.ref != _FLAG:
        low = -((len(part.pins) + 1) // 2) * _STEP
        lines.append(
            f"(rectangle (start {-_HALF + _STEP} {_STEP}) (end {_HALF - _STEP} {low})"
            " (stroke (width 0.254) (type default)) (fill (type background)))"
        )
    for index, x, y in _ends(part):
        number, pin, _ = part.pins[index]
        font = "(effects (font (size 1.27 1.27)))"
        lines.append(
            f"(pin {_kind(part.ref, pin)} line (at {x:g} {-y:g} {0 if x < 0 else 180}) (length {_STEP})"
            f' (name "{pin}" {font}) (number "{number}" {font}))'
        )
    return "\n".join([*lines, "))"])


def _placed(name: str, sheet: str, part: _Part, is_part: bool, place: tuple[float, float]) -> Iterator[str]:
    x, y = place
    inside = f'(project "{name}" (path "/{sheet}" (reference "{part.ref}") (unit 1)))'
    flags = f"(in_bom {'yes' if is_part else 'no'}) (on_board {'yes' if part.footprint else 'no'}) (dnp no)"
    yield (
        f'(symbol (lib_id "flagfall:{_kind_name(part)}") (at {x:.2f} {y:.2f} 0) (unit 1) {flags}'
        f' (uuid "{identity("symbol", name, part.ref)}")'
        f" {_fields(part.ref, part.value, part.footprint, (x, y - 2 * _STEP))} (instances {inside}))"
    )
    for index, dx, dy in _ends(part):
        number, _, net = part.pins[index]
        at, turn = f"{x + dx:.2f} {y + dy:.2f}", 180 if dx < 0 else 0
        unique = f'(uuid "{identity("end", name, part.ref, number, index)}")'
        if net.startswith("unconnected-"):
            yield f"(no_connect (at {at}) {unique})"
        else:
            justify = "right" if dx < 0 else "left"
            effects = f"(effects (font (size 1.27 1.27)) (justify {justify}))"
            yield f'(global_label "{net}" (shape passive) (at {at} {turn}) {effects} {unique})'


def _fields(ref: str, value: str, footprint: str, place: tuple[float, float]) -> str:
    x, y = place
    lines = []
    for key, text, down, hidden in (
        ("Reference", ref, 0.0, ref.startswith("#")),
        ("Value", value, _STEP * 0.8, ref.startswith("#")),
        ("Footprint", footprint, 0.0, True),
        ("Datasheet", "", 0.0, True),
    ):
        effects = f"(effects (font (size 1.27 1.27)){' (hide yes)' if hidden else ''})"
        lines.append(f'(property "{key}" "{text}" (at {x:.2f} {y + down:.2f} 0) {effects})')
    return " ".join(lines)


def _kind(ref: str, pin: str) -> str:
    """Return the electrical type of a pin, for KiCad's check."""
    name = letters(ref)
    if ref == _FLAG or (name == "Q" and pin == "D"):
        return "power_out"
    if name in _PASSIVE:
        return "passive"
    if pin in _INPUTS and name in "ME":
        return "input"
    if name == "A" and pin.startswith("GP"):
        return "bidirectional"
    if name == "A" and pin not in ("GND", "3V3"):
        return "passive"
    return _KINDS.get(pin, "passive")
