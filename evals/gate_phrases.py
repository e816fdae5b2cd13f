"""Short quotations without a citation: words that no document has, in many places of an answer, and terms that claim nothing."""

from __future__ import annotations

from collections.abc import Iterator

INVENTED = (
    "may sublet to anybody",
    "shall not pay",
    "freely zzassignable",
    "uncapped forever",
    "need never zzrepair",
    "zzperpetual",
)
FRAMES = (
    "The agreement is “{}”.", "The lessee “{}”.", "- “Fees”: “{}”\n", "- **Fees:** “{}”\n", "**Fees** – “{}”", "The contract says ‘{}’.",
    "| Point | Words |\n|---|---|\n| Fees | “{}” |\n", "Clause 1 uses the words “{}”.", "The document describes it as «{}».",
    "The fee is “{}”, as the deed says.", "Under clause 1 the fee is „{}“.", "The party must be \"{}\".", "It states “{}” in clause 1.",
)  # fmt: skip
TERMS = (
    "I searched for “zzforce majeure” and found nothing.", "The document does not use the word “zzbond”.", "Do you mean the “zzmake good” duty?",
    "None of the documents mentions “zzbond”.", "The courts read ‘zzreasonable endeavours’ strictly.", "Consider adding a “zzbreak” clause.",
    "## “Zzbreak” rights\n", "I call it the “Zz Clause” below.", "You could propose “zzmutual termination”.", "Please say what “zzoutgoings” should mean.",
)  # fmt: skip


def phrases() -> Iterator[tuple[str, bool]]:
    """Yields answers, each with whether it claims invented words."""
    for frame in FRAMES:
        yield from ((frame.format(words), True) for words in INVENTED)
    yield from ((term, False) for term in TERMS)
