"""What a document calls its parties: "Acme Pty Ltd (the "Supplier")", "Acme Pty Ltd ("AT")"."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from orderly.services.words import ROLE_NAMES

OPENING = 4_000
"""Leading characters in which parties are introduced."""
BEFORE = 260
"""Characters before a role that hold the name of its party."""
USES = 5
"""Times that a document has to use a role for it to stand for the name."""
_THE = re.compile(r"\bthe\s+[“\"‘']", re.IGNORECASE)
_PAPERS = frozenset(("Agreement", "Contract", "Deed", "Lease"))
_ROLE = re.compile(
    r"[(\[][^()\[\]\n]{0,80}?(?:[“\"‘'](?P<quoted>[A-Z][a-zA-Z]{3,20}|[A-Z]{2,6})[”\"’'][^()\[\]\n]{0,40}"
    r"|(?<=[(\[\s])(?P<bare>[A-Z][a-z]{3,12}))[)\]]"
)
_ACTS = re.compile(
    r"(?!(?i:order|letter|number|matter|offer|transfer|server|chapter|power|floor|sector)\Z)[A-Za-z]+(?:er|or|ee|ant)\Z"
)

"""A quoted role: one who does something, or to whom it is done."""
_BEGINS = re.compile(r"\b(?:between|among(?:st)?|and|by|BETWEEN|AND|BY)\b|[;)\]\n]|(?<=\s)\(?\d\)")
_ENDS = re.compile(r",|\(|\[|\s(?:of|is|an?|as|whose|having|at)\s|\s(?:ACN|ABN|ARBN)\b")
_LABELLED = re.compile(rf"^(?P<role>(?:{'|'.join(sorted(ROLE_NAMES))})s?):[ \t]*(?P<name>[A-Z][^\n]+)", re.MULTILINE)
"""A party behind its role: "Tenants: Jo Smith and Al Brown"."""
_NAME_WORD = re.compile(r"[A-Z0-9][\w&’'.-]{2,}")
_SUFFIXES = frozenset(("pty", "ltd", "limited", "inc", "llc", "llp", "plc", "corp", "corporation", "company", "the"))


def party_roles(text: str) -> dict[str, str]:
    """Maps the words of parties' names, in lower case, to the roles or short names that the document uses for them."""
    found: dict[str, str] = {}
    opening, last = text[:OPENING], 0
    for match in _ROLE.finditer(opening):
        role = match["quoted"] or match["bare"]
        words = _name_words(opening[max(last, match.start() - BEFORE) : match.start()])
        last = match.end()
        if not (role.title() in ROLE_NAMES or (match["quoted"] and (_ACTS.match(role) or _is_name(match[0], words)))):
            continue
        if role.lower() in words and (role in _PAPERS or re.search(rf"\b{role.lower()}\b", text)):
            continue  # an ordinary word: "this Services Agreement ("Agreement")"
        if len(re.findall(rf"\b{re.escape(role)}\b", text)) < USES:
            continue
        for word in words:
            found.setdefault(word, role)
    for match in _LABELLED.finditer(opening):
        if len(re.findall(rf"\b{match['role'].removesuffix('s')}s?\b", text, re.IGNORECASE)) < USES:
            continue
        for word in _name_words(match["name"]) + _name_words(match["name"].split(" and ")[0]):
            found.setdefault(word, match["role"])
    return found


def _is_name(introduction: str, words: Sequence[str]) -> bool:
    """Whether brackets introduce a short name of the party, and not "the" something: ("Acme")."""
    quoted = _ROLE.fullmatch(introduction)
    return quoted is not None and is_short_name(quoted["quoted"], words) and not _THE.search(introduction)


def is_short_name(role: str, words: Sequence[str]) -> bool:
    """Whether a document calls a party of that name so, and by no role: "TL", or "Acme" for Acme Tools Pty Ltd."""
    return role.isupper() or role.lower() in words


def _name_words(before: str) -> list[str]:
    """The words of the last name in the text before a role."""
    for begin in reversed([m.end() for m in _BEGINS.finditer(before)] or [0]):
        name = before[begin:].strip(" ,.:-–")
        end = _ENDS.search(name)
        words = [w.lower().rstrip(".'’") for w in _NAME_WORD.findall(name[: end.start()] if end else name)]
        if words := [w for w in words if w not in _SUFFIXES]:
            return words
    return []


def role_of(words: list[str], roles: Mapping[str, str]) -> str | None:
    """The role of the party that words name; None if they name none, or more than one."""
    found = {roles.get(word) for word in words}
    return found.pop() if len(found) == 1 else None
