"""Proposing tags: cue rules, and optionally a language model, whose candidates change nothing by themselves."""
