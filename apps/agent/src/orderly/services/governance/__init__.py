"""Audit record, retention, purge, redaction, integrity."""

from orderly.services.governance import backup_files, retention
from orderly.services.governance.audit import Verdict, sign_heads, verify_record
from orderly.services.governance.audit_export import FIELDS, entries_of, row_of
from orderly.services.governance.audit_witness import Witness, nobody_signs
from orderly.services.governance.backup_files import Manifest
from orderly.services.governance.integrity import Proof, prove
from orderly.services.governance.purge import purge
from orderly.services.governance.redaction import Redactor
from orderly.services.governance.retention import Due

__all__ = [
    "FIELDS",
    "Due",
    "Manifest",
    "Proof",
    "Redactor",
    "Verdict",
    "Witness",
    "backup_files",
    "entries_of",
    "nobody_signs",
    "prove",
    "purge",
    "retention",
    "row_of",
    "sign_heads",
    "verify_record",
]
