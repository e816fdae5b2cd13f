"""What log lines carry beside their sentence: the request that they belong to. JSON where a setting asks for it."""

from __future__ import annotations

import json
import logging
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any

request_id: ContextVar[str] = ContextVar("request_id", default="")


def carry_request_ids() -> None:
    """From now on every record has the id of its request; servers that write fields of records as JSON write this one, too."""
    plain = logging.getLogRecordFactory()
    if getattr(plain, "carries_request_ids", False):
        return

    def made(*args: Any, **kwargs: Any) -> logging.LogRecord:
        record = plain(*args, **kwargs)
        if given := request_id.get():
            record.request_id = given
        return record

    made.carries_request_ids = True  # type: ignore[attr-defined]
    logging.setLogRecordFactory(made)


class JsonLines(logging.Formatter):
    """One object a line: at, level, logger, event, and request_id and error where there are some."""

    def format(self, record: logging.LogRecord) -> str:
        line = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(),
            "level": record.levelname.lower(),
            "logger": record.name,
            "event": record.getMessage(),
        }
        if given := getattr(record, "request_id", ""):
            line["request_id"] = given
        if record.exc_info:
            line["error"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False)


def to_standard_error(level: int, *, as_json: bool) -> None:
    """For programs that have no server to set logging up for them."""
    handler = logging.StreamHandler()
    carry_request_ids()
    handler.setFormatter(JsonLines() if as_json else logging.Formatter("%(asctime)s %(message)s"))
    logging.basicConfig(handlers=[handler])
    logging.getLogger("orderly").setLevel(level)
