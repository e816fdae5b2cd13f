"""The engine that the settings name."""

from __future__ import annotations

from pathlib import Path

from orderly.settings import Settings
from orderly.wiring.engines import engine_named, legal_engine


def test_all_event_loops_of_a_process_share_the_offline_model(tmp_path: Path) -> None:
    offline = Settings(home=tmp_path, _env_file=None)
    hosted = Settings(home=tmp_path, isaacus_api_key="key", _env_file=None)
    assert legal_engine(offline) is legal_engine(offline) is engine_named(hosted, "local")
    assert legal_engine(hosted) is not legal_engine(hosted), "a client belongs to its event loop"
