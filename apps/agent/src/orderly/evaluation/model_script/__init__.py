"""What a scripted model costs in tokens, and what users see when a model misbehaves."""
