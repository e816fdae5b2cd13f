"""The part of a text without pages that a picture shows."""

from __future__ import annotations

from orderly.services.document_processor.excerpts import MOST_LINES, Excerpt


def test_a_long_text_is_cut_to_what_stands_around_the_marked_words() -> None:
    text = "".join(f"Clause {n} of the deed.\n" for n in range(200))
    start = text.index("Clause 100")
    shown = Excerpt("deed", text, (start, start + 10)).around_mark()
    assert shown.marked is not None
    assert shown.text[slice(*shown.marked)] == "Clause 100"
    assert shown.text.startswith("… ")
    assert shown.text.endswith(" …")
    assert len(shown.text.splitlines()) <= 2 * MOST_LINES


def test_one_long_line_is_cut_between_words() -> None:
    text = "alpha beta " * 500
    shown = Excerpt("deed", text, (2200, 2205)).around_mark()
    assert set(shown.text.split()) == {"…", "alpha", "beta"}
    assert shown.text[slice(*(shown.marked or ()))] == "alpha"


def test_a_short_text_and_one_without_marks_are_whole() -> None:
    for marked in (None, (0, 5)):
        excerpt = Excerpt("deed", "alpha beta", marked)
        assert excerpt.around_mark() == excerpt
