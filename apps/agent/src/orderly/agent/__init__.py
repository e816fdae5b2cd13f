"""One run of the agents: tools, middleware, prompts, chat models, and results as text."""
