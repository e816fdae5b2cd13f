"""A column from a question in plain language."""

from __future__ import annotations

import re

from orderly.store.functions.reviews import ColumnQuestion

LONGEST_TITLE = 60
_YES_NO = re.compile(
    r"(?:is|are|was|were|does|do|did|can|could|may|must|shall|should|will|would|has|have|had)\b(?!.*\bor\b)", re.I
)


def propose_column(question: str) -> ColumnQuestion:
    """Proposes title and type. A question that begins with a verb asks for yes or no."""
    words = " ".join(question.split())
    title = words.rstrip("?. ")
    if len(title) > LONGEST_TITLE:
        title = title[:LONGEST_TITLE].rsplit(" ", 1)[0] + " …"
    return {"title": title, "question": words, "answer_type": "yes_no" if _YES_NO.match(words) else "text"}
