"""Quotations with their citations, as the citation gate reads them."""

from __future__ import annotations

from orderly.agent.chat_models.tool_texts import Excerpt

_INNER_MARKS = str.maketrans("“”„«»", '"""""')


def cite(excerpt: Excerpt) -> str:
    return f"{quote(excerpt.text)} [{excerpt.source}]"


def quote(text: str) -> str:
    """Quotes a text on one line, with straight quotation marks inside. Nothing else of a quotation may change."""
    return "“" + " ".join(text.split()).translate(_INNER_MARKS) + "”"
