"""Values in the text of documents: numbers, dates, periods, money, jurisdictions, parties. Pure functions."""

from orderly.services.values.dates import DateValue, find_dates
from orderly.services.values.durations import Duration, add_duration, find_durations
from orderly.services.values.jurisdictions import Jurisdiction, find_jurisdictions
from orderly.services.values.money import Money, find_money
from orderly.services.values.numbered_items import numbered_items, pointed_items
from orderly.services.values.numbers import ERAS, GROUPS, ORDINAL_WORDS, PARTS, Number, find_numbers, parse_words
from orderly.services.values.numbers import WORDS as NUMBER_WORDS
from orderly.services.values.parties import Party, find_parties
from orderly.services.values.party_names import party_names

__all__ = [
    "ERAS",
    "GROUPS",
    "NUMBER_WORDS",
    "ORDINAL_WORDS",
    "PARTS",
    "DateValue",
    "Duration",
    "Jurisdiction",
    "Money",
    "Number",
    "Party",
    "add_duration",
    "find_dates",
    "find_durations",
    "find_jurisdictions",
    "find_money",
    "find_numbers",
    "find_parties",
    "numbered_items",
    "parse_words",
    "party_names",
    "pointed_items",
]
