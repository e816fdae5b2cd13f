"""REST routes, served by the same process as the graph and built on the same library."""
