"""Embedders to test: a real endpoint in this process, and the e5 weights as a sentence-transformers folder."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np

from oam_rdf.index.embed_tokens import write_vocabulary
from oam_rdf.index.embed_weights import Weights


class Endpoint:
    """An OpenAI-compatible endpoint over vectors of ``vectors``; ``failures`` are status codes to answer first."""

    def __init__(self, vectors: Any) -> None:
        self.vectors = vectors
        self.failures: list[int] = []
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.location = ""
        self.change: Any = lambda rows: rows

    @contextmanager
    def serve(self) -> Iterator[str]:
        """The address while it answers."""
        endpoint = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                endpoint.requests.append(body | {"path": self.path})
                endpoint.keys.append(self.headers["Authorization"])
                code = endpoint.failures.pop(0) if endpoint.failures else 200
                rows = endpoint.vectors(body["input"]).tolist() if code == 200 else []
                data = [{"index": i, "object": "embedding", "embedding": row} for i, row in enumerate(rows)]
                answer = json.dumps({"data": endpoint.change(data), "model": body["model"]}).encode()
                self.send_response(code)
                if code in (301, 302, 307):
                    self.send_header("Location", endpoint.location)
                if code == 429:
                    self.send_header("Retry-After", "0")
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def do_GET(self) -> None:
                endpoint.requests.append({"path": self.path})
                endpoint.keys.append(self.headers["Authorization"])
                self.send_error(404)

            def log_message(self, *_: Any) -> None: ...

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            server.server_close()
            thread.join()


def hashed(texts: list[str]) -> Any:
    """Vectors of no unit length, float64[n, 64]: character pairs, counted by their hash."""
    out = np.zeros((len(texts), 64))
    for row, text in enumerate(texts):
        for a, b in zip(text, text[1:] + "$", strict=True):
            out[row, (ord(a) * 31 + ord(b)) % 64] += 3.0
    return out


def write_st_folder(weights: Weights, folder: Path) -> None:
    """Unpack the weights into a model folder as sentence-transformers reads it."""
    from safetensors.numpy import save_file
    from tokenizers import Tokenizer, normalizers, processors

    folder.mkdir(parents=True)
    tensors = {
        "embeddings.word_embeddings.weight": weights.tensor("emb.word", weights.hidden),
        "embeddings.position_embeddings.weight": weights.tensor("emb.pos", weights.hidden),
        "embeddings.token_type_embeddings.weight": weights.tensor("emb.type", weights.hidden),
        "embeddings.LayerNorm.weight": weights.tensor("emb.ln.w"),
        "embeddings.LayerNorm.bias": weights.tensor("emb.ln.b"),
    }
    parts = {
        "q": ("attention.self.query", weights.hidden), "k": ("attention.self.key", weights.hidden),
        "v": ("attention.self.value", weights.hidden), "ao": ("attention.output.dense", weights.hidden),
        "aln": ("attention.output.LayerNorm", 0), "fi": ("intermediate.dense", weights.hidden),
        "fo": ("output.dense", weights.ff), "oln": ("output.LayerNorm", 0),
    }  # fmt: skip
    for layer in range(weights.layers):
        for short, (name, columns) in parts.items():
            place = f"encoder.layer.{layer}.{name}"
            tensors[place + ".weight"] = weights.tensor(f"l{layer}.{short}.w", columns)
            tensors[place + ".bias"] = weights.tensor(f"l{layer}.{short}.b")
    save_file({name: np.array(t) for name, t in tensors.items()}, folder / "model.safetensors", {"format": "pt"})
    write_vocabulary(weights, folder)
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFKC()])
    special = {
        "bos_token": "<s>",
        "eos_token": "</s>",
        "pad_token": "<pad>",
        "unk_token": "<unk>",
        "mask_token": "<mask>",
    }
    tokenizer.add_special_tokens(list(special.values()))
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>",
        pair="<s> $A </s> </s> $B </s>",
        special_tokens=[("<s>", weights.bos), ("</s>", weights.eos)],
    )
    tokenizer.save(str(folder / "tokenizer.json"))

    def put(name: str, value: Any) -> None:
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(value))

    put("config.json", {
        "architectures": ["BertModel"], "model_type": "bert", "hidden_act": "gelu", "hidden_size": weights.hidden,
        "num_hidden_layers": weights.layers, "num_attention_heads": weights.heads, "intermediate_size": weights.ff,
        "vocab_size": weights.vocab, "max_position_embeddings": weights.positions, "type_vocab_size": 2,
        "layer_norm_eps": weights.epsilon, "pad_token_id": weights.pad, "torch_dtype": "float32",
    })  # fmt: skip
    put("tokenizer_config.json", special | {"tokenizer_class": "PreTrainedTokenizerFast", "model_max_length": 512})
    put("special_tokens_map.json", special)
    kind = "sentence_transformers.models."
    put("modules.json", [
        {"idx": 0, "name": "0", "path": "", "type": kind + "Transformer"},
        {"idx": 1, "name": "1", "path": "1_Pooling", "type": kind + "Pooling"},
        {"idx": 2, "name": "2", "path": "2_Normalize", "type": kind + "Normalize"},
    ])  # fmt: skip
    put("sentence_bert_config.json", {"max_seq_length": 480, "do_lower_case": False})
    put("1_Pooling/config.json", {"word_embedding_dimension": weights.hidden, "pooling_mode_mean_tokens": True})
    prompts = {"query": "query: ", "passage": "passage: "}
    put("config_sentence_transformers.json", {"prompts": prompts, "default_prompt_name": None})
