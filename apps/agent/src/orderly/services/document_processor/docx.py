"""Reads Word files: body with text boxes, then notes, headers and footers. mammoth reads files the walker cannot."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from xml.parsers.expat import ExpatError

import mammoth
from lxml import etree

from orderly.errors import Damaged
from orderly.services.document_processor.docx_body import Story
from orderly.services.document_processor.docx_chunks import InMemory
from orderly.services.document_processor.docx_looks import Looks
from orderly.services.document_processor.docx_margins import Margins, find_margins, is_former
from orderly.services.document_processor.docx_notes import note_styles
from orderly.services.document_processor.docx_numbering import Numbering
from orderly.services.document_processor.docx_objects import Source
from orderly.services.document_processor.docx_package import NotWalkable, Package, W, open_package
from orderly.services.document_processor.docx_report import report_aside
from orderly.services.document_processor.docx_runs import Aside
from orderly.services.document_processor.docx_styles import read_styles
from orderly.services.document_processor.drafts import Draft, PageDraft
from orderly.services.document_processor.limits import Limits
from orderly.services.document_processor.office_pictures import request_pictures

_TOO_DEEP = "The file nests its parts more deeply than any document does. Save it anew in Word and upload that."

_RELATED = frozenset({"styles", "numbering", "footnotes", "endnotes", "comments", "settings"})
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
    depth = path.depth if isinstance(path, InMemory) else 0
    parts = {kind: target for kind, target in package.relations(name) if kind in _RELATED}
    found = {kind: package.part(target) for kind, target in parts.items() if target in package.archive.NameToInfo}
    story = _story(found, body)
    story.source = Source(package, name, depth)
    story.aside.fields.begin(body)
    story.read(body)
    for title, kind, order in (
        ("Footnotes", "footnotes", story.aside.footnotes),
        ("Endnotes", "endnotes", story.aside.endnotes),
    ):
        if kind in found:
            _write_notes(story, title, order.shown, found[kind], Source(package, parts[kind], depth))
    _write_margins(story, find_margins(story.source, body, found.get("settings")))
    draft = Draft("ooxml", paged=False, pages=[PageDraft(1, story.text)], headings=tuple(story.headings))
    if story.page_breaks:
        draft.details["page_breaks"] = story.page_breaks
    _request_pictures(draft, package, path, name)
    report_aside(draft, story.aside, _comments(story, found.get("comments")))
    _report_package(draft, package, name)
    return draft


def _report_package(draft: Draft, package: Package, name: str) -> None:
    """Tells of what the package holds and the text has not."""
    if package.entities:
        names = ", ".join(sorted(package.entities))[:200]
        draft.notes.append(f"Text is missing where the file refers to entities, which are not resolved: {names}.")
    if embedded := {target for kind, target in package.relations(name) if kind in ("package", "oleObject")}:
        draft.notes.append(f"The document embeds files of other programs, which were not read: {len(embedded)}.")


def _story(parts: Mapping[str, etree._Element], body: etree._Element) -> Story:
    styles, default = read_styles(parts.get("styles"))
    sections = [node for node in body.iter(W + "sectPr") if not is_former(node)]
    aside = Aside(looks=Looks(parts.get("styles")))
    aside.footnotes.styles = note_styles("footnotePr", parts.get("settings"), sections)
    aside.endnotes.styles = note_styles("endnotePr", parts.get("settings"), sections)
    return Story(styles, default, Numbering(parts.get("numbering"), styles), aside)


def _request_pictures(draft: Draft, package: Package, path: Path, name: str) -> None:
    shown = {target for kind, target in package.relations(name) if kind == "image"} & package.archive.NameToInfo.keys()
    if not shown:
        return
    draft.details["pictures"] = len(shown)
    unread = len(shown) if isinstance(path, InMemory) else request_pictures(draft, path, [(0, name)])
    if unread:
        draft.notes.append(f"Text inside pictures was not read: the document has {unread}.")


def _write_notes(story: Story, title: str, shown: list[tuple[str, str]], root: etree._Element, source: Source) -> None:
    if not shown:
        return
    notes = {node.get(W + "id", ""): node for node in root}
    story.write(f"[{title}]")
    for note_id, label in list(shown):
        if note_id in notes:
            story.write(f"{label} {story.text_of_part(notes[note_id], source)}".strip())


def _write_margins(story: Story, margins: Margins) -> None:
    """Writes each distinct header or footer once; those that are switched off are kept apart."""
    written: set[str] = set()
    for title, sources in (("Headers", margins.headers), ("Footers", margins.footers)):
        texts = dict.fromkeys(text for source, root in sources if (text := story.text_of_part(root, source)))
        if texts:
            story.write(f"[{title}]")
        for text in texts:
            story.write(text)
        written.update(texts)
    for source, root in margins.switched_off:
        text = story.text_of_part(root, source)
        if text and text not in written and text not in story.aside.switched_off:
            story.aside.switched_off.append(text)


def _comments(story: Story, root: etree._Element | None) -> list[dict[str, str]]:
    if root is None:
        return []
    return [
        {"author": node.get(W + "author", ""), "date": node.get(W + "date", ""), "text": story.text_of_part(node)}
        for node in root.iter(W + "comment")
    ]


def _read_by_mammoth(path: Path) -> Draft:
    try:
        with path.open("rb") as file:
            text = mammoth.extract_raw_text(file).value
    except (LookupError, ValueError, OSError, EOFError, zipfile.BadZipFile, zlib.error, ExpatError) as exc:
        raise Damaged(_DAMAGED) from exc
    except RecursionError as exc:
        raise Damaged(_TOO_DEEP) from exc
    draft = Draft(f"mammoth {version('mammoth')}", paged=False, pages=[PageDraft(1, text.strip())])
    draft.notes.append(
        "The file's structure is unusual: a simpler reader was used, which loses clause numbers, headers and footers, "
        "and accepts tracked changes without saying so."
    )
    return draft
