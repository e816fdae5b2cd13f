"""All error types of Orderly.

    OrderlyError
    ├── Denied                     the caller is not authenticated or lacks the permission
    │   └── UnknownCaller          the claims name nobody, or a person whose access is revoked
    ├── NotFound                   missing or forbidden: both give the same message, so ids cannot be probed
    │   ├── MatterNotFound
    │   └── DocumentNotFound
    ├── Invalid                    the request cannot be fulfilled as sent: the caller can correct it
    │   ├── TooLarge               the file exceeds the size limit
    │   └── Conflict               the object already exists, or a hold blocks the request
    │       ├── AlreadyThere       the matter holds the same content or the same file name, and no duplicate policy was given
    │       ├── ChatFull           the chat holds the maximum number of files
    │       ├── Changed            the object changed since the caller read it
    │       └── TakenOver          the lease is lost: another worker has the document
    ├── TooBusy                    the user has the most calls under way or waiting that one may have
    ├── TookTooLong                stopped at the time limit
    ├── NotReady                   the document is still being processed
    ├── Unreadable                 no text can be read from the file; the message states the reason
    │   ├── PasswordProtected
    │   ├── Damaged
    │   ├── Empty
    │   ├── TooCostly              reading exceeds the time or memory limit
    │   └── Unsupported
    ├── StorageFailed              a blob could not be read or written
    ├── StoreUnavailable           the database cannot be reached
    ├── EngineFailed               the legal engine gave no usable answer
    │   ├── EngineUnavailable      not reached, timed out, or refused temporarily: a retry may succeed
    │   ├── EngineRefused          refused permanently: the same request will fail again
    │   │   ├── EngineKeyRejected
    │   │   └── EngineAccountBlocked
    │   └── EngineMisbehaved       the reply does not have the documented form
    ├── ModelFailed                the chat model gave no usable reply
    ├── SightFailed                the visual search or the vision model failed
    ├── OcrFailed                  the vision endpoint or the offline OCR failed
    └── Misconfigured              a setting is missing or wrong: for the operator

`message` may be shown to any caller: it never holds a token, a key, another user's data or a path. `operator` replaces it on
the command line, which is the operator's: it may name hosts, paths and statements, and never a password.
Causes stay in `__cause__` and in the log. No error inherits from ValueError, whose message the LangGraph server shows.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal


class OrderlyError(Exception):
    """Base class of expected failures. `message` may be shown to any caller, `operator` on the command line alone."""

    def __init__(self, message: str, *, operator: str = "") -> None:
        super().__init__(message)
        self.message, self.operator = message, operator or message


class Denied(OrderlyError):
    """The caller is not authenticated or lacks the permission."""


class UnknownCaller(Denied):
    """The claims name nobody, or a person whose access is revoked."""


class NotFound(OrderlyError):
    """Missing or forbidden."""


class MatterNotFound(NotFound):
    def __init__(self, matter_id: str) -> None:
        super().__init__(f"Matter {matter_id} not found or you don't have access.")
        self.matter_id = matter_id


class DocumentNotFound(NotFound):
    def __init__(self, document_id: str) -> None:
        super().__init__(f"Document {document_id} not found or you don't have access.")
        self.document_id = document_id


class Invalid(OrderlyError):
    """The request cannot be fulfilled; the message says what is accepted."""


class TooLarge(Invalid):
    """The file exceeds the size limit."""


class Conflict(Invalid):
    """The object already exists, or a hold blocks the request."""


class AlreadyThere(Conflict):
    """A duplicate exists. `same_content`, `same_name`: the existing document as listed by the store."""

    def __init__(self, filename: str, same_content: Mapping[str, Any] | None, same_name: Mapping[str, Any] | None) -> None:
        how = "This content is in the matter already" if same_content else "Another file of this name is in the matter"
        super().__init__(f"{filename}: {how}. Say whether to skip it, keep both, or make it a new version.")
        self.same_content, self.same_name = same_content, same_name


class ChatFull(Conflict):
    """The chat holds the maximum number of files."""


class Changed(Conflict):
    """The object changed since the caller read it; the caller's change was not made."""


class TakenOver(Conflict):
    """The worker's lease is lost: another worker has the document."""


class TooBusy(OrderlyError):
    """The user has the most calls under way or waiting that one may have."""


class TookTooLong(OrderlyError):
    """The operation was stopped at its time limit."""


class NotReady(OrderlyError):
    """The document has no searchable revision yet."""

    def __init__(self, message: str = "Document is still being processed. Please wait and try again.") -> None:
        super().__init__(message)


class Unreadable(OrderlyError):
    """No text can be read from the file. `status`: the resulting document status."""

    status: Literal["failed", "unsupported"] = "failed"


class PasswordProtected(Unreadable):
    def __init__(self) -> None:
        super().__init__("The file is password-protected. Upload a copy without a password.")


class Protected(Unreadable):
    """The content is encrypted for its recipients."""

    @classmethod
    def by(cls, how: str, what: str = "message") -> Protected:
        """The error with its full message. `how`: the method, as in "S/MIME"."""
        return cls(
            f"The {what} is protected by {how}, so its text is encrypted and could not be read. "
            "Open it as its recipient, and upload a copy saved without protection."
        )


class Damaged(Unreadable):
    """The file violates its format and could not be repaired."""


class Empty(Unreadable):
    """The file holds no text."""


class TooCostly(Unreadable):
    """Reading was stopped at the time or memory limit."""


class Unsupported(Unreadable):
    """No reader exists for this file type."""

    status = "unsupported"


class StorageFailed(OrderlyError):
    """A blob could not be read or written."""


class StoreUnavailable(OrderlyError):
    """The database cannot be reached."""


class EngineFailed(OrderlyError):
    """The legal engine gave no usable answer."""


class EngineUnavailable(EngineFailed):
    """Connection error, timeout or temporary refusal (408, 409, 429, 5xx) after the last retry."""


class EngineRefused(EngineFailed):
    """The engine refuses this request permanently (400, 413)."""


class EngineKeyRejected(EngineRefused):
    """The API key is invalid or lacks the permission (401, 403)."""


class EngineAccountBlocked(EngineRefused):
    """The account is overdue or has no subscription (402)."""


class EngineMisbehaved(EngineFailed):
    """The reply does not have the documented form."""


class ModelFailed(OrderlyError):
    """The chat model gave no usable reply.

    Args:
        code: Name of the failure, for programs.
        message: A sentence for the person who asked.
        may_pass: Whether the same request may succeed on a retry.
        retry_after: Seconds that the endpoint asks to wait.
    """

    def __init__(self, code: str, message: str, *, may_pass: bool = False, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.code, self.may_pass, self.retry_after = code, may_pass, retry_after


class RunFailed(OrderlyError):
    """A run could not be started, or ended without an answer."""


class SightFailed(OrderlyError):
    """The visual search or the vision model failed."""


class OcrFailed(OrderlyError):
    """OCR failed, as opposed to an empty page."""


class Misconfigured(OrderlyError):
    """A setting is missing or contradicts another."""
