"""OAM-RDF: Operator-Assisted Memory on RDF."""

__version__ = "0.1.0"
