"""What stands around calls of models and tools in a run."""
