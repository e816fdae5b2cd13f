"""Counts what the gate's rules mark of statements in free words beside the words that they report.

    python evals/gate_free.py [PAIRS] [--show]

PAIRS (default evals/support_pairs.jsonl; also .gz): {"quotation", "supported": [sentences], "unsupported": [sentences]}, or
{"text", "true": [sentences], "false": [sentences]}, one object a line. Rules read figures, dates, names, references and repeated
words alone: what they mark of true sentences is a false alarm, and most false ones are for the second reading to find.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from orderly.services.support import Evidence, find_unsupported


def statements(pairs: Path) -> Iterator[tuple[str, str, bool]]:
    """Yields a sentence, the words that it reports, and whether it is true to them."""
    with gzip.open(pairs, "rt") if pairs.suffix == ".gz" else pairs.open(encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            words = row.get("quotation") or row["text"]
            for key, is_true in (("supported", True), ("true", True), ("unsupported", False), ("false", False)):
                for sentence in row.get(key, ()):
                    yield sentence, words, is_true


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("pairs", nargs="?", type=Path, default=Path(__file__).parent / "support_pairs.jsonl")
    arguments.add_argument("--show", action="store_true", help="print the true sentences that are marked")
    given = arguments.parse_args()
    total: Counter[bool] = Counter()
    marked: Counter[bool] = Counter()
    for sentence, words, is_true in statements(given.pairs):
        found = find_unsupported(sentence, Evidence(words))
        total[is_true] += 1
        marked[is_true] += found is not None
        if given.show and is_true and found is not None:
            print(f"{found!r}: {sentence}")
    for is_true in (True, False):
        share = marked[is_true] / max(total[is_true], 1)
        print(f"{'true' if is_true else 'false':<6} {marked[is_true]:>5} of {total[is_true]:>5} marked ({share:.1%})")


if __name__ == "__main__":
    main()
