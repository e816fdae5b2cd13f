"""Adapters to Postgres, Supabase and stored files."""
