"""The program that reads files, as its process pool sees it: its module, and the words for what stops a reader."""

from __future__ import annotations

from orderly.errors import Damaged, Empty, OcrFailed, OrderlyError, PasswordProtected, Protected, TooCostly, Unsupported

_REPORTED: dict[str, type[OrderlyError]] = {
    kind.__name__: kind for kind in (Damaged, Empty, OcrFailed, Protected, TooCostly, Unsupported)
}

_PAGE_OPERATIONS = {"draw", "recognise", "show"}
"""Work on one page; the others work on a file."""


class ReaderProgram:
    """Satisfies `ChildProgram`."""

    module = "orderly.services.document_processor.child"

    def reported(self, error: str, message: str) -> OrderlyError:
        return PasswordProtected() if error == PasswordProtected.__name__ else _REPORTED[error](message)

    def too_long(self, operation: str, seconds: float) -> TooCostly:
        what = "page" if operation in _PAGE_OPERATIONS else "file"
        return TooCostly(
            f"Reading the {what} took longer than {seconds:,.0f} seconds, the limit for one {what}, so it was not read. "
            "Split the file, or save it anew in a simpler form."
        )

    def too_much_memory(self, memory_mb: int) -> TooCostly:
        return TooCostly(
            f"Reading the file takes more than {memory_mb:,} MB of memory, the limit for one file, so it was not read. "
            "Split it, or save it anew without what makes it so large."
        )

    def crashed(self) -> Damaged:
        return Damaged("The file brought down the program that reads it, so it was not read. Save it anew and upload it again.")


READER = ReaderProgram()
