"""Quotations cut out of sentences whose other words reverse or limit them."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from orderly.services.citations.gate import Verified, decide
from orderly.services.text import RevisionView


@dataclass(frozen=True, slots=True)
class Cut:
    kind: str
    view: RevisionView
    quote: str
    left_out: str
    """Words of the sentence that must be told of the quotation."""
    beside: str
    """What the sentence says with these words, before or behind the quotation."""


_RULES: tuple[tuple[str, str], ...] = (
    ("shall not … or", r"(?P<out>\b(?:shall|must|will|may) not)\s+(?:\w+,?\s+){1,12}or\s+(?P<quote>\w[^.;:()\n]{25,160})"),
    ("neither … may", r"(?P<out>\bNeither)\s+(?P<quote>[a-zA-Z][^.;:()\n]{25,200})"),
    ("nothing … obliges", r"(?P<out>\bNothing)\s+(?:\w+\s+){1,12}?(?:shall|will|may|is|obliges?|requires?|prevents?|limits?|construed)\b\s+(?P<quote>\w[^.;:()\n]{25,160})"),
    ("no … shall", r"(?P<out>\bNo)\s+(?P<quote>[a-z]+[^.;:()\n]{0,80}?\b(?:shall|may|will)\b[^.;:()\n]{20,160})"),
    ("prohibited from", r"(?P<out>\b(?:prohibited from|refrain from|precluded from|prevented from|restricted from))\s+(?P<quote>\w[^.;:()\n]{25,160})"),
    ("unless before", r"(?P<out>\bUnless)\s[^.;:()\n]{10,140},\s(?P<quote>[a-z][^.;:()\n]{30,200})"),
    ("except before", r"(?P<out>\bExcept)\s[^.;:()\n]{5,140},\s(?P<quote>[a-z][^.;:()\n]{30,200})"),
    ("unless after", r"(?P<quote>\b[A-Z][^.;:()\n]{40,220}?),?\s+(?P<out>unless)\s[^.;:()\n]{10,200}"),
    ("except after", r"(?P<quote>\b[A-Z][^.;:()\n]{40,220}?),?\s+(?P<out>except)\s(?:as|for|that|to|in|where|with|if)[^.;:()\n]{10,200}"),
    ("without consent after", r"(?P<quote>\b[A-Z][^.;:()\n]{40,220}?),?\s+(?P<out>without)\s+(?:the\s+)?(?:prior|express|written)\b[^.;:()\n]{5,200}consent"),
    ("provided after", r"(?P<quote>\b[A-Z][^.;:()\n]{40,260}?)[,;]\s+(?P<out>provided)(?:,?\s+however,?)?\s+that\b[^.;:()\n]{10,200}"),
    ("list behind not", r"(?P<out>\b(?:shall|must|may|will) not)[^.;:]{0,80}:\s*\(?(?:a|i|1)\)\s[^.;]{10,200};?\s*(?:or|and)?\s*\(?(?:b|ii|2)\)\s(?P<quote>[^.;:()]{25,160})"),
)  # fmt: skip

DENIED = frozenset(kind for kind, _ in _RULES if not re.match("unless|except|without|provided", kind))
DENYING = (
    "The party must not “{q}” [{n}].",
    "The document rules out “{q}” [{n}].",
    "The document forbids this. Its words are “{q}” [{n}].",
    "The clause deals with “{q}” [{n}]. None of that is allowed.",
    "The document does not permit:\n\n- “{q}” [{n}]\n- anything like it\n",
    "The document reads: {beside} “{q}” [{n}].",
    "The words “{beside}” govern what follows: “{q}” [{n}].",
    "| Point | Words |\n|---|---|\n| Not allowed | “{q}” [{n}] |\n",
    "**What is prohibited**\n\n- “{q}” [{n}]\n",
)
"""Answers that use a cut rightly: they deny in their own words what they quote."""
LIMITING = (
    "If the exception does not apply, “{q}” [{n}].",
    "Only if nothing else is agreed does this hold: “{q}” [{n}].",
    "Subject to the rest of the sentence, “{q}” [{n}].",
    "The rule has an exception. It reads “{q}” [{n}].",
    "The rule is “{q}” [{n}]. It does not apply to everything, as the sentence goes on to say.",
    "Save where the document provides otherwise:\n\n- “{q}” [{n}]\n- the rest of the clause applies\n",
    "The words “{beside}” limit the rule that “{q}” [{n}].",
    "| Rule | Words |\n|---|---|\n| Unless excepted | “{q}” [{n}] |\n",
    "**The rule, which is not absolute**\n\n- “{q}” [{n}]\n",
)
"""The same for a condition or exception."""
BESIDE = "The document says: {beside} “{q}” [{n}].", "The document says “{q}” [{n}], {beside}."


def right_uses(cut: Cut) -> Iterator[tuple[str, str]]:
    """Frames, each with its answer."""
    for frame in DENYING if cut.kind in DENIED else (*LIMITING, BESIDE[cut.kind.endswith("after")]):
        yield frame, frame.format(q=cut.quote, n=cut.view.name, beside=cut.beside)


def cuts(views: Sequence[RevisionView], each: int, r: random.Random) -> Iterator[Cut]:
    for kind, rule in _RULES:
        found = [(view, m) for view in views for m in re.finditer(rule, view.text)]
        made = 0
        for view, match in r.sample(found, len(found)):
            quote = " ".join(_trimmed(match["quote"], kind, r).split())
            if (
                len(quote) < 25
                or not isinstance(decide(quote, view), Verified)
                or len(re.findall(re.escape(quote), " ".join(view.text.split()))) != 1
            ):
                continue
            behind = kind.endswith("after")
            beside = view.text[match.start("out") : match.end() if behind else match.start("quote")]
            yield Cut(kind, view, quote, match["out"], " ".join(beside.replace('"', "").split()).rstrip(" ,;"))
            made += 1
            if made == each:
                break


def _trimmed(quote: str, kind: str, r: random.Random) -> str:
    """Some cuts end earlier or begin later than the rule finds, always between words."""
    words = quote.split()
    if kind.endswith("after"):
        return quote if r.random() < 0.6 or len(words) < 12 else " ".join(words[r.randrange(1, len(words) - 8) :])
    return quote if r.random() < 0.6 or len(words) < 12 else " ".join(words[: r.randrange(8, len(words))])
