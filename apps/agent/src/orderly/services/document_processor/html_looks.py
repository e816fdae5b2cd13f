"""How HTML elements look: hidden, struck out or raised, by their tag, their style or the page's style sheets."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from lxml.html import HtmlElement

from orderly.services.document_processor.drafts import raised_digits
from orderly.services.document_processor.html_elements import LIST_STYLES
from orderly.services.document_processor.office_markup import is_nearly_white
from orderly.services.document_processor.symbol_fonts import is_symbol_font

_COMMENT = re.compile(r"/\*.*?\*/|<!--|-->", re.DOTALL)
_NESTED = re.compile(r"@[^{};]*\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}|@[^{};]*;")
"""Rules for some media only, such as narrow screens or print."""
_RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")
_SELECTOR = re.compile(r"([a-zA-Z][\w-]*|\*)?((?:[.#][\w-]+)*)")
_NAMES = re.compile(r"([.#])([\w-]+)")
_NOTHING = re.compile(r"0+(?:\.0*)?(?:px|pt|em|rem|%|in|cm|mm)?")
_FAR_AWAY = re.compile(r"-\d{3,}(?:\.\d+)?(?:px|pt|em|rem)")
_CUT = re.compile(r"rect\s*\(\s*[01](?:px)?[\s,)]")
_NO_COLOUR = re.compile(r"transparent|rgba\((?:[^,]*,){3}0(?:\.0*)?%?\)|#[0-9a-f]{3}0|#[0-9a-f]{6}00")
_HEX = re.compile(r"#([0-9a-f]{3}|[0-9a-f]{6})(?:[0-9a-f]{1,2})?")
_RGB = re.compile(r"rgba?\((\d+),(\d+),(\d+)[,)]")
_NO_SIZE = re.compile(r"scale[xy]?\(0(?:\.0*)?[,)]|inset\((?:50|100)%|circle\(0")
"""Of a transformation, or of what is clipped: nothing is left."""
_STRUCK = frozenset(("s", "strike", "del"))
_NUMBERS = re.compile(r"[\d\s,–-]+")

Style = dict[str, str]
Selector = tuple[str, frozenset[str], frozenset[str]]
"""Tag, classes and ids."""


class Looks:
    """Judges elements by their own style and by the rules of the page for tags, classes and ids."""

    def __init__(self) -> None:
        self._rules: list[tuple[list[Selector], Style]] = []
        self._judged: HtmlElement | None = None
        """The element that was judged last, of which several things are asked in turn."""
        self._its_style: Style = {}
        self.numbers_by_sheet = False
        """A style sheet counts and writes numbers, which the text does not hold."""

    def add_sheets(self, root: HtmlElement) -> None:
        """Takes the rules of the page's style elements. Selectors by attributes, states and neighbours are left out."""
        for sheet in root.iter("style"):
            self.add_sheet(sheet.text or "")

    def add_sheet(self, sheet: str) -> None:
        text = _NESTED.sub("", _COMMENT.sub("", sheet))
        for selectors, declarations in _RULE.findall(text):
            style = _declarations(declarations)
            self.numbers_by_sheet = self.numbers_by_sheet or "counter" in style.get("content", "")
            if style.keys() & _JUDGED:
                self._rules += [(path, style) for one in selectors.split(",") if (path := _path(one))]

    def is_hidden(self, node: HtmlElement) -> bool:
        """Whether the element is hidden. White text is, unless the element or one around it has a background."""
        if node.get("hidden") is not None:
            return True
        style = self._style(node)
        if node.tag == "dialog" and node.get("open") is None:
            return style.get("display", "none") == "none"
        return bool(style) and (
            style.get("display") == "none"
            or style.get("visibility") in ("hidden", "collapse")
            or _NO_COLOUR.fullmatch(style.get("color", "")) is not None
            or _NO_SIZE.search(style.get("transform", "") + style.get("clip-path", "")) is not None
            or _is_nothing(style, "font-size")
            or _is_nothing(style, "opacity")
            or _is_cut_off(style)
            or (_is_white(style) and not self._has_background(node))
        )

    def is_struck(self, node: HtmlElement) -> bool:
        if node.tag in _STRUCK:
            return "none" not in self._style(node).get("text-decoration", "")
        style = self._style(node)
        return any("line-through" in style.get(name, "") for name in ("text-decoration", "text-decoration-line"))

    def list_style(self, node: HtmlElement) -> str:
        """The stated list-style-type of a list item or the list around it; "" if none is."""
        around = next(node.iterancestors("ol", "ul", "menu"), None)
        for one in (node, around):
            if one is None:
                continue
            style = self._style(one)
            for word in reversed(f"{style.get('list-style', '')} {style.get('list-style-type', '')}".split()):
                if word in LIST_STYLES:
                    return word
        return ""

    def raised_number(self, node: HtmlElement) -> str:
        """The raised signs of a raised number, so that it is no digit of a sum before it; "" for other elements."""
        if node.tag != "sup" and self._style(node).get("vertical-align") != "super":
            return ""
        text = node.text_content().strip()
        return raised_digits(text) if _NUMBERS.fullmatch(text) else ""

    def symbol_font(self, node: HtmlElement) -> str:
        """The symbol font of the element's letters, or ""."""
        named = (node.get("face") or "") if node.tag == "font" else self._style(node).get("font-family", "")
        font = named.partition(",")[0]
        return font if is_symbol_font(font) else ""

    def _has_background(self, node: HtmlElement) -> bool:
        return any(
            up.get("bgcolor") or any("background" in name for name in self._style(up)) for up in (node, *node.iterancestors())
        )

    def _style(self, node: HtmlElement) -> Style:
        if node is not self._judged:
            self._judged, self._its_style = node, self._read_style(node)
        return self._its_style

    def _read_style(self, node: HtmlElement) -> Style:
        style = dict(self._sheet_style(node)) if self._rules else {}
        if node.tag == "font" and node.get("color"):
            style["color"] = _plain(node.get("color"))
        if own := node.get("style"):
            style.update(_declarations(own))
        return style

    def _sheet_style(self, node: HtmlElement) -> Iterator[tuple[str, str]]:
        for path, style in self._rules:
            if _fits(node, path[-1]) and (len(path) == 1 or _is_inside(node, path[:-1])):
                yield from style.items()


_JUDGED = frozenset(
    (
        "display", "visibility", "font-size", "font-family", "opacity", "color", "text-decoration", "text-decoration-line",
        "text-indent", "left", "top", "height", "max-height", "width", "max-width", "overflow", "vertical-align", "background",
        "background-color", "background-image", "clip", "clip-path", "position", "transform", "list-style", "list-style-type",
    )
)  # fmt: skip
"""Properties that decide how words look."""


def _declarations(text: str) -> Style:
    pairs = (part.partition(":") for part in text.split(";"))
    return {name.strip().lower(): _plain(value) for name, colon, value in pairs if colon}


def _plain(value: str) -> str:
    value = value.strip().lower().removesuffix("!important").strip()
    return value.replace(" ", "") if value.startswith("rgb") else value


def _path(text: str) -> list[Selector]:
    """The selectors of elements one inside another; empty if one is of another kind."""
    found = [_selector(one) for one in text.replace(">", " ").split()]
    return [one for one in found if one] if all(found) else []


def _fits(node: HtmlElement, selector: Selector) -> bool:
    tag, classes, ids = selector
    if tag not in ("*", node.tag):
        return False
    return classes <= set((node.get("class") or "").split()) and ids <= {node.get("id")}


def _is_inside(node: HtmlElement, path: Sequence[Selector]) -> bool:
    """Whether elements around the node fit the selectors, from the innermost on."""
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


def _is_nothing(style: Style, name: str) -> bool:
    return _NOTHING.fullmatch(style.get(name, "")) is not None


def _is_white(style: Style) -> bool:
    colour = style.get("color", "")
    if found := _HEX.fullmatch(colour):
        return is_nearly_white(found[1] if len(found[1]) == 6 else "".join(sign * 2 for sign in found[1]))
    if parts := _RGB.match(colour):
        return is_nearly_white("".join(f"{min(int(part), 255):02x}" for part in parts.groups()))
    return colour == "white"


def _is_cut_off(style: Style) -> bool:
    """Whether nothing of the element is left inside its own edges or the page's."""
    sides = ("height", "max-height", "width", "max-width")
    if _CUT.match(style.get("clip", "")) and style.get("position") == "absolute":
        return True
    if style.get("overflow") == "hidden" and any(_is_nothing(style, side) for side in sides):
        return True
    return any(_FAR_AWAY.fullmatch(style.get(name, "")) for name in ("text-indent", "left", "top"))
