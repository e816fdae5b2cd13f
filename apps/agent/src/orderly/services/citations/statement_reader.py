"""Reads from a piece of an answer what it states of a document, sentence or not."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from orderly.services.citations.visible_letters import is_spaced_out, visible_letters
from orderly.services.support import (
    has_verb,
    is_definite,
    is_row,
    is_statement,
    later_clauses,
    plain_text,
    states_by_form,
    without_empty_cells,
    without_reference,
)

_BRACKETS = re.compile(
    r"\[(?:\^?\d{1,3}|[^\[\]\n]{0,400}(?:\.\w{2,5}\b|\b(?:Pages?|Section|Clause|Schedule|Article|Part)\s)[^\[\]\n]{0,400}|"
    r"(?:no quotation|unsupported|illustration|your words)[^\[\]\n]{0,200})\]"
)
"""Citations, source numbers and notes, which are no part of a statement."""
_BACK_REFERENCE = re.compile(r"\A\W*(?:ibid|cf)\b|\babove\s+n\s+\d+", re.IGNORECASE)
"""A reference to another footnote."""
_ASKED = re.compile(r"\A\W*you\s+asked\s+(?:whether|if|how|what|when|where|which|who|why)\b", re.IGNORECASE)
"""The question as it was asked."""
_PARAGRAPH = re.compile(r"(?<=\bat)\s+\[(\d{1,3})\]")
"""A paragraph of a judgment, which is no source number: "at [13]"."""
_HAS_WORD = re.compile(r"[^\W\d_]{2}")


def has_words(written: str) -> bool:
    """Whether a piece has words besides quotations, citations and notes."""
    return _HAS_WORD.search(_BRACKETS.sub(" ", written)) is not None


def without_brackets(written: str) -> str:
    return _BRACKETS.sub(" ", plain_text(written))


@dataclass(slots=True)
class StatementReader:
    """Follows one answer, because the first row of a table has the titles of its columns. Stateful."""

    has_documents: bool
    names: Sequence[str]
    """Names of the documents that were read."""
    _in_table: bool = False
    """Whether the last piece was a row of a table."""

    def read(self, written: str, *, is_quoting: bool) -> tuple[str, bool]:
        """The sentence without its quotations and references, and whether it says something of a document."""
        plain = _PARAGRAPH.sub(r" paragraph \1", plain_text(written))
        statement = without_reference(_BRACKETS.sub(" ", plain).strip(), self.names)
        if (_BACK_REFERENCE.search(statement) and not has_verb(statement)) or (
            _ASKED.match(statement) and not any(later_clauses(statement))
        ):
            statement = ""
        if "|" in written:
            statement = without_empty_cells(statement)
        seen = visible_letters(statement)
        asserts = is_statement(seen, has_documents=self.has_documents, is_quoting=is_quoting) or is_spaced_out(seen)
        in_row = is_row(written)
        is_header = in_row and not self._in_table
        if is_header and written.lstrip().startswith("|") and not is_quoting and not is_definite(statement):
            asserts = False  # titles of columns, such as "Who pays"
        if self.has_documents and statement and not asserts:
            asserts = states_by_form(_BRACKETS.sub(" ", written), is_header=is_header)
        self._in_table = in_row
        return statement, asserts
