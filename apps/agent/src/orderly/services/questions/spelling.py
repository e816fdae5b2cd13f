"""Finds the word that a misspelt word means."""

from __future__ import annotations

from collections.abc import Collection

SHORT = 4
"""Letters of a word that is near to too many others: only two letters may have changed places, as in "trem" for "term"."""


def closest(word: str, vocabulary: Collection[str]) -> str | None:
    """The only word within the distance that misspellings have: one edit from five letters on, two from eight on.

    Of several words at the same distance the one with the same first letter is meant, because misspellings seldom change it;
    of several such words none is meant for certain, so that None is returned.
    """
    if len(word) < SHORT:
        return None
    if len(word) == SHORT:
        swapped = {word[:i] + word[i + 1] + word[i] + word[i + 2 :] for i in range(len(word) - 1)} & set(vocabulary) - {word}
        return swapped.pop() if len(swapped) == 1 else None
    most = 2 if len(word) >= 8 else 1
    best: list[str] = []
    for other in vocabulary:
        if abs(len(other) - len(word)) > most or len(other) < 4:
            continue
        distance = edits(word, other, most)
        if distance < most or (distance == most and not best):
            best, most = ([other], distance) if distance < most or not best else ([*best, other], most)
        elif distance == most:
            best.append(other)
    alike = [other for other in best if other[0] == word[0]] if len(best) > 1 else best
    return alike[0] if len(alike) == 1 else None


def edits(one: str, other: str, most: int) -> int:
    """Insertions, deletions, replacements and swaps of neighbours between two words; `most` + 1 if there are more."""
    rows = [list(range(len(other) + 1))]
    for i, a in enumerate(one, 1):
        row = [i]
        for j, b in enumerate(other, 1):
            cost = min(rows[-1][j] + 1, row[-1] + 1, rows[-1][j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and one[i - 2] == b:
                cost = min(cost, rows[-2][j - 2] + 1)
            row.append(cost)
        if min(row) > most:
            return most + 1
        rows.append(row)
    return min(rows[-1][-1], most + 1)
