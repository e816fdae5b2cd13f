"""Claims that cite their place in every form that a model may write, with the places that are meant."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from gate_statements import plain

from orderly.services.text import RevisionView
from orderly.store.functions.revisions import Section

COUNT = 60
PASSAGES = 6
"""Of them in documents without numbered sections, by the short id of a passage."""
FORMS = (
    "{c} [{d} {s}].", "{c} [{d}, cl {s}].", "{c} [{d}, Section {s}].", "{c} 【{d} {s}】.", "{c}【{d} {s}†source】.", "{c} ({d} {s}).", "{c} **[{d} {s}]**.",
    "{c} [{d} {s}](https://example.org/a).", "{c} ［{d} {s}］.", "{c} [{d}-{s}].", "“{q}” [{d} {s}].", "{c}. [{d} {s}]\n\nThat is all.",
    "{c} [{d} {s}-{last}].", "{c} [{d} {s} to {last}].", "{c} [{d} {s}; {d2} {s2}].", "{c} [{d} {s}][{d2} {s2}].", "{c} [{d} {s}, {d2} {s2}].",
    "{c} [{n}, Section {s}].", "{c} [{stem}, Section {s}].", "{c} [{stem}, cl {s}; {stem2}, Section {s2}].", "In {stem}, {c} [Section {s}].",
    "| Document | Point |\n|---|---|\n| {n} | {c} [Section {s}] |\n| {stem2} | {c2} [Section {s2}] |\n",
    "## {n}\n\n{c} [Section {s}].\n", "**{stem}**\n\n- {c} [Section {s}]\n", "1. **{n}:** {c} [Section {s}]\n",
)  # fmt: skip
"""`d`: short id, `n`: file name, `stem`: without its ending, `s`: label, `last`: of a range, `c`: claim, `q`: quotation."""
PASSAGE_FORMS = "{c} [{d} P1].", "{c} 【{d} P1】.", "{c} ({d} P1)."

Place = tuple[str, int, int]


@dataclass(frozen=True, slots=True)
class Binding:
    kind: str
    answer: str
    places: Sequence[Place]
    """Document, start and end of each place that is meant."""
    handles: Mapping[str, str]
    passages: Sequence[Mapping[str, Any]] = ()


def is_right(binding: Binding, cited: Sequence[Mapping[str, Any]]) -> bool:
    """Whether each numbered source stands in a place that is meant, and each of these has one."""
    stands = [
        [c["document_id"] == document and start <= c["start"] and c["end"] <= end for document, start, end in binding.places]
        for c in cited
    ]
    return bool(stands) and all(map(any, stands)) and all(map(any, zip(*stands, strict=True)))


def bindings(views: Sequence[RevisionView], sentences: Callable[[str], list[str]], r: random.Random) -> Iterator[Binding]:
    handles = {view.document_id: f"D{n}" for n, view in enumerate(views, 1)}
    usable = {view.name: list(_targets(view, sentences)) for view in views}
    numbered = [view for view in views if usable[view.name]]
    for n in range(COUNT - PASSAGES):
        view = numbered[n % len(numbered)]
        other = r.choice([v for v in numbered if v is not view])
        (at, said), (at2, said2) = r.choice(usable[view.name]), r.choice(usable[other.name])
        section, second, form = view.sections[at], other.sections[at2], FORMS[n % len(FORMS)]
        last = _end_of_range(view, at)
        answer = form.format(
            c=plain(said, r), q=said, d=handles[view.document_id], n=view.name, stem=PurePath(view.name).stem, s=section["label"],
            c2=plain(said2, r), d2=handles[other.document_id], stem2=PurePath(other.name).stem, s2=second["label"], last=last["label"],
        )  # fmt: skip
        places = [(view.document_id, section["start"], last["end"] if "{last}" in form else section["end"])]
        places += [(other.document_id, second["start"], second["end"])] if "{s2}" in form else []
        yield Binding(form, answer, places, handles)
    bare = [view for view in views if not any(s["label"] for s in view.sections)]
    for n in range(PASSAGES):
        view, form = bare[n % len(bare)], PASSAGE_FORMS[n % len(PASSAGE_FORMS)]
        said = r.choice([s for s in sentences(view.text) if _is_usable(s) and _found(s, view.text)])
        start, end = _found(said, view.text).span()  # type: ignore[union-attr]
        low, high = view.text.rfind("\n\n", 0, start) + 1, max(view.text.find("\n\n", end), end)
        record = view.passage(low, high).record() | {"id": f"passage {n}"}
        known = {**handles, record["id"]: f"{handles[view.document_id]} P1"}
        answer = form.format(c=plain(said, r), d=handles[view.document_id])
        yield Binding(form, answer, [(view.document_id, low, high)], known, [record])


def _targets(view: RevisionView, sentences: Callable[[str], list[str]]) -> Iterator[tuple[int, str]]:
    """Sections whose label no other has, each with a sentence that stands in it alone."""
    labels = [s["label"] or "" for s in view.sections]
    for at, section in enumerate(view.sections):
        label = labels[at]
        if not re.fullmatch(r"\d+(?:\.\d+)*(?:\(\w\))?", label) or sum(one.endswith(label) for one in labels) > 1:
            continue
        text = view.text[section["start"] : section["end"]]
        found = [s for s in sentences(text) if _is_usable(s) and view.text.count(s[:30]) < 2]
        if found and len(text) < 1_500:
            yield at, found[0]


def _is_usable(sentence: str) -> bool:
    return re.search(r"[\[\]|“”\"()]", sentence) is None and len(sentence) < 250


def _found(sentence: str, text: str) -> re.Match[str] | None:
    return re.search(r"\s+".join(map(re.escape, sentence.split())), text)


def _end_of_range(view: RevisionView, at: int) -> Section:
    """The next section but one of the same level, as far as there is one below the same heading."""
    level = view.sections[at]["level"]
    parent = (view.sections[at]["label"] or "").rpartition(".")[0]
    found = [s for s in view.sections[at + 1 :] if s["level"] == level and (s["label"] or "").rpartition(".")[0] == parent]
    return found[min(1, len(found) - 1)] if found else view.sections[at]
