"""Leading the games of a simulation, round by round, until all are over.

In a round what is due happens, everybody reads what has come since the last round and answers, and a minute later the
answers are taken, in the same order in every installation. Then some hours pass; more of them where nobody has
anything to say. Clocks stand still while answers are taken: what these open is due in a later round, whichever process
looks at the clock meanwhile.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from bot.demo.game import DemoFailed
from bot.demo.simulation.installation import Installation, Simulated
from bot.demo.simulation.outcome import Outcome, Sent, taken
from bot.demo.simulation.people import People, Posted
from bot.store import comparing
from bot.store.database import reading

START = datetime(2026, 9, 7, 18, tzinfo=UTC)
STEP = timedelta(hours=3)
QUIET = timedelta(hours=11)
ANSWERED = timedelta(minutes=1)
MOST_ROUNDS = 5_000


def play(
    installation: Installation,
    simulated: Simulated,
    progress: Callable[[str], None],
    verify: int = 3,
    rounds: int = MOST_ROUNDS,
) -> Outcome:
    """Play games that have been begun (``installation.begin``) to their end, or for so many rounds; ``verify`` of them
    are then played again from their logs. DemoFailed if they do not come to their end."""
    began, people, sent = time.monotonic(), People(simulated.seed), Sent()
    mails, now = 0, START
    for number in range(1, rounds + 1):
        installation.pass_time(now)
        fresh = [letter for letter in installation.posted(now) if _note(sent, letter)]
        answers = list(people.answers(fresh, now))
        installation.take(answers, now + ANSWERED)
        mails += len(answers)
        with reading(installation.engine) as conn:
            left = comparing.not_over(conn)
        if number % 10 == 0:
            progress(f"round {number}, {now:%d %b %H:%M}: {mails} mails, {left} games go on")
        if not left or number == rounds < MOST_ROUNDS:
            for letter in installation.posted(now):
                _note(sent, letter)
            found = taken(installation.engine, simulated.names, sent, verify)
            found.mails, found.rounds, found.seconds = mails, number, time.monotonic() - began
            return found
        now += STEP if answers else QUIET
    raise DemoFailed(f"After {MOST_ROUNDS} rounds {left} games are not over.")


def _note(sent: Sent, letter: Posted) -> bool:
    return sent.note(letter.recipient, letter.reply_to, letter.message_id, letter.raw)
