"""multilingual-e5-small as an ONNX graph, with matrices in int8 and the embedding table in float16 (embedding.md).

BERT with GELU, mean pooling over the tokens and an L2 norm: ``ids`` int64[texts, tokens] and ``mask`` int64[texts, tokens]
in, ``vectors`` float32[texts, hidden] out. The table lies in a file of its own, which the runtime maps into memory.
"""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic

from oam_rdf.index.embed_weights import Weights

MODEL, TABLE = "model.onnx", "words.f16"
_TABLE = "emb.word"


class Graph:
    """Nodes and constants while a model is put together; every method returns the name of what it made."""

    def __init__(self, weights: Weights) -> None:
        self._weights = weights
        self._nodes: list[onnx.NodeProto] = []
        self._constants: dict[str, onnx.TensorProto] = {}

    def constant(self, name: str, value: NDArray[Any]) -> str:
        self._constants[name] = numpy_helper.from_array(np.ascontiguousarray(value), name)
        return name

    def node(self, operator: str, inputs: list[str], name: str, **attributes: Any) -> str:
        self._nodes.append(helper.make_node(operator, inputs, [name], name=name, **attributes))
        return name

    def tensor(self, name: str) -> str:
        return self.constant(name, self._weights.tensor(name))

    def linear(self, x: str, name: str, inputs: int) -> str:
        """x · Wᵀ + b."""
        self.constant(name + ".w", self._weights.tensor(name + ".w", inputs).T)
        return self.node("Add", [self.node("MatMul", [x, name + ".w"], name + ".xw"), self.tensor(name + ".b")], name)

    def even(self, x: str, name: str, inputs: int) -> str:
        """x · Wᵀ + b with each token brought to a largest value of 1 before it meets the matrix, and back after.

        A quantised matrix knows one scale for all tokens of a text, and a few tokens have values far above the others'.
        """
        largest = self.node("ReduceMax", [self.node("Abs", [x], name + ".abs"), self.constant("last", np.array([-1]))],
                            name + ".largest", keepdims=1)  # fmt: skip
        scale = self.node("Max", [largest, self.constant("least", np.array(1e-6, "f4"))], name + ".scale")
        self.constant(name + ".w", self._weights.tensor(name + ".w", inputs).T)
        small = self.node("MatMul", [self.node("Div", [x, scale], name + ".even"), name + ".w"], name + ".xw")
        return self.node("Add", [self.node("Mul", [small, scale], name + ".back"), self.tensor(name + ".b")], name)

    def norm(self, x: str, name: str) -> str:
        inputs = [x, self.tensor(name + ".w"), self.tensor(name + ".b")]
        return self.node("LayerNormalization", inputs, name, axis=-1, epsilon=self._weights.epsilon)

    def _input(self) -> str:
        """Words, positions and the one token type, normed."""
        w = self._weights
        word = self.node("Cast", [self.node("Gather", [_TABLE, "ids"], "word.f16")], "word", to=TensorProto.FLOAT)
        place = w.tensor("emb.pos", w.hidden) + w.tensor("emb.type", w.hidden)[0]
        length = self.node("Shape", ["ids"], "length", start=1, end=2)
        row = self.constant("axis0", np.array([0]))
        place = self.node("Slice", [self.constant("place.all", place), row, length, row], "place")
        return self.norm(self.node("Add", [word, place], "word+place"), "emb.ln")

    def _attention(self, x: str, layer: str, bias: str) -> str:
        w = self._weights
        heads = self.constant("heads", np.array([0, 0, w.heads, w.hidden // w.heads]))
        joined = self.constant("joined", np.array([0, 0, w.hidden]))
        scale = self.constant("scale", np.array((w.hidden // w.heads) ** -0.5, "f4"))
        turned = {}
        for part, axes in (("q", [0, 2, 1, 3]), ("k", [0, 2, 3, 1]), ("v", [0, 2, 1, 3])):
            split = self.node("Reshape", [self.linear(x, layer + part, w.hidden), heads], layer + part + ".heads")
            turned[part] = self.node("Transpose", [split], layer + part + ".turned", perm=axes)
        raw = self.node("MatMul", [turned["q"], turned["k"]], layer + "raw")
        masked = self.node("Add", [self.node("Mul", [raw, scale], layer + "scaled"), bias], layer + "masked")
        share = self.node("Softmax", [masked], layer + "share", axis=-1)
        mixed = self.node("MatMul", [share, turned["v"]], layer + "mixed")
        back = self.node("Transpose", [mixed], layer + "back", perm=[0, 2, 1, 3])
        return self.linear(self.node("Reshape", [back, joined], layer + "context"), layer + "ao", w.hidden)

    def model(self) -> onnx.ModelProto:
        """The model in float32; the embedding table is an input of it."""
        w = self._weights
        x = self._input()
        mask = self.node("Cast", ["mask"], "mask.f32", to=TensorProto.FLOAT)
        hidden = self.node("Sub", [self.constant("one", np.array(1, "f4")), mask], "hidden")
        far = self.node("Mul", [hidden, self.constant("far", np.array(-1e9, "f4"))], "hidden.far")
        bias = self.node("Unsqueeze", [far, self.constant("axes12", np.array([1, 2]))], "bias")
        for layer in (f"l{i}." for i in range(w.layers)):
            x = self.norm(self.node("Add", [self._attention(x, layer, bias), x], layer + "x+a"), layer + "aln")
            inner = self.node("Gelu", [self.even(x, layer + "fi", w.hidden)], layer + "gelu")
            x = self.norm(self.node("Add", [self.even(inner, layer + "fo", w.ff), x], layer + "x+f"), layer + "oln")
        rows = self.constant("axis1", np.array([1]))
        weight = self.node("Unsqueeze", [mask, self.constant("axis2", np.array([2]))], "weight")
        total = self.node("ReduceSum", [self.node("Mul", [x, weight], "counted"), rows], "total", keepdims=0)
        mean = self.node("Div", [total, self.node("ReduceSum", [mask, rows], "tokens", keepdims=1)], "mean")
        self.node("Div", [mean, self.node("ReduceL2", [mean, rows], "length2", keepdims=1)], "vectors")
        graph = helper.make_graph(
            self._nodes,
            "multilingual-e5-small",
            [
                *(
                    helper.make_tensor_value_info(name, TensorProto.INT64, ["texts", "tokens"])
                    for name in ("ids", "mask")
                ),
                helper.make_tensor_value_info(_TABLE, TensorProto.FLOAT16, [w.vocab, w.hidden]),
            ],
            [helper.make_tensor_value_info("vectors", TensorProto.FLOAT, ["texts", w.hidden])],
            list(self._constants.values()),
        )
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)


def write_model(weights: Weights, folder: Path, *, int8: bool = True) -> None:
    """Write :data:`MODEL` and :data:`TABLE` into ``folder``; about 120 MB of memory at the peak, and some seconds.

    ``int8`` quantises the weight matrices per channel (per tensor, or all operators, costs .05 nDCG across languages);
    without it they stay float32. Scaling tokens before the feed-forward matrices makes the error (1 − cosine to float32)
    seven times as small, .0005 instead of .0034, and takes a tenth longer; before the others it adds nothing.
    """
    target = folder / MODEL
    model = Graph(weights).model()
    if int8:
        root = logging.getLogger()
        level = root.level
        root.setLevel(logging.ERROR)  # it warns through the root logger that a pre-processing is missing, twice
        try:
            kind = QuantType.QInt8
            quantize_dynamic(model, target, op_types_to_quantize=["MatMul"], per_channel=True, weight_type=kind)
        finally:
            root.setLevel(level)
        model = onnx.load(target)
    inputs = [given for given in model.graph.input if given.name != _TABLE]
    del model.graph.input[:]
    model.graph.input.extend(inputs)
    with (folder / TABLE).open("wb") as file:
        for part in weights.chunks(_TABLE):
            file.write(part.astype("<f2").tobytes())
    table = TensorProto(name=_TABLE, data_type=TensorProto.FLOAT16, dims=[weights.vocab, weights.hidden])
    table.data_location = TensorProto.EXTERNAL
    for key, value in (("location", TABLE), ("offset", "0"), ("length", str((folder / TABLE).stat().st_size))):
        table.external_data.add(key=key, value=value)
    model.graph.initializer.append(table)
    onnx.save(model, target)
