"""HTML is stored as a browser shows it."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest

from orderly.models import Extracted
from orderly.services.document_processor import DocumentProcessor


async def read(processor: DocumentProcessor, folder: Path, page: str) -> Extracted:
    path = folder / "page.html"
    path.write_text(page, encoding="utf-8")
    return await processor.extract(path, "page.html")


def struck(extracted: Extracted) -> list[str]:
    changes = cast(list[dict[str, Any]], extracted.details["tracked_changes"])
    return [change["text"] for change in changes if change["kind"] == "struck"]


async def test_struck_words_are_left_out_and_listed(processor: DocumentProcessor, tmp_path: Path) -> None:
    extracted = await read(
        processor,
        tmp_path,
        "<p>Pay within <s>fourteen</s> sixty days, <del>$900</del> $1,100.</p>"
        '<table><tr><td>Fee</td><td><span style="text-decoration: line-through red">$5</span> $6</td></tr></table>',
    )
    assert extracted.text == "Pay within sixty days, $1,100.\n\nFee\t$6"
    assert struck(extracted) == ["fourteen", "$900", "$5"]
    assert "Struck-out words were found 3 times and kept out of the text." in extracted.notes


async def test_words_struck_or_hidden_by_a_style_sheet_are_left_out(processor: DocumentProcessor, tmp_path: Path) -> None:
    extracted = await read(
        processor,
        tmp_path,
        "<style>/* old */ .gone, td.old {text-decoration-line: line-through} #aside{display:none}"
        "@media print {.shown {display:none}} .dark{background:#000} .dark p{color:red} em{color:#FFF}"
        ".deed .old > i {text-decoration: line-through}</style>"
        '<p class="x gone">Clause 5</p><p id=aside>Draft of 3 May</p><p class=shown>Clause 6</p>'
        "<table><tr><td class=old>$900<td>$1,100</table><div class=dark><p><em>Notice</em></p></div><p><em>secret</em> End</p>"
        "<div class=deed><p class=old>It is <i>nine</i> four.</p></div><p class=old><i>Kept.</i></p>",
    )
    assert extracted.text == "Clause 6\n\n\t$1,100\n\nNotice\n\nEnd\n\nIt is four.\n\nKept."
    assert struck(extracted) == ["Clause 5", "$900", "nine"]
    assert extracted.details["hidden_text"] == ["Draft of 3 May", "secret"]


@pytest.mark.parametrize(
    "style",
    [
        "color: #fefefe",
        "color: transparent",
        "color: rgba(0, 0, 0, 0)",
        "color: rgb(250, 250, 250)",
        "transform: scale(0)",
        "clip-path: inset(100%)",
        "height:0;overflow:hidden",
        "position:absolute;left:-9999px",
        "visibility:collapse",
        "color:rgb(255, 255, 255)",
        "position:absolute;clip:rect(0 0 0 0)",
    ],
)
async def test_words_that_a_browser_cannot_show_are_hidden(processor: DocumentProcessor, tmp_path: Path, style: str) -> None:
    extracted = await read(processor, tmp_path, f'<p style="{style}">The cap is $250,000.</p><p>The cap is $100,000.</p>')
    assert extracted.text == "The cap is $100,000."
    assert extracted.details["hidden_text"] == ["The cap is $250,000."]


async def test_hidden_rows_and_cells_of_tables_are_left_out(processor: DocumentProcessor, tmp_path: Path) -> None:
    extracted = await read(
        processor,
        tmp_path,
        "<table><tr style='display:none'><td>A</td><td>$1</td></tr><tr><td>B</td><td hidden>$2</td><td>$3</td></tr></table>"
        "<pre>Clause 1 <del>and 2</del>\n  applies.</pre>",
    )
    assert extracted.text == "B\t\t$3\n\nClause 1 \n  applies."
    assert extracted.details["hidden_text"] == ["A$1", "$2"]


async def test_a_raised_note_number_is_no_digit_of_a_sum(processor: DocumentProcessor, tmp_path: Path) -> None:
    extracted = await read(
        processor,
        tmp_path,
        "<p>A deposit of $5,000<sup><a href='#n'>12</a></sup> is due on the 3<sup>rd</sup> for 450 m<sup>2</sup>,"
        " capped at $10<span style='vertical-align: super'>4</span>.</p>",
    )
    assert extracted.text == "A deposit of $5,000¹² is due on the 3rd for 450 m², capped at $10⁴."


async def test_a_list_shows_its_chosen_entry(processor: DocumentProcessor, tmp_path: Path) -> None:
    extracted = await read(
        processor,
        tmp_path,
        "<p>Court: <select><option>Local<option selected>Supreme</select>, list <select><option>Equity<option>Probate</select></p>",
    )
    assert extracted.text == "Court: Supreme, list Equity"


async def test_a_closed_dialog_is_hidden_and_a_reversed_list_counts_down(processor: DocumentProcessor, tmp_path: Path) -> None:
    page = "<p>Seen</p><dialog>Closed</dialog><dialog open>Open</dialog><ol reversed><li>b</li><li>a</li></ol>"
    extracted = await read(processor, tmp_path, page)
    assert extracted.text == "Seen\n\nOpen\n\n2. b\n\n1. a"
    assert extracted.details["hidden_text"] == ["Closed"]


async def test_signs_for_line_breaks_are_no_part_of_words(processor: DocumentProcessor, tmp_path: Path) -> None:
    extracted = await read(processor, tmp_path, "<h1>Ter&shy;mination</h1><p>In&#8203;demnity&#8288;</p>")
    assert extracted.text == "Termination\n\nIndemnity"
    assert [heading.title for heading in extracted.headings] == ["Termination"]


@pytest.mark.parametrize(
    ("sheet", "page", "shown"),
    [
        (".c{color:white!important}", '<p class=c style="color:black">White</p>', False),
        (".a{display:none!important} p.a{display:block}", "<p class=a>Important</p>", False),
        (".a.b{display:block} .a{display:none}", '<p class="a b">Closely named</p>', True),
        ("#x{display:block} .a{display:none}", "<p class=a id=x>Named by id</p>", True),
        ("@media screen{.a{display:none}}", "<p class=a>On screens</p>", False),
        ("@media print, screen {.a{display:none}}", "<p class=a>On both</p>", False),
        ("@media print{.a{display:none}}", "<p class=a>On paper</p>", True),
        ("@media not screen{.a{display:none}}", "<p class=a>Elsewhere</p>", True),
        ("@media screen and (max-width:9px){.a{display:none}}", "<p class=a>On watches</p>", True),
        ("", "<p popover>Popped</p>", False),
        ("", "<datalist><option>Offered</datalist>", False),
    ],
)
async def test_rules_hold_in_the_order_of_a_browser(
    processor: DocumentProcessor, tmp_path: Path, sheet: str, page: str, *, shown: bool
) -> None:
    extracted = await read(processor, tmp_path, f"<style>{sheet}</style><p>Seen.</p>{page}")
    assert (extracted.text != "Seen.") == shown


@pytest.mark.parametrize(("content", "told"), [("'Not '", True), ("attr(title)", True), (r"'\2022  '", False), ("''", False)])
async def test_words_that_a_style_sheet_writes_are_told(
    processor: DocumentProcessor, tmp_path: Path, content: str, *, told: bool
) -> None:
    extracted = await read(processor, tmp_path, f"<style>.k::before{{content:{content}}}</style><p class=k>payable</p>")
    assert any("style sheet writes" in note for note in extracted.notes) == told
