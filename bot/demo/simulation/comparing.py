"""The same games in one process with a file and in several with a server, and whether all came out alike."""

from __future__ import annotations

from collections.abc import Callable
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


def compare(
    folder: Path,
    simulated: Simulated,
    workers: int,
    progress: Callable[[str], None],
    *,
    url: str = "",
    kill_seconds: float = 0.0,
    rounds: int = MOST_ROUNDS,
) -> Compared:
    """Play the games in both. ``url`` is an empty database on a server; "" for a private server, which is stopped and
    started again half-way where processes are killed. ``rounds``: after how many the games are compared as they stand.

    NoServer if none can be started, DatabaseUnavailable if the one that is named cannot be used, DemoFailed if it holds
    games or the games do not come to their end.
    """
    with ExitStack() as stack:
        server = None
        if not url:
            server = stack.enter_context(PrivateServer())
            url = server.empty("simulated")
        _require_empty(url)
        progress("one process, a file")
        single = InThisProcess(folder / "alone")
        stack.callback(single.engine.dispose)
        begin(single.moderator, simulated, START)
        alone = play(single, simulated, progress, rounds=rounds)
        progress(f"{alone.mails} mails in {alone.seconds:.0f} s; now {workers} processes, a server")
        several = stack.enter_context(InProcesses(folder / "together", url, workers))
        begin(several.moderator, simulated, START)
        with several.killing(kill_seconds, server=server):
            together = play(several, simulated, progress, rounds=rounds)
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
