"""Finds the sentence that answers a column of text: the rate of interest, the state in which premises are given back."""

from __future__ import annotations

import re
from collections.abc import Sequence

from orderly.models import Span
from orderly.services.columns.finding import Finding
from orderly.services.columns.wording import load

_WORDINGS = load("stated_texts")
SUBJECTS = frozenset(name.replace("_", " ") for name in _WORDINGS if not name.startswith("other_than_"))
"""Subjects of columns."""
SHORTEST = 40
"""Characters of a sentence."""
LONGEST = 1_200
"""Characters of a sentence with its list."""
SURE = 0.75
"""Confidence."""
_FIRST_ITEM = re.compile(r":\s*\Z|[(]a[)]|[(]i[)]")
_ITEM = re.compile(r"\s*[(][a-z]{1,4}[)]\s")


def stated_text(subject: str, text: str, sentences: Sequence[Span]) -> Finding | None:
    """The first sentence that states the subject, with the list that it leads to. The value is its words."""
    name = subject.replace(" ", "_")
    states, other = _WORDINGS[name], _WORDINGS.get(f"other_than_{name}")
    for n, (start, end) in enumerate(sentences):
        if end - start < SHORTEST or not states.search(text, start, end) or (other and other.search(text, start, end)):
            continue
        whole = start, _end_of_list(text, sentences[n:])
        return Finding(" ".join(text[slice(*whole)].split()), (whole,), SURE)
    return None


def _end_of_list(text: str, sentences: Sequence[Span]) -> int:
    (start, end), *following = sentences
    if not _FIRST_ITEM.search(text, start, end):
        return end
    for item in following:
        if item[1] - start > LONGEST or not _ITEM.match(text, *item):
            break
        end = item[1]
    return end
