"""Settings as they are read."""

from __future__ import annotations

from pathlib import Path

import pytest

from orderly.settings import Settings


def test_every_path_is_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "person"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ORDERLY_HOME", raising=False)
    assert Settings(_env_file=None).home == tmp_path / "person/.orderly"
    names = [name for name, field in Settings.model_fields.items() if "Path" in str(field.annotation)]
    assert {"home", "uploads_dir", "prices", "audit_timestamp_roots"} <= set(names)
    for name in names:
        monkeypatch.setenv(f"ORDERLY_{name.upper()}", "~/x")
        assert getattr(Settings(_env_file=None), name) == tmp_path / "person/x", name
        monkeypatch.setenv(f"ORDERLY_{name.upper()}", "x")
        assert getattr(Settings(_env_file=None), name) == tmp_path / "x", name


def test_times_are_the_machines_unless_a_setting_names_another_zone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ORDERLY_TIMEZONE", raising=False)
    for variable, zone in (("Europe/London", "Europe/London"), ("../../etc/passwd", None), ("", None)):
        monkeypatch.setenv("TZ", variable)
        monkeypatch.setattr("os.path.realpath", lambda path: "/usr/share/zoneinfo/America/New_York")
        assert Settings(_env_file=None).timezone == (zone or "America/New_York")
    monkeypatch.setattr("os.path.realpath", lambda path: path)  # a copy of a zone's file does not say which
    assert Settings(_env_file=None).timezone == "UTC"
    monkeypatch.setenv("ORDERLY_TIMEZONE", "Asia/Tokyo")
    assert Settings(_env_file=None).timezone == "Asia/Tokyo"
