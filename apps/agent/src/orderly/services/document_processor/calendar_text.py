"""The words of a calendar file (RFC 5545): what a mail program shows of an invitation."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

_FOLD = re.compile(r"\r?\n[ \t]")
_PROPERTY = re.compile(r"""([\w-]+)((?:;[\w-]+=(?:"[^"]*"|[^":;])*)*):(.*)""", re.DOTALL)
_PARAMETER = re.compile(r""";([\w-]+)=("[^"]*"|[^";]*)""")
_TIME = re.compile(r"(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)?(Z)?)?")
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_SHOWN = ("VEVENT", "VTODO", "VJOURNAL", "VFREEBUSY")
_TITLES = {
    "REQUEST": "Invitation",
    "CANCEL": "Cancelled meeting",
    "REPLY": "Reply to an invitation",
    "COUNTER": "Proposed change",
}
_NAMES = {
    "SUMMARY": "Summary", "STATUS": "Status", "DTSTART": "Start", "DTEND": "End", "DUE": "Due", "DURATION": "Duration",
    "RRULE": "Repeats", "RDATE": "Also on", "EXDATE": "Not on", "RECURRENCE-ID": "Instead of", "LOCATION": "Location",
    "ORGANIZER": "Organizer", "ATTENDEE": "Attendee", "CONTACT": "Contact", "URL": "Link", "COMMENT": "Comment",
    "DESCRIPTION": "Description",
}  # fmt: skip
_TIMES = frozenset(("DTSTART", "DTEND", "DUE", "RDATE", "EXDATE", "RECURRENCE-ID"))
_NO_ANSWER = "NEEDS-ACTION"
_PEOPLE = frozenset(("ORGANIZER", "ATTENDEE"))

Property = tuple[str, dict[str, str], str]
"""Name, parameters and value."""


def calendar_text(source: str) -> str:
    """Meetings and tasks of a calendar, a line for each property; empty if there are none."""
    parts: list[str] = []
    method, inside, found = "", [""], list[Property]()
    for name, parameters, value in _properties(source):
        if name == "METHOD":
            method = value.strip().upper()
        elif name == "BEGIN":
            inside.append(value.strip().upper())
        elif name == "END":
            ended = inside.pop() if len(inside) > 1 else ""
            if ended in _SHOWN:
                parts.append("\n".join([f"[{_TITLES.get(method, 'Calendar')}]", *_lines(found)]))
                found = []
        elif inside[-1] in _SHOWN:
            found.append((name, parameters, value))
    return "\n\n".join(parts)


def _properties(source: str) -> Iterator[Property]:
    for line in _FOLD.sub("", source).splitlines():
        if match := _PROPERTY.fullmatch(line):
            parameters = {name.upper(): value.strip('"') for name, value in _PARAMETER.findall(match[2])}
            yield match[1].upper(), parameters, match[3]


def _lines(found: Sequence[Property]) -> Iterator[str]:
    for wanted, label in _NAMES.items():
        for name, parameters, value in found:
            if name == wanted and (text := _shown(name, parameters, value)):
                yield f"{label}: {text}"


def _shown(name: str, parameters: dict[str, str], value: str) -> str:
    if name in _TIMES:
        zone = f" ({parameters['TZID']})" if "TZID" in parameters else ""
        return _TIME.sub(_time, value) + zone
    if name in _PEOPLE:
        address = re.sub(r"(?i)^mailto:", "", value.strip())
        answer = f" ({parameters['PARTSTAT'].lower()})" if parameters.get("PARTSTAT", _NO_ANSWER).upper() != _NO_ANSWER else ""
        return (f"{parameters['CN']} <{address}>" if parameters.get("CN") else address) + answer
    return _ESCAPE.sub(lambda found: "\n" if found[1] in "nN" else found[1], value).strip()


def _time(found: re.Match[str]) -> str:
    day = f"{found[1]}-{found[2]}-{found[3]}"
    return day if found[4] is None else f"{day} {found[4]}:{found[5]}{' UTC' if found[7] else ''}"
