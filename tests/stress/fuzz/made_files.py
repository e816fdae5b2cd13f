"""Files that the fuzzer makes beside the fixtures: parts that few real files have, and packages whose parts are changed."""

from __future__ import annotations

import io
import random
import re
import struct
import tempfile
import zipfile
from collections.abc import Callable
from email.message import EmailMessage
from pathlib import Path

import openpyxl
from openpyxl.chart import BarChart, Reference
from openpyxl.comments import Comment
from pptx import Presentation
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE

from stress.fidelity.generated import KINDS, make
from support.office_parts import p, part, r, word_file
from support.tnef_files import attribute, outlook, properties

CALENDAR = (
    "BEGIN:VCALENDAR\r\nMETHOD:REQUEST\r\nBEGIN:VEVENT\r\nSUMMARY:Completion of\r\n  Lot 9\r\nDTSTART;TZID=Sydney:20250318T100000\r\n"
    'ATTENDEE;CN="Birch, Ben":mailto:ben@birch.example\r\nDESCRIPTION:Bring\\nthe deed\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n'
)
_NUMBER = re.compile(rb'(?<==")-?\d+(?=")|(?<=>)-?\d+(?=<)')
_NUMBERS = (b"0", b"-1", b"1048577", b"99999999", b"999999999999", b"4294967296", b"", b"1e9", b"\xc2\xb2")
_ELEMENT = re.compile(rb"<(\w+:?\w*)\b[^<>]*>")


def made_files() -> list[tuple[str, bytes]]:
    """Names and contents."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        found = [(f"generated.{kind}", make(kind, random.Random(7), folder / kind)[1].read_bytes()) for kind in KINDS]
        found += [(made.name, made.read_bytes()) for made in (_chunks(folder), _workbook(folder), _deck(folder))]
    return [*found, ("winmail.dat", _winmail()), ("meeting.ics", CALENDAR.encode()), ("invitation.eml", _invitation())]


def broken_package(data: bytes, chance: random.Random, broken: Callable[[bytes, random.Random], bytes]) -> bytes:
    """Changes one part of a package: a number, an element, or its bytes."""
    target = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new:
        chosen = chance.choice([name for name in old.namelist() if old.getinfo(name).file_size])
        for name in old.namelist():
            content = old.read(name)
            new.writestr(name, _changed(content, chance, broken) if name == chosen else content)
    return target.getvalue()


def _changed(content: bytes, chance: random.Random, broken: Callable[[bytes, random.Random], bytes]) -> bytes:
    numbers, elements = list(_NUMBER.finditer(content)), list(_ELEMENT.finditer(content))
    kind = chance.choice(("number", "number", "double", "drop", "bytes"))
    if kind == "number" and numbers:
        found = chance.choice(numbers)
        return content[: found.start()] + chance.choice(_NUMBERS) + content[found.end() :]
    if kind in ("double", "drop") and elements:
        found = chance.choice(elements)
        end = content.find(b"</" + found[1] + b">", found.end())
        last = found.end() if found[0].endswith(b"/>") or end < 0 else end + len(found[1]) + 3
        whole = content[found.start() : last]
        return content[: found.start()] + whole * (0 if kind == "drop" else chance.choice((2, 50))) + content[last:]
    return broken(content, chance)


def _chunks(folder: Path) -> Path:
    inner = word_file(folder / "inner", p(r("Imported."), r("gone", "<w:strike/>"))).read_bytes()
    box = f"<w:r><w:pict><v:shape><v:textbox><w:txbxContent>{p(r('Box'))}</w:txbxContent></v:textbox></v:shape></w:pict></w:r>"
    body = p(r("Before."), box, '<w:r><w:drawing><dgm:relIds r:dm="rId5"/></w:drawing></w:r>')
    body += "".join(f'<w:altChunk r:id="rId{n}"/>' for n in (1, 2, 3, 4))
    parts: dict[str, str | bytes] = {
        "aFChunk a.html": "<html><body><p>Page <s>gone</s></p></body></html>",
        "aFChunk b.rtf": rb"{\rtf1\ansi Rich {\strike gone}\par}",
        "aFChunk c.docx": inner,
        "aFChunk d.mht": b"MIME-Version: 1.0\r\nContent-Type: text/html\r\n\r\n<p>Archive</p>",
        "diagramData data.xml": part("dgm:dataModel", "<a:p><a:r><a:t>Step</a:t></a:r></a:p>"),
    }
    return word_file(folder / "chunks.docx", body, parts)


def _workbook(folder: Path) -> Path:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    for row in (["Year", "Fee"], [2025, 62000], [2026, 1.5]):
        sheet.append(row)
    sheet["B2"].number_format, sheet["B3"].number_format = "000-000", "[h]:mm"
    sheet["A1"].comment = Comment("Check", "Ann")
    sheet.merge_cells("A4:B5")
    sheet.column_dimensions["C"].hidden = sheet.row_dimensions[3].hidden = True
    chart = BarChart()
    chart.title = "Fees"
    chart.add_data(Reference(sheet, min_col=2, min_row=1, max_row=3), titles_from_data=True)
    sheet.add_chart(chart, "E2")
    book.save(folder / "drawings.xlsx")
    return folder / "drawings.xlsx"


def _deck(folder: Path) -> Path:
    deck = Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    slide.shapes.title.text = "Fees"
    data = CategoryChartData()
    data.categories = ["2025", "2026"]
    data.add_series("Fee", (1, 2))
    slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, 0, 0, 100, 100, data)
    slide.shapes.add_group_shape().shapes.add_textbox(0, 0, 10, 10).text_frame.text = "Grouped"
    deck.save(str(folder / "drawings.pptx"))
    return folder / "drawings.pptx"


def _winmail() -> bytes:
    inner = outlook(attribute(0x18004, b"Side letter\0"), attribute(0x2800C, b"The rebate.\0"))
    return outlook(
        attribute(0x69007, struct.pack("<II", 1252, 0)),
        attribute(0x69003, properties((0x102, 0x1013, b"<p>No caveat <s>ever</s>.</p>"))),
        attribute(0x69002, b"\0" * 14, 2),
        attribute(0x18010, b"deed.txt\0", 2),
        attribute(0x6800F, b"The deed.", 2),
        attribute(0x69002, b"\0" * 14, 2),
        attribute(0x69005, properties((0x0D, 0x3701, b"\0" * 16 + inner)), 2),
    )


def _invitation() -> bytes:
    message = EmailMessage()
    message["Subject"] = "Completion"
    message.set_content("See the invitation.")
    message.add_alternative(CALENDAR, subtype="calendar", params={"method": "REQUEST"})
    message.add_attachment(_winmail(), maintype="application", subtype="ms-tnef", filename="winmail.dat")
    return message.as_bytes()
