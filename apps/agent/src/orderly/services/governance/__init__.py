"""Audit record, retention, purge, redaction, integrity, backup files."""

from orderly.services.governance import backup_files, retention
from orderly.services.governance.anchor_folder import AnchorFolder
from orderly.services.governance.audit import ChainReport, sign_heads, verify_record
from orderly.services.governance.audit_anchors import AnchorStore, anchor_heads
from orderly.services.governance.audit_export import FIELDS, audit_entries, csv_row
from orderly.services.governance.audit_witness import Witness, block_signing
from orderly.services.governance.backup_files import Manifest
from orderly.services.governance.integrity import Proof, prove
from orderly.services.governance.purge import purge
from orderly.services.governance.redaction import Redactor
from orderly.services.governance.retention import Due

__all__ = [
    "FIELDS",
    "AnchorFolder",
    "AnchorStore",
    "ChainReport",
    "Due",
    "Manifest",
    "Proof",
    "Redactor",
    "Witness",
    "anchor_heads",
    "audit_entries",
    "backup_files",
    "block_signing",
    "csv_row",
    "prove",
    "purge",
    "retention",
    "sign_heads",
    "verify_record",
]
