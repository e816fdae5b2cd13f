"""Finds the sentence that answers a column of text: the rate of interest, the state in which premises are given back."""

from __future__ import annotations

import re
from collections.abc import Sequence

from orderly.models import Span
from orderly.services.columns.finding import Finding
from orderly.services.columns.list_items import ITEM, LEADS, LONGEST, matching
from orderly.services.columns.wording import load

_WORDINGS = load("stated_texts")
SUBJECTS = frozenset(name.replace("_", " ") for name in _WORDINGS if not name.startswith("other_than_"))
"""Subjects of columns."""
SHORTEST = 40
"""Characters of a sentence."""
SURE = 0.75
"""Confidence."""
_FIRST_ITEM = re.compile(rf"{LEADS.pattern}|[(]a[)]|[(]i[)]")


def stated_text(subject: str, text: str, sentences: Sequence[Span]) -> Finding | None:
    """The first sentence that states the subject, with the list that it leads to. The value is its words."""
    name = subject.replace(" ", "_")
    states, other = _WORDINGS[name], _WORDINGS.get(f"other_than_{name}")
    for places in matching(states, text, sentences):
        start, _ = places[0]
        whole = start, _end_of_list(text, [span for span in sentences if span[0] >= start], states)
        if whole[1] - start >= SHORTEST and not (other and any(other.search(text, *place) for place in places)):
            return Finding(" ".join(text[slice(*whole)].split()), (whole,), SURE)
    return None


def _end_of_list(text: str, sentences: Sequence[Span], states: re.Pattern[str]) -> int:
    (start, end), *following = sentences
    stands_alone = ITEM.match(text, start, end) and not LEADS.search(text, start, end)
    if not stands_alone and not _FIRST_ITEM.search(text, start, end):
        return end
    for item in following:
        if item[1] - start > LONGEST or not ITEM.match(text, *item) or (stands_alone and not states.search(text, *item)):
            break
        end = item[1]
    return end
