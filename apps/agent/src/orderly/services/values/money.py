"""Finds amounts of money with their currency."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal

from orderly.services.values.numbers import WORDS, parse_words

_SIGNS = {
    "A$": "AUD", "AU$": "AUD", "US$": "USD", "C$": "CAD", "CA$": "CAD", "NZ$": "NZD", "HK$": "HKD", "S$": "SGD",
    "€": "EUR", "£": "GBP", "¥": "JPY", "₹": "INR", "RMB": "CNY", "₩": "KRW", "₪": "ILS", "$": None,
}  # fmt: skip
_CODES = (
    "AUD USD EUR GBP JPY CNY CAD NZD CHF HKD SGD INR SEK NOK DKK ZAR KRW ILS BRL MXN PGK FJD THB MYR IDR PHP TWD AED SAR COP"
)
_NAMES = {
    r"australian\s+dollars?": "AUD", r"canadian\s+dollars?": "CAD", r"new\s+zealand\s+dollars?": "NZD",
    r"(?:united\s+states|u\.?s\.?)\s+dollars?": "USD", r"hong\s+kong\s+dollars?": "HKD", r"singapore\s+dollars?": "SGD",
    r"dollars?": None, r"euros?": "EUR", r"pounds\s+sterling|pounds?": "GBP", r"yen": "JPY", r"renminbi|yuan": "CNY",
    r"rupees?": "INR", r"swiss\s+francs?": "CHF",
}  # fmt: skip
_SCALE = {
    "thousand": 1_000,
    "million": 1_000_000,
    "mln": 1_000_000,
    "m": 1_000_000,
    "k": 1_000,
    "billion": 1_000_000_000,
    "bn": 1_000_000_000,
}
_AMOUNT = r"\d{1,3}(?:\.\d{3})+,\d{2}(?![.\d])|\d{1,3}(?:\.\d{3}){2,}(?![.\d])|\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"
"""Points divide thousands where there are two or more ("4.047.000.000"), and before a comma ("1.234,50")."""
_POINTED = frozenset({"EUR", "DKK", "BRL", "IDR", "COP"})
"""Currencies whose amounts have thousands divided by one point too: "10.000 €". "$1.125 per share" has three decimals."""
_SIGN = "|".join(re.escape(sign) for sign in sorted(_SIGNS, key=len, reverse=True))
_CODE = "|".join(_CODES.split())
_NAME = "|".join(_NAMES)
_SCALED = r"(?:\s{0,40}(?P<scale>(?i:thousand|million|billion|mln|bn)\b|[mk]\b))?"
_IN_DIGITS = re.compile(
    rf"(?<![\w$])(?:(?P<code>{_CODE})\s?)?(?P<sign>{_SIGN})?\s?(?P<amount>{_AMOUNT}){_SCALED}"
    rf"(?:\s?(?P<after>{_CODE})\b|\s+(?P<name>(?i:{_NAME}))\b|\s?(?P<sign_after>[€£]))?"
)
_IN_WORDS = re.compile(
    rf"(?P<words>{WORDS})\s{{1,40}}(?P<name>{_NAME})\b(?:\s{{0,40}}\(\s{{0,40}}(?P<code>{_CODE})?\s?(?P<sign>{_SIGN})?\s?(?P<amount>{_AMOUNT})\s*(?P<after>{_CODE})?\s*\))?",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Money:
    """`text[start:end]`."""

    start: int
    end: int
    amount: Decimal
    currency: str | None
    """ISO 4217; None where the text says "$" or "dollars" only."""
    agrees: bool = True
    """False if the amount is written in words and in digits, and the two differ."""

    @property
    def text(self) -> str:
        return f"{self.currency} {self.amount}" if self.currency else str(self.amount)


def find_money(text: str) -> list[Money]:
    """Amounts in text order."""
    found = [_worded(match) for match in _IN_WORDS.finditer(text)]
    taken = {place for value in found for place in range(value.start, value.end)}
    for match in _IN_DIGITS.finditer(text):
        if not any(match[group] for group in ("code", "sign", "after", "name", "sign_after")):
            continue
        if taken.isdisjoint(range(*match.span())):
            scale, currency = _SCALE.get((match["scale"] or "").lower(), 1), _currency(match)
            amount = _decimal(match["amount"], pointed=scale == 1 and currency in _POINTED) * scale
            found.append(Money(*match.span(), amount, currency))
    return sorted(found, key=lambda value: value.start)


def _worded(match: re.Match[str]) -> Money:
    amount = Decimal(parse_words(match["words"]) or 0)
    currency = _currency(match)
    again = _decimal(match["amount"], pointed=currency in _POINTED) if match["amount"] else amount
    return Money(*match.span(), amount, currency, again == amount)


def _decimal(amount: str, *, pointed: bool) -> Decimal:
    if re.fullmatch(r"[\d.]+,\d{2}", amount):
        return Decimal(amount.replace(".", "").replace(",", "."))
    if amount.count(".") > 1 or (pointed and re.fullmatch(r"[1-9]\d{0,2}\.\d{3}", amount)):
        return Decimal(amount.replace(".", ""))
    return Decimal(amount.replace(",", ""))


def _currency(match: re.Match[str]) -> str | None:
    parts = match.groupdict()
    for group in ("code", "after"):
        if code := parts.get(group):
            return code.upper()
    for group in ("sign", "sign_after"):
        if (sign := parts.get(group)) and _SIGNS[sign.upper()]:
            return _SIGNS[sign.upper()]
    name = parts.get("name") or ""
    return next((code for pattern, code in _NAMES.items() if re.fullmatch(pattern, name, re.I)), None)
