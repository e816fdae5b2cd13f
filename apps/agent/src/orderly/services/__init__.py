"""What the product does, by subject. It knows no LangChain and no HTTP framework."""
