"""Interprets RTF tokens and writes the text of each destination."""

from __future__ import annotations

import codecs
from dataclasses import dataclass, field, replace
from typing import Any

from orderly.services.document_processor.blocks import Blocks
from orderly.services.document_processor.drafts import raised_digits
from orderly.services.document_processor.rtf_control_words import (
    ESCAPED,
    FORMATS,
    FORMS,
    GROUNDS,
    SIGNS,
    SKIPPED,
    STREAMS,
    TABLES,
    TRANSPARENT,
    UNITS,
)
from orderly.services.document_processor.rtf_tables import Tables
from orderly.services.document_processor.rtf_tokens import Token
from orderly.services.document_processor.symbol_fonts import as_drawn

BODY = "Body"
_DISCARDED = ""
_FIELD = "fldinst"
_TINY = 2
"""Size of letters that nobody sees, in half points."""
_DEFINITIONS = TABLES | FORMS

_PLAIN: dict[str, Any] = dict.fromkeys(("hidden", "deleted", "struck", "raised", "tiny", "white"), False)


@dataclass(frozen=True, slots=True)
class _State:
    """Formatting state, inherited by groups and restored at their end."""

    destination: str = BODY
    font: int = -1
    skip: int = 1
    """Fallback bytes after a Unicode character, for programs without Unicode support (\\uc)."""
    deleted: bool = False
    hidden: bool = False
    struck: bool = False
    raised: bool = False
    tiny: bool = False
    white: bool = False
    shaded: bool = False
    """White letters can be read on the ground of the words."""
    in_table: bool = False
    outline: int | None = None
    starred: bool = False
    """The group began with \\*: its destination may be ignored."""


@dataclass(slots=True)
class _Stream:
    blocks: Blocks = field(default_factory=Blocks)
    line: list[str] = field(default_factory=list)
    cells: list[str] = field(default_factory=list)
    after_row: bool = False


class RtfWalker:
    """Interprets tokens passed to `take` in order; `finish` completes the text."""

    def __init__(self) -> None:
        self.streams: dict[str, _Stream] = {BODY: _Stream()}
        self.deleted: list[str] = []
        self.hidden: list[str] = []
        self.struck: list[str] = []
        self.unclosed = False
        self._state = _State()
        self._stack: list[_State] = []
        self._tables = Tables()
        self._shaded_row = False
        self._encoding = "cp1252"
        self._bytes = b""
        self._to_skip = 0
        self._high = 0
        self._notes = 0
        self._last: list[str] | None = None
        self._done = False

    def take(self, token: Token) -> None:
        if self._done:
            return
        if token.kind in ("hex", "text"):
            skipped = min(self._to_skip, len(token.value))
            self._to_skip -= skipped
            self._bytes += token.value[skipped:]
            return
        if self._bytes:
            self._decode()
        self._to_skip = 0
        if token.kind == "open":
            self._stack.append(self._state)
            self._set(starred=False)
        elif token.kind == "close":
            self._close_group()
        elif token.kind == "word":
            self._control_word(token.value.decode("ascii"), token.number)
        elif token.value == b"*":
            self._state = replace(self._state, starred=True)
        else:
            self._write(ESCAPED.get(token.value, ""))

    def finish(self) -> None:
        self._decode()
        self.unclosed = not self._done
        for name in self.streams:
            self._end_paragraph(name)

    def _close_group(self) -> None:
        ended = self._state.destination
        if self._stack:
            self._state = self._stack.pop()
        if ended in self.streams and ended != self._state.destination:
            self._end_paragraph(ended)
        self._done = not self._stack
        if ended == _FIELD and self._state.destination in self.streams:
            self._write(self._tables.take_form())

    def _control_word(self, word: str, number: int | None) -> None:
        state = self._state
        if state.starred and word not in STREAMS:
            self._enter_ignorable(word)
        elif word in TABLES or word in SKIPPED:
            self._state = replace(state, destination=word if word in TABLES else _DISCARDED)
        elif word == _FIELD:
            self._state = replace(state, destination=_FIELD)
        elif word in STREAMS and state.destination not in (_DISCARDED, _FIELD):
            self._enter(STREAMS[word])
        elif state.destination in _DEFINITIONS:
            self._define(word, number)
        elif word == "u" and number is not None:
            self._write_unicode(number % 0x10000)
        elif word in SIGNS:
            self._write(SIGNS[word])
        elif word in UNITS:
            self._end_unit(word)
        elif word in FORMATS:
            self._set_format(word, number)

    def _enter_ignorable(self, word: str) -> None:
        destination = BODY if word == "ud" else self._state.destination if word in TRANSPARENT else _DISCARDED
        if word in FORMS or word == _FIELD:
            destination = word
        self._state = replace(self._state, starred=False, destination=destination)

    def _enter(self, name: str) -> None:
        if name == "Footnotes":
            self._notes += 1
            self._write(f"[{self._notes}]")
        self._state = _State(destination=name, font=self._state.font, skip=self._state.skip)
        self.streams.setdefault(name, _Stream())
        if name == "Footnotes":
            self._write(f"[{self._notes}] ")

    def _define(self, word: str, number: int | None) -> None:
        if number is not None and word == "f":
            self._state = replace(self._state, font=number)
        elif number is not None:
            self._tables.define(word, number, self._state.font)

    def _set_format(self, word: str, number: int | None) -> None:
        on = number != 0
        if word == "pard":
            self._set(in_table=False, outline=None, shaded=False)
        elif word == "plain":
            self._set(**_PLAIN)
        elif word == "trowd":
            self._shaded_row = False
        elif word == "intbl":
            self._set(in_table=on)
        elif word in ("v", "htmlrtf"):
            self._set(hidden=on)
        elif word in ("super", "up", "nosupersub"):
            self._set(raised=on and word != "nosupersub")
        elif word in ("strike", "striked"):
            self._set(struck=on)
        elif word == "deleted":
            self._set(deleted=on)
        elif number is not None:
            self._set_number(word, number)

    def _set_number(self, word: str, number: int) -> None:
        if word == "f":
            self._set(font=number)
        elif word == "fs":
            self._set(tiny=number <= _TINY)
        elif word == "cf":
            self._set(white=self._tables.is_white(number))
        elif word in GROUNDS:
            self._set(shaded=number != 0)
        elif word == "clcbpat":
            self._shaded_row = self._shaded_row or not self._tables.is_white(number)
        elif word == "uc":
            self._set(skip=max(number, 0))
        elif word == "s":
            self._set(outline=self._tables.outlines.get(number))
        elif word == "outlinelevel":
            self._set(outline=number if number < 9 else None)
        elif word == "ansicpg":
            self._encoding = _known_encoding(f"cp{number}")

    def _set(self, **wanted: Any) -> None:
        """Changes the state, which most control words leave as it is."""
        state = self._state
        for name, value in wanted.items():
            if getattr(state, name) != value:
                self._state = replace(state, **wanted)
                return

    def _write_unicode(self, value: int) -> None:
        self._to_skip = self._state.skip
        if 0xD800 <= value < 0xDC00:
            self._high = value
        elif 0xDC00 <= value < 0xE000:
            if self._high:
                self._write(chr(0x10000 + ((self._high - 0xD800) << 10) + value - 0xDC00))
            self._high = 0
        else:
            self._write(chr(value))

    def _decode(self) -> None:
        encoding = self._tables.fonts.get(self._state.font, self._encoding)
        text, self._bytes = self._bytes.decode(encoding, errors="replace"), b""
        self._write(text)

    def _write(self, text: str) -> None:
        state = self._state
        if state.destination == "colortbl":
            self._tables.end_colours(text)
        elif state.destination == "ffl":
            self._tables.add_choice(text)
        elif state.destination == "fonttbl":
            self._tables.name_font(state.font, text)
        if state.destination not in self.streams or not text:
            return
        if state.font in self._tables.symbols:
            text = as_drawn(text, self._tables.symbols[state.font])
        hidden = state.hidden or state.tiny or (state.white and not state.shaded and not (state.in_table and self._shaded_row))
        if state.deleted or hidden or state.struck:
            target = self.deleted if state.deleted else self.hidden if hidden else self.struck
            if self._last is target:
                target[-1] += text
            elif text.strip():
                target.append(text)
                self._last = target
            return
        self._last = None
        self.streams[state.destination].line.append(raised_digits(text) if state.raised else text)

    def _end_unit(self, word: str) -> None:
        name = self._state.destination
        if name not in self.streams:
            return
        stream = self.streams[name]
        if word == "cell":
            stream.cells.append("".join(stream.line).strip(" \n"))
            stream.line.clear()
        elif word == "row":
            stream.blocks.write("\t".join(stream.cells).rstrip("\t"), "\n" if stream.after_row else "\n\n")
            stream.cells.clear()
            stream.after_row = True
        elif self._state.in_table:
            stream.line.append("\n")
        else:
            self._end_paragraph(name)

    def _end_paragraph(self, name: str) -> None:
        stream = self.streams[name]
        text = "".join([*stream.cells, *stream.line]).strip(" \n")
        stream.line.clear()
        stream.cells.clear()
        if text and self._state.outline is not None and name == BODY:
            stream.blocks.write_heading(text, self._state.outline + 1)
        else:
            stream.blocks.write(text)
        stream.after_row = stream.after_row and not text


def _known_encoding(encoding: str) -> str:
    try:
        return codecs.lookup(encoding).name
    except LookupError:
        return "cp1252"
