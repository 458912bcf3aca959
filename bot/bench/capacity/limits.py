"""What binds, for numbers of games: the workers, the database, the mailbox, or what the mail provider lets go out.

Each resource has a use, the share of it that the games need: of a quota in a day, of everything else in the busiest
minutes of a day. What has the largest use binds first; above one it does not suffice.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from bot.bench.capacity.costs import Costs
from bot.bench.capacity.load import DEADLINE, Load, profile
from bot.bench.capacity.queueing import Waits, waits

DEADLINE_MINUTE = DEADLINE.hour * 60 + DEADLINE.minute
PEAK_MINUTES = 10
"""The busiest minutes of a day, over which a use is taken."""

MOST_WORKERS = 64
GOOD_WAIT = 60.0
"""Seconds that 99 of 100 mails should not wait longer than."""

CONNECTIONS_OF_EACH = 18
"""How many connections a process opens at most: sixteen of its pool, and two of its own for locks and hints."""

BODY_DAYS = 60
"""`[retention] body_days` as it is if nothing is said."""

_COMMITS_OF_A_MAIL = 3
"""Stored, taken, moved away."""

_COMMITS_OF_A_LETTER = 2
"""Claimed, noted."""

_TRIPS = 3
"""Round trips to the mailbox for a mail: looked for, fetched, moved."""


@dataclass(frozen=True, slots=True)
class Machine:
    """What there is: so many workers; how many letters a day the mail provider lets go out; the seconds of a round trip
    to the mailbox; the bytes of the disk."""

    workers: int = 4
    quota: int = 2_000
    round_trip: float = 0.03
    disk: float = 100e9


@dataclass(frozen=True, slots=True)
class Limits:
    """What so many running games ask for. ``uses`` by resource, ``binds`` the one with the largest use; ``workers`` is
    how many would be enough for nearly all mails to wait less than a minute, 0 if so many do not help; bytes a year
    while what was said is kept, and when it is dropped."""

    games: int
    mails_a_day: float
    letters_a_day: float
    mails_at_the_peak: float
    waits: Waits
    workers: int
    bytes_a_year: float
    bytes_a_year_kept: float
    connections: int
    accounts: int
    uses: Mapping[str, float]

    @property
    def binds(self) -> str:
        return max(self.uses, key=self.uses.__getitem__)


def limits(games: int, load: Load, costs: Costs, machine: Machine, by_minute: Sequence[float] | None = None) -> Limits:
    """What so many games ask of a machine."""
    by_minute = by_minute or profile()
    mails, silences = games * load.mails, games * load.silences
    peak = mails * max(_running_sums(by_minute)) / PEAK_MINUTES / 60  # mails a second
    each = costs.mail + load.letters_a_mail * costs.letter
    at_peak = peak + silences / (PEAK_MINUTES * 60)
    commits = at_peak * (_COMMITS_OF_A_MAIL + _COMMITS_OF_A_LETTER * load.letters_a_mail)
    letters = games * load.letters
    a_year = 365 * (mails + silences)
    uses = {
        "workers": at_peak * each / machine.workers,
        "database": commits * costs.commit,
        "mailbox": peak * (costs.fetched + _TRIPS * machine.round_trip),
        "sending quota": letters / machine.quota,
        "disk in a year": _kept(a_year, costs) / machine.disk,
    }

    def waited(workers: int) -> Waits:
        return waits(mails, silences, each, workers, by_minute, deadline=DEADLINE_MINUTE)

    return Limits(
        games, mails, letters, peak * 60, waited(machine.workers), _enough(at_peak * each, waited),
        a_year * costs.stored, _kept(a_year, costs), (machine.workers + 1) * CONNECTIONS_OF_EACH,
        accounts=-int(-letters // machine.quota), uses=uses,
    )  # fmt: skip


def _kept(a_year: float, costs: Costs) -> float:
    """How many bytes a year takes if the texts of letters are dropped after some weeks."""
    return a_year * (costs.kept + (costs.stored - costs.kept) * BODY_DAYS / 365)


def holds(load: Load, costs: Costs, machine: Machine) -> dict[str, int]:
    """How many games each resource suffices for, by its name; what binds first has the fewest."""
    one = limits(1_000, load, costs, machine)
    return {name: int(1_000 / use) if use else 0 for name, use in one.uses.items()}


def _running_sums(by_minute: Sequence[float]) -> list[float]:
    return [sum(by_minute[first : first + PEAK_MINUTES]) for first in range(len(by_minute) - PEAK_MINUTES + 1)]


def _enough(busy: float, waited: Callable[[int], Waits]) -> int:
    """The fewest workers with which 99 of 100 mails wait a minute at most, where about so many are ``busy`` at the
    peak; 0 if the most that there may be are too few."""
    low, high = 1, MOST_WORKERS
    if busy > 4 * MOST_WORKERS or waited(high).p99 > GOOD_WAIT:
        return 0
    while low < high:
        middle = (low + high) // 2
        if waited(middle).p99 > GOOD_WAIT:
            low = middle + 1
        else:
            high = middle
    return low
