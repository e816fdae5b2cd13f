"""The program of a reader process."""

from __future__ import annotations

from typing import Any

from orderly.errors import Damaged
from orderly.services.document_processor.operations import OPERATIONS
from orderly.services.isolation import serve

_TOO_DEEP = "The file is nested too deeply to be read. Save it anew in a simpler form and upload it again."


def _answer(operation: str, argument: Any) -> object:
    try:
        return OPERATIONS[operation](argument)
    except RecursionError:
        raise Damaged(_TOO_DEEP) from None


if __name__ == "__main__":
    serve(_answer)
