"""Properties of HTML elements: form values, list labels."""

from __future__ import annotations

from lxml.html import HtmlElement

from orderly.services.document_processor.list_numbers import write_number

SKIPPED = frozenset(
    (
        "head", "script", "style", "template", "noscript", "svg", "math", "iframe", "object", "audio", "video", "canvas",
        "rp", "datalist",
    )
)  # fmt: skip
BLOCKS = frozenset(
    (
        "address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details", "dialog", "div", "dl",
        "dt", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr",
        "html", "legend", "li", "main", "nav", "ol", "p", "section", "summary", "title", "tr", "ul",
    )
)  # fmt: skip
FIELDS = frozenset(("img", "input", "select"))
"""Elements that show the value of an attribute, or one of their entries."""
_BULLETS = frozenset(("disc", "circle", "square"))
_NUMBER_STYLES = {
    "decimal": "decimal", "decimal-leading-zero": "decimalZero", "lower-alpha": "lowerLetter", "lower-latin": "lowerLetter",
    "upper-alpha": "upperLetter", "upper-latin": "upperLetter", "lower-roman": "lowerRoman", "upper-roman": "upperRoman",
}  # fmt: skip
LIST_STYLES = frozenset(("none", *_BULLETS, *_NUMBER_STYLES))
_NUMBER_FORMATS = {"a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman"}


def field_text(node: HtmlElement) -> str:
    """Text of a form field's value or a picture's alternative text."""
    tag, kind = node.tag, (node.get("type") or "text").lower()
    if tag == "img":
        return f"[{node.get('alt')}]" if (node.get("alt") or "").strip() else ""
    if tag == "select":
        return ", ".join(_chosen(node))
    if tag != "input" or kind in ("hidden", "password"):
        return ""
    if kind in ("checkbox", "radio"):
        return "☒ " if node.get("checked") is not None else "☐ "
    return node.get("value") or ""


def _chosen(node: HtmlElement) -> list[str]:
    """The entries of a list that are chosen: the first one unless another is, or several may be."""
    entries = list(node.iter("option"))
    chosen = [entry for entry in entries if entry.get("selected") is not None]
    if not chosen and node.get("multiple") is None:
        chosen = entries[:1]
    return [" ".join(entry.text_content().split()) for entry in chosen]


def list_label(node: HtmlElement, kind: str = "") -> str:
    """Label of a list item: a dash, or the number displayed by a browser. `kind`: the list-style-type, if stated."""
    parent = node.getparent()
    if kind == "none":
        return ""
    if kind in _BULLETS or (kind not in _NUMBER_STYLES and (parent is None or parent.tag != "ol")) or parent is None:
        return "- "
    step = 1 if parent.get("reversed") is None else -1
    first = 1 if step > 0 else len(parent.findall("li"))
    number = _parse_int(parent.get("start"), first) - step
    for item in parent.iterchildren("li"):
        number = _parse_int(item.get("value"), number + step)
        if item is node:
            break
    form = _NUMBER_STYLES.get(kind) or _NUMBER_FORMATS.get(node.get("type") or parent.get("type") or "1", "decimal")
    return write_number(number, form) + ". "


def _parse_int(value: str | None, otherwise: int) -> int:
    return int(value) if value and value.strip().lstrip("-").isdecimal() else otherwise
