"""The words of a piece of Markdown, without markup."""

from __future__ import annotations

import html
import re
import unicodedata

_INVISIBLE = re.compile(r"[\u00ad\u200b-\u200f\u2060-\u2064\ufeff\u202a-\u202e]")
_TAG = re.compile(r"</?[a-zA-Z][\w-]*(?:\s+[\w:-]+\s*=\s*(?:\"[^\"<>]*\"|'[^'<>]*'|[^\s<>\"']+))*\s*/?>|<!--.*?-->", re.DOTALL)
_LONG_RUN = re.compile(r"[^\W\d_]{30}")
_LINE_MARK = re.compile(
    r"^[ \t]*(?:(?:>|#{1,6}|[-*+•](?=[ \t])|\(?(?:\d{1,3}|[a-z]|[ivx]{1,5})[.)](?=[ \t])|"
    r"\d{1,3}(?:\.\d{1,3})+(?=[ \t]+[A-Z]))[ \t]*)+",
    re.MULTILINE,
)
_INLINE_MARK = re.compile(r"\*+|_{2,}|(?<!\w)_|_(?!\w)|~~|`+|\\(?=[^\w\s])|^[ \t]*[|:-]{3,}[ \t]*$", re.MULTILINE)
_CELL = re.compile(r"[ \t]*\|[ \t|]*")
"""The bounds of a table's cells, which are read one after the other."""
_LATEX = re.compile(r"\\[a-zA-Z]+\*?[{ ]|\{,\}|\$\$|\\[\[(]")
_LATEX_WORDS = re.compile(r"\\(?:text\w*|math\w+|operatorname|mbox)\s*\{(?P<words>[^{}]*)\}")
_LATEX_MARK = re.compile(r"\\(?:begin|end)\{\w+\*?\}|\\[a-zA-Z]+\*?|\\[\[\]()]|\\[,;:! ]|\$\$|(?<!\\)[{}]")
_COMPOSED = re.compile(r"[^\x00-\u024f\u2010-\u203a]")


def plain_text(piece: str) -> str:
    """The words as they are read: without marks of Markdown, HTML and LaTeX, entities decoded, odd letters made plain."""
    text = piece
    if "&" in text:
        text = html.unescape(text)
    if "<" in text:
        text = _TAG.sub(" ", text)
    if _COMPOSED.search(text) or "\u00ad" in text:
        text = unicodedata.normalize("NFKC", text)
        joined = _INVISIBLE.sub("", text)
        text = _INVISIBLE.sub(" ", text) if _LONG_RUN.search(joined) else joined
    if ("\\" in text or "$$" in text) and _LATEX.search(text):
        text = _LATEX_MARK.sub(" ", _LATEX_WORDS.sub(lambda found: f" {found['words']} ", text.replace("{,}", ",")))
    text = _INLINE_MARK.sub("", _LINE_MARK.sub("", text))
    return _CELL.sub("; ", text) if "|" in text else text
