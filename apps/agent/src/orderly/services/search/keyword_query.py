"""What a keyword search looks for, as a regular expression."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from orderly.errors import Invalid
from orderly.services.text import compile_quote_pattern, normalise_text

_QUOTED = re.compile(r'["“”]([^"“”]*)["“”]')


@dataclass(frozen=True, slots=True)
class KeywordQuery:
    """`pattern` has one group for each of `terms`; a document counts only where every term occurs."""

    pattern: str
    terms: Sequence[str]


def keyword_query(query: str) -> KeywordQuery:
    """Parts in quotation marks are terms, and so is each word outside them; without marks the whole query is one term.

    A term stands for the words as written, whole, in any spacing, with either kind of quotation mark or dash; `*` at its end
    leaves the end open. Raises Invalid for a query of marks alone.
    """
    quoted = [part.strip() for part in _QUOTED.findall(query)]
    terms = [*quoted, *_QUOTED.sub(" ", query).split()] if quoted else [query.strip()]
    terms = list(dict.fromkeys(term for term in terms if normalise_text(term.rstrip("*"))))
    if not terms:
        raise Invalid("The query is empty.")
    return KeywordQuery("|".join(f"({_term(term)})" for term in terms), terms)


def _term(term: str) -> str:
    open_end = term.endswith("*")
    words = normalise_text(term.rstrip("*"))
    before = r"(?<!\w)" if words[0].isalnum() else ""
    after = r"\w*" if open_end else r"(?!\w)" if words[-1].isalnum() else ""
    return f"{before}{compile_quote_pattern(words).pattern}{after}"
