"""Finds a matter or a document by the name that a person or a model writes, among those that the caller may see."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Any

from orderly.errors import Invalid, NotFound
from orderly.models import Caller
from orderly.services.documents import ALL_MATTERS
from orderly.services.library import Library
from orderly.store.functions.revisions import document_contents
from orderly.wiring.services import Services

AMBIGUOUS = "{name!r} is the name of several: {choices}. Name one by its id."
NOT_FOUND = "{kind} {name} not found or you don't have access."
MAX_CHOICES = 10
MAX_NEAR = 5
"""Names that an error lists."""
MAX_NAME = 300
"""Characters of a name."""
MIN_BEGINNING = 3
"""Characters of a word that may stand for a longer one: "Intricon" for "INTRICONCORP"."""

_ID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|m-\d{4}-\d+", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+")
_EMPTY = frozenset(
    [
        "the",
        "a",
        "an",
        "of",
        "to",
        "for",
        "and",
        "in",
        "on",
        "our",
        "my",
        "this",
        "that",
        "matter",
        "document",
        "file",
        "pdf",
        "docx",
        "doc",
        "txt",
    ]
)
_KINDS = frozenset(["agreement", "contract", "deed", "lease", "licence", "license", "letter", "policy", "memo"])
"""Words for a document, which alone name none."""
_SECTION = re.compile(
    r"(?P<document>.+?)(?<![\s,;:–-])[\s,;:–-]++(?:sections?|clauses?|cl|s|articles?|art|schedules?|annexures?|exhibits?)\.?(?:\s+|(?=\d))"
    r"(?P<label>\d[\w.]*(?:\(\w{1,4}\))*|[A-Z]|[IVX]+)\.?",
    re.IGNORECASE,
)


def is_name(value: str) -> bool:
    """Whether a text may be a name: no id, no number of a matter, and not "all"."""
    text = value.strip()
    return (
        bool(text) and text.isprintable() and len(text) <= MAX_NAME and not _ID.fullmatch(text) and text.lower() != ALL_MATTERS
    )


def are_ids(value: str) -> bool:
    """Whether a text is several ids, with commas between."""
    return all(_ID.fullmatch(part.strip()) for part in value.split(","))


async def find_matter(library: Library, caller: Caller, name: str) -> str | None:
    """The matter of the caller with this slug, or this title in any case and punctuation, else the only one with its words.

    Raises:
        Invalid: Several matters have the name.
    """
    matters = await library.matters(caller)
    if by_slug := next((m["id"] for m in matters if m["slug"] == name.strip().lower()), None):
        return by_slug
    names = {m["id"]: f"{m['number']} {m['title']}" for m in matters}
    return _one(name, _same(name, {m["id"]: m["title"] for m in matters}) or _with_words(name, names), names)


async def matter_not_found(library: Library, caller: Caller, name: str, kind: str = "Matter") -> NotFound:
    """The error for a name that no matter has, with the caller's matters whose names are nearest."""
    matters = await library.matters(caller)
    names = [f"{m['title']} ({m['number']})" for m in matters]
    return NotFound(_listing(NOT_FOUND.format(kind=kind, name=name), "Your matters", _near(name, names)))


async def find_document(services: Services, caller: Caller, name: str, matter: str = "") -> str | None:
    """The document with this file name, with or without its ending, else the only one whose name has its words.

    Args:
        services: Services of the run.
        caller: Who asks. Documents of other people's matters are not found.
        name: The name as a person or a model wrote it.
        matter: Id or number of the matter to which the search is kept; blank or "all": every matter of the caller.

    Raises:
        Invalid: Several documents have the name.
    """
    wanted = name.strip().strip("[]“”\"'`").strip()
    if not _WORD.search(wanted):
        return None
    names = await _documents(services, caller, wanted, matter)
    bare = {id: n.rpartition(".")[0] for id, n in names.items()}
    found = _same(wanted, names) or _same(wanted, bare) or _with_words(wanted, names) or _only_one(wanted, names)
    return _one(name, found, names)


async def document_not_found(
    services: Services, caller: Caller, name: str, matter: str = "", kind: str = "Document"
) -> NotFound:
    """The error for a name that nothing has, with the documents of the matter whose names are nearest."""
    names = await _documents(services, caller, name, matter)
    number = await _number(services, caller, matter)
    if number is not None:
        names |= {d["id"]: d["filename"] for d in (await services.library.documents(caller, number)).documents}
    near = _near(name, [f"{shown} (ID: {id})" for id, shown in names.items()])
    return NotFound(_listing(NOT_FOUND.format(kind=kind, name=name), "Documents there are", near))


async def find_section(services: Services, caller: Caller, name: str, matter: str = "") -> str | None:
    """The section that a name of a document and a label give: "Service Agreement, clause 7.2"; None for any other name.

    Raises:
        NotFound: The document has no section of this label.
    """
    match = _SECTION.fullmatch(name.strip())
    if match is None:
        return None
    together = " ".join(_words(name))
    if any(together in " ".join(_words(other)) for other in (await _documents(services, caller, name, matter)).values()):
        return None  # a file called "Lease Schedule 2"
    named = match["document"].strip()
    document = named if _ID.fullmatch(named) else await find_document(services, caller, named, matter)
    if document is None:
        return None
    label = match["label"].rstrip(".").lower()
    sections = (await document_contents(services.store, caller, document))["sections"]
    found = [s for s in sections if _number_of(s["label"]) == label]
    if not found:
        labels = ", ".join(str(s["label"]) for s in sections if s["label"] and s["parent"] is None)[:300]
        raise NotFound(f"The document has no section {match['label']}." + (f" Its sections: {labels}." if labels else ""))
    return str(found[0]["id"])


def _number_of(label: str | None) -> str:
    """The number of a section's label: "7.2" of "Clause 7.2."."""
    words = (label or "").strip().rstrip(".").lower().split()
    return words[-1] if words else ""


async def _documents(services: Services, caller: Caller, name: str, matter: str) -> dict[str, str]:
    """Names by id of the documents whose names hold a word of `name`, in the matter."""
    number = await _number(services, caller, matter)
    words = sorted({w.lower() for w in _WORD.findall(name)} - _EMPTY, key=len)
    names: dict[str, str] = {}
    for part in dict.fromkeys((name, *reversed([w for w in words if w not in _KINDS][-4:]), *words[-1:])):
        listing = await services.navigation.find(caller, part, "DOCUMENT", 100, 0)
        items = zip(listing.items, listing.found_at or (), strict=False)
        names |= {i["id"]: i["name"] for i, place in items if number is None or place["matter_number"] == number}
    return names


async def _number(services: Services, caller: Caller, matter: str) -> str | None:
    """The number of a matter given by its id or number; None for all matters."""
    if not _ID.fullmatch(matter.strip()):
        return None
    wanted = matter.strip().lower()
    matters = await services.library.matters(caller)
    return next((m["number"] for m in matters if wanted in (m["id"].lower(), m["number"].lower())), matter.strip())


def _same(name: str, names: Mapping[str, str]) -> list[str]:
    exact = [id for id, other in names.items() if other.strip() == name.strip()]
    return exact or [id for id, other in names.items() if _words(other) == _words(name)]


def _with_words(name: str, names: Mapping[str, str]) -> list[str]:
    """Ids of the names that hold the words one after the other, else in any order, each whole or as a word's beginning."""
    together = f" {' '.join(_words(name))} "
    if found := [id for id, other in names.items() if together.strip() and together in f" {' '.join(_words(other))} "]:
        return found
    wanted = [word for word in _words(name) if word not in _EMPTY]
    if not set(wanted) - _KINDS:
        return []
    return [id for id, other in names.items() if all(_begins(word, _words(other)) for word in wanted)]


def _only_one(name: str, names: Mapping[str, str]) -> list[str]:
    """The only name with half of the words, if it is not that of another kind of document: "the Acme IP agreement".

    A capitalised word has to be in it: "the merger with Acme" is no other merger.
    """
    wanted = [word for word in _WORD.findall(name) if word.lower() not in _EMPTY]
    kinds = {word.lower() for word in wanted} & _KINDS
    telling = [word for word in wanted if word.lower() not in _KINDS and len(word) > MIN_BEGINNING]

    def fits(other: str) -> bool:
        begun = {word: _begins(word.lower(), _words(other)) for word in telling}
        return any(begun.values()) and 2 * sum(begun.values()) >= len(begun) and all(begun[w] for w in begun if w[0].isupper())

    found = [id for id, other in names.items() if fits(other)]
    others = {*_words(names[found[0]])} & _KINDS if len(found) == 1 else set()
    return found if len(found) == 1 and (not kinds or not others or kinds & others) else []


def _begins(word: str, others: Iterable[str]) -> bool:
    return any(other == word or (len(word) >= MIN_BEGINNING and other.startswith(word)) for other in others)


def _near(name: str, names: list[str]) -> list[str]:
    """The names that share a word with `name`, or have one like it, best first; all if none does."""
    wanted = [word for word in _words(name) if word not in _EMPTY]

    def likeness(other: str) -> int:
        words = _words(other.rpartition(" (")[0])
        return sum(_begins(word, words) or bool(get_close_matches(word, words, 1, 0.75)) for word in wanted)

    ranked = sorted(names, key=likeness, reverse=True)
    return [other for other in ranked if likeness(other)] or ranked


def _listing(text: str, heading: str, names: list[str]) -> str:
    if not names:
        return text
    more = f" and {len(names) - MAX_NEAR} more" if len(names) > MAX_NEAR else ""
    return f"{text} {heading}: {', '.join(names[:MAX_NEAR])}{more}."


def _words(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text)]


def _one(name: str, found: Iterable[str], names: Mapping[str, Any]) -> str | None:
    ids = list(found)
    if len(ids) > 1:
        shown = ", ".join(f"{names[id]} (ID: {id})" for id in ids[:MAX_CHOICES])
        raise Invalid(AMBIGUOUS.format(name=name.strip(), choices=shown + (" …" if len(ids) > MAX_CHOICES else "")))
    return ids[0] if ids else None
