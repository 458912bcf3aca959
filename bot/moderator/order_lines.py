"""Order lines from a known player, which are read, carried out in the order in which they were written, and answered
one by one.

Consecutive orders are passed to the rules together, so that related orders are judged together. A ``cancel`` takes
effect in its place among the lines. Lines that only ask about the mail are answered last, from the position at that
point.

While a game is on hold, its lines are kept until it is released, unless their player withdraws them. A ``cancel``
withdraws kept lines of the same seat, both from earlier mails and from above it in its own mail. If it refers to orders
that the game holds, or to the sheet, it waits like any other line.

A deal cannot involve another table: Mentat refuses a deal that names a game at another table. A player who helps
somebody at one table in return for help at another spoils both games, and the house rules of every event forbid it.
Mentat can detect this only from the words of a deal. So it also notifies the game master, without quoting those words,
and the game master decides what to do.

Other players read the free text of an order, a deal or a Truthtrance question just as they read press. A muted player
therefore cannot offer deals, and if the players' names are hidden, this text must not reveal them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from functools import partial
from typing import Literal
from zoneinfo import ZoneInfo

from msgspec import structs

from bot.effort import understood
from bot.language.commands import Cancel, MailCommand
from bot.language.conditions import Comparison
from bot.language.facts import Measure, number_of
from bot.language.lines import Context
from bot.language.mail_lines import ReadLine, read_any, read_lines
from bot.language.names import FACTION_NAMES, Found, fold_words
from bot.language.orders import Unread, write
from bot.language.proposals import NOTHING, Memory
from bot.language.sheets import SheetLine
from bot.language.vocabulary import vocabulary
from bot.press import tells_who
from bot.render.material import CommandAnswer, LineVerdict
from bot.store import games
from bot.store.database import Connection
from bot.store.games import HeldLines
from bot.table import rounds
from bot.table.clock import tempo
from bot.table.coverage import coverage
from bot.table.lines import file_line, keep_plan, plan_read, reading_context
from bot.table.plans import is_too_late
from bot.table.press import known_players, names_hidden, person
from bot.table.table import Table
from bot.wording import clock_of, moment, say
from rules.components import Faction
from rules.decisions.question import Question
from rules.engine.log import Outcome
from rules.orders import ANSWERS, Deal, Order, PassAll, Plan, Truthtrance
from rules.rulesets.rulebook import rule_of

MOST_WITH_WORDS = 12
"""The maximum number of commands, messages, deals and questions carried out from one mail. Each triggers letters."""

_CARD = number_of("card {test}")
_ADDRESSED = re.compile(r"\s*(?:for\s+)?(?P<who>[^\W\d][\w' -]{1,20}?)\s*:\s*(?P<line>.+)", re.IGNORECASE)


Sift = Callable[[Sequence[ReadLine]], list[ReadLine]]


@dataclass(frozen=True, slots=True)
class LateAnswers:
    """The facts needed to explain that an answer is too late. ``zone`` is the player's time zone. ``due`` returns the
    kinds of question to which the default was recently applied, and when each was due. ``old_letter`` is true if the
    mail answers a letter from an earlier turn, so that none of its lines is meant for later."""

    due: Callable[[], Mapping[str, datetime]]
    zone: ZoneInfo
    now: datetime | None = None
    old_letter: bool = False


@dataclass(frozen=True, slots=True)
class PlayedLines:
    """The lines of one mail after its orders were carried out. ``commands`` are the lines that still need an answer,
    ``cancels`` give the text that each ``cancel`` withdraws ("" for everything), and ``dropped`` are the lines that the
    mail itself withdrew. All three refer to lines by their place in ``lines``."""

    lines: list[LineVerdict]
    commands: Mapping[int, MailCommand]
    cancels: Mapping[int, str] = field(default_factory=dict[int, str])
    dropped: frozenset[int] = frozenset()


def is_order(played: PlayedLines, place: int) -> bool:
    return (
        place not in played.commands
        and place not in played.dropped
        and played.lines[place].status not in ("talk", "unread")
    )


def play_lines(
    table: Table,
    faction: Faction,
    texts: Sequence[str],
    late: LateAnswers,
    today: date,
    *,
    takes: bool = True,
    why_not: Callable[[object], str] = lambda order: "",
    memory: Memory = NOTHING,
    sift: Sift = list,
) -> PlayedLines:
    """Read the lines and carry out their orders. The game does not go beyond the present phase; call ``advance``
    afterwards.

    With ``takes``, orders in plain words are accepted if their meaning is certain. ``memory`` describes the seat's
    earlier mails. ``why_not`` returns why an order must not even be passed to the rules, or "". ``sift`` picks, from
    the lines that have been read, those that may be accepted.
    """
    own, foreign = _own_lines(texts, faction)
    later = partial(rounds.later_in_round, table)
    context = reading_context(table.play, faction, today, takes=takes, later=later)
    context = replace(context, zone=late.zone.key, players=known_players(table))
    position = (table.revision, takes, today, late.zone.key, memory.waiting, memory.done)
    read = sift(understood((table.id, faction, *own), position, lambda: read_lines(own, context, memory)))
    answered: dict[int, LineVerdict] = {}
    commands: dict[int, MailCommand] = {}
    cancels: dict[int, str] = {}
    together: dict[int, ReadLine] = {}
    words = 0
    for place, line in enumerate(read):
        if line.dropped:
            answered[place] = LineVerdict(line.text, "done", canonical=line.text, reason=line.told)
            continue
        order = line.result.order if isinstance(line.result, SheetLine) else line.result
        words += isinstance(order, Deal | Truthtrance | MailCommand) and not isinstance(order, Cancel)
        if words > MOST_WITH_WORDS:
            answered[place] = LineVerdict(line.text, "refused", reason=say("order.too-many", most=MOST_WITH_WORDS))
            continue
        if reason := why_not(order):
            answered[place] = LineVerdict(line.text, "refused", canonical=line.text, reason=reason)
            continue
        match line.result:
            case Order():
                together[place] = line
            case Cancel(text):
                from bot.moderator.commands import cancel_lines  # `mentat order check` does not need the letters

                answered |= _submit(table, faction, together, late)
                together = {}
                cancels[place] = text
                done = cancel_lines(table, faction, text, today)
                dropped = [above.dropped for above in read[:place] if above.dropped]
                if dropped and done.status == "refused":
                    done = CommandAnswer("done", say("cancel.taken-back", orders=dropped))
                answered[place] = LineVerdict(line.text, done.status, canonical=line.text, reason=done.text)
            case SheetLine(order=Plan() as plan) as filed if is_too_late(table.play, faction, filed):
                answered[place] = LineVerdict(line.text, "refused", write(plan), _battle_over(table, plan))
            case SheetLine() as filed:
                answered[place] = _file(table, faction, line.text, filed)
            case MailCommand() as command:
                commands[place] = command
                answered[place] = LineVerdict(line.text, "done", canonical=line.text)
            case Unread(reason, suggestions, chatter, one_mail):
                talk = chatter and not _has_number(line.text)  # most orders contain a number
                status: Literal["talk", "unread"] = "talk" if talk else "unread"
                answered[place] = LineVerdict(
                    line.text, status, reason=reason, suggestions=tuple(suggestions), together=one_mail
                )
    answered |= _submit(table, faction, together, late)
    for place, line in enumerate(read):
        if line.told and not line.dropped:
            answered[place] = structs.replace(
                answered[place], reason=" ".join(filter(None, (line.told, answered[place].reason)))
            )
    dropped_places = frozenset(place for place, line in enumerate(read) if line.dropped)
    lines = [*(answered[place] for place in range(len(read))), *foreign]
    return PlayedLines(lines, commands, cancels, dropped_places)


def _has_number(text: str) -> bool:
    words = fold_words(text)
    return any(word[0].isdigit() or (word != "one" and word in vocabulary().numbers) for word in words)


def situations_left_open(table: Table, faction: Faction, lines: Sequence[LineVerdict]) -> list[str]:
    sheet = table.sheets.get(faction)
    if sheet is None or table.play.over or not any(line.kept for line in lines):
        return []
    return [coverage(table.play, faction, sheet, tempo(table.tempo).sheet)]


def refuse_all_lines(texts: Sequence[str], why: str) -> list[LineVerdict]:
    return [LineVerdict(line, "refused", reason=why) for line in texts if line]


def order_read(text: str, outcome: Outcome, asked: Sequence[Question], late: LateAnswers) -> LineVerdict:
    """Put the outcome of an order into words. ``asked`` are the questions to the player that were open. If the order
    answers none of these but one that was settled by default, the words say that it came too late."""
    canonical, refusal = write(outcome.order), outcome.refusal
    if refusal is None:
        status: Literal["accepted", "held"] = "held" if outcome.status == "held" else "accepted"
        warned = outcome.warnings[0].clause if outcome.warnings else ""
        reason = " ".join(warning.reason for warning in outcome.warnings)
        return LineVerdict(text, status, canonical=canonical, reason=reason, clause=warned, rule=rule_of(warned))
    reason = refusal.reason
    if not any(question.fits(outcome.order) for question in asked):
        kinds = ANSWERS.get(type(outcome.order), ())
        known = late.due()
        missed = max((known[kind] for kind in kinds if kind in known), default=None)
        if missed:
            due, zone = moment(missed, late.zone), clock_of(late.zone)
            # the game master applied the default before the deadline
            early = late.now is not None and late.now < missed
            reason = say(f"order.{'defaulted' if early else 'late'}", due=due, zone=zone, reason=reason)
    rule = rule_of(refusal.clause)
    return LineVerdict(text, "refused", canonical=canonical, reason=reason, clause=refusal.clause, rule=rule)


def _submit(table: Table, faction: Faction, lines: Mapping[int, ReadLine], late: LateAnswers) -> dict[int, LineVerdict]:
    if not lines:
        return {}
    play = table.play
    orders = {place: line.result for place, line in lines.items() if isinstance(line.result, Order)}
    kept: dict[int, LineVerdict] = {}
    for place, order in list(orders.items()):
        if why := _not_for_later(table, faction, order, late):
            orders.pop(place)
            kept[place] = LineVerdict(lines[place].text, "refused", write(order), why)
        elif rounds.later_in_round(table, order):
            kept[place] = _file(table, faction, lines[place].text, SheetLine(orders.pop(place)))
        elif isinstance(order, Plan):
            if plan_kept := keep_plan(table, faction, lines[place].text, order):
                orders.pop(place)
                kept[place] = plan_kept
                rounds.note_call_answered(table, faction)
        elif behind := _behind_conditions(table, faction, order):
            orders.pop(place)
            kept[place] = _file(table, faction, lines[place].text, behind)
    asked = [question for question in play.asked() if question.faction == faction]
    battle = play.game.moments.battle
    outcomes = play.submit(faction, list(orders.values()))
    taken = {
        place: order_read(lines[place].text, outcome, asked, late)
        for place, outcome in zip(orders, outcomes, strict=True)
    }
    plans = {place: order for place, order in orders.items() if isinstance(order, Plan)}
    taken |= {place: plan_read(table, faction, taken[place], plan, battle) for place, plan in plans.items()}
    if any(outcome.status != "refused" and rounds.answers_call(table, outcome.order) for outcome in outcomes):
        rounds.note_call_answered(table, faction)
    return kept | taken


def _not_for_later(table: Table, faction: Faction, order: Order, late: LateAnswers) -> str:
    if is_too_late(table.play, faction, SheetLine(order)):
        return _battle_over(table, order)
    held = table.play.check(faction, order).status == "held" or rounds.later_in_round(table, order)
    return say("order.old-letter", order=write(order)) if held and late.old_letter else ""


def _battle_over(table: Table, order: Order) -> str:
    return say("order.battle-over", turn=table.play.state.turn + 1, order=write(order))


def _behind_conditions(table: Table, faction: Faction, order: Order) -> SheetLine | None:
    """Return the sheet line for an order that is for later in this phase, if the sheet already has lines with
    conditions for the same decision.

    The new line is put after those lines, so it counts if none of their conditions holds. A bid is only for the current
    card, a ``pass all`` for the current and all remaining cards. Return None if the order need not go on the sheet.
    """
    kinds, status = ANSWERS.get(type(order), ()), table.play.check(faction, order).status
    sheet = table.sheets.get(faction)
    if sheet is None or not kinds or not (status == "held" or (status == "accepted" and isinstance(order, PassAll))):
        return None
    beside = [
        filed.line.condition
        for filed in sheet.active()
        if not isinstance(filed.line.order, Order) or not set(kinds).isdisjoint(ANSWERS.get(type(filed.line.order), ()))
    ]
    if not beside or None in beside:
        return None
    if isinstance(order, PassAll):
        return SheetLine(order)
    card = table.play.game.moments.auction
    if "bid" in kinds and card:
        return SheetLine(order, Comparison(_CARD, (), Measure("=", card.number)))
    return SheetLine(order, times=1)


def _file(table: Table, faction: Faction, text: str, line: SheetLine) -> LineVerdict:
    read = file_line(table, faction, text, line)
    if read.status == "held" and (not isinstance(line.order, Order) or rounds.answers_call(table, line.order)):
        rounds.note_call_answered(table, faction)
    return read


def _own_lines(texts: Sequence[str], faction: Faction) -> tuple[list[str], list[LineVerdict]]:
    own: list[str] = []
    foreign: list[LineVerdict] = []
    for text in texts:
        addressed = _ADDRESSED.fullmatch(text)
        named = FACTION_NAMES.find(addressed["who"]) if addressed else None
        if addressed is None or not isinstance(named, Found):
            own.append(text)
        elif named.value == faction:
            own.append(addressed["line"])
        else:
            reason = say("order.of-another", faction=faction, other=named.value)
            foreign.append(LineVerdict(text, "refused", reason=reason))
    return own, foreign


def keep_until_release(
    conn: Connection,
    table: Table,
    faction: Faction,
    played: PlayedLines,
    context: Context,
    number: int | None,
    now: datetime,
) -> PlayedLines:
    """Keep the orders of a mail, after they have been tried on a copy of the game, until the game is released. Return
    the lines with their answers. ``number`` is the number of the mail."""
    kept: list[str] = []
    answered: list[LineVerdict] = []
    for place, line in enumerate(played.lines):
        if place in played.cancels:
            asked = played.cancels[place]
            waiting = games.held_lines_of(conn, table.id, faction)
            gone = _lines_meant([*waiting, *kept], asked, context)
            games.withdraw_held_lines(conn, table.id, faction, gone)
            kept = [text for text in kept if text not in gone]
            if line.status == "done":
                kept.append(line.text)
            answered.append(_withdrawn_line(line, gone) if gone else line)
        elif is_order(played, place):
            kept.append(line.canonical or line.text)
            answered.append(_waiting_line(line))
        else:
            answered.append(line)
    if kept:
        games.hold_lines(conn, table.id, HeldLines(faction, tuple(kept), number), now)
    return PlayedLines(answered, played.commands)


def _lines_meant(waiting: Sequence[str], asked: str, context: Context) -> list[str]:
    if not asked:
        return list(dict.fromkeys(waiting))
    wanted = read_any(asked, context)

    def is_meant(text: str) -> bool:
        same_words = text.casefold().split() == asked.casefold().split()
        return same_words or (not isinstance(wanted, Unread) and read_any(text, context) == wanted)

    return [text for text in dict.fromkeys(waiting) if is_meant(text)]


def _withdrawn_line(line: LineVerdict, gone: Sequence[str]) -> LineVerdict:
    told = [line.reason] if line.status == "done" else []
    return structs.replace(line, status="done", reason=" ".join([*told, say("cancel.taken-back", orders=gone)]))


def _waiting_line(line: LineVerdict) -> LineVerdict:
    if line.status not in ("accepted", "held"):
        return line
    return structs.replace(line, status="held", reason=" ".join((line.reason, say("desk.on-hold"))).strip())


class OtherTables:
    def __init__(self, conn: Connection, game_id: str) -> None:
        self._conn, self._own = conn, game_id
        self.found: list[str] = []

    def why_not(self, order: object) -> str:
        if not isinstance(order, Deal):
            return ""
        running = (game for game in games.not_over(self._conn) if game != self._own)
        other = game_named_in(order.text, running)
        if not other:
            return ""
        self.found.append(other)
        return say("across.refused", other=other)

    def told(self, faction: Faction) -> str:
        return say("across.told", faction=faction, game=self._own, others=self.found) if self.found else ""


def game_named_in(text: str, games_played: Iterable[str]) -> str:
    """Return the first of these games whose id occurs in a text as a whole word.

    An id that is also an ordinary word counts only if “game” or “table” comes before it.

    >>> game_named_in("I lose in Sietch-12 if you win here", ["sietch-12"]), game_named_in("peace", ["peace"])
    ('sietch-12', '')
    """
    for game in games_played:
        before = r"(?<![\w-])" if re.search(r"[\W\d_]", game) else r"\b(?:game|table)\s+"
        if re.search(rf"{before}{re.escape(game)}(?![\w-])", text, re.IGNORECASE):
            return game
    return ""


def why_words_refused(conn: Connection, table: Table, faction: Faction, order: object) -> str:
    if isinstance(order, Deal) and not table.play.over:
        from bot.store.press import is_muted  # other orders do not need it, and `order check` starts faster without it

        if is_muted(conn, table.id, faction):
            return say("press-not.muted-deal")
    words = order.text if isinstance(order, Deal) else order.question if isinstance(order, Truthtrance) else ""
    if words and names_hidden(table) and tells_who(words, person(table, faction)):
        return say("press-not.identity")
    return ""
