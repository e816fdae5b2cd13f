"""RTF control words for text and destinations."""

from __future__ import annotations

SIGNS = {
    "tab": "\t", "line": "\n", "lbr": "\n", "emdash": "—", "endash": "–", "emspace": " ", "enspace": " ", "qmspace": " ",
    "bullet": "•", "lquote": "‘", "rquote": "’", "ldblquote": "“", "rdblquote": "”",
    "zwj": "", "zwnj": "", "nestcell": "\t", "nestrow": "\n",
}  # fmt: skip
ESCAPED = {b"\\": "\\", b"{": "{", b"}": "}", b"~": " ", b"_": "-", b"-": ""}

STREAMS = {
    "header": "Headers", "headerl": "Headers", "headerr": "Headers", "headerf": "Headers",
    "footer": "Footers", "footerl": "Footers", "footerr": "Footers", "footerf": "Footers",
    "footnote": "Footnotes", "shptxt": "Text boxes", "annotation": "Comments",
}  # fmt: skip
"""Destinations of text outside the body."""

TABLES = frozenset(("fonttbl", "stylesheet", "colortbl"))
"""Destinations that are interpreted but contain no text."""

FORMS = frozenset(("formfield", "ffl"))
"""Destinations that define a form field."""

SKIPPED = frozenset(
    (
        "info", "pict", "datafield", "xe", "tc", "txe", "rxe", "template", "background", "shprslt",
        "sp", "upr", "objdata", "objclass", "filetbl", "private", "aftnsep", "aftnsepc", "aftncn", "ftnsep", "ftnsepc",
        "ftncn", "listtable", "listoverridetable", "revtbl", "rsidtbl", "generator", "themedata", "colorschememapping",
        "latentstyles", "datastore", "bkmkstart", "bkmkend", "atnid", "atnauthor", "atndate", "atnref",
    )
)  # fmt: skip
TRANSPARENT = frozenset(("shpinst", "ud", "shppict", "nesttableprops"))
"""Marked as ignorable (\\*), but their text is displayed."""

UNITS = frozenset(("par", "sect", "page", "column", "cell", "row"))
"""Ends of paragraphs, cells and rows."""

GROUNDS = frozenset(("cb", "chcbpat", "cbpat", "highlight"))
"""Control words for the ground of words and paragraphs."""

FORMATS = GROUNDS | {
    "pard", "plain", "trowd", "intbl", "v", "htmlrtf", "super", "up", "nosupersub", "strike", "striked", "deleted",
    "f", "fs", "cf", "clcbpat", "uc", "s", "outlinelevel", "ansicpg",
}  # fmt: skip
"""How the words that follow look. All other control words change nothing that is read."""

CHARSETS = {
    0: "cp1252", 128: "cp932", 129: "cp949", 130: "johab", 134: "gbk", 136: "cp950", 161: "cp1253", 162: "cp1254",
    163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257", 204: "cp1251", 222: "cp874", 238: "cp1250", 254: "cp437",
}  # fmt: skip
