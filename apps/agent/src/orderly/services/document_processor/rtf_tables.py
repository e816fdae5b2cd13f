"""What an RTF file defines for its text: encodings of fonts, outline levels of styles, colours, states of form fields."""

from __future__ import annotations

from dataclasses import dataclass, field

from orderly.services.document_processor.rtf_control_words import CHARSETS
from orderly.services.document_processor.symbol_fonts import is_symbol_font

_NEARLY_WHITE = 0xF0
_TICK_BOX, _CHOICES = 1, 2
_AS_PRESET = 25
"""State of a form field that nobody has changed."""


@dataclass(slots=True)
class _Form:
    kind: int = 0
    state: int = _AS_PRESET
    preset: int = 0
    entries: list[str] = field(default_factory=list)

    def shown(self) -> str:
        state = self.preset if self.state == _AS_PRESET else self.state
        if self.kind == _TICK_BOX:
            return "☒" if state else "☐"
        return self.entries[state] if self.kind == _CHOICES and 0 <= state < len(self.entries) else ""


@dataclass(slots=True)
class Tables:
    fonts: dict[int, str] = field(default_factory=dict)
    """Encodings by number of the font."""
    outlines: dict[int, int] = field(default_factory=dict)
    """Levels by number of the style."""
    symbols: dict[int, str] = field(default_factory=dict)
    """Names of symbol fonts by number of the font."""
    _style: int = 0
    _white: set[int] = field(default_factory=set)
    _colours: int = 0
    _colour: dict[str, int] = field(default_factory=dict)
    _form: _Form = field(default_factory=_Form)

    def define(self, word: str, number: int, font: int) -> None:
        """Takes a control word of a table. `font`: the one that is defined."""
        if word == "fcharset" and number in CHARSETS:
            self.fonts[font] = CHARSETS[number]
        elif word == "s":
            self._style = number
        elif word == "outlinelevel" and number < 9:
            self.outlines[self._style] = number
        elif word in ("red", "green", "blue"):
            self._colour[word] = number
        elif word == "fftype":
            self._form = _Form(number)
        elif word == "ffres":
            self._form.state = number
        elif word == "ffdefres":
            self._form.preset = number

    def name_font(self, number: int, text: str) -> None:
        name = text.strip().rstrip(";")
        if is_symbol_font(name):
            self.symbols[number], self.fonts[number] = name, "latin-1"

    def end_colours(self, text: str) -> None:
        """Takes text of the colour table: a semicolon ends each colour."""
        for _ in range(text.count(";")):
            if len(self._colour) == 3 and min(self._colour.values()) >= _NEARLY_WHITE:
                self._white.add(self._colours)
            self._colours += 1
            self._colour = {}

    def is_white(self, colour: int) -> bool:
        return colour in self._white

    def add_choice(self, text: str) -> None:
        self._form.entries.append(text.strip())

    def take_form(self) -> str:
        """What the form field shows that was defined last: a tick box, a choice; empty if there is none."""
        form, self._form = self._form, _Form()
        return form.shown()
