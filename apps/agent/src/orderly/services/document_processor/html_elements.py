"""What single elements of HTML mean to a reader."""

from __future__ import annotations

import re

from lxml.html import HtmlElement

from orderly.services.document_processor.docx_numbering import write_number

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
_UNSEEN = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?:px|pt|em|%)?\s*(?:;|$)|opacity\s*:\s*0(?:\.0+)?\s*(?:;|$)"
    r"|(?<![-\w])color\s*:\s*(?:white|#fff(?:fff)?)\s*(?:;|$)",
    re.IGNORECASE,
)
_GROUND = re.compile(r"background", re.IGNORECASE)
_NUMBERS = {"a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman"}


def is_hidden(node: HtmlElement) -> bool:
    """By its own attributes. White letters count only where no ground is set beneath them."""
    if node.get("hidden") is not None:
        return True
    found = _UNSEEN.search(node.get("style", ""))
    if found is None:
        return False
    coloured = found[0].lower().startswith("color")
    return not (coloured and any(_GROUND.search(up.get("style", "") + (up.get("bgcolor") or "")) or up.get("bgcolor")
                                 for up in (node, *node.iterancestors())))  # fmt: skip


def field_text(node: HtmlElement) -> str:
    """What a form field or a picture says beside its content."""
    tag, kind = node.tag, (node.get("type") or "text").lower()
    if tag == "img":
        return f"[{node.get('alt')}]" if (node.get("alt") or "").strip() else ""
    if tag != "input" or kind in ("hidden", "password"):
        return ""
    if kind in ("checkbox", "radio"):
        return "☒ " if node.get("checked") is not None else "☐ "
    return node.get("value") or ""


def list_label(node: HtmlElement) -> str:
    """A dash, or the number that a browser puts before the item."""
    parent = node.getparent()
    if parent is None or parent.tag != "ol":
        return "- "
    number = _whole(parent.get("start"), 1) - 1
    for item in parent.iterchildren("li"):
        number = _whole(item.get("value"), number + 1)
        if item is node:
            break
    return write_number(number, _NUMBERS.get(parent.get("type") or "1", "decimal")) + ". "


def _whole(value: str | None, otherwise: int) -> int:
    return int(value) if value and value.strip().lstrip("-").isdecimal() else otherwise
