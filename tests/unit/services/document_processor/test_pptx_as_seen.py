"""Presentations as a person sees them: alternates, groups, notes, hidden shapes, struck words, charts, the Strict notation."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

from lxml import etree
from pptx import Presentation
from pptx.chart.data import CategoryChartData
from pptx.dml.color import RGBColor
from pptx.enum.chart import XL_CHART_TYPE
from pptx.oxml import parse_xml
from pptx.util import Inches

from orderly.services.document_processor import DocumentProcessor

MC = "http://schemas.openxmlformats.org/markup-compatibility/2006"


def deck() -> tuple[Any, Any]:
    made = Presentation()
    return made, made.slides.add_slide(made.slide_layouts[6])


def box(shapes: Any, words: str) -> Any:
    shape = shapes.add_textbox(0, 0, 10, 10)
    shape.text_frame.text = words
    return shape


def alternated(shape: Any) -> None:
    """Puts a shape into an mc:AlternateContent, with a copy as its fallback."""
    element = shape._element
    parent, at = element.getparent(), element.getparent().index(element)
    node = parse_xml(
        f'<mc:AlternateContent xmlns:mc="{MC}" xmlns:a14="http://schemas.microsoft.com/office/drawing/2010/main">'
        '<mc:Choice Requires="a14"/><mc:Fallback/></mc:AlternateContent>'
    )
    parent.insert(at, node)
    fallback = etree.fromstring(etree.tostring(element))
    node[0].append(element)
    node[1].append(fallback)


async def test_alternates_are_read_once_also_in_groups(processor: DocumentProcessor, tmp_path: Path) -> None:
    made, slide = deck()
    box(slide.shapes, "Terms")
    alternated(box(slide.shapes, "The price is $4.2 million"))
    group = slide.shapes.add_group_shape()
    inner = group.shapes.add_group_shape()
    alternated(box(inner.shapes, "Deep in groups"))
    made.save(tmp_path / "a.pptx")
    extracted = await processor.extract(tmp_path / "a.pptx", "a.pptx")
    assert extracted.text == "Terms\n\nThe price is $4.2 million\n\nDeep in groups"


async def test_hidden_shapes_and_struck_words_are_kept_apart(processor: DocumentProcessor, tmp_path: Path) -> None:
    made, slide = deck()
    shape = box(slide.shapes, "Pay ")
    run = shape.text_frame.paragraphs[0].add_run()
    run.text = "$10 "
    run._r.get_or_add_rPr().set("strike", "sngStrike")
    shape.text_frame.paragraphs[0].add_run().text = "$12"
    box(slide.shapes, "Off")._element.nvSpPr.cNvPr.set("hidden", "1")
    made.save(tmp_path / "a.pptx")
    extracted = await processor.extract(tmp_path / "a.pptx", "a.pptx")
    assert extracted.text == "Pay $12"
    assert extracted.details["hidden_text"] == [{"page": 1, "text": "Off"}]
    struck = {"kind": "struck", "author": "", "date": "", "text": "$10 ", "place": "slide 1"}
    assert extracted.details["tracked_changes"] == [struck]
    assert any("slide 1" in note for note in extracted.notes)


async def test_notes_in_boxes_of_their_own_are_notes(processor: DocumentProcessor, tmp_path: Path) -> None:
    made, slide = deck()
    slide.notes_slide.notes_text_frame.text = "Say it slowly"
    page = slide.notes_slide.shapes
    copy = etree.fromstring(etree.tostring(box(slide.shapes, "Then pause")._element))
    page._spTree.append(parse_xml(etree.tostring(copy)))
    made.save(tmp_path / "a.pptx")
    extracted = await processor.extract(tmp_path / "a.pptx", "a.pptx")
    assert extracted.text == "Then pause\n\n[Notes]\nSay it slowly\nThen pause"


async def test_charts_show_titles_axes_and_whole_figures(processor: DocumentProcessor, tmp_path: Path) -> None:
    made, slide = deck()
    data = CategoryChartData(number_format="#,##0")
    data.categories = ["2025", "2026"]
    data.add_series("Fees", (1250000, 1300001))
    chart = slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, 0, 0, Inches(3), Inches(3), data).chart
    chart.chart_title.text_frame.text = "Fees by year"
    chart.value_axis.axis_title.text_frame.text = "Dollars"
    made.save(tmp_path / "a.pptx")
    extracted = await processor.extract(tmp_path / "a.pptx", "a.pptx")
    assert extracted.text == "Fees by year\n\t2025\t2026\nFees\t1,250,000\t1,300,001\nDollars"


async def test_presentations_of_the_strict_notation_are_read(processor: DocumentProcessor, tmp_path: Path) -> None:
    made, slide = deck()
    box(slide.shapes, "Strictly")
    made.save(tmp_path / "a.pptx")
    usual, strict = "http://schemas.openxmlformats.org/{}/2006/", "http://purl.oclc.org/ooxml/{}/"
    with zipfile.ZipFile(tmp_path / "a.pptx") as old, zipfile.ZipFile(tmp_path / "b.pptx", "w") as new:
        for name in old.namelist():
            data = old.read(name)
            if name.endswith((".xml", ".rels")) and name != "[Content_Types].xml":
                for kind in ("presentationml", "officeDocument", "drawingml"):
                    data = data.replace(usual.format(kind).encode(), strict.format(kind).encode())
            new.writestr(name, data)
    assert (await processor.extract(tmp_path / "b.pptx", "b.pptx")).text == "Strictly"


async def test_words_beside_the_slide_and_white_ones_on_white_are_kept_apart(
    processor: DocumentProcessor, tmp_path: Path
) -> None:
    made, slide = deck()
    box(slide.shapes, "Seen")
    box(slide.shapes, "Far away").left = Inches(-9)
    box(slide.shapes, "Pale").text_frame.paragraphs[0].runs[0].font.color.rgb = RGBColor(255, 255, 255)
    dark = made.slides.add_slide(made.slide_layouts[6])
    shape = box(dark.shapes, "White on blue")
    shape.text_frame.paragraphs[0].runs[0].font.color.rgb = RGBColor(255, 255, 255)
    shape.fill.solid()
    made.save(tmp_path / "a.pptx")
    extracted = await processor.extract(tmp_path / "a.pptx", "a.pptx")
    assert extracted.text == "Seen\nWhite on blue"
    assert extracted.details["hidden_text"] == [{"page": 1, "text": "Far away"}, {"page": 1, "text": "Pale"}]


async def test_words_of_the_layout_are_on_each_slide(processor: DocumentProcessor, tmp_path: Path) -> None:
    made, slide = deck()
    box(slide.shapes, "Body")
    words = box(slide.shapes, "Privileged")._element
    made.slide_layouts[6].shapes._spTree.append(words)
    plain = made.slides.add_slide(made.slide_layouts[6])
    plain._element.set("showMasterSp", "0")
    box(plain.shapes, "Bare")
    made.save(tmp_path / "a.pptx")
    extracted = await processor.extract(tmp_path / "a.pptx", "a.pptx")
    assert extracted.text == "Body\n\n[Layout]\nPrivileged\nBare"


async def test_paragraphs_of_a_slide_have_their_automatic_numbers(processor: DocumentProcessor, tmp_path: Path) -> None:
    made, slide = deck()
    frame = slide.shapes.add_textbox(0, 0, 10, 10).text_frame
    for words, level, form, start in (
        ("Scope", 0, "arabicPeriod", ""),
        ("Goods", 1, "alphaLcParenBoth", "3"),
        ("Services", 1, "alphaLcParenBoth", "3"),
        ("Term", 0, "arabicPeriod", ""),
        ("Plain", 0, "", ""),
        ("Anew", 0, "arabicPeriod", ""),
        ("Later", 0, "romanUcPlain", "4"),
    ):
        paragraph = frame.add_paragraph()
        paragraph.text, paragraph.level = words, level
        if form:
            starts = f' startAt="{start}"' if start else ""
            drawing = "http://schemas.openxmlformats.org/drawingml/2006/main"
            paragraph._p.get_or_add_pPr().append(parse_xml(f'<a:buAutoNum xmlns:a="{drawing}" type="{form}"{starts}/>'))
    made.save(str(tmp_path / "a.pptx"))
    extracted = await processor.extract(tmp_path / "a.pptx", "a.pptx")
    assert extracted.text.split("\n") == ["1. Scope", "(c) Goods", "(d) Services", "2. Term", "Plain", "1. Anew", "IV Later"]
