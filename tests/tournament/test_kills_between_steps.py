"""An automatic event whose process is killed before every commit ends with the same result and letters as one without
kills."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import event

from bot.store.database import reading
from bot.store.mail import LETTER
from bot.tournament import beacons, calendar
from tests.tournament.cup import CUP, end_game
from tests.tournament.test_automatic import Running, papers

SETTINGS = (
    'title = "The Cup"\nauto = {auto}\nbeacon = "quicknet"\n[rounds]\nheats = 1\nsemifinal = 0\nfinal = 6\n'
    "[steps]\ncheck_in = true\n"
)


HOURS = 12


class Killed(BaseException):
    """Simulates the death of the process."""


@contextmanager
def killed_before_commit(cup: Running, place: int) -> Iterator[None]:
    passed = 0

    def burn(*_: Any) -> None:
        nonlocal passed
        passed += 1
        if passed == place:
            raise Killed

    event.listen(cup.world.engine, "commit", burn)
    try:
        yield
    finally:
        event.remove(cup.world.engine, "commit", burn)


def tick_dying(cup: Running) -> tuple[Running, int]:
    """Repeat a tick in new processes, killed before the first commit, then the second, and so on; count the kills."""
    died = 0
    while True:
        try:
            with killed_before_commit(cup, died + 1):
                calendar.tick(cup.open_games, cup.world.now)
        except Killed:
            died += 1
            cup.world.engine.dispose()
            cup = Running(cup.world.another_process())
        else:
            return cup, died
        assert died < 60


def played(folder: Path, *, dying: bool) -> tuple[Running, int]:
    """Play an event from start to end; entrants and the director answer all questions."""
    folder.mkdir()
    cup, deaths = Running.of(folder, 6, settings=SETTINGS), 0
    cup.real_tokens()
    for _ in range(120):
        if dying:
            cup.world.now += timedelta(hours=HOURS)
            cup, died = tick_dying(cup)
            deaths += died
        else:
            cup.tick(HOURS)
        for paper in papers(cup, "check-in"):
            cup.writes(paper.entrant, "here")
        with reading(cup.world.engine) as conn:
            frozen, sent = beacons.frozen_draw(conn, CUP), beacons.sent_values(conn, CUP)
        if frozen and frozen.at <= cup.world.now and not sent.settled:
            for _ in range(2):
                cup.says(f"beacon cup {frozen.round}: {frozen.form.replace('RANDOMNESS', f'{frozen.round:08x}')}")
        for table in cup.tables():
            if table.state == "playing" and table.game_id:
                end_game(cup.world, table.game_id, "guild")
        if cup.cup.state == "finished":
            return cup, deaths
    raise AssertionError(f"it is {cup.cup.state}, and never over")


def outcome(cup: Running) -> Any:
    """Return everything that must be the same, without game seeds and record sums, which always differ."""
    with reading(cup.world.engine) as conn:
        letters = sorted((row.recipient, row.subject, row.message_id) for row in conn.execute(LETTER.select()))
    told = [(act.at, act.what, act.words.partition("; its sum is")[0]) for act in cup.acts()]
    return cup.rounds(), cup.tables(), cup.seats(), cup.states(), told, letters


def test_it_ends_alike_wherever_it_dies(tmp_path: Path) -> None:
    unbroken, _ = played(tmp_path / "unbroken", dying=False)
    dying, deaths = played(tmp_path / "dying", dying=True)
    assert deaths > 40
    for one, other in zip(outcome(dying), outcome(unbroken), strict=True):
        assert one == other
