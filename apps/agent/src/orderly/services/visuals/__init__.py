"""Pages by what they show: found when a document is taken in, or by an outside service that sees."""
