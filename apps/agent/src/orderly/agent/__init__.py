"""A run of the agents: tools, middleware, prompts, chat models, and rendering of results as text."""
