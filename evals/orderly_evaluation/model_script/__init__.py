"""A scripted chat model: its cost in tokens, and the answers that users see when it misbehaves."""
