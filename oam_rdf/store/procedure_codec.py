"""How a check is run again, as quads and back (ontology/provenance.ttl, ``oam:Procedure``).

What stands in a graph may have come in as RDF and is believed no further than it fits: a command is ``python`` on one of the
declared files, paths stay below the declaring document's folder, limits have an upper end.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import PurePosixPath

from pyoxigraph import Literal, NamedNode, Store

from oam_rdf.errors import Refused
from oam_rdf.model import Evidence, Procedure
from oam_rdf.namespaces import SCHEMES, concept
from oam_rdf.store import prov_codec
from oam_rdf.store.document_quads import DocumentQuads
from oam_rdf.store.minter import Minter
from oam_rdf.store.terms import TYPE, integer, n, oam, text

HAS = oam("hasProcedure")
_COMMAND, _INPUT, _PATH, _HASH = oam("command"), oam("input"), oam("filePath"), oam("contentHash")
_OUTPUT, _KIND, _TIME, _MEMORY = oam("expectedOutput"), oam("evidenceKind"), oam("timeLimit"), oam("memoryLimit")
_SCOPE, _OVER, _ALL_CASES = oam("claimScope"), oam("quantification"), oam("universalProof")
_SHA256 = re.compile(r"sha256:([0-9a-f]{64})")
INTERPRETER = "python"
MOST_SECONDS, MOST_MEMORY, MOST_FILES = 600, 2048, 64


def write(out: DocumentQuads, graph: str, minter: Minter, procedure: Procedure) -> None:
    """The procedure of the document that ``out`` is of."""
    node = n(minter.dependent(out.iri, "procedure"))
    out.add(graph, n(out.iri), HAS, node)
    for predicate, value in (
        (TYPE, oam("Procedure")),
        (_KIND, n(concept("evidence-kind", procedure.kind))),
        (_COMMAND, text(json.dumps(procedure.command, ensure_ascii=False))),
        (_OUTPUT, text(f"sha256:{procedure.output}")),
        (_TIME, integer(procedure.seconds)),
        (_MEMORY, integer(procedure.memory)),
    ):
        out.add(graph, node, predicate, value)
    for number, (path, sha256) in enumerate(procedure.inputs, 1):
        file = n(minter.dependent(node.value, f"input{number}"))
        out.add(graph, node, _INPUT, file)
        out.add(graph, file, _PATH, text(path))
        out.add(graph, file, _HASH, text(f"sha256:{sha256}"))
    reach = Evidence(procedure.kind, "", "", quantification=procedure.quantification, universal=procedure.universal)
    prov_codec.scope(out, graph, minter, node, reach)


def read(store: Store, node: NamedNode) -> Procedure:
    """The stored procedure ``node``. :raises Refused: if it is none that could be run, with the reason."""
    files = []
    for file in _nodes(store, node, _INPUT):
        path, sha256 = _one(store, file, _PATH), _SHA256.fullmatch(_one(store, file, _HASH))
        if sha256 is None:
            raise Refused(f"the input {path!r} has no SHA-256", place=node.value, hint="declare its hash")
        files.append((path, sha256[1]))
    output = _SHA256.fullmatch(_one(store, node, _OUTPUT))
    try:
        command = json.loads(_one(store, node, _COMMAND) or "null")
        limits = int(_one(store, node, _TIME) or 10), int(_one(store, node, _MEMORY) or 256)
    except ValueError as error:
        raise Refused(f"the procedure cannot be read: {error}", place=node.value) from error
    wrong = unfit(command, [path for path, _ in files], *limits)
    if wrong or output is None:
        raise Refused(
            wrong or "it does not say what has to be printed", place=node.value, hint="correct the declaration"
        )
    scopes = _nodes(store, node, _SCOPE)
    universal = _one(store, scopes[0], _ALL_CASES) if scopes else ""
    return Procedure(
        _one(store, node, _KIND).removeprefix(SCHEMES["evidence-kind"]), tuple(command), tuple(sorted(files)), output[1],
        *limits, _one(store, scopes[0], _OVER) if scopes else "", universal == "true" if universal else None,
    )  # fmt: skip


def unfit(command: object, paths: Sequence[str], seconds: int, memory: int) -> str:
    """Why a command on these files may not be run, "" if it may."""
    if not isinstance(command, list) or not command or not all(isinstance(word, str) for word in command):
        return "the command is no list of words"
    if command[0] != INTERPRETER:
        return f"the command begins with {command[0]!r}: only {INTERPRETER!r} is run"
    if len(command) < 2 or command[1] not in paths:
        return "the second word of the command is none of the declared files"
    if any("\0" in word for word in command):
        return "a word of the command holds a NUL character"
    for path in paths:
        parts = PurePosixPath(path).parts
        if (
            not parts
            or path.startswith(("/", "-"))
            or {"..", "."} & set(path.split("/"))
            or "\\" in path
            or "\0" in path
        ):
            return f"the path {path!r} does not lie below the folder of the declaration"
    if len(paths) > MOST_FILES or len(set(paths)) < len(paths):
        return f"more than {MOST_FILES} files, or one of them twice"
    if not 1 <= seconds <= MOST_SECONDS or not 16 <= memory <= MOST_MEMORY:
        return f"limits go from 1 to {MOST_SECONDS} seconds and from 16 to {MOST_MEMORY} MiB"
    return ""


def _nodes(store: Store, node: NamedNode, predicate: NamedNode) -> list[NamedNode]:
    found = {quad.object for quad in store.quads_for_pattern(node, predicate, None, None)}
    return sorted((one for one in found if isinstance(one, NamedNode)), key=str)


def _one(store: Store, node: NamedNode, predicate: NamedNode) -> str:
    """The only value. :raises Refused: where several are said: nobody could tell which one was meant."""
    found = {
        quad.object.value
        for quad in store.quads_for_pattern(node, predicate, None, None)
        if isinstance(quad.object, NamedNode | Literal)
    }
    if len(found) > 1:
        raise Refused(f"{predicate.value} has {len(found)} values", place=node.value, hint="leave one")
    return min(found, default="")
