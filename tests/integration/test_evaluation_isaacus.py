"""`orderly eval --engine isaacus`, against the Isaacus peer."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import respx
from click.testing import CliRunner

from orderly.cli import cli
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
    assert 0 <= metrics["wild"]["all"]["windows_mrr"] <= 1
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


def test_nothing_is_sent_before_the_cost_is_accepted(peer: IsaacusPeer, tmp_path: Path) -> None:
    arguments = ["eval", str(SMALL), "--out", str(tmp_path / "out"), "--engine", "isaacus", "--only", "retrieval"]
    result = CliRunner().invoke(cli, arguments, input="n\n")
    assert "million for rerankings" in result.output
    assert result.exit_code == 1
    assert peer.requests == []
