"""Struck and hidden words: no search returns them as live ones, and who looks for them finds them with their place."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from langchain_core.tools import BaseTool

from orderly.agent import tools
from orderly.models import Caller
from support.office_parts import p, r, word_file

Add = Callable[..., Awaitable[str]]
Call = Callable[..., Awaitable[str]]


@pytest.fixture
def call(ada: Caller, acting: Callable[[Caller], dict[str, Any]]) -> Call:
    async def invoke(tool: BaseTool, **arguments: Any) -> str:
        text: str = await tool.ainvoke(arguments, acting(ada))
        return text

    return invoke


@pytest.fixture
async def lease(add_file: Add, tmp_path: Path) -> str:
    """Strikes out fourteen days in clause 2, and hides the name of an informant."""
    heading = '<w:outlineLvl w:val="0"/>'
    body = p(r("1. Rent"), properties=heading) + p(r("The rent is $900 a week."))
    body += p(r("2. Payment"), properties=heading)
    body += p(r("Pay within "), r("fourteen", "<w:strike/>"), r(" sixty days."), r(" Ask Ann Lee instead.", "<w:vanish/>"))
    return await add_file("lease.docx", word_file(tmp_path / "made", body).read_bytes())


async def test_struck_and_hidden_words_are_found_apart_with_their_place(call: Call, matter: dict[str, Any], lease: str) -> None:
    struck = await call(tools.search_keyword, matter_id=matter["id"], query="fourteen")
    assert struck.startswith("No exact matches for 'fourteen'")
    assert "not to be quoted as what a document says:\n- [lease.docx, 2 Payment] struck out: “fourteen”" in struck
    hidden = await call(tools.search_keyword, matter_id=matter["id"], query="ann l\\w+", mode="regex")
    assert "- [lease.docx] hidden: “Ann Lee” (hidden from a reader; the health report lists all of it)" in hidden
    assert "instead" not in hidden
    live = await call(tools.search_keyword, matter_id=matter["id"], query="sixty days")
    assert live.startswith("Found 1 match") and "fourteen" not in live


@pytest.mark.parametrize("query", ["fourteen days to pay", "Ask Ann Lee"])
async def test_search_by_meaning_returns_no_struck_or_hidden_words(
    call: Call, matter: dict[str, Any], lease: str, query: str
) -> None:
    found = await call(tools.isaacus_search, matter_id=matter["id"], query=query)
    assert "fourteen" not in found.replace(query, "") and "Ann" not in found.replace(query, "")


async def test_what_was_struck_out_of_a_document_is_told_with_its_clause(call: Call, lease: str) -> None:
    info = await call(tools.get_info, path_part_id=lease)
    assert (
        "Kept apart, not part of the text, and not to be quoted as what it says:\n- struck out, Section 2 (Payment): “fourteen”\n"
        "- hidden: 1 place; the health report lists the words."
    ) in info
    assert "Ann Lee" not in info


async def test_hidden_cells_are_no_live_words_either(call: Call, matter: dict[str, Any], add_file: Add, tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    sheet, reserve = book.active, book.create_sheet("Reserve")
    assert sheet is not None
    for row in (["Creditor", "Claim"], ["Alder", 100], ["Birch", 200]):
        sheet.append(row)
    sheet.row_dimensions[3].hidden = True
    reserve.append(["Floor", 77000])
    reserve.sheet_state = "veryHidden"
    book.save(tmp_path / "made.xlsx")
    document = await add_file("claims.xlsx", (tmp_path / "made.xlsx").read_bytes())
    text = await call(tools.get_document_text, document_id=document)
    assert "Alder\t100" in text and "Birch" not in text and "77000" not in text
    birch = await call(tools.search_keyword, matter_id=matter["id"], query="Birch")
    assert birch.startswith("No exact matches") and "[claims.xlsx, page 1] hidden: “Birch”" in birch
    floor = await call(tools.search_keyword, matter_id=matter["id"], query="77000")
    assert "[claims.xlsx, page 2] hidden: “77000”" in floor


async def test_a_search_inside_a_section_is_not_told_what_is_struck_elsewhere(
    call: Call, matter: dict[str, Any], lease: str
) -> None:
    info = await call(tools.get_info, path_part_id=lease)
    section = info.partition("- Section 1 (Rent) (ID: ")[2].partition(")")[0]
    found = await call(tools.search_keyword, matter_id=matter["id"], query="fourteen", within=[section])
    assert found.startswith("No exact matches") and "struck out" not in found
