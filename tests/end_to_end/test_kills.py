"""Tests that SIGKILL at any moment loses nothing and repeats nothing."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from bot.games import proof
from bot.lab.local_mail import LocalMail
from rules.components import Faction
from rules.players import Temperament
from tests.end_to_end.mail_clients import SEATS
from tests.end_to_end.post_office import PostOffice
from tests.end_to_end.service_process import Mentat
from tests.end_to_end.table import Played, play_by_mail, play_in_process, sent_letters, words, written_letters

RULESET = "wbc-2018"
SLOW = bool(os.environ.get("MENTAT_SLOW"))
KILLS, TURNS = (50, 5) if SLOW else (5, 1)


class Killer:
    """Kills and restarts the service again and again, mostly while it has work."""

    def __init__(self, mentat: Mentat, chance: random.Random) -> None:
        self._mentat = mentat
        self._chance = chance
        self._next = time.monotonic() + chance.uniform(0.0, 1.0)
        self.kills = 0

    def __call__(self) -> None:
        """Kill the service if the time has come. Call this only while somebody waits for the service."""
        if self.kills == KILLS or time.monotonic() < self._next:
            return
        self._mentat.kill()
        self.kills += 1
        self._mentat.start()
        self._next = time.monotonic() + self._chance.uniform(0.0, 1.5 * _START_SECONDS)


_START_SECONDS = 1.5  # about the time a start takes: most kills hit a service that is starting or has just begun


FOUR: dict[Faction, Temperament] = {"guild": "steady", "emperor": "sharp", "harkonnen": "steady", "atreides": "careful"}


@pytest.mark.slow
def test_killed_at_random_moments_it_plays_the_same_game_and_writes_the_same_letters_once(
    local_host: LocalMail, tmp_path: Path
) -> None:
    play_with_kills(local_host, tmp_path, RULESET, {})


@pytest.mark.slow
def test_two_people_and_four_opponents_play_the_same_game_whenever_mentat_is_killed(
    dovecot_host: PostOffice, tmp_path: Path
) -> None:
    played = play_with_kills(dovecot_host, tmp_path, "ah-basic", FOUR)
    people = {address for faction, address in SEATS.items() if faction not in FOUR}
    assert {player for player, letters in played.letters.items() if letters} == people


def play_with_kills(
    host: LocalMail | PostOffice, folder: Path, ruleset: str, opponents: Mapping[Faction, Temperament]
) -> Played:
    with Mentat(folder / "mentat", host, poll_seconds=1) as mentat:
        seats = [word for faction, how in opponents.items() for word in ("--opponent", f"{faction}={how}")]
        mentat.new_game(ruleset, TURNS, *seats)
        mentat.start()
        killer = Killer(mentat, random.Random())
        with ThreadPoolExecutor() as beside:  # use the pauses while the service restarts
            measure = beside.submit(play_in_process, mentat.folder / "config.toml", ruleset, TURNS, opponents)
            played = play_by_mail(mentat, host, killer)
            assert mentat.stop() == 0
            reference = measure.result()
        assert killer.kills >= KILLS // 2  # on a fast machine the game may end before the last kill
        assert proof.verify(played.record).difference == ""

        assert played.record.log == reference.record.log
        assert played.record.events == reference.record.events
        for player, letters in reference.letters.items():
            assert list(played.letters[player]) == list(letters), f"the letters to {player}"
            for identity, raw in letters.items():
                assert words(played.letters[player][identity]) == words(raw)

        with mentat.database() as database:
            written = written_letters(database)
        sent = sent_letters(host.sent)
        assert {(identity, player) for player in sent for identity in sent[player]} == set(written)
        assert len(set(written)) == len(written)
    return played
