"""Writes dates, times and durations as a number format shows them."""

from __future__ import annotations

import re
from datetime import date, datetime, time, timedelta

from orderly.services.document_processor.number_formats import FormatSection, Sign

_BY_READER = frozenset({"mm-dd-yy", "m/d/yy h:mm"})
"""Formats 14 and 22 of Excel: each computer shows them in its own way. They are written in ISO form, which all can read."""

_FRACTION_PLACE = "\ue000"
_FRACTION = re.compile(f"{_FRACTION_PLACE}+")
"""Places for fractions of a second."""

_SYSTEM_LOCALES = frozenset({"F800", "F400"})
_MONTHS = {
    "en": "January February March April May June July August September October November December",
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "nl": "januari februari maart april mei juni juli augustus september oktober november december",
    "pt": "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
}
_DAYS = {
    "en": "Monday Tuesday Wednesday Thursday Friday Saturday Sunday",
    "de": "Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag",
    "fr": "lundi mardi mercredi jeudi vendredi samedi dimanche",
    "es": "lunes martes miércoles jueves viernes sábado domingo",
    "it": "lunedì martedì mercoledì giovedì venerdì sabato domenica",
    "nl": "maandag dinsdag woensdag donderdag vrijdag zaterdag zondag",
    "pt": "segunda-feira terça-feira quarta-feira quinta-feira sexta-feira sábado domingo",
}
_LANGUAGES = {0x07: "de", 0x0C: "fr", 0x0A: "es", 0x10: "it", 0x13: "nl", 0x16: "pt"}
"""Primary languages of Windows' locale numbers."""


def write_date(value: date | time, number_format: str, section: FormatSection) -> str:
    """A date or time of day."""
    if number_format in _BY_READER or section.locale.upper() in _SYSTEM_LOCALES or not section.has("date"):
        return iso(value)
    moment = value if isinstance(value, datetime) else _as_moment(value)
    written = "".join(_shown(sign, at, moment, section) for at, sign in enumerate(section.signs)).strip()
    return _FRACTION.sub(lambda found: f"{moment.microsecond:06d}"[: len(found[0])], written)


def iso(value: date | time) -> str:
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == time() else value.isoformat(" ", "minutes")
    return value.isoformat()


def write_duration(value: timedelta, section: FormatSection) -> str:
    """A duration: its greatest unit, in brackets, counts on beyond the day."""
    seconds = round(abs(value.total_seconds()), 3)
    units = [sign.text[0].lower() for sign in section.signs if sign.kind in ("elapsed", "date")]
    if "s" not in units:
        seconds = int(seconds / 60 + 1e-9) * 60
    places = sum(sign.kind == "other" and sign.text == "0" for sign in section.signs)
    whole = int(seconds if places else seconds + 0.5)
    part = f"{seconds % 1:.3f}"[2 : 2 + places].ljust(places, "0")
    written: list[str] = []
    greatest = ""
    for sign in section.signs:
        unit = sign.text[:1].lower()
        size = {"h": 3600, "m": 60, "s": 1}.get(unit, 0)
        if sign.kind == "elapsed" and size:
            written.append(f"{whole // size:0{len(sign.text)}d}")
            greatest = unit
        elif sign.kind == "date" and size:
            rest = whole // size % ({"h": 24, "m": 60, "s": 60}[unit] if greatest != unit else 10**9)
            written.append(f"{rest:0{len(sign.text)}d}")
        elif sign.kind == "other" and sign.text == "0":
            written.append(part[:1])
            part = part[1:]
        else:
            written.append(sign.text)
    return ("-" if value < timedelta() else "") + "".join(written).strip()


def _as_moment(value: date | time) -> datetime:
    if isinstance(value, time):
        return datetime.combine(date(1899, 12, 30), value)
    return datetime.combine(value, time())


def _shown(sign: Sign, at: int, moment: datetime, section: FormatSection) -> str:
    if sign.kind == "half":
        half = "AM" if moment.hour < 12 else "PM"
        return half if len(sign.text) > 3 else half[0]
    if sign.kind != "date":
        return {"@": "", "0": _FRACTION_PLACE}.get(sign.text, sign.text) if sign.kind == "other" else sign.text
    unit, width = sign.text[0].lower(), len(sign.text)
    if unit == "m":
        return f"{moment.minute:0{min(width, 2)}d}" if _is_minute(section.signs, at) else _month(moment, width, section.locale)
    if unit == "y":
        return f"{moment.year:04d}" if width > 2 else f"{moment.year % 100:02d}"
    if unit == "d" and width > 2:
        name = _DAYS[_language(section.locale)].split()[moment.weekday()]
        return name if width > 3 else name[:3]
    hour = (moment.hour % 12 or 12) if section.has("half") else moment.hour
    return f"{ {'d': moment.day, 'h': hour, 's': moment.second}[unit]:0{min(width, 2)}d}"


def _month(moment: datetime, width: int, locale: str) -> str:
    if width <= 2:
        return f"{moment.month:0{width}d}"
    name = _MONTHS[_language(locale)].split()[moment.month - 1]
    return name[0] if width == 5 else name if width == 4 or width > 5 else name[:3]


def _is_minute(signs: tuple[Sign, ...], at: int) -> bool:
    """Whether an "m" stands for minutes: after hours or before seconds."""
    units = [(n, sign.text[0].lower()) for n, sign in enumerate(signs) if sign.kind in ("date", "elapsed")]
    here = next(place for place, (n, _) in enumerate(units) if n == at)
    return (here > 0 and units[here - 1][1] == "h") or (here + 1 < len(units) and units[here + 1][1] == "s")


def _language(locale: str) -> str:
    if locale[:2].lower() in _MONTHS and not locale[2:3].isalnum():
        return locale[:2].lower()
    try:
        return _LANGUAGES.get(int(locale.split(",", maxsplit=1)[0], 16) & 0x3FF, "en") if locale else "en"
    except ValueError:
        return "en"
