"""Styles of HTML elements: their own, and those of the page's style sheets for tags, classes and ids."""

from __future__ import annotations

import re
from collections.abc import Sequence

from lxml.html import HtmlElement

from orderly.services.document_processor.html_properties import STATED, read_declaration

_COMMENT = re.compile(r"/\*.*?\*/|<!--|-->", re.DOTALL)
_SCREEN = re.compile(r"@media\s(?!\s*not\b)(?=[^{(]*\b(?:all|screen)\b)[\w\s,]*\{((?:[^{}]*\{[^{}]*\})*)[^{}]*\}")
"""Rules for every screen."""
_NESTED = re.compile(r"@[^{};]*\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}|@[^{};]*;")
"""Rules for some media only, such as narrow screens or print."""
_RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")
_SELECTOR = re.compile(r"([a-zA-Z][\w-]*|\*)?((?:[.#][\w-]+)*)")
_NAMES = re.compile(r"([.#])([\w-]+)")
Style = dict[str, str]
"""What the properties of an element mean."""
Selector = tuple[str, frozenset[str], frozenset[str]]
"""Tag, classes and ids."""
Fitting = tuple[int, ...]
"""Numbers of the rules that hold for an element, in their order."""


class StyleSheets:
    """The rules of a page. Selectors by attributes, states and neighbours are left out."""

    def __init__(self) -> None:
        self._rules: list[tuple[list[Selector], Style]] = []
        self._ids: set[str] = set()
        self._ending: dict[tuple[str, str | None, str | None], Fitting] = {}
        """Rules whose last selector fits, by tag, class and id: most elements of a page are alike."""
        self.write = False
        """They write words or numbers of their own, which the text does not hold."""

    def add(self, sheet: str) -> None:
        text = _NESTED.sub("", _SCREEN.sub(r"\1", _COMMENT.sub("", sheet)))
        for selectors, declarations in _RULE.findall(text):
            style = read_declarations(declarations)
            self.write = self.write or style.get("content") == STATED
            if style:
                self._rules += [(path, style) for one in selectors.split(",") if (path := _path(one))]
        self._rules.sort(key=lambda rule: _weight(rule[0]))  # of equal ones the later holds
        self._ids = {name for path, _ in self._rules for name in path[-1][2]}
        self._ending.clear()

    def fitting(self, node: HtmlElement) -> Fitting:
        """The rules that hold for an element."""
        if not self._rules:
            return ()
        name = node.get("id") if self._ids else None
        key = (str(node.tag), node.get("class"), name if name in self._ids else None)
        ending = self._ending.get(key)
        if ending is None:
            ending = tuple(number for number, (path, _) in enumerate(self._rules) if _fits(node, path[-1]))
            self._ending[key] = ending
        return tuple([number for number in ending if _is_inside(node, self._rules[number][0][:-1])]) if ending else ()

    def style(self, fitting: Fitting) -> Style:
        """What the rules say together; later ones hold before earlier ones, and important ones are named as such."""
        style: Style = {}
        for number in fitting:
            style |= self._rules[number][1]
        return style


def read_declarations(text: str) -> Style:
    return dict(filter(None, map(read_declaration, text.split(";"))))


def _path(text: str) -> list[Selector]:
    """The selectors of elements one inside another; empty if one is of another kind."""
    found = [_selector(one) for one in text.replace(">", " ").split()]
    return [one for one in found if one] if all(found) else []


def _weight(path: Sequence[Selector]) -> tuple[int, int, int]:
    """How closely selectors name an element: by its id, by classes, by its tag alone."""
    return sum(len(ids) for _, _, ids in path), sum(len(names) for _, names, _ in path), sum(tag != "*" for tag, _, _ in path)


def _fits(node: HtmlElement, selector: Selector) -> bool:
    tag, classes, ids = selector
    if tag not in ("*", node.tag):
        return False
    return classes <= set((node.get("class") or "").split()) and ids <= {node.get("id")}


def _is_inside(node: HtmlElement, path: Sequence[Selector]) -> bool:
    """Whether elements around the node fit the selectors, from the innermost on."""
    if not path:
        return True
    wanted = list(path)
    for up in node.iterancestors():
        if wanted and _fits(up, wanted[-1]):
            wanted.pop()
    return not wanted


def _selector(text: str) -> Selector | None:
    found = _SELECTOR.fullmatch(text)
    if not text or found is None:
        return None
    names = _NAMES.findall(found[2])
    classes, ids = (frozenset(name for sign, name in names if sign == wanted) for wanted in ".#")
    return (found[1] or "*").lower(), classes, ids
