"""The command line."""

from __future__ import annotations

import csv
import json
import socket
import subprocess
from pathlib import Path

import pytest

from support.installation import ORDERLY, Office
from support.lease import LEASE
from support.scripted_model import serve


def test_doctor_reports_working_and_missing_parts(office: Office) -> None:
    text = office.installation.run("doctor").stdout
    assert "✓ store: embedded Postgres" in text
    assert "offline planner" in text and "OPENAI_API_KEY" in text
    assert "✓ files: read in up to 2 processes, each file within 600 s and 2048 MB" in text
    assert "1 document" in text


def test_a_question_is_answered_with_its_steps_shown(office: Office) -> None:
    done = office.installation.run("ask", "Which law governs the lease?", "--matter", office.matter)
    assert "laws of New South Wales" in done.stdout
    assert "ask_documents" in done.stderr
    data = office.installation.data("ask", "Which law governs the lease?", "--matter", office.matter)
    [citation] = data["citations"]
    assert LEASE[citation["start"] : citation["end"]] == citation["text"]
    assert citation["standing"] == "answer"
    again = office.installation.run("ask", "And the notice period for termination?", "--continue")
    assert "ninety (90) days" in again.stdout
    kept = json.loads((office.installation.home / "conversation.json").read_text(encoding="utf-8"))
    assert kept["questions"] == ["Which law governs the lease?", "And the notice period for termination?"]
    assert "New South Wales" not in json.dumps(kept)


def test_a_draft_is_printed_alone_and_what_is_told_of_it_beside(office: Office) -> None:
    letter = "Dear Bert,\n\nThe Lessee pays $5,400 per month in advance"
    written = f"Here it is.\n\n```draft\n{letter} [lease.txt, Section 2.1].\n```\n\nSend it by post."
    asked = ("ask", "What rent does the Lessee pay per month?", "--matter", office.matter)
    with serve(lambda request: written) as model:
        environment = {"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": model.base_url}
        done = office.installation.run(*asked, **environment)
        data = office.installation.data(*asked, **environment)
    told = "lease.txt, Section 2.1 says “$4,500”, not “$5,400”."
    assert done.stdout == f"{letter}.\n"
    assert "Here it is.\n\n" in done.stderr and "Send it by post." in done.stderr
    assert "Check before you rely on it:\n- The Lessee pays $5,400 per month in advance — " + told in done.stderr
    assert "Sources:\n- [1] lease.txt, Section 2.1" in done.stderr
    [check] = [one for one in data["checks"] if one["reason"]]
    assert data["answer"][check["start"] : check["end"]] == "The Lessee pays $5,400 per month in advance."
    assert (check["verdict"], check["reason"], check["place"]) == ("contradicted", told, "lease.txt, Section 2.1")
    assert check["citations"] == [citation["citation_id"] for citation in data["citations"]]


def test_a_chat_goes_on_until_an_empty_line(office: Office) -> None:
    typed = "Which law governs the lease?\nAnd the notice period for termination?\n\nNever read\n"
    done = office.installation.run("chat", "--matter", office.matter, typed=typed)
    assert done.stdout.index("laws of New South Wales") < done.stdout.index("ninety (90) days")
    assert "Never read" not in done.stderr


def test_a_quotation_with_a_wrong_section_is_not_verified(office: Office) -> None:
    quote = "giving not less than ninety (90) days' written notice"
    right = office.installation.run("verify", office.document_id, quote, "--section", "Section 3.1")
    assert "Citation verified" in right.stdout
    wrong = office.installation.run("verify", office.document_id, quote, "--section", "Section 4.1", code=3)
    assert "Citation verified" not in wrong.stdout
    assert "The words stand in Section 3.1, not in Section 4.1." in wrong.stdout


def test_a_run_is_replayed_and_the_record_exported_and_verified(office: Office) -> None:
    run, data = office.installation.run, office.installation.data
    asked = data("ask", "Which law governs the lease?", "--matter", office.matter)
    replayed = data("audit", "replay", asked["run_id"])
    assert replayed["question"] == "Which law governs the lease?"
    assert [c["text"] for c in replayed["citations"]] == [c["text"] for c in asked["citations"]]
    assert "offline-planner answered" in run("audit", "replay", asked["run_id"]).stdout
    entries = [json.loads(line) for line in run("audit", "export", office.matter).stdout.splitlines()]
    assert [e["seq"] for e in entries] == list(range(1, len(entries) + 1))
    assert asked["run_id"] in {e["run"] for e in entries if e["action"] == "answer"}
    table = list(csv.DictReader(run("audit", "export", office.matter, "--format", "csv").stdout.splitlines()))
    assert [row["hash"] for row in table[: len(entries)]] == [e["hash"] for e in entries]
    assert "Public key (Ed25519)" in run("audit", "sign").stdout
    assert data("audit", "verify", office.matter)["chains"][0]["unsigned"] == 0
    (office.installation.home / "audit").rename(office.installation.home / "audit-taken-away")
    assert "signature is not on file here" in run("audit", "verify", office.matter, code=1).stdout
    (office.installation.home / "audit-taken-away").rename(office.installation.home / "audit")


def test_search_extract_classify_text_and_list_print_the_tools_outputs(office: Office) -> None:
    run = office.installation.run
    assert run("search", office.matter, "written notice").stdout.startswith("Found ")
    assert run("extract", office.document_id, "Which law governs the lease?").stdout.startswith("Answer found in [lease.txt]:")
    assert run("classify", office.document_id).stdout.startswith("Clause Analysis for [lease.txt]:")
    assert LEASE.strip() in run("text", office.document_id).stdout
    assert "1. lease.txt" in run("list", office.matter).stdout


def test_a_matter_is_browsed_read_and_searched_by_keyword(office: Office) -> None:
    run, data = office.installation.run, office.installation.data
    assert office.matter in run("browse").stdout and "lease.txt [document]" in run("browse", office.matter).stdout
    [found] = data("find", "LEASE", "--kind", "DOCUMENT")["items"]
    assert found["id"] == office.document_id
    assert "Outline:" in run("info", office.document_id).stdout
    assert LEASE.split("\n\n")[1] in run("read", office.document_id).stdout
    assert run("grep", office.matter, "Lessee").stdout.startswith("Found 3 matches for 'Lessee' in 1 of 1 document")
    hits = data("grep", office.matter, r"ninety \(\d+\)", "--regex")
    assert hits["count"] == 1 and hits["places"][0]["matched"] == ["ninety (90)"]
    assert "(the passage asked for)" in run("around", hits["places"][0]["id"]).stdout
    refused = run("read", office.matter, code=2)
    assert "is a matter (" in refused.stderr and "Use list_contents" in refused.stderr


def test_folders_hold_documents(office: Office) -> None:
    run, data = office.installation.run, office.installation.data
    folder = data("folders", "create", office.matter, "Leases")
    run("folders", "put", office.document_id, folder["id"])
    assert "lease.txt [document]" in run("browse", folder["id"]).stdout
    assert run("folders", "remove", folder["id"], code=2).stderr == "Error: Only an empty folder can be removed.\n"
    run("folders", "put", office.document_id)
    run("folders", "rename", folder["id"], "Old leases")
    run("folders", "move", folder["id"])
    run("folders", "remove", folder["id"])
    assert "lease.txt [document]" in run("browse", office.matter).stdout


def test_a_page_is_drawn_into_a_file(office: Office, tmp_path: Path) -> None:
    target = tmp_path / "page.png"
    done = office.installation.run("page", office.document_id, "--out", str(target))
    assert target.read_bytes().startswith(b"\x89PNG") and f"Written to {target}" in done.stdout
    looked = office.installation.run("look", office.matter, "signature").stdout
    assert looked.startswith(f"No pages found in matter {office.matter}") and "Index: the embedded one" in looked


def test_every_command_that_prints_data_prints_json(office: Office) -> None:
    data = office.installation.data
    assert data("search", office.matter, "rent")["results"]
    assert data("extract", office.document_id, "Which law governs the lease?")["answer"]["document_name"] == "lease.txt"
    assert data("classify", office.document_id)["is_contract"] is True
    assert data("text", office.document_id)["complete"] is True
    assert data("list", office.matter)[0]["id"] == office.document_id
    assert data("doctor")["checks"]["engine"]["works"] is True


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("list", "M-1999-001"), 4, "Error: Matter M-1999-001 not found or you don't have access."),
        (("text", "nonsense"), 4, "Error: Document nonsense not found or you don't have access."),
        (("ingest", "/dev/null", "--matter", "M-2026-999"), 4, "Error: Matter M-2026-999 not found"),
        (("ask", ""), 2, "Error: The question is empty."),
        (("search", "{matter}", "  "), 2, "Error: The query is empty."),
        (("text", "{document}", "--first-page", "99"), 2, "Error: lease.txt has parts 1 to 1"),
        (("--as", "nobody@firm.example", "matters", "list"), 5, "Error: There is no user nobody@firm.example."),
        (("user", "add", "not-an-address"), 2, "Error: That is not an e-mail address."),
    ],
)
def test_an_error_is_one_line_and_an_exit_code(office: Office, arguments: tuple[str, ...], code: int, message: str) -> None:
    filled = [a.format(matter=office.matter, document=office.document_id) for a in arguments]
    done = office.installation.run(*filled, code=code)
    assert done.stderr.strip().startswith(message)
    assert done.stderr.strip().count("\n") == 0
    assert done.stdout == ""


def test_an_invalid_setting_is_named_without_its_value(office: Office) -> None:
    done = office.installation.run("doctor", code=1, ORDERLY_TIMEZONE="Mars/Olympus")
    assert done.stderr.startswith("Error: Settings are not usable: ORDERLY_TIMEZONE:")
    wrong = office.installation.run("doctor", code=1, DATABASE_URL="s3cret")
    assert wrong.stderr.startswith("Error: DATABASE_URL is no connection string") and "s3cret" not in wrong.stderr


def test_doctor_names_what_does_not_answer_and_checks_the_rest(office: Office) -> None:
    away = {
        "DATABASE_URL": "postgresql://user:s3cret@127.0.0.1:1/none",
        "OPENAI_API_KEY": "k",
        "OPENAI_BASE_URL": "http://127.0.0.1:1",
    }
    done = office.installation.run("doctor", code=1, **away)
    assert "✗ store: Postgres of DATABASE_URL does not answer" in done.stdout and "✓ scans: " in done.stdout
    assert "✗ chat model: " in done.stdout and "s3cret" not in done.stdout + done.stderr


def test_a_folder_or_port_that_cannot_be_used_is_named(office: Office, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    done = office.installation.run("matters", "list", code=1, ORDERLY_HOME=str(tmp_path / "file"))
    assert done.stderr.startswith(f"Error: Orderly cannot write to {tmp_path / 'file'} (ORDERLY_HOME): ")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        refused = office.installation.run("serve", "--port", str(port), code=1)
    assert f"cannot listen on 127.0.0.1 port {port}: Address already in use" in refused.stderr


def test_members_see_a_matter_and_others_do_not(office: Office) -> None:
    run, colleague = office.installation.run, ("--as", "colleague@firm.example")
    run(*colleague, "list", office.matter, code=4)
    run("matters", "member", "add", office.matter, "colleague@firm.example")
    assert "lease.txt" in run(*colleague, "list", office.matter).stdout
    refused = run(*colleague, "ingest", __file__, "--matter", office.matter, code=5)
    assert refused.stderr.startswith("Error: ")
    run("matters", "member", "remove", office.matter, "colleague@firm.example")
    run(*colleague, "list", office.matter, code=4)


def test_a_matter_is_renamed_archived_and_named_by_its_slug(office: Office, tmp_path: Path) -> None:
    made = office.installation.data("matters", "create", "Smith v Jones")
    renamed = office.installation.data("matters", "rename", made["slug"], "Smith v Jones (No 2)")
    assert renamed["slug"] == f"smith-v-jones-no-2--{made['id'][:8]}"
    assert office.installation.data("matters", "archive", renamed["slug"])["archived_at"]
    (tmp_path / "late.txt").write_text("Too late.")
    refused = office.installation.run("ingest", str(tmp_path / "late.txt"), "--matter", made["number"], code=1)
    assert "archived" in refused.stdout + refused.stderr
    assert office.installation.data("matters", "archive", renamed["slug"], "--reopen")["archived_at"] is None


def test_a_token_in_the_environment_identifies_the_caller(office: Office) -> None:
    assert "no matters" in office.installation.run("matters", "list", ORDERLY_TOKEN=office.colleague_token).stdout
    office.installation.run("matters", "list", code=5, ORDERLY_TOKEN="ord_made-up")


def test_concurrent_commands_share_the_store(office: Office) -> None:
    command = [ORDERLY, "search", office.matter, "rent", "--json"]
    running = [
        subprocess.Popen(command, env=office.installation.environment, stdout=subprocess.PIPE, text=True) for _ in range(3)
    ]
    outputs = [process.communicate(timeout=100)[0] for process in running]
    assert [process.returncode for process in running] == [0, 0, 0]
    assert len({json.dumps(json.loads(output)["results"]) for output in outputs}) == 1


def test_a_killed_command_leaves_the_store_usable(office: Office, tmp_path: Path) -> None:
    big = tmp_path / "big.txt"
    big.write_text("\n\n".join(f"{n}. Clause number {n} says that party {n} pays {n} dollars." * 8 for n in range(1, 400)))
    command = [ORDERLY, "ingest", str(big), "--matter", "Killed"]
    process = subprocess.Popen(command, env=office.installation.environment, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    process.stderr.readline()
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(timeout=1.5)
    process.kill()
    process.communicate()
    assert "lease.txt" in office.installation.run("list", office.matter).stdout
    # The killed command's lease has to expire first.
    done = office.installation.run("ingest", str(big), "--matter", "Killed", ORDERLY_LEASE_SECONDS="2")
    assert "✓ big.txt" in done.stderr
    [matter] = [m for m in office.installation.data("matters", "list") if m["title"] == "Killed"]
    assert matter["document_count"] == 1


def test_a_settings_file_among_a_clients_documents_is_not_read(office: Office, tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("OPENAI_API_KEY=sk-evil\nOPENAI_BASE_URL=http://127.0.0.1:9/v1\n")
    done = subprocess.run(
        [ORDERLY, "doctor"],
        check=True,
        env=office.installation.environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert "offline planner" in done.stdout


def test_the_settings_file_of_the_installation_is_read(office: Office) -> None:
    own = office.installation.home / ".env"
    own.write_text("OPENAI_API_KEY=sk-own\nORDERLY_MODEL=own-model\nOPENAI_BASE_URL=http://127.0.0.1:1\n")
    try:
        assert "✗ chat model: own-model at http://127.0.0.1:1" in office.installation.run("doctor", code=1).stdout
    finally:
        own.unlink()


def test_a_matter_is_named_by_a_title_that_only_one_has(office: Office) -> None:
    installation, data = office.installation, office.installation.data
    listed = installation.run("matters", "list").stdout
    assert f"   - Slug: high-street--{office.matter_id[:8]}\n" in listed
    assert [d["id"] for d in data("list", "high street")] == [office.document_id]
    assert data("search", "High Street", "rent")["matter"] == office.matter
    assert data("grep", "High Street", "rent")["count"]
    assert data("browse", "High Street")["total"] == 1
    assert data("info", "High Street")["matter"]["number"] == office.matter
    assert data("processors", "High Street")["allowed"]
    assert data("info", "lease.txt")["document"]["id"] == office.document_id
    assert "laws of New South Wales" in installation.run("read", "LEASE.txt").stdout
    missing = installation.run("read", "no lease.txt", code=4).stderr
    assert missing == "Error: Item no lease.txt not found or you don't have access.\n"
    made = data("matters", "create", "HIGH STREET")
    for command in (("list", "High Street"), ("search", "High Street", "rent"), ("browse", "High Street")):
        ambiguous = installation.run(*command, code=2)
        assert ambiguous.stderr == "Error: 2 matters are called 'High Street'; name one by its number.\n"
    assert data("list", made["slug"]) == []
    # What another person holds under this title makes nothing ambiguous, and is not found by it.
    colleagues = data("--as", "colleague@firm.example", "matters", "create", "Low Street")
    assert data("--as", "colleague@firm.example", "list", "low street") == []
    assert (
        installation.run("list", "Low Street", code=4).stderr
        == "Error: Matter Low Street not found or you don't have access.\n"
    )
    assert installation.run("browse", "Low Street", code=4).stdout == ""
    assert colleagues["number"] != made["number"]
    installation.run("matters", "rename", made["number"], "Other Street")


def test_an_administrator_grants_and_withholds_tools(office: Office) -> None:
    installation = office.installation

    def granted(client: str) -> dict[str, bool]:
        listed = installation.data("firm", "tools", "list", "--client", client)
        return {row["function_name"]: row["granted"] for row in listed}

    assert all(granted("orderly").values()) and "isaacus_search" in granted("mcp")
    done = installation.run("firm", "tools", "withhold", "get_page_image", "--client", "mcp")
    assert done.stdout == "mcp no longer has view_page.\n"
    assert granted("mcp")["view_page"] is False
    assert granted("orderly")["view_page"] is True
    assert "✗ view_page: " in installation.run("firm", "tools", "list", "--client", "mcp").stdout
    assert installation.run("firm", "tools", "grant", "view_page", "--client", "mcp").stdout == "mcp has view_page.\n"
    assert all(granted("mcp").values())
    installation.run("firm", "tools", "grant", "no_such_tool", code=4)
    refused = installation.run("--as", "colleague@firm.example", "firm", "tools", "withhold", "find", code=5)
    assert "administrator" in refused.stderr.lower()
    assert granted("orderly")["find"] is True
