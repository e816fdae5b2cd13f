"""Text of a calendar invitation (RFC 5545): what a person sees of its events, one field a line."""

from __future__ import annotations

import re
from collections.abc import Iterator

_FOLDED = re.compile(r"\r?\n[ \t]")
_FIELD = re.compile(r"(?P<name>[A-Za-z-]+)(?P<parameters>(?:;[^:\"]*(?:\"[^\"]*\"[^:\"]*)*)?):(?P<value>.*)")
_NAMED = re.compile(r';CN=(?:"([^"]*)"|([^;:]*))', re.IGNORECASE)
_ZONE = re.compile(r';TZID=(?:"([^"]*)"|([^;:]*))', re.IGNORECASE)
_TIME = re.compile(r"(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)\d\d(Z?))?\Z")
_ESCAPED = re.compile(r"\\([nN,;\\])")
SHOWN = {
    "SUMMARY": "Summary", "STATUS": "Status", "DTSTART": "Start", "DTEND": "End", "DUE": "Due", "DURATION": "Duration",
    "RRULE": "Repeats", "LOCATION": "Location", "ORGANIZER": "Organizer", "ATTENDEE": "Attendee",
    "DESCRIPTION": "Description", "COMMENT": "Comment",
}  # fmt: skip
"""Fields of an event, and what they are called in the text."""
_TIMES = ("DTSTART", "DTEND", "DUE")
_PEOPLE = ("ORGANIZER", "ATTENDEE")


def calendar_text(text: str) -> str:
    """The events of a calendar; times as "2025-03-17 23:00 UTC", or with the name of their zone."""
    return "\n\n".join("\n".join(event) for event in _events(_FOLDED.sub("", text)) if event)


def _events(text: str) -> Iterator[list[str]]:
    lines: list[str] = []
    inside = 0
    for line in text.splitlines():
        field = _FIELD.match(line)
        if field is None:
            continue
        name, value = field["name"].upper(), field["value"]
        if name == "BEGIN":
            inside = 1 if value.upper() in ("VEVENT", "VTODO") else inside + bool(inside)
            lines = ["[Calendar]"] if inside == 1 else lines
        elif name == "END" and inside:
            inside -= 1
            if not inside:
                yield lines
        elif inside == 1 and name in SHOWN and value.strip():
            lines.append(f"{SHOWN[name]}: {_shown(name, field['parameters'], value)}")


def _shown(name: str, parameters: str, value: str) -> str:
    if name in _TIMES:
        return _time(value.strip(), _first(_ZONE, parameters))
    if name in _PEOPLE:
        address = re.sub(r"(?i)^mailto:", "", value.strip())
        person = _first(_NAMED, parameters)
        return f"{person} <{address}>" if person else address
    return _ESCAPED.sub(lambda found: "\n" if found[1] in "nN" else found[1], value).strip()


def _first(pattern: re.Pattern[str], parameters: str) -> str:
    found = pattern.search(parameters)
    return (found[1] or found[2] or "").strip() if found else ""


def _time(value: str, zone: str) -> str:
    found = _TIME.match(value)
    if found is None:
        return value
    year, month, day, hour, minute, universal = found.groups()
    clock = f" {hour}:{minute}" if hour else ""
    return f"{year}-{month}-{day}{clock}{' UTC' if universal else f' ({zone})' if zone else ''}"
