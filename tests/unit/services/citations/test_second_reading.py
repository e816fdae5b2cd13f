"""A second opinion: what a reader gets of an answer, how its verdicts are joined, what is told of it, and what it may cost."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from orderly.errors import ModelFailed
from orderly.services.citations import EngineReader, ModelReader, SecondReading
from orderly.services.citations.second_reading import LATE, LEAST_CHARACTERS
from orderly.services.completions import Reply
from support.gated import SECRET, gate_over, stream, told, verdicts

NOTHING = '{"against": []}'
ENDED = "The Lessor may end it at once on insolvency [D1 3.2]."


class Model:
    """Replies to the prompts of a second reading as `reads` says; keeps their rows."""

    name = "reader-1"

    def __init__(self, reads: Callable[[list[dict[str, Any]]], Any] = lambda rows: NOTHING) -> None:
        self.reads, self.asked = reads, []

    async def reply(self, prompt: str) -> Reply:
        lines = [json.loads(line) for line in prompt.splitlines() if line.startswith(('{"provision"', '{"statement"'))]
        self.asked.append(lines)
        found = self.reads(lines)
        return Reply(await found if asyncio.iscoroutine(found) else found, 100, 10)

    async def complete(self, prompt: str) -> str:
        return (await self.reply(prompt)).text


def against(statement: int, verdict: str = "contradicted", words: str = "") -> str:
    return json.dumps({"against": [{"statement": statement, "verdict": verdict, "words": words}]})


def second(model: Model, **more: Any) -> SecondReading:
    return SecondReading(ModelReader(model), **more)


async def test_a_request_holds_each_provision_once_and_what_says_something_without_a_quotation_too() -> None:
    answer = f"It is untrue that {SECRET}\n\n{ENDED} That needs no notice.\n\n- Insolvency of the tenant ends it [D1 3.2]\n\n## Rent of the premises\n\nPast due amounts bear interest.\n\nYes. It is so."
    model = Model()
    await stream(answer, gate_over(second=second(model)))
    [rows] = model.asked
    provisions = {row["provision"]: row["place"] for row in rows if "provision" in row}
    assert sorted(provisions.values()) == [f"lease.txt, Section {label}" for label in ("2.2", "3.2", "4.1")]
    rests = {row["text"]: [provisions[n] for n in row["provisions"]] for row in rows if "statement" in row}
    assert rests[f"It is untrue that {SECRET.partition(' [')[0]}"] == ["lease.txt, Section 4.1"]
    assert rests["The Lessor may end it at once on insolvency."] == ["lease.txt, Section 3.2"]
    assert "lease.txt, Section 2.2" in rests["Past due amounts bear interest."], "uncited: the nearest provisions"
    assert "That needs no notice." in rests and "Insolvency of the tenant ends it" in rests and "Yes." not in rests


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (NOTHING, None),
        (against(2, words="if the Lessee becomes insolvent"), "reader-1, reading it again: lease.txt, Section 3.2 says “if the Lessee becomes insolvent”."),
        (against(2, words="if the Lessor becomes insolvent"), None),
        (against(2), None),
        (against(2, "absent"), "reader-1, reading it again, does not find this in lease.txt, Section 3.2."),
        (f"```json\n{against(2, 'absent')}\n```", "reader-1, reading it again, does not find this in lease.txt, Section 3.2."),
    ],
)  # fmt: skip
async def test_a_verdict_is_joined_by_its_offset_and_its_deciding_words_must_stand_in_the_evidence(
    reply: str, reason: str | None
) -> None:
    found = await verdicts(f"{ENDED} {ENDED}", gate_over(second=second(Model(lambda rows: reply))))
    assert [why for *_, why in found] == ["", reason or ""]


async def test_what_a_rule_has_told_is_told_once() -> None:
    answer = "The Lessee pays $5,400 in advance [D1 2.1]."
    rule = await told(answer)
    assert len(rule) == 1
    assert await told(answer, gate_over(second=second(Model(lambda rows: against(1, words="$4,500"))))) == rule


@pytest.mark.parametrize("reply", ["All of them.", against(7), against(True), '{"against": "none"}', '{"sentences": []}', "[]", '{"against": [1', against(1, "odd")])  # fmt: skip
async def test_a_reply_in_another_form_is_said(reply: str) -> None:
    ending = (await stream(ENDED, gate_over(second=second(Model(lambda rows: reply)))))[-1]
    assert "\n- reader-1 could not check 1 of 1 statements: its reply could not be read.\n" in ending


async def test_a_late_or_failed_reader_is_said_once_and_no_answer_waits_for_it() -> None:
    async def late() -> str:
        await asyncio.sleep(60)
        return NOTHING

    def fails(_: Any) -> str:
        raise ModelFailed("down", "it did not answer.")

    many = "\n\n".join(f"In case {n}, {ENDED} It goes on {'and so on ' * (LEAST_CHARACTERS // 40)}." for n in range(12))
    for reads, why in ((lambda rows: late(), LATE), (fails, "it did not answer.")):
        model = Model(reads)
        ending = (await asyncio.wait_for(stream(many, gate_over(second=second(model, run_tokens=200_000, patience=0.1))), 5))[
            -1
        ]
        assert len(model.asked) > 1, "blocks are read while the next are written"
        assert ending.count("could not check") == 1 and ending.count(why) == 1
    ended = asyncio.Event()

    class Hanging(EngineReader):
        async def read(self, stated: Sequence[Any]) -> Any:
            try:
                await asyncio.sleep(60)
            finally:
                ended.set()

    gate = gate_over(second=SecondReading(Hanging(None), 200_000))  # type: ignore[arg-type]
    await gate.release(many)
    await asyncio.sleep(0)
    assert gate.second is not None
    gate.second.stop()
    await asyncio.wait_for(ended.wait(), 1)


@pytest.mark.parametrize("run_tokens", [0, 200_000])
async def test_a_reading_keeps_to_its_share_of_tokens_and_says_what_it_left_out(run_tokens: int) -> None:
    model = Model()
    many = "\n\n".join(f"In case {n}, the Lessee pays rent in advance {'on each first day ' * 30}[D1 2.1]." for n in range(30))
    ending = (await stream(many, gate_over(second=second(model, run_tokens=run_tokens))))[-1]
    asked = sum(len(json.dumps(rows)) // 4 + 450 for rows in model.asked)
    assert (", the first ones." in ending) is (run_tokens == 0)
    assert (asked <= 2_500 * 1.1) if run_tokens == 0 else (2_500 < asked <= run_tokens * 0.2)


async def test_an_engine_scores_what_cites_a_place_and_tells_low_scores() -> None:
    scored = []

    async def score(document_id: str, statement: str, texts: Sequence[str]) -> float:
        scored.append((document_id, statement, len(texts)))
        return 0.07 if "insolvency" in statement else 0.93

    answer = f"{ENDED} The Lessee pays rent in advance [D1 2.1]. This is no surprise to anybody."
    found = await told(answer, gate_over(second=SecondReading(EngineReader(score))))
    assert found == [("not found", "Isaacus, reading it again, does not find this in lease.txt, Section 3.2.")]
    assert [(document_id, count) for document_id, _, count in scored] == [("lease.txt", 1)] * 2
