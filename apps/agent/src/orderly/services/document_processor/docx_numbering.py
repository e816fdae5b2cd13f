"""Computes the automatic numbers of paragraphs, which Word shows but does not store in the text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from lxml import etree

from orderly.services.document_processor.docx_package import W
from orderly.services.document_processor.docx_styles import Style, value_of, whole_number
from orderly.services.document_processor.list_numbers import write_number

_PLACE = re.compile(r"%([1-9])")


@dataclass(slots=True)
class Level:
    start: int = 1
    format: str = "decimal"
    text: str = ""
    separator: str = " "
    restart: int | None = None
    """Restarts after a paragraph of this level (1-based) or a higher one; 0: never. None: after any higher level."""
    legal: bool = False
    """All numbers of the label are written in decimal (w:isLgl)."""


@dataclass(slots=True)
class Instance:
    abstract: str
    overrides: dict[int, int] = field(default_factory=dict)
    levels: dict[int, Level] = field(default_factory=dict)
    used: set[int] = field(default_factory=set)


class Numbering:
    """Counters of a document. Call `next` once for every numbered paragraph, in document order."""

    def __init__(self, root: etree._Element | None, styles: Mapping[str, Style]) -> None:
        self._abstract: dict[str, dict[int, Level]] = {}
        self._by_style: dict[tuple[str, str], int] = {}
        self._instances: dict[str, Instance] = {}
        self._counters: dict[str, dict[int, int]] = {}
        if root is not None:
            self._read(root, styles)

    def level_of_style(self, num_id: str, style_id: str) -> int:
        """The level linked to a paragraph style in an outline list."""
        instance = self._instances.get(num_id)
        return self._by_style.get((instance.abstract, style_id), 0) if instance else 0

    def next(self, num_id: str, ilvl: int) -> tuple[str, str]:
        """The next paragraph's label and the separator after it; ("", "") without a number."""
        instance = self._instances.get(num_id)
        level = self._level(instance, ilvl) if instance else None
        if instance is None or level is None:
            return "", ""
        counters = self._counters.setdefault(instance.abstract, {})
        self._count(instance, ilvl, level, counters)
        if level.format == "bullet":
            return "•", level.separator
        label = _PLACE.sub(lambda match: self._number(instance, level, int(match[1]) - 1, counters), level.text)
        return label, level.separator if label else ""

    def _count(self, instance: Instance, ilvl: int, level: Level, counters: dict[int, int]) -> None:
        if ilvl in instance.overrides and ilvl not in instance.used:
            counters[ilvl] = instance.overrides[ilvl]
        else:
            counters[ilvl] = counters.get(ilvl, level.start - 1) + 1
        instance.used.add(ilvl)
        for deeper in [key for key in counters if key > ilvl]:
            below = self._level(instance, deeper)
            if below is None or below.restart is None or 0 < below.restart >= ilvl + 1:
                del counters[deeper]

    def _number(self, instance: Instance, level: Level, place: int, counters: dict[int, int]) -> str:
        shown = self._level(instance, place) or Level()
        # A level without a paragraph so far shows its start number.
        value = counters.setdefault(place, shown.start)
        return write_number(value, "decimal" if level.legal and shown.format != "none" else shown.format)

    def _level(self, instance: Instance, ilvl: int) -> Level | None:
        return instance.levels.get(ilvl) or self._abstract.get(instance.abstract, {}).get(ilvl)

    def _read(self, root: etree._Element, styles: Mapping[str, Style]) -> None:
        links: dict[str, str] = {}
        for node in root.iter(W + "abstractNum"):
            key = node.get(W + "abstractNumId", "")
            self._abstract[key] = {}
            for level in node.iter(W + "lvl"):
                ilvl = whole_number(level.get(W + "ilvl", "0"))
                if ilvl is None:
                    continue
                self._abstract[key][ilvl] = _level_of(level)
                if style := value_of(level, "pStyle"):
                    self._by_style[key, style] = ilvl
            if link := value_of(node, "numStyleLink"):
                links[key] = link
        for node in root.iter(W + "num"):
            self._instances[node.get(W + "numId", "")] = _instance_of(node)
        self._follow(links, root)

    def _follow(self, links: Mapping[str, str], root: etree._Element) -> None:
        """Resolves lists that name a list style to the abstract list that defines the style."""
        defining = {
            link: node.get(W + "abstractNumId", "")
            for node in root.iter(W + "abstractNum")
            if (link := value_of(node, "styleLink"))
        }
        for key, link in links.items():
            self._abstract[key] = self._abstract.get(defining.get(link, ""), {})


def _level_of(node: etree._Element) -> Level:
    restart, start = value_of(node, "lvlRestart"), value_of(node, "start")
    suffix = value_of(node, "suff")
    return Level(
        start=first if (first := whole_number(start)) is not None else 1,
        format=value_of(node, "numFmt") or "decimal",
        text=value_of(node, "lvlText") or "",
        separator="" if suffix == "nothing" else " ",
        restart=whole_number(restart),
        legal=node.find(W + "isLgl") is not None and value_of(node, "isLgl") not in ("0", "false", "off"),
    )


def _instance_of(node: etree._Element) -> Instance:
    instance = Instance(value_of(node, "abstractNumId") or "")
    for override in node.iter(W + "lvlOverride"):
        ilvl = whole_number(override.get(W + "ilvl", "0"))
        if ilvl is None:
            continue
        start = whole_number(value_of(override, "startOverride"))
        if start is not None:
            instance.overrides[ilvl] = start
        level = override.find(W + "lvl")
        if level is not None:
            instance.levels[ilvl] = _level_of(level)
    return instance
