"""The Model Context Protocol door: the same tools, called as the same caller."""
