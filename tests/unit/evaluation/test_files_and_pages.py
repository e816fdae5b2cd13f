from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from orderly.cli import cli
from orderly.models import Extracted, Page
from orderly_evaluation import tasks_without_data
from orderly_evaluation.fuzzy_location import Locator

FIXTURES = Path(__file__).parents[2] / "fixtures" / "files"
HEAD = "file\tsource\tlicence\tsha256\tbytes\ttests\texpect\texpected_text\tpage\tnote\tchecked\n"


def data_folder(folder: Path) -> Path:
    zoo = folder / "data" / "files" / "zoo"
    zoo.mkdir(parents=True)
    names = ("own_user_password.pdf", "own_cuad_cp1252.txt", "cuad_consulting_agreement.pdf")
    for name in names:
        shutil.copy(FIXTURES / name, zoo / name)
    rows = "".join(f'zoo/{name}\t\t\t\t\t\t\t\t\ta "quoted note\t\n' for name in names)
    (zoo.parent / "manifest.tsv").write_text(HEAD + rows)
    gold = [
        {"file": "zoo/cuad_consulting_agreement.pdf", "snippet": "Proprietary Information shall mean", "page": 3},
        {"file": "zoo/own_user_password.pdf", "snippet": "anything", "page": 1},
    ]
    (zoo.parent / "rendered_gold_pages.jsonl").write_text("".join(json.dumps(row) + "\n" for row in gold))
    return folder / "data"


def rows(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_eval_writes_the_readers_result_for_every_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ORDERLY_HOME", str(tmp_path / "home"))
    arguments = ["eval", str(data_folder(tmp_path)), "--only", "files,pages", "--out", str(tmp_path / "out")]
    result = CliRunner().invoke(cli, arguments, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    locked, text, contract = rows(tmp_path / "out" / "files.jsonl")
    assert (locked["status"], locked["pages"]) == ("failed", [])
    assert "password" in str(locked["reason"])
    assert (text["status"], text["reason"]) == ("ready", "")
    assert isinstance(contract["pages"], list)
    assert len(contract["pages"]) == 9
    assert [row["page"] for row in rows(tmp_path / "out" / "pages.jsonl")] == [3, None]


def test_eval_refuses_an_unknown_task(tmp_path: Path) -> None:
    result = CliRunner().invoke(cli, ["eval", str(tmp_path), "--only", "nonsense", "--out", str(tmp_path / "out")])
    assert result.exit_code == 2
    assert "nonsense is not one of" in result.output


def test_a_passage_is_located_despite_ocr_errors_and_an_absent_one_is_not() -> None:
    first = "The supplier shall deliver the goods to the customer within thirty days of the order date."
    second = "This agreement is gouerned by the 1aws of the State of New York without regard to conflicts."
    text = f"{first}\n{second}"
    pages = (Page(1, 0, len(first)), Page(2, len(first) + 1, len(text)))
    locator = Locator(Extracted(text, pages, True, "test"))
    assert locator.page_of("This Agreement is governed by the laws of the State of New York") == 2
    assert locator.page_of("shall deliver the goods to the Customer") == 1
    assert locator.page_of("The tenant may not keep animals of any kind in the premises") is None


def test_a_folder_without_files_skips_only_the_tasks_that_need_files(tmp_path: Path) -> None:
    assert tasks_without_data(tmp_path) == ("wild", "files", "pages", "ask", "review")
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "manifest.tsv").touch()
    assert tasks_without_data(tmp_path) == ("wild", "pages", "ask", "review")
