"""Where the ontology, shapes, sample data and profiles lie: inside the wheel, or at the top of a checkout."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def _folder(name: str) -> Path:
    installed = _PACKAGE / "_resources" / name
    return installed if installed.is_dir() else _PACKAGE.parent / name


def ontology_dir() -> Path:
    """Folder of the OWL modules, SKOS schemes and examples."""
    return _folder("ontology")


def shapes_dir() -> Path:
    """Folder of the SHACL shapes."""
    return _folder("shapes")


def sample_dir() -> Path:
    """Folder of the sample documents that ``oam demo`` ingests."""
    return _folder("data")


def schemas_dir() -> Path:
    """Folder of the JSON Schemas of what the program writes."""
    return _folder("data") / "schemas"


def profiles_dir() -> Path:
    """Folder of the profiles that ship with the product."""
    return _PACKAGE / "profiles"
