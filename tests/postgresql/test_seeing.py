"""Tests that several workers on a server are visible, and that one of them sends the canary for all."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from bot.lab.local_mail import LocalMail
from tests.end_to_end.service_process import ROOT, SECRET, command, environment
from tests.moderator.table import ADDRESS, GAME_MASTER
from tests.monitoring import promtool

Fresh = Callable[[], str]
PATIENCE = 120.0
CONFIG = """
[mentat]
address = "{address}"
game_master = "{game_master}"
[database]
url = "{url}"
[mailbox]
host = "{servers.host}"
port = {servers.imap_port}
security = "none"
user = "{address}"
[smtp]
host = "{servers.host}"
port = {servers.smtp_port}
security = "none"
[log]
format = "json"
file = "mentat.log"
level = "info"
[monitoring]
canary_minutes = 60
"""


def test_two_workers_are_seen_to_work_and_one_writes_to_itself(fresh: Fresh, tmp_path: Path) -> None:
    config = tmp_path / "config.toml"

    def call(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command(*words, "--config", str(config)), cwd=ROOT, env=environment(), capture_output=True, text=True
        )

    with LocalMail({ADDRESS: "melange"}) as servers:
        config.write_text(CONFIG.format(address=ADDRESS, game_master=GAME_MASTER, url=fresh(), servers=servers))
        (tmp_path / ".env").write_text(f'MENTAT_SECRET="{SECRET}"\nMENTAT_IMAP_PASSWORD=melange\n')
        assert call("game", "list").returncode == 0
        running = [
            subprocess.Popen(
                command("run", "--config", str(config)), cwd=ROOT, env=environment(), stdout=subprocess.DEVNULL
            )
            for _ in range(2)
        ]
        try:
            until = time.monotonic() + PATIENCE
            while 'mentat_channel_up{channel="canary"} 1' not in (told := call("metrics").stdout):
                assert time.monotonic() < until, told
                time.sleep(0.5)
            log = tmp_path / "mentat.log"
            while log.read_text().count('"worker.started"') < 2:
                assert time.monotonic() < until, log.read_text()
                time.sleep(0.5)
            promtool.check_metrics(told)
            assert 'mentat_leader{work="keeping_the_clock"} 1' in told
            assert 'mentat_leader{work="reading_mail"} 1' in told
            assert 'mentat_messages_total{disposition="auto-reply"} 1' in told
            health = call("health", "--json")
            assert (health.returncode, json.loads(health.stdout)["live"]) == (0, True)
        finally:
            for each in running:
                each.terminate()
            assert [each.wait(PATIENCE) for each in running] == [0, 0]
    lines = [json.loads(line) for line in (tmp_path / "mentat.log").read_text().splitlines()]
    took = [line["worker"] for line in lines if line["event"] == "message.auto-reply"]
    assert len(took) == 1
    assert took[0].startswith("worker-")
    assert "@" not in (tmp_path / "mentat.log").read_text()
