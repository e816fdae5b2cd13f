"""The production server: Aegra around the same graph, sign-in and application that the development server runs."""
