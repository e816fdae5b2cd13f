"""Redacts the words of deleted documents from stored conversations and responses, before a purge deletes the texts."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Sequence
from typing import Any, Protocol

from pydantic import BaseModel

from orderly.store.base import WorkerStore
from orderly.store.functions.conversations import next_redaction, redaction_done
from orderly.store.functions.responses import redact_response, responses_of

RUN_WORDS = 6
"""Length of a run of consecutive words that identifies a document. Shorter runs are too common."""
MIN_RUN_WORDS = 3
"""Minimum length of a run, for documents shorter than RUN_WORDS."""
MARK = "[words of a deleted document]"
QUOTING_FIELDS = frozenset({"text", "quote", "caption", "words", "description"})
"""Fields of a citation record that hold words of its document. Redacted at any length."""

_WORD = re.compile(r"\w+")


class Conversations(Protocol):
    async def redact(self, thread_ids: Sequence[str], redactor: Redactor) -> bool:
        """Redacts all threads or none. False while one of them has an active run."""
        ...


class Redactor:
    """Removes the words of one document from text and nested values."""

    def __init__(self, document_id: str, texts: Iterable[str]) -> None:
        self._document_id = document_id
        self._runs: set[tuple[str, ...]] = set()
        for text in texts:
            words = [m[0].casefold() for m in _WORD.finditer(text)]
            length = min(RUN_WORDS, len(words))
            if length >= MIN_RUN_WORDS:
                self._runs.update(zip(*(words[n:] for n in range(length)), strict=False))
        self._lengths = sorted({len(run) for run in self._runs})

    def text(self, text: str) -> str:
        """Replaces every run of the document's words by MARK."""
        found = [(m.start(), m.end(), m[0].casefold()) for m in _WORD.finditer(text)]
        words = [word for _, _, word in found]
        redacted = [False] * len(words)
        for length in self._lengths:
            for n in range(len(words) - length + 1):
                if tuple(words[n : n + length]) in self._runs:
                    redacted[n : n + length] = [True] * length
        parts, at, n = [], 0, 0
        while n < len(found):
            if not redacted[n]:
                n += 1
                continue
            last = n
            while last + 1 < len(found) and redacted[last + 1]:
                last += 1
            parts += [text[at : found[n][0]], MARK]
            at, n = found[last][1], last + 1
        return "".join([*parts, text[at:]]) if parts else text

    def value(self, found: Any) -> Any:
        """Redacts strings in nested containers, models and dataclasses. Returns the same object if nothing changes."""
        if isinstance(found, str):
            return self.text(found)
        if isinstance(found, dict):
            return self._mapping(found)
        if isinstance(found, (list, tuple, set, frozenset)):
            parts = [self.value(part) for part in found]
            return found if all(a is b for a, b in zip(parts, found, strict=True)) else self._rebuild(found, parts)
        if isinstance(found, BaseModel):
            changed = self._redacted_fields(found.__dict__)
            return found.model_copy(update=changed) if changed else found
        if dataclasses.is_dataclass(found) and not isinstance(found, type):
            changed = self._redacted_fields({f.name: getattr(found, f.name) for f in dataclasses.fields(found) if f.init})
            return dataclasses.replace(found, **changed) if changed else found
        return found

    def _rebuild(self, found: Any, parts: list[Any]) -> Any:
        """Creates a container of the same type. Named tuples take positional values."""
        return type(found)(*parts) if hasattr(found, "_fields") else type(found)(parts)

    def _mapping(self, found: dict[Any, Any]) -> dict[Any, Any]:
        changed = self._redacted_fields(found)
        if found.get("document_id") == self._document_id:
            changed |= {name: MARK for name in QUOTING_FIELDS & found.keys() if isinstance(found[name], str) and found[name]}
        return {**found, **changed} if changed else found

    def _redacted_fields(self, values: dict[Any, Any]) -> dict[Any, Any]:
        redacted = {name: self.value(value) for name, value in values.items()}
        return {name: value for name, value in redacted.items() if value is not values[name]}


async def redact_conversations(worker: WorkerStore, conversations: Conversations | None) -> bool:
    """Redacts all deleted documents. False if a conversation has an active run; the next purge then retries.

    `conversations`: None if the installation has no production server. Stored responses are redacted then too, but no document
    is marked as redacted.
    """
    after: str | None = None
    while (due := await next_redaction(worker, after=after)) is not None:
        after = due["document_id"]
        redactor = Redactor(after, due["texts"])
        if conversations is not None and not await conversations.redact(due["threads"], redactor):
            return False
        await _redact_responses(worker, due["threads"], redactor)
        if conversations is not None:
            await redaction_done(worker, after)
    return True


async def _redact_responses(worker: WorkerStore, threads: list[str], redactor: Redactor) -> None:
    """A response whose citations include the document is deleted with it; others may hold its words too."""
    for response in await responses_of(worker, threads):
        redacted = redactor.value(response["body"])
        if redacted is not response["body"]:
            await redact_response(worker, response["response_id"], redacted)
