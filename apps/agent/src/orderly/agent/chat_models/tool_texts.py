"""Parsers of tool outputs, for the offline planner."""

from __future__ import annotations

import re
from dataclasses import dataclass

LIKELY_HEADING = "Likely, not confirmed:"
NEAREST_HEADING = "Nearest passages, not confirmed as an answer:"
"""As `services.citations` has them, from which the planner imports nothing: it reads what a model reads."""

UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"


@dataclass(frozen=True, slots=True)
class Listed:
    name: str
    id: str
    status: str


@dataclass(frozen=True, slots=True)
class Excerpt:
    source: str
    """The citation without brackets: "Agreement.pdf, Page 12"."""
    text: str
    value: str = ""
    """The date, period or other value that the text states, in words; with "calculated: " if it was."""


@dataclass(frozen=True, slots=True)
class DocumentAnswers:
    """Result of one question to several documents."""

    answered: tuple[Excerpt, ...]
    likely: tuple[Excerpt, ...]
    nearest: tuple[Excerpt, ...]
    one: str
    """Name of the only document that was asked; empty if there are several."""
    seeming: str
    """Name of the only document that was asked before all were, because it says nothing; else empty."""
    asked: int
    total: int
    notes: tuple[str, ...]
    """Lines on documents in which nothing was found, or that were not read or not asked."""
    head: tuple[str, ...]
    """Lines on how names of documents were read."""
    failure: str = ""
    """Why nothing was asked."""


@dataclass(frozen=True, slots=True)
class Clause:
    kind: str
    source: str
    text: str


_DOCUMENT = re.compile(
    rf"^\d+\. (?P<name>.+)\n(?:   - .+\n)*?   - Status: (?P<status>.+)\n(?:   - .+\n)*   ID: (?P<id>{UUID})$", re.M
)
_EXCERPT = re.compile(
    rf"^\d+\. \[(?P<source>.+?)\](?: \(Relevance: [\d.]+\))?\n   \"(?P<text>.*?)\"\n   ID: {UUID}"
    r"(?:\n   Value: (?P<value>[^\n]+))?$",
    re.M | re.S,
)
_ASKED = re.compile(r"^Asked: (?:(?P<asked>\d+) of (?P<total>\d+) documents; |(?P<one>.+)\.$)", re.M)
_SEEMING = re.compile(r"^The document that seemed to be meant, (?P<name>.+), says nothing on this", re.M)
_SILENT = re.compile(r"^(?:Searched|Not read|Not asked yet): .*$", re.M)
_HEAD = re.compile(r"^(?:Read as:|The name fits|The document that seemed) .*$", re.M)
_KIND = re.compile(r"^✓ (?P<kind>.+) \(Found: \d+ clauses?\)$")
_CLAUSE = re.compile(r'^  • (?P<label>.+?)(?: \(Page (?P<page>\d+)\))?: "(?P<text>.*)"$')


def documents_in(text: str) -> list[Listed]:
    return [Listed(m["name"], m["id"], m["status"]) for m in _DOCUMENT.finditer(text)]


def excerpts_in(text: str) -> list[Excerpt]:
    return [Excerpt(m["source"], _unindented(m["text"]), m["value"] or "") for m in _EXCERPT.finditer(text)]


def document_answers_in(text: str) -> DocumentAnswers:
    """Parses the output of ask_documents."""
    body, _, nearest = text.partition(f"\n{NEAREST_HEADING}\n")
    answered, _, likely = body.partition(f"\n{LIKELY_HEADING}\n")
    asked, seeming = _ASKED.search(text), _SEEMING.search(text)
    return DocumentAnswers(
        answered=tuple(excerpts_in(answered)),
        likely=tuple(excerpts_in(likely)),
        nearest=tuple(excerpts_in(nearest)),
        one=asked["one"] or "" if asked else "",
        seeming=seeming["name"] if seeming else "",
        asked=int(asked["asked"] or 1) if asked else 0,
        total=int(asked["total"] or 1) if asked else 0,
        notes=tuple(m[0] for m in _SILENT.finditer(text)),
        head=tuple(m[0] for m in _HEAD.finditer(text)),
        failure=failure_in(text) or ("" if asked else text.strip()),
    )


def failure_in(text: str) -> str:
    """Returns the error message of an output; empty for a result."""
    if text.startswith("Error:"):
        return " ".join(text.removeprefix("Error:").split())
    if not text.strip():
        return "The tool gave no answer."
    return text.strip() if text.startswith("Document is still being processed") else ""


def clauses_in(text: str, document: str) -> list[Clause]:
    clauses, kind = [], ""
    for line in text.split("\n"):
        if match := _KIND.match(line):
            kind = match["kind"]
        elif match := _CLAUSE.match(line):
            page = f"Page {match['page']}, " if match["page"] else ""
            clauses.append(Clause(kind, f"{document}, {page}{match['label']}", match["text"]))
    return clauses


def headings_in(text: str) -> list[str]:
    """Returns the main headings of a clause report, with their places."""
    _, _, after = text.partition("\nMain headings:\n")
    return [line[4:] for line in after.partition("\n\n")[0].split("\n") if line.startswith("  - ")]


def notes_in(text: str) -> list[str]:
    """Returns the lines about documents that were not searched or not read, and about the engine."""
    return [
        line
        for line in text.split("\n")
        if re.match(r"(Not searched|Searched in part|Note|Engine|Not read|Read|Read by text recognition \(OCR\)): ", line)
    ]


def _unindented(text: str) -> str:
    return "\n".join(line.removeprefix("    ") for line in text.split("\n"))
