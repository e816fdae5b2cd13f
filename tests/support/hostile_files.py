"""Makes small files that harm a reader without limits."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path

WORD = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_CATALOG = "<</Type/Catalog/Pages 2 0 R>>"
_FONT = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"
_LINE = b"BT /F 12 Tf 72 700 Td (This agreement is made between the parties) Tj ET"


def pdf(path: Path, *objects: bytes | str) -> Path:
    """Writes a PDF of `objects`; object 1 is the catalogue."""
    out = io.BytesIO(b"%PDF-1.7\n")
    out.seek(0, io.SEEK_END)
    places = []
    for number, body in enumerate(objects, 1):
        places.append(out.tell())
        out.write(b"%d 0 obj\n%b\nendobj\n" % (number, body.encode() if isinstance(body, str) else body))
    table = out.tell()
    out.write(b"xref\n0 %d\n0000000000 65535 f \n" % (len(places) + 1) + b"".join(b"%010d 00000 n \n" % at for at in places))
    out.write(b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (len(places) + 1, table))
    path.write_bytes(out.getvalue())
    return path


def stream(data: bytes, more: str = "") -> bytes:
    return b"<</Length %d %b>>stream\n%b\nendstream" % (len(data), more.encode(), data)


def _page(resources: str) -> str:
    return f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<<{resources}>>>>"


def endless_pdf(path: Path) -> Path:
    """Writes a PDF of 2 kB with eleven nested forms, each drawing the next ten times: 10^11 steps."""
    forms = [
        f"<</Type/XObject/Subtype/Form/BBox[0 0 600 800]/Resources<</XObject<</X {number + 1} 0 R>>>>/Length 60>>stream\n"
        + "/X Do " * 10
        + "\nendstream"
        for number in range(5, 16)
    ]
    last = stream(b"0 0 10 10 re f", "/Type/XObject/Subtype/Form/BBox[0 0 600 800]")
    return pdf(
        path, _CATALOG, "<</Type/Pages/Count 1/Kids[3 0 R]>>", _page("/XObject<</X 5 0 R>>"), stream(b"/X Do"), *forms, last
    )


def claiming_pdf(path: Path, pages: int) -> Path:
    """Writes a PDF whose page tree refers to the same page `pages` times."""
    kids = "3 0 R " * pages
    return pdf(path, _CATALOG, f"<</Type/Pages/Count {pages}/Kids[{kids}]>>", _page("/Font<</F 5 0 R>>"), stream(_LINE), _FONT)


def looping_pdf(path: Path) -> Path:
    """Writes a PDF whose page tree is cyclic: the root is its own child."""
    return pdf(path, _CATALOG, "<</Type/Pages/Count 1000/Parent 2 0 R/Kids[2 0 R 2 0 R]>>")


def swelling_pdf(path: Path, mb: int) -> Path:
    """Writes a PDF page whose content decompresses to `mb` MB of text."""
    content = zlib.compress((_LINE + b"\n") * (mb * 1_000_000 // len(_LINE)), 1)
    return pdf(
        path,
        _CATALOG,
        "<</Type/Pages/Count 1/Kids[3 0 R]>>",
        _page("/Font<</F 5 0 R>>"),
        stream(content, "/Filter/FlateDecode"),
        _FONT,
    )


def rewritten(source: Path, target: Path, parts: Mapping[str, bytes]) -> Path:
    """Copies an office file with some of its parts replaced."""
    with zipfile.ZipFile(source) as whole, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as copy:
        for name in whole.namelist():
            if name not in parts:
                copy.writestr(name, whole.read(name))
        for name, data in parts.items():
            copy.writestr(name, data)
    return target


def lying_zip(path: Path, claimed: int) -> Path:
    """Changes every header of the archive to declare `claimed` uncompressed bytes."""
    data = bytearray(path.read_bytes())
    at = data.find(b"PK\x01\x02")
    while at >= 0:
        data[at + 24 : at + 28] = claimed.to_bytes(4, "little")
        at = data.find(b"PK\x01\x02", at + 4)
    path.write_bytes(data)
    return path


def laughing(element: str) -> bytes:
    """Returns a "billion laughs" XML document: `element` holds an entity that expands to 10^10 characters."""
    entities = '<!ENTITY a "aaaaaaaaaa">' + "".join(f'<!ENTITY {chr(98 + n)} "{f"&{chr(97 + n)};" * 10}">' for n in range(9))
    return f'<?xml version="1.0"?><!DOCTYPE l [{entities}]>{element}'.encode()


def monstrous_picture(path: Path) -> Path:
    """Writes a PNG that declares 3,600 million pixels."""

    def part(kind: bytes, data: bytes) -> bytes:
        return len(data).to_bytes(4, "big") + kind + data + zlib.crc32(kind + data).to_bytes(4, "big")

    size = (60_000).to_bytes(4, "big")
    head = part(b"IHDR", size + size + bytes((8, 2, 0, 0, 0)))
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + head + part(b"IDAT", zlib.compress(bytes(1000))) + part(b"IEND", b""))
    return path
