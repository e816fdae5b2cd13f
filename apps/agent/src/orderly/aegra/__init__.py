"""The production server: Aegra with the graph, sign-in and HTTP application of the development server."""
