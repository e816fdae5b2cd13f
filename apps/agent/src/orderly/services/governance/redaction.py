"""Takes the words of deleted documents out of stored conversations, before a purge forgets what those words were."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Sequence
from typing import Any, Protocol

from pydantic import BaseModel

from orderly.store.base import WorkerStore
from orderly.store.functions.conversations import next_redaction, redaction_done

RUN = 6
"""Words in a row, as they stand in the document, that count as its own. Shorter runs are anybody's."""
FEWEST = 3
"""Words of a document so short that no run of it would be long enough."""
MARK = "[words of a deleted document]"
OF_A_RECORD = frozenset({"text", "quote", "caption", "words", "description"})
"""What a record that names its document holds of the document's words, however short."""

_WORD = re.compile(r"\w+")


class Conversations(Protocol):
    async def redact(self, thread_ids: Sequence[str], redactor: Redactor) -> bool:
        """All of them or none. False while one of them is answering."""
        ...


class Redactor:
    """Knows one document's words."""

    def __init__(self, document_id: str, texts: Iterable[str]) -> None:
        self._document_id = document_id
        self._runs: set[tuple[str, ...]] = set()
        for text in texts:
            words = [m[0].casefold() for m in _WORD.finditer(text)]
            length = min(RUN, len(words))
            if length >= FEWEST:
                self._runs.update(zip(*(words[n:] for n in range(length)), strict=False))
        self._lengths = sorted({len(run) for run in self._runs})

    def text(self, text: str) -> str:
        """With every run of the document's words marked as removed."""
        found = [(m.start(), m.end(), m[0].casefold()) for m in _WORD.finditer(text)]
        words = [word for _, _, word in found]
        taken = [False] * len(words)
        for length in self._lengths:
            for n in range(len(words) - length + 1):
                if tuple(words[n : n + length]) in self._runs:
                    taken[n : n + length] = [True] * length
        parts, at, n = [], 0, 0
        while n < len(found):
            if not taken[n]:
                n += 1
                continue
            last = n
            while last + 1 < len(found) and taken[last + 1]:
                last += 1
            parts += [text[at : found[n][0]], MARK]
            at, n = found[last][1], last + 1
        return "".join([*parts, text[at:]]) if parts else text

    def value(self, found: Any) -> Any:
        """The same, through whatever a conversation is made of; what holds none of the words is given back as it is."""
        if isinstance(found, str):
            return self.text(found)
        if isinstance(found, dict):
            return self._mapping(found)
        if isinstance(found, (list, tuple, set, frozenset)):
            parts = [self.value(part) for part in found]
            return found if all(a is b for a, b in zip(parts, found, strict=True)) else self._like(found, parts)
        if isinstance(found, BaseModel):
            changed = self._changed(found.__dict__)
            return found.model_copy(update=changed) if changed else found
        if dataclasses.is_dataclass(found) and not isinstance(found, type):
            changed = self._changed({f.name: getattr(found, f.name) for f in dataclasses.fields(found) if f.init})
            return dataclasses.replace(found, **changed) if changed else found
        return found

    def _like(self, found: Any, parts: list[Any]) -> Any:
        """A named tuple takes its values one by one."""
        return type(found)(*parts) if hasattr(found, "_fields") else type(found)(parts)

    def _mapping(self, found: dict[Any, Any]) -> dict[Any, Any]:
        changed = self._changed(found)
        if found.get("document_id") == self._document_id:
            changed |= {name: MARK for name in OF_A_RECORD & found.keys() if isinstance(found[name], str) and found[name]}
        return {**found, **changed} if changed else found

    def _changed(self, values: dict[Any, Any]) -> dict[Any, Any]:
        redacted = {name: self.value(value) for name, value in values.items()}
        return {name: value for name, value in redacted.items() if value is not values[name]}


async def redact_conversations(worker: WorkerStore, conversations: Conversations) -> bool:
    """Whether all that is deleted has been taken out; False: a conversation is answering, and it is tried again later."""
    while (due := await next_redaction(worker)) is not None:
        if not await conversations.redact(due["threads"], Redactor(due["document_id"], due["texts"])):
            return False
        await redaction_done(worker, due["document_id"])
    return True
