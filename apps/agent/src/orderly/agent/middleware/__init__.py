"""Middleware around the model calls and tool calls of a run. A class has the name of its module."""
