"""Orderly: a document agent for lawyers, on LangGraph."""
