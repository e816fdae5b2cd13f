"""Judges the spans of an answer by rule: their figures, names and references against the provisions that they rest on.

A span is compared with the whole provision of each place that it quotes or cites, then with those of its row, item and block,
then with everything that was read. Only what a provision contradicts and what stands nowhere is told.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from orderly.services.calculation import follows, is_derived, wrong_calculations
from orderly.services.citations.checks import Verdict
from orderly.services.citations.cuts import conveys
from orderly.services.citations.evidence import NUMBER_BRACKET, Bound, Joining, Judged, provisions_of
from orderly.services.citations.provisions import Provision
from orderly.services.citations.spans import AnswerSpan
from orderly.services.support import (
    Figure,
    are_same,
    around,
    content_stems,
    figures,
    find_altered,
    has_figure,
    plain_text,
    read_facts,
    unknown_names,
)

COMPUTED = ("money", "date")
"""Kinds that an answer computes more often than it reports them: derived before they are compared."""
LEAST_SHARED = 2
"""Words that the surroundings of two figures of one unit share, so that a provision's contradicts the answer's."""
_BESIDE, _FIRST = 3, 4
"""Spans, itself and the next ones, in which a sentence's quotation stands. First words of those that a quotation leaves out."""
_ARTICLES = ("a ", "an ")
"""Before "year" or "month" they say how often or how long as often as how many."""
LEAST_WEIGHT, WIDE = 1.5, 14
"""Their weight where nobody cites the provision (a word that one provision alone has weighs 1), and how far they are read.
Measured on two sets of recorded answers: of right figures one in 230 has more, of wrong ones a quarter."""


@dataclass(frozen=True, slots=True)
class Rival:
    """A figure of a provision that could stand in place of a span's."""

    known: Figure
    provision: Provision
    context: set[str]

    def told(self, figure: Figure) -> tuple[Verdict, str, str]:
        place, words = self.provision.place, " ".join(self.known.words.split())
        return "contradicted", f"{place} says “{words}”, not “{figure.words.strip()}”.", place


def _rivals(figure: Figure, provision: Provision, said: Sequence[Figure], reach: int = 9) -> Iterator[Rival]:
    """Figures of the same unit and form that the span does not say."""
    for known in figures(provision.text):
        is_like = known.kind == figure.kind and known.unit == figure.unit
        if figure.kind == "share":
            is_like = is_like and ("%" in known.words or "cent" in known.words) == (
                "%" in figure.words or "cent" in figure.words
            )
        if is_like and not any(are_same(known, one) for one in said):
            yield Rival(known, provision, around(provision.text, known, reach))


class Judge(Joining):
    """Judges one answer."""

    def judge(self) -> list[Judged]:
        return [self._judged(judged) for judged in self.joined]

    # ---------------------------------------------------------------- one span

    def _judged(self, judged: Judged) -> Judged:
        for find in (self._told_bound, self._cut, self._altered, self._wrong_calculation, self._wrong_figure, self._unknown):
            if found := find(judged):
                judged.verdict, judged.reason, judged.place = found
                return judged
        is_quoted = any(b.quoted and b.citations for b in judged.bounds)  # a term of a few words gets no number
        if judged.verdict == "own words" and (is_quoted or (judged.evidence and judged.is_near and figures(judged.own))):
            judged.verdict = "supported"  # what only cites a place says nothing that a rule can compare
        return judged

    def _told_bound(self, judged: Judged) -> tuple[Verdict, str, str] | None:
        return next(((b.verdict, b.reason, b.place) for b in judged.bounds if b.reason and not self._is_drafted(b)), None)

    def _is_drafted(self, bound: Bound) -> bool:
        """Whether the answer names a clause that it drafts itself."""
        label = self.text[bound.start : bound.end].split()[-1:] if bound.is_named and not bound.provisions else ()
        return any(re.search(rf"^[\W_]{{0,8}}{re.escape(one)}(?![\w.])", self.text, re.MULTILINE) for one in label)

    def _cut(self, judged: Judged) -> tuple[Verdict, str, str] | None:
        """A quotation that leaves out what reverses it, where the answer's own words do not say so."""
        for bound in judged.bounds:
            if bound.left_out and not conveys(self._around(judged)) and not self._is_beside(bound.left_out, judged):
                place = bound.provisions[0].place if bound.provisions else ""
                return "contradicted", f"The quotation leaves out these words of its sentence: “{bound.left_out}”.", place
        return None

    def _around(self, judged: Judged) -> str:
        """The answer's own words in the span's item, and those right before it."""
        own = [one.own for one in self.joined if one.span.item == judged.span.item]
        before = [one.own for one in self.joined if one.span.end <= judged.span.start][-1:]
        return " ".join([*before, *own])

    def _altered(self, judged: Judged) -> tuple[Verdict, str, str] | None:
        """A word by which a sentence that repeats the quotation beside it says something else."""
        at = self.joined.index(judged)
        for one in self.joined[max(at - 1, 0) : at + _BESIDE]:
            for bound in one.bounds:
                words = self.text[bound.start : bound.end] if bound.quoted and bound.citations else ""
                if words and (word := find_altered(judged.own, words)):
                    place = bound.provisions[0].place if bound.provisions else ""
                    return "contradicted", f"The words quoted beside it do not say “{word}”.", place
        return None

    def _is_beside(self, left_out: str, judged: Judged) -> bool:
        """Whether the answer has the words left out, or their first ones, beside the quotation."""
        first = " ".join(plain_text(left_out).split()[:_FIRST])
        return first in " ".join(self._near_text(judged).split())

    def _wrong_calculation(self, judged: Judged) -> tuple[Verdict, str, str] | None:
        block = self._block(judged.span)
        for found in wrong_calculations(judged.own, block):
            said = judged.own[found.start : found.end].strip()
            return "contradicted", f"By its own figures, “{said}” comes out as {found.value}{_how(found.how)}.", ""
        return None

    def _block(self, span: AnswerSpan) -> str:
        inside = [s for s in self.spans if s.block == span.block]
        return self.text[inside[0].start : inside[-1].end] if inside else ""

    def _wrong_figure(self, judged: Judged) -> tuple[Verdict, str, str] | None:
        said = (f for f in figures(judged.own) if not f.words.strip().lower().startswith(_ARTICLES))
        return next((told for f in said if not self._stands_near(judged, f) and (told := self._figure(judged, f))), None)

    def _figure(self, judged: Judged, figure: Figure) -> tuple[Verdict, str, str] | None:
        is_late = figure.kind in COMPUTED
        if not is_late and (found := self._contradicted(judged, figure, surely=True)):
            return found
        how = self._follows(judged, figure)
        if how is None and is_late and self._is_explained(judged, figure):
            how = "from other figures of the answer"
        if how is None and (found := self._contradicted(judged, figure)):
            return found
        is_new = judged.verdict == "own words"
        if how is not None:
            judged.verdict, judged.reason = ("calculated", how) if is_new else (judged.verdict, judged.reason)
        elif self.read.has(figure):
            judged.verdict = "no source" if is_new else judged.verdict
        elif self._must_stand(judged, figure) and not self._is_explained(judged, figure):
            words = figure.words.strip()
            return "not found", f"“{words}” stands in nothing that was read, and follows from nothing there.", ""
        return None

    def _stands_near(self, judged: Judged, figure: Figure) -> bool:
        """Whether a figure stands in what the span rests on, in the question, or in the words that it quotes."""
        near = provisions_of(judged.bounds) or judged.evidence
        quoted = (f for b in judged.bounds if b.quoted for f in self._quoted(b))
        return (
            any(has_figure(figure, p.all) for p in near)
            or has_figure(figure, self.read.asked)
            or any(are_same(figure, other) for other in quoted)
        )

    def _quoted(self, bound: Bound) -> Sequence[Figure]:
        return figures(" ".join(self.text[bound.start : bound.end].split()))

    def _follows(self, judged: Judged, figure: Figure) -> str | None:
        """How a figure follows from those of its sentence, row or item, the question, and the provisions that these cite."""
        own = provisions_of(judged.bounds) or (judged.evidence if judged.is_near else ())
        is_told = figure.kind == "period"  # a provision states these, and other figures of it yield any by chance
        provisions = read_facts("" if is_told else "\n".join(dict.fromkeys(p.text for p in own)))
        block, question = read_facts(self._near_text(judged)), read_facts(self.read.asked)
        return follows(figure.value, read_facts(judged.own), block, provisions, question)

    def _must_stand(self, judged: Judged, figure: Figure) -> bool:
        """Whether a figure is of a kind that an answer takes from a document, in a span that speaks of one."""
        if figure.kind == "number":
            return bool(figure.named) and judged.is_near
        if figure.kind == "period":
            return bool(provisions_of(judged.bounds))
        if figure.kind == "share" and not any(char.isdigit() for char in figure.words):
            return False  # "two thirds" describes as often as it reports
        is_whole = figure.kind != "date" or figure.value.year is not None
        return is_whole and bool(judged.evidence or judged.near or judged.span.in_draft)

    def _is_explained(self, judged: Judged, figure: Figure) -> bool:
        """Whether the answer derives a figure elsewhere, or has what it follows from."""
        others = [one for one in self.joined if one is not judged]
        if any(are_same(figure, f) and self._follows(one, f) is not None for one in others for f in figures(one.own)):
            return True
        others.sort(key=lambda one: abs(one.span.start - judged.span.start))
        section = [one.said for one in others if one.span.section == judged.span.section]
        rest = [one.said for one in others if one.span.section != judged.span.section]
        near = [judged.own, judged.said, *section, self.read.asked]
        if figure.kind == "share":
            return is_derived(figure, judged.own, near)
        provisions = dict.fromkeys(p.text for p in (*judged.evidence, *self._nearest(judged)))
        return is_derived(figure, judged.own, [*near, *provisions, *rest], self.read.amounts)

    def _near_text(self, judged: Judged) -> str:
        """The answer's words around a span: its table, else its paragraph or item, quotations included."""
        span = judged.span
        inside = [s for s in self.spans if (s.block == span.block if span.kind == "row" else s.item == span.item)]
        text = NUMBER_BRACKET.sub(" ", self.text[inside[0].start : inside[-1].end])
        return text if span.kind == "row" else plain_text(text)

    def _contradicted(self, judged: Judged, figure: Figure, *, surely: bool = False) -> tuple[Verdict, str, str] | None:
        """The figure of the same unit and subject that a provision has, and the span has not.

        `surely`: only where so many words agree that arithmetic which also yields the figure is chance.
        """
        if figure.kind == "number" and not figure.unit:
            return None
        said = figures(judged.own)
        own = provisions_of(judged.bounds)
        rivals = [rival for provision in own for rival in _rivals(figure, provision, said)]
        context = around(judged.own, figure)
        best = max(rivals, key=lambda rival: len(context & rival.context), default=None)
        if best is not None:
            is_only = figure.kind == "period" and len({" ".join(r.known.words.split()) for r in rivals}) == 1
            others = (f for f in said if f.kind == figure.kind and not are_same(f, figure))
            is_only = is_only and not any(has_figure(f, p.text) for f in others for p in own)
            if (is_only and not surely) or len(context & best.context) >= LEAST_SHARED + surely:
                return best.told(figure)
        rivals = [] if own or figure.kind == "date" else [r for p in judged.evidence for r in _rivals(figure, p, said)]
        if rivals and not surely and len({" ".join(r.known.words.split()) for r in rivals}) == 1:
            best = max(rivals, key=lambda rival: len(context & rival.context))
            if len(context & best.context) >= LEAST_SHARED:
                return best.told(figure)
        return None if figure.kind == "date" else self._contradicted_by_subject(judged, figure, said, surely=surely)

    def _contradicted_by_subject(
        self, judged: Judged, figure: Figure, said: Sequence[Figure], *, surely: bool
    ) -> tuple[Verdict, str, str] | None:
        """As above, of any provision read: its figure stands among more of the span's rare words than the span's own does."""
        context, stems = around(judged.own, figure, WIDE), content_stems(judged.said)
        ours, best, most = 0.0, None, 0.0
        for provision in self.read.provisions:
            if len(stems & provision.stems) < LEAST_SHARED:
                continue
            for known in figures(provision.text):
                if known.kind == figure.kind and are_same(known, figure):
                    ours = max(ours, self.read.weight(context & around(provision.text, known, WIDE)))
            for rival in _rivals(figure, provision, said, WIDE):
                if (weight := self.read.weight(context & rival.context)) > most:
                    best, most = rival, weight
        return best.told(figure) if best is not None and most - ours >= LEAST_WEIGHT + surely / 2 else None

    def _unknown(self, judged: Judged) -> tuple[Verdict, str, str] | None:
        """A name that stands in nothing that was read, in a span that rests on a document."""
        if not provisions_of(judged.bounds) or self.read.is_partial:
            return None
        for name in unknown_names(judged.own):
            known = (
                *(text for _, text in self.read.documents),
                *self.read.others,
                self.read.asked,
                *self.read.names.values(),
            )
            if not any(name.casefold().removesuffix("s") in text.casefold() for text in known):
                return "not found", f"“{name}” stands in nothing that was read.", ""
        return None


def _how(how: str) -> str:
    return f" ({how})" if how else ""
