"""The arithmetic of an answer: which figures follow from others, and which calculations come out otherwise."""

from orderly.services.calculation.calculations import Calculated, follows, wrong_calculations
from orderly.services.calculation.derived import is_derived

__all__ = ["Calculated", "follows", "is_derived", "wrong_calculations"]
