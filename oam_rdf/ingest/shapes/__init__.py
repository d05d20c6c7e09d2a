"""Readers of JSON shapes, one noun a file: each recognises its shape by keys and gives a document (formats.md, "In")."""
