"""The secret of an installation."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import SecretStr

from orderly.errors import Misconfigured
from orderly.settings import Settings
from orderly.wiring.keys import installation_secret


def test_a_short_secret_is_refused_and_not_repeated_in_the_message(tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match="ORDERLY_SECRET is too short") as refused:
        installation_secret(Settings(home=tmp_path, secret=SecretStr("hunter2"), _env_file=None))
    assert "hunter2" not in refused.value.message
    long = SecretStr("a secret of sixteen bytes and more")
    assert installation_secret(Settings(home=tmp_path, secret=long, _env_file=None)) == long.get_secret_value().encode()
