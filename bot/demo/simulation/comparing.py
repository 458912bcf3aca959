"""The same games in one process with a file and in several with a server, and whether all came out alike."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from bot.demo.game import DemoFailed
from bot.demo.private_server import PrivateServer
from bot.demo.simulation.installation import InThisProcess, Simulated, begin
from bot.demo.simulation.outcome import Outcome, differences
from bot.demo.simulation.playing import MOST_ROUNDS, START, play
from bot.demo.simulation.processes import InProcesses
from bot.store import comparing
from bot.store.database import open_database, reading


@dataclass(frozen=True, slots=True)
class Compared:
    """``alone``: what came of the games in one process, ``together``: in several, of which ``killed`` died. ``wrong``
    says what differs and what must never be; it is empty where all is well. ``said`` is what the processes logged."""

    alone: Outcome
    together: Outcome
    killed: int
    wrong: list[str]
    said: str

    @property
    def letters(self) -> int:
        """How many letters went out."""
        return sum(len(each) for each in self.together.letters.values())


def compare(
    folder: Path,
    simulated: Simulated,
    workers: int,
    progress: Callable[[str], None],
    *,
    url: str = "",
    kills: Sequence[float] = (0.0,),
    rounds: int = MOST_ROUNDS,
) -> Iterator[Compared]:
    """Play the games in one process, then in several, once for each of ``kills``: for how many seconds one of them is
    killed each second.

    ``url`` is an empty database on a server, good for one comparison; "" for a private server, which is stopped and
    started again half-way where processes are killed. ``rounds``: after how many the games are compared as they stand.

    NoServer if none can be started, DatabaseUnavailable if the one that is named cannot be used, DemoFailed if it holds
    games or the games do not come to their end.
    """
    with ExitStack() as stack:
        server = None
        if not url:
            server = stack.enter_context(PrivateServer())
        else:
            _require_empty(url)
        progress("one process, a file")
        alone = _alone(folder / "alone", simulated, progress, rounds)
        progress(f"{alone.mails} mails in {alone.seconds:.0f} s; now {workers} processes, a server")
        for number, seconds in enumerate(kills, 1):
            place = server.empty(f"simulated{number}") if server else url
            with InProcesses(folder / f"together{number}", place, workers) as several:
                begin(several.moderator, simulated, START)
                with several.killing(seconds, server=server):
                    together = play(several, simulated, progress, rounds=rounds)
                yield _compared(alone, together, several)


def _alone(folder: Path, simulated: Simulated, progress: Callable[[str], None], rounds: int) -> Outcome:
    single = InThisProcess(folder)
    try:
        begin(single.moderator, simulated, START)
        return play(single, simulated, progress, rounds=rounds)
    finally:
        single.engine.dispose()


def _compared(alone: Outcome, together: Outcome, several: InProcesses) -> Compared:
    wrong = [*alone.wrong, *together.wrong, *differences(alone, together)]
    if together.sent_again > several.killed:
        wrong.append(f"{together.sent_again} letters went out again, and only {several.killed} processes died")
    return Compared(alone, together, several.killed, wrong, several.said)


def _require_empty(url: str) -> None:
    engine = open_database(url)
    try:
        with reading(engine) as conn:
            held = comparing.any_game(conn)
    finally:
        engine.dispose()
    if held:
        raise DemoFailed("The database holds games; a simulation needs an empty one.")
