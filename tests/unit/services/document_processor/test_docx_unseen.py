"""Words of Word files that a person does not see as they are stored: moved and deleted ones, blacked out, formulas."""

from __future__ import annotations

from pathlib import Path

import pytest

from orderly.models import Extracted
from orderly.services.document_processor import DocumentProcessor
from support.office_parts import cell, p, part, r, row, word_file


async def read(processor: DocumentProcessor, folder: Path, body: str, parts: dict[str, str | bytes] | None = None) -> Extracted:
    return await processor.extract(word_file(folder / "a", body, parts), "a.docx")


def changes(extracted: Extracted) -> list[tuple[str, str]]:
    found = extracted.details.get("tracked_changes", [])
    assert isinstance(found, list)
    return [(change["kind"], change["text"]) for change in found]


async def test_paragraphs_that_were_moved_stand_once(processor: DocumentProcessor, tmp_path: Path) -> None:
    moved = p(r("The moved clause."))
    body = f'<w:moveFrom w:author="A">{moved}</w:moveFrom>{p(r("Middle."))}<w:moveTo w:author="A">{moved}</w:moveTo>'
    extracted = await read(processor, tmp_path, body)
    assert extracted.text == "Middle.\n\nThe moved clause."
    assert changes(extracted) == [("move away", "The moved clause.")]


async def test_a_cell_whose_deletion_is_tracked_is_empty(processor: DocumentProcessor, tmp_path: Path) -> None:
    deleted = cell("Old sum", '<w:cellDel w:author="A"/>')
    extracted = await read(processor, tmp_path, f"<w:tbl>{row(cell('Rent'), deleted, cell('$900'))}</w:tbl>")
    assert extracted.text == "Rent\t\t$900"
    assert changes(extracted) == [("deletion", "Old sum")]


@pytest.mark.parametrize(
    "look",
    [
        '<w:color w:val="FEFEFE"/>',
        '<w:color w:val="auto" w:themeColor="background1"/>',
        '<w:highlight w:val="black"/>',
        '<w:color w:val="C00000"/><w:shd w:val="clear" w:fill="C00000"/>',
    ],
)
async def test_letters_of_the_colour_of_their_ground_are_hidden(
    processor: DocumentProcessor, tmp_path: Path, look: str
) -> None:
    extracted = await read(processor, tmp_path, p(r("The informant is "), r("Ann Lee", look), r(" of Perth.")))
    assert (extracted.text, extracted.details["hidden_text"]) == ("The informant is  of Perth.", ["Ann Lee"])


@pytest.mark.parametrize(
    "look",
    [
        '<w:shd w:val="clear" w:fill="000000"/>',
        '<w:color w:val="FFFFFF"/><w:highlight w:val="black"/>',
        '<w:color w:val="D9D9D9" w:themeColor="background1" w:themeShade="D9"/>',
    ],
)
async def test_letters_that_differ_from_their_ground_stay(processor: DocumentProcessor, tmp_path: Path, look: str) -> None:
    assert (await read(processor, tmp_path, p(r("Seen", look)))).text == "Seen"


async def test_text_hidden_by_default_is_kept_apart(processor: DocumentProcessor, tmp_path: Path) -> None:
    hidden = "<w:docDefaults><w:rPrDefault><w:rPr><w:vanish/></w:rPr></w:rPrDefault></w:docDefaults>"
    body = p(r("Base. "), r("Shown.", '<w:vanish w:val="0"/>'))
    extracted = await read(processor, tmp_path, body, {"styles styles.xml": part("w:styles", hidden)})
    assert (extracted.text, extracted.details["hidden_text"]) == ("Shown.", ["Base."])


async def test_a_simple_field_that_sets_a_bookmark_shows_nothing(processor: DocumentProcessor, tmp_path: Path) -> None:
    fields = '<w:fldSimple w:instr=" SET Cap 9 ">{}</w:fldSimple><w:fldSimple w:instr=" REF Cap ">{}</w:fldSimple>'
    extracted = await read(processor, tmp_path, p(r("Cap: "), fields.format(r("nine"), r("9"))))
    assert extracted.text == "Cap: 9"


async def test_a_number_raised_by_its_position_is_no_digit_of_a_sum(processor: DocumentProcessor, tmp_path: Path) -> None:
    extracted = await read(processor, tmp_path, p(r("$5,000"), r("12", '<w:position w:val="6"/>'), r(" due")))
    assert extracted.text == "$5,000¹² due"


async def test_formulas_are_written_in_one_line(processor: DocumentProcessor, tmp_path: Path) -> None:
    name = "http://schemas.openxmlformats.org/officeDocument/2006/math"
    half = "<m:f><m:num><m:r><m:t>1</m:t></m:r></m:num><m:den><m:r><m:t>n+2</m:t></m:r></m:den></m:f>"
    square = "<m:sSup><m:e><m:r><m:t>r</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup>"
    root = "<m:rad><m:deg/><m:e><m:r><m:t>x</m:t></m:r></m:e></m:rad>"
    body = p(r("R = "), f'<m:oMath xmlns:m="{name}">{half}<m:r><m:t>·</m:t></m:r>{square}{root}</m:oMath>')
    assert (await read(processor, tmp_path, body)).text == "R = 1/(n+2)·r²√(x)"


async def test_struck_words_of_a_diagram_are_kept_apart(processor: DocumentProcessor, tmp_path: Path) -> None:
    words = '<a:p><a:r><a:t>Stay</a:t></a:r><a:r><a:rPr strike="sngStrike"/><a:t>Go</a:t></a:r></a:p>'
    body = p(r("See."), '<w:r><w:drawing><dgm:relIds r:dm="rId1"/></w:drawing></w:r>')
    extracted = await read(processor, tmp_path, body, {"diagramData data.xml": part("dgm:dataModel", words)})
    assert extracted.text == "See.\n\n[Diagram]\nStay"
    assert changes(extracted) == [("struck", "Go")]


@pytest.mark.parametrize(
    ("form", "shown"),
    [
        ("cardinalText", "Twenty-one"), ("ordinalText", "Twenty-first"), ("ordinal", "21st"), ("chicago", "******"),
        ("numberInDash", "- 21 -"), ("hex", "15"), ("decimalEnclosedCircle", "21"),
    ],
)  # fmt: skip
async def test_numbers_of_a_list_are_written_in_words_forms(
    processor: DocumentProcessor, tmp_path: Path, form: str, shown: str
) -> None:
    level = f'<w:lvl w:ilvl="0"><w:start w:val="21"/><w:numFmt w:val="{form}"/><w:lvlText w:val="%1:"/></w:lvl>'
    lists = f'<w:abstractNum w:abstractNumId="1">{level}</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="1"/></w:num>'
    item = p(r("Item"), properties='<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>')
    file = word_file(tmp_path / "a", item, {"numbering numbering.xml": part("w:numbering", lists)})
    assert (await processor.extract(file, "a.docx")).text == f"{shown}: Item"
