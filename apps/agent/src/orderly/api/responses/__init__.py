"""OpenAI's Responses API on the graph: request models, runs on the server's threads, response objects and events."""
