"""Documents must not cause network requests, and settings must not reveal secrets."""

from __future__ import annotations

import gc
import io
import socket
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import docx
import openpyxl
import pytest
from pydantic import SecretStr

from orderly.errors import Misconfigured, Unreadable
from orderly.services.document_processor import DocumentProcessor
from orderly.settings import Settings, load_settings

OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    """A socket that must receive no connection. Garbage of earlier tests is collected first."""
    with warnings.catch_warnings(action="ignore", category=ResourceWarning):
        gc.collect()
    with socket.socket() as opened:
        opened.bind(("127.0.0.1", 0))
        opened.listen()
        opened.settimeout(0.2)
        yield opened


def word(address: str) -> bytes:
    document = docx.Document()
    document.add_paragraph("The rent is due on the first of the month.")
    for kind in ("image", "hyperlink", "attachedTemplate", "frame", "oleObject"):
        document.part.relate_to(f"{address}/{kind}", f"{OFFICE}/{kind}", is_external=True)
    written = io.BytesIO()
    document.save(written)
    return written.getvalue()


def workbook(address: str) -> bytes:
    book = openpyxl.Workbook()
    book.active.append(["rent", f'=WEBSERVICE("{address}/cell")', f'=HYPERLINK("{address}/link", "here")'])
    written = io.BytesIO()
    book.save(written)
    return written.getvalue()


def hostile(address: str) -> dict[str, bytes]:
    markup = (
        f'<html><head><link rel="stylesheet" href="{address}/a.css"><base href="{address}/"></head><body><p>The rent is due.</p>'
        f'<img src="{address}/b.png"><iframe src="{address}/c"></iframe><script src="{address}/d.js"></script></body></html>'
    )
    entity = f'<!DOCTYPE t [<!ENTITY x SYSTEM "{address}/e"><!ENTITY % y SYSTEM "{address}/f"> %y;]><t>The rent &x; is due.</t>'
    drawing = (
        f'<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">'
        f'<image xlink:href="{address}/g.png"/><text>The rent is due.</text></svg>'
    )
    mail = f"From: a@b.example\nSubject: Rent\nMIME-Version: 1.0\nContent-Type: text/html\n\n{markup}"
    return {
        "a.docx": word(address),
        "a.xlsx": workbook(address),
        "a.html": markup.encode(),
        "a.xml": entity.encode(),
        "a.svg": drawing.encode(),
        "a.eml": mail.encode(),
        "a.rtf": rb"{\rtf1{\field{\*\fldinst INCLUDEPICTURE %s/h.png}}The rent is due.}" % address.encode(),
        "a.md": f"The rent is due. ![]({address}/i.png)".encode(),
    }


async def test_no_document_causes_a_network_request(listener: socket.socket, tmp_path: Path) -> None:
    processor = DocumentProcessor(None)
    read = 0
    for name, content in hostile(f"http://127.0.0.1:{listener.getsockname()[1]}").items():
        (tmp_path / name).write_bytes(content)
        try:
            extracted = await processor.extract(tmp_path / name, name)
        except Unreadable:
            continue
        read += "rent" in extracted.text
    assert read >= 5, "too few files were readable"
    with pytest.raises(TimeoutError):
        listener.accept()


SECRETS = {
    name for name, field in Settings.model_fields.items() if SecretStr in (field.annotation, *get_args(field.annotation))
}
PUBLIC = {"aws_access_key_id", "context_tokens", "supabase_jwks_url"}
"""Settings that are named like secrets but are public."""


def test_every_setting_named_like_a_secret_is_a_secret() -> None:
    secret_words = ("key", "secret", "token", "password", "database_url", "db_url")
    named = {name for name in Settings.model_fields if any(word in name for word in secret_words)}
    numbers = {name for name in named if Settings.model_fields[name].annotation in (int, float, bool)}
    assert named - numbers - PUBLIC <= SECRETS


def test_printed_settings_show_no_secret() -> None:
    value = "sk-hidden-0123456789abcdef0123456789abcdef"
    settings = Settings(**dict.fromkeys(SECRETS, value), _env_file=None)
    assert len(SECRETS) >= 8
    for shown in (repr(settings), str(settings), str(settings.model_dump()), settings.model_dump_json()):
        assert "hidden" not in shown


def test_an_invalid_setting_is_named_without_its_value(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ORDERLY_HOME", str(tmp_path))
    monkeypatch.setenv("ORDERLY_REQUESTS_PER_MINUTE", "sk-pasted-into-the-wrong-line")
    with pytest.raises(Misconfigured) as error:
        load_settings()
    assert "requests_per_minute" in error.value.message.lower()
    assert "sk-pasted" not in str(error.value)
