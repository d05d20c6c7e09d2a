"""The ontology as an object of work: checked, reasoned over, asked its competency questions, and printed."""
