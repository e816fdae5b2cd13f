"""Word files as a person sees them: fields, forms, styles, imported files, watermarks, rows, notes and drawings."""

from __future__ import annotations

import zipfile
from pathlib import Path

import openpyxl
import pytest
from pptx import Presentation

from orderly.services.document_processor import DocumentProcessor
from orderly.services.documents.health import incomplete_because
from support.office_parts import cell, code, field, mark, p, part, r, row, word_file

STYLES = part(
    "w:styles",
    """<w:style w:type="paragraph" w:default="1" w:styleId="Normal"/>
    <w:style w:type="paragraph" w:styleId="Guidance"><w:basedOn w:val="Normal"/><w:rPr><w:vanish/></w:rPr></w:style>
    <w:style w:type="paragraph" w:styleId="Removed"><w:rPr><w:strike/></w:rPr></w:style>
    <w:style w:type="table" w:styleId="Void"><w:rPr><w:strike/></w:rPr></w:style>
    <w:style w:type="character" w:styleId="Draft"><w:rPr><w:vanish/></w:rPr></w:style>
    <w:style w:type="character" w:styleId="DraftSmall"><w:basedOn w:val="Draft"/></w:style>
    <w:style w:type="character" w:styleId="Gone"><w:rPr><w:dstrike/></w:rPr></w:style>
    <w:style w:type="character" w:styleId="Struck"><w:rPr><w:strike/></w:rPr></w:style>
    <w:style w:type="character" w:styleId="Pale"><w:rPr><w:color w:val="FFFFFF"/></w:rPr></w:style>
    <w:style w:type="character" w:styleId="Raised"><w:rPr><w:vertAlign w:val="superscript"/></w:rPr></w:style>""",
)


async def test_only_the_result_of_the_outer_field_is_text(processor: DocumentProcessor, tmp_path: Path) -> None:
    inner = field(" MERGEFIELD State ", r("NSW"))
    condition = mark("begin") + code(' IF "') + inner + code('" = "NSW" "seven" "')
    body = p(r("The period is "), condition + field(" MERGEFIELD Longer ", r("ninety")) + code('" ') + mark("separate"))
    body += p(r("seven (7)") + mark("end") + r(" days."))
    body += p(r("Set "), field(' SET Cap "9" ', r("9")), mark("begin") + code(" MACROBUTTON None [Name] ") + mark("end"))
    body += p(mark("begin") + r("A mark without end hides nothing."))
    extracted = await processor.extract(word_file(tmp_path / "a", body), "a.docx")
    assert extracted.text == "The period is\n\nseven (7) days.\n\nSet [Name]\n\nA mark without end hides nothing."


async def test_ticks_and_choices_of_forms_are_text(processor: DocumentProcessor, tmp_path: Path) -> None:
    ticked = "<w:ffData><w:checkBox><w:default w:val='0'/><w:checked/></w:checkBox></w:ffData>"
    empty = "<w:ffData><w:checkBox><w:default w:val='1'/><w:checked w:val='0'/></w:checkBox></w:ffData>"
    choice = "<w:ffData><w:ddList><w:result w:val='1'/><w:listEntry w:val='A'/><w:listEntry w:val='B'/></w:ddList></w:ffData>"
    control = "<w:sdt><w:sdtPr><w14:checkbox><w14:checked w14:val='{}'/></w14:checkbox></w:sdtPr><w:sdtContent/></w:sdt>"
    listed = (
        "<w:sdt><w:sdtPr><w:dropDownList w:lastValue='v'><w:listItem w:displayText='Victoria' w:value='v'/></w:dropDownList>"
        "</w:sdtPr><w:sdtContent/></w:sdt>"
    )
    body = p(field(" FORMCHECKBOX ", data=ticked), r(" Yes")) + p(field(" FORMCHECKBOX ", data=empty), r(" No"))
    body += p(r("List: "), field(" FORMDROPDOWN ", data=choice))
    body += p(control.format("1"), r(" In"), control.format("0"), r(" Out")) + p(r("Law: "), listed)
    extracted = await processor.extract(word_file(tmp_path / "a", body), "a.docx")
    assert extracted.text == "☒ Yes\n\n☐ No\n\nList: B\n\n☒ In☐ Out\n\nLaw: Victoria"


async def test_struck_words_are_kept_apart_and_listed_with_their_place(processor: DocumentProcessor, tmp_path: Path) -> None:
    body = p(r("Pay within "), r("fourteen", "<w:strike/>"), r(" (14) ", '<w:dstrike w:val="1"/>'), r("sixty days."))
    body += p(r("Four"), r(" or five", '<w:rStyle w:val="Gone"/>'), r(" per cent", '<w:strike w:val="0"/>'))
    body += p(r("No assignment."), properties='<w:pStyle w:val="Removed"/>')
    body += p(r("Live.", '<w:rStyle w:val="Struck"/>'), properties='<w:pStyle w:val="Removed"/>')
    extracted = await processor.extract(word_file(tmp_path / "a", body, {"styles styles.xml": STYLES}), "a.docx")
    assert extracted.text == "Pay within sixty days.\n\nFour per cent\n\nLive."
    struck = extracted.details["tracked_changes"]
    assert isinstance(struck, list)
    assert [(one["kind"], one["text"]) for one in struck] == [
        ("struck", "fourteen (14) "),
        ("struck", " or five"),
        ("struck", "No assignment."),
    ]
    assert extracted.text[struck[1]["at"] :].startswith("Four")
    assert extracted.notes == ("Struck-out words were found 3 times and kept out of the text.",)


async def test_text_hidden_by_a_style_is_kept_apart(processor: DocumentProcessor, tmp_path: Path) -> None:
    body = p(
        r("The cap is $1"), r(" [or $2]", '<w:rStyle w:val="DraftSmall"/>'), r("."), r("White", '<w:rStyle w:val="Pale"/>')
    )
    body += p(r("Guidance."), r("Shown.", '<w:vanish w:val="0"/>'), properties='<w:pStyle w:val="Guidance"/>')
    body += f"<w:tbl>{row(cell('A'), cell('B'))}{row(cell('Secret'), cell('C'), properties='<w:hidden/>')}</w:tbl>"
    extracted = await processor.extract(word_file(tmp_path / "a", body, {"styles styles.xml": STYLES}), "a.docx")
    assert extracted.text == "The cap is $1.\n\nShown.\n\nA\tB"
    assert extracted.details["hidden_text"] == ["[or $2]", "White", "Guidance.", "Secret\tC"]


async def test_a_table_style_strikes_its_words(processor: DocumentProcessor, tmp_path: Path) -> None:
    style = '<w:tblPr><w:tblStyle w:val="Void"/></w:tblPr>'
    body = f"<w:tbl>{style}{row(cell('Old'), cell('fee'))}</w:tbl>" + p(r("Live."))
    extracted = await processor.extract(word_file(tmp_path / "a", body, {"styles styles.xml": STYLES}), "a.docx")
    assert extracted.text == "Live."
    assert extracted.notes == ("Struck-out words were found 2 times and kept out of the text.",)


async def test_word_does_not_number_a_hidden_paragraph(processor: DocumentProcessor, tmp_path: Path) -> None:
    level = '<w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl>'
    lists = f'<w:abstractNum w:abstractNumId="0">{level}</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>'
    listed = '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>'
    body = p(r("One."), properties=listed) + p(r("Hidden."), properties=f'<w:pStyle w:val="Guidance"/>{listed}')
    body += (
        p(r("Two."), properties=listed) + p(r("Struck.", "<w:strike/>"), properties=listed) + p(r("Four."), properties=listed)
    )
    parts = {"styles styles.xml": STYLES, "numbering numbering.xml": part("w:numbering", lists)}
    extracted = await processor.extract(word_file(tmp_path / "a", body, parts), "a.docx")
    assert extracted.text == "1. One.\n\n2. Two.\n\n4. Four."


async def test_a_raised_number_is_no_digit_of_the_sum_before_it(processor: DocumentProcessor, tmp_path: Path) -> None:
    raised = '<w:vertAlign w:val="superscript"/>'
    body = p(
        r("$5,000"), r("12", raised), r(" for 500 m"), r("2", '<w:rStyle w:val="Raised"/>'), r(" on the 1"), r("st", raised)
    )
    extracted = await processor.extract(word_file(tmp_path / "a", body, {"styles styles.xml": STYLES}), "a.docx")
    assert extracted.text == "$5,000¹² for 500 m² on the 1st"


CHUNKS = {
    "html": b"<html><body><h1>2. Cap</h1><p>Capped at $750.</p><p style='display:none'>Unseen.</p></body></html>",
    "rtf": rb"{\rtf1 Capped at $750.\par}",
    "txt": b"Capped at $750.",
    "mht": b'MIME-Version: 1.0\r\nContent-Type: text/html; charset="utf-8"\r\n\r\n<p>Capped at $750.</p>',
}


@pytest.mark.parametrize("kind", [*CHUNKS, "docx", "xyz"])
async def test_an_imported_file_is_read_in_its_place_or_told(processor: DocumentProcessor, tmp_path: Path, kind: str) -> None:
    inner = word_file(tmp_path / "inner", p(r("Capped at $750.")) + p(r("Old", "<w:strike/>"))).read_bytes()
    content = CHUNKS.get(kind) or (inner if kind == "docx" else b"\x00\x01")
    path = word_file(
        tmp_path / "a",
        p(r("1. First.")) + '<w:altChunk r:id="rId1"/>' + p(r("4. Last.")),
        {f"aFChunk chunk.{kind}": content},
    )
    extracted = await processor.extract(path, "a.docx")
    if kind == "xyz":
        assert incomplete_because(extracted) == ("an imported file in it could not be read",)
        return
    first, *middle, last = extracted.text.split("\n\n")
    assert (first, middle[-1], last) == ("1. First.", "Capped at $750.", "4. Last.")
    if kind == "html":
        assert extracted.details["hidden_text"] == ["Unseen."]
        assert [extracted.text[one.start : one.end] for one in extracted.headings] == ["2. Cap"]
    if kind == "docx":
        assert extracted.details["tracked_changes"] == [{"kind": "struck", "author": "", "date": "", "text": "Old"}]


WATERMARK = '<w:pict><v:shapetype><v:textpath on="t"/></v:shapetype><v:shape id="PowerPlusWaterMarkObject1">' + (
    '<v:textpath string="WITHOUT PREJUDICE"/></v:shape></w:pict>'
)


async def test_watermarks_and_word_art_are_text(processor: DocumentProcessor, tmp_path: Path) -> None:
    art = '<w:r><w:pict><v:shape><v:textpath string="COPY"/></v:shape></w:pict></w:r>'
    header = part("w:hdr", p(f"<w:r>{WATERMARK}</w:r>"))
    body = p(r("We offer."), art) + '<w:sectPr><w:headerReference w:type="default" r:id="rId1"/></w:sectPr>'
    extracted = await processor.extract(word_file(tmp_path / "a", body, {"header header1.xml": header}), "a.docx")
    assert extracted.text == "We offer.\n\n[WordArt]\nCOPY\n\n[Headers]\n\n[Watermark]\nWITHOUT PREJUDICE"


async def test_headers_that_are_switched_off_are_kept_apart(processor: DocumentProcessor, tmp_path: Path) -> None:
    headers = {f"header header{n}.xml": part("w:hdr", p(r(f"Header {n}"))) for n in (1, 2, 3, 4)}
    references = "".join(
        f'<w:headerReference w:type="{kind}" r:id="rId{n}"/>' for n, kind in enumerate(("default", "first", "even"), 1)
    )
    body = p(r("Text."), properties=f"<w:sectPr>{references}</w:sectPr>")
    shown = await processor.extract(word_file(tmp_path / "a", body + "<w:sectPr><w:titlePg/></w:sectPr>", headers), "a.docx")
    assert shown.text == "Text.\n\n[Headers]\n\nHeader 1\n\nHeader 2"
    assert shown.details["hidden_text"] == ["Header 3", "Header 4"]
    assert any("switched off" in note for note in shown.notes)


async def test_cells_stand_in_their_columns(processor: DocumentProcessor, tmp_path: Path) -> None:
    inner = f"<w:tbl>{row(cell('x'), cell('y'))}{row(cell('z'), cell('w'))}</w:tbl>"
    body = "<w:tbl>" + "".join(
        (
            row(cell("Party"), cell("Fixed"), cell("Success")),
            row(cell("$30"), properties='<w:gridBefore w:val="2"/>'),
            row(cell("Total", '<w:gridSpan w:val="2"/>'), cell("$50")),
            row(cell("In"), cell(inner + p(r("after"))), cell("Out")),
            "</w:tbl>",
        )
    )
    extracted = await processor.extract(word_file(tmp_path / "a", body), "a.docx")
    assert extracted.text == "Party\tFixed\tSuccess\n\t\t$30\nTotal\t\t$50\nIn\nx\ty\nz\tw\nafter\nOut"


def note_reference(number: int, kind: str = "footnote", more: str = "") -> str:
    return f'<w:r><w:{kind}Reference w:id="{number}" {more}/></w:r>'


async def test_notes_are_numbered_as_word_numbers_them(processor: DocumentProcessor, tmp_path: Path) -> None:
    notes = "".join(f'<w:footnote w:id="{n}">{p(r(f"Note {n}"))}</w:footnote>' for n in range(1, 5))
    settings = part("w:settings", '<w:footnotePr><w:numStart w:val="5"/></w:footnotePr>')
    second = (
        '<w:footnotePr><w:numFmt w:val="lowerRoman"/><w:numStart w:val="1"/><w:numRestart w:val="eachSect"/></w:footnotePr>'
    )
    custom = note_reference(4, more='w:customMarkFollows="1"')
    body = p(r("A"), note_reference(1), r(" B"), custom, r("*")) + p(r("C"), note_reference(2), properties="<w:sectPr/>")
    body += p(r("D"), note_reference(3), properties=f"<w:sectPr>{second}</w:sectPr>") + "<w:sectPr/>"
    parts = {"footnotes footnotes.xml": part("w:footnotes", notes), "settings settings.xml": settings}
    extracted = await processor.extract(word_file(tmp_path / "a", body, parts), "a.docx")
    assert extracted.text == "A[5] B*\n\nC[6]\n\nD[i]\n\n[Footnotes]\n\n[5] Note 1\n\nNote 4\n\n[6] Note 2\n\n[i] Note 3"


def box(words: str) -> str:
    return f"<w:txbxContent>{p(r(words))}</w:txbxContent>"


async def test_of_alternates_one_form_is_read(processor: DocumentProcessor, tmp_path: Path) -> None:
    fallback = f"<mc:Fallback><w:pict><v:textbox>{box('Once')}</v:textbox></w:pict></mc:Fallback>"
    known = f'<mc:Choice Requires="wps"><wps:txbx>{box("Once")}</wps:txbx></mc:Choice>'
    again = f'<mc:Choice Requires="w14">{box("Once")}</mc:Choice>'
    unknown = '<mc:Choice Requires="z" xmlns:z="urn:later"><w:t>Later</w:t></mc:Choice>'
    body = p(r("One."), f"<w:r><mc:AlternateContent>{known}{again}{fallback}</mc:AlternateContent></w:r>")
    body += p(f"<w:r><mc:AlternateContent>{unknown}<mc:Fallback><w:t>Now.</w:t></mc:Fallback></mc:AlternateContent></w:r>")
    block = f'<mc:Choice Requires="w14">{p(r("Block."))}</mc:Choice><mc:Fallback>{p(r("Block."))}</mc:Fallback>'
    body += f"<mc:AlternateContent>{block}</mc:AlternateContent>"
    body += p(f'<w:r><w:drawing><wp:anchor><wp:docPr id="1" hidden="1"/>{box("Off")}</wp:anchor></w:drawing></w:r>')
    body += p("<w:r><w:drawing><a:txBody><a:p><a:r><a:t>Drawn</a:t></a:r></a:p></a:txBody></w:drawing></w:r>")
    extracted = await processor.extract(word_file(tmp_path / "a", body), "a.docx")
    assert extracted.text == "One.\n\n[Text box]\nOnce\n\nNow.\n\nBlock.\n\n[Text box]\nDrawn"
    assert extracted.details["hidden_text"] == ["Off"]


def chart() -> str:
    def title(words: str) -> str:
        return f"<c:title><c:tx><c:rich><a:p><a:r><a:t>{words}</a:t></a:r></a:p></c:rich></c:tx></c:title>"

    cached = '<c:cat><c:strRef><c:strCache><c:pt idx="0"><c:v>2025</c:v></c:pt></c:strCache></c:strRef></c:cat>'
    values = '<c:numCache><c:formatCode>#,##0</c:formatCode><c:pt idx="0"><c:v>1250000</c:v></c:pt></c:numCache>'
    series = f"<c:ser><c:tx><c:v>Fees</c:v></c:tx>{cached}<c:val><c:numRef>{values}</c:numRef></c:val></c:ser>"
    axis = f"<c:valAx>{title('Dollars')}</c:valAx>"
    area = f"<c:plotArea><c:barChart>{series}</c:barChart>{axis}</c:plotArea>"
    return part("c:chartSpace", f"<c:chart>{title('Fees by year')}{area}</c:chart>")


async def test_charts_and_smart_art_are_text_and_missing_ones_are_told(processor: DocumentProcessor, tmp_path: Path) -> None:
    smart = part(
        "dgm:dataModel", "<dgm:ptLst><dgm:pt><dgm:t><a:p><a:r><a:t>Step one</a:t></a:r></a:p></dgm:t></dgm:pt></dgm:ptLst>"
    )
    body = p(r("See."), '<w:r><w:drawing><c:chart r:id="rId1"/></w:drawing></w:r>')
    body += p('<w:r><w:drawing><dgm:relIds r:dm="rId2"/></w:drawing></w:r>')
    body += p('<w:r><w:drawing><c:chart r:id="rId9"/></w:drawing></w:r>')
    parts = {"chart charts/chart1.xml": chart(), "diagramData diagrams/data1.xml": smart}
    extracted = await processor.extract(word_file(tmp_path / "a", body, parts), "a.docx")
    assert extracted.text == ("See.\n\n[Chart]\nFees by year\n\t2025\nFees\t1,250,000\nDollars\n\n[Diagram]\nStep one")
    assert incomplete_because(extracted) == ("a drawing in it could not be read",)


async def test_chunks_that_import_each_other_end(processor: DocumentProcessor, tmp_path: Path) -> None:
    content = b"Deepest."
    for depth in range(6):
        kind = "txt" if depth == 0 else "docx"
        body = p(r(f"Level {depth}.")) + '<w:altChunk r:id="rId1"/>'
        content = word_file(tmp_path / f"{depth}", body, {f"aFChunk chunk.{kind}": content}).read_bytes()
    path = tmp_path / "whole"
    path.write_bytes(content)
    assert zipfile.is_zipfile(path)
    extracted = await processor.extract(path, "a.docx")
    assert "Level 3." in extracted.text and "Deepest" not in extracted.text
    assert incomplete_because(extracted) == ("an imported file in it could not be read",)


@pytest.mark.parametrize("kind", ["docx", "xlsx", "pptx"])
async def test_parts_named_with_backslashes_are_found(processor: DocumentProcessor, tmp_path: Path, kind: str) -> None:
    path = tmp_path / "usual"
    if kind == "docx":
        word_file(path, p(r("The lease commences.")))
    elif kind == "xlsx":
        book = openpyxl.Workbook()
        assert book.active is not None
        book.active["A1"] = "The lease commences."
        book.save(path)
    else:
        deck = Presentation()
        deck.slides.add_slide(deck.slide_layouts[5]).shapes.title.text = "The lease commences."
        deck.save(str(path))
    with zipfile.ZipFile(path) as usual, zipfile.ZipFile(tmp_path / "odd", "w") as odd:
        for name in usual.namelist():
            odd.writestr(name.replace("/", "\\"), usual.read(name))
    extracted = await processor.extract(tmp_path / "odd", f"a.{kind}")
    assert extracted.text.endswith("The lease commences.")
