"""Truthtrance (AH.AID.TIMED.1, WBC.AID.3 to 14): one question, answered truthfully before anything else happens.

Question and answer are public. Some questions are about facts that the engine knows (``facts``); there an untrue
answer is refused and silence answers with the truth. An answer about the future (``future``) becomes a promise, and
``rules.promises`` holds the one who gave it to it; silence is a no to an act that can be checked, which makes it
true. To any other question the answer is the target's own: silence is told as "no answer" and binds nothing, as a yes
or no of the moderator's might be untrue (A-02).
"""

from __future__ import annotations

import re
from typing import Any

from rules.cards.truthtrance import future
from rules.cards.truthtrance.facts import truth
from rules.components import Card, Faction, faction_name
from rules.decisions.asking import ask_frozen
from rules.decisions.closures import Asked
from rules.decisions.question import Flow, Question
from rules.orders import Answer, Order, Truthtrance
from rules.rulesets.options import Option
from rules.rulesets.refusal import Refusal
from rules.state.game import Game
from rules.state.promises import Promise

__all__ = ["TRUTHTRANCE", "announced", "answered", "check", "play", "truth"]

UNKNOWN_ALLOWED = Option("truthtrance_unknown_answer", {"not_allowed": False, "allowed_card_kept": True})
OPTIONS = (UNKNOWN_ALLOWED,)
TRUTHTRANCE = Card("Truthtrance")
LONGEST_QUESTION = 300

ABOUT_ITSELF = re.compile(
    r"\byour answer\b|\banswer\b.*\bthis\b|\bthis (?:question|truthtrance)\b"
    r"|\b(?:answer|reply|say) (?:with )?\W*(?:yes|no)\W*(?:$| to (?:this|my|me)\b)"
    r"|\b(?:are you|will you be|do you|will you) (?:lying|lie)\b",
    re.IGNORECASE,
)

YES, NO, UNKNOWN, NO_ANSWER = Answer("yes"), Answer("no"), Answer("unknown"), Answer("no answer")


def check(game: Game, faction: Faction, order: Truthtrance) -> Refusal | None:
    """Why this cannot be asked now, or None."""
    if not game.plays(order.faction):
        return Refusal(f"{faction_name(order.faction)} is not played in this game.", "AH.AID.TIMED.1-a")
    if refusal := never_legal(game, faction, order):
        return refusal
    if not re.search(r"\w", order.question):
        return Refusal("Write the question after the colon; it is answered with yes or no.", "AH.AID.TIMED.1-b")
    if len(order.question) > LONGEST_QUESTION:
        why = f"Your question has {len(order.question)} letters; it can have {LONGEST_QUESTION}."
        return Refusal(why, "WBC.AID.13")
    if ABOUT_ITSELF.search(order.question):
        return Refusal("A question about its own answer cannot be asked; ask about the game.", "WBC.AID.14")
    if not game.holds(faction, TRUTHTRANCE):
        return Refusal("You hold no Truthtrance.", "AH.AID.TIMED.1-a")
    return None


def never_legal(game: Game, faction: Faction, order: Truthtrance) -> Refusal | None:
    """Why this can be asked in no position, or None."""
    if order.faction == faction:
        return Refusal("A Truthtrance asks another player.", "AH.AID.TIMED.1-a")
    return None


def play(game: Game, faction: Faction, order: Truthtrance) -> Flow:
    """Discard the card, put the question, and publish the answer; nothing happens in between (WBC.AID.5). What a yes
    means to a question with a *not* is declared with it."""
    target, text = order.faction, " ".join(order.question.split())
    reading = future.read(game, faction, target, text)
    declared: dict[str, Any] = {"negative": True} if reading.negative else {}
    game.discard(faction, TRUTHTRANCE)
    game.tell("truthtrance-asked", faction=faction, target=target, question=text, **declared)
    answers = yield from ask_frozen(_question(game, faction, target, text, reading))
    answer = answers.only()
    assert isinstance(answer, Answer)
    game.state.truths.append(announced(target, faction, text, answer.word, reading.negative))
    game.tell("truthtrance-answered", faction=faction, target=target, question=text, answer=answer.word, **declared)
    if truth(game, faction, target, text) is None:
        _promise(game, faction, target, text, answer, reading)


def announced(target: Faction, asker: Faction, question: str, word: str, negative: bool = False) -> str:
    """An answer as it stands in the public record."""
    return f"{faction_name(target)} to {faction_name(asker)}: {question} {answered(word, negative)}."


def answered(word: str, negative: bool) -> str:
    """The answer; to a question with a *not* with what it means: ``answered("yes", True) == "Yes, will not"``."""
    meant = {"yes": ", will not", "no": ", will"}.get(word, "") if negative else ""
    return f"{word.capitalize()}{meant}"


def _promise(game: Game, asker: Faction, target: Faction, text: str, answer: Answer, reading: future.Reading) -> None:
    """An answer about the future binds from now on; one that cannot be checked is remembered."""
    if answer.word not in ("yes", "no") or (reading.act is None and not future.is_about_the_future(text)):
        return
    state = game.state
    if (answer.word == "yes") != reading.negative and reading.scope.opponent:
        reading.scope.in_battle = True  # what has to be done against somebody can be demanded in a battle only
    state.promises.append(
        Promise(
            target,
            asker,
            text,
            answer.word,
            made=state.events - 1,
            scope=reading.scope,
            act=reading.act,
            remind_at=[] if reading.act else future.remind_at(text),
            negative=reading.negative,
            condition=reading.condition,
            read_to=state.events,
        )
    )


def _question(game: Game, asker: Faction, target: Faction, text: str, reading: future.Reading) -> Question:
    """What the target is asked, with the answers that he may give."""
    fact = truth(game, asker, target, text)
    silent = NO if reading.act is not None else NO_ANSWER
    allowed: list[Answer] = [YES, NO] if fact is None else [YES if fact else NO]
    if fact is None and UNKNOWN_ALLOWED(game.rules):
        allowed.append(UNKNOWN)

    def check_answer(order: Order) -> Refusal | None:
        if order in allowed or (fact is None and order == silent):
            return None
        if order == UNKNOWN:
            return Refusal("A Truthtrance is answered with yes or no.", "AH.AID.TIMED.1-b")
        return Refusal(f"That is not the truth; the answer is {allowed[0].word}.", "AH.AID.TIMED.1-b")

    return Asked(
        target,
        "truthtrance-answer",
        default=silent if fact is None else allowed[0],
        check=check_answer,
        choices=lambda: allowed,
        about={"asker": asker, "question": text, "binds": reading.act is not None, "negative": reading.negative},
    )
