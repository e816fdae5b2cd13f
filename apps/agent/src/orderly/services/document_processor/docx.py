"""Reads Word files: body with text boxes, then notes, headers and footers. mammoth reads files the walker cannot."""

from __future__ import annotations

import zipfile
import zlib
from importlib.metadata import version
from pathlib import Path
from xml.parsers.expat import ExpatError

import mammoth
from lxml import etree

from orderly.errors import Damaged
from orderly.services.document_processor.docx_body import Story
from orderly.services.document_processor.docx_numbering import Numbering
from orderly.services.document_processor.docx_package import NotWalkable, Package, W, open_package
from orderly.services.document_processor.docx_runs import Aside
from orderly.services.document_processor.docx_styles import read_styles
from orderly.services.document_processor.drafts import Draft, PageDraft
from orderly.services.document_processor.limits import Limits
from orderly.services.document_processor.office_pictures import request_pictures

_TOO_DEEP = "The file nests its parts more deeply than any document does. Save it anew in Word and upload that."

_RELATED = frozenset({"styles", "numbering", "footnotes", "endnotes", "header", "footer", "comments"})
_DAMAGED = "The Word file is damaged and could not be read. Save it anew in Word and upload it again."


def read_docx(path: Path, limits: Limits) -> Draft:
    """Blocking. Raises PasswordProtected or Damaged."""
    try:
        with open_package(path) as package:
            return _read(package, path)
    except NotWalkable:
        return _read_by_mammoth(path)
    except RecursionError as exc:
        raise Damaged(_TOO_DEEP) from exc


def _read(package: Package, path: Path) -> Draft:
    name, root = package.main()
    body = root.find(W + "body")
    if body is None:
        raise NotWalkable("no body")
    parts: dict[str, list[etree._Element]] = {}
    for kind, target in package.relations(name):
        if kind in _RELATED and target in package.archive.NameToInfo:
            parts.setdefault(kind, []).append(package.part(target))
    styles, default = read_styles(_first(parts, "styles"))
    story = Story(styles, default, Numbering(_first(parts, "numbering"), styles))
    story.read(body)
    _write_notes(story, "Footnotes", story.aside.footnotes, "", _first(parts, "footnotes"))
    _write_notes(story, "Endnotes", story.aside.endnotes, "e", _first(parts, "endnotes"))
    _write_margins(story, "Headers", parts.get("header", []))
    _write_margins(story, "Footers", parts.get("footer", []))
    draft = Draft("ooxml", paged=False, pages=[PageDraft(1, story.text)], headings=tuple(story.headings))
    if story.page_breaks:
        draft.details["page_breaks"] = story.page_breaks
    shown = {target for kind, target in package.relations(name) if kind == "image"} & package.archive.NameToInfo.keys()
    if pictures := len(shown):
        draft.details["pictures"] = pictures
        if unread := request_pictures(draft, path, [(0, name)]):
            draft.notes.append(f"Text inside pictures was not read: the document has {unread}.")
    _report(draft, story.aside, _comments(story, _first(parts, "comments")))
    if package.entities:
        names = ", ".join(sorted(package.entities))[:200]
        draft.notes.append(f"Text is missing where the file refers to entities, which are not resolved: {names}.")
    return draft


def _first(parts: dict[str, list[etree._Element]], kind: str) -> etree._Element | None:
    return parts[kind][0] if kind in parts else None


def _write_notes(story: Story, title: str, order: list[str], prefix: str, root: etree._Element | None) -> None:
    if root is None or not order:
        return
    notes = {node.get(W + "id", ""): node for node in root}
    story.write(f"[{title}]")
    for number, note_id in enumerate(list(order), start=1):
        if note_id in notes:
            story.write(f"[{prefix}{number}] {story.text_of_part(notes[note_id])}")


def _write_margins(story: Story, title: str, roots: list[etree._Element]) -> None:
    """Writes each distinct header or footer once."""
    texts = dict.fromkeys(text for root in roots if (text := story.text_of_part(root)))
    if texts:
        story.write(f"[{title}]")
        for text in texts:
            story.write(text)


def _comments(story: Story, root: etree._Element | None) -> list[dict[str, str]]:
    if root is None:
        return []
    return [
        {"author": node.get(W + "author", ""), "date": node.get(W + "date", ""), "text": story.text_of_part(node)}
        for node in root.iter(W + "comment")
    ]


def _report(draft: Draft, aside: Aside, comments: list[dict[str, str]]) -> None:
    if aside.changes:
        draft.details["tracked_changes"] = aside.changes
        authors = ", ".join(sorted({str(change["author"]) for change in aside.changes} - {""})) or "unnamed authors"
        draft.notes.append(
            f"The document has {len(aside.changes)} tracked changes by {authors}. "
            "It was read with insertions in and deletions out."
        )
    if comments:
        draft.details["comments"] = comments
        draft.notes.append(f"The document has {len(comments)} comments, which are not part of its text.")
    draft.report_hidden(aside.hidden)


def _read_by_mammoth(path: Path) -> Draft:
    try:
        with path.open("rb") as file:
            text = mammoth.extract_raw_text(file).value
    except (KeyError, ValueError, OSError, EOFError, zipfile.BadZipFile, zlib.error, ExpatError) as exc:
        raise Damaged(_DAMAGED) from exc
    except RecursionError as exc:
        raise Damaged(_TOO_DEEP) from exc
    draft = Draft(f"mammoth {version('mammoth')}", paged=False, pages=[PageDraft(1, text.strip())])
    draft.notes.append(
        "The file's structure is unusual: a simpler reader was used, which loses clause numbers, headers and footers, "
        "and accepts tracked changes without saying so."
    )
    return draft
