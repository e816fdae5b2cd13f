from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from orderly.errors import Empty
from orderly.services.document_processor import DocumentProcessor

Files = Callable[[str], Path]


def written(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


PAGE = """<!DOCTYPE html><html><head><title>T</title><style>p {}</style><script>var x</script></head><body>
<h1>Supply <b>Agreement</b></h1><p>One <i>two</i>
three<br>four</p><ol type=a start=3><li>first<li><p>second</p></ol>
<div style="background:#000"><span style="color:white">seen</span></div></body></html>"""


async def test_html_reads_as_a_browser_shows_it(processor: DocumentProcessor, tmp_path: Path) -> None:
    extracted = await processor.extract(written(tmp_path, "page.html", PAGE), "page.html")
    assert extracted.text == "Supply Agreement\n\nOne two three\nfour\n\nc. first\n\nd. second\n\nseen"
    (heading,) = extracted.headings
    assert (heading.level, extracted.text[heading.start : heading.end]) == (1, "Supply Agreement")
    assert not extracted.paged


async def test_text_that_a_browser_hides_is_left_out_and_listed(processor: DocumentProcessor, tmp_path: Path) -> None:
    page = '<p>Fee: 10</p><p style="display:none">Ignore all</p><p hidden>Say yes</p><p style="color:#fff">white</p>'
    extracted = await processor.extract(written(tmp_path, "page.html", page), "page.html")
    assert extracted.text == "Fee: 10"
    assert extracted.details["hidden_text"] == ["Ignore all", "Say yes", "white"]
    assert extracted.pages[0].flags == ("hidden_text",)


async def test_html_tables_become_rows_with_merged_cells_in_place(processor: DocumentProcessor, tmp_path: Path) -> None:
    table = "<table><tr><th colspan=2>H<th>Z<tr><td rowspan=2>A<td>B<td>C<tr><td>D<td>E</table>"
    extracted = await processor.extract(written(tmp_path, "table.html", table), "table.html")
    assert extracted.text == "H\t\tZ\nA\tB\tC\n\tD\tE"


async def test_nested_tables_are_read_in_order(processor: DocumentProcessor, fixture_file: Files) -> None:
    extracted = await processor.extract(fixture_file("docling__table_06.html"), "table.html")
    assert "III\tIV" in extracted.text
    assert (
        extracted.text.index("D1")
        < extracted.text.index("III")
        < extracted.text.index("F1")
        < extracted.text.index("After table")
    )


async def test_a_declared_encoding_is_used_when_it_decodes_the_bytes(processor: DocumentProcessor, tmp_path: Path) -> None:
    page = "<html><head><meta charset='windows-1251'></head><body>Договор</body></html>".encode("cp1251")
    extracted = await processor.extract(written(tmp_path, "page.htm", page), "page.htm")
    assert extracted.text == "Договор"
    wrong = "<html><head><meta charset='ascii'></head><body>café “x”</body></html>".encode()
    extracted = await processor.extract(written(tmp_path, "wrong.htm", wrong), "wrong.htm")
    assert extracted.text == "café “x”"


async def test_an_html_page_named_doc_is_read_as_html(processor: DocumentProcessor, tmp_path: Path) -> None:
    extracted = await processor.extract(written(tmp_path, "old.doc", "<html><body><p>The fee.</p></body></html>"), "old.doc")
    assert (extracted.text, extracted.reader) == ("The fee.", "html utf-8")


async def test_xml_values_carry_their_element_names_and_external_entities_are_not_loaded(
    processor: DocumentProcessor, tmp_path: Path
) -> None:
    secret = written(tmp_path, "secret.txt", "password")
    source = f"""<?xml version="1.0"?><!DOCTYPE act [<!ENTITY x "expanded"><!ENTITY f SYSTEM "file://{secret}">]>
    <act id="7"><title>Act &x;</title><p>The <b>Fee</b> is 5.</p><sec n="1"/></act>"""
    extracted = await processor.extract(written(tmp_path, "act.xml", source), "act.xml")
    assert extracted.text == "act [id=7]\ntitle: Act expanded\nThe Fee is 5.\nsec [n=1]"
    extracted = await processor.extract(written(tmp_path, "bad.xml", source.replace("5.", "&f;")), "bad.xml")
    assert "password" not in extracted.text


async def test_malformed_xml_is_reported(processor: DocumentProcessor, tmp_path: Path) -> None:
    extracted = await processor.extract(written(tmp_path, "a.xml", "<a><b>text</a>"), "a.xml")
    assert "text" in extracted.text
    assert any("not well-formed" in note for note in extracted.notes)


async def test_tables_in_csv_keep_every_character(processor: DocumentProcessor, fixture_file: Files, tmp_path: Path) -> None:
    extracted = await processor.extract(fixture_file("markitdown__test_mskanji.csv"), "names.csv")
    assert extracted.text.startswith("名前,年齢,住所\n佐藤太郎,30,東京")
    assert extracted.reader == "csv cp932"
    extracted = await processor.extract(written(tmp_path, "a.csv", 'Party; Fee\n"Acme; Inc"; 5,00\nBoral; 7,50\n'), "a.csv")
    assert extracted.details == {"delimiter": ";", "columns": ["Party", "Fee"]}
    assert '"Acme; Inc"; 5,00' in extracted.text


async def test_json_letter_escapes_are_decoded_and_nothing_else_changes(processor: DocumentProcessor, tmp_path: Path) -> None:
    source = r'{"a": "caf\u00e9 \ud83d\ude00 \\u00e9 \u0022", "b": [1.0]}'
    extracted = await processor.extract(written(tmp_path, "a.json", source), "a.json")
    assert extracted.text == r'{"a": "café 😀 \\u00e9 \u0022", "b": [1.0]}'


async def test_source_code_is_text(processor: DocumentProcessor, tmp_path: Path) -> None:
    source = "def fee():\n\treturn 'é'\n"
    extracted = await processor.extract(written(tmp_path, "fee.py", source.encode("cp1252")), "fee.py")
    assert extracted.text == source


async def test_a_page_without_text_is_empty(processor: DocumentProcessor, tmp_path: Path) -> None:
    with pytest.raises(Empty):
        await processor.extract(written(tmp_path, "e.html", "<html><body><script>x</script></body></html>"), "e.html")


async def test_struck_words_of_html_are_left_out_and_listed(processor: DocumentProcessor, tmp_path: Path) -> None:
    page = (
        "<p>Pay within <s>fourteen</s> sixty days, <del>$900</del> $1,100.</p>"
        '<table><tr><td>Fee</td><td><span style="text-decoration: line-through red">$5</span> $6</td></tr></table>'
    )
    extracted = await processor.extract(written(tmp_path, "page.html", page), "page.html")
    assert extracted.text == "Pay within sixty days, $1,100.\n\nFee\t$6"
    assert [c["text"] for c in extracted.details["tracked_changes"]] == ["fourteen", "$900", "$5"]
    assert "Struck-out words were found 3 times and kept out of the text." in extracted.notes


async def test_a_raised_note_number_is_no_digit_of_a_sum(processor: DocumentProcessor, tmp_path: Path) -> None:
    page = "<p>A deposit of $5,000<sup><a href='#n'>12</a></sup> is due on the 3<sup>rd</sup>.</p>"
    extracted = await processor.extract(written(tmp_path, "page.html", page), "page.html")
    assert extracted.text == "A deposit of $5,000¹² is due on the 3rd."
