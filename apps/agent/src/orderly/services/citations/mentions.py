"""The documents that an answer names around a quotation: by file name, by its name without ending, or by short id."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from orderly.services.citations.cited import HANDLE, folded, unread_file
from orderly.services.citations.edits import Edit
from orderly.services.citations.sources import Sources
from orderly.services.text import Quotation

_HEADING = re.compile(r"^\s*(?:#{1,6}\s|\*\*[^*\n]{1,100}\*\*)")
_ENDING = re.compile(r"\.\w{2,5}\Z")
_SENTENCE = re.compile(r"[.!?][”\"’)\]]*\s+|\n")
_ALONE = re.compile(r"(?<![\w\[./-])D\d{1,4}(?![\w\]/-]|\.\w)")
"""A short id in prose."""


@dataclass(slots=True)
class Mentions:
    """Follows one answer. Stateful."""

    sources: Sources
    _heading: tuple[str, ...] = ()
    _pattern: re.Pattern[str] | None = None
    _by_name: dict[str, list[str]] = field(default_factory=dict)
    _count: int = 0

    def around(self, said: str, piece: str, at: int, cited: str = "") -> tuple[str, ...]:
        """Ids of the documents meant at `at` of a piece, by its citation, sentence, line, paragraph or heading."""
        if unread_file(cited, self.sources.names):
            return ()
        if len(self.sources.documents) < 2:
            return tuple(self.sources.documents)
        before = said + piece[:at]
        line = before[before.rfind("\n") + 1 :]
        sentence = _SENTENCE.split(line)[-1] if not line.lstrip().startswith("|") else line
        after = re.split(r"[.!?]\s|\n", piece[at:], maxsplit=1)[0]
        paragraph = before[before.rfind("\n\n") + 1 :]
        for part in (cited, _column(before), sentence, after if not self._named(sentence) else "", line, paragraph):
            if found := self._named(part):
                return found[-1]
        return self._heading

    def follow(self, shown: str) -> None:
        """Reads the headings of a piece that was shown."""
        for line in shown.split("\n"):
            if _HEADING.match(line):
                found = self._named(line)
                self._heading = found[-1] if found else ()

    def shown_names(self, piece: str, quotations: Sequence[Quotation], edits: Sequence[Edit]) -> list[Edit]:
        """Edits that give a short id in prose the document's name."""
        taken = [(q.start, q.end) for q in quotations] + [(start, end) for start, end, _ in edits]
        found: list[Edit] = []
        for match in _ALONE.finditer(piece):
            ids = self.sources.handles.get(match[0], ())
            name = self.sources.documents.get(ids[0]) if len(ids) == 1 else None
            if name and not any(a < match.end() and match.start() < b for a, b in taken):
                found.append((*match.span(), _ENDING.sub("", name)))
        return found

    def _named(self, text: str) -> list[tuple[str, ...]]:
        """The documents that a text names, in its order."""
        self._compile()
        if not text or self._pattern is None:
            return []
        found = []
        for match in self._pattern.finditer(text):
            if HANDLE.fullmatch(match[0]):
                ids = [i for i in self.sources.handles.get(match[0], ()) if i in self.sources.documents]
                found += [tuple(ids)] if len(ids) == 1 else []
            else:
                found.append(tuple(self._by_name[folded(match[0])]))
        return found

    def _compile(self) -> None:
        if self._count == len(self.sources.documents):
            return
        self._count = len(self.sources.documents)
        self._by_name = {}
        for document_id, name in self.sources.documents.items():
            for form in {name, _ENDING.sub("", name)}:
                self._by_name.setdefault(folded(form), []).append(document_id)
        forms = sorted(self._by_name, key=len, reverse=True)
        written = "|".join(r"[\s_-]+".join(map(re.escape, form.split())) for form in forms if len(form) > 3)
        self._pattern = re.compile(
            rf"(?<!\w)(?:{written}|D\d{{1,4}})(?!\w)" if written else r"(?<!\w)D\d{1,4}(?!\w)", re.IGNORECASE
        )


def _column(before: str) -> str:
    """The head of the column of a table in which a text ends."""
    rows = [line for line in before.rpartition("\n\n")[2].split("\n") if line.lstrip().startswith("|")]
    heads = rows[0].split("|") if len(rows) > 1 and not before.endswith("\n") else []
    return heads[rows[-1].count("|")] if heads and rows[-1].count("|") < len(heads) else ""
