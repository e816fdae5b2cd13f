"""Authentication: tokens, cookies, OpenID Connect, Supabase Auth, and the sealed identity of a run."""
