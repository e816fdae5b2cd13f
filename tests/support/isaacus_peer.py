"""A peer for the Isaacus API: checks every request against the API's contract and answers by simple rules.

Tokens are approximated as four characters each, over the texts and, once per text, the query.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import httpx
import respx

BASE = "https://api.isaacus.com/v1"
KEY = "iuak_v1_secret_checksum"
WINDOW_TOKENS = 16_384
DIMENSIONS = 1792

_COMMON = {"model", "texts"}
_CHUNKED = {"scoring_method", "chunking_options"}
FIELDS = {
    "/embeddings": _COMMON | {"task", "overflow_strategy", "dimensions"},
    "/rerankings": _COMMON | _CHUNKED | {"query", "top_n", "is_iql"},
    "/extractions/qa": _COMMON | {"query", "ignore_inextractability", "top_k", "chunking_options"},
    "/classifications/universal": _COMMON | _CHUNKED | {"query", "is_iql"},
    "/enrichments": _COMMON | {"overflow_strategy"},
}
MODELS = {
    "/embeddings": {"kanon-2-embedder"},
    "/rerankings": {"kanon-2-reranker", "kanon-universal-classifier"},
    "/extractions/qa": {"kanon-answer-extractor"},
    "/classifications/universal": {"kanon-universal-classifier"},
    "/enrichments": {"kanon-2-enricher"},
}
TEMPLATES = (
    "confidentiality clause", "termination clause", "indemnity clause", "governing law clause", "choice of venue clause",
    "adr clause", "payment clause", "representation or warranty clause", "force majeure liability limitation clause",
    "force majeure termination clause", "liability cap clause", "liability limitation clause",
)  # fmt: skip
_TEMPLATE = re.compile(rf'\{{IS (?:{"|".join(TEMPLATES)}|clause that "(?:[^"\\]|\\.)+")\}}')


class Problem(Exception):
    def __init__(self, status: int, title: str) -> None:
        self.status, self.title = status, title


def problem(status: int, title: str, detail: str = "said too much") -> httpx.Response:
    body = {"type": "about:blank", "title": title, "status": status, "detail": detail, "instance": None}
    return httpx.Response(status, content=json.dumps(body), headers={"content-type": "application/problem+json"})


@dataclass
class IsaacusPeer:
    key: str = KEY
    largest: int = 1_000_000
    """Largest number of characters in a request's texts; more gives a 413."""
    requests: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    """Path and body of every request that was answered with 200."""
    tokens: int = 0
    failing: dict[str, httpx.Response] = field(default_factory=dict)
    """Path -> the reply to send instead."""

    def mount(self, router: respx.MockRouter) -> IsaacusPeer:
        router.route(host="api.isaacus.com").mock(side_effect=self)
        return self

    def count(self, path: str) -> int:
        return sum(1 for asked, _ in self.requests if asked == path)

    def __call__(self, request: httpx.Request) -> httpx.Response:
        path = request.url.path.removeprefix("/v1")
        if path in self.failing:
            failing = self.failing[path]
            return httpx.Response(failing.status_code, headers=failing.headers, content=failing.content)
        try:
            if request.headers.get("authorization") != f"Bearer {self.key}":
                raise Problem(401, "Incorrect API key error")
            return self.answer(path, json.loads(request.content))
        except Problem as error:
            return problem(error.status, error.title)

    def answer(self, path: str, body: dict[str, Any]) -> httpx.Response:
        texts = _checked(path, body)
        if sum(map(len, texts)) > self.largest:
            raise Problem(413, "Request too large error")
        reply = _ANSWERS[path](body, texts)
        used = sum(map(_tokens, texts)) + len(texts) * _tokens(body.get("query", ""))
        self.tokens += used
        self.requests.append((path, body))
        return httpx.Response(200, json={**reply, "usage": {"input_tokens": used}})


def _checked(path: str, body: Mapping[str, Any]) -> list[str]:
    if path not in FIELDS or body.keys() - FIELDS[path] or body.get("model") not in MODELS[path]:
        raise Problem(400, "Validation error")
    texts = body.get("texts")
    texts = [texts] if isinstance(texts, str) and path in ("/embeddings", "/enrichments") else texts
    most = {"/embeddings": 128, "/enrichments": 8}.get(path, 10_000)
    if not isinstance(texts, list) or not 1 <= len(texts) <= most or not all(isinstance(t, str) and t.strip() for t in texts):
        raise Problem(400, "Validation error")
    if "query" in FIELDS[path]:
        _check_query(body)
    options = body.get("chunking_options") or {}
    if {"overlap_ratio", "overlap_tokens"} <= {name for name, value in options.items() if value is not None}:
        raise Problem(400, "Validation error")
    return texts


def _check_query(body: Mapping[str, Any]) -> None:
    query = body.get("query")
    if not isinstance(query, str) or not query.strip():
        raise Problem(400, "Validation error")
    if _tokens(query) > 512:
        raise Problem(400, "Query too long error")
    if body.get("is_iql") and not all(_TEMPLATE.fullmatch(part) for part in query.split(" OR ")):
        raise Problem(400, "Invalid IQL query error")


def _tokens(text: str) -> int:
    return math.ceil(len(text) / 4)


def _words(text: str) -> list[str]:
    return [word for word in re.findall(r"[a-z]+", text.lower()) if len(word) > 3]


def _embeddings(body: Mapping[str, Any], texts: list[str]) -> dict[str, Any]:
    if body.get("overflow_strategy", "drop_end") is None and any(_tokens(text) > WINDOW_TOKENS for text in texts):
        raise Problem(400, "Embedding input too large error")
    size = body.get("dimensions") or DIMENSIONS
    return {"embeddings": [{"index": i, "embedding": _vector(text, size)} for i, text in enumerate(texts)][::-1]}


def _vector(text: str, size: int) -> list[float]:
    vector = [0.0] * size
    for word in _words(text) or [text]:
        vector[int(hashlib.sha256(word[:6].encode()).hexdigest(), 16) % size] += 1.0
    length = math.hypot(*vector)
    return [value / length for value in vector]


def _overlap(query: str, text: str) -> float:
    wanted = {word[:6] for word in _words(query)}
    return len(wanted & {word[:6] for word in _words(text)}) / (len(wanted) + 1)


def _rerankings(body: Mapping[str, Any], texts: list[str]) -> dict[str, Any]:
    scored = [{"index": i, "score": _overlap(body["query"], text)} for i, text in enumerate(texts)]
    return {"results": sorted(scored, key=lambda item: -item["score"])[: body.get("top_n")]}


def _pieces(text: str, pattern: str) -> Iterator[tuple[int, int, str]]:
    for match in re.finditer(pattern, text):
        yield match.start(), match.end(), match[0]


def _extractions(body: Mapping[str, Any], texts: list[str]) -> dict[str, Any]:
    """The scores are small, as those of the real API are."""
    extractions = []
    for index, text in enumerate(texts):
        sentences = [(0.2 * _overlap(body["query"], s), start, end, s) for start, end, s in _pieces(text, r"[^\s.][^.]+\.")]
        best = sorted(sentences, key=lambda item: -item[0])[: body.get("top_k", 1)]
        answers = [{"text": s, "start": start, "end": end, "score": score} for score, start, end, s in best if score > 0]
        inextractable = 0.01 if answers and answers[0]["score"] > 0.08 else 0.6
        if inextractable > 0.5 and not body.get("ignore_inextractability"):
            answers = []
        extractions.append({"index": index, "answers": answers, "inextractability_score": inextractable})
    return {"extractions": extractions}


def _classifications(body: Mapping[str, Any], texts: list[str]) -> dict[str, Any]:
    wanted = [word for word in _words(body["query"]) if word not in ("clause", "this", "about", "that")]
    items = []
    for index, text in enumerate(texts):
        chunks = [
            {
                "index": n,
                "start": start,
                "end": end,
                "text": part,
                "score": 0.9 if any(w[:6] in part.lower() for w in wanted) else 0.1,
            }
            for n, (start, end, part) in enumerate(_pieces(text, r"\S(?:.|\n(?!\s*\n))*"))
        ]
        score = max((c["score"] for c in chunks), default=0.1)
        items.append({"index": index, "score": score, "chunks": sorted(chunks, key=lambda c: -c["score"])})
    return {"classifications": sorted(items, key=lambda item: -item["score"])}


def _enrichments(body: Mapping[str, Any], texts: list[str]) -> dict[str, Any]:
    if body.get("overflow_strategy") is None and any(_tokens(text) > WINDOW_TOKENS for text in texts):
        raise Problem(400, "Enrichment input too large error")
    return {"results": [{"index": i, "document": document(text)} for i, text in enumerate(texts)]}


def span(start: int, end: int) -> dict[str, int]:
    return {"start": start, "end": end}


def document(text: str) -> dict[str, Any]:
    """Returns the ILDGS document of a text whose headings have the form "Clause One: Title"."""
    heads = list(re.finditer(r"^(Clause [A-Z]\w+): (.+)$", text, re.M))
    segments = []
    for n, head in enumerate(heads):
        end = heads[n + 1].start() if n + 1 < len(heads) else len(text)
        end = head.start() + len(text[head.start() : end].rstrip())
        segments.append({
            "id": f"seg:{n}", "kind": "unit", "type": "clause", "category": "main", "type_name": None,
            "code": span(*head.span(1)), "title": span(*head.span(2)), "parent": None, "children": [], "level": 0,
            "span": span(head.start(), end),
        })  # fmt: skip
    terms = [
        {"id": f"term:{n}", "name": span(*m.span(1)), "meaning": span(*m.span(2)), "mentions": [span(*m.span(1))]}
        for n, m in enumerate(re.finditer(r"“(\w+)” means ([^.;]+)", text))
    ]
    kind = "contract" if "agree" in text.lower() else "other"
    return {
        "version": "ilgs@1", "text": text, "title": None, "subtitle": None, "type": kind, "jurisdiction": "AU-NSW",
        "segments": segments, "crossreferences": [], "locations": [], "persons": [], "emails": [], "websites": [],
        "phone_numbers": [], "id_numbers": [], "terms": terms, "external_documents": [], "quotes": [], "dates": [],
        "headings": [span(*head.span()) for head in heads], "junk": [],
    }  # fmt: skip


_ANSWERS = {
    "/embeddings": _embeddings,
    "/rerankings": _rerankings,
    "/extractions/qa": _extractions,
    "/classifications/universal": _classifications,
    "/enrichments": _enrichments,
}
