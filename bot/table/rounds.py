"""Rounds: calls for sheets, sheet windows that pass without waiting, and the progress of a game until a person must be
asked.

A *call* opens a round: one letter asks all players for their sheets, whatever they hold. While the call is open, sheet
windows wait for the players who have not answered it. For a player who has answered, or whose time for the call is
over, a sheet window takes no time. So no player has to file a reaction before being asked for it, and nobody waits for
reactions that nobody filed. No duty of the round is due before its call. Thus all players think at the same time,
although their factions act one after the other.

The call closes early for a player who has written since it opened. The contents of their sheet or hand make no
difference.

A player's letter mode says which letters they want besides answers to their own mails. ``all`` means letters as they
come up. ``wanted`` means a letter whenever there is a question for them. ``daily`` means one letter a day, and in
between only questions that are due before the next daily letter. A call counts as a question to the players who visibly
take part in its round, and to players who could act in it with a card that only they know of. With ``wanted`` and
``daily``, and in any mode for the storm and the battles, the other players get no call. That reveals nothing: for every
player who could act only with a card, the call stays open to its end, whether they write or not (``awaits``). The
summary of a turn also waits for their next letter, which is the call for the bidding.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from datetime import datetime, time, timedelta

from bot.config.time_zones import zone_named
from bot.press import settings_in
from bot.table import clock
from bot.table.calendar import instant_at
from bot.table.clock import GameClock, Round, round_at, tempo
from bot.table.deputy import answer_from_sheets, hands_back, play_for_absent_seats
from bot.table.table import Seat, Table, place_of
from rules.chapters.battle_list import all_battles
from rules.chapters.public_facts import hand_counts_seen
from rules.chapters.spice_blow import NEXUS_AT_THE_END
from rules.components import Faction
from rules.components.board import TerritoryId
from rules.decisions.catalogue import is_unseen
from rules.decisions.question import Question
from rules.decisions.windows import karama_cards
from rules.engine.log import Expired, Submitted
from rules.engine.turn import questions_of
from rules.orders import ANSWERS, NoTransfer, Order, Pass, PassAll, QuestionKind


def open_call(table: Table) -> None:
    play = table.play
    kinds = frozenset(question.kind for question in play.asked())
    part = tempo(table.tempo).round_of(play.state.phase, kinds)
    if part and table.call != (name := f"{play.state.turn}.{part.name}"):
        table.call, table.call_due, table.calling = name, None, True


def call_of(table: Table, now: datetime | None = None) -> Round | None:
    """Return the round whose call is open, or None. ``now`` makes a difference only if it is later than the instant at
    which the game last moved. While the clocks are stopped, no call closes."""
    if table.call_due and table.call_due <= (table.stopped_at or now or table.now):
        return None
    return round_at(table.call, table.tempo, table.play.state.turn, table.play.state.phase)


def fights(table: Table, faction: Faction) -> tuple[tuple[TerritoryId, Faction], ...] | None:
    if table.play.state.phase != "battle":
        return None
    battles = (battle for battle in all_battles(table.play.game) if faction in (battle.aggressor, battle.defender))
    return tuple((b.territory, b.defender if b.aggressor == faction else b.aggressor) for b in battles)


def goes_on_at(table: Table, faction: Faction, now: datetime) -> datetime | None:
    """Return the latest time at which the round goes on for a player who has answered its call: when the call closes,
    or when the last public question is due. This reveals nothing about the answers of others."""
    closes = call_closes(table, now)
    if table.stopped_at or closes is None or awaits(table, faction):
        return None
    return max([closes, *(due for q in table.play.asked() if q.public and (due := table.due(q)))])


def call_closes(table: Table, now: datetime | None = None) -> datetime | None:
    return table.call_due if call_of(table, now) else None


def extend_call(table: Table, hours: float, clock: GameClock) -> None:
    if closes := call_closes(table):
        table.call_due = clock.extended(closes, hours)


def awaits(table: Table, faction: Faction) -> bool:
    """Return True if the open call still waits for this player. If a player takes no part in the round and wants no
    letter about it, the call waits for them until its end. Otherwise others could notice if such a player, because of a
    card, got a letter and answered it."""
    if call_of(table) is None or not table.seats[faction].has_player:
        return False
    return table.seats[faction].called != table.call or _is_left_out(table, faction)


def _is_left_out(table: Table, faction: Faction) -> bool:
    # Judged by what everybody can see: a player who could act with a card is called anyway
    part = call_of(table)
    for_few = part is not None and {"bidding", "movement"}.isdisjoint(part.phases)
    return (for_few or table.seats[faction].letters_mode != "all") and not takes_part(table, faction)


def is_passed_over(table: Table, faction: Faction) -> bool:
    # A player who is passed over gets no letter about the open call
    return _is_left_out(table, faction) and not _holds_an_answer(table, faction)


def takes_part(table: Table, faction: Faction) -> bool:
    """Return True if everybody can see that a player has something to decide in the round of the open call. A full hand
    makes no difference if only its owner can know that it is full."""
    play, part = table.play, call_of(table)
    if part is None or any(q.public and not q.blanket for q in play.asked() if q.faction == faction):
        return True
    if "battle" in part.phases:
        return any(fights(table, ally) for ally in play.state.ally_group(faction))
    if "bidding" in part.phases:
        return not (hand_counts_seen(play.state, play.game.rules) and play.game.hand_full(faction))
    return "movement" in part.phases


def answers_call(table: Table, order: Order) -> bool:
    """Return True if an order answers the open call. Secret offers between two players and orders for later do not."""
    kinds = ANSWERS.get(type(order), ())
    return kinds != ("offer",) and not is_unseen(table.play.game, order)


def note_call_answered(table: Table, faction: Faction) -> None:
    seat = table.seats[faction]
    if table.call and seat.called != table.call:
        seat.called = table.call
        table.touched.add(faction)


DECIDED_IN_PAUSE: Collection[QuestionKind] = ("hms-move", "dancer-swap")
"""Decisions that come up in every Mentat Pause. No call asks for them, so players may order them at any time in the
turn."""


def later_in_round(table: Table, order: Order) -> bool:
    """Return True if an order belongs to a later phase but may already be given: its phase is part of the round of the
    open call, or is the pause that ends the turn."""
    part = call_of(table)
    phase, kinds = table.play.state.phase, ANSWERS.get(type(order), ())
    asked = questions_of(table.play.game.rules)
    if phase not in asked or not kinds or not set(kinds).isdisjoint(asked[phase]):
        return False
    if kinds[0] in DECIDED_IN_PAUSE and kinds[0] in asked["mentat"]:
        return True
    to_come = part.phases[part.phases.index(phase) + 1 :] if part else ()
    return any(kind in of_phase for name, of_phase in asked.items() if name in to_come for kind in kinds)


def takes_no_time(table: Table, question: Question) -> bool:
    """Return True if a question is a sheet window, which takes no time. A public duty is not a sheet window if its
    player's sheet says ``ask me``. A reaction is a sheet window for every player or for none, whatever their sheets
    say."""
    if tempo(table.tempo).window_is_open(question.kind, _why(question)):
        return False
    return question.blanket or not question.public or not hands_back(table, question)


def leaves_no_choice(table: Table, question: Question, caretaker_after: int = 0) -> bool:
    """Return True if no letter needs to ask this question, because its player has no spice to give or to bid. The
    question still takes its usual time, so that nobody notices.

    A bid that is not made counts as a missed deadline, even for a player without spice. So a letter is sent if another
    missed deadline would cost the player something, or if an ally may still pay.
    """
    if question.kind not in ("bid", "transfer") or any(order not in _NOTHING for order in question.samples()):
        return False
    seat, allies = table.seats[question.faction], len(table.play.state.ally_group(question.faction)) > 1
    return question.blanket or not (allies or seat.bank or seat.missed or caretaker_after == 1)


_NOTHING = (Pass(), PassAll(), NoTransfer())


def is_duty(table: Table, question: Question) -> bool:
    return clock.is_public_duty(question) and not takes_no_time(table, question)


def opponent_minutes(table: Table) -> float:
    """Return the number of minutes that computer opponents wait before they answer: 0 in a game that moves only every
    few hours, because it has enough pauses already."""
    return 0 if settings_in(table.press).slots else float(table.clock.get("opponent_minutes", 0))


def opponents_pause(table: Table) -> Callable[[Question], timedelta | None]:
    """Return a function that says how long a computer opponent waits before it answers a question. It waits only for a
    public duty, and only if everybody knows that Mentat plays the seat; for any other question the function returns
    None."""
    pause = timedelta(minutes=opponent_minutes(table))

    def of(question: Question) -> timedelta | None:
        waits = pause and not table.seats[question.faction].has_player and is_duty(table, question)
        return pause if waits else None

    return of


def opponent_pauses(table: Table, question: Question) -> bool:
    if table.stopped_at or opponents_pause(table)(question) is None:
        return False
    deadline = table.deadlines.get(place_of(table.play, question))
    return deadline is None or deadline.state == "suspended" or deadline.until > table.now


def pass_sheet_windows(table: Table) -> bool:
    """Apply the defaults in the sheet windows of players who are no longer waited for, and return True if there were
    any such windows. Call this only after the deputies have acted."""
    due = [q.key for q in table.play.questions() if takes_no_time(table, q) and not awaits(table, q.faction)]
    return bool(due) and bool(table.play.expire(due))


def share(table: Table) -> Callable[[Question], float]:
    profile = tempo(table.tempo)

    def part(question: Question) -> float:
        return 0.0 if takes_no_time(table, question) else profile.hours(question.kind, _why(question))

    return part


def clock_in_round(table: Table, clock: GameClock, now: datetime) -> GameClock:
    """Return the clock to use during the round. While a call is open, sheet windows are due when the call is, and
    duties are not due before it. If a call has just opened, also set its deadline."""
    table.now = now
    called = call_of(table)
    if called is None:
        return clock
    closes = table.call_due = table.call_due or clock.call_due(called.hours, now)

    def with_call(question: Question, due: datetime) -> datetime:
        return closes if takes_no_time(table, question) else max(due, closes)

    return replace(clock, with_call=with_call)


def _why(question: Question) -> str:
    """Return the cause of a reaction window (its ``why``). For questions about revival, return "empty-tanks" if
    everybody can see that the tanks are empty."""
    if question.kind == "revival" and question.blanket:
        return "empty-tanks"
    return str(question.facts.get("why", ""))


def pass_decided_questions(table: Table) -> bool:
    """Apply the defaults of questions that leave nothing to decide, and of bids by players who were already silent when
    asked about the same card. Return True if any default was applied."""
    questions = table.play.questions()
    idle = all(question.settled for question in questions)  # an answer may still come while others are waited for
    due = [q.key for q in questions if q.waived or idle or _was_silent_on_card(table, q)]
    return bool(due) and bool(table.play.expire(due))


def _was_silent_on_card(table: Table, question: Question) -> bool:
    if question.kind != "bid" or not table.seats[question.faction].missed or hands_back(table, question):
        return False
    play, auction = table.play, table.play.game.moments.auction
    for entry, before in zip(reversed(play.log), reversed(play.before), strict=True):
        if auction is None or before.events < auction.up_at:
            return False
        match entry:
            case Expired(keys) if question.key in keys:
                return True
            case Submitted(question.faction):
                return False
    return False


def _play_for_absent_seats(table: Table) -> bool:
    return play_for_absent_seats(table, [q for q in table.play.questions() if not opponent_pauses(table, q)])


STAND_INS: tuple[Callable[[Table], bool], ...] = (
    answer_from_sheets,
    pass_sheet_windows,
    pass_decided_questions,
    _play_for_absent_seats,
)
"""The functions that may act for a person, in this order. Each returns True if it acted."""


def go_on(table: Table, now: datetime) -> None:
    """Let the game go on to the next question that only a person can answer. ``now`` is the instant of the mail or the
    deadline that caused this. A game on hold does not move."""
    table.now = now
    if table.on_hold:
        return
    table.play.advance()
    open_call(table)
    while not table.play.over and any(act(table) for act in STAND_INS):
        table.play.advance()
        open_call(table)


FIRST_HOUR = "07:00"
"""The time of the daily letter for players who have not named their waking hours."""
IN_TIME = timedelta(hours=3)
"""Questions that are due no later than this long after the next daily letter do not wait for it."""


def is_written_to(table: Table, faction: Faction, now: datetime, *, called: bool) -> bool:
    """Return True if a letter with a player's questions is sent at once. ``called`` is true if the letter is a call for
    sheets."""
    seat = table.seats[faction]
    if called and is_passed_over(table, faction):
        return False
    return seat.letters_mode != "daily" or _cannot_wait(table, seat, now)


def _holds_an_answer(table: Table, faction: Faction) -> bool:
    # The call asks about a Karama against a worm with the nexus that the worm causes, or else with the storm
    before = table.play.state.phase != "storm" or NEXUS_AT_THE_END(table.play.game.rules)
    if before and karama_cards(table.play.game, faction):
        return True
    own = [question for question in table.play.asked() if question.faction == faction]
    return any(order != question.default for question in own for order in question.samples())


def _cannot_wait(table: Table, seat: Seat, now: datetime) -> bool:
    dues = [table.due(q) for q in table.play.questions() if q.faction == seat.faction and not q.settled]
    if awaits(table, seat.faction):
        dues.append(table.call_due)
    return any(due <= next_digest(seat, now) + IN_TIME for due in dues if due)


def next_digest(seat: Seat, now: datetime) -> datetime:
    zone, wakes = zone_named(seat.timezone), (seat.waking or FIRST_HOUR).partition("-")[0]
    today = now.astimezone(zone).date()
    days = (instant_at(today + timedelta(days=number), time.fromisoformat(wakes), zone) for number in range(3))
    return next(moment for moment in days if moment > now)
