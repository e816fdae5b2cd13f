"""Finds quotations and citations in an answer, in all common notations, also while the answer is still streaming."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from orderly.models import Span
from orderly.services.text.draft_fences import draft_fences, without_fences
from orderly.services.text.quoted_spans import MAX_BRACKET, Layout, Quoted, find_brackets, find_layout, merge_spans

MIN_CHARS = 2
"""Characters. Shorter quoted strings claim nothing and are ignored."""

_OMISSIONS = ("...", "…", "[…]", "[...]")
_BRACKET = re.compile(
    r"""(?:[^\S\n]|[.,;:–—-]|\n(?![ \t]*(?:[-*•]|\d+[.)])\s)){0,40} \(?
    (?P<bracket> \[ (?P<square>[^\[\]\n]* (?:\[[^\[\]\n]*\][^\[\]\n]*)*) \]
               | \( (?P<round>[^()\n]* (?:\([^()\n]*\)[^()\n]*)*) \) )""",
    re.VERBOSE,
)
_NAMED_TYPE = r"\.(?:pdf|docx?|txt|md|html?|eml|msg|rtf|xlsx|pptx|csv|json|xml|png|jpe?g|tiff?)\b"
_HANDLE = r"\A\W{0,3}[A-Z]\d{1,4}(?!\w)"
_PLACE = re.compile(
    rf"\b(?:Pages?|Sections?|Clauses?|Schedule|Article|Part|Paragraphs?|citation)\s+\S|{_NAMED_TYPE}|(?-i:{_HANDLE})",
    re.IGNORECASE,
)
"""Distinguishes a citation in brackets, by a place, a file or a short id, from a remark."""

_PAGE = re.compile(r"\bPages?\s+(\d+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Quotation:
    """A quoted string inside an answer, with the citation after it, if any."""

    start: int
    end: int
    """`start` and `end` include the quotation marks."""
    text: str
    """Without quotation marks, and without an ellipsis at either end; HTML entities are decoded."""
    citation: Span | None
    """Span of the citation, including its brackets."""
    cited: str
    """Text of the citation: "Lease.pdf, Page 3, Section 2"; empty without a citation."""
    closed: bool = True
    """False if no mark closes the quotation, which then ends with its paragraph."""

    @property
    def page(self) -> int | None:
        return cited_page(self.cited)


@dataclass(frozen=True, slots=True)
class Citation:
    """A citation that follows no quotation."""

    start: int
    end: int
    cited: str


def cited_page(cited: str) -> int | None:
    match = _PAGE.search(cited)
    return int(match[1]) if match else None


def find_quotations(answer: str) -> list[Quotation]:
    """Finds all quotations, in order.

    A nested quotation belongs to the outer one. An unclosed quotation ends with its paragraph. An ellipsis in the middle
    stays in the text, since such a quotation joins two places.
    """
    found = []
    for span in _outermost(answer, find_layout(answer, complete=True)):
        inner = _without_omissions(span.text)
        if len(inner) >= MIN_CHARS and any(char.isalnum() for char in inner):
            citation = _find_citation(answer, span.end)
            cited = answer[citation[0] + 1 : citation[1] - 1] if citation else ""
            found.append(Quotation(span.start, span.end, inner, citation, cited, span.closed))
    return found


def find_citations(answer: str, quotations: Sequence[Quotation] | None = None) -> list[Citation]:
    """Finds every bracket that names a file, a short id or a place, except those of quotations or inside quotations.

    Args:
        answer: The answer.
        quotations: Its quotations, if they are known.
    """
    quotations = find_quotations(answer) if quotations is None else quotations
    taken = [(q.start, q.citation[1] if q.citation else q.end) for q in quotations]
    found: list[Citation] = []
    at = 0
    for start, end in sorted(find_brackets(answer).pairs, key=lambda span: (span[0], -span[1])):
        while at < len(taken) and taken[at][1] <= start:
            at += 1
        if answer[start] != "[" or end - start > MAX_BRACKET or (found and start < found[-1].end):
            continue
        free = at == len(taken) or start < taken[at][0]
        if free and answer[end : end + 1] != "(" and _PLACE.search(answer[start + 1 : end - 1]):
            found.append(Citation(start, end, answer[start + 1 : end - 1]))
    return found


def find_stray_marks(answer: str, quotations: Sequence[Quotation]) -> list[Span]:
    """Finds the curly marks outside `quotations` that belong to no pair."""
    found: list[Span] = []
    at = 0
    for start, end in sorted(find_layout(answer, complete=True).stray):
        while at < len(quotations) and quotations[at].end <= start:
            at += 1
        if at == len(quotations) or start < quotations[at].start:
            found.append((start, end))
    return found


def names_place(answer: str, start: int, end: int) -> bool:
    """Whether a bracket names a place in a document, as a citation does."""
    return _PLACE.search(answer, start, min(end, start + MAX_BRACKET)) is not None


def _outermost(answer: str, layout: Layout) -> list[Quoted]:
    """Of overlapping quoted spans only the outermost; code without a citation is left out."""
    outermost: list[Quoted] = []
    for span in layout.quoted:
        if outermost and span.start < outermost[-1].end:
            continue
        if not span.is_code or _find_citation(answer, span.end):
            outermost.append(span)
    return outermost


def _find_citation(answer: str, end: int) -> Span | None:
    """Span of the citation that follows `end`, including its brackets."""
    bracket = _BRACKET.match(answer, end, end + MAX_BRACKET + 40)
    if bracket is None or not _PLACE.search(bracket["square"] or bracket["round"] or ""):
        return None
    if re.search(r"[“„«\"]", bracket["round"] or ""):
        return None  # a remark that quotes something and cites it
    return bracket.span("bracket")


def _without_omissions(text: str) -> str:
    """Removes white space and up to two ellipses from both ends."""
    text = text.strip()
    for _ in range(2):
        for omission in _OMISSIONS:
            text = text.removeprefix(omission).removesuffix(omission).strip()
    return text


_SENTENCE_END = re.compile(
    r"""(?:[.!?]["”’»][ \t]?\[(?:[^\[\]\n]|\[[^\[\]\n]{0,40}\]){1,300}\][ \t]+(?=[^\W\d_a-z])"""
    r"""|[.!?]["”’»)\]*_`']*[ \t]+|\n)\s*"""
)
"""Also a quoted sentence with its citation, where another begins."""
_CONTINUATION = "[(—–-…>,;:.)]"
"""Characters that may continue a sentence or begin the citation of its quotation."""
_BLOCK_MARK = re.compile(r"(?:`{1,2}|~{1,2}|[*+•]|\d+[.)]?)\Z|```|~~~|(?:[*+•]|\d+[.)])\s")
"""A mark that begins a block at the start of a line, or text that may become one."""
_LIST_ITEM = re.compile(r"(?:[-*•]|\d+[.)])\s|\[\^\w{1,20}\]:")
"""Also the text of a footnote."""


MAX_HELD = 300
"""Characters beside an open quotation or bracket after which a sentence is divided at a space."""
_SPACE_BEFORE_WORD = re.compile(r"[ \t]+(?=[^\W_])")


def find_complete_ends(text: str, *, in_draft: bool = False) -> list[int]:
    """Ends of the pieces of a streaming answer that can be checked, in order.

    A piece ends with a sentence, or within a long one at a space, outside quotations, code and brackets, where new text
    follows. More text adds ends and never changes one, so an answer has the same pieces however its stream is cut.

    Args:
        text: What has arrived since the last piece.
        in_draft: Whether it begins inside a draft.
    """
    text = without_fences(text, draft_fences(text, is_open=in_draft)[1])
    layout = find_layout(text, complete=False)
    limit = len(text) if layout.open_from is None else layout.open_from
    held = merge_spans([*layout.whole, *((span.start, span.end) for span in layout.quoted)])
    ends, n = [], 0
    for match in _SENTENCE_END.finditer(text):
        at = match.end()
        if at >= len(text) or at > limit:
            break
        while n < len(held) and held[n][1] <= at:
            n += 1
        inside = n < len(held) and held[n][0] < at
        if not inside and _may_begin_piece(text, match):
            ends.append(at)
    return _divided(text, ends, held, limit)


def _divided(text: str, ends: list[int], held: list[Span], limit: int) -> list[int]:
    """The ends, with further ones at spaces of long sentences."""
    found: list[int] = []
    start = 0
    for end in (*ends, min(limit, len(text))):
        while end - start > MAX_HELD:
            spaces = (m.end() for m in _SPACE_BEFORE_WORD.finditer(text, start + MAX_HELD // 2, end))
            start = next((at for at in spaces if not any(a < at < b for a, b in held)), end)
            found += [start] if start < end else []
        start = max(start, end)
        found += [end] if end in ends else []
    return sorted(set(found))


def _may_begin_piece(text: str, gap: re.Match[str]) -> bool:
    """Whether the text after a gap begins a new piece: no continuation, and within a line no mark that begins a block."""
    at = gap.end()
    if text[max(gap.start() - 40, 0) : gap.start()].rstrip().endswith("]:"):
        return False  # the target of a link may follow
    if "\n" in gap[0]:
        return text[at] not in _CONTINUATION or bool(_LIST_ITEM.match(text, at))
    return text[at] not in _CONTINUATION and not _BLOCK_MARK.match(text, at)


LONG_TEXT = 2_000
"""Characters from which text is read in a thread, so that other runs go on meanwhile."""
_HELD_AT_ONCE = 512
"""Characters up to which held text is read again at every sentence end."""
_MAY_END_A_SENTENCE = re.compile(r"[.!?\n]")
_MAY_END_A_PIECE = re.compile(r"""[.!?\n"”“«»`*_~)\]>|】」』]|['’‘](?!\w)|(?<!\w)[•+-]""")
"""Behind such a mark a piece may end, where the next text shows that it does."""


class PieceReader:
    """Divides a stream into the pieces of `find_complete_ends`.

    Held text is read again only after it has grown by a quarter, so that the work stays linear.
    """

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._length = 0
        self._next_read = 0
        self._may_end = False
        self._awaits_text = True
        """Whether the last text other than white space has a mark behind which a piece may end."""
        self._is_due = False
        """Whether text has come since the last reading that may complete a piece."""
        self._in_draft = False

    def add(self, text: str) -> bool:
        """Adds text. Returns whether `divide` may find complete pieces now."""
        self._parts.append(text)
        self._length += len(text)
        self._may_end = self._may_end or _MAY_END_A_SENTENCE.search(text) is not None
        has_mark = _MAY_END_A_PIECE.search(text) is not None
        self._is_due = self._is_due or has_mark or (self._awaits_text and not text.isspace())
        self._awaits_text = has_mark or (self._awaits_text and text.isspace())
        is_long = self._length > MAX_HELD
        return (self._is_due or is_long) and (self._may_end or is_long) and self._length > self._next_read

    @property
    def held(self) -> str:
        """Text of the piece that is not complete."""
        return "".join(self._parts)

    @property
    def is_long(self) -> bool:
        return self._length > LONG_TEXT

    def rest(self) -> list[str]:
        """The last pieces, after the end of the stream."""
        pieces = [*self.divide(), *self._parts]
        self._parts, self._length, self._next_read, self._may_end = [], 0, 0, False
        return pieces

    def divide(self) -> list[str]:
        """Returns the pieces that are complete."""
        text, self._is_due = "".join(self._parts), False
        pieces, start = [], 0
        for end in find_complete_ends(text, in_draft=self._in_draft):
            pieces.append(text[start:end])
            self._in_draft = draft_fences(pieces[-1], is_open=self._in_draft)[2]
            start = end
        self._parts = [text[start:]]
        self._length = held = len(text) - start
        self._may_end = _MAY_END_A_SENTENCE.search(text, start) is not None
        self._next_read = held if held < _HELD_AT_ONCE else held + held // 4
        return pieces
