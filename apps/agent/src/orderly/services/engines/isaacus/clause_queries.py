"""Queries for clause types. Standard types use the Isaacus Query Language (IQL); user text is never sent as IQL."""

from __future__ import annotations

from collections.abc import Mapping

STANDARD_QUERIES: Mapping[str, str] = {
    "termination": "{IS termination clause}",
    "indemnity": "{IS indemnity clause}",
    "limitation of liability": "{IS liability limitation clause} OR {IS liability cap clause}",
    "confidentiality": "{IS confidentiality clause}",
    "dispute resolution": "{IS adr clause} OR {IS choice of venue clause}",
    "governing law": "{IS governing law clause}",
    "force majeure": "{IS force majeure liability limitation clause} OR {IS force majeure termination clause}",
    # IQL has no template for assignment: "ip assignment or license" covers intellectual property only.
    "assignment": '{IS clause that "restricts or permits assignment or novation of rights or obligations under the contract"}',
    "warranties": "{IS representation or warranty clause}",
    "payment terms": "{IS payment clause}",
}
CONTRACT_STATEMENT = "This is a contract or agreement."


def query_for(label: str) -> tuple[str, bool]:
    """(query, whether the query is IQL) for a clause type."""
    standard = STANDARD_QUERIES.get(label.strip().lower())
    if standard is not None:
        return standard, True
    return f"This is a clause about {label.strip()}.", False
