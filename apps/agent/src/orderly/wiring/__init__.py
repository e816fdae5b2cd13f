"""Constructs services, stores and engines from the settings. The only place that constructs them."""
