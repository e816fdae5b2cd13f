"""UTF-16 without a byte order mark, in every format that is text."""

from __future__ import annotations

import base64
import quopri
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from orderly.services.document_processor import DocumentProcessor
from orderly.services.document_processor.encoding import detect_utf16

FILES = Path(__file__).parents[3] / "fixtures" / "files"
WORDS = {
    "English": "The tenant shall pay the rent on the first day of each month.",
    "German": "Der Mieter zahlt die Miete. Kündigung: § 5 – „schriftlich“, 1.200 €.",
    "Greek": "Ο μισθωτής καταβάλλει το μίσθωμα την πρώτη ημέρα κάθε μήνα.",
    "Russian": "Арендатор вносит арендную плату в первый день каждого месяца.",
    "Chinese": "承租人应于每月第一日支付租金。本合同受中华人民共和国法律管辖。",
}
META = (
    "",
    '<meta charset="utf-16">',
    '<meta charset="utf-8">',
    '<meta http-equiv=Content-Type content="text/html; charset=unicode">',
)


def page(words: str, head: str = "") -> str:
    return f"<html><head>{head}<title>Lease</title></head>\r\n<body><p>{words}</p></body></html>"


FORMATS: dict[str, Callable[[str], str]] = {
    "lease.txt": lambda words: f"{words}\r\n",
    "lease": lambda words: f"{words}\n",
    "lease.md": lambda words: f"# Lease\n\n{words}\n",
    "lease.csv": lambda words: f'term,note\n"{words}",2\n',
    "lease.json": lambda words: f'{{"term": "{words}"}}',
    "lease.html": page,
    "page": page,
    "charset16.html": lambda words: page(words, META[1]),
    "charset8.html": lambda words: page(words, META[2]),
    "unicode.htm": lambda words: page(words, META[3]),
    "lease.xml": lambda words: f"<lease><term>{words}</term></lease>",
    "declared.xml": lambda words: f'<?xml version="1.0" encoding="UTF-16"?>\n<lease><term>{words}</term></lease>',
    "undeclared.xml": lambda words: f'<?xml version="1.0"?>\n<lease><term>{words}</term></lease>',
    "letter.eml": lambda words: f"From: a@firm.example\r\nTo: b@firm.example\r\nSubject: Lease\r\n\r\n{words}\r\n",
}


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("words", WORDS.values(), ids=WORDS)
@pytest.mark.parametrize("name", FORMATS)
async def test_a_file_without_a_mark_is_read(
    processor: DocumentProcessor, tmp_path: Path, name: str, words: str, encoding: str
) -> None:
    path = tmp_path / name
    path.write_bytes(FORMATS[name](words).encode(encoding))
    extracted = await processor.extract(path, name)
    assert words in extracted.text
    assert "<" not in extracted.text


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
async def test_a_stray_byte_at_the_end_is_no_obstacle(processor: DocumentProcessor, tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "lease.txt"
    path.write_bytes(WORDS["English"].encode(encoding) + b"\n")
    assert (await processor.extract(path, "lease.txt")).text.strip() == WORDS["English"]


TRANSFERS: dict[str, Callable[[bytes], bytes]] = {
    "base64": base64.encodebytes,
    "quoted-printable": lambda data: quopri.encodestring(data, quotetabs=True),
    "8bit": lambda data: data,
}


@pytest.mark.parametrize("transfer", TRANSFERS)
@pytest.mark.parametrize("charset", ["utf-16", "unicode", "utf-8", "us-ascii", "windows-1252", ""])
@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("kind", ["plain", "html"])
@pytest.mark.parametrize("words", [WORDS["English"], WORDS["Russian"]], ids=["English", "Russian"])
async def test_a_part_of_a_mail_is_read_whatever_it_calls_itself(
    processor: DocumentProcessor, tmp_path: Path, words: str, kind: str, encoding: str, charset: str, transfer: str
) -> None:
    head = f"Content-Type: text/{kind}" + (f"; charset={charset}" if charset else "")
    body = page(words) if kind == "html" else words
    path = tmp_path / "mail.eml"
    path.write_bytes(
        b"From: a@firm.example\nSubject: Lease\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=XX\n\n--XX\n"
        + f"{head}\nContent-Transfer-Encoding: {transfer}\n\n".encode()
        + TRANSFERS[transfer](body.encode(encoding))
        + b"\n--XX--\n"
    )
    extracted = await processor.extract(path, "mail.eml")
    assert extracted.text.rstrip().endswith(words)


def test_other_files_are_not_taken_for_utf_16() -> None:
    chance = random.Random(3)
    for _ in range(300):
        assert detect_utf16(bytes(chance.choices((0, 0, 1, 32, 65, 255, chance.randrange(256)), k=600))) is None
        assert detect_utf16(chance.randbytes(600)) is None
    for path in (path for path in FILES.iterdir() if path.is_file()):
        assert detect_utf16(path.read_bytes()) is None or "utf16" in path.name.replace("-", "").lower(), path.name
