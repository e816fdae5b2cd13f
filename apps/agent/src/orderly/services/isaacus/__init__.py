"""The parts of the Isaacus client: connection, error tables, reply checks, IQL constants."""
