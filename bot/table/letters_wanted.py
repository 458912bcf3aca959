"""Which letters a player wants besides answers to their mails, and what waits for a later one.

In the mode ``all`` each letter goes out as it comes up. In ``wanted`` a letter goes out when something is asked of
them; what is only news waits for it. In ``daily`` one letter a day brings what has come up, and before it only what has
to be answered by then.

A call for sheets asks all players whatever they hold. It wants something of a player who takes part in its round, as
all can see, and of one who could act in it by a card that only they know. That it does not come to the others tells
nobody anything: for all who could act only by a card, the call stays open to its end, whether they write or not
(``bot.table.rounds.awaits``).
"""

from __future__ import annotations

from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

from bot.clock.calendar import at
from bot.table import rounds
from bot.table.seat import Seat
from bot.table.table import Table
from rules.components import Faction
from rules.decisions.karama import karama_cards

FIRST_HOUR = "07:00"
"""When a daily letter comes to a player who has not said when they are awake."""
IN_TIME = timedelta(hours=3)
"""What is due so soon after the next daily letter does not wait for it."""


def is_written_to(table: Table, faction: Faction, now: datetime, *, called: bool) -> bool:
    """Whether a letter about what is asked of a player now goes out at once. ``called``: it is a call for sheets."""
    seat = table.seats[faction]
    if seat.letters_mode == "all":
        return True
    if called and not (rounds.takes_part(table, faction) or _holds_an_answer(table, faction)):
        return False
    return seat.letters_mode == "wanted" or _cannot_wait(table, seat, now)


def _holds_an_answer(table: Table, faction: Faction) -> bool:
    """Whether they hold a card with which they could do something in a round that goes on without them."""
    if table.play.state.phase != "storm" and karama_cards(table.play.game, faction):
        return True
    own = [question for question in table.play.asked() if question.faction == faction]
    return any(order != question.default for question in own for order in question.samples())


def _cannot_wait(table: Table, seat: Seat, now: datetime) -> bool:
    """Whether something that is asked of a player falls due before they could answer a letter of tomorrow."""
    dues = [table.due(question) for question in table.play.questions() if question.faction == seat.faction]
    if rounds.awaits(table, seat.faction):
        dues.append(table.call_due)
    return any(due <= next_digest(seat, now) + IN_TIME for due in dues if due)


def next_digest(seat: Seat, now: datetime) -> datetime:
    """When the next daily letter to a player is written: as they wake, by their own clock."""
    zone, wakes = ZoneInfo(seat.timezone), (seat.waking or FIRST_HOUR).partition("-")[0]
    today = now.astimezone(zone).date()
    days = (at(today + timedelta(days=number), time.fromisoformat(wakes), zone) for number in range(3))
    return next(moment for moment in days if moment > now)
