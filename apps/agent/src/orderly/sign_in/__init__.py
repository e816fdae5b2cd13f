"""Authentication: tokens, cookies, OpenID Connect, and the identity sealed into a run."""
