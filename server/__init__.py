"""The HTTP face of a knowledge base; importable as ``oam_server``."""

from oam_server.app import create_app

__all__ = ["create_app"]
