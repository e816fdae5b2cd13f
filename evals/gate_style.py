"""Good legal style, which the gate must leave as it is, but for issued source numbers."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gate_marks import is_told, without_numbers

from orderly.services.citations import AnswerGate
from orderly.services.text import RevisionView

PLAIN = (
    "See Mabo v Queensland (No 2) (1992) 175 CLR 1 at 42.",
    "It was held in Smith v Jones [2019] NSWSC 12 at [42], [43] and [45]–[47] that notice must be actual.",
    "Under s 18 of the Australian Consumer Law (Sch 2 to the Competition and Consumer Act 2010 (Cth)), misleading conduct is prohibited.",
    "Section 420A of the Corporations Act 2001 (Cth) requires a controller to take reasonable care.",
    "You should obtain the executed counterpart before you rely on this.",
    "Shall I compare this with the earlier version?",
    "I searched 14 documents; none deals with the ‘change of control’ of a party.",
    "I could not read two of the documents, which are scans of poor quality.",
    'You should check whether the pipe is 6" wide and the rod 5\'7" long.',
    "Please let me know whether the parties' solicitors have exchanged.",
    "The court construes such words contra proferentem.",
    "A deed (“a specialty”) does not need consideration under Australian law.",
    "The phrase “time is of the essence” has a settled meaning at common law.",
    "The courts read ‘reasonable endeavours’ and ‘best endeavours’ alike.",
    "In Codelfa Construction Pty Ltd v State Rail Authority (NSW) (1982) 149 CLR 337 at 352 per Mason J, the court set out the rule.",
    "Consider asking for a variation under which notice may be given by e-mail.",
    "## Summary\n",
    "**Next steps**\n",
    "- Ask for the missing annexure.\n",
    "1. Check the execution page.\n2. Obtain the certificate.\n",
    "This answer covers the documents of the matter alone.",
    "Would 50 m² of floor or 10³ units be enough?",
    "I note that ‘the Term’ and ‘the term’ are both used; I read them alike.",
    "Here is what I found:\n",
    "Yes.",
    "Let me know if you would like the full text of the schedule.",
    "The question is whether “material adverse change” was meant.",
    "Equity regards as done that which ought to be done, as the maxim has it.",
    "The High Court (Kiefel CJ, Bell and Keane JJ) has said so.",
    "See also the note to cl 4.",
)


@dataclass(frozen=True, slots=True)
class Style:
    kind: str
    view: RevisionView
    answer: str


def forms(
    views: Sequence[RevisionView], count: int, r: random.Random, sentences: Sequence[tuple[RevisionView, str]]
) -> Iterator[Style]:
    """Yields `count` forms: sentences without quotation, and quotations as good writers set them."""
    pool = [
        (v, s)
        for v, s in sentences
        if '"' not in s and "“" not in s and 60 < len(s) < 350 and s[0].isupper() and s.endswith((".", ";"))
    ]
    makers = list(_quoting())
    for n in range(count):
        if n % 4 == 3:
            text = PLAIN[(n // 4) % len(PLAIN)]
            yield Style("plain", r.choice(views), text)
            continue
        view, sentence = r.choice(pool)
        kind, make = makers[n % len(makers)]
        answer = make(sentence, view.name, r)
        yield Style(kind, view, answer)


def _quoting():  # type: ignore[no-untyped-def]
    def words(s: str) -> list[str]:
        return s.split()

    yield "curly", lambda s, n, r: f"The document says: “{s}” [{n}]"
    yield "straight", lambda s, n, r: f'The document says: "{s}" [{n}]'
    yield (
        "single",
        lambda s, n, r: (
            f"The document says: ‘{s}’ [{n}]" if "'" not in s and "’" not in s else f"The document says: “{s}” [{n}]"
        ),
    )
    yield "guillemets", lambda s, n, r: f"The document says: «{s}» [{n}]"
    yield "block", lambda s, n, r: f"The clause reads:\n\n> {s}\n\n[{n}]\n"
    yield (
        "block with bold",
        lambda s, n, r: (
            f"The clause reads:\n\n> {' '.join(words(s)[:2])} **{words(s)[2]}** {' '.join(words(s)[3:])}\n\n[{n}]\n"
        ),
    )
    yield (
        "bold inside",
        lambda s, n, r: (
            f"It says “{' '.join(words(s)[:2])} **{' '.join(words(s)[2:5])}** {' '.join(words(s)[5:])}” [{n}] (emphasis added)."
        ),
    )
    yield "emphasis outside", lambda s, n, r: f"It says *“{s}”* [{n}]"
    yield "lower first letter", lambda s, n, r: f"It provides that “[{s[0].lower()}]{s[1:]}” [{n}]"
    yield "lower first letter, no bracket", lambda s, n, r: f"It provides that “{s[0].lower()}{s[1:]}” [{n}]"
    yield "ellipsis at the end", lambda s, n, r: f"It provides: “{s.rstrip('.;')} …” [{n}]"
    yield "comma inside", lambda s, n, r: f"“{s.rstrip('.;')},” says the clause [{n}]."
    yield "list item", lambda s, n, r: f"- **First point:** “{s}” [{n}]\n- Ask for the annexure.\n"
    yield "table", lambda s, n, r: f"| Point | Words |\n|---|---|\n| First point | “{s}” [{n}] |\n"
    yield "citation in round brackets", lambda s, n, r: f"It says “{s}” ({n})."
    yield "two paragraphs", lambda s, n, r: f"I read it thus.\n\n“{s}” [{n}]\n\nShall I go on?"
    yield "line breaks", lambda s, n, r: "It says “" + "\n".join(_lines(s)) + f"” [{n}]"
    yield "block in list", lambda s, n, r: f"1. The clause:\n   > {s}\n\n   [{n}]\n"


def _lines(text: str) -> list[str]:
    found, line = [], ""
    for word in text.split():
        if len(line) + len(word) > 60:
            found.append(line)
            line = ""
        line = f"{line} {word}".strip()
    return [*found, line]


def is_harmed(style: Style, gate: AnswerGate) -> bool:
    """Whether the text shown is not the text written, citations and source numbers aside, or anything is told."""
    cited = re.compile(rf"\s*[\[(]{re.escape(style.view.name)}[\])]")
    return is_told(gate) or cited.sub("", without_numbers(gate)) != cited.sub("", style.answer)
