"""Numbers of footnotes and endnotes: form, start and restart, for the document and by section."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from lxml import etree

from orderly.services.document_processor.docx_package import W
from orderly.services.document_processor.docx_styles import whole_number
from orderly.services.document_processor.list_numbers import write_number


@dataclass(frozen=True, slots=True)
class NoteStyle:
    form: str = ""
    """ST_NumberFormat; empty: decimal, with the notes' own prefix."""
    start: int = 1
    restarts: bool = False
    """Begins anew in each section."""
    by_page: bool = False
    """Begins anew on each page, which only a layout knows."""


@dataclass(slots=True)
class NoteOrder:
    """The notes of one kind, in the order of their references."""

    prefix: str = ""
    styles: list[NoteStyle] = field(default_factory=lambda: [NoteStyle()])
    """One per section; the last is for all that follow."""
    section: int = 0
    shown: list[tuple[str, str]] = field(default_factory=list)
    """Id and label."""
    _count: int = 0

    def place(self) -> tuple[int, int]:
        return len(self.shown), self._count

    def return_to(self, place: tuple[int, int]) -> None:
        """Forgets the references since `place`."""
        del self.shown[place[0] :]
        self._count = place[1]

    def refer(self, reference: etree._Element) -> str:
        """The label in the text of a reference. A mark of the author's own stands in the text beside it."""
        note_id = reference.get(W + "id", "")
        if reference.get(W + "customMarkFollows", "0") not in ("0", "false", "off"):
            self.shown.append((note_id, ""))
            return ""
        style = self._style
        label = _label(style.start + self._count, style.form, self.prefix)
        self._count += 1
        self.shown.append((note_id, label))
        return label

    def end_section(self) -> None:
        self.section += 1
        if self._style.restarts:
            self._count = 0

    @property
    def _style(self) -> NoteStyle:
        return self.styles[min(self.section, len(self.styles) - 1)]


def note_styles(kind: str, settings: etree._Element | None, sections: list[etree._Element]) -> list[NoteStyle]:
    """The styles of the notes of a kind ("footnotePr", "endnotePr"), for each section."""
    general = NoteStyle() if settings is None else _over(NoteStyle(), settings.find(W + kind))
    return [_over(general, section.find(W + kind)) for section in sections] or [general]


def _over(style: NoteStyle, node: etree._Element | None) -> NoteStyle:
    if node is None:
        return style
    form, start, restart = (node.find(W + name) for name in ("numFmt", "numStart", "numRestart"))
    if form is not None:
        style = replace(style, form=form.get(W + "val", ""))
    if start is not None and (first := whole_number(start.get(W + "val"))) is not None:
        style = replace(style, start=first)
    if restart is not None:
        value = restart.get(W + "val")
        style = replace(style, restarts=value == "eachSect", by_page=value == "eachPage")
    return style


def _label(number: int, form: str, prefix: str) -> str:
    return f"[{write_number(number, form)}]" if form not in ("", "decimal") else f"[{prefix}{number}]"
