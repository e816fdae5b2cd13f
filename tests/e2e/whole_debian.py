"""docs/operations.md, run as it stands, in order, in an empty Debian 13 (`make debian`).

systemd does not run in such a root: here `systemctl` starts the units' own commands, as their user and with their settings.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[2]
NEEDED = ("debootstrap", "unshare", "chroot", "ip")
MISSING = [*(["root"] if os.geteuid() else []), *(name for name in NEEDED if shutil.which(name) is None)]
pytestmark = pytest.mark.skipif(bool(MISSING), reason=f"not here: {', '.join(MISSING)}")

# Seconds: no measure of speed. With other work beside it, the packages alone take 15 minutes.
HANGS = 2400

PLACE = r"(?:(?<![^\s'])|(?<=file://))/[^\s']+"  # a path in a setting of pip

SERVICES = r"""
start_unit() {  # NAME@INSTANCE
  unit=/etc/systemd/system/${1%@*}@.service
  command=$(sed -n 's/^ExecStart=//p' "$unit" | sed "s/%i/${1#*@}/g")
  set -- "$1" $(sed -n 's/^Environment=//p' "$unit")
  (cd /opt/orderly; set -a; . /etc/orderly/orderly.env; exec setsid runuser -u orderly -- env "${@:2}" $command) >"/var/log/$1.log" 2>&1 &
  echo $! > "/run/$1.pid"
}
stop_units() {
  for pid in /run/orderly-*.pid; do kill -- "-$(cat "$pid")"; tail --pid="$(cat "$pid")" -f /dev/null; rm "$pid"; done
  while pids=$(find /proc -maxdepth 1 -user orderly -name '[0-9]*' -printf '%f '); [ -n "$pids" ]; do  # what the units have started
    kill -9 $pids || true
    sleep 0.1
  done
}
systemctl() {
  case "$*" in
    "enable --now"*) for unit in "${@:3}"; do case $unit in *@*) start_unit "$unit";; esac; done;;
    "start "*) for unit in "${@:2}"; do start_unit "$unit"; done;;
    "disable --now"*) stop_units;;
    "stop "*) stop_units;;
    restart*) units=$(cd /run; ls -d orderly-*.pid); stop_units; for unit in $units; do start_unit "${unit%.pid}"; done;;
    "reload nginx") nginx -s reload || nginx;;
    daemon-reload) ;;
    *) echo "systemctl $*: unknown here"; exit 1;;
  esac
}
pg_ctlcluster 17 main start
redis-server --daemonize yes --bind 127.0.0.1 > /dev/null
echo "127.0.0.1 $SITE" >> /etc/hosts
"""

SIGNED_IN = """
import sys, time
import httpx

site, token, version = sys.argv[1:]
lease = "Lease\\n\\n1. Rent\\n\\n1.1 The tenant pays a rent of $4,200 a month.\\n"
with httpx.Client(base_url=f"https://{site}", verify="/etc/ssl/orderly/fullchain.pem", timeout=60) as http:
    for _ in range(600):
        try:
            if http.get("/health").is_success:
                break
        except httpx.TransportError:
            pass
        time.sleep(0.2)
    for port in (2026, 2027):
        while True:
            try:
                assert httpx.get(f"http://127.0.0.1:{port}/health").is_success
                break
            except httpx.TransportError:
                time.sleep(0.2)
    assert http.get("/app", follow_redirects=True).is_success
    assert http.get("/ready").status_code == 404
    http.headers["Origin"] = f"https://{site}"
    user = http.post("/api/session", json={"token": token})
    assert user.is_success and user.json()["tenant_name"] == "Firm LLP", user.text
    title = f"First {version}"
    matter = http.post("/api/matters", json={"title": title}).json()["id"]
    document = http.post(f"/api/matters/{matter}/documents", files={"file": ("lease.txt", lease)}).json()["id"]
    while http.get(f"/api/documents/{document}").json()["status"] not in ("ready", "partial", "failed"):
        time.sleep(0.2)
    question = {"messages": [{"role": "user", "content": "How much is the rent?"}]}
    run = {"assistant_id": "orderly", "input": question, "context": {"matter_id": matter}}
    thread = http.post("/threads", json={}).json()["thread_id"]
    answer = http.post(f"/threads/{thread}/runs/wait", json=run)
    assert "$4,200" in answer.text, answer.text
print("signed in, and answered from a document of one's own")
"""


REMOVED = r"""
for place in /etc /opt /usr/local /var/lib; do find "$place" -name '*orderly*' -not -name 'orderly*set-aside' -printf 'left behind: %p\n'; done
runuser -u postgres -- psql --tuples-only --command "select 'left behind: role ' || rolname from pg_roles where rolname !~ '^(pg_|postgres$)'"
if getent passwd orderly; then echo left behind: account; fi
"""


def blocks(heading: str) -> list[str]:
    """The commands below a heading of docs/operations.md."""
    page = (CHECKOUT / "docs/operations.md").read_text()
    part = page.split(f"## {heading}\n", 1)[1].split("\n## ", 1)[0]
    return re.findall(r"^```sh\n(.*?)^```", part, re.DOTALL | re.MULTILINE)


def pip_settings() -> dict[str, str]:
    """pip's configuration of this machine as environment variables."""
    listed = subprocess.run([sys.executable, "-m", "pip", "config", "list"], check=True, capture_output=True, text=True).stdout
    found = re.findall(r"^(?:global|install|:env:)\.([\w-]+)='(.*)'$", listed, re.MULTILINE)
    return {f"PIP_{name.upper().replace('-', '_')}": value for name, value in found}


class Root:
    """An empty Debian, and commands in it. With `network` off, its ports are its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def run(self, script: str, *, network: bool) -> str:
        settings = pip_settings()
        named = [Path(place) for value in settings.values() for place in re.findall(PLACE, value)]
        # Below /srv, since packages replace files such as those of authorities, and the removal is searched in /opt.
        settings = {name: re.sub(PLACE, r"/srv/pip\g<0>", value) for name, value in settings.items()}
        folders = sorted({Path(*place.parts[:3]) for place in named if place.is_dir()})
        for file in filter(Path.is_file, named):
            copy = self.folder / f"srv/pip{file}"
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, copy)
        (self.folder / "root/run.sh").write_text(script)
        inside = [
            "set -e",
            *([] if network else ["ip link set lo up"]),
            f"mount -t proc proc {self.folder}/proc",
            f"mount -t tmpfs tmpfs {self.folder}/dev/shm",
            *(f"mkdir -p {self.folder}/srv/pip{place}; mount --bind {place} {self.folder}/srv/pip{place}" for place in folders),
            shlex.join(["exec", "chroot", str(self.folder), "env", "-i", "HOME=/root", "DEBIAN_FRONTEND=noninteractive"])
            + f" PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin {shlex.join(f'{k}={v}' for k, v in settings.items())}"
            " bash -eux /root/run.sh",
        ]
        unshare = ["unshare", "--mount", "--pid", "--fork", "--kill-child", *([] if network else ["--net"]), "sh", "-c"]
        answer, trace = self.folder / "root/answer.log", self.folder / "root/trace.log"  # shown also when a command hangs
        with answer.open("w") as out, trace.open("w") as err:
            try:
                done = subprocess.run(
                    [*unshare, "\n".join(inside)], check=False, stdout=out, stderr=err, timeout=HANGS
                ).returncode
            except subprocess.TimeoutExpired:
                done = None
        said, followed = answer.read_text(errors="replace"), trace.read_text(errors="replace")
        assert done == 0, f"ended with {done}\n{said[-4000:]}{followed[-4000:]}{self.logs()}"
        return said

    def logs(self) -> str:
        return "\n".join(
            f"== {log}\n{log.read_text(errors='replace')[-2000:]}" for log in self.folder.glob("var/log/orderly-*.log")
        )


@pytest.fixture(scope="module")
def root() -> Iterator[Root]:
    folder = Path(tempfile.mkdtemp(prefix="orderly-debian-", dir="/var/tmp"))
    folder.chmod(0o755)
    try:
        subprocess.run(["debootstrap", "--variant=minbase", "trixie", folder], check=True, capture_output=True)
        for name in ("resolv.conf", "hosts"):
            shutil.copyfile(f"/etc/{name}", folder / "etc" / name)
        policy = folder / "usr/sbin/policy-rc.d"  # packages start no services in a root without systemd
        policy.write_text("#!/bin/sh\nexit 101\n")
        policy.chmod(0o755)
        clone = ["git", "clone", "--quiet", "--bare", "--depth=1", f"file://{CHECKOUT}", folder / "srv/orderly.git"]
        subprocess.run(clone, check=True)
        yield Root(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def test_the_documented_commands_install_use_back_up_and_upgrade(root: Root) -> None:
    edited, packages, *rest = blocks("From an empty Debian 13 to a signed-in user")
    edited = re.sub(r"REPOSITORY=\S+", "REPOSITORY=/srv/orderly.git", edited)
    root.run(edited + packages, network=True)
    (root.folder / "root/signed_in.py").write_text(SIGNED_IN)
    signed_in = '/opt/orderly/.venv-aegra/bin/python /root/signed_in.py "$SITE" "$(orderly user token "$ADMIN")" "$(orderly --version)"\n'
    upgrade, back = blocks("Upgrade")
    (removal,) = blocks("Removal")
    other_port = """
sed -i 's/listen 443 ssl http2;/&\\n    listen 8443 ssl http2;/' /etc/nginx/conf.d/orderly.conf
systemctl reload nginx
"""
    said = root.run(
        "\n".join(
            [
                edited,
                SERVICES,
                "cd /opt/orderly",
                *rest,
                signed_in,
                other_port,
                signed_in.replace("$SITE", "$SITE:8443"),
                upgrade,
                signed_in,
                "orderly doctor",
                "orderly verify-store",
                "BEFORE=$(git rev-parse HEAD)",
                back,
                signed_in,
                "orderly verify-store",
                "orderly audit verify",
                "for each in orderly orderly_conversations; do runuser -u postgres -- dropdb ${each}_set_aside; done",
                removal,
                REMOVED,
            ]
        ),
        network=False,
    )
    assert said.count("signed in, and answered") == 4
    assert "✗" not in said and "✓ redis: " in said and said.count("All is accounted for") == 3  # a restore checks too
    assert "left behind" not in said
    backups = sorted(path.parent.name for path in root.folder.glob("var/backups/orderly/*/manifest.json"))
    assert len(backups) == 2 and "first" in backups
    assert {path.name for path in root.folder.glob("var/backups/orderly-keys/*")} == {"audit.key"}
    assert not list(root.folder.glob("var/lib/orderly-set-aside/postgres*")), "no embedded database in the services' folder"
