"""Coverage: the situations of this turn in which a player who has filed a sheet would still be asked.

It depends only on current facts: the decisions that this faction may still face this turn, and those that its sheet
settles, always or under a condition. It cannot predict whether a line will be legal when it is used.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from bot.language.conditions import write_condition
from bot.language.sheets import SILENT_ORDERS, FiledLine, Sheet, may_come
from bot.render.questions import duty
from bot.table.plans import faulty_plan
from bot.wording import say
from rules.components import Faction
from rules.decisions.early_orders import may_be_asked
from rules.engine.play import Play
from rules.engine.turn import phases, questions_of
from rules.orders import ANSWERS, Order, PassAll, QuestionKind

_NOT_COUNTED: tuple[QuestionKind, ...] = (
    "prediction", "traitor", "fremen-placement", "bg-placement", "storm-dial", "prescience-answer", "losses",
    "discards", "card-return", "offer", "truthtrance-answer", "ally-support", "karama-window", "starting-card",
    "hms-placement", "redraw", "exchange",
)  # fmt: skip
"""Decisions that come only once in a game, follow from another decision, concern few players, or delay nobody. They are
mentioned only while they are open."""

_ON_THE_BOARD: tuple[QuestionKind, ...] = (
    "worm-ride",
    "battle-order",
    "battle-plan",
    "capture",
    "bg-status",
    "traitor-call",
)
"""Decisions that mostly concern players who have tokens on the board or can still ship some."""


MOST_NAMED = 6
"""The maximum number of conditions named for one decision. A sheet may contain two hundred."""


def coverage(play: Play, faction: Faction, sheet: Sheet, from_sheets: Collection[str] = ()) -> str:
    """Return a paragraph that says what a sheet settles for the rest of the turn, and what its player would still be
    asked. ``from_sheets`` are the kinds of question that are put only to players who say ``ask me``
    (``bot.table.clock``).

    >>> coverage(play, "guild", sheet)  # doctest: +SKIP
    'For the rest of turn 4 your sheet settles charity. You would still be asked for a bid, unless card 2; for ...'
    """
    believed = Sheet([filed for filed in sheet.lines if not faulty_plan(play, faction, filed.line)])
    settled, asked, silent = list[str](), list[str](), list[str]()
    for kind in _coming(play, faction):
        left = "" if _ordered(play, faction, kind) else still_asked(kind, believed)
        if not left:
            settled.append(duty(kind))
        elif kind in from_sheets and not any(map(_always_hands_back, _about(kind, sheet))):
            silent.append(duty(kind))
        else:
            asked.append(left)
    settled, asked, silent = _once(settled), _once(asked), _once(silent)
    sentences = [say("coverage.settled", turn=play.state.turn, settled=settled)] if settled else []
    sentences.append(say("coverage.asked", asked=asked) if asked else say("coverage.nothing-asked"))
    if silent:
        sentences.append(say("coverage.silent", silent=silent))
    if settled:
        sentences.append(say("coverage.illegal"))
    return " ".join(sentences)


def still_asked(kind: QuestionKind, sheet: Sheet) -> str:
    """Return the cases in which a player would still be asked this kind of question: "a bid, unless price < 5". Return
    "" if the sheet settles all of them."""
    settles: list[str] = []
    leaves: list[str] = []
    for filed in _about(kind, sheet):
        condition = filed.line.condition
        hands_back = _hands_back(filed)
        if condition is None:
            if not hands_back:
                return say("coverage.if", duty=duty(kind), conditions=_some(leaves)) if leaves else ""
            break
        (leaves if hands_back else settles).append(write_condition(condition))
    return say("coverage.unless", duty=duty(kind), conditions=_some(settles)) if settles else duty(kind)


def _some(conditions: list[str]) -> list[str]:
    if len(conditions) <= MOST_NAMED:
        return conditions
    return [*conditions[: MOST_NAMED - 1], say("coverage.others", number=len(conditions) - MOST_NAMED + 1)]


def _about(kind: QuestionKind, sheet: Sheet) -> Iterator[FiledLine]:
    for filed in sheet.active():
        order = filed.line.order
        if not isinstance(order, Order) or kind in ANSWERS.get(type(order), ()):
            yield filed


def _hands_back(filed: FiledLine) -> bool:
    return not isinstance(filed.line.order, Order)


def _once(words: list[str]) -> list[str]:
    return list(dict.fromkeys(words))


def _always_hands_back(filed: FiledLine) -> bool:
    return _hands_back(filed) and filed.line.condition is None


def _ordered(play: Play, faction: Faction, kind: QuestionKind) -> bool:
    held = play.game.held.get(faction, ())
    return any(
        isinstance(order, PassAll) or kind in SILENT_ORDERS for order in held if kind in ANSWERS.get(type(order), ())
    )


def _coming(play: Play, faction: Faction) -> list[QuestionKind]:
    rules = play.game.rules
    order = phases(rules)
    asked = [question for question in play.questions() if question.faction == faction]
    gaps = ("karama-window", "revival")  # only reaction cards to decide on
    coming = [question.kind for question in asked if not (question.blanket and question.kind in gaps)]
    may_ship = order.index(play.state.phase) <= order.index("movement")
    on_board = may_ship or any(True for _ in play.state.areas_of(faction))
    for phase in order[order.index(play.state.phase) :]:
        for kind in questions_of(rules)[phase]:
            if kind in _NOT_COUNTED or not may_be_asked(play.game, faction, kind):
                continue
            if kind in _ON_THE_BOARD and not on_board:
                continue
            if kind == "revival" and not play.state.players[faction].tanks:
                continue
            if phase == play.state.phase and not may_come(play, faction, kind):
                continue
            coming.append(kind)
    return list(dict.fromkeys(coming))
