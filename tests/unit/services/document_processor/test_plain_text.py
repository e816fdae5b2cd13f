from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from orderly.errors import Empty, Unsupported
from orderly.services.document_processor import DocumentProcessor
from orderly.services.document_processor.detection import detect_type

Files = Callable[[str], Path]

PLAIN = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Cn"]) | st.sampled_from("\n\t "), min_size=1)


@given(text=PLAIN.filter(str.strip))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
async def test_utf8_text_is_returned_unchanged(tmp_path: Path, text: str) -> None:
    path = tmp_path / "note.txt"
    path.write_text("A" + text, encoding="utf-8", newline="")
    extracted = await DocumentProcessor(None).extract(path, "note.txt")
    assert extracted.text == "A" + text
    assert not extracted.paged
    (page,) = extracted.pages
    assert (page.start, page.end) == (0, len(extracted.text))


@pytest.mark.parametrize(
    ("name", "reader", "phrase"),
    [
        ("own_cuad_cp1252.txt", "text cp1252", "“Smart quotes” — § 5, café"),
        ("own_cuad_utf16le_bom.txt", "text utf-16", "Other than as expressly modified by this"),
        ("own_cuad_utf8_bom_crlf.txt", "text utf-8", "Company hereby agrees to accept such appointment"),
    ],
)
async def test_contracts_in_other_encodings_are_decoded(
    processor: DocumentProcessor, fixture_file: Files, name: str, reader: str, phrase: str
) -> None:
    extracted = await processor.extract(fixture_file(name), name)
    assert extracted.reader == reader
    assert phrase in " ".join(extracted.text.split())
    assert "\r" not in extracted.text
    assert not extracted.text.startswith("\ufeff")


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("utf-16-le", "Der Vertrag gilt ab heute. Tenant pays the rent.\n" * 5),
        ("utf-16-be", "The tenant pays the rent on the first day.\n" * 5),
        ("shift_jis", "本契約は、甲乙間の合意に基づき締結される。賃料は毎月末日までに支払うものとする。\n" * 20),
        ("cp1252", "Le loyer est dû à échéance; à défaut, la société peut résilier.\n" * 10),
    ],
)
async def test_encodings_without_a_byte_order_mark_are_detected(
    processor: DocumentProcessor, tmp_path: Path, encoding: str, text: str
) -> None:
    path = tmp_path / "lease.txt"
    path.write_bytes(text.encode(encoding))
    assert (await processor.extract(path, path.name)).text == text


async def test_only_line_ends_are_normalised(processor: DocumentProcessor, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"  one\r\ntwo\rthree \f\n\n")
    assert (await processor.extract(path, "a.txt")).text == "  one\ntwo\nthree \f\n\n"


async def test_binary_content_is_refused(processor: DocumentProcessor, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(bytes(range(256)) * 40)
    with pytest.raises(Unsupported, match="not text"):
        await processor.extract(path, "a.txt")


@pytest.mark.parametrize("content", [b"", b" \n\t\n"])
async def test_a_file_without_visible_text_is_empty(processor: DocumentProcessor, tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(content)
    with pytest.raises(Empty):
        await processor.extract(path, "a.txt")


async def test_markdown_headings_become_headings(processor: DocumentProcessor, tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text("# Lease\n\nText.\n\n## 2. Rent ##\n\n```\n# no heading\n```\n", encoding="utf-8")
    extracted = await processor.extract(path, "a.md")
    found = [(heading.level, heading.title, extracted.text[heading.start : heading.end]) for heading in extracted.headings]
    assert found == [(1, "Lease", "# Lease"), (2, "2. Rent", "## 2. Rent")]


async def test_html_in_markdown_is_read_as_a_browser_shows_it(processor: DocumentProcessor, tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text(
        '# <a name="rent"></a>1. Rent\n\n<!-- draft of May -->The <span class="term">Tenant</span> pays&nbsp;&sect;5<sup>2</sup>.<br/>Twice.\n\n'
        "<div>\n<table><tr><td>Bond</td><td>$400</td></tr></table>\n</div>\n\nSend to <Name of Landlord> or <a@b.au>, if x < 3.\n\n"
        "`<b>` is code.\n\n```\n<i>kept</i>\n```\n",
        encoding="utf-8",
    )
    extracted = await processor.extract(path, "a.md")
    assert [heading.title for heading in extracted.headings] == ["1. Rent"]
    assert "The Tenant pays\xa0§52.\nTwice." in extracted.text
    assert extracted.text.split("Twice.")[1].split("Send")[0].split() == ["Bond", "$400"]
    assert "Send to <Name of Landlord> or <a@b.au>, if x < 3.\n\n`<b>` is code.\n\n```\n<i>kept</i>" in extracted.text
    assert "draft" not in extracted.text and extracted.details["hidden_text"] == ["draft of May"]


async def test_markdown_loses_its_emphasis_and_escapes(processor: DocumentProcessor, tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text(
        "1\\. Hours\n\n**1.1** You work *38 hours*, see the **_Fair Work Act_ 2009**.\n\n***\n\n* (a) **Pay**: [***] a week, 3 * 4 = 12\n\n"
        "Signed: ______ for some_file_name. `**code**`\n",
        encoding="utf-8",
    )
    extracted = await processor.extract(path, "a.md")
    assert extracted.text.startswith(
        "1. Hours\n\n1.1 You work 38 hours, see the Fair Work Act 2009.\n\n***\n\n* (a) Pay: [***] a week, 3 * 4 = 12"
    )
    assert "Signed: ______ for some_file_name. `**code**`" in extracted.text


async def test_a_nul_character_is_removed(processor: DocumentProcessor, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"Rent is due" + b" monthly" * 50 + b"\x00 in advance")
    extracted = await processor.extract(path, "a.txt")
    assert "\x00" not in extracted.text
    assert extracted.text.index("\ufffd") == 11 + 8 * 50


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("cuad_consulting_agreement.pdf", "application/pdf"),
        ("own_tracked_changes.docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
        ("Mutual-NDA__Mutual-NDA.md", "text/markdown"),
        ("own_cuad_cp1252.txt", "text/plain"),
    ],
)
def test_types_are_detected_by_content_and_not_by_name(fixture_file: Files, name: str, kind: str) -> None:
    assert detect_type(fixture_file(name), name) == kind
    if not kind.startswith("text"):
        assert detect_type(fixture_file(name), "renamed.txt") == kind


async def test_a_legacy_word_file_is_refused_with_a_remedy(processor: DocumentProcessor, fixture_file: Files) -> None:
    with pytest.raises(Unsupported, match=r"\(\.doc\).*DOCX"):
        await processor.extract(fixture_file("unstructured__simple.doc"), "simple.doc")


async def test_text_without_a_known_name_is_read_as_text(processor: DocumentProcessor, tmp_path: Path) -> None:
    path = tmp_path / "NOTICE"
    path.write_text("Café notice of default.\n" * 300, encoding="utf-8")
    assert (await processor.extract(path, "NOTICE")).text == "Café notice of default.\n" * 300
    path.write_bytes(b"\x00\x01\x02")
    with pytest.raises(Unsupported, match="files of this kind"):
        await processor.extract(path, "NOTICE")


@pytest.mark.parametrize(
    ("head", "name", "kind"),
    [
        ("<!---->" * 500 + "x", "note", "text/plain"),
        ("<!-- -->\n" * 400 + "<!--", "note", "text/plain"),
        ("<!-- a -->\n<!-- b --> <!DOCTYPE html><p>x</p>", "page", "text/html"),
        ("<!-- a --> <html>", "notes.txt", "text/plain"),
    ],
)
def test_comments_at_the_start_are_read_in_one_pass(tmp_path: Path, head: str, name: str, kind: str) -> None:
    path = tmp_path / "file"
    path.write_text(head, encoding="utf-8")
    assert detect_type(path, name) == kind
