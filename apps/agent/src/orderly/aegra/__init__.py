"""The production server: Aegra with the graph, authentication and application of the development server."""
