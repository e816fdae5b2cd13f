"""Sentences about documents, streamed word by word: whether words of them are shown before the gate has judged the sentence."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from gate_answers import gate_over
from gate_statements import plain

from orderly.services.citations import AnswerGate, Sources
from orderly.services.text import PieceReader, RevisionView

OPENINGS = (
    "", "", "", "I found that ", "I note that ", "I can confirm that ", "Let me say that ", "Here is what it says: ", "You should know that ",
    "As you asked, ", "The search shows that ", "In short, ", "The answer is that ", "We read there that ", "I have found the clause, and ",
)  # fmt: skip
EARLIER = {"revision_id": "r", "start": 0, "end": 1, "number": 1, "standing": "quoted"}
PLAIN = (
    "I can look for clauses and dates in your documents and compare them side by side for you.",
    "I will search the matter first and then report what I find in it.",
    "Hello and welcome, tell me what you would like me to look for today.",
    "Let me search for clauses on assignment and come back to you with them.",
    "Thank you for the question, which I will look into now.",
)


async def shown_early(sentence: str, gate: AnswerGate) -> str:
    """The words of a sentence that are shown before it ends, behind a greeting."""
    reader, early = PieceReader(), ""
    for word in f"Good morning. {sentence} ".split(" "):
        if reader.add(f"{word} "):
            for piece in reader.divide():
                await gate.release(piece)
        else:
            early += gate.show_words(reader.held)
    return early


def gates(view: RevisionView) -> Iterator[AnswerGate]:
    """Gates of an answer with a document that was read now, with one that was cited in an earlier turn, and with none."""
    yield gate_over([view])
    yield AnswerGate(Sources(None, []), known=[EARLIER])
    yield AnswerGate(Sources(None, []))


async def early(pool: Sequence[tuple[RevisionView, str]], count: int, r: random.Random) -> list[tuple[str, bool, str]]:
    """Outcomes: no word of a statement is shown early; plain sentences are."""
    found = []
    for view, sentence in r.sample(pool, min(count, len(pool))):
        said, opening = plain(sentence, r), r.choice(OPENINGS)
        said = said if opening else said[0].upper() + said[1:]
        for gate in gates(view):
            words = await shown_early(f"{opening}{said}.", gate)
            found.append(
                ("statements not shown early", len(words.strip()) <= len(opening.strip()), f"{opening}{said}: {words}")
            )
    for sentence in PLAIN:
        words = await shown_early(sentence, AnswerGate(Sources(None, [])))
        found.append(("plain sentences shown early", len(words) > len(sentence) / 2, sentence))
    return found
