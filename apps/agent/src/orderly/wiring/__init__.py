"""Settings become services, stores and engines; nothing is constructed elsewhere."""
