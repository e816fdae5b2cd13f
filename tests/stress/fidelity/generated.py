"""Generated files: a model of a document, the file that is made of it, and the words that a person sees in it."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from email.message import EmailMessage
from html import escape
from pathlib import Path

import openpyxl
import pymupdf
from openpyxl.styles import Font
from pptx import Presentation
from pptx.util import Inches

from stress.fidelity.words import words_of
from support.office_parts import cell, p, part, r, row, word_file

VOCABULARY = [
    "the",
    "Lessee",
    "shall",
    "pay",
    "rent",
    "monthly",
    "in",
    "advance",
    "unless",
    "terminated",
    "notice",
    "party",
    "agreement",
    "clause",
    "schedule",
    "payment",
    "Seller",
    "Buyer",
    "warrants",
    "indemnity",
    "liability",
    "interest",
    "default",
    "remedy",
    "law",
    "court",
    "costs",
    "deed",
    "executed",
    "premises",
    "title",
    "plan",
    "lot",
]
LOOKS = ("live", "live", "live", "live", "live", "struck", "hidden", "inserted", "deleted", "raised")
SEEN = ("live", "inserted", "raised")
FORMATS = (("000-000", 62000, "062-000"), ("#,##0.00", 1234.5, "1,234.50"), ("0%", 0.25, "25%"), ("[h]:mm", 1.5, "36:00"))

Run = tuple[str, str]
"""Look and words."""


@dataclass(slots=True)
class Model:
    blocks: list[list[Run] | list[list[str]]] = field(default_factory=list)
    """Paragraphs (of runs) and tables (rows of cells)."""
    beside: list[str] = field(default_factory=list)
    """Texts that stand before or behind the blocks, such as a header."""
    first: list[str] = field(default_factory=list)

    def seen_words(self) -> list[str]:
        texts = list(self.first)
        for block in self.blocks:
            for part_ in block:
                if isinstance(part_, tuple):
                    texts += [part_[1]] if part_[0] in SEEN else []
                else:
                    texts += part_
        return words_of(" ".join([*texts, *self.beside]))


def _words(chance: random.Random, most: int = 7) -> str:
    return " ".join(chance.choices(VOCABULARY, k=chance.randint(1, most))) + f" {chance.randint(1, 9999)}"


def _model(chance: random.Random, looks: tuple[str, ...] = LOOKS) -> Model:
    model = Model()
    for _ in range(chance.randint(2, 8)):
        if chance.random() < 0.25:
            columns = chance.randint(2, 4)
            model.blocks.append([[_words(chance, 3) for _ in range(columns)] for _ in range(chance.randint(1, 4))])
        else:
            runs = [(look, _words(chance)) for look in chance.choices(looks, k=chance.randint(1, 5))]
            first = next((at for at, (look, _) in enumerate(runs) if look == "live"), None)
            model.blocks.append([(look, _raised(chance) if look == "raised" else text) for look, text in runs])
            if first is None:
                model.blocks[-1].append(("live", _words(chance)))  # type: ignore[arg-type]
    return model


def _raised(chance: random.Random) -> str:
    """A sum and the number of a note that is raised behind it."""
    return f"${chance.randint(1, 999)},000 {chance.randint(1, 99)}"


_WORD_LOOKS = {
    "struck": ("<w:strike/>", '<w:rStyle w:val="Gone"/>', '<w:dstrike w:val="1"/>'),
    "hidden": ("<w:vanish/>", '<w:rStyle w:val="Draft"/>', '<w:color w:val="FFFFFF"/>', '<w:sz w:val="2"/>'),
    "raised": ('<w:vertAlign w:val="superscript"/>', '<w:position w:val="8"/>'),
}
_STYLES = part(
    "w:styles",
    '<w:style w:type="character" w:styleId="Gone"><w:rPr><w:strike/></w:rPr></w:style>'
    '<w:style w:type="character" w:styleId="Draft"><w:rPr><w:vanish/></w:rPr></w:style>',
)


def _docx(chance: random.Random, path: Path) -> Model:
    model = _model(chance)
    body = ""
    for block in model.blocks:
        if isinstance(block[0], list):
            body += f"<w:tbl>{''.join(row(*(cell(text) for text in line)) for line in block)}</w:tbl>"
        else:
            body += p(*(_word_run(chance, look, text) for look, text in block))
    parts: dict[str, str | bytes] = {"styles styles.xml": _STYLES}
    if chance.random() < 0.5:
        model.beside.append(_words(chance))
        parts["header header1.xml"] = part("w:hdr", p(r(model.beside[0])))
        body += '<w:sectPr><w:headerReference w:type="default" r:id="rId2"/></w:sectPr>'
    word_file(path, body, parts)
    return model


def _word_run(chance: random.Random, look: str, text: str) -> str:
    if look == "deleted":
        return f'<w:del w:id="1" w:author="A"><w:r><w:delText>{text}</w:delText></w:r></w:del>'
    base, _, note = text.rpartition(" ")
    own = chance.choice(_WORD_LOOKS.get(look, ("",)))
    run = r(base) + r(note, own) + r(" ") if look == "raised" else r(f"{text} ", own)
    return f'<w:ins w:id="2" w:author="A">{run}</w:ins>' if look == "inserted" else run


def _xlsx(chance: random.Random, path: Path) -> Model:
    model, book = Model(), openpyxl.Workbook()
    assert book.active is not None
    for at in range(chance.randint(1, 3)):
        sheet = book.active if at == 0 else book.create_sheet(f"S{at}")
        hidden = {n for n in range(1, 8) if chance.random() < 0.2}
        for n in range(1, chance.randint(3, 8)):
            texts: list[str] = []
            for column in range(1, chance.randint(2, 4)):
                place = sheet.cell(n, column)
                shown = _words(chance, 3)
                place.value = shown
                if chance.random() < 0.3:
                    place.number_format, place.value, shown = chance.choice(FORMATS)
                elif chance.random() < 0.2:
                    place.font = chance.choice((Font(strike=True), Font(color="FFFFFFFF")))
                    shown = ""
                texts.append(shown)
                sheet.column_dimensions[place.column_letter].width = 24
            sheet.row_dimensions[n].hidden = n in hidden
            model.blocks += [[texts]] if n not in hidden else []
    book.save(path)
    return model


def _pptx(chance: random.Random, path: Path) -> Model:
    model, deck = _model(chance, ("live", "live", "live", "struck")), Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[6])
    deck.slide_height = Inches(50)
    for number, block in enumerate(model.blocks):
        top = Inches(1 + 5 * number)
        if isinstance(block[0], list):
            table = slide.shapes.add_table(len(block), len(block[0]), 0, top, Inches(10), Inches(2)).table
            for at, line in enumerate(block):
                for column, text in enumerate(line):
                    table.cell(at, column).text = text
            continue
        frame = slide.shapes.add_textbox(0, top, Inches(10), Inches(1)).text_frame
        frame.word_wrap = True
        for look, text in block:
            run = frame.paragraphs[0].add_run()
            run.text = f"{text} "
            if look == "struck":
                run.font._element.set("strike", "sngStrike")
    slide.notes_slide.notes_text_frame.text = _words(chance)
    model.beside.append(slide.notes_slide.notes_text_frame.text)
    deck.save(str(path))
    return model


_HTML = {
    "struck": ("<s>{} </s>", '<span style="text-decoration: line-through">{} </span>', '<span class="gone">{} </span>'),
    "hidden": ('<span style="display:none">{} </span>', "<span hidden>{} </span>", '<span style="color:#fff">{} </span>'),
    "deleted": ("<del>{} </del>",),
    "inserted": ("<ins>{} </ins>",),
}


def _page(chance: random.Random, model: Model) -> str:
    body = ""
    for block in model.blocks:
        if isinstance(block[0], list):
            lines = ("".join(f"<td>{escape(text)}</td>" for text in line) for line in block)
            body += f"<table>{''.join(f'<tr>{line}</tr>' for line in lines)}</table>"
        else:
            body += f"<p>{''.join(_html_run(chance, look, escape(text)) for look, text in block)}</p>"
    return f"<html><head><style>.gone {{ text-decoration: line-through }}</style></head><body>{body}</body></html>"


def _html_run(chance: random.Random, look: str, text: str) -> str:
    base, _, note = text.rpartition(" ")
    return f"{base}<sup>{note}</sup> " if look == "raised" else chance.choice(_HTML.get(look, ("{} ",))).format(text)


def _html(chance: random.Random, path: Path) -> Model:
    model = _model(chance)
    path.write_text(_page(chance, model), encoding="utf-8")
    return model


_RTF = {
    "struck": r"{\strike %s }", "hidden": r"{\v %s }", "deleted": r"{\deleted %s }", "inserted": r"{\revised %s }",
}  # fmt: skip


def _rtf_run(look: str, text: str) -> str:
    base, _, note = text.rpartition(" ")
    return rf"{base}{{\super {note}}} " if look == "raised" else _RTF.get(look, "%s ") % text


def _rtf(chance: random.Random, path: Path) -> Model:
    model, body = _model(chance), ""
    for block in model.blocks:
        if isinstance(block[0], list):
            for line in block:
                ends = "".join(rf"\cellx{2500 * (n + 1)}" for n in range(len(line)))
                body += rf"\trowd{ends}\pard\intbl " + "".join(rf"{text}\cell " for text in line) + r"\row "
            body += r"\pard "
        else:
            body += "".join(_rtf_run(look, text) for look, text in block) + r"\par "
    path.write_text(rf"{{\rtf1\ansi {body}}}", encoding="ascii")
    return model


def _eml(chance: random.Random, path: Path) -> Model:
    model = _model(chance)
    subject = _words(chance)
    message = EmailMessage()
    message["From"], message["Subject"] = "ann@birch.example", subject
    live = "\n".join(" ".join(t for t in ([x[1]] if isinstance(x, tuple) else x)) for b in model.blocks for x in b)
    message.set_content(live)
    message.add_alternative(_page(chance, model), subtype="html")
    if any(isinstance(x, tuple) and x[0] == "hidden" for b in model.blocks for x in b) and not any(
        isinstance(x, tuple) and x[0] in ("struck", "deleted") for b in model.blocks for x in b
    ):
        message.clear_content()
        message.set_content(_page(chance, model), subtype="html")
    path.write_bytes(message.as_bytes())
    model.first = ["From: ann@birch.example", f"Subject: {subject}"]
    return model


def _pdf(chance: random.Random, path: Path) -> Model:
    model, document = Model(), pymupdf.open()
    for _ in range(chance.randint(1, 2)):
        page, y = document.new_page(), 72.0
        for _ in range(chance.randint(3, 12)):
            look, text = chance.choice(("live", "live", "live", "struck", "hidden")), _words(chance)
            page.insert_text((72, y), text, fontsize=11)
            box = pymupdf.Rect(72, y - 9, 72 + pymupdf.get_text_length(text, fontsize=11), y + 3)
            if look == "struck":
                page.draw_line((box.x0, y - 3.5), (box.x1, y - 3.5))
            elif look == "hidden":
                page.draw_rect(
                    (box.x0 - 1, box.y0 - 1, box.x1 + 1, box.y1 + 1), color=None, fill=chance.choice(((0, 0, 0), (1, 1, 1)))
                )
            model.blocks.append([(look, text)])
            y += 26
    document.save(path)
    return model


_MAKERS: dict[str, Callable[[random.Random, Path], Model]] = {
    "docx": _docx, "xlsx": _xlsx, "pptx": _pptx, "html": _html, "rtf": _rtf, "eml": _eml, "pdf": _pdf,
}  # fmt: skip
KINDS = tuple(_MAKERS)


def make(kind: str, chance: random.Random, path: Path) -> tuple[Model, Path]:
    return _MAKERS[kind](chance, path), path
