from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import cast

import pytest

from orderly.errors import Damaged
from orderly.models import Extracted
from orderly.services.document_processor import DocumentProcessor
from orderly.services.documents.health import incomplete_because

Files = Callable[[str], Path]
HEAD = rb"{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0 Arial;}{\f1\fcharset128 Mincho;}}{\*\generator x}"


async def read(processor: DocumentProcessor, folder: Path, body: bytes, end: bytes = b"}") -> Extracted:
    path = folder / "a.rtf"
    path.write_bytes(HEAD + body + end)
    return await processor.extract(path, "a.rtf")


async def test_an_act_in_rtf_is_read_with_tables_headers_and_footers(processor: DocumentProcessor, fixture_file: Files) -> None:
    extracted = await processor.extract(fixture_file("SAleg__Frustrated_Contracts_Act_1988.rtf"), "act.rtf")
    assert "1—Short title\n\nThis Act may be cited as the Frustrated Contracts Act 1988." in extracted.text
    assert "1988\t11\tFrustrated Contracts Act 1988\t10.3.1988" in extracted.text
    assert extracted.text.index("Legislative history") < extracted.text.index("[Headers]") < extracted.text.index("[Footers]")


async def test_all_character_encodings_of_rtf_are_decoded(processor: DocumentProcessor, tmp_path: Path) -> None:
    extracted = await read(
        processor, tmp_path, rb"\'93q\'94 \u8364? \uc2\u8212xx\u55357??\u56832?? {\f1\'93\'fa} a\~b \{c\}\par"
    )
    assert extracted.text == "“q” € —😀 日 a b {c}"


async def test_deleted_and_hidden_text_is_left_out_and_listed(processor: DocumentProcessor, tmp_path: Path) -> None:
    extracted = await read(processor, tmp_path, rb"Term: {\deleted twelve}{\revised twenty-four} months.{\v secret}\par")
    assert extracted.text == "Term: twenty-four months."
    assert extracted.details["tracked_changes"] == [{"kind": "deletion", "text": "twelve"}]
    assert extracted.details["hidden_text"] == ["secret"]


async def test_footnotes_tables_fields_and_headings_are_read(processor: DocumentProcessor, tmp_path: Path) -> None:
    body = (
        rb"\pard\outlinelevel0 Fees\par\pard See{\footnote a note} {\field{\*\fldinst HYPERLINK x}{\fldrslt here}}.\par"
        rb"\intbl a\cell b\cell\row\intbl c\cell d\cell\row\pard{\pict 00ff}{\*\unknown gone}after\par"
    )
    extracted = await read(processor, tmp_path, body)
    assert extracted.text == "Fees\n\nSee[1] here.\n\na\tb\nc\td\n\nafter\n\n[Footnotes]\n\n[1] a note"
    (heading,) = extracted.headings
    assert (heading.level, heading.title) == (1, "Fees")


async def test_a_truncated_rtf_file_is_partial(processor: DocumentProcessor, tmp_path: Path) -> None:
    extracted = await read(processor, tmp_path, rb"The term is", end=b"")
    assert extracted.text == "The term is"
    assert any("ends in the middle" in reason for reason in incomplete_because(extracted))


async def test_a_file_that_is_only_named_rtf_is_damaged(processor: DocumentProcessor, tmp_path: Path) -> None:
    path = tmp_path / "a.rtf"
    path.write_bytes(b"\x00\x01\x02 not rtf")
    with pytest.raises(Damaged):
        await processor.extract(path, "a.rtf")


async def test_struck_words_of_rtf_are_left_out_and_listed(processor: DocumentProcessor, tmp_path: Path) -> None:
    body = rb"Pay {\strike fourteen }sixty days, \striked1 nine\striked0  four per cent.\par"
    extracted = await read(processor, tmp_path, body)
    assert extracted.text == "Pay sixty days,  four per cent."
    changes = cast(list[dict[str, str]], extracted.details["tracked_changes"])
    assert [change["text"] for change in changes] == ["fourteen", "nine"]


async def test_a_raised_number_of_rtf_is_no_digit_of_the_sum(processor: DocumentProcessor, tmp_path: Path) -> None:
    extracted = await read(processor, tmp_path, rb"The deposit is $5,000{\super 12} and 450 m\up6 2\up0  of land.\par")
    assert extracted.text == "The deposit is $5,000¹² and 450 m² of land."


async def test_letters_that_nobody_sees_are_kept_apart(processor: DocumentProcessor, tmp_path: Path) -> None:
    colours = rb"{\colortbl;\red255\green255\blue255;\red0\green0\blue128;}"
    words = rb"Seen {\cf1 pale} {\fs2 tiny} {\cf1\chcbpat2 on blue}{\cf2  blue}"
    extracted = await read(processor, tmp_path, colours + words)
    assert extracted.text == "Seen   on blue blue"
    assert extracted.details["hidden_text"] == ["pale", "tiny"]


async def test_white_letters_in_a_shaded_row_stay(processor: DocumentProcessor, tmp_path: Path) -> None:
    colours = rb"{\colortbl;\red255\green255\blue255;\red0\green0\blue128;}"
    row = rb"\trowd\clcbpat2\cellx1000\pard\intbl\cf1 Head\cell\row\trowd\cellx1000\pard\intbl\cf1 Pale\cell\row"
    extracted = await read(processor, tmp_path, colours + row)
    assert (extracted.text, extracted.details["hidden_text"]) == ("Head", ["Pale"])


async def test_ticks_and_choices_of_form_fields_are_text(processor: DocumentProcessor, tmp_path: Path) -> None:
    box = rb"{\field{\*\fldinst FORMCHECKBOX {\*\formfield{\fftype1\ffres%d\ffdefres1}}}{\fldrslt}}"
    choice = rb"{\field{\*\fldinst FORMDROPDOWN {\*\formfield{\fftype2\ffres1{\*\ffl NSW}{\*\ffl Victoria}}}}{\fldrslt}}"
    extracted = await read(processor, tmp_path, box % 0 + rb" A " + box % 25 + rb" B " + choice)
    assert extracted.text == "\u2610 A \u2612 B Victoria"


async def test_paragraphs_of_textedit_end_with_a_backslash_and_a_line_break(
    processor: DocumentProcessor, tmp_path: Path
) -> None:
    extracted = await read(processor, tmp_path, b"\\f0\\b LEASE\\\n\\\r\n\\b0 The rent is $1,200.\\\nPaid on Mondays.")
    assert extracted.text == "LEASE\n\nThe rent is $1,200.\n\nPaid on Mondays."
