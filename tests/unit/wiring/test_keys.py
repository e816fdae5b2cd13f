"""The secret of an installation."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import SecretStr

from orderly.errors import Misconfigured
from orderly.settings import Settings, load_settings
from orderly.wiring.keys import installation_secret


def test_a_short_secret_is_refused_by_every_command_and_not_repeated_in_the_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ORDERLY_HOME", str(tmp_path))
    monkeypatch.setenv("ORDERLY_SECRET", "hunter2")
    with pytest.raises(Misconfigured, match=r"ORDERLY_SECRET: .*too short: at least 16 characters") as refused:
        load_settings()
    assert "hunter2" not in refused.value.operator
    long = SecretStr("a secret of sixteen bytes and more")
    assert installation_secret(Settings(home=tmp_path, secret=long, _env_file=None)) == long.get_secret_value().encode()
