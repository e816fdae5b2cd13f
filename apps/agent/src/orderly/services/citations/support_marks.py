"""Marks the sentences of an answer that no quotation supports, and holds a sentence no longer than that takes.

A sentence with a quotation is judged at once. One without waits for a quotation of its own or the next paragraph.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from orderly.services.citations.coverage import Coverage
from orderly.services.citations.second_reading import SecondReading
from orderly.services.citations.statement_reader import StatementReader, has_words, without_brackets
from orderly.services.citations.visible_letters import visible_letters
from orderly.services.support import (
    Evidence,
    find_altered,
    find_illustration,
    find_unsupported,
    goes_on,
    is_definite,
    is_unspaced,
    shares_subject,
)

NO_QUOTATION = "[no quotation]"
UNSUPPORTED = "[unsupported: {words}]"
ILLUSTRATION = "[illustration: {words}]"
"""A figure that only shows what a document's words amount to, and that stands in none of them."""
WITHOUT_ANY = "No quotation from a document supports this answer.\n\n"
WITHOUT_ANY_YET = "No quotation from a document supports this beginning.\n\n"

MAX_HELD = 1_500
"""Characters that are held at most."""
MAX_BEGINNING = 100
"""Characters at the beginning that are held although they say nothing of a document, so that a notice may stand first."""
_FAR_SHARE = 0.4
"""Share of a sentence's words that a quotation of another paragraph must have to support it."""

_STATUTE = re.compile(
    r"\b(?:ss?|[Ss]ections?|regs?|rr?|[Pp]t|[Pp]art|[Ss]ch)\.?\s++\d\w*+(?:\(\w+\))*(?:\s++of)?\s++(?:the\s++)?"
    r"(?:[A-Z][\w’'-]*|\([A-Z][^()\n]*\))(?:\s+(?:[A-Z][\w’'-]*|\([A-Z][^()\n]*\)|of|and|for|in|to|the)){0,12}?"
    r"\s+(?:Act|Code|Law|Rules|Regulations?)\b(?:\s+(?:1[89]|20)\d\d)?(?:\s*\([A-Z]\w{1,3}\))?"
)
"""A section of a statute, which the quotation of a document beside it need not name."""
_GATE_NOTE = re.compile(r"\[(?:quotation removed|nearest words|citation removed|your words|not found in the documents)")
_ABBREVIATED = re.compile(
    r"(?:\b(?:No|Nos|Inc|Ltd|Pty|Co|Corp|Mr|Mrs|Ms|Dr|cl|cls|s|ss|Sec|para|pp?|[ap]\.m|e\.g|i\.e|v|vs)|\b[A-Z])\.\s*\Z"
)
_HAS_WORD = re.compile(r"[^\W\d_]{2}")
_ITEM = re.compile(r"\s*(?:\||(?:[-*+•]|\d{1,3}[.)])\s)")
"""A row of a table or an item of a list, which quotes for itself."""
_OPEN_ROW = re.compile(r"(?:\A|\n)[ \t]*\|[^\n]*\Z")
"""A row of a table whose line has not ended: a cell that ends with a sentence does not divide it."""
_RESTATES = re.compile(
    r"\W*(?:in\s+other\s+words|put\s+(?:simply|differently|another\s+way)|that\s+is(?:\s+to\s+say)?,|"
    r"to\s+sum\s+up,?|in\s+(?:summary|sum|conclusion),?|overall,|therefore,?|thus,?|hence,?|accordingly,|so,|"
    r"this\s+means|which\s+means|in\s+effect,|in\s+short,)",
    re.IGNORECASE,
)
"""Beginning of a sentence that says again what the quotation before it says."""
_POINTS_BACK = re.compile(
    r"\W*(?:(?:this|that|these|those|such)\s+(?!(?:agreement|lease|contract|deed|document|policy|act)\b)|"
    r"the\s+(?:quoted\s+\w+|quotation|passage|wording)\b)",
    re.IGNORECASE,
)
"""Beginning of a sentence about the quotation before it."""
_END = re.compile(r"(?P<stop>[.!?:;,]*)(?P<close>[*_`~)\"”’]*)(?P<row>[ \t]*\|)?\s*\Z")
_FENCE_END = re.compile(r"\n[ \t]*(?:`{3,}|~{3,})\s*\Z")


@dataclass(slots=True)
class _Waiting:
    text: str
    """A sentence as shown, with the white space behind it."""
    statement: str = ""
    """Its words if it is a statement that waits; else empty."""
    paragraph: int = 0


@dataclass(frozen=True, slots=True)
class _Part:
    shown: str = ""
    words: str = ""
    evidence: Sequence[Evidence] = ()
    framed: str = ""


@dataclass(slots=True)
class SupportMarks:
    """Follows one answer, sentence by sentence. Stateful."""

    has_documents: bool
    names: Sequence[str] = ()
    """Names of the documents that were read."""
    second: SecondReading | None = None
    """Takes the sentences that the rules find supported, for a second opinion."""
    coverage: Coverage = field(default_factory=lambda: Coverage(frozenset()))
    """Counts claims over documents, which no quotation supports."""
    _paragraph: int = 0
    _evidence: list[tuple[int, Evidence]] = field(default_factory=list)
    """Each with its paragraph."""
    _waiting: list[_Waiting] = field(default_factory=list)
    _has_begun: bool = False
    """Whether the question if the answer has any quotation is settled."""
    _has_words: bool = False
    """Whether the paragraph has words of its own beside its quotations."""
    _was_quoted: bool = False
    """Whether the paragraph before had none: quotations that follow each other are one paragraph."""
    _reader: StatementReader = field(init=False)
    _part: _Part = field(default_factory=_Part)
    """A sentence that an abbreviation has divided."""

    def __post_init__(self) -> None:
        self._reader = StatementReader(self.has_documents, self.names)

    def add(self, shown: str, words: str, evidence: Sequence[Evidence], framed: str = "") -> str:
        """Adds a piece of the answer. Returns the text that may be shown now.

        Args:
            shown: The piece as the gate shows it.
            words: The piece without its quotations and their citations.
            evidence: What its quotations verify.
            framed: The piece with a sign in place of its quotations.
        """
        before = self._part
        part = _Part(before.shown + shown, before.words + words, [*before.evidence, *evidence], before.framed + framed)
        is_open = _ABBREVIATED.search(words) or not _HAS_WORD.search(words) or _OPEN_ROW.search(part.words)
        if is_open and len(part.shown) < MAX_HELD and not part.evidence:
            self._part = part
            return ""
        self._part = _Part()
        self._add_part(part)
        return self._release()

    @property
    def is_free(self) -> bool:
        """Whether the words of the next sentence may be shown at once: no document was read, and nothing waits."""
        return self._has_begun and not (self.has_documents or self._waiting or self._part.shown)

    def finish(self) -> str:
        """The rest of the answer."""
        if self._part.shown:
            self._add_part(self._part)
            self._part = _Part()
        return self._release(final=True)

    def _add_part(self, part: _Part) -> None:
        text, own = part.shown, part.evidence
        worded = has_words(part.words)
        if self._was_quoted and (worded or not own):
            self._paragraph, self._was_quoted = self._paragraph + 1, False
        self._has_words = self._has_words or worded
        self._evidence += [(self._paragraph, evidence) for evidence in own]
        statement, asserts = self._reader.read(part.words, is_quoting=bool(own))
        is_counted = self.coverage.add(statement, own)
        if not own and (is_counted or self.coverage.bears_out_absence(statement)):
            asserts = False
        framed = without_brackets(part.framed)
        if asserts and own:
            wrong = find_unsupported(_STATUTE.sub(" ", statement), Evidence.joined(own))
            is_item = _ITEM.match(part.words) is not None
            if wrong is not None and (is_item or not self._is_supported(statement, self._paragraph, near_only=True)):
                text = _marked(text, UNSUPPORTED.format(words=wrong))
            else:
                text = self._supported(text, statement, own, framed)
            asserts = False
        elif not asserts and (altered := self._find_altered(visible_letters(statement))) is not None:
            text = _marked(text, UNSUPPORTED.format(words=altered))
        elif own and statement and self.second is not None:
            self.second.add(statement, own, framed)  # a few words, which may deny the quotation: "Deleted: “…”"
        elif asserts and _GATE_NOTE.search(text) and not is_definite(statement):
            asserts = False  # the gate's note says what is wrong with the sentence
        self._waiting.append(_Waiting(text, statement if asserts else "", self._paragraph))
        if "\n\n" in text or re.search(r"\n[ \t]*\n", text):
            self._paragraph += self._has_words
            self._was_quoted, self._has_words = not self._has_words, False

    def _release(self, *, final: bool = False) -> str:
        out: list[str] = []
        held = sum(len(one.text) for one in self._waiting)
        if not self._has_begun and self._waiting:
            has_statement = any(one.statement for one in self._waiting)
            if not self._evidence and not final and held <= (MAX_HELD if has_statement else MAX_BEGINNING * self.has_documents):
                return ""
            if not self._evidence and has_statement:
                out.append(WITHOUT_ANY if final else WITHOUT_ANY_YET)
            self._has_begun = True
            without_any = bool(out)
        else:
            without_any = False
        while self._waiting:
            first = self._waiting[0]
            if first.statement and not self._is_supported(first.statement, first.paragraph):
                if not final and held <= MAX_HELD and self._paragraph <= first.paragraph + 1:
                    break
                if not without_any or is_definite(first.statement):
                    first.text = _marked(first.text, self._fault(first))
            elif first.statement:
                near = [e for at, e in self._evidence if first.paragraph <= at <= first.paragraph + 1]
                first.text = self._supported(first.text, first.statement, near or [e for _, e in self._evidence])
            out.append(first.text)
            held -= len(first.text)
            del self._waiting[0]
        return "".join(out)

    def _supported(self, text: str, statement: str, evidence: Sequence[Evidence], framed: str = "") -> str:
        """Gives a sentence to the second reader. Returns its text, marked where a figure only illustrates it."""
        if self.second is not None:
            self.second.add(statement, evidence, framed)
        figure = find_illustration(statement, Evidence.joined(evidence))
        return text if figure is None else _marked(text, ILLUSTRATION.format(words=" ".join(figure.split())))

    def _is_supported(self, statement: str, paragraph: int, *, near_only: bool = False) -> bool:
        if is_unspaced(statement):
            return False  # no rule reads its words
        near = [evidence for at, evidence in self._evidence if paragraph <= at <= paragraph + 1]
        points_back = not near and (_RESTATES.match(statement) or _POINTS_BACK.match(statement)) is not None
        if points_back:
            near = [evidence for at, evidence in self._evidence if at == paragraph - 1]
        if near:
            joined = Evidence.joined(near)
            shares = _shares(statement, joined) or (points_back and not goes_on(statement))
            if shares and find_unsupported(statement, joined) is None:
                return True
        if near_only:
            return False
        return any(
            shares_subject(statement, evidence, _FAR_SHARE) and find_unsupported(statement, evidence) is None
            for at, evidence in self._evidence
            if not paragraph <= at <= paragraph + 1
        )

    def _find_altered(self, sentence: str) -> str | None:
        """What a sentence about the law or the work alters that repeats a quotation of its paragraph."""
        near = [evidence.text for at, evidence in self._evidence if at == self._paragraph]
        return next((word for text in near if (word := find_altered(sentence, text)) is not None), None)

    def _fault(self, waiting: _Waiting) -> str:
        near = [evidence for at, evidence in self._evidence if at == waiting.paragraph]
        if not near or not shares_subject(waiting.statement, joined := Evidence.joined(near)):
            return NO_QUOTATION
        wrong = find_unsupported(waiting.statement, joined)
        return UNSUPPORTED.format(words=wrong) if wrong is not None else NO_QUOTATION


def _shares(statement: str, evidence: Evidence) -> bool:
    """Whether a sentence is about its quotation: by its words, or because it says that it puts it in other words."""
    return shares_subject(statement, evidence) or (_RESTATES.match(statement) is not None and not goes_on(statement))


def _marked(text: str, mark: str) -> str:
    """Puts a mark at the end of a sentence, before its punctuation."""
    if fence := _FENCE_END.search(text):
        return f"{text[: fence.end()].rstrip()}\n{mark}{text[len(text.rstrip()) :] or chr(10)}"
    end = _END.search(text)
    assert end is not None
    at = end.start("close") if end["close"] and end["close"][0] in "*_`~" and end["stop"] == "" else end.start()
    if not text[:at].strip():
        return text
    return f"{text[:at].rstrip()} {mark}{text[at:]}"
