"""Objects anchored in a part of a Word file: WordArt and watermarks, charts, SmartArt, shapes of other notations."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from lxml import etree

from orderly.services.document_processor.docx_package import NotWalkable, Package, W
from orderly.services.document_processor.drawing_text import body_text, without_struck
from orderly.services.document_processor.office_charts import chart_text
from orderly.services.document_processor.office_markup import CX, DIAGRAM, A, C, R, V

BOX = W + "txbxContent"
OBJECTS = frozenset({BOX, V + "textpath", A + "txBody", C + "chart", CX + "chart", DIAGRAM + "relIds"})
"""Elements that hold the text of an object, or name the part that does."""

_FRAMES = frozenset(
    {
        "{http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing}anchor",
        "{http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing}inline",
    }
)
_DRAWN = frozenset(V + name for name in ("shape", "rect", "roundrect", "oval", "group"))
_INVISIBLE = re.compile(r"visibility\s*:\s*hidden", re.IGNORECASE)


@dataclass(slots=True)
class Source:
    """A part of the package, whose relationships name the parts of its objects."""

    package: Package
    name: str
    depth: int = 0
    """Number of files that import this one."""
    _targets: dict[str, str] | None = field(default=None)

    def target(self, relation: str) -> str | None:
        """Name of the part that a relationship of this part names."""
        if self._targets is None:
            self._targets = self.package.targets(self.name)
        return self._targets.get(relation)

    def part(self, relation: str) -> etree._Element | None:
        """The part that a relationship names; None if it cannot be read."""
        name = self.target(relation)
        try:
            return self.package.part(name) if name else None
        except (NotWalkable, etree.XMLSyntaxError):
            return None

    def object_text(self, node: etree._Element, struck: list[str]) -> tuple[str, bool]:
        """Text of an object that is no text box, under a marker. Second value: whether the object could be read.

        Words that are struck out are left out and appended to `struck`.
        """
        apart = without_struck(struck)
        if node.tag == V + "textpath":
            return _word_art(node), True
        if node.tag == A + "txBody":
            return _marked("Text box", body_text(node, apart)), True
        if node.tag == DIAGRAM + "relIds":
            root = self.part(node.get(R + "dm", ""))
            return ("", False) if root is None else (_marked("Diagram", body_text(root, apart)), True)
        root = self.part(node.get(R + "id", ""))
        if root is None:
            return "", False
        extra = [shapes for link in root.iter(C + "userShapes") if (shapes := self._shapes_of_chart(node, link)) is not None]
        return _marked("Chart", "\n".join([chart_text(root), *(body_text(one, apart) for one in extra)])), True

    def _shapes_of_chart(self, chart: etree._Element, link: etree._Element) -> etree._Element | None:
        name = self.target(chart.get(R + "id", ""))
        return Source(self.package, name).part(link.get(R + "id", "")) if name else None


def is_invisible(node: etree._Element) -> bool:
    """Whether a drawing is switched off."""
    if node.tag in _FRAMES:
        properties = node.find("{http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing}docPr")
        return properties is not None and properties.get("hidden") in ("1", "true")
    return node.tag in _DRAWN and _INVISIBLE.search(node.get("style", "")) is not None


def _word_art(node: etree._Element) -> str:
    shape = node.getparent()
    text = " ".join(node.get("string", "").split())
    if shape is None or shape.tag == V + "shapetype" or node.get("on") in ("f", "false"):
        return ""
    named = shape.get("id", "") + shape.get("alt", "")
    return _marked("Watermark" if "watermark" in named.lower() else "WordArt", text)


def _marked(marker: str, text: str) -> str:
    return f"[{marker}]\n{text.strip()}" if text.strip() else ""
