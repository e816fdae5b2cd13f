"""Ingestion on the command line: folders, harmful files, attachments, duplicates, deletion."""

from __future__ import annotations

import zipfile
from email.message import EmailMessage
from pathlib import Path

import openpyxl

from support.hostile_files import endless_pdf, looping_pdf
from support.installation import Installation
from support.lease import LEASE
from support.office_parts import code, field, mark, p, r, word_file


def test_a_folder_is_ingested_file_by_file_and_bad_files_are_named(installation: Installation, tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "a.txt").write_text("A first agreement between two parties on the delivery of coffee.")
    (tmp_path / "sub" / "b.md").write_text("# Supply agreement\n\nThe Supplier delivers tea each month.")
    (tmp_path / "empty.txt").write_text("")
    (tmp_path / "odd.xyz").write_bytes(bytes(range(256)) * 4)
    (tmp_path / ".hidden").write_text("not taken")
    (tmp_path / "passwords.txt").symlink_to("/etc/passwd")
    with zipfile.ZipFile(tmp_path / "deep.docx", "w") as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("word/document.xml", "<a>" * 9000 + "</a>" * 9000)
    done = installation.run("ingest", str(tmp_path), "--matter", "A folder", code=1)
    lines = done.stderr.splitlines()
    assert any(line.startswith("✓ a.txt: 1 chunk") for line in lines)
    assert any(line.startswith("✓ b.md: ") for line in lines)
    assert any(line.startswith("✗ empty.txt: failed: ") for line in lines)
    assert any(line.startswith("✗ odd.xyz: unsupported: ") for line in lines)
    assert any(line.startswith("✗ deep.docx: failed: ") for line in lines)
    assert "- passwords.txt: skipped, a link to somewhere else" in lines
    assert ".hidden" not in done.stderr
    total = lines.index("5 files: 2 ready, 2 failed, 1 unsupported, 1 hidden left out.")
    assert lines[total + 1] == "Not readable:"
    assert [line.split(": ")[0].strip() for line in lines[total + 2 :]] == ["deep.docx", "empty.txt", "odd.xyz"]
    again = installation.run("ingest", str(tmp_path / "a.txt"), "--matter", "A folder")
    assert "= a.txt: in this matter already (ready)" in again.stderr


def test_files_that_harm_their_reader_fail_alone(installation: Installation, tmp_path: Path) -> None:
    endless_pdf(tmp_path / "a-endless.pdf")
    looping_pdf(tmp_path / "b-looping.pdf")
    (tmp_path / "c-honest.txt").write_text("The Tenant shall pay the rent.")
    limit = {"ORDERLY_READING_SECONDS": "3"}
    done = installation.run("ingest", str(tmp_path), "--matter", "Hostile files", code=1, **limit)
    assert "✗ a-endless.pdf: failed: Reading the file took longer than 3 seconds" in done.stderr
    assert "✗ b-looping.pdf: failed: The file is damaged" in done.stderr
    assert "✓ c-honest.txt: 1 chunk" in done.stderr


def test_a_deleted_document_leaves_a_receipt_and_nothing_else(installation: Installation, tmp_path: Path) -> None:
    (tmp_path / "gone.txt").write_text("The Tenant shall repaint the premises in vermilion every year.")
    [report] = installation.data("ingest", str(tmp_path / "gone.txt"), "--matter", "Deleting")
    [matter] = [m for m in installation.data("matters", "list") if m["title"] == "Deleting"]
    kept = [p for p in (installation.home / "files").rglob("*") if p.is_file() and report["document_id"] in str(p)]
    assert kept
    receipt = installation.data("delete", report["document_id"], "--yes")
    assert receipt["filename"] == "gone.txt"
    assert not any(p.exists() for p in kept)
    assert "vermilion" not in installation.run("search", matter["number"], "vermilion").stdout.split("query")[0]
    installation.run("text", report["document_id"], code=4)


def test_attachments_are_listed_under_their_carrier_and_deleted_with_it(installation: Installation, tmp_path: Path) -> None:
    message = EmailMessage()
    message["From"], message["Subject"] = "ada@firm.example", "The lease"
    message.set_content("Attached.")
    message.add_attachment(LEASE.encode(), maintype="text", subtype="plain", filename="annex.txt")
    (tmp_path / "mail.eml").write_bytes(message.as_bytes())
    run, data = installation.run, installation.data
    done = run("ingest", str(tmp_path / "mail.eml"), "--matter", "Mails")
    told = done.stderr.splitlines()
    assert told[-3].startswith("✓ mail.eml") and told[-2].startswith("  ✓ annex.txt") and told[-1] == "2 files: 2 ready."
    [matter] = [m for m in data("matters", "list") if m["title"] == "Mails"]
    mail, annex = data("list", matter["number"])
    assert "   - Attached to: mail.eml" in run("list", matter["number"]).stdout
    assert "annex.txt (869 bytes): ready" in run("health", mail["id"]).stdout
    assert "✓ mail.eml" in run("reingest", mail["id"]).stderr
    assert run("hold", annex["id"], "--on").stdout == "annex.txt is under a legal hold.\n"
    assert "The attached annex.txt is under a legal hold" in run("delete", mail["id"], "--yes", code=2).stderr
    run("hold", annex["id"], "--off")
    assert "Deleted annex.txt, attached to it. Receipt: " in run("delete", mail["id"], "--yes").stdout
    listed = run("receipts", matter["number"]).stdout
    assert "mail.eml (" in listed and "annex.txt (869 bytes): deleted" in listed and listed.count("SHA-256: ") == 2


def test_the_user_is_asked_about_duplicates(installation: Installation, tmp_path: Path) -> None:
    lease = tmp_path / "lease.txt"
    lease.write_text(LEASE)
    ask = ("ingest", str(lease), "--matter", "Asked", "--on-duplicate", "ask")
    run = installation.run
    assert "✓ lease.txt" in run(*ask).stderr, "a new file must cause no question"
    skipped = run(*ask, typed="s\n").stderr
    assert "its content is in this matter already, as lease.txt (ready)" in skipped
    assert "- lease.txt: left out, as chosen" in skipped
    lease.write_text(LEASE.replace("ninety", "thirty"))
    renewed = run(*ask, typed="v\n").stderr
    assert "another file of this name is in this matter" in renewed and "✓ lease.txt" in renewed
    [matter] = [m for m in installation.data("matters", "list") if m["title"] == "Asked"]
    [document] = installation.data("list", matter["number"])
    assert "thirty (90)" in run("text", document["id"]).stdout
    assert "Versions (2):" in run("health", document["id"]).stdout
    lease.write_text(LEASE)
    told = run("ingest", str(lease), "--matter", "Asked").stderr
    assert "= lease.txt: in this matter already, as an earlier version of lease.txt (ready)" in told


def test_an_edited_file_is_not_added_silently_where_nobody_can_be_asked(installation: Installation, tmp_path: Path) -> None:
    lease, run = tmp_path / "lease.txt", installation.run
    take = ("ingest", str(lease), "--matter", "Edited")
    lease.write_text(LEASE)
    run(*take)
    assert "= lease.txt: in this matter already (ready)" in run(*take).stderr
    lease.write_text(LEASE.replace("ninety", "thirty"))
    refused = run(*take, code=1).stderr
    assert "✗ lease.txt: Not taken in: another file of this name is in this matter" in refused
    assert "--on-duplicate version" in refused and "--on-duplicate keep" in refused
    [matter] = [m for m in installation.data("matters", "list") if m["title"] == "Edited"]
    [document] = installation.data("list", matter["number"])
    assert "ninety (90)" in run("text", document["id"]).stdout
    assert "✓ lease.txt" in run(*take, "--on-duplicate", "version").stderr
    [document] = installation.data("list", matter["number"])
    assert "thirty (90)" in run("text", document["id"]).stdout
    lease.write_text(LEASE.replace("ninety", "sixty"))
    assert "✓ lease.txt" in run(*take, "--on-duplicate", "keep").stderr
    assert len(installation.data("list", matter["number"])) == 2


def test_files_of_one_name_in_several_folders_are_all_taken_in(installation: Installation, tmp_path: Path) -> None:
    for number in range(3):
        (tmp_path / str(number)).mkdir()
        (tmp_path / str(number) / "page.txt").write_text(f"This is signature page number {number} of the agreement.")
    done = installation.run("ingest", str(tmp_path), "--matter", "Folders of one name")
    assert done.stderr.count("✓ page.txt") == 3


def test_word_and_excel_files_are_stored_as_a_person_sees_them(installation: Installation, tmp_path: Path) -> None:
    inner = field(" MERGEFIELD State ", r("NSW"))
    chosen = (
        mark("begin") + code(' IF "') + inner + code('" = "NSW" "seven (7)" ') + mark("separate") + r("seven (7)") + mark("end")
    )
    body = p(r("1. The period is "), chosen, r(" days.")) + p(
        r("2. Pay within "), r("fourteen", "<w:strike/>"), r(" sixty days.")
    )
    word_file(
        tmp_path / "notice.docx", body + '<w:altChunk r:id="rId1"/>', {"aFChunk a.html": "<html><p>3. Capped.</p></html>"}
    )
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.append(["BSB", 62000])
    sheet["B1"].number_format = "000-000"
    sheet.append(["Reserve", 9])
    sheet.row_dimensions[2].hidden = True
    book.save(tmp_path / "payees.xlsx")
    reports = installation.data("ingest", str(tmp_path), "--matter", "As seen")
    notice, payees = (one["document_id"] for one in reports)
    text = installation.run("read", notice).stdout
    assert "1. The period is seven (7) days." in text and "3. Capped." in text
    assert "NSW" not in text and "fourteen" not in text
    assert "struck out" in (health := installation.run("health", notice).stdout) and "fourteen" in health
    shown = installation.run("read", payees).stdout
    assert "BSB\t062-000" in shown and "hidden: row 2" in shown and "Reserve" not in shown
    assert "Reserve\t" not in installation.run("search", "As seen", "Reserve").stdout
    assert "Sheet, row 2: Reserve" in installation.run("health", payees).stdout
