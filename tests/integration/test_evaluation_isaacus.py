"""`orderly eval --engine isaacus`, against the Isaacus peer."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import respx
from click.testing import CliRunner

from orderly.cli import cli
from orderly_evaluation.dataset import Dataset
from orderly_evaluation.isaacus_cost import estimate
from support.isaacus_peer import KEY, IsaacusPeer

SMALL = Path(__file__).parents[2] / "evals" / "small"
TASKS = "retrieval,extraction,nda_extraction,clauses_found,wild"


@pytest.fixture
def peer(respx_mock: respx.MockRouter, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> IsaacusPeer:
    monkeypatch.setenv("ISAACUS_API_KEY", KEY)
    monkeypatch.setenv("ORDERLY_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("ORDERLY_CALL_LOG", str(tmp_path / "calls.jsonl"))
    return IsaacusPeer().mount(respx_mock)


def test_eval_measures_the_isaacus_engine_and_names_it(peer: IsaacusPeer, tmp_path: Path) -> None:
    out = tmp_path / "out"
    arguments = ["eval", str(SMALL), "--out", str(out), "--engine", "isaacus", "--limit", "2", "--only", TASKS, "--yes"]
    result = CliRunner().invoke(cli, arguments, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    metrics = json.loads((out / "metrics.json").read_text())
    assert metrics["engine"] == "Isaacus (Kanon models)"
    assert metrics["retrieval"]["document"]["n"] == 2
    assert 0 < metrics["wild"]["all"]["windows_mrr"] <= 1
    assert "US dollars at list prices" in result.stderr
    results = [json.loads(line) for line in (out / "retrieval.jsonl").read_text().splitlines()]
    assert all(row["results"] for row in results)
    calls = [json.loads(line) for line in (tmp_path / "calls.jsonl").read_text().splitlines()]
    assert {call["endpoint"] for call in calls} == {
        "/embeddings", "/rerankings", "/extractions/qa", "/classifications/universal",
    }  # fmt: skip
    assert (len(calls), sum(call["input_tokens"] for call in calls)) == (len(peer.requests), peer.tokens)
    assert all(call["status"] == 200 for call in calls)


def test_eval_without_a_key_names_the_missing_setting(tmp_path: Path) -> None:
    arguments = ["eval", str(SMALL), "--out", str(tmp_path / "out"), "--engine", "isaacus", "--only", "retrieval", "--yes"]
    result = CliRunner().invoke(cli, arguments)
    assert "ISAACUS_API_KEY" in str(result.exception)


def test_the_cost_stated_for_a_task_is_about_what_it_sends(peer: IsaacusPeer, tmp_path: Path) -> None:
    data = tmp_path / "data"
    (data / "contracts").mkdir(parents=True)
    names = [path.stem for path in sorted((SMALL / "contracts").glob("*.txt"))[:2]]
    for name in names:
        shutil.copy(SMALL / "contracts" / f"{name}.txt", data / "contracts")
    rows(data / "cells.jsonl", [
        {"doc": name, "column": column, "kind": kind, "value": kind != "yes_no" and "Ohio"}
        for name in names for column, kind in (("governing_law", "jurisdiction"), ("non_compete", "yes_no"))
    ])  # fmt: skip
    questions = {
        "across": "Which of these contracts restrict a party from competing?",
        "single": f"Which law governs {names[0]}?",
    }
    rows(data / "ask.jsonl", [
        {"id": kind, "kind": kind, "category": "x", "turns": [{"question": question, "expect": {names[0]: [[0, 9]]}}]}
        for kind, question in questions.items()
    ])  # fmt: skip
    for task, endpoints in {"ask": {"/extractions/qa"}, "review": {"/extractions/qa", "/classifications/universal"}}.items():
        log = tmp_path / "calls.jsonl"
        log.unlink(missing_ok=True)
        arguments = ["eval", str(data), "--out", str(tmp_path / task), "--engine", "isaacus", "--only", task, "--yes"]
        result = CliRunner().invoke(cli, arguments, catch_exceptions=False)
        calls = [json.loads(line) for line in log.read_text().splitlines()]
        assert {call["endpoint"] for call in calls} - {"/embeddings"} == endpoints
        stated = estimate(Dataset(data), [task], None).tokens[task]
        sent = sum(call["input_tokens"] for call in calls if call["endpoint"] != "/embeddings")
        assert 0.9 * sent <= sum(stated.values()) <= 2 * sent, (task, stated, sent)
        [line] = [line for line in result.stderr.splitlines() if line.startswith(f"  {task} ")]
        assert line.rstrip().endswith("US dollars")
    assert str(estimate(Dataset(data), ["sections"], None)).splitlines()[2].split() == ["sections", "nothing"]


def rows(file: Path, made: list[dict[str, Any]]) -> None:
    file.write_text("".join(json.dumps(row) + "\n" for row in made))


def test_nothing_is_sent_before_the_cost_is_accepted(peer: IsaacusPeer, tmp_path: Path) -> None:
    arguments = ["eval", str(SMALL), "--out", str(tmp_path / "out"), "--engine", "isaacus", "--only", "retrieval"]
    result = CliRunner().invoke(cli, arguments, input="n\n")
    assert "million tokens for rerankings" in result.output
    assert result.exit_code == 1
    assert peer.requests == []
