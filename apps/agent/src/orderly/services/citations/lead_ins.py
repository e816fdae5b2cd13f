"""Whether an answer has said the lead-in that would complete a quotation, so that it is not printed twice."""

from __future__ import annotations

import re

from orderly.services.support import plain_text
from orderly.services.text import inline_items, normalise_text

REACH = 1_500
"""Characters of the answer before a quotation in which its lead-in may stand."""

_LABEL = re.compile(r"\A\s*(?:[-•▪●◦*–—]\s+)?(?:\(?\w{1,4}[.)]|(?:\d{1,3}\.)+\d{0,3}|\d{1,3}(?=\s+[A-Z]))\s+")
_QUOTED = re.compile(r"“[^“”]*”|\"[^\"\n]*\"")
_CITED = re.compile(r"\[[^\[\]\n]*\]")
_BETWEEN = re.compile(r"(?:[\W\d_]|\b(?:and|or|nor|[a-z]|[ivx]{1,4})\b)*\Z")
_NEW_PART = re.compile(r"^[ \t]*(?:#|[-*_=]{3,}[ \t]*$)", re.MULTILINE)


def lead_in_of(leading: str) -> str:
    """The lead-in among the stored words that stand before a quotation in its sentence: without its number and other items."""
    words = _LABEL.sub("", leading)
    items = inline_items(words)
    return normalise_text(words[: items[0]] if items else words).strip(" :,;—–-")


def says_lead_in(said: str, lead: str) -> bool:
    """Whether a text ends with a lead-in and, behind it, nothing but quotations, citations and marks of a list."""
    tail = said[-REACH:]
    if "<" in tail:
        return False  # words within a tag or comment may not be read
    parts = [m.end() for m in _NEW_PART.finditer(tail)]
    plain = normalise_text(plain_text(tail[parts[-1] :] if parts else tail))
    at = plain.casefold().rfind(lead.casefold())
    if not lead or at < 0 or plain[at - 1 : at].isalnum():
        return False
    rest = plain[at + len(lead) :]
    if plain.count('"', 0, at) % 2:
        rest = rest.replace('"', " ", 1)  # the lead-in is quoted itself
    return _BETWEEN.match(_CITED.sub(" ", _QUOTED.sub(" ", rest))) is not None
