"""Reads the replies of language models: retries, plain failures, thoughts, tool calls and complaints as endpoints send them."""
