"""Letters as a reader sees them, so that accents, invisible signs and look-alikes hide no statement from rules about words."""

from __future__ import annotations

import re
import unicodedata

_LOOK_ALIKES = str.maketrans(
    "асеорхуівԁѕјһАВСЕНКМОРТХІЅЈοναιρτυκΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "aceopxyivdsjhABCEHKMOPTXISJovaiptukABEZHIKMNOPTYX"
)
"""Cyrillic and Greek letters with the shape of Latin ones."""
_LATIN = re.compile(r"[A-Za-z]")
_JOINED = re.compile(r"(?<=\w)_(?=\w)")
_SPACED = re.compile(r"(?<!\w)(?:\w[^\w\n]{1,3}){9,}\w(?!\w)")
"""Words whose letters are set apart one by one."""


def visible_letters(text: str) -> str:
    """The text with plain letters in place of accented, marked and similar ones, and spaces in place of underscores."""
    text = _JOINED.sub(" ", text)
    if text.isascii():
        return text
    plain = "".join(
        char for char in unicodedata.normalize("NFKD", text) if unicodedata.category(char) not in ("Mn", "Me", "Cf")
    )
    return plain.translate(_LOOK_ALIKES) if _LATIN.search(plain) else plain


def is_spaced_out(text: str) -> bool:
    """Whether words are written letter by letter, so that no rule can read them."""
    return _SPACED.search(text) is not None
