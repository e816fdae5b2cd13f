"""Writes Word files part by part, as other programs than python-docx write them."""

from __future__ import annotations

import zipfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

NAMES = " ".join(
    f'xmlns:{prefix}="{name}"'
    for prefix, name in {
        "w": "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
        "r": "http://schemas.openxmlformats.org/officeDocument/2006/relationships",
        "a": "http://schemas.openxmlformats.org/drawingml/2006/main",
        "c": "http://schemas.openxmlformats.org/drawingml/2006/chart",
        "dgm": "http://schemas.openxmlformats.org/drawingml/2006/diagram",
        "mc": "http://schemas.openxmlformats.org/markup-compatibility/2006",
        "v": "urn:schemas-microsoft-com:vml",
        "wp": "http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing",
        "wps": "http://schemas.microsoft.com/office/word/2010/wordprocessingShape",
        "w14": "http://schemas.microsoft.com/office/word/2010/wordml",
    }.items()
)
RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
KINDS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


TYPES = "http://schemas.openxmlformats.org/package/2006/content-types"
_WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml"


def _types(parts: Iterable[Sequence[str]]) -> str:
    named = [("document.xml", "document.main"), *((name, kind) for kind, name in parts if name.endswith(".xml"))]
    overrides = "".join(f'<Override PartName="/word/{name}" ContentType="{_WORD}.{kind}+xml"/>' for name, kind in named)
    relations = "application/vnd.openxmlformats-package.relationships+xml"
    return f'<Default Extension="rels" ContentType="{relations}"/>{overrides}'


def word_file(path: Path, body: str, parts: Mapping[str, str | bytes] | None = None) -> Path:
    """Writes a file with this body. `parts`: "kind name" -> content; XML content is wrapped in no root of its own.

    The relationship to a part has the id "rId" and the part's place in the order.
    """
    related = list((parts or {}).items())
    links = "".join(
        f'<Relationship Id="rId{n}" Type="{KINDS}/{key.split()[0]}" Target="{key.split()[1]}"/>'
        for n, (key, _) in enumerate(related, 1)
    )
    root = f'<Relationship Id="rId1" Type="{KINDS}/officeDocument" Target="word/document.xml"/>'
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("[Content_Types].xml", f'<Types xmlns="{TYPES}">{_types(key.split() for key, _ in related)}</Types>')
        archive.writestr("_rels/.rels", f'<Relationships xmlns="{RELATIONS}">{root}</Relationships>')
        archive.writestr("word/_rels/document.xml.rels", f'<Relationships xmlns="{RELATIONS}">{links}</Relationships>')
        archive.writestr("word/document.xml", f"<w:document {NAMES}><w:body>{body}</w:body></w:document>")
        for key, content in related:
            archive.writestr(f"word/{key.split()[1]}", content)
    return path


def part(tag: str, content: str) -> str:
    return f"<{tag} {NAMES}>{content}</{tag}>"


def p(*runs: str, properties: str = "") -> str:
    return f"<w:p>{f'<w:pPr>{properties}</w:pPr>' if properties else ''}{''.join(runs)}</w:p>"


def r(text: str, properties: str = "") -> str:
    return f'<w:r>{f"<w:rPr>{properties}</w:rPr>" if properties else ""}<w:t xml:space="preserve">{text}</w:t></w:r>'


def mark(kind: str, data: str = "") -> str:
    return f'<w:r><w:fldChar w:fldCharType="{kind}">{data}</w:fldChar></w:r>'


def code(text: str) -> str:
    return f'<w:r><w:instrText xml:space="preserve">{text}</w:instrText></w:r>'


def field(instruction: str, *result: str, data: str = "") -> str:
    return mark("begin", data) + code(instruction) + mark("separate") + "".join(result) + mark("end")


def row(*cells: str, properties: str = "") -> str:
    return f"<w:tr>{f'<w:trPr>{properties}</w:trPr>' if properties else ''}{''.join(cells)}</w:tr>"


def cell(content: str, properties: str = "") -> str:
    return f"<w:tc><w:tcPr>{properties}</w:tcPr>{content if '<' in content else p(r(content))}</w:tc>"
