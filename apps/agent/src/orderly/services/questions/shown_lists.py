"""Shows an item of a list with the words that introduce it, and with the other items where they belong to the answer."""

from __future__ import annotations

import re
from dataclasses import replace

from orderly.services.questions.presence import DocumentAnswer, apart, without_number
from orderly.services.text import Passage, RevisionView, end_with_list, list_around

SHORT_LIST, LONG_LIST = 700, 2_000
"""Characters of a list that is shown whole; the second, where the question asks for several things."""
REACH = 1_200
"""Characters from the words that introduce a list to the end of an item that is shown with them."""
_SEVERAL = re.compile(
    r"\b(?:what|which|who)\s+(?:are|were|[a-z]+(?:ies|[^\Wsu]s))\b|\blist\b"
    r"|\b(?:obligation|dut(?:y|ie)|right|condition|ground|exception|exclusion|requirement|restriction|reason|remed(?:y|ie)|power|event)s\b",
    re.IGNORECASE,
)


def with_lists(answer: DocumentAnswer, view: RevisionView, question: str) -> DocumentAnswer:
    """The answer with every item of a list shown as a part of its list."""
    longest = LONG_LIST if _SEVERAL.search(question) else SHORT_LIST

    def whole(passages: tuple[Passage, ...]) -> tuple[Passage, ...]:
        return apart([_with_list(view, passage, longest) for passage in passages])

    return replace(answer, passages=whole(answer.passages), nearest=whole(answer.nearest))


def _with_list(view: RevisionView, passage: Passage, longest: int) -> Passage:
    """The list of the passage if it is short enough, else from its first words to the passage, if these are near.

    A passage that only introduces a list goes on to its last item.
    """
    if (end := end_with_list(view.text, passage.start, passage.end, LONG_LIST)) > passage.end:
        return view.passage(passage.start, end, score=passage.score)
    listed = list_around(view.text, passage.start, passage.end)
    if listed is None:
        return passage
    for last, most in ((max(listed[1], passage.end), longest), (passage.end, REACH)):
        if last - listed[0] <= most:
            return without_number(view, view.passage(listed[0], last, score=passage.score))
    return passage
