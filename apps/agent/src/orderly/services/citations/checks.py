"""The record of what was checked: one verdict for each span of an answer, and the list of those that are told."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

Verdict = Literal["supported", "calculated", "own words", "no source", "contradicted", "not found"]
TOLD: tuple[Verdict, ...] = ("contradicted", "not found")
HEADING = "Check before you rely on it:"
_SHOWN = 140
"""Characters of a span that the list repeats."""


@dataclass(frozen=True, slots=True)
class Check:
    """`start` and `end`: the span, in code points of the text shown."""

    start: int
    end: int
    verdict: Verdict
    reason: str = ""
    """One sentence; empty unless the verdict is told or the value is calculated."""
    citations: tuple[str, ...] = ()
    """Ids of the stored citations that the span rests on."""
    place: str = ""
    """The place that contradicts it, as citations are written."""

    def record(self) -> dict[str, Any]:
        return {
            "start": self.start,
            "end": self.end,
            "verdict": self.verdict,
            "reason": self.reason,
            "citations": list(self.citations),
            "place": self.place,
        }


def listed(text: str, checks: Sequence[Check], notes: Sequence[str] = ()) -> str:
    """The list that stands last before the sources; empty if nothing is told and there are no notes.

    Args:
        text: The answer as shown.
        checks: Its checks.
        notes: What else is told of the whole answer: that a second reader failed.
    """
    lines = [f"- {_shortened(text[one.start : one.end])} — {one.reason}" for one in checks if one.verdict in TOLD]
    lines += [f"- {note}" for note in notes]
    if not lines:
        return ""
    return "\n".join(["", "", HEADING, *lines])


def _shortened(span: str) -> str:
    """The beginning of a span on one line, without marks of Markdown and of quotations, so that the list quotes nothing."""
    flat = " ".join(_INNER.sub(r"‘\1’", _NUMBER.sub("", span)).translate(_PLAIN).split()).rstrip(" .:;,")
    return flat if len(flat) <= _SHOWN else f"{flat[:_SHOWN].rsplit(' ', 1)[0]} …"


_NUMBER = re.compile(r"[ \t]*\[\d{1,3}\]")
_INNER = re.compile(r"\"([^\"\n]*)\"")
_PLAIN = str.maketrans(
    {"*": None, "`": None, "|": " ", "#": None, "“": "‘", "”": "’", '"': "’", "[": "(", "]": ")", "<": " ", ">": " "}
)
