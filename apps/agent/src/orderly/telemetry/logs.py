"""Adds request ids to log records and formats records as JSON lines."""

from __future__ import annotations

import json
import logging
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any

request_id: ContextVar[str] = ContextVar("request_id", default="")


def carry_request_ids() -> None:
    """Installs a log record factory that sets `request_id`. Idempotent."""
    previous_factory = logging.getLogRecordFactory()
    if getattr(previous_factory, "carries_request_ids", False):
        return

    def factory(*args: Any, **kwargs: Any) -> logging.LogRecord:
        record = previous_factory(*args, **kwargs)
        if current_id := request_id.get():
            record.request_id = current_id
        return record

    factory.carries_request_ids = True  # type: ignore[attr-defined]
    logging.setLogRecordFactory(factory)


class JsonLines(logging.Formatter):
    """One JSON object per line: at, level, logger, event, and optionally request_id and error."""

    def format(self, record: logging.LogRecord) -> str:
        line = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(),
            "level": record.levelname.lower(),
            "logger": record.name,
            "event": record.getMessage(),
        }
        if current_id := getattr(record, "request_id", ""):
            line["request_id"] = current_id
        if record.exc_info:
            line["error"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False)


def log_to_standard_error(level: int, *, as_json: bool) -> None:
    """Configures logging to standard error, for programs without a server that does."""
    handler = logging.StreamHandler()
    carry_request_ids()
    handler.setFormatter(JsonLines() if as_json else logging.Formatter("%(asctime)s %(message)s"))
    logging.basicConfig(handlers=[handler])
    logging.getLogger("orderly").setLevel(level)
