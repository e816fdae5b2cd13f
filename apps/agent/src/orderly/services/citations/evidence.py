"""What the spans of an answer rest on: quotations and citations with the provisions around them, and all that was read."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import log

from orderly.services.citations.checks import Verdict
from orderly.services.citations.provisions import Provision
from orderly.services.citations.spans import AnswerSpan
from orderly.services.support import Figure, content_stems, figures, has_figure, plain_text

_NEAR_SHARE, _NEAR_WORDS = 0.4, 4
"""Share and number of a span's words that a provision which nobody cites must have, to be compared with it."""
_NUMBER_BEHIND = re.compile(r"[ \t]*\[\d{1,3}\]")
NUMBER_BRACKET = re.compile(r"\[\d{1,3}\]")


@dataclass(slots=True)
class Bound:
    """A quotation or a citation in the answer as shown, with where it stands."""

    start: int
    end: int
    quoted: bool
    provisions: Sequence[Provision] = ()
    citations: Sequence[str] = ()
    """Ids of the stored citations."""
    verdict: Verdict = "supported"
    reason: str = ""
    place: str = ""
    left_out: str = ""
    """Words that a quotation leaves out and that reverse it."""
    is_named: bool = False
    """Whether the answer names the place in its own words, which stay part of the sentence."""
    is_own: bool = False
    """Whether the quoted words are the writer's or the user's."""


@dataclass(slots=True)
class Judged:
    span: AnswerSpan
    own: str
    """Its words without quotations, citations and markup."""
    said: str
    """Its words as shown, without numbers of sources and markup."""
    bounds: Sequence[Bound]
    evidence: Sequence[Provision]
    """What it rests on by itself, else by its row, item or block."""
    is_near: bool = True
    """Whether the evidence is that of the span, its row, item or block."""
    near: Sequence[Provision] = ()
    """Of a span that nothing is cited for: the provisions read that have most of its words."""
    verdict: Verdict = "own words"
    reason: str = ""
    place: str = ""


@dataclass
class ReadTexts:
    """Everything that a thread was shown."""

    documents: Sequence[tuple[str, str]]
    """Id and text of what was read of each document."""
    others: Sequence[str] = ()
    """Results of tools that are no document's text: lists, counts, names of files."""
    asked: str = ""
    """The user's messages."""
    provisions: Sequence[Provision] = ()
    """All provisions of the documents read."""
    names: Mapping[str, str] = field(default_factory=dict)
    is_partial: bool = False
    """Whether some of it can no longer be read, so that nothing is known to stand nowhere."""

    def has(self, figure: Figure) -> bool:
        return self.is_partial or any(has_figure(figure, t) for t in (*(text for _, text in self.documents), *self.others))

    @cached_property
    def amounts(self) -> Sequence[Figure]:
        """The sums of money of all documents read."""
        return [f for _, text in self.documents for f in figures(text) if f.kind == "money"]

    @cached_property
    def _spread(self) -> Counter[str]:
        """In how many provisions each word stands."""
        return Counter(stem for provision in self.provisions for stem in provision.stems)

    def weight(self, stems: set[str]) -> float:
        """The weight of words by how rare they are in what was read: 1 for one provision, 0 for all."""
        count = len(self.provisions)
        return sum(log(1 + count / (1 + self._spread[stem])) / log(1 + count) for stem in stems)


class Joining:
    """Joins the spans of one answer with what they rest on."""

    def __init__(self, text: str, spans: Sequence[AnswerSpan], bounds: Sequence[Bound], read: ReadTexts) -> None:
        self.text, self.spans, self.bounds, self.read = text, spans, bounds, read

    @cached_property
    def joined(self) -> list[Judged]:
        """The spans with their quotations, citations and evidence, not yet judged."""
        found = [self._read_span(span) for span in self.spans if span.kind != "columns"]
        for judged in found:
            if not judged.evidence:
                judged.evidence, judged.is_near = self._inherited(judged.span, found)
                judged.near = self._nearest(judged)
        return found

    def _read_span(self, span: AnswerSpan) -> Judged:
        bounds = [b for b in self.bounds if span.start <= b.start < span.end]
        own = self._without(span, bounds, " ")
        for name in self.read.names.values():
            own = own.replace(name.rpartition(".")[0] or name, " ")  # its digits are no figures
        said = plain_text(_NUMBER_BEHIND.sub("", self.text[span.start : span.end]))
        return Judged(span, own, said, bounds, provisions_of(bounds))

    def _without(self, span: AnswerSpan, bounds: Sequence[Bound], instead: str) -> str:
        parts, at = [], span.start
        for bound in sorted(bounds, key=lambda b: b.start):
            parts += [self.text[at : bound.start], instead if bound.quoted and not bound.is_own else " "]
            if bound.is_own or bound.is_named:
                parts[-1] = self.text[bound.start : bound.end]
            at = max(at, min(bound.end, span.end))
        return " ".join(plain_text(NUMBER_BRACKET.sub(" ", "".join([*parts, self.text[at : span.end]]))).split())

    def _inherited(self, span: AnswerSpan, found: Sequence[Judged]) -> tuple[Sequence[Provision], bool]:
        """Evidence of the span's row or item, its block, the block that it introduces, its part of the answer, all of it.

        Also whether it is that of its row, item or block.
        """
        groups: tuple[Callable[[AnswerSpan], bool], ...] = (
            lambda other: other.item == span.item,
            lambda other: other.block == span.block,
            lambda other: other.block == span.block + 1 and span.introduces,
            lambda other: other.block == span.block - 1 and other.introduces,
            lambda other: other.section == span.section and other.start > span.start,
            lambda other: True,
        )
        for n, belongs in enumerate(groups):
            if evidence := provisions_of([b for one in found if belongs(one.span) for b in one.bounds]):
                return evidence, n < 4
        return (), False

    def _nearest(self, judged: Judged) -> Sequence[Provision]:
        """The provisions read that have most of a span's words, where nothing is cited for it."""
        stems = content_stems(judged.own)
        scored = [(len(p.stems & stems), p) for p in self.read.provisions]
        good = [(n, p) for n, p in scored if n >= _NEAR_WORDS and n >= _NEAR_SHARE * len(stems)]
        return [p for _, p in sorted(good, key=lambda one: -one[0])[:2]]


def provisions_of(bounds: Sequence[Bound]) -> list[Provision]:
    return list(dict.fromkeys(p for b in bounds for p in b.provisions))
