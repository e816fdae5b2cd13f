"""Signs of the symbol fonts of Office. A file stores letters: "£" in Symbol is drawn as "≤", "J" in Wingdings as "☺"."""

from __future__ import annotations

_PRIVATE = 0xF000
"""Of the private area of Unicode: programs store the signs of symbol fonts from here on as well."""

_WINGDINGS = {
    **dict(zip(b"()*<EFGHIJKLlmnopqruvwx", "☎✆✉🖫☜☞☝☟✋☺😐☹●❍■☐❐❑❒◆❖⬥☒", strict=True)),
    **{0x80 + n: sign for n, sign in enumerate("⓪①②③④⑤⑥⑦⑧⑨⑩⓿❶❷❸❹❺❻❼❽❾❿")},
    **{0x9E: "·", 0x9F: "•", 0xA1: "○", 0xA4: "◉", 0xA7: "▪", 0xA8: "☐", 0xAA: "✦", 0xAB: "★", 0xB7: "•", 0xD8: "➢"},
    **{0xDF + n: sign for n, sign in enumerate("←→↑↓↖↗↙↘⬅➔⬆⬇⬉⬈⬋⬊⇦⇨⇧⇩⇔⇕")},
    **{0xFB: "✗", 0xFC: "✓", 0xFD: "☒", 0xFE: "☑"},
}
_SYMBOL = {
    **dict(zip(range(0x41, 0x5B), "ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ", strict=True)),
    **dict(zip(range(0x61, 0x7B), "αβχδεφγηιϕκλμνοπθρστυϖωξψζ", strict=True)),
    **dict(zip(b"\"$'*-@\\^~", "∀∃∋∗−≅∴⊥∼", strict=True)),
    **{0xA0 + n: sign for n, sign in enumerate("€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊⟨®©™∑")},
    **{0xF1: "⟩", 0xF2: "∫"},
}
_FONTS = {"wingdings": _WINGDINGS, "symbol": _SYMBOL}
_UNKNOWN = {"wingdings 2", "wingdings 3", "webdings", "zapfdingbats", "zapf dingbats"}
_LEGIBLE = range(0x20, 0x7F)


def is_symbol_font(name: str | None) -> bool:
    return name is not None and name.strip("\"' ").lower() in (*_FONTS, *_UNKNOWN)


def as_drawn(text: str, font: str | None) -> str:
    """The signs that the font draws for the letters of a text. "\ufffd" stands for a sign that is not known."""
    return "".join(_sign(ord(letter), (font or "").strip("\"' ").lower()) for letter in text)


def _sign(code: int, font: str) -> str:
    inner = code - _PRIVATE if _PRIVATE <= code <= _PRIVATE + 0xFF else code
    if inner > 0xFF or chr(code).isspace():
        return chr(code)
    table = _FONTS.get(font, {} if font in _UNKNOWN else _WINGDINGS)
    if sign := table.get(inner):
        return sign
    shared = font == "symbol" and inner in _LEGIBLE
    return chr(inner) if shared or chr(inner).isspace() else "\ufffd"
