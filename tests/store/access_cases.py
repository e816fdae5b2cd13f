"""One valid call or more of every SQL function that a signed-in user may execute."""

from __future__ import annotations

import hashlib
from typing import Any

from store.contract import upload
from support.revisions import TEST_MODEL, vector_of, vector_text

QUERY = {"query_embedding": vector_text(vector_of("Ohio")), "model": TEST_MODEL}
ENDINGS = [
    "", "judge_cell", "delete_review_column", "delete_review", "delete_group", "delete_response", "delete_folder", "delete_document", "add_matter_member", "remove_matter_member", "add_matter_screen",
]  # fmt: skip
"""Functions whose cases run last, in this order, because they delete what other cases use."""

PERSONAL = {"get_response", "delete_response", "replay_run"}
"""Functions on things of one user, closed to other members of the matter too."""

ADMINISTRATION = {
    "add_person", "set_person", "firm_matters", "firm_matter_members", "set_firm_member", "create_group", "delete_group",
    "set_group_member", "set_firm_processors",
}  # fmt: skip
"""Functions for administrators only, who need no membership; they have a test of their own."""

A_COLUMN: dict[str, Any] = {"title": "Secret", "question": "How long is the secret term?", "answer_type": "text"}
A_RESPONSE: dict[str, Any] = {"thread_id": "t", "checkpoint_id": "c", "body": {"output": []}, "document_ids": []}

# {name} stands for the id of one of Ada's things; {matter}, {number} and {slug} all name her matter.
CASES: dict[str, list[dict[str, Any]]] = {
    "whoami": [{}],
    "list_matters": [{}],
    "get_matter": [{"matter_ref": "{matter}"}, {"matter_ref": "{number}"}, {"matter_ref": "{slug}"}],
    "create_matter": [{"title": "Of one's own"}],
    "add_matter_member": [{"matter_ref": "{matter}", "member_email": "ada@firm.example", "member_role": "viewer"}],
    "remove_matter_member": [{"matter_ref": "{matter}", "member_email": "ada@firm.example"}],
    "list_matter_members": [{"matter_ref": "{matter}"}],
    "add_matter_screen": [{"matter_ref": "{matter}", "member_email": "ada@firm.example", "reason": "Former client"}],
    "lift_matter_screen": [{"matter_ref": "{matter}", "screen_id": "{screen}"}],
    "list_matter_screens": [{"matter_ref": "{matter}"}, {"matter_ref": "{number}"}],
    "list_screens": [{}],
    "list_audit": [{"matter_ref": "{matter}"}, {"matter_ref": "{number}"}],
    "replay_run": [{"run_id": "{run}"}],
    "list_people": [{}],
    "add_person": [{"email": "new@firm.example", "display_name": "New"}],
    "set_person": [{"person_email": "ada@firm.example"}],
    "firm_matters": [{}],
    "firm_matter_members": [{"matter_ref": "{matter}"}, {"matter_ref": "{number}"}],
    "set_firm_member": [{"matter_ref": "{matter}", "member_email": "walled@firm.example", "member_role": "viewer"}],
    "list_groups": [{}],
    "create_group": [{"group_name": "New circle"}],
    "delete_group": [{"group_ref": "{group}"}],
    "set_group_member": [{"group_ref": "{group}", "member_email": "ada@firm.example", "is_member": True}],
    "restrict_document": [{"document_id": "{document}"}, {"document_id": "{document}", "group_ref": "{group}"}],
    "get_processors": [{"matter_ref": "{matter}"}, {"matter_ref": "{number}"}, {}],
    "set_matter_processors": [{"matter_ref": "{matter}", "processors": ["model"]}],
    "set_firm_processors": [{"processors": ["model"]}],
    "allowed_processors": [{"matter_ref": "{matter}"}, {"document_id": "{document}"}, {}],
    "register_thread": [{"thread_id": "t-9"}],
    "check_thread": [{"thread_id": "t-9", "opened": True}],
    "my_threads": [{}],
    "delete_thread": [{"thread_id": "t-9"}],
    "record_denial": [{"function_name": "get_matter", "refs": {"matter_ref": "nothing"}}],
    "record_answer": [{"question": "Q", "model": "m", "answer_sha256": "0" * 64, "citations": []}],
    "list_documents": [{"matter_ref": "{matter}"}, {"matter_ref": "{number}"}],
    "searched_documents": [{"matter_id": "{matter}"}, {"matter_id": "{number}"}],
    "get_document": [{"document_id": "{document}"}],
    "get_revision": [{"document_id": "{document}"}],
    "register_document": [upload("{matter}", "x.txt", b"x")],
    "find_duplicates": [{"matter_ref": "{matter}", "filename": "secret.txt", "sha256": hashlib.sha256(b"x").hexdigest()}],
    "document_stored": [{"document_id": "{document}"}],
    "withdraw_upload": [{"document_id": "{document}", "storage_key": "none"}],
    "hold_document": [{"document_id": "{document}", "held": False}],
    "list_receipts": [{"matter_ref": "{matter}"}, {"matter_ref": "{number}"}],
    "get_health": [{"document_id": "{document}"}],
    "reprocess_document": [{"document_id": "{document}"}],
    "delete_document": [{"document_id": "{document}"}],
    "save_citation": [{"document_id": "{document}", "revision_id": "{revision}", "start": 0, "end": 6}],
    "get_citation": [{"citation_id": "{citation}"}],
    "chat_workspace": [{}],
    "citation_lines": [{"citation_id": "{citation}"}],
    "reading_coverage": [{"matter_ref": "{matter}"}, {"matter_ref": "{number}"}],
    "save_response": [{**A_RESPONSE, "new_id": "resp_" + "1" * 32}],
    "get_response": [{"response_id": "{response}"}],
    "delete_response": [{"response_id": "{response}"}],
    "match_document_embeddings": [{"matter_id": "{matter}", **QUERY}, {"matter_id": "{number}", **QUERY}],
    "passage_similarities": [{"matter_id": "{matter}", "chunk_ids": [], **QUERY}],
    "withheld_tools": [{"client_id": "orderly"}],
    "run_opening": [{"client_id": "orderly"}],
    "hidden_text": [{"document_ids": []}],
    "grant_tool": [{"client_id": "orderly", "function_name": "find"}],
    "owning_document": [{"document_id": "{document}"}],
    "search_chunks": [{"matter_id": "{matter}", "query": "Ohio"}],
    "search_revision_text": [{"matter_id": "{matter}", "query": "Ohio"}],
    "get_node": [
        {"path_part_id": f"{{{name}}}"} for name in ("matter", "number", "folder", "document", "section", "chunk", "citation")
    ],
    "list_contents": [{"path_part_id": "{matter}"}, {"path_part_id": "{folder}"}, {}],
    "find_by_name": [{"name": "secret"}, {"name": "merger", "kind": "FOLDER"}],
    "document_contents": [{"document_id": "{document}"}],
    "read_chunks": [{"path_part_id": f"{{{name}}}"} for name in ("document", "section", "chunk")],
    "neighbours": [{"chunk_id": "{chunk}"}],
    "matter_texts": [{"matter_id": "{matter}", "query": "Ohio"}, {"matter_id": "{number}", "query": "Ohio"}],
    "locate_spans": [{"document_id": "{document}", "revision_id": "{revision}", "spans": [[0, 6]]}],
    "open_page": [{"path_part_id": f"{{{name}}}"} for name in ("document", "section", "chunk", "citation")],
    "visual_status": [{"matter_id": "{matter}", "engine": "embedded"}, {"matter_id": "{number}", "engine": "embedded"}],
    "search_visuals": [{"matter_id": "{matter}", "query": "Ohio plan"}, {"matter_id": "{number}", "query": "Ohio plan"}],
    "document_changes": [{"matter_ref": "{matter}"}, {"matter_ref": "{number}"}, {"matter_ref": "{matter}", "after": 0}],
    "page_documents": [{"matter_ref": "{matter}"}, {"matter_ref": "{number}", "name_like": "%"}],
    "list_folders": [{"matter_ref": "{matter}"}, {"matter_ref": "{number}"}],
    "open_file": [{"document_id": "{document}"}],
    "document_page": [{"document_id": "{document}", "page_number": 1}],
    "document_span": [{"document_id": "{document}", "start_char": 0, "end_char": 6}],
    "edit_document": [{"document_id": "{document}", "changes": {"filename": "secret-merger.txt"}}],
    "edit_folder": [{"folder_id": "{folder}", "changes": {"name": "Secret merger papers"}}],
    "edit_matter": [{"matter_ref": "{matter}", "changes": {"title": "The merger of North and South"}}],
    "create_folder": [{"matter_ref": "{matter}", "name": "New"}],
    "rename_folder": [{"folder_id": "{folder}", "name": "Renamed"}],
    "move_folder": [{"folder_id": "{folder}"}],
    "delete_folder": [{"folder_id": "{folder}"}],
    "move_document": [{"document_id": "{document}"}],
    "named_documents": [{"matter_id": "{matter}", "words": "Ohio"}, {"matter_id": "{number}", "words": "Ohio"}],
}
IDS = {
    "matter_ref",
    "matter_id",
    "document_id",
    "citation_id",
    "path_part_id",
    "chunk_id",
    "folder_id",
    "response_id",
    "screen_id",
    "run_id",
    "group_ref",
    "review_id",
    "column_id",
    "cell_id",
}
"""Arguments that take the id of one of Ada's things."""

USAGE = [{"engine": "isaacus", "model": "kanon", "endpoint": "/rerankings", "requests": 1, "input_tokens": 7}]
CASES |= {
    "create_review": [{"matter_ref": "{matter}", "name": "Everything"}],
    "list_reviews": [{"matter_ref": "{matter}"}, {"matter_ref": "{number}"}],
    "get_review": [{"review_id": "{review}"}],
    "add_review_columns": [{"review_id": "{review}", "columns": [A_COLUMN], "cell_limit": 100}],
    "edit_review": [{"review_id": "{review}", "changes": {"name": "Secret review"}}],
    "edit_review_column": [{"column_id": "{column}", "changes": {"title": "Secret term"}}],
    "run_review": [{"review_id": "{review}", "cell_limit": 100}],
    "cancel_review": [{"review_id": "{review}"}],
    "review_rows": [{"review_id": "{review}"}],
    "review_changes": [{"review_id": "{review}", "after": 0}],
    "judge_cell": [{"cell_id": "{cell}", "verdict": "none", "seen": 1}],
    "delete_review_column": [{"column_id": "{column}"}],
    "delete_review": [{"review_id": "{review}"}],
    "record_engine_usage": [
        {"entries": USAGE, "matter_ref": "{matter}"}, {"entries": USAGE, "document_id": "{document}"}, {"entries": USAGE},
    ],
    "list_engine_usage": [{"matter_ref": "{matter}"}, {}],
    "documents_without_vectors": [{"matter_id": "{matter}", "model": "m"}, {"matter_id": "{number}", "model": "m"}],
}  # fmt: skip
