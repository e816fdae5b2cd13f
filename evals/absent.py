"""Creates a data folder of unanswerable questions, to measure how many are answered.

    python evals/absent.py DATA OUT
    orderly eval OUT --out DIR --only extraction

absent_questions.jsonl holds 85 handwritten questions about 18 contracts of CUAD v1; none is used in training. Kind "near": the
contract covers the general subject (insurance) but not the specific one (cyber insurance). Kind "far": the contract does not cover
the subject. `absent`: patterns that an answer would need; the script checks that no pattern matches the contract.
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from orderly_evaluation.dataset import Dataset, read_rows, write_rows


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
            raise SystemExit(f"{row['doc']} may answer '{row['question']}': it contains {present[0]}")
    out.mkdir(parents=True, exist_ok=True)
    if not (out / "contracts").exists():
        (out / "contracts").symlink_to((data.folder / "contracts").resolve(), target_is_directory=True)
    write_rows(
        out / "gold.jsonl",
        ({"doc": r["doc"], "category": r["kind"], "question": r["question"], "answers": [], "impossible": True} for r in rows),
    )


if __name__ == "__main__":
    main()
