"""Builds ONNX graphs of BERT from its weights: all-MiniLM-L6-v2 (six layers, mean pooling, L2 norm), and the body of the reader.

Attention and layer norms are onnxruntime's fused operators (domain com.microsoft).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from safetensors.numpy import load_file

LAYERS = 6
HEADS = 12
WIDTH = 384
EPSILON = 1e-12
FUSED = "com.microsoft"

Weights = dict[str, NDArray[np.float32]]


def build(weights_file: Path) -> bytes:
    """The serialised model: ids, mask (batch, tokens) int64 -> vectors (batch, 384) float32, L2-normalised."""
    graph = BertGraph(load_file(weights_file))
    state = graph.embeddings()
    for layer in range(LAYERS):
        state = graph.layer(f"encoder.layer.{layer}", state)
    graph.pool(state)
    return graph.serialised("all-MiniLM-L6-v2", ["ids", "mask"], {"vectors": ["batch", WIDTH]})


class BertGraph:
    """Graph builder. Methods that add nodes return the name of their output."""

    def __init__(self, weights: Weights) -> None:
        self._weights = weights
        self._nodes: list[onnx.NodeProto] = []
        self._constants: dict[str, onnx.TensorProto] = {}

    def embeddings(self, kinds: str | None = None) -> str:
        """`kinds`: the input with the type of each token; without one, every token has type 0."""
        self._node("Cast", ["mask"], "mask32", to=TensorProto.INT32)
        word = self._node("Gather", [self._weight("embeddings.word_embeddings.weight"), "ids"], "word")
        self._node("Shape", ["ids"], "length", start=1, end=2)
        self._constant("first", np.array([0], np.int64))
        position = self._node("Slice", [self._weight("embeddings.position_embeddings.weight"), "first", "length"], "position")
        types = self._weights["embeddings.token_type_embeddings.weight"]
        if kinds:
            kind = self._node("Gather", [self._constant("type_vectors", types), kinds], "kind_of_token")
        else:
            kind = self._constant("kind", types[0])
        placed = self._node("Add", [word, position], "placed")
        summed = self._node("Add", [placed, kind], "summed")
        norm = [self._weight("embeddings.LayerNorm.weight"), self._weight("embeddings.LayerNorm.bias")]
        return self._node("LayerNormalization", [summed, *norm], "embedded", axis=-1, epsilon=EPSILON)

    def layer(self, prefix: str, state: str) -> str:
        """One transformer layer with the weights named `prefix`."""
        own = f"{prefix}.attention.self"
        parts = ("query", "key", "value")
        joined = np.concatenate([self._weights[f"{own}.{part}.weight"].T for part in parts], axis=1)
        bias = np.concatenate([self._weights[f"{own}.{part}.bias"] for part in parts])
        inputs = [state, self._constant(f"{prefix}.qkv", joined), self._constant(f"{prefix}.qkv.bias", bias), "mask32"]
        attended = self._node("Attention", inputs, f"{prefix}.attended", FUSED, num_heads=HEADS)
        mixed = self._multiply(attended, f"{prefix}.attention.output.dense")
        state = self._add_and_norm(mixed, state, f"{prefix}.attention.output")
        wide = self._multiply(state, f"{prefix}.intermediate.dense")
        active = self._node("BiasGelu", [wide, self._weight(f"{prefix}.intermediate.dense.bias")], f"{prefix}.gelu", FUSED)
        return self._add_and_norm(self._multiply(active, f"{prefix}.output.dense"), state, f"{prefix}.output")

    def pool(self, state: str) -> None:
        """Mean over the unmasked tokens, then L2 normalisation."""
        self._node("Cast", ["mask"], "maskf", to=TensorProto.FLOAT)
        self._constant("last", np.array([-1], np.int64))
        self._constant("second", np.array([1], np.int64))
        weight = self._node("Unsqueeze", ["maskf", "last"], "weight")
        self._node("ReduceSum", [self._node("Mul", [state, weight], "kept"), "second"], "total", keepdims=0)
        # The sum is enough: normalisation cancels the mean's divisor.
        self._node("LpNormalization", ["total"], "vectors", axis=-1, p=2)

    def head(self, state: str, name: str, output: str) -> None:
        """A linear layer, from the last state of every token or from one vector a text."""
        product = self._multiply(state, name)
        self._node("Add", [product, self._weight(f"{name}.bias")], output)

    def first(self, state: str) -> str:
        """The state of the first token: (batch, width)."""
        self._constant("first_token", np.array([0], np.int64))
        self._constant("token_axis", np.array([1], np.int64))
        return self._node(
            "Squeeze", [self._node("Gather", [state, "first_token"], "kept_first", axis=1), "token_axis"], "first_state"
        )

    def pooled(self, first: str) -> str:
        """The pooler of BERT over the first token's state."""
        self.head(first, "pooler.dense", "pooled.linear")
        return self._node("Tanh", ["pooled.linear"], "pooled")

    def serialised(self, name: str, inputs: list[str], outputs: dict[str, list[str | int]]) -> bytes:
        graph = helper.make_graph(
            self._nodes,
            name,
            [helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"]) for name in inputs],
            [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in outputs.items()],
            list(self._constants.values()),
        )
        opsets = [helper.make_opsetid("", 17), helper.make_opsetid(FUSED, 1)]
        model = helper.make_model(graph, opset_imports=opsets, ir_version=8)
        return bytes(model.SerializeToString())

    def _multiply(self, state: str, prefix: str) -> str:
        # PyTorch stores (out, in); MatMul expects (in, out).
        return self._node("MatMul", [state, self._constant(f"{prefix}.weight", self._weights[f"{prefix}.weight"].T)], prefix)

    def _add_and_norm(self, state: str, skip: str, prefix: str) -> str:
        norm = [self._weight(f"{prefix}.LayerNorm.weight"), self._weight(f"{prefix}.LayerNorm.bias")]
        inputs = [state, skip, *norm, self._weight(f"{prefix}.dense.bias")]
        return self._node("SkipLayerNormalization", inputs, f"{prefix}.normed", FUSED, epsilon=EPSILON)

    def _node(self, kind: str, inputs: list[str], output: str, domain: str = "", **attributes: Any) -> str:
        self._nodes.append(helper.make_node(kind, inputs, [output], domain=domain, **attributes))
        return output

    def _weight(self, name: str) -> str:
        return self._constant(name, self._weights[name])

    def _constant(self, name: str, value: NDArray[np.generic]) -> str:
        self._constants[name] = numpy_helper.from_array(np.ascontiguousarray(value), name)
        return name
