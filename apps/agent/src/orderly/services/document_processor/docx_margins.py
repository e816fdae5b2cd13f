"""Headers and footers of a Word file: those that its sections show, and those that are switched off."""

from __future__ import annotations

from dataclasses import dataclass, field

from lxml import etree

from orderly.services.document_processor.docx_objects import Source
from orderly.services.document_processor.docx_package import W
from orderly.services.document_processor.docx_styles import is_on
from orderly.services.document_processor.office_markup import R

_Part = tuple[Source, etree._Element]


@dataclass(slots=True)
class Margins:
    headers: list[_Part] = field(default_factory=list)
    footers: list[_Part] = field(default_factory=list)
    switched_off: list[_Part] = field(default_factory=list)
    """Parts of the file that Word shows on no page."""


def is_former(section: etree._Element) -> bool:
    """Whether a w:sectPr is the earlier state of a tracked change."""
    parent = section.getparent()
    return parent is not None and parent.tag == W + "sectPrChange"


def find_margins(source: Source, body: etree._Element, settings: etree._Element | None) -> Margins:
    """Reads the parts of all headers and footers. Sections inherit those of the section before."""
    even = settings is not None and is_on(settings.find(W + "evenAndOddHeaders"))
    inherited: dict[tuple[str, str], str] = {}
    shown: dict[str, str] = {}
    for section in body.iter(W + "sectPr"):
        if is_former(section):
            continue
        own = {(str(node.tag), node.get(W + "type", "default")): node.get(R + "id", "") for node in _references(section)}
        inherited |= own
        first = is_on(section.find(W + "titlePg"))
        for (tag, kind), relation in inherited.items():
            if kind == "default" or (kind == "first" and first) or (kind == "even" and even):
                shown[relation] = tag
    return _sorted(source, shown)


def _references(section: etree._Element) -> list[etree._Element]:
    return [node for node in section if node.tag in (W + "headerReference", W + "footerReference")]


def _sorted(source: Source, shown: dict[str, str]) -> Margins:
    """Sorts the parts by whether a section shows them, each part once."""
    margins = Margins()
    targets = {relation: source.target(relation) for relation in shown}
    seen: set[str] = set()
    for relation, name in targets.items():
        if name and name in source.package.archive.NameToInfo and name not in seen:
            seen.add(name)
            place = margins.headers if shown[relation] == W + "headerReference" else margins.footers
            place.append((Source(source.package, name, source.depth), source.package.part(name)))
    for kind, name in source.package.relations(source.name):
        if kind in ("header", "footer") and name in source.package.archive.NameToInfo and name not in seen:
            seen.add(name)
            margins.switched_off.append((Source(source.package, name, source.depth), source.package.part(name)))
    return margins
