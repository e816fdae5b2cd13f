"""Reads what a bracket cites: documents by short id or name, and the places in them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

HANDLE = re.compile(r"[A-Z]\d{1,4}(?!\w)")
"""A short id: D4 for a document, P12 for a passage."""
_FOREIGN = re.compile(r"[【［〔](?P<inner>[^\n【】［］〔〕\[\]]{1,200})[】］〕]")
_SOURCE_SIGN = re.compile(r"\s*†[^;\]]*")
_IN_ROUND = re.compile(
    r"\((?P<inner>D\d{1,4}(?![ ,:]*(?:and\b|or\b|to\b)?[ ,:]*D\d)[ ,:]+[^()\n]{0,80}(?:\([^()\n]{1,20}\)[^()\n]{0,80})*)\)"
)
_LINKED = re.compile(r"(\[[A-Z]\d{1,4}(?!\w)[^\[\]\n]{0,120}\])\([^()\s]{0,300}\)")
_FILE = re.compile(r"[^\s,;][^,;]{0,120}\.(?:pdf|docx?|txt|md|html?|eml|msg|rtf|xlsx|pptx|csv)\b", re.IGNORECASE)
_SEVERAL = re.compile(r"\s*;\s*|\s*,\s*(?=D\d)|\s+and\s+(?=D\d)")
_BETWEEN = re.compile(r"[\s,:.–-]+")


@dataclass(frozen=True, slots=True)
class Cited:
    """One part of a bracket: the documents it may mean, and the place as written."""

    documents: tuple[str, ...]
    place: str
    passage: str = ""
    """Id of a passage that it names by a short id."""
    named: bool = True
    """Whether it names a document; a bracket may give a place alone: "[Section 6.2]"."""


def plain_brackets(text: str) -> str:
    """The text with square brackets around short ids that a model wrote in others: 【D4 6.2†source】, (D4 6.2), [D4 6.2](…)."""
    if "†" not in text and "D" not in text:
        return text
    text = _FOREIGN.sub(lambda m: f"[{m['inner']}]" if HANDLE.match(m["inner"].strip()) else m[0], text)
    text = _IN_ROUND.sub(lambda m: f"[{m['inner']}]", text)
    text = _LINKED.sub(r"\1", text)
    return re.sub(r"\[(?=[A-Z]\d{1,4}(?!\w))[^\[\]\n]{0,200}\]", lambda m: _SOURCE_SIGN.sub("", m[0]), text)


def read_cited(
    inner: str, names: Mapping[str, Sequence[str]], handles: Mapping[str, Sequence[str]], context: Sequence[str] = ()
) -> list[Cited]:
    """What the words of a bracket cite.

    Args:
        inner: The words between the brackets.
        names: Ids of the documents read, by name.
        handles: Ids by short id, in upper case. A short id of several ids cites nothing.
        context: Ids of the documents that the row, item or sentence names; they are meant where the bracket names none.

    Returns:
        One entry a part; empty if the bracket cites nothing.
    """
    found: list[Cited] = []
    last: tuple[str, ...] = ()
    for part in _parts(inner.strip(" *_"), names):
        if " " in part and len(whole := handles.get(part.upper(), ())) == 1 and (handle := HANDLE.match(part)):
            last = tuple(handles.get(handle[0], ()))
            found.append(Cited(last, part[handle.end() :].strip(), whole[0]))
        elif handle := HANDLE.match(part):
            meant = tuple(handles.get(handle[0], ()))
            rest = _BETWEEN.sub("", part[handle.end() :], count=1) if part[handle.end() :] else ""
            if handle[0][0] == "D":
                last = meant if len(meant) == 1 else ()
                passage = handles.get(rest.upper(), ()) if HANDLE.fullmatch(rest.upper()) else ()
                found.append(Cited(last, rest, passage[0] if len(passage) == 1 else ""))
            elif len(meant) == 1:
                found.append(Cited(last, rest, meant[0]))
        elif name := next((n for n in _longest_first(names) if _starts_with(part, n)), ""):
            last = tuple(names[name])
            inside = part[len(name) :].strip(" ,")
            passage = handles.get(inside, ())
            found.append(Cited(last, inside, passage[0] if len(passage) == 1 else ""))
        elif last:
            found.append(Cited(last, part))
        else:
            found.append(Cited(tuple(context), part, named=False))
    return found


def _starts_with(part: str, name: str) -> bool:
    """Whether a part begins with a document's name; behind one without its ending comes a comma, a colon or nothing."""
    return part.startswith(name) and (_FILE.fullmatch(name) is not None or part[len(name) :].lstrip()[:1] in ("", ",", ":"))


def unread_file(inner: str, names: Iterable[str]) -> str:
    """The file that a bracket names, if it is none of these."""
    found = _FILE.match(inner.strip(" *_"))
    return found[0] if found and folded(found[0]) not in map(folded, names) else ""


def folded(name: str) -> str:
    return " ".join(re.split(r"[\s_-]+", name.casefold()))


def _parts(inner: str, names: Mapping[str, Sequence[str]]) -> list[str]:
    """The parts between semicolons; a document's name may hold one."""
    for name in _longest_first(names):
        if inner.startswith(name):
            return [name + inner[len(name) :].split(";", maxsplit=1)[0], *_parts_of(inner[len(name) :])]
    return [part.strip() for part in _SEVERAL.split(inner) if part.strip()]


def _parts_of(rest: str) -> list[str]:
    return [part.strip() for part in rest.split(";")[1:] if part.strip()]


def _longest_first(names: Iterable[str]) -> list[str]:
    return sorted(names, key=len, reverse=True)
