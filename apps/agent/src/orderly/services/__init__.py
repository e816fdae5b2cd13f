"""The product's operations, by subject. Imports neither LangChain nor an HTTP framework."""
