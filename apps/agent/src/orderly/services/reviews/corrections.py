"""Values that people write in place of an answer, read by the type of the column."""

from __future__ import annotations

import re

from orderly.errors import Invalid
from orderly.services.reviews.stated_values import FINDERS
from orderly.services.reviews.typed_values import date_value, duration_value, read_value
from orderly.store.functions.review_cells import AnswerType, CellValue

EXAMPLES: dict[AnswerType, str] = {
    "date": "a date, such as 2026-03-01, March 2026 or perpetual",
    "duration": "a period, such as 90 days, 12 months or perpetual",
    "money": "one amount, such as AUD 1,500.00",
    "number": "one number, such as 12 or 1,500",
    "yes_no": "yes or no",
    "jurisdiction": "a state or country, such as Victoria",
    "parties": "names, divided by semicolons",
}
WRONG_FORM = "'{text}' is not {wanted}."
UNCLEAR = "'{text}' does not say one value for certain: {why}. Write it as {wanted}."

_PERPETUAL = re.compile(r"(?:perpetual|no end(?: date)?|indefinite|without end)", re.IGNORECASE)
_YES_NO = re.compile(r"(?:(?P<yes>y|yes|true)|n|no|false)", re.IGNORECASE)
_ISO_DATE = re.compile(r"\d{4}(?:-(?:0[1-9]|1[0-2])(?:-\d\d)?)?")


def corrected_value(given: CellValue) -> CellValue:
    """The typed value of a correction, {type, text}. Raises Invalid with what is accepted."""
    kind, text = given["type"], " ".join(given["text"].split())
    if not text:
        raise Invalid("A correction says the value.")
    if kind in ("text", "choice"):
        return {**given, "text": text} if kind == "text" else {**given, "text": text, "choice": text}
    value = _read(kind, text)
    if value is None:
        raise Invalid(WRONG_FORM.format(text=text, wanted=EXAMPLES[kind]))
    if "conflict" in value:
        raise Invalid(UNCLEAR.format(text=text, why=value["conflict"], wanted=EXAMPLES[kind]))
    return value


def _read(kind: AnswerType, text: str) -> CellValue | None:
    match kind:
        case "yes_no":
            said = _YES_NO.fullmatch(text)
            yes = said is not None and said["yes"] is not None
            return {"type": kind, "text": "yes" if yes else "no", "yes": yes} if said else None
        case "parties":
            names = [name.strip() for name in text.split(";") if any(c.isalpha() for c in name)]
            if not names:
                return None
            return {"type": kind, "text": "; ".join(names), "parties": [{"name": name, "defined": None} for name in names]}
        case "jurisdiction":
            known = read_value(kind, text)
            if known is None and re.search(r"\d|^\W*$", text):
                return None
            return {"type": kind, "text": text, "jurisdiction": (known and known.get("jurisdiction")) or text}
        case "date" | "duration" if _PERPETUAL.fullmatch(text):
            return date_value("perpetual") if kind == "date" else duration_value("perpetual")
        case "date" if _ISO_DATE.fullmatch(text):
            return _iso_date(text)
        case _:
            return read_value(kind, text) if _is_whole(kind, text) else None


def _iso_date(text: str) -> CellValue | None:
    read = read_value("date", text) if text.count("-") == 2 else date_value(text)
    return read if read is not None and read.get("iso") == text else None


def _is_whole(kind: AnswerType, text: str) -> bool:
    """Whether one value is all that the text says: "not 12" and "-3" are no number that rules read."""
    spans = [(found.start, found.end) for found in FINDERS[kind](text)]
    return bool(spans) and not re.search(r"[\w-]", text[: spans[0][0]] + text[spans[-1][1] :])
