"""Files in messages, as stock frontends and libraries write them."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from orderly.errors import Invalid
from orderly.sign_in.client_writes import clean_values
from orderly.sign_in.message_files import sent_file

CONTENT = b"%PDF-1.7 deed"
SENT = base64.b64encode(CONTENT).decode()
URL = f"data:application/pdf;base64,{SENT}"

NOTATIONS: dict[str, dict[str, Any]] = {
    "agent-chat-ui": {"type": "file", "mimeType": "application/pdf", "data": SENT, "metadata": {"filename": "deed.pdf"}},
    "agent-chat-ui, picture": {"type": "image", "mimeType": "image/png", "data": SENT, "metadata": {"name": "deed.png"}},
    "langchain 0.3": {
        "type": "file",
        "source_type": "base64",
        "mime_type": "application/pdf",
        "data": SENT,
        "metadata": {"filename": "deed.pdf"},
    },
    "langchain 1": {"type": "file", "base64": SENT, "mime_type": "application/pdf", "extras": {"filename": "deed.pdf"}},
    "openai, chat": {"type": "file", "file": {"filename": "deed.pdf", "file_data": URL}},
    "openai, responses": {"type": "input_file", "filename": "deed.pdf", "file_data": URL},
    "openai, picture": {"type": "image_url", "image_url": {"url": URL}},
    "langchain, picture": {"type": "image_url", "image_url": URL},
    "anthropic": {
        "type": "document",
        "source": {"type": "base64", "media_type": "application/pdf", "data": SENT},
        "title": "deed.pdf",
    },
    "google": {"type": "media", "mime_type": "application/pdf", "data": SENT},
    "a name with folders": {"type": "file", "data": SENT, "filename": "C:\\clients\\deed.pdf"},
}


@pytest.mark.parametrize("block", NOTATIONS.values(), ids=list(NOTATIONS))
def test_every_notation_gives_name_and_content(block: dict[str, Any]) -> None:
    sent = sent_file(block)
    assert sent is not None and sent.content() == CONTENT
    assert sent.name in ("deed.pdf", "deed.png", "file.pdf")


def test_plain_text_as_a_file_keeps_its_words() -> None:
    sent = sent_file({"type": "text-plain", "text": "Clause 1", "title": "note"})
    assert sent is not None and (sent.name, sent.content()) == ("note.txt", b"Clause 1")


@pytest.mark.parametrize(
    ("block", "said"),
    [
        ({"type": "image_url", "image_url": {"url": "https://example.com/a.png"}}, "fetches nothing"),
        ({"type": "file", "source_type": "url", "url": "https://example.com/a.pdf"}, "fetches nothing"),
        ({"type": "file", "mime_type": "application/pdf"}, "cannot be read here"),
        ({"type": "tool_use", "name": "x"}, "cannot be read here"),
    ],
)
def test_what_cannot_become_a_document_is_refused(block: dict[str, Any], said: str) -> None:
    with pytest.raises(Invalid, match=said):
        clean_values({"messages": [{"role": "user", "content": [block]}]}, None)


def test_content_that_is_not_base64_is_refused() -> None:
    sent = sent_file({"type": "file", "data": "not base64!"})
    with pytest.raises(Invalid, match="not Base64"):
        assert sent is not None and sent.content()


def test_the_limit_of_characters_counts_text_and_not_files() -> None:
    file = {"type": "file", "data": "A" * 1_200_000, "mime_type": "application/pdf"}
    message = {"role": "user", "content": [{"type": "text", "text": "Read it."}, file]}
    assert clean_values({"messages": [message]}, None) == {"messages": [{"type": "human", "content": message["content"]}]}
    with pytest.raises(Invalid, match="at most"):
        clean_values({"messages": [{"role": "user", "content": [{"type": "text", "text": "A" * 1_200_000}]}]}, None)
