"""OpenTelemetry traces, active if an OTLP endpoint is set and the optional libraries are installed.

Attributes hold names, counts and times, never text of a question or a document.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec
from typing import Any

ENDPOINTS = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")


def wanted() -> bool:
    """Whether the environment variables enable tracing."""
    named = any(os.environ.get(name) for name in ENDPOINTS)
    return named and os.environ.get("OTEL_SDK_DISABLED", "").lower() != "true"


@cache
def provider() -> Any:
    """The tracer provider; None if tracing is off. The exporter sends from a background thread and flushes at exit."""
    if not wanted() or find_spec("opentelemetry.sdk") is None or find_spec("opentelemetry.exporter.otlp.proto.http") is None:
        return None
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter  # noqa: PLC0415  # an optional extra
    from opentelemetry.sdk.resources import Resource  # noqa: PLC0415
    from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415
    from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415

    named = {} if os.environ.get("OTEL_SERVICE_NAME") else {"service.name": "orderly"}
    made = TracerProvider(resource=Resource.create(named))
    made.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return made


@contextmanager
def span(name: str, **attributes: str | int | float) -> Iterator[None]:
    """Opens a span of the current trace; does nothing if tracing is off."""
    if (traced := provider()) is None:
        yield
        return
    tracer = traced.get_tracer("orderly")
    # Error messages may hold document names, so only the error type is recorded.
    with tracer.start_as_current_span(
        name, attributes=attributes, record_exception=False, set_status_on_exception=False
    ) as made:
        try:
            yield
        except BaseException as error:
            from opentelemetry.trace import Status, StatusCode  # noqa: PLC0415

            made.set_status(Status(StatusCode.ERROR, type(error).__name__))
            raise
