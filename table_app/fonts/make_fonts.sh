#!/bin/sh
# Makes the fonts again: sh make_fonts.sh FOLDER, where fonts-noto-extra and fonts-noto-cjk-extra are unpacked.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
true_type="$1/usr/share/fonts/truetype/noto"
cjk="$1/usr/share/fonts/opentype/noto/NotoSansCJK-Medium.ttc"
names=$(mktemp -d)
trap 'rm -r "$names"' EXIT

# The characters of each font: of names for all, and those that have other forms in simplified and traditional Chinese.
python3 - "$cjk" "$names" <<'PYTHON'
import sys
from pathlib import Path

from fontTools.ttLib import TTCollection

sets = (
    ("shift_jis", [*range(0x81, 0xA0), *range(0xE0, 0xF0)], range(0x40, 0x100)),
    ("gb2312", range(0xA1, 0xF8), range(0xA1, 0xFF)),
    ("big5", range(0xA1, 0xC7), range(0x40, 0x100)),
    ("euc_kr", range(0xB0, 0xC9), range(0xA1, 0xFF)),
)
kept = ("\u3000\u30ff", "\u4e00\u9fff", "\uac00\ud7a3", "\uff00\uffef")
found = {
    codec: {
        character
        for lead in leads
        for trail in trails
        for character in (bytes((lead, trail)).decode(codec, "ignore"),)
        if len(character) == 1 and any(low <= character <= high for low, high in kept)
    }
    for codec, leads, trails in sets
}
# Beyond U+FFFF: the 303 of JIS X 0213.
rare = {
    character
    for lead in range(0xA1, 0xFF)
    for trail in range(0xA1, 0xFF)
    for shift in (b"", b"\x8f")
    for character in ((shift + bytes((lead, trail))).decode("euc_jis_2004", "ignore"),)
    if len(character) == 1 and character > "\uffff"
}
every = {chr(code) for code in range(0x3000, 0x3100)} | set(" 髙﨑濵彅𠮷") | rare | set().union(*found.values())
japanese, _, simplified, traditional, _ = (font.getBestCmap() for font in TTCollection(sys.argv[1], lazy=True).fonts)
texts = {
    "cjk": every,
    "cjk-hans": {it for it in found["gb2312"] if simplified.get(ord(it)) != japanese.get(ord(it))},
    "cjk-hant": {it for it in found["big5"] if traditional.get(ord(it)) != japanese.get(ord(it))},
}
for name, characters in texts.items():
    Path(sys.argv[2], name).write_text("".join(sorted(characters)), "utf-8")
PYTHON

latin="U+0020-007E,U+00A0-024F,U+0259,U+02BB-02DD,U+0300-0304,U+0306-030C,U+0312,U+0327,U+0328,U+0370-03FF"
latin="$latin,U+0400-052F,U+1E00-1EFF,U+2010-2027,U+2030,U+2032,U+2033,U+2039,U+203A,U+20AC,U+2116,U+2122,U+2212,U+2260"
for pair in Medium:text SemiBold:strong; do
    pyftsubset "$true_type/NotoSans-${pair%:*}.ttf" --unicodes="$latin" --no-hinting --notdef-outline \
        --layout-features=kern,mark,mkmk,ccmp,locl --output-file="$here/${pair#*:}.ttf"
done
pyftsubset "$true_type/NotoSansDisplay-CondensedSemiBold.ttf" --unicodes=U+0020,U+002B-002F,U+0030-003A,U+2212,U+2013 \
    --no-hinting --notdef-outline --layout-features= --output-file="$here/figures.ttf"
for pair in 0:cjk 2:cjk-hans 3:cjk-hant; do
    pyftsubset "$cjk" --font-number="${pair%:*}" --text-file="$names/${pair#*:}" --no-hinting --notdef-outline --layout-features= \
        --output-file="$here/${pair#*:}.otf"
done
for script in Arabic Armenian Bengali Devanagari Ethiopic Georgian Gujarati Gurmukhi Hebrew Kannada Khmer Lao Malayalam Myanmar \
    Sinhala Tamil Telugu Thai; do
    pyftsubset "$true_type/NotoSans$script-Medium.ttf" --unicodes='*' --no-hinting --notdef-outline --layout-features='*' \
        --output-file="$here/$(echo $script | tr A-Z a-z).ttf"
done
