"""Limits on pages and characters read from one file. Beyond them the revision is partial and says so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from orderly.services.document_processor.drafts import Draft, PageDraft


@dataclass(frozen=True, slots=True)
class Limits:
    pages: int = 10_000
    """Pages, slides or sheets."""
    characters: int = 20_000_000
    hidden_characters: int = 1_000_000
    """Of words that a reader does not see, which are listed beside the text."""


def limit_pages(count: int, limits: Limits, incomplete: list[str]) -> int:
    """Number of pages to read. Appends the reason to `incomplete` if that is not all of `count`."""
    if count > limits.pages:
        incomplete.append(
            f"it has {count:,} pages, and only the first {limits.pages:,} were read: that is the limit for one file"
        )
    return min(count, limits.pages)


def cut_characters(draft: Draft, limits: Limits) -> None:
    """Truncates the text to `limits.characters`. Pages beyond stay, without text and flagged "truncated"."""
    total = sum(len(page.text) for page in draft.pages)
    if total <= limits.characters:
        return
    left = limits.characters
    for page in draft.pages:
        if len(page.text) > left:
            _truncate(page, left)
        left -= len(page.text)
    draft.headings = tuple(heading for heading in draft.headings if heading.end <= limits.characters)
    draft.running = {
        number: [span for span in spans if span[1] <= len(draft.pages[number - 1].text)]
        for number, spans in draft.running.items()
    }
    draft.incomplete.append(
        f"it holds {total:,} characters, and only the first {limits.characters:,} were read: that is the limit for one file"
    )


def cut_asides(draft: Draft, limits: Limits) -> None:
    """Truncates the list of hidden words to `limits.hidden_characters`."""
    found = draft.details.get("hidden_text", ())
    assert isinstance(found, Sequence)
    left, kept = limits.hidden_characters, 0
    while kept < len(found) and left > 0:
        left -= len(str(found[kept]))
        kept += 1
    if kept < len(found):
        draft.details["hidden_text"] = found[:kept]
        draft.incomplete.append(
            f"it hides words in {len(found):,} places, and only those of the first {kept:,} were kept: that is the limit"
        )


def _truncate(page: PageDraft, length: int) -> None:
    page.text = page.text[:length]
    page.lines = [line for line in page.lines if line[1] <= length]
    page.flags.append("truncated")
