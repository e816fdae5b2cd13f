"""Fields of a Word file: their results are text, their codes are not, also where a code holds further fields."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from lxml import etree

from orderly.services.document_processor.docx_package import W

_OFF = ("0", "false", "off")
_UNSEEN = frozenset({"SET", "ASK", "XE", "TC", "TA", "RD", "PRIVATE"})
"""Fields that Word shows nothing of, even if a result is stored."""

_NOT_WALKED = frozenset({W + "del", W + "moveFrom", "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"})
_FRACTION = re.compile(r"\\f\s*\(([^,;()]*)[,;]([^()]*)\)", re.IGNORECASE)
_SWITCH = re.compile(r"\\[a-z]+\s*", re.IGNORECASE)


@dataclass(slots=True)
class _Open:
    code: bool = True
    """Its code is being read; False from its "separate" mark on."""
    silent: bool = False
    """Its result is not shown: a form field, whose state is written instead."""
    instruction: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Fields:
    """The open fields at a place in a story. `begin` finds the marks that belong together."""

    _open: list[_Open] = field(default_factory=list)
    _marks: set[etree._Element] = field(default_factory=set)
    """Marks of complete fields. A field without end hides nothing."""
    _automatic: int = 0
    _closed: int = 0
    """Open fields whose code is being read, or whose result is not shown."""

    @property
    def in_code(self) -> bool:
        """Whether text here is part of a code, or of a result that is not shown."""
        return self._closed > 0

    def begin(self, story: etree._Element) -> None:
        """Reads the marks of a story, before its text is read."""
        waiting: list[etree._Element] = []
        for mark in story.iter(W + "fldChar"):
            kind = mark.get(W + "fldCharType")
            if kind == "separate" or any(up.tag in _NOT_WALKED for up in mark.iterancestors()):
                continue
            if kind == "begin":
                waiting.append(mark)
            elif kind == "end" and waiting:
                self._marks |= {waiting.pop(), mark}

    def mark(self, node: etree._Element) -> str:
        """Takes a mark. Returns what Word shows in its place: a tick box, a choice."""
        kind, shown = node.get(W + "fldCharType"), ""
        if kind == "separate" and self._open:
            self._separate(self._open[-1])
        elif node in self._marks and kind == "begin":
            state = _form_state(node)
            shown = "" if self.in_code else state
            self._open.append(_Open(silent=bool(state)))
            self._closed += 1
        elif node in self._marks and kind == "end" and self._open:
            ended = self._open.pop()
            self._closed -= ended.code or ended.silent
            shown = self._without_result(ended) if ended.code and not ended.silent and not self.in_code else ""
        return shown

    def _separate(self, top: _Open) -> None:
        silent = top.silent or is_unseen("".join(top.instruction))
        self._closed += silent - (top.code or top.silent)
        top.code, top.silent = False, silent

    def instruct(self, text: str) -> None:
        if self._open and self._open[-1].code:
            self._open[-1].instruction.append(text)

    def _without_result(self, ended: _Open) -> str:
        """What Word shows of a field that stores no result."""
        code = "".join(ended.instruction).strip()
        name, _, rest = code.partition(" ")
        if name.upper() in ("MACROBUTTON", "GOTOBUTTON"):
            return rest.strip().partition(" ")[2].strip()
        if name.upper() in ("AUTONUM", "AUTONUMLGL", "AUTONUMOUT"):
            self._automatic += 1
            return f"{self._automatic}."
        if name.upper() == "EQ":
            return _SWITCH.sub("", _FRACTION.sub(r"\1/\2", rest)).strip()
        return ""


def is_unseen(instruction: str) -> bool:
    """Whether Word shows nothing of a field with this code."""
    words = instruction.split(maxsplit=1)
    return bool(words) and words[0].upper() in _UNSEEN


def _form_state(begin: etree._Element) -> str:
    """The state of a tick box or a list of choices; empty for other fields."""
    box, choices = begin.find(f"{W}ffData/{W}checkBox"), begin.find(f"{W}ffData/{W}ddList")
    if box is not None:
        state = box.find(W + "checked")
        state = box.find(W + "default") if state is None else state
        return "☒" if state is not None and state.get(W + "val", "1") not in _OFF else "☐"
    if choices is None:
        return ""
    entries = [entry.get(W + "val", "") for entry in choices.iter(W + "listEntry")]
    chosen = choices.find(W + "result")
    chosen = choices.find(W + "default") if chosen is None else chosen
    number = chosen.get(W + "val", "0") if chosen is not None else "0"
    return entries[int(number)] if number.isdigit() and int(number) < len(entries) else ""
