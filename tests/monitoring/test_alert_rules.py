"""Tests that the Prometheus rules in packaging/prometheus are valid, use existing metrics, and fire when needed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from bot.service.health import metrics
from tests.end_to_end.service_process import ROOT
from tests.moderator.table import World
from tests.monitoring import promtool
from tests.monitoring.test_metrics import lived

NOT_OURS = {"node_textfile_mtime_seconds"}


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    """Copy the rules to a folder that everybody may read."""
    file = tmp_path / "mentat.rules.yaml"
    file.write_text((ROOT / "packaging/prometheus/mentat.rules.yaml").read_text("utf-8"), encoding="utf-8")
    return file


def test_promtool_takes_them(rules: Path) -> None:
    promtool.check_rules(rules)


def test_they_ask_for_metrics_that_there_are_and_with_labels_that_they_have(rules: Path, world: World) -> None:
    lived(world)
    told = metrics(world.settings, world.now)
    asked = set(re.findall(r"\b((?:mentat|node)_[a-z_]+)", rules.read_text())) - NOT_OURS
    assert len(asked) > 5
    assert {name for name in asked if f"# TYPE {name} " not in told} == set()
    selected = re.findall(r"\b(mentat_[a-z_]+)\{(\w+)=\"(\w+)\"\}", rules.read_text())
    assert len(selected) > 2
    there = set(re.findall(r"^(mentat_[a-z_]+)\{(\w+)=\"(\w+)\"\}", told, re.MULTILINE))
    assert {each for each in selected if each not in there} - {
        ("mentat_messages_total", "disposition", "fault"),  # no message was quarantined here
    } == set()


TESTS = """
rule_files: [{rules}]
evaluation_interval: 1m
tests:
  - interval: 1m
    input_series:
      - {{series: 'mentat_database_up', values: '{up}'}}
      - {{series: 'mentat_oldest_pending_seconds{{queue="letters"}}', values: '{letters}'}}
      - {{series: 'mentat_channel_up{{channel="canary"}}', values: '{canary}'}}
      - {{series: 'mentat_channel_up{{channel="mailbox"}}', values: '1x30'}}
      - {{series: 'mentat_last_success_timestamp_seconds{{work="main_loop"}}', values: '{loop}'}}
      - {{series: 'mentat_games{{status="held"}}', values: '0x30'}}
    alert_rule_test:
"""


@pytest.mark.parametrize(("changed", "fires"), [
    ({}, set()),
    ({"up": "0x30"}, {"MentatDatabaseDown"}),
    ({"letters": "0+60x30"}, {"MentatLettersWait"}),
    ({"canary": "0x30"}, {"MentatCanaryMissing"}),
    ({"loop": "0x30"}, {"MentatStuck"}),
    ({"up": "_x30"}, {"MentatNotMeasured"}),
])  # fmt: skip
def test_each_fires_when_it_should_and_no_other(rules: Path, changed: dict[str, Any], fires: set[str]) -> None:
    given = {"up": "1x30", "letters": "0x30", "canary": "1x30", "loop": "0+60x30", "rules": rules, **changed}
    summaries = dict(re.findall(r"alert: (\w+)\n.*?summary: \"(.*?)\"", rules.read_text(), re.DOTALL))
    labels = {
        "MentatLettersWait": 'queue: "letters"', "MentatCanaryMissing": 'channel: "canary"',
        "MentatStuck": 'work: "main_loop"',
    }  # fmt: skip
    text = TESTS.format(**given)
    for name, summary in summaries.items():
        text += f"      - eval_time: 25m\n        alertname: {name}\n"
        if name in fires:
            text += f"        exp_alerts:\n          - exp_labels: {{{labels.get(name, '')}}}\n"
            text += f'            exp_annotations: {{summary: "{summary}"}}\n'
    file = rules.with_name("tests.yaml")
    file.write_text(text, encoding="utf-8")
    promtool.test_rules(file)
