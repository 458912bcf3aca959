"""Tests a whole game that six IMAP clients play against `mentat run` on real servers."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from bot.games import proof
from tests.end_to_end.post_office import PostOffice
from tests.end_to_end.service_process import Mentat
from tests.end_to_end.table import play_by_mail, play_in_process, sent_letters, words, written_letters

RULESET = "wbc-2018"


@pytest.mark.slow
def test_six_imap_clients_play_a_game_to_its_end_through_dovecot(dovecot_host: PostOffice, tmp_path: Path) -> None:
    with Mentat(tmp_path / "mentat", dovecot_host) as mentat:
        mentat.new_game(RULESET, turns=1)
        mentat.start()
        with ThreadPoolExecutor() as beside:  # Dovecot announces mail half a second late: time for the reference
            measure = beside.submit(play_in_process, mentat.folder / "config.toml", RULESET, turns=1)
            played = play_by_mail(mentat, dovecot_host)
            assert mentat.stop() == 0
            reference = measure.result()
        assert proof.verify(played.record).difference == ""

        assert played.record.log == reference.record.log
        assert played.record.events == reference.record.events
        assert played.answers == reference.answers > 50
        for player, letters in reference.letters.items():
            assert list(played.letters[player]) == list(letters), f"the letters to {player}"
            for identity, raw in letters.items():
                assert words(played.letters[player][identity]) == words(raw)

        sent = sent_letters(dovecot_host.sent)
        with mentat.database() as database:
            written = written_letters(database)
        assert sorted(written) == sorted((identity, player) for player in sent for identity in sent[player])
