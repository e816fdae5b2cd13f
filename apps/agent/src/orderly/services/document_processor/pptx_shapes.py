"""Shapes of a slide in order: text, tables, groups, charts, SmartArt. Hidden shapes and struck words are kept apart."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from lxml import etree
from pptx.enum.shapes import PP_PLACEHOLDER

from orderly.services.document_processor.blocks import Blocks
from orderly.services.document_processor.drafts import Draft, struck_entry
from orderly.services.document_processor.drawing_text import body_text, is_struck
from orderly.services.document_processor.office_charts import chart_text
from orderly.services.document_processor.office_markup import CX, DIAGRAM, A, C, R
from orderly.services.document_processor.pptx_grounds import is_off_slide, is_white_run

_P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
_P188 = "{http://schemas.microsoft.com/office/powerpoint/2018/8/main}"
_EDGES = frozenset(getattr(PP_PLACEHOLDER, name) for name in ("SLIDE_NUMBER", "SLIDE_IMAGE", "HEADER", "FOOTER", "DATE"))
"""Placeholders of a notes page that hold no notes."""


@dataclass(slots=True)
class SlideAside:
    """What slides hold beside their text."""

    number: int = 0
    struck: list[dict[str, object]] = field(default_factory=list)
    hidden: list[dict[str, object]] = field(default_factory=list)
    comments: list[dict[str, str]] = field(default_factory=list)
    unread: list[int] = field(default_factory=list)

    on_white: bool = False
    """White letters of the slide cannot be seen."""
    width: int = 0
    height: int = 0
    """Of the slides; 0 on a notes page."""

    def text_of(self, body: etree._Element) -> str:
        return body_text(body, self._keep)

    def _keep(self, properties: etree._Element | None, words: str) -> bool:
        if is_struck(properties):
            self.struck.append(struck_entry(words, f"slide {self.number}"))
        elif self.on_white and is_white_run(properties):
            self.hidden.append({"page": self.number, "text": words})
        else:
            return False
        return True


def write_shape(shape: Any, blocks: Blocks, aside: SlideAside, *, outermost: bool = True) -> None:
    """Writes a shape. Only the outermost ones are placed on the slide itself; the places of others are those in their group."""
    if _is_hidden(shape) or (outermost and aside.width and is_off_slide(shape, aside.width, aside.height)):
        words = "\n".join(text for body in shape._element.iter(_P + "txBody", A + "txBody") if (text := body_text(body)))
        aside.hidden += [{"page": aside.number, "text": words}] if words else []
    elif hasattr(shape, "shapes"):
        for inner in shape.shapes:
            write_shape(inner, blocks, aside, outermost=False)
    elif getattr(shape, "has_table", False):
        blocks.write("\n".join(line for line in _rows(shape._element, aside) if line))
    elif shape.has_text_frame:
        body = shape._element.find(_P + "txBody")
        blocks.write("" if body is None else aside.text_of(body))
    else:
        for text in _objects(shape, aside):
            blocks.write(text)


def notes_text(page: Any, aside: SlideAside) -> str:
    """The speaker's notes: every text on the notes page but its edges."""
    texts = []
    for shape in page.shapes:
        if shape.is_placeholder and shape.placeholder_format.type in _EDGES:
            continue
        blocks = Blocks()
        write_shape(shape, blocks, aside)
        texts.append(blocks.text)
    return "\n".join(text for text in texts if text)


def read_slide_comments(slide: Any, aside: SlideAside) -> None:
    """Reads the comments of both notations."""
    for relation in slide.part.rels.values():
        if relation.is_external or not relation.reltype.endswith("/comments"):
            continue
        root = etree.fromstring(relation.target_part.blob, etree.XMLParser(resolve_entities=False, no_network=True))
        for node in root.iter(_P + "cm", _P188 + "cm", _P188 + "reply"):
            bodies = node.findall(_P + "text") or node.findall(_P188 + "txBody")
            text = "\n".join(body_text(body) or (body.text or "") for body in bodies).strip()
            date = node.get("dt") or node.get("created") or ""
            aside.comments += [{"author": "", "date": date, "text": text, "place": f"slide {aside.number}"}] if text else []


def report_slides(draft: Draft, aside: SlideAside) -> None:
    draft.report_struck(aside.struck)
    if aside.hidden:
        slides = sorted({int(str(one["page"])) for one in aside.hidden})
        draft.details["hidden_text"] = aside.hidden
        for number in slides:
            draft.pages[number - 1].flags.append("hidden_text")
        where = ", ".join(map(str, slides))
        draft.notes.append(f"Hidden shapes and words, or such beside the slide, were kept out of the text: slide {where}.")
    if aside.comments:
        draft.details["comments"] = aside.comments
        draft.notes.append(f"The presentation has {len(aside.comments)} comments, which are not part of its text.")
    if aside.unread:
        places = ", ".join(map(str, dict.fromkeys(aside.unread)))
        draft.incomplete.append(f"a chart or drawing in it could not be read, on slide {places}")


def _is_hidden(shape: Any) -> bool:
    properties = next(shape._element.iter(_P + "cNvPr"), None)
    return properties is not None and properties.get("hidden") in ("1", "true")


def _rows(frame: etree._Element, aside: SlideAside) -> Iterator[str]:
    """The rows of a table. Cells that a merged cell covers are empty."""
    for row in frame.iter(A + "tr"):
        texts = []
        for cell in row.iterchildren(A + "tc"):
            body = cell.find(A + "txBody")
            covered = any(cell.get(name) in ("1", "true") for name in ("hMerge", "vMerge"))
            texts.append("" if body is None or covered else " ".join(aside.text_of(body).split()))
        yield "\t".join(texts).rstrip("\t")


def _objects(shape: Any, aside: SlideAside) -> Iterator[str]:
    """Charts and SmartArt, stored in separate parts of the package."""
    for node in shape._element.iter(DIAGRAM + "relIds", C + "chart", CX + "chart"):
        key = node.get(R + ("dm" if node.tag == DIAGRAM + "relIds" else "id"))
        try:
            blob = shape.part.related_part(key).blob
            root = etree.fromstring(blob, etree.XMLParser(resolve_entities=False, no_network=True))
        except (KeyError, etree.XMLSyntaxError):
            aside.unread.append(aside.number)
            continue
        yield aside.text_of(root) if node.tag == DIAGRAM + "relIds" else chart_text(root)
