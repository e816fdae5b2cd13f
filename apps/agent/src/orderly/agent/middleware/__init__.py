"""Middleware around the model calls and tool calls of a run, and what it is made of. Its classes are listed in `graph.py`."""
