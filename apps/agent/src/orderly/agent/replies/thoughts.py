"""Leaves out what a model thinks aloud: reasoning models write it between tags in the text of their reply."""

from __future__ import annotations

import re
from dataclasses import dataclass

_NAMES = "think|thinking|thought|thoughts|reasoning|reflection|scratchpad"
_OPEN = re.compile(rf"<({_NAMES})>|\[THINK\]|<\|begin_of_thought\|>|◁think▷|<\|channel\|>analysis", re.IGNORECASE)
_CLOSE = re.compile(rf"</(?:{_NAMES})>|\[/THINK\]|<\|end_of_thought\|>|◁/think▷|(?P<part><\|end\|>)", re.IGNORECASE)
_MARKS = re.compile(r"<\|start\|>assistant|<\|channel\|>final|<\|(?:message|end|return)\|>")
"""Marks of the parts of a reply, as gpt-oss writes them."""

_LONGEST_TAG = 24
_MAYBE_TAG = re.compile(r"(?:[<\[◁][^<\[◁>\]▷\s]{0,22}|<\|(?:channel|start)\|>[a-z]{0,10})\Z")


@dataclass
class Habits:
    """What earlier replies of a model showed, for its next ones."""

    ends_thoughts_only: bool = False
    """Whether the model's thoughts have an end tag but no first one, because its template begins them in the prompt."""


class ThoughtFilter:
    """Takes the pieces of a stream and gives back their text without thoughts. A tag may be divided between pieces.

    Args:
        habits: Of the model; this reply changes them. Thoughts without a first tag are known from the second reply on.
    """

    def __init__(self, habits: Habits | None = None) -> None:
        self._habits = habits or Habits()
        self._buffer = ""
        self._inside = False
        self._begins_inside = self._habits.ends_thoughts_only

    def feed(self, text: str) -> str:
        self._buffer += text
        if self._begins_inside and not self._leave_beginning():
            return ""
        out = ""
        while match := self._next_mark():
            out += "" if self._inside else self._buffer[: match.start()]
            opens = not self._inside and _OPEN.fullmatch(match[0]) is not None
            if not (opens or self._inside or match.lastgroup == "part" or _MARKS.fullmatch(match[0])):
                self._habits.ends_thoughts_only = True
            self._buffer, self._inside = self._buffer[match.end() :], opens
        return out + self._ready()

    def _leave_beginning(self) -> bool:
        """Whether the thoughts with which the reply begins are over."""
        end, begin = _CLOSE.search(self._buffer), _OPEN.search(self._buffer)
        if end is None and begin is None:
            return False
        if end is not None and (begin is None or end.start() < begin.start()):
            self._buffer = self._buffer[end.end() :]
        self._begins_inside = False
        return True

    def _next_mark(self) -> re.Match[str] | None:
        kinds = (_CLOSE,) if self._inside else (_OPEN, _CLOSE, _MARKS)
        found = [match for kind in kinds if (match := kind.search(self._buffer))]
        return min(found, key=lambda match: match.start(), default=None)

    def _ready(self) -> str:
        """The part of the buffer that can hold no beginning of a tag."""
        if self._inside:
            self._buffer = self._buffer[-_LONGEST_TAG:]
            return ""
        maybe = _MAYBE_TAG.search(self._buffer)
        cut = maybe.start() if maybe else len(self._buffer)
        ready, self._buffer = self._buffer[:cut], self._buffer[cut:]
        return ready

    def rest(self) -> str:
        """The text that was held back for a tag that did not come."""
        if self._begins_inside and self._buffer.strip():
            self._habits.ends_thoughts_only = False
        rest, self._buffer = ("" if self._inside else self._buffer), ""
        return rest
