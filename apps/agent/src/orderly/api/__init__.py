"""The REST door: routes beside the graph, on the same server, over the same library."""
