"""Documents and matters of a listing that a question names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from orderly.agent.chat_models.tool_texts import UUID, Listed

_WORD = re.compile(r"[a-z]+|\d+", re.I)
_NAMING = re.compile(
    r"""\b (?=([A-Za-z]{3,}))
    (?= [A-Z] | [a-z]+ (\W+\w+){0,2} \W+ (agreement|contract|lease|deed|amendment|licen[cs]e|nda|memo|letter)s?\b )""",
    re.VERBOSE,
)
"""A word that may name a document: capitalised, or just before a word for documents ("the maintenance agreement")."""

_THING = re.compile(r"\b(?:the|this|that|my|our|his|her|their|your)\s+([a-z]{3,})", re.I)
"""A word with a determiner: the thing that a question is about."""

_COMMON = {
    "the", "and", "for", "inc", "llc", "ltd", "corp", "company", "agreement", "contract", "document", "file", "pdf", "docx",
    "txt", "md", "doc", "copy", "final", "draft", "signed", "scan", "scanned", "exhibit", "amendment", "of", "in", "to", "with",
}  # fmt: skip
"""Words of file names that do not identify a document."""


@dataclass(frozen=True, slots=True)
class Matter:
    id: str
    number: str
    title: str


_MATTER = re.compile(rf"^- (?P<number>\S+) \| (?P<title>.*?) \| documents: \d+ \| ID: (?P<id>{UUID})$", re.M)


def matters_in(prompt: str) -> tuple[list[Matter], Matter | None]:
    """Parses the caller's matters and the bound matter from the system prompt."""
    listed, _, bound = prompt.partition("\nThis conversation is bound to this matter:\n")
    matters = [Matter(m["id"], m["number"], m["title"]) for m in _MATTER.finditer(listed)]
    match = _MATTER.search(bound)
    return matters, Matter(match["id"], match["number"], match["title"]) if match else None


def named_matter(question: str, matters: Sequence[Matter], *, bound: bool = False) -> Matter | None:
    """Finds the matter named by id, by number, or by a title word that is in no other title.

    `bound`: the conversation has a matter, so that only an id, a number or "the Smith v Jones matter" names another one.
    """
    text = question.lower()
    for matter in matters:
        if matter.id in text or re.search(rf"(?<!\w){re.escape(matter.number.lower())}(?!\w)", text):
            return matter
    if bound:
        titled = [m for m in matters if re.search(rf"\b{re.escape(m.title)}\W+(?:matter|file)\b", question, re.IGNORECASE)]
        return titled[0] if len(titled) == 1 else None
    words = set(_words(question))
    title_counts = Counter(word for m in matters for word in set(_words(m.title)))
    hits = [m for m in matters if any(title_counts[w] == 1 and w in words for w in _words(m.title) if len(w) > 3)]
    return hits[0] if len(hits) == 1 else None


def named_in_listing(question: str, documents: Sequence[Listed]) -> list[Listed]:
    """Finds documents named by file name, or by a word (or its beginning) that is in no other document's name.

    Without such a word, returns the documents whose names share most with the question.
    """
    candidates = {m[1].lower() for m in _NAMING.finditer(question)} - _COMMON
    lowered = question.lower()
    whole = [d for d in documents if d.name.lower() in lowered or d.name.lower().rsplit(".", 1)[0] in lowered]
    if whole:
        return whole
    name_counts = Counter(word for d in documents for word in set(_name_words(d.name)))
    scores = {d.id: _name_score(d, candidates, name_counts) for d in documents}
    if any(score >= 1 for score in scores.values()):
        return [d for d in documents if scores[d.id] >= 1]
    best = max(scores.values(), default=0)
    return [d for d in documents if best and scores[d.id] == best]


def may_name(question: str) -> bool:
    """Whether a word of the question, behind its first, is written like a part of a document's name."""
    return any(
        m.start() > len(question) - len(question.lstrip()) and m[1].lower() not in _COMMON for m in _NAMING.finditer(question)
    )


def documents_meant(question: str, documents: Sequence[Listed]) -> list[Listed]:
    """Finds documents that the question seems to mean: "the employment" for Employment_Contract.docx, if no other name has it.

    Other documents may answer too, since such a word can also be used in its ordinary sense.
    """
    things = {_singular(match[1].lower()) for match in _THING.finditer(question)}
    name_counts = Counter(word for d in documents for word in {_singular(w) for w in _name_words(d.name)})
    return [d for d in documents if any(name_counts[w] == 1 and w in things for w in map(_singular, _name_words(d.name)))]


def _singular(word: str) -> str:
    return word.removesuffix("s")


def _name_score(document: Listed, candidates: set[str], name_counts: Counter[str]) -> float:
    """Sum of 1 / (documents with the word) over matched words of the name: at least 1 with a word that is in no other name."""
    return sum(1 / name_counts[word] for word in set(_name_words(document.name)) if _is_named(word, candidates))


def _is_named(word: str, candidates: set[str]) -> bool:
    """Whether a candidate is `word` or, from 4 letters on, its beginning: "lucid" names LUCIDINC."""
    return word in candidates or any(len(c) >= 4 and word.startswith(c) for c in candidates)


def _name_words(name: str) -> list[str]:
    separated = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name.rsplit(".", 1)[0])
    return [w for w in _words(separated) if w not in _COMMON and len(w) > 2 and not w.isdigit()]


def _words(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text)]
