"""Properties of HTML elements: visibility, form values, list labels."""

from __future__ import annotations

import re

from lxml.html import HtmlElement

from orderly.services.document_processor.docx_numbering import write_number
from orderly.services.document_processor.drafts import raised_digits

SKIPPED = frozenset(
    ("head", "script", "style", "template", "noscript", "svg", "math", "iframe", "object", "audio", "video", "canvas")
)
BLOCKS = frozenset(
    (
        "address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details", "dialog", "div", "dl",
        "dt", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr",
        "html", "legend", "li", "main", "nav", "ol", "p", "section", "summary", "title", "tr", "ul",
    )
)  # fmt: skip
_HIDING_STYLE = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?:px|pt|em|%)?\s*(?:;|$)|opacity\s*:\s*0(?:\.0+)?\s*(?:;|$)"
    r"|(?<![-\w])color\s*:\s*(?:white|#fff(?:fff)?)\s*(?:;|$)",
    re.IGNORECASE,
)
_STRUCK = frozenset(("s", "strike", "del"))
_STRIKING_STYLE = re.compile(r"text-decoration(?:-line)?\s*:[^;]*line-through", re.IGNORECASE)
_BACKGROUND = re.compile(r"background", re.IGNORECASE)
_NUMBER_FORMATS = {"a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman"}


def is_hidden(node: HtmlElement) -> bool:
    """Whether the element's attributes hide it. White text is hidden unless it or an ancestor has a background."""
    if node.get("hidden") is not None:
        return True
    found = _HIDING_STYLE.search(node.get("style", ""))
    if found is None:
        return False
    coloured = found[0].lower().startswith("color")
    return not (coloured and any(_BACKGROUND.search(up.get("style", "") + (up.get("bgcolor") or "")) or up.get("bgcolor")
                                 for up in (node, *node.iterancestors())))  # fmt: skip


def is_struck(node: HtmlElement) -> bool:
    """Whether the element itself is crossed out."""
    return node.tag in _STRUCK or _STRIKING_STYLE.search(node.get("style", "")) is not None


def raised_number(node: HtmlElement) -> str:
    """A raised number in raised digits, so that it is no digit of a sum; "" for other elements."""
    text = node.text_content().strip()
    return raised_digits(text) if node.tag == "sup" and text.isdecimal() else ""


def field_text(node: HtmlElement) -> str:
    """Text of a form field's value or a picture's alternative text."""
    tag, kind = node.tag, (node.get("type") or "text").lower()
    if tag == "img":
        return f"[{node.get('alt')}]" if (node.get("alt") or "").strip() else ""
    if tag != "input" or kind in ("hidden", "password"):
        return ""
    if kind in ("checkbox", "radio"):
        return "☒ " if node.get("checked") is not None else "☐ "
    return node.get("value") or ""


def list_label(node: HtmlElement) -> str:
    """Label of a list item: a dash, or the number displayed by a browser."""
    parent = node.getparent()
    if parent is None or parent.tag != "ol":
        return "- "
    number = _parse_int(parent.get("start"), 1) - 1
    for item in parent.iterchildren("li"):
        number = _parse_int(item.get("value"), number + 1)
        if item is node:
            break
    return write_number(number, _NUMBER_FORMATS.get(parent.get("type") or "1", "decimal")) + ". "


def _parse_int(value: str | None, otherwise: int) -> int:
    return int(value) if value and value.strip().lstrip("-").isdecimal() else otherwise
