"""Creates data folders with paraphrased questions.

    python evals/paraphrase.py DATA OUT

OUT/1 and OUT/2 hold the same contracts and answers, with the first and second phrasing of evals/paraphrases.json.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from orderly_evaluation.dataset import Dataset, write_rows


def rephrase(data: Dataset, phrasings: dict[str, list[str]], number: int, out: Path) -> None:
    out.mkdir(parents=True, exist_ok=True)
    if not (out / "contracts").exists():
        (out / "contracts").symlink_to((data.folder / "contracts").resolve(), target_is_directory=True)
    gold = data.rows("gold.jsonl")
    original = {row["category"]: row["question"] for row in gold}
    write_rows(out / "gold.jsonl", ({**row, "question": phrasings[row["category"]][number]} for row in gold))
    tests = [_rephrase_test(test, original, phrasings, number) for test in data.tests()]
    (out / "retrieval.json").write_text(json.dumps({"tests": tests}, ensure_ascii=False), encoding="utf-8")


def _rephrase_test(
    test: dict[str, Any], original: dict[str, str], phrasings: dict[str, list[str]], number: int
) -> dict[str, Any]:
    """Replaces the question and keeps the preceding text, which names the document."""
    category = next(tag for tag in test["tags"] if tag in phrasings)
    question = original[category]
    question = question[0].lower() + question[1:]
    if not test["query"].endswith(question):
        raise SystemExit(f"not the known question: {test['query']}")
    other = phrasings[category][number]
    return {**test, "query": test["query"].removesuffix(question) + other[0].lower() + other[1:]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    arguments = parser.parse_args()
    phrasings = json.loads((Path(__file__).parent / "paraphrases.json").read_text(encoding="utf-8"))
    for number in range(2):
        rephrase(Dataset(arguments.data), phrasings, number, arguments.out / str(number + 1))


if __name__ == "__main__":
    main()
