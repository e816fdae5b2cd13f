"""What docs/operations.md and docs/supabase.md say at the start agrees with the code and the files of deploy/."""

from __future__ import annotations

import re
from pathlib import Path

from orderly.store.embedded import postgres_binaries

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/operations.md").read_text()


def test_the_major_versions_of_postgres_are_said_before_the_list() -> None:
    start, _, steps = PAGE.partition("\n## ")
    embedded = postgres_binaries().name.removeprefix("pginstall")
    (debian,) = set(re.findall(r"postgresql-(\d+)-pgvector", steps.split("\n## ")[0]))
    assert f"Its database is Postgres {embedded} and Debian 13 has {debian}" in start


def test_supabase_names_the_server_for_a_service_and_its_database() -> None:
    page = (ROOT / "docs/supabase.md").read_text()
    assert "orderly node serve" in page and "ORDERLY_SERVER_DATABASE_URL" in page


def test_the_removal_names_every_place_of_the_installation() -> None:
    install, removal = (
        PAGE.split(f"## {heading}\n", 1)[1].split("\n## ")[0]
        for heading in ("From an empty Debian 13 to a signed-in user", "Removal")
    )
    made = set(
        re.findall(
            r"(?:/opt|/etc|/usr/local|/var/lib)/[\w/.-]*orderly[\w.*-]*", install.replace("/etc/orderly/orderly.env", "")
        )
    )
    removed = re.findall(r"(?:/opt|/etc|/usr/local|/var/lib)/[\w/.*-]+", removal)
    assert made
    assert [place for place in made if not any(place.startswith(r.rstrip("*")) for r in removed)] == []


def test_the_proxy_passes_the_port_on_and_leads_http_to_https() -> None:
    proxy = (ROOT / "deploy/proxy/nginx.conf").read_text()
    assert "proxy_set_header Host $http_host;" in proxy and "return 301 https://$host$request_uri;" in proxy
