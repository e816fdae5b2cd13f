"""Hostile file names through REST and the command line."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from support.installation import Installation, Server

pytestmark = pytest.mark.server

TEXT = "The tenant of {} shall pay the rent on the first of each month."
OUTSIDE = "/etc/passwd"

NAMES = {
    "../../../../etc/passwd": "passwd",
    "..\\..\\windows\\system32\\drivers.txt": "drivers.txt",
    "/etc/cron.d/root.txt": "root.txt",
    "..": None,
    ".": None,
    "invoice\u202efdp.txt": "invoice_fdp.txt",
    "zero\u200bwidth.txt": "zero_width.txt",
    "bell\x07.txt": "bell_.txt",
    "line\u2028two.txt": "line_two.txt",
    "e\u0301te\u0301.txt": "été.txt",
    "раураl.txt": "раураl.txt",
    "n" * 300 + ".txt": "n" * 251 + ".txt",
    "漢" * 120 + ".txt": "漢" * 120 + ".txt",
    "' or true --.txt": "' or true --.txt",
    "%00%2e%2e%2f.txt": "%00%2e%2e%2f.txt",
}
"""Sent name -> displayed name; None: any name that is no path."""


@pytest.fixture
def http(server: Server) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=server.url, headers={"Authorization": f"Bearer {server.office.token}"}, timeout=60) as client:
        yield client


def upload(http: httpx.Client, matter: str, name: str, content: bytes) -> httpx.Response:
    """Uploads with a hand-written multipart body, because clients sanitise names."""
    head = f'--edge\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\nContent-Type: text/plain\r\n\r\n'
    body = head.encode() + content + b"\r\n--edge--\r\n"
    kind = {"Content-Type": "multipart/form-data; boundary=edge"}
    return http.post(f"/api/matters/{matter}/documents", content=body, headers=kind)


def test_no_file_name_leaves_its_folder_or_imitates_another(http: httpx.Client, server: Server) -> None:
    matter = http.post("/api/matters", json={"title": "Names"}).json()["number"]
    outside = Path(OUTSIDE).read_bytes()
    for number, (sent, shown) in enumerate(NAMES.items()):
        content = TEXT.format(f"unit {number}").encode()
        answer = upload(http, matter, sent, content)
        if shown is None:
            assert answer.status_code in (201, 400, 422), (sent, answer.text)
        else:
            assert (answer.status_code, answer.json()["filename"]) == (201, shown), sent
    listed = http.get(f"/api/matters/{matter}/documents").json()
    for document in listed:
        name = document["filename"]
        assert name == unicodedata.normalize("NFC", name)
        assert "/" not in name and "\\" not in name and name not in (".", "..")
        assert not any(unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp") for c in name)
        served = http.get(http.post(f"/api/documents/{document['id']}/link").json()["url"])
        assert served.content.startswith(b"The tenant of unit"), name
        header = served.headers["content-disposition"]
        assert "\r" not in header and "\n" not in header and ".." not in header.replace("...", "")
    assert Path(OUTSIDE).read_bytes() == outside
    home = server.office.installation.home
    kept = [p for p in (home / "files").rglob("*") if p.is_file()]
    assert len(kept) >= len(listed)
    assert all(p.resolve().is_relative_to(home.resolve()) and len(p.name.encode()) <= 255 for p in kept)
    assert not any(stray.name in ("passwd", "root.txt") for stray in home.parent.glob("*"))


def test_the_command_line_accepts_odd_names_and_prints_them_on_one_line(server: Server, tmp_path: Path) -> None:
    installation: Installation = server.office.installation
    for number, name in enumerate(("bell\x07.txt", "two\nlines.txt", "\u202etxt.exe.txt", "漢" * 80 + ".txt", "-rf.txt")):
        (tmp_path / name).write_text(TEXT.format(f"house {number}"))
    done = installation.run("ingest", str(tmp_path), "--matter", "Odd names")
    assert "5 files: 5 ready" in done.stderr
    assert not {"\x07", "\u202e"} & set(done.stderr + done.stdout)
    [matter] = [m for m in installation.data("matters", "list") if m["title"] == "Odd names"]
    names = {d["filename"] for d in installation.data("list", matter["number"])}
    assert names == {"bell_.txt", "two_lines.txt", "_txt.exe.txt", "漢" * 80 + ".txt", "-rf.txt"}
