"""Where the ontology, shapes, sample data and profiles lie: inside the wheel, or at the top of a checkout; and where what is
computed once for a user is kept."""

from __future__ import annotations

import os
import sys
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


def cache_folder() -> Path:
    """``OAM_CACHE``, else the folder for caches of this user on this platform; it need not exist."""
    if os.environ.get("OAM_CACHE"):
        return Path(os.environ["OAM_CACHE"])
    if os.environ.get("XDG_CACHE_HOME"):
        return Path(os.environ["XDG_CACHE_HOME"]) / "oam-rdf"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "oam-rdf" / "Cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "oam-rdf"
    return Path.home() / ".cache" / "oam-rdf"
