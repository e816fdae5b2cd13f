"""Trains the reader: python evals/reader/train.py DATA BASE OUT [--seconds 535] [--student] [--start FOLDER] [--small].

DATA: train.json.xz (training_data.py says what it holds). BASE: the folder that base.py writes. OUT gets reader-*.npz (12 layers) and, with
--student, small-*.npz (6 layers, taught by the larger one): float16 without word embeddings, which stay the base's; make_graph.py makes a graph
of either. On a GPU nine minutes give both; --small takes batches that a CPU can go on with from --start.

Losses: softmax of the right passage over seven wrong ones of its document, and each passage by itself, so that a score means something alone;
start and end of the answer; near misses; statements, weighed by source. The weights are averaged over the last third. Needs torch,
transformers, tokenizers and scikit-learn. Prints figures of the documents that are held.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import random
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional
from training_data import WRONG, Batch, Chunk, Encoder, Pair, TrainingData, chunks
from transformers import BertConfig, BertModel

RATE, STUDENT_RATE, DECAY = 1e-4, 2e-4, 0.01
FIRST = 0.6
"""Share of the time for the larger model, where a student is trained."""
AVERAGED, KEPT = 0.7, 0.996
"""Share of the time after which weights are averaged, and the share of the average that a step keeps."""
LATE = 0.55
"""Share of the time after which the written questions weigh more."""
SPAN, ALONE, MISSES, SUPPORT = 0.5, 0.5, 0.5, 1.2
"""Weights of the losses beside the softmax over passages."""
PART_BYTES = 15_200_000
SMALL = {"answers": 2, "unanswered": 4, "statements": 8}

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


class Reader(nn.Module):
    def __init__(self, base: Path, layers: int) -> None:
        super().__init__()
        config = BertConfig(**json.loads((base / "config.json").read_text()), attn_implementation="sdpa")
        config.num_hidden_layers = layers
        arrays = {name: torch.tensor(value.astype(np.float32)) for name, value in np.load(base / "weights.npz").items()}
        self.bert = BertModel(config, add_pooling_layer=True)
        self.bert.load_state_dict({k: v for k, v in arrays.items() if not k.startswith("classifier")}, strict=False)
        self.bert.embeddings.word_embeddings.weight.requires_grad_(False)
        width = config.hidden_size
        self.rel, self.sup, self.span = nn.Linear(width, 1), nn.Linear(width, 1), nn.Linear(width, 2)
        self.rel.weight.data.copy_(arrays["classifier.weight"].view(1, -1))
        self.rel.bias.data.copy_(arrays["classifier.bias"].view(1))
        self.drop = nn.Dropout(0.1)

    def forward(self, chunk: Chunk) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Relevance and support (pairs), spans (pairs, tokens, 2), with -10,000 outside the passage."""
        ids, mask, kinds = (_on_device(part) for part in (chunk.ids, chunk.mask, chunk.kinds))
        found = self.bert(input_ids=ids, attention_mask=mask, token_type_ids=kinds)
        states = found.last_hidden_state
        relevance = self.rel(self.drop(found.pooler_output)).squeeze(-1).float()
        support = self.sup(self.drop(states[:, 0])).squeeze(-1).float()
        return relevance, support, self.span(states).float().masked_fill(kinds.unsqueeze(-1) == 0, -1e4)


@dataclass(frozen=True)
class Scores:
    """Of a batch, in its order."""

    lists: torch.Tensor
    """Relevance (answered questions, 1 + WRONG), the right passage first."""
    without: torch.Tensor
    """Relevance of the passages that do not answer."""
    support: torch.Tensor
    spans: list[torch.Tensor]
    """Per chunk, (known spans, tokens, 2)."""


def read(model: Reader, batch: Batch) -> Scores:
    found = [model(chunk) for chunk in batch.chunks]
    back = torch.argsort(torch.cat([_on_device(chunk.places) for chunk in batch.chunks]))
    relevance, support = (torch.cat([part[number] for part in found])[back] for number in (0, 1))
    asked = batch.answers * (WRONG + 1)
    spans = [part[2][_on_device(chunk.rows)] for part, chunk in zip(found, batch.chunks, strict=True)]
    lists = relevance[:asked].view(batch.answers, WRONG + 1)
    return Scores(lists, relevance[asked : asked + batch.unanswered], support[asked + batch.unanswered :], spans)


def _on_device(array: Any) -> torch.Tensor:
    return torch.as_tensor(array, device=DEVICE, dtype=torch.long)


def loss_of(model: Reader, batch: Batch, teacher: Reader | None) -> torch.Tensor:
    own = read(model, batch)
    right = torch.zeros_like(own.lists)
    right[:, 0] = 1
    weights = torch.full_like(own.lists, 1 / WRONG)
    weights[:, 0] = 1
    alone = functional.binary_cross_entropy_with_logits(own.lists, right, weights, reduction="sum") / weights.sum()
    loss = functional.cross_entropy(own.lists, torch.zeros(batch.answers, dtype=torch.long, device=DEVICE)) + ALONE * alone
    loss = loss + MISSES * functional.binary_cross_entropy_with_logits(own.without, torch.zeros_like(own.without))
    follows = torch.as_tensor(batch.follows, device=DEVICE)
    loss = loss + SUPPORT * functional.binary_cross_entropy_with_logits(own.support, follows)
    ends = [
        functional.cross_entropy(spans[..., side], _on_device(wanted), reduction="sum")
        for spans, chunk in zip(own.spans, batch.chunks, strict=True)
        for side, wanted in enumerate((chunk.first, chunk.last))
        if len(chunk.rows)
    ]
    if ends:
        loss = loss + SPAN * torch.stack(ends).sum() / sum(len(chunk.rows) for chunk in batch.chunks)
    return loss if teacher is None else 0.4 * loss + _taught(batch, teacher, own)


def _taught(batch: Batch, teacher: Reader, own: Scores) -> torch.Tensor:
    """How far the student's scores are from those of its teacher."""
    with torch.no_grad():
        wanted = read(teacher, batch)
    shown, goal = functional.log_softmax(own.lists / 2, -1), functional.softmax(wanted.lists / 2, -1)
    loss = 2 * functional.kl_div(shown, goal, reduction="batchmean")
    loss = loss + 0.05 * (functional.mse_loss(own.lists, wanted.lists) + functional.mse_loss(own.without, wanted.without))
    loss = loss + 0.15 * functional.mse_loss(own.support, wanted.support)
    known = sum(len(chunk.rows) for chunk in batch.chunks)
    for spans, goals in zip(own.spans, wanted.spans, strict=True):
        if len(spans):
            apart = functional.kl_div(functional.log_softmax(spans, 1), functional.softmax(goals, 1), reduction="sum")
            loss = loss + SPAN * apart / known
    return loss


def train(model: Reader, batches: Any, is_late: Any, seconds: float, rate: float, teacher: Reader | None = None) -> None:
    parameters = [part for part in model.parameters() if part.requires_grad]
    optimizer = torch.optim.AdamW(parameters, lr=rate, weight_decay=DECAY, fused=DEVICE == "cuda")
    average: dict[str, torch.Tensor] | None = None
    begun, step, waited = time.monotonic(), 0, 0.0
    model.train()
    while (share := (time.monotonic() - begun) / seconds) < 1:
        optimizer.param_groups[0]["lr"] = rate * min(1.0, share / 0.05) * (1 - share) ** 0.9
        is_late.value = share > LATE
        before = time.monotonic()
        batch = batches.get()
        waited += time.monotonic() - before
        with torch.autocast(DEVICE, dtype=torch.bfloat16, enabled=DEVICE == "cuda"):
            loss = loss_of(model, batch, teacher)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()
        step += 1
        if share > AVERAGED:
            state = {name: part.detach() for name, part in model.state_dict().items() if part.is_floating_point()}
            average = average or {name: part.clone() for name, part in state.items()}
            for name, part in state.items():
                average[name].lerp_(part, 1 - KEPT)
        if step % 200 == 1:
            print(f"{time.monotonic() - begun:.0f} s, step {step}, loss {loss.item():.3f}, waited {waited:.0f} s", flush=True)
    if average is not None:
        model.load_state_dict(average, strict=False)
    model.eval()


@torch.no_grad()
def measure(model: Reader, data: TrainingData, most: int) -> None:
    """MRR of the right passage among the 40 nearest by words; areas under the curve of near misses and of statements."""
    model.eval()

    def scores(pairs: list[tuple[str, str]], *, statements: bool = False) -> Any:
        encoder = data.encoder
        packed: list[Pair] = [encoder.pair(a, encoder.tokens(b), is_statement=statements) for a, b in pairs]
        found = [
            (part.places + at, model(part)[statements].cpu().numpy())
            for at in range(0, len(packed), 256)
            for part in chunks(packed[at : at + 256])
        ]
        values = np.zeros(len(pairs), np.float32)
        for places, scored in found:
            values[places] = scored
        return values

    ranks = []
    for doc, wordings, passage, *_ in random.Random(3).sample(data.held_answered, min(most, len(data.held_answered))):  # noqa: S311
        order = data.nearest[doc, wordings[0]]
        found = order[np.argsort(-scores([(wordings[0], data.docs[doc][at]) for at in order]))]
        right = {passage} | data.places[doc, wordings[0]]
        ranks.append(next((1 / (place + 1) for place, at in enumerate(found) if int(at) in right), 0.0))
    asked = scores([(row[1][0], data.docs[row[0]][row[2]]) for row in data.held_answered[: 2 * most]])
    missed = scores([(_first(row[1]), data.docs[row[0]][row[2]]) for row in data.held_unanswered[: 2 * most] if row[2] >= 0])
    stated = data.held_stated
    support = scores([(row[1], row[0]) for row in stated], statements=True)
    follows = np.array([bool(row[2]) for row in stated])
    marked = (support[~follows] < np.quantile(support[follows], 0.07)).mean()
    print(
        f"held out: MRR {np.mean(ranks):.3f}, answered against near misses {area(asked, missed):.3f}, "
        f"true against false statements {area(support[follows], support[~follows]):.3f}, "
        f"of {(~follows).sum()} false ones {marked:.3f} marked with .07 of the {follows.sum()} true ones",
        flush=True,
    )


def area(high: Any, low: Any) -> float:
    """Area under the curve: how often a case of the first kind scores higher."""
    return float((high[:, None] > low[None]).mean()) if len(high) and len(low) else 0.0


def _first(asked: str | list[str]) -> str:
    return asked if isinstance(asked, str) else asked[0]


def save(model: Reader, folder: Path, name: str) -> None:
    state = {
        k: v.half().cpu().numpy()
        for k, v in model.state_dict().items()
        if "word_embeddings" not in k and "position_ids" not in k
    }
    parts: list[dict[str, Any]] = [{}]
    for key in sorted(state):
        if sum(array.nbytes for array in parts[-1].values()) + state[key].nbytes > PART_BYTES:
            parts.append({})
        parts[-1][key] = state[key]
    folder.mkdir(parents=True, exist_ok=True)
    for number, part in enumerate(parts):
        np.savez(folder / f"{name}-{number}.npz", **part)


def load(model: Reader, folder: Path) -> None:
    files = sorted(folder.glob("reader-*.npz"))
    arrays = {k: torch.tensor(v.astype(np.float32)) for file in files for k, v in np.load(file).items()}
    model.load_state_dict(arrays, strict=False)


def student_of(teacher: Reader, base: Path) -> Reader:
    """Every second layer of the larger model."""
    small = Reader(base, 6)
    state = teacher.state_dict()
    small.load_state_dict({key: state[_layer_of_teacher(key)].cpu() for key in small.state_dict()})
    return small


def _layer_of_teacher(key: str) -> str:
    before, layer, after = key.partition(".layer.")
    number, _, rest = after.partition(".")
    return f"{before}{layer}{2 * int(number) + 1}.{rest}" if layer else key


def feed(data: TrainingData, sizes: dict[str, int], seed: int, queue: Any, is_late: Any) -> None:
    chance = random.Random(seed)  # noqa: S311
    while True:
        queue.put(data.batch(chance, late=bool(is_late.value), **sizes))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("data", type=Path)
    parser.add_argument("base", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--seconds", type=float, default=535)
    parser.add_argument("--student", action="store_true")
    parser.add_argument("--start", type=Path)
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--workers", type=int, default=14)
    given = parser.parse_args()
    begun = time.monotonic()
    torch.manual_seed(1)
    data = TrainingData(given.data, Encoder(given.base / "tokenizer.json"))
    print(
        f"{time.monotonic() - begun:.0f} s: {len(data.answered)} questions, {sum(map(len, data.stated.values()))} statements",
        flush=True,
    )
    context = multiprocessing.get_context("fork")
    batches, is_late = context.Queue(2 * given.workers), context.Value("b", 0)
    for seed in range(given.workers):
        context.Process(target=feed, args=(data, SMALL if given.small else {}, seed, batches, is_late), daemon=True).start()
    model = Reader(given.base, 12)
    if given.start:
        load(model, given.start)
    model.to(DEVICE)
    left = given.seconds - (time.monotonic() - begun)
    train(model, batches, is_late, left * (FIRST if given.student else 1.0), RATE)
    save(model, given.out, "reader")
    most = 20 if given.small else 300
    measure(model, data, most)
    if given.student:
        small = student_of(model, given.base).to(DEVICE)
        train(small, batches, is_late, max(2.0, given.seconds - (time.monotonic() - begun) - 25), STUDENT_RATE, model)
        save(small, given.out, "small")
        measure(small, data, most)


if __name__ == "__main__":
    main()
