"""Reads the replies of language models: retries, plain failures, thoughts, and tool calls as endpoints really send them."""
