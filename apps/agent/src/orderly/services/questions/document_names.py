"""Finds the documents that a question names: by file name, by title or by a party, also misspelt."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import log

from orderly.models import Span
from orderly.services.questions.implied_names import (
    all_of_kind,
    by_role,
    is_no_thing_in,
    of_document,
    of_kind,
    of_party,
    role_in,
    seeming,
)
from orderly.services.questions.kinds import with_kinds_respelt
from orderly.services.questions.many_documents import asks_of_all
from orderly.services.questions.nameable import IN_OPENING, IN_TITLE, TOKEN, Nameable, word_forms
from orderly.services.questions.named_acts import ends_name, named_act
from orderly.services.questions.passing_names import in_passing, with_passing
from orderly.services.questions.spelling import closest
from orderly.services.questions.written_names import (
    DEALS,
    NOUNS,
    QUESTION_WORDS,
    SMALL,
    NameWord,
    is_before_noun,
    is_content,
    is_place,
    written_names,
)

MIN_SHARE, RARE = 0.5, 0.15
"""Share of a name's words, weighted by rarity, that a document has to have; of the documents that may have a telling word."""
TOGETHER = 8
"""Letters of several words that a document may write as one."""
BEFORE = 200
"""Characters before a name that hold the words for its deal."""
TIED = 0.93
"""Documents whose share of the name is within this part of the best are named alike."""

_JOINED = re.compile(r"(?:['’]s)?,?\s+(?:(?:with|of|between|from|by|for|to)\s+(?:the\s+)?)?", re.IGNORECASE)
"""What may stand between two parts of one document's name."""
_BEFORE_NAME = re.compile(
    r".*(?P<article>\b(?:the|an?|our|my|this))\s+(?P<words>(?:[\w-]+\s+){1,4})(?P<joint>with|of|between|from|by|for)\s+(?:the\s+)?\Z",
    re.IGNORECASE | re.DOTALL,
)
_DOCUMENT = r"agreement|contract|deed|lease|deal(?!\s+with)|arrangement|case|judge?ment|(?<=['’]s )will"
_AFTER_NAME = re.compile(rf"(?:['’]s)?(?:\s+(?:{_DOCUMENT})\b)?")
_ENDS_NAME = re.compile(
    r"\s*(?:[,;?.!]|\Z)| (?:is|was|be|been|has|have|does|do|did|may|must|can|could|shall|should|will|would)\b"
)


@dataclass(frozen=True, slots=True)
class Named:
    """What a question names. Without documents, `question` is the question itself."""

    question: str
    """The question with "the agreement" instead of the names."""
    documents: tuple[str, ...] = ()
    """Ids, in the order of the names."""
    alike: tuple[str, ...] = ()
    """Ids of documents that one name fits equally well."""
    corrected: tuple[tuple[str, str], ...] = ()
    """(word as written, word of a document), for misspelt names."""
    in_passing: bool = False
    """Whether the document is named in small letters, by words that may also be the subject: "the power of attorney"."""
    bare: str = ""
    """The question with "the agreement" in place of a word that may also be the subject and stands in `question`."""
    by_role: bool = False
    """Whether only the role of a party says which document is meant: "the tenant"."""


@dataclass(slots=True)
class _Written:
    """The names that are written in a question."""

    places: list[Span] = field(default_factory=list)
    fits: list[list[str]] = field(default_factory=list)
    """Ids of the documents that each name fits."""
    roles: dict[Span, str] = field(default_factory=dict)
    corrected: list[tuple[str, str]] = field(default_factory=list)

    @property
    def found(self) -> list[str]:
        return list(dict.fromkeys(d for best in self.fits for d in best))


def named_documents(question: str, documents: Sequence[Nameable]) -> Named:
    """Finds the documents of each name in the question; none if nothing in it names a document."""
    question, respelt = with_kinds_respelt(question, frozenset().union(*(d.kinds for d in documents)))
    named = _named(question, documents)
    return replace(named, corrected=(*respelt, *named.corrected)) if respelt else named


def _named(question: str, documents: Sequence[Nameable]) -> Named:
    written = _written(question, documents)
    found, spans = written.found, written.places
    alike = list(dict.fromkeys(d for best in written.fits if len(best) > 1 for d in best))
    if not found:  # a name of nouns alone: "the Deed of Guarantee"
        whole = {document.id: span for document in documents if (span := _whole_name(question, document.name))}
        found, spans = list(whole), list(dict.fromkeys(whole.values()))
    if not found and (kind := all_of_kind(question, documents)):
        return Named(question, kind)
    if not asks_of_all(question):
        if not found and (act := named_act(question, documents)) and (end := ends_name(question, act[1][1])):
            return Named(_without(question, [(act[1][0], end)]), (act[0],))
        passing = list(in_passing(question, documents))
        if not found and passing:
            named, spans = with_passing(question, [passing[0][0]], [passing[0][1]], passing[1:])
            return Named(_without(question, spans), tuple(named), in_passing=len(named) == 1)
        found, spans = with_passing(question, found, spans, passing)
        places, fitting = of_kind(question, documents, spans)
        if not found and fitting:
            return Named(_without(question, places), fitting)
        if not found and (seems := seeming(question, documents) or act):
            return Named(question, (seems[0],), in_passing=True, bare=_without(question, [seems[1]]))
        if not found and (meant := by_role(question, documents)):
            return Named(question, (meant[0],), by_role=True, in_passing=meant[1])
        spans, found = sorted({*spans, *places}), list(dict.fromkeys((*found, *fitting)))
    return Named(_without(question, sorted(spans), written.roles), tuple(found), tuple(alike), tuple(written.corrected))


def _written(question: str, documents: Sequence[Nameable]) -> _Written:
    counts = Counter(word for document in documents for word in document.words)
    by_id = {document.id: document for document in documents}
    titles = {d.id: d.words for d in documents}
    in_names = frozenset().union(*(d.in_name for d in documents))
    written = _Written()
    for run in written_names(question, counts):
        if len(documents) == 1 and run[-1].text.lower() not in DEALS:
            continue  # nothing is to be told apart, and the words may be terms of the document: "an Event of Default"
        if is_place(run) and not any(run[0].text.lower() in document.name for document in documents):
            continue
        matched, fixed = _matches(run, counts, in_names, len(documents))
        best = _best(run, matched, documents, counts)
        name = of_document(run, [by_id[id] for id in best])
        if name and not best:  # "the personal guarantee of Ms Acme"
            best = _best(name, matched := _matches(name, counts, in_names, len(documents))[0], documents, counts)
        if not name or not best:
            continue
        written.corrected += fixed
        best, end = _with_tail(question, name, of_party(name, matched, [by_id[id] for id in best]), titles)
        start = _with_head(question, name[0].start, [by_id[id] for id in best])
        whole = (start, end) == (name[0].start, name[-1].end)
        if whole and (role := role_in(name, matched, [by_id[id] for id in best])):
            written.roles[start, end] = role
        _add(written, question, (start, end), best)
    return written


def _add(written: _Written, question: str, place: Span, best: list[str]) -> None:
    """Adds a name, or joins it to the one before: "the supply contract with Acme" is one name."""
    if written.places and _JOINED.fullmatch(question[written.places[-1][1] : place[0]]):
        written.places[-1] = (written.places[-1][0], place[1])
        written.fits[-1] = [d for d in written.fits[-1] if d in best] or best
    else:
        written.places.append(place)
        written.fits.append(best)


def _whole_name(question: str, name: str) -> tuple[int, int] | None:
    """The place of a file name of several words that stands in the question as it is."""
    flat = question.lower()
    if " " not in name or any(word not in flat for word in name.split()):
        return None
    words = r"[\s_-]+".join(map(re.escape, name.split()))
    match = re.search(rf"(?<!\w){words}(?!\w|\.\d)", question, re.IGNORECASE)
    return match.span() if match else None


def _matches(
    name: Sequence[NameWord], counts: Mapping[str, int], in_names: Collection[str], size: int
) -> tuple[dict[str, str], list[tuple[str, str]]]:
    """Maps the name's words to words of documents; a word that no document has to the closest one, one in small letters before
    a word for a document to the closest of file names.
    """
    found, fixed = {}, []
    for word in name:
        if not is_content(word):
            continue
        text = next((form for form in word_forms(word.text.lower()) if form in counts), None)
        if text is None and len(word.text) >= 4:
            text = next((w for w in counts if w.startswith(word.text.lower()) and counts[w] <= max(1, RARE * size)), None)
        if text is None and word.capital:
            text = _run_together(name, word, counts)
        vocabulary = counts if word.capital else in_names if is_before_noun(name, word) else ()
        if text is None and (text := closest(word.text.lower(), vocabulary)):
            fixed.append((word.text, text))
        found[word.text.lower()] = text or ""
    return found, fixed


def _run_together(name: Sequence[NameWord], word: NameWord, counts: Mapping[str, int]) -> str | None:
    """The word of documents in which several words of the name, this one among them, are written as one: "BLUEHARBOURINC"."""
    at = name.index(word)
    for first in range(max(0, at - 3), at + 1):
        begun = [w for w in counts if w.startswith(name[first].text.lower())]
        for last in range(len(name), max(at, first + 1), -1) if begun else ():
            joined = "".join(w.text.lower() for w in name[first:last])
            if len(joined) >= TOGETHER and (found := next((w for w in begun if w.startswith(joined)), None)):
                return found
    return None


def _best(
    name: Sequence[NameWord], matched: Mapping[str, str], documents: Sequence[Nameable], counts: Mapping[str, int]
) -> list[str]:
    """Ids of the documents that fit the name best; none if a rare word or the larger part of the name fits no document."""
    rarity = {word: log(1 + len(documents) / counts.get(text, 0.5)) for word, text in matched.items()}
    whole = sum(rarity.values())
    shares = {d.id: sum(rarity[w] * d.words.get(text, 0.0) for w, text in matched.items() if text) / whole for d in documents}
    top = max(shares.values(), default=0.0)
    if top < MIN_SHARE * IN_OPENING:
        return []
    best = [id for id, share in shares.items() if share >= TIED * top]
    has = {d.id: d.words for d in documents}
    most = max(2.0, RARE * len(documents))
    texts = set(matched.values())
    as_named = [d.id for d in documents if d.id in best and texts <= d.in_name]
    if len(as_named) == 1 and len(name) > 1:  # a file's own name tells it from those that only mention the words
        return as_named
    names_one = any(text and counts[text] <= most for text in matched.values()) or len(best) == 1
    if not names_one or len(best) > most + 1:
        return []
    if not all(has[id] for id in best):
        return []
    return as_named or best


def _with_tail(
    question: str, name: Sequence[NameWord], best: list[str], words: Mapping[str, Mapping[str, float]]
) -> tuple[list[str], int]:
    """Extends a capitalised name without a noun for a document by the words of a title: "the X product development".

    A single word counts only at the end of the question or before an auxiliary verb: elsewhere it may be the verb.

    Returns the documents whose titles have most of them, and the end of the name.
    """
    end, tail = name[-1].end, list[str]()
    if name[-1].text.lower() in NOUNS:
        return best, end
    last = end
    for match in TOKEN.finditer(question, end):
        word = match[0].lower()
        if question[last : match.start()].strip(" -/&"):
            break
        last = match.end()
        if word in SMALL:
            continue
        if not any(words[id].get(word, 0.0) >= IN_TITLE for id in best):
            break
        tail.append(word)
        if len(tail) >= 2 or _ENDS_NAME.match(question, last):
            end = last
    if end == name[-1].end:
        return best, name[-1].end
    counts = {id: sum(words[id].get(word, 0.0) >= IN_TITLE for word in tail) for id in best}
    return [id for id in best if counts[id] == max(counts.values())], end


def _with_head(question: str, start: int, best: Sequence[Nameable]) -> int:
    """The beginning of a name with the words for the deal before it: "the strategic alliance with" Acme."""
    match = _BEFORE_NAME.match(question, max(0, start - BEFORE), start)
    if match is None:
        return start
    before = match["words"].lower().split()
    if not SMALL.isdisjoint(before) or not QUESTION_WORDS.isdisjoint(before):
        return start
    titled = match["joint"].lower() in ("with", "between") and any(d.words.get(before[-1], 0.0) >= IN_TITLE for d in best)
    is_deal = before[-1] in DEALS and is_no_thing_in(before[-1], best)
    return match.start("article") if titled or is_deal else start


def _without(question: str, spans: Sequence[tuple[int, int]], roles: Mapping[tuple[int, int], str] | None = None) -> str:
    """The question with "the agreement", or a party's role, in place of names."""
    out, at = "", 0
    for start, end in spans:
        if start < at:  # a part of the name before
            continue
        before = re.sub(r"\b(?:the|this|our|my|its|mr|ms|mrs|dr)\.?\s+\Z", "", question[at:start], flags=re.IGNORECASE)
        if role := (roles or {}).get((start, end)):
            possessive = re.search(r"['’]s?\Z", question[start:end])
            out, at = out + before + role + ("'s" if possessive else ""), end
            continue
        out += before + "the agreement"
        tail = _AFTER_NAME.match(question, end)
        at = tail.end() if tail else end
    flat = " ".join((out + question[at:]).split())
    flat = re.sub(r"\b(the agreement)(?:,? (?:and|or|with|versus|vs\.?|from) (?:the )?agreement)+", r"\1", flat)
    return flat
