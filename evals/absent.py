"""Makes a data folder of questions that the contracts do not answer, to see how many are answered all the same.

    python evals/absent.py DATA OUT
    orderly eval OUT --out DIR --only extraction

absent_questions.jsonl was written for this, by hand, and is used in no fitting: 85 questions about 18 contracts of CUAD v1. Of kind
"near": the contract deals with what the question narrows down (insurance, yes; cyber insurance, no). "far": nothing of the sort
is there. `absent` holds patterns of which none stands in the contract; without them it cannot answer, and this script checks that.
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from orderly.evaluation.dataset import Dataset, read_rows, write_rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    arguments = parser.parse_args()
    data, out = Dataset(arguments.data), arguments.out
    rows = read_rows(Path(__file__).parent / "absent_questions.jsonl")
    for row in rows:
        text = data.text("contracts", row["doc"])
        if present := [pattern for pattern in row["absent"] if re.search(pattern, text, re.I)]:
            raise SystemExit(f"{row['doc']} may answer '{row['question']}': it holds {present[0]}")
    out.mkdir(parents=True, exist_ok=True)
    if not (out / "contracts").exists():
        (out / "contracts").symlink_to((data.folder / "contracts").resolve(), target_is_directory=True)
    write_rows(
        out / "gold.jsonl",
        ({"doc": r["doc"], "category": r["kind"], "question": r["question"], "answers": [], "impossible": True} for r in rows),
    )


if __name__ == "__main__":
    main()
