"""Leaves out what a model thinks aloud: reasoning models write it between tags in the text of their reply."""

from __future__ import annotations

import re

_NAMES = "think|thinking|thought|thoughts|reasoning|reflection|scratchpad"
_OPEN = re.compile(rf"<({_NAMES})>|\[THINK\]|<\|begin_of_thought\|>|◁think▷", re.IGNORECASE)
_CLOSE = re.compile(rf"</(?:{_NAMES})>|\[/THINK\]|<\|end_of_thought\|>|◁/think▷", re.IGNORECASE)
_LONGEST_TAG = 24
_MAYBE_TAG = re.compile(r"[<\[◁][^<\[◁>\]▷\s]{0,22}\Z")


class ThoughtFilter:
    """Takes the pieces of a stream and gives back their text without thoughts. A tag may be divided between pieces."""

    def __init__(self) -> None:
        self._buffer = ""
        self._inside = False
        self.seen = False
        """Whether a thought was left out."""

    def feed(self, text: str) -> str:
        self._buffer += text
        out = ""
        while True:
            match = (_CLOSE if self._inside else _OPEN).search(self._buffer)
            stray = None if self._inside else _CLOSE.search(self._buffer)
            if stray is not None and (match is None or stray.start() < match.start()):
                out, self._buffer = out + self._buffer[: stray.start()], self._buffer[stray.end() :]
                continue
            if match is None:
                break
            out += "" if self._inside else self._buffer[: match.start()]
            self._buffer, self._inside = self._buffer[match.end() :], not self._inside
            self.seen = True
        return out + self._ready()

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
        rest, self._buffer = ("" if self._inside else self._buffer), ""
        return rest
