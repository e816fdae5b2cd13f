"""The DeepSeek OCR client against a loopback server that speaks the vision endpoint's protocol."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from orderly.errors import Misconfigured, OcrFailed
from orderly.services.deepseek_ocr import DeepSeekOCR


class Endpoint:
    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.status = 200
        self.texts = ["First page."]
        self.finish = "stop"
        self.page = ""
        """Replaces the reply."""
        self.url = ""

    def reply(self) -> dict[str, Any]:
        if self.status != 200:
            return {"error": {"message": "key sk-secret is wrong"}}
        text = self.texts[(len(self.requests) - 1) % len(self.texts)]
        message = {"role": "assistant", "content": text}
        choices = [{"index": 0, "finish_reason": self.finish, "message": message}] if self.finish else []
        return {"id": "1", "object": "chat.completion", "created": 0, "model": "m", "choices": choices}


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    state = Endpoint()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            state.requests.append(json.loads(body))
            state.keys.append(self.headers["authorization"])
            answer = state.page.encode() or json.dumps(state.reply()).encode()
            self.send_response(state.status)
            self.send_header("content-type", "text/html" if "<" in state.page else "application/json")
            self.send_header("content-length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    state.url = f"http://127.0.0.1:{server.server_port}/v1"
    yield state
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
async def ocr(endpoint: Endpoint) -> Any:
    engine = DeepSeekOCR("sk-secret", base_url=endpoint.url, model="vision-model", max_retries=0)
    yield engine
    await engine.close()


async def test_a_page_is_its_text_alone_and_the_texts_of_several_pages_are_joined(endpoint: Endpoint, ocr: DeepSeekOCR) -> None:
    endpoint.texts = ["First page.\r\nSecond line. ", "Second page."]
    pages = [await ocr.recognise(image) for image in (b"one", b"two")]
    assert [page.text for page in pages] == ["First page.\nSecond line.", "Second page."]
    assert all(page.confidence is None and page.words == () for page in pages)
    assert await ocr.extract_text_from_images([b"one", b"two"], "en") == "First page.\nSecond line.\nSecond page."


async def test_the_image_and_the_language_are_sent_to_the_named_model(endpoint: Endpoint, ocr: DeepSeekOCR) -> None:
    await ocr.recognise(b"\x89PNG", language="fr")
    (request,) = endpoint.requests
    assert request["model"] == "vision-model" == ocr.name
    text, picture = request["messages"][0]["content"]
    assert "fr" in text["text"]
    assert picture["image_url"]["url"] == "data:image/png;base64,iVBORw=="
    assert endpoint.keys == ["Bearer sk-secret"]


@pytest.mark.parametrize(
    ("status", "said"),
    [(400, "refused the page"), (401, "API key"), (403, "API key"), (429, "too many"), (500, "error"), (418, "error")],
)
async def test_an_http_error_is_ocr_failed_and_leaks_no_secret(
    endpoint: Endpoint, ocr: DeepSeekOCR, status: int, said: str
) -> None:
    endpoint.status = status
    with pytest.raises(OcrFailed, match=said) as caught:
        await ocr.recognise(b"x")
    assert "sk-secret" not in caught.value.message
    assert caught.value.__cause__ is not None


async def test_a_truncated_reply_is_ocr_failed(endpoint: Endpoint, ocr: DeepSeekOCR) -> None:
    endpoint.finish = "length"
    with pytest.raises(OcrFailed, match="broke off"):
        await ocr.recognise(b"x")
    endpoint.finish = ""
    with pytest.raises(OcrFailed, match="no usable answer"):
        await ocr.recognise(b"x")


@pytest.mark.parametrize("page", ["<html>Sign in</html>", "{", "[]", '{"choices": [null]}', '{"error": "no"}'])
async def test_a_body_that_is_no_reply_is_ocr_failed(endpoint: Endpoint, ocr: DeepSeekOCR, page: str) -> None:
    endpoint.page = page
    with pytest.raises(OcrFailed, match="no usable answer"):
        await ocr.recognise(b"x")


async def test_a_refused_connection_is_ocr_failed() -> None:
    engine = DeepSeekOCR("k", base_url="http://127.0.0.1:9/v1", max_retries=0)
    with pytest.raises(OcrFailed, match="could not be reached"):
        await engine.recognise(b"x")
    await engine.close()


def test_the_key_comes_from_the_environment_and_a_missing_key_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEEPSEEK_API_KEY", "from-environment")
    assert DeepSeekOCR().api_key == "from-environment"
    monkeypatch.delenv("DEEPSEEK_API_KEY")
    with pytest.raises(Misconfigured, match="DEEPSEEK_API_KEY"):
        DeepSeekOCR()
