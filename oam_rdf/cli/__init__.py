"""The command ``oam``."""

from __future__ import annotations

from oam_rdf.cli.app import main

__all__ = ["main"]
