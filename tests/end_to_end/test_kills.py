"""SIGKILL at any moment loses nothing and does nothing twice."""

from __future__ import annotations

import os
import random
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from bot.games import proof
from bot.lab.local_mail import LocalMail
from tests.end_to_end.service_process import Mentat
from tests.end_to_end.table import play_by_mail, play_in_process, sent_letters, words, written_letters

RULESET = "wbc-2018"
SLOW = bool(os.environ.get("MENTAT_SLOW"))
KILLS, TURNS = (50, 5) if SLOW else (5, 1)


class Killer:
    """Kills the service again and again, and starts it again. Most of its blows fall while there is work."""

    def __init__(self, mentat: Mentat, chance: random.Random) -> None:
        self._mentat = mentat
        self._chance = chance
        self._next = time.monotonic() + chance.uniform(0.0, 1.0)
        self.kills = 0

    def __call__(self) -> None:
        """Strike if it is time to. Called only while somebody waits for the service."""
        if self.kills == KILLS or time.monotonic() < self._next:
            return
        self._mentat.kill()
        self.kills += 1
        self._mentat.start()
        self._next = time.monotonic() + self._chance.uniform(0.0, 1.5 * _START_SECONDS)


_START_SECONDS = 1.5  # about what a start takes: most blows fall on a service that is starting or has just begun


@pytest.mark.slow
def test_killed_at_random_moments_it_plays_the_same_game_and_writes_the_same_letters_once(
    local_host: LocalMail, tmp_path: Path
) -> None:
    with Mentat(tmp_path / "mentat", local_host, poll_seconds=1) as mentat:
        mentat.new_game(RULESET, turns=TURNS)
        mentat.start()
        killer = Killer(mentat, random.Random())
        with ThreadPoolExecutor() as beside:  # while the service starts anew, again and again, there is time for it
            measure = beside.submit(play_in_process, mentat.folder / "config.toml", RULESET, turns=TURNS)
            played = play_by_mail(mentat, local_host, killer)
            assert mentat.stop() == 0
            reference = measure.result()
        assert killer.kills >= KILLS // 2  # on a quick machine the game may end before the last blow
        assert proof.verify(played.record).difference == ""

        assert played.record.log == reference.record.log
        assert played.record.events == reference.record.events
        for player, letters in reference.letters.items():
            assert list(played.letters[player]) == list(letters), f"the letters to {player}"
            for identity, raw in letters.items():
                assert words(played.letters[player][identity]) == words(raw)

        with mentat.database() as database:
            written = written_letters(database)
        sent = sent_letters(local_host.sent)
        assert {(identity, player) for player in sent for identity in sent[player]} == set(written)
        assert len(set(written)) == len(written)
