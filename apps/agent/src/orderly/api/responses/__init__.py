"""OpenAI's Responses API over the graph: requests in, a run on the server's own threads, OpenAI's events and objects out."""
