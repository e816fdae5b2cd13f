"""Every failure that Orderly knows by name.

    OrderlyError
    ├── Denied                     who is calling is unknown, or may not do this
    ├── NotFound                   missing or forbidden: the two read the same, so that nobody can probe for ids
    │   ├── MatterNotFound
    │   └── DocumentNotFound
    ├── Invalid                    what was asked cannot be: the caller can mend it
    │   ├── TooLarge               a file past the limit on its size
    │   └── Conflict               it exists already, or a hold stands in the way
    │       ├── AlreadyThere       the matter holds this content, or another file of this name, and nobody said what to do then
    │       ├── ChatFull           a chat holds as many files as it may
    │       ├── Changed            it is not any more what the caller saw
    │       └── TakenOver          another worker has the document now: this one must leave it alone
    ├── TookTooLong                stopped at its time limit
    ├── NotReady                   the document is still being processed
    ├── Unreadable                 a file gives no text, with the reason in plain words
    │   ├── PasswordProtected
    │   ├── Damaged
    │   ├── Empty
    │   ├── TooCostly              it takes more time or memory than one file may
    │   └── Unsupported
    ├── StorageFailed              a blob could not be read or written
    ├── StoreUnavailable           the database cannot be reached
    ├── EngineFailed               the legal engine gave no answer
    │   ├── EngineUnavailable      never arrived, timed out, or refused for now: trying again may help
    │   ├── EngineRefused          arrived and was refused: the same request will be refused again
    │   │   ├── EngineKeyRejected
    │   │   └── EngineAccountBlocked
    │   └── EngineMisbehaved       answered, but not in the documented form
    ├── SightFailed                the service that sees pages, or the vision model, gave no answer
    ├── OcrFailed                  the vision endpoint or the offline OCR gave no answer
    └── Misconfigured              a setting is missing or wrong: for the operator

`message` may be shown to anyone who could cause the error: it never holds a token, a key, another user's data or a path.
Causes stay in `__cause__` and in the log. None of these inherits from ValueError, which the LangGraph server echoes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal


class OrderlyError(Exception):
    """Something went wrong in a way that Orderly expects and can say."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class Denied(OrderlyError):
    """The caller is not signed in, or may not do this."""


class NotFound(OrderlyError):
    """Missing, or not the caller's to see."""


class MatterNotFound(NotFound):
    def __init__(self, matter_id: str) -> None:
        super().__init__(f"Matter {matter_id} not found or you don't have access.")
        self.matter_id = matter_id


class DocumentNotFound(NotFound):
    def __init__(self, document_id: str) -> None:
        super().__init__(f"Document {document_id} not found or you don't have access.")
        self.document_id = document_id


class Invalid(OrderlyError):
    """What was asked for cannot be; the message says what would be accepted."""


class TooLarge(Invalid):
    """The file is larger than is accepted."""


class Conflict(Invalid):
    """It exists already, or something that must stay stands in the way."""


class AlreadyThere(Conflict):
    """What is there, as the store lists documents: of the same content, and else of the same name."""

    def __init__(self, filename: str, same_content: Mapping[str, Any] | None, same_name: Mapping[str, Any] | None) -> None:
        how = "This content is in the matter already" if same_content else "Another file of this name is in the matter"
        super().__init__(f"{filename}: {how}. Say whether to skip it, keep both, or make it a new version.")
        self.same_content, self.same_name = same_content, same_name


class ChatFull(Conflict):
    """A chat holds as many files as it may."""


class Changed(Conflict):
    """It was changed since the caller looked, so the caller's change was not made."""


class TakenOver(Conflict):
    """The claim under which a worker acted is no longer the document's."""


class TookTooLong(OrderlyError):
    """It was not done within its time limit and was stopped."""


class NotReady(OrderlyError):
    """The document has no searchable revision yet."""

    def __init__(self, message: str = "Document is still being processed. Please wait and try again.") -> None:
        super().__init__(message)


class Unreadable(OrderlyError):
    """A file gives no text. `status` is the document status that follows from it."""

    status: Literal["failed", "unsupported"] = "failed"


class PasswordProtected(Unreadable):
    def __init__(self) -> None:
        super().__init__("The file is password-protected. Upload a copy without a password.")


class Damaged(Unreadable):
    """The file is not what its format promises and could not be repaired."""


class Empty(Unreadable):
    """The file opens, but there is no text in it."""


class TooCostly(Unreadable):
    """Reading it was stopped: it takes more time or memory than one file may."""


class Unsupported(Unreadable):
    """No reader for this kind of file."""

    status = "unsupported"


class StorageFailed(OrderlyError):
    """A stored file could not be read or written."""


class StoreUnavailable(OrderlyError):
    """The database cannot be reached just now."""


class EngineFailed(OrderlyError):
    """The legal engine gave no usable answer."""


class EngineUnavailable(EngineFailed):
    """Connection failed, timed out, or refused for now (408, 409, 429, 5xx) after the last retry."""


class EngineRefused(EngineFailed):
    """The engine refused this request and would refuse it again (400, 413)."""


class EngineKeyRejected(EngineRefused):
    """The API key is wrong or not allowed (401, 403)."""


class EngineAccountBlocked(EngineRefused):
    """The account is overdue or has no subscription (402)."""


class EngineMisbehaved(EngineFailed):
    """The reply is not in the documented form."""


class SightFailed(OrderlyError):
    """What sees pages gave no answer: the search by sight, or the vision model."""


class OcrFailed(OrderlyError):
    """No text could be recognised because the recogniser failed, which is not the same as an empty page."""


class Misconfigured(OrderlyError):
    """A setting is missing or contradicts another."""
