"""PDFs made for tests whose stored text is not the text of the page: fonts without a map, or with a wrong one."""

from __future__ import annotations

import random
import string
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
import pymupdf

CLAUSE = (
    "The tenant shall pay the rent on the first day of each month to the landlord,",
    "and the landlord shall keep the roof and the walls in good repair at its own cost.",
    "Either party may end this lease by a notice in writing of not less than ninety days.",
)
LETTERS = string.ascii_letters + string.digits + " .,;:()'-"

Map = Callable[[str], str]
"""Gives the character that a PDF wrongly states for a character."""


def _cycle(letters: str) -> Map:
    """Replaces the characters of the page, in the order of `LETTERS`, by `letters`, again from the first if they run out."""
    return lambda sign: letters[LETTERS.index(sign) % len(letters)]


def _permute(seed: int) -> Map:
    order = random.Random(seed).sample(string.ascii_lowercase, 26)
    table = str.maketrans(string.ascii_letters, "".join(order) + "".join(order).upper())
    return lambda sign: sign.translate(table)


def _shift(by: int) -> Map:
    return lambda sign: chr(ord(sign) + by) if sign.isalpha() else sign


WRONG_MAPS: Mapping[str, Map] = {
    "spaces": _cycle(" "),
    "no-break spaces": _cycle("\xa0"),
    "spaces of no width": _cycle("\u200b\u200c\u200d\u2060\ufeff"),
    "soft hyphens": _cycle("\xad"),
    "private use": lambda sign: chr(0xE000 + ord(sign)),
    "control characters": _cycle("\x01\x02\x03\x04\x05\x06\x0e\x0f\x10\x11"),
    "replacement characters": _cycle("\ufffd"),
    "letters exchanged": _permute(1),
    "letters exchanged otherwise": _permute(5),
    "letters shifted": _shift(3),
    "signs and digits": _cycle("!\"#$%&'()*+,-./0123456789:;<=>?@[]^_`{|}~"),
    "letters of many scripts": _cycle("жΩשبกあ한字ԱკሀᏣ"),
}


def wrongly_mapped(lines: Sequence[str], map: Map | None) -> pymupdf.Document:
    """A page whose font states the characters of `map` for its letters, or (None) nothing about them."""
    document = pymupdf.open()
    page, font = document.new_page(), pymupdf.Font("helv")
    page.insert_font(fontname="F0", fontbuffer=font.buffer)
    for number, line in enumerate(lines):
        page.insert_text((72, 100 + 20 * number), line, fontname="F0", fontsize=12)
    [(_, place)] = [
        (xref, document.xref_get_key(xref, "ToUnicode")[1])
        for xref in range(1, document.xref_length())
        if document.xref_get_key(xref, "ToUnicode")[0] == "xref"
    ]
    for xref in range(1, document.xref_length()):
        if map is None and document.xref_get_key(xref, "ToUnicode")[0] == "xref":
            document.xref_set_key(xref, "ToUnicode", "null")
    if map is not None:
        pairs = {font.has_glyph(ord(sign)): map(sign) for line in lines for sign in line}
        document.update_stream(int(place.split()[0]), _unicode_map(pairs))
    return pymupdf.open("pdf", document.tobytes())


def _unicode_map(pairs: Mapping[int, str]) -> bytes:
    rows = "\n".join(f"<{code:04x}> <{shown.encode('utf-16-be').hex()}>" for code, shown in pairs.items())
    return (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /Wrong def /CMapType 2 def\n"
        f"1 begincodespacerange <0000> <FFFF> endcodespacerange\n{len(pairs)} beginbfchar\n{rows}\nendbfchar\n"
        "endcmap CMapName currentdict /CMap defineresource pop end end"
    ).encode()


NAMELESS_GLYPHS: Mapping[str, Callable[[int], tuple[int, str]]] = {
    "numbered": lambda n: (33 + n, f"g{n}"),
    "codes from one": lambda n: (1 + n, f"a{n}"),
    "codes of letters": lambda n: (65 + n, f"C{n}"),
    "high codes": lambda n: (161 + n, f"glyph{n}"),
    "all called space": lambda n: (33 + n, "space"),
    "not defined": lambda n: (33 + n, f".notdef{n}"),
    "private use": lambda n: (33 + n, f"uniE{n:03X}"),
    "spaces of no width": lambda n: (33 + n, f"uni200B.{n}"),
    "names of other letters": lambda n: (33 + n, string.ascii_letters[n]),
    "names of digits": lambda n: (33 + n, ("zero", "one", "two", "three", "four", "five", "six", "seven")[n % 8] + f".{n}"),
}
"""Codes and names of the glyphs of a type-3 font, by their number in it."""


def type3(lines: Sequence[str], naming: Callable[[int], tuple[int, str]]) -> pymupdf.Document:
    """A page in a font whose letters are pictures and that does not say which letters they are."""
    letters = sorted({sign for line in lines for sign in line if sign != " "})
    codes = {sign: naming(number) for number, sign in enumerate(letters)}
    widths = {sign: round(1000 * pymupdf.Font("helv").glyph_advance(ord(sign))) for sign in letters}
    names = {sign: f"{name}x{number}" if name == "space" else name for number, (sign, (_, name)) in enumerate(codes.items())}
    first, last = min(code for code, _ in codes.values()), max(code for code, _ in codes.values())
    by_code = {code: widths[sign] for sign, (code, _) in codes.items()}
    glyphs = [_stream(_glyph(sign, widths[sign])) for sign in letters]
    differences = " ".join(f"{code}/{name}" for code, name in codes.values())
    font = (
        "<</Type/Font/Subtype/Type3/FontBBox[0 -300 1000 1000]/FontMatrix[.001 0 0 .001 0 0]/Resources<<>>"
        f"/CharProcs<<{' '.join(f'/{names[s]} {6 + n} 0 R' for n, s in enumerate(letters))}>>"
        f"/Encoding<</Type/Encoding/Differences[{differences}]>>/FirstChar {first}/LastChar {last}"
        f"/Widths[{' '.join(str(by_code.get(code, 0)) for code in range(first, last + 1))}]>>"
    )
    if any(name == "space" for _, name in codes.values()):
        font = font.replace(differences, " ".join(f"{code}/{names[sign]}" for sign, (code, _) in codes.items()))
    shown = [f"BT /F 12 Tf 72 {740 - 20 * n} Td {_shown(line, codes, widths)} ET" for n, line in enumerate(lines)]
    page = "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<</F 4 0 R>>>>/Contents 5 0 R>>"
    objects = ["<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>", page, font]
    return pymupdf.open("pdf", file_of([*(text.encode() for text in objects), _stream("\n".join(shown).encode()), *glyphs]))


def _shown(line: str, codes: Mapping[str, tuple[int, str]], widths: Mapping[str, int]) -> str:
    pieces = []
    for word in line.split(" "):
        code = "".join(f"{codes[sign][0]:02x}" for sign in word)
        pieces.append(f"<{code}> Tj {sum(widths[sign] for sign in word) * 0.012 + 4:.2f} 0 Td")
    return " ".join(pieces)


def _glyph(sign: str, width: int) -> bytes:
    with pymupdf.open() as drawn:
        page = drawn.new_page(width=100, height=130)
        page.insert_text((0, 100), sign, fontsize=100)
        grey = np.frombuffer(page.get_pixmap(colorspace=pymupdf.csGRAY).samples, dtype=np.uint8).reshape(130, 100)
    bits = np.packbits(grey >= 128, axis=1).tobytes()
    head = f"{width} 0 0 -300 1000 1000 d1 q 1000 0 0 1300 0 -300 cm BI /W 100 /H 130 /IM true /BPC 1 ID "
    return head.encode() + bits + b" EI Q"


def _stream(data: bytes, keys: str = "") -> bytes:
    return f"<<{keys}/Length {len(data)}>>stream\n".encode() + data + b"\nendstream"


def file_of(objects: Sequence[bytes]) -> bytes:
    """A PDF of these objects, numbered from 1; the first is its catalogue."""
    data = b"%PDF-1.7\n"
    places = []
    for number, content in enumerate(objects, 1):
        places.append(len(data))
        data += b"%d 0 obj\n" % number + content + b"\nendobj\n"
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    size = len(objects) + 1
    head = b"xref\n0 %d\n0000000000 65535 f \n" % size
    return data + head + table + b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (size, len(data))


def scanned(draw: Callable[[pymupdf.Page], object], *, dpi: int = 150, page: pymupdf.Page | None = None) -> pymupdf.Document:
    """A page that is the picture of what `draw` draws. `page`: the page that gets the picture, default a new one."""
    with pymupdf.open() as drawn:
        paper = drawn.new_page()
        draw(paper)
        grey = paper.get_pixmap(dpi=dpi, colorspace=pymupdf.csGRAY)
    if page is None:
        page = pymupdf.open().new_page()
    page.insert_image(page.rect, pixmap=grey)
    return page.parent


def saved(document: pymupdf.Document, path: Path) -> Path:
    document.save(path)
    return path


COVER = "For the best experience, open this package in another program."


def package(
    names: Sequence[str],
    *,
    pages: int = 1,
    cover: str = COVER,
    kids: bool = False,
    content: bool = True,
    keys: Sequence[str] = ("F", "UF"),
    more: str = "",
    relation: str = "",
    associated: bool = False,
) -> bytes:
    """A PDF with the files `names` in it.

    Args:
        names: Of the files, all with the words "Annex text".
        pages: Number of pages, each with the words of `cover`.
        cover: Words of a page.
        kids: Whether the name tree has branches.
        content: False: the files lie outside the PDF.
        keys: Under which each name is stored.
        more: More entries of the catalogue.
        relation: More entries of each file specification.
        associated: Whether the files are associated with the document, instead of listed in the name tree.

    """
    objects = [b"", b""]

    def add(item: str | bytes) -> int:
        objects.append(item.encode() if isinstance(item, str) else item)
        return len(objects)

    sheets = []
    for _ in range(pages):
        written = add(_stream(f"BT /F 12 Tf 72 700 Td ({cover}) Tj ET".encode() if cover else b""))
        font = add("<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>")
        resources = f"/Resources<</Font<</F {font} 0 R>>>>/Contents {written} 0 R"
        sheets.append(f"{add(f'<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]{resources}>>')} 0 R")
    entries = []
    for number, name in enumerate(names):
        stored = add(_stream(f"Annex text {number}".encode(), "/Type/EmbeddedFile"))
        named = "".join(f"/{key}({name})" for key in keys) + (f"/EF<</F {stored} 0 R>>" if content else "")
        entries.append((name, f"{add(f'<</Type/Filespec{named}{relation}>>')} 0 R"))
    leaves = [f"({name}){place}" for name, place in entries]
    branches = [f"{add(f'<</Names[{leaf}]>>')} 0 R" for leaf in leaves] if kids else []
    tree = f"<</Kids[{' '.join(branches)}]>>" if kids else f"<</Names[{' '.join(leaves)}]>>"
    listed = f"/AF[{' '.join(place for _, place in entries)}]" if associated else f"/Names<</EmbeddedFiles {add(tree)} 0 R>>"
    objects[0] = f"<</Type/Catalog/Pages 2 0 R/Collection<</View/T>>{listed}{more}>>".encode()
    objects[1] = f"<</Type/Pages/Kids[{' '.join(sheets)}]/Count {pages}>>".encode()
    return file_of(objects)
