"""Files with lines that were not read as they stand: nothing is kept before their user has seen every such line."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field

from hub.console.forms import Form, Upload
from hub.formats.reading import LineNote, together
from hub.text import Refused

SEEN = "seen"
"""The field of a form that names the file whose doubtful lines its page has shown."""
_MOST_KEPT = 4


class Doubtful(Refused):
    """The form's page shows the `notes` of the file of `name`; sent again with `key` it is done."""

    def __init__(self, upload: Upload, notes: Sequence[LineNote], key: str) -> None:
        super().__init__(
            "file: some lines of {name} are in doubt; each is named below", name=upload.name[:60]
        )
        self.name, self.lines, self.key = upload.name, len(notes), key
        self.notes = together(notes)


@dataclass(slots=True)
class DoubtfulFiles:
    """The last few files whose lines somebody has been shown, in memory, as a browser sends no file twice."""

    _kept: dict[str, Upload] = field(default_factory=dict)

    def uploaded_file(self, form: Form, name: str) -> Upload | None:
        """The file that the form brings, or the one that its page has shown."""
        return form.files.get(name) or self._kept.get(form.typed(SEEN))

    def check(self, form: Form, upload: Upload, notes: Sequence[LineNote]) -> None:
        """Doubtful, unless there are no notes or just these have been shown."""
        if not notes:
            return
        key = hashlib.sha256("\n".join(map(str, notes)).encode("utf-8", "replace") + upload.data).hexdigest()
        if form.typed(SEEN) == key:
            self._kept.pop(key, None)
            return
        while len(self._kept) >= _MOST_KEPT:
            del self._kept[next(iter(self._kept))]
        self._kept[key] = upload
        raise Doubtful(upload, notes, key)
