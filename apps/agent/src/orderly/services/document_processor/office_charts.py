"""Charts of Word, Excel and PowerPoint: title, titles of the axes, figures by category, labels."""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from orderly.services.document_processor.drawing_text import body_text
from orderly.services.document_processor.office_markup import CX, A, C
from orderly.services.document_processor.xlsx_cells import format_cell

_MAX_POINTS = 10_000
"""Points per series. The figures of a larger chart are those of a sheet."""


def chart_text(root: etree._Element) -> str:
    """The words and figures of a chart part, a line each."""
    lines = _new_chart(root) if root.tag == CX + "chartSpace" else _chart(root)
    return "\n".join(line for line in lines if line.strip())


def _chart(root: etree._Element) -> Iterator[str]:
    yield from (_title(node) for node in root.iterfind(f"{C}chart/{C}title"))
    categories: list[str] = []
    for series in root.iter(C + "ser"):
        own = _points(series.find(C + "cat"), series.find(C + "xVal"))
        if own and own != categories:
            categories = own
            yield "\t".join(["", *categories])
        yield "\t".join([_name(series), *_points(series.find(C + "val"), series.find(C + "yVal"))]).rstrip("\t")
        if sizes := _points(series.find(C + "bubbleSize")):
            yield "\t".join(["", *sizes])
        yield from (body_text(label) for label in series.iterfind(f"{C}dLbls/{C}dLbl/{C}tx/{C}rich"))
        yield from (_title(node) for node in series.iterfind(f"{C}trendline/{C}name"))
    for kind in ("catAx", "valAx", "dateAx", "serAx"):
        for axis in root.iter(C + kind):
            gone = axis.find(C + "delete")
            title = axis.find(C + "title")
            if title is not None and (gone is None or gone.get("val", "1") in ("0", "false")):
                yield _title(title)


def _title(node: etree._Element) -> str:
    if node.text and node.text.strip():
        return node.text.strip()
    rich = body_text(node)
    return rich or " ".join(value.text or "" for value in node.iter(C + "v"))


def _name(series: etree._Element) -> str:
    name = series.find(C + "tx")
    return "" if name is None else " ".join((value.text or "").strip() for value in name.iter(C + "v"))


def _points(*sources: etree._Element | None) -> list[str]:
    """The stored values of the first source that is there, as their format shows them. Levels are joined by a space."""
    source = next((one for one in sources if one is not None), None)
    if source is None:
        return []
    found: dict[int, str] = {}
    general = source.find(f".//{C}formatCode")
    for point in source.iter(C + "pt"):
        number, value = point.get("idx", ""), point.findtext(C + "v") or ""
        if number.isdigit() and int(number) < _MAX_POINTS:
            shown = _shown(value, point.get("formatCode") or (general.text if general is not None else None), source)
            found[int(number)] = f"{shown} {found[int(number)]}" if int(number) in found else shown
    return [found.get(at, "") for at in range(max(found, default=-1) + 1)]


def _shown(value: str, form: str | None, source: etree._Element) -> str:
    if source.find(C + "strRef") is not None or source.find(C + "strLit") is not None:
        return " ".join(value.split())
    try:
        return format_cell(float(value), form)
    except (ValueError, OverflowError):
        return " ".join(value.split())


def _new_chart(root: etree._Element) -> Iterator[str]:
    """Charts of the newer notation, such as waterfalls and tree maps."""
    for title in root.iter(CX + "title"):
        yield " ".join(node.text or "" for node in title.iter(A + "t", CX + "v"))
    for data in root.iter(CX + "data"):
        dimensions = [_levels(node) for node in data if node.tag in (CX + "strDim", CX + "numDim")]
        for at in range(min(max((len(one) for one in dimensions), default=0), _MAX_POINTS)):
            yield "\t".join(one[at] if at < len(one) else "" for one in dimensions)
    for series in root.iter(CX + "series"):
        yield " ".join(node.text or "" for node in series.iterfind(f"{CX}tx/{CX}txData/{CX}v"))


def _levels(dimension: etree._Element) -> list[str]:
    level = dimension.find(CX + "lvl")
    return [] if level is None else [" ".join((point.text or "").split()) for point in level.iter(CX + "pt")]
