"""A logistic model of the weights: read from a JSON file of features, coefficients and the hash of what it was trained on.

``{"name": …, "training_sha256": …, "intercept": 0.1, "coefficients": {"oov": 1.2, …}}``: a feature that the file does not
name does not count, one that the program does not know is an error.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from oam_rdf.errors import ConfigError
from oam_rdf.resources import sample_dir

FILE = "router.json"
FEATURES = frozenset(
    ("lexical_margin", "dense_margin", "oov", "ids", "operator_coverage", "graph", "reached", "length", "same_language")
)


@dataclass(frozen=True, slots=True)
class Logistic:
    """``σ(intercept + Σ coefficient · feature)``; ``training_sha256`` says which judged queries it was fitted to."""

    name: str
    training_sha256: str
    intercept: float
    coefficients: Mapping[str, float]

    def __call__(self, features: Mapping[str, float]) -> float:
        total = self.intercept + math.fsum(
            weight * features.get(name, 0.0) for name, weight in self.coefficients.items()
        )
        return 1.0 / (1.0 + math.exp(-max(-60.0, min(60.0, total))))

    @classmethod
    def read(cls, file: Path) -> Logistic:
        """The model in a file. :raises ConfigError: naming what is missing, unknown or no number."""
        try:
            data = json.loads(file.read_text("utf-8"))
        except (OSError, ValueError) as error:
            raise ConfigError(f"not a model: {error}", place=str(file)) from error
        if not isinstance(data, Mapping) or not isinstance(data.get("coefficients"), Mapping):
            raise ConfigError("a model is a JSON object with coefficients", place=str(file))
        unknown = set(data["coefficients"]) - FEATURES
        if unknown:
            raise ConfigError(
                f"unknown feature {min(unknown)!r}", place=str(file), hint="one of " + ", ".join(sorted(FEATURES))
            )
        sha = str(data.get("training_sha256", ""))
        if not re.fullmatch(r"[0-9a-f]{64}", sha):
            raise ConfigError(
                "training_sha256 is no SHA-256", place=str(file), hint="64 hex digits of the training set's hash"
            )
        numbers = {"intercept": data.get("intercept", 0.0), **data["coefficients"]}
        for name, value in numbers.items():
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
                raise ConfigError(f"{name} is {value!r}", place=str(file), hint="a finite number")
        coefficients = {str(name): float(value) for name, value in data["coefficients"].items()}
        return cls(str(data.get("name", file.stem)), sha, float(numbers["intercept"]), coefficients)


@lru_cache(maxsize=1)
def shipped() -> Logistic | None:
    """The model in ``data/router.json``, None where there is none: then hand rules decide."""
    file = sample_dir() / FILE
    return Logistic.read(file) if file.is_file() else None
