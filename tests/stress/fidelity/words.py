"""Compares the words that a page shows with those that are stored, in order and both ways."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher

_WORD = re.compile(r"[^\W\d]+|\d+")
_RAISED = re.compile("[⁰¹²³⁴-⁹]+")
_MARKER = re.compile(
    r"^\[(?:Headers|Footers|Footnotes|Endnotes|Text boxes|Text box|Layout|Watermark|WordArt|Chart|Diagram|Notes|Form fields|"
    r"Typed onto the page|Picture \d+|Sheet: [^\]]*|Hidden sheet: [^\]]*|Hidden slide)\]$",
    re.MULTILINE,
)
"""Lines that a reader writes to say what follows."""


@dataclass(slots=True)
class Difference:
    seen: int = 0
    """Words that are shown."""
    stored: int = 0
    missing: Counter[str] = field(default_factory=Counter)
    """Seen, and neither stored nor told."""
    told: int = 0
    """Seen, and kept apart: struck or deleted words, which a page shows, too."""
    unseen: Counter[str] = field(default_factory=Counter)
    """Stored, and not seen."""
    moved: int = 0
    """Stored in another place."""

    def add(self, other: Difference) -> None:
        self.seen += other.seen
        self.stored += other.stored
        self.told += other.told
        self.moved += other.moved
        self.missing += other.missing
        self.unseen += other.unseen


def words_of(text: str) -> list[str]:
    """The words, without case, raised digits as digits."""
    apart = _RAISED.sub(r" \g<0> ", text).replace("\xad", "").replace("_", " ")
    return _WORD.findall(unicodedata.normalize("NFKC", apart).casefold())


def stored_words(text: str) -> list[str]:
    return words_of(_MARKER.sub("", text))


def told_words(details: Mapping[str, object]) -> Counter[str]:
    """The words that are listed beside the text."""
    found: Counter[str] = Counter()
    for name in ("tracked_changes", "hidden_text", "comments"):
        entries = details.get(name, ())
        assert isinstance(entries, Sequence)
        for entry in entries:
            found.update(words_of(str(entry["text"]) if isinstance(entry, Mapping) else str(entry)))
    return found


def compare(seen: Sequence[str], stored: Sequence[str], told: Counter[str] | None = None) -> Difference:
    matcher = SequenceMatcher(None, seen, stored, autojunk=len(seen) > 2000)
    gone: Counter[str] = Counter()
    more: Counter[str] = Counter()
    for kind, a, b, c, d in matcher.get_opcodes():
        if kind != "equal":
            gone.update(seen[a:b])
            more.update(stored[c:d])
    missing, unseen = gone - more, more - gone
    kept_apart = missing & (told or Counter())
    return Difference(
        len(seen), len(stored), missing - kept_apart, kept_apart.total(), unseen, (gone & more).total()
    )  # fmt: skip
