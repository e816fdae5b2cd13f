"""Adapters to Postgres, Supabase and file storage; typed SQL functions."""
