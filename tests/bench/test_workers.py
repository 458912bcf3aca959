"""Tests that the benchmark of several workers uses real workers."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.lab.bench_growth import MOST_DISK_WAITS, MOST_TRANSACTIONS, Throughput, measure_workers
from bot.lab.postgresql import why_not_here


@pytest.mark.skipif(bool(why_not_here()), reason=why_not_here() or "-")
def test_mails_by_several_workers_are_measured_beside_one_and_beside_a_bare_transaction(tmp_path: Path) -> None:
    bare, *found = measure_workers(tmp_path, "wbc-2018", 12, (1, 2), games=6)
    one, each, cpu, transactions, waits, memory, two, *_ = found
    assert bare.value > 0
    assert (one.name, one.ratio) == ("1 worker: mails", 1)
    assert each.ratio == pytest.approx(each.value / bare.value)
    assert two.ratio == pytest.approx(two.value / one.value)
    assert cpu.ratio == 1
    # the server updates its counters once a second, so only a long run could check each count
    assert (transactions.name, transactions.aim) == ("1 worker: transactions", MOST_TRANSACTIONS)
    assert (waits.name, waits.aim) == ("1 worker: waits for the disk", MOST_DISK_WAITS)
    assert memory.value > 30, "MiB of a process that has loaded everything"


def test_the_memory_that_grew_most_counts() -> None:
    assert Throughput(1.0, 0, {7: 100, 8: 100}, {7: 100, 8: 150}).growth == 1.5
    assert Throughput(1.0, 0, {7: 100}, {9: 400}).growth == 1.0, "another process"
