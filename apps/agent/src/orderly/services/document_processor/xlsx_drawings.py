"""Text boxes, charts, SmartArt and comments of a workbook's sheets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from lxml import etree

from orderly.services.document_processor.docx_objects import OBJECTS, Source
from orderly.services.document_processor.docx_package import NotWalkable, Package
from orderly.services.document_processor.drawing_text import body_text, without_struck
from orderly.services.document_processor.office_markup import MC, R, chosen
from orderly.services.document_processor.xlsx_cells import unescaped

_XDR = "{http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing}"
_SHEET = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_THREAD = "{http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments}"
_THREADED = "[Threaded comment]"
"""Begins the copy of a threaded comment that older programs show."""


@dataclass(slots=True)
class SheetObjects:
    texts: list[str] = field(default_factory=list)
    hidden: list[str] = field(default_factory=list)
    struck: list[str] = field(default_factory=list)
    comments: list[dict[str, str]] = field(default_factory=list)
    unread: int = 0


def sheet_objects(package: Package, part: str, title: str) -> SheetObjects:
    """Reads what the drawings and comments of a sheet hold."""
    found = SheetObjects()
    people = _people(package)
    related = list(package.relations(part))
    for kind, target in related:
        try:
            if kind == "drawing":
                _read_drawing(package, target, found)
            elif kind == "comments":
                found.comments += _comments(package.part(target), title)
            elif kind == "threadedComment":
                found.comments += _threads(package.part(target), title, people)
        except (NotWalkable, etree.XMLSyntaxError):
            found.unread += 1
    return found


def chart_sheets(package: Package) -> Iterator[tuple[str, str]]:
    """Titles and parts of the sheets that are one chart each."""
    name, root = package.main()
    targets = package.targets(name)
    for sheet in root.iter(_SHEET + "sheet"):
        target = targets.get(sheet.get(R + "id", ""), "")
        if "chartsheets/" in target and target in package.archive.NameToInfo:
            yield sheet.get("name", ""), target


def _read_drawing(package: Package, name: str, found: SheetObjects) -> None:
    source = Source(package, name)
    anchors = [(_top(anchor), anchor) for anchor in package.part(name)]
    for _, anchor in sorted(anchors, key=lambda pair: pair[0]):
        for node in _objects(anchor, found):
            if node.tag == _XDR + "txBody":
                words = body_text(node, without_struck(found.struck))
                found.texts += [f"[Text box]\n{words}"] if words else []
                continue
            text, was_read = source.object_text(node, found.struck)
            found.texts += [text] if text else []
            found.unread += not was_read


def _objects(node: etree._Element, found: SheetObjects) -> Iterator[etree._Element]:
    """The objects below `node`, of alternates the form that Excel shows, without hidden ones."""
    for child in node:
        if child.tag == MC + "AlternateContent":
            form = chosen(child)
            if form is not None:
                yield from _objects(form, found)
        elif _is_hidden(child):
            if words := "\n".join(body_text(body) for body in child.iter(_XDR + "txBody")).strip():
                found.hidden.append(words)
        elif child.tag in OBJECTS or child.tag == _XDR + "txBody":
            yield child
        else:
            yield from _objects(child, found)


def _is_hidden(shape: etree._Element) -> bool:
    return any(
        properties.get("hidden") in ("1", "true")
        for frame in shape
        if str(frame.tag).startswith(_XDR + "nv")
        for properties in frame.iterchildren(_XDR + "cNvPr")
    )


def _top(anchor: etree._Element) -> tuple[int, int]:
    row, column = anchor.findtext(f"{_XDR}from/{_XDR}row") or "", anchor.findtext(f"{_XDR}from/{_XDR}col") or ""
    return (int(row) if row.isdigit() else 0, int(column) if column.isdigit() else 0)


def _comments(root: etree._Element, title: str) -> Iterator[dict[str, str]]:
    authors = [node.text or "" for node in root.iter(_SHEET + "author")]
    for node in root.iter(_SHEET + "comment"):
        text = unescaped("".join(words.text or "" for words in node.iter(_SHEET + "t"))).strip()
        number = node.get("authorId", "")
        author = authors[int(number)] if number.isdigit() and int(number) < len(authors) else ""
        if text and not text.startswith(_THREADED):
            yield {"author": author, "date": "", "text": text, "place": f"{title}!{node.get('ref', '')}"}


def _threads(root: etree._Element, title: str, people: dict[str, str]) -> Iterator[dict[str, str]]:
    for node in root.iter(_THREAD + "threadedComment"):
        text = unescaped(node.findtext(_THREAD + "text") or "").strip()
        if text:
            author = people.get(node.get("personId", ""), "")
            yield {"author": author, "date": node.get("dT", ""), "text": text, "place": f"{title}!{node.get('ref', '')}"}


def _people(package: Package) -> dict[str, str]:
    people: dict[str, str] = {}
    for name in package.archive.namelist():
        if name.startswith("xl/persons/"):
            try:
                people |= {node.get("id", ""): node.get("displayName", "") for node in package.part(name)}
            except (NotWalkable, etree.XMLSyntaxError):
                continue
    return people
