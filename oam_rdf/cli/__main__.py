"""``python -m oam_rdf.cli``: the same as ``oam``."""

from oam_rdf.cli.app import main

main()
