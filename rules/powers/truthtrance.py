"""Truthtrance (AH.AID.TIMED.1, WBC.AID.3 to 14): one question, answered truthfully before anything else happens.

Question and answer are public. Four forms of question are about facts that the engine knows; there an untrue answer is
refused and silence answers with the truth (A-02). To any other question the answer is the target's own, and silence
means no.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache

from rules.components import CARDS, FACTION_FACTS, FACTIONS, LEADERS, Card, Faction, Leader, faction_name
from rules.game import Game
from rules.orders import Answer, Order, Truthtrance
from rules.questions import Flow, Question, ask_frozen
from rules.refusal import Refusal

TRUTHTRANCE = Card("Truthtrance")
LONGEST_QUESTION = 300

ABOUT_ITSELF = re.compile(r"\byour answer\b|\banswer\b.*\bthis\b|\bthis question\b", re.IGNORECASE)

YES, NO, UNKNOWN = Answer("yes"), Answer("no"), Answer("unknown")


def check(game: Game, faction: Faction, order: Truthtrance) -> Refusal | None:
    """Why this cannot be asked now, or None."""
    if not game.plays(order.faction):
        return Refusal(f"{faction_name(order.faction)} is not played in this game.", "AH.AID.TIMED.1-a")
    if order.faction == faction:
        return Refusal("A Truthtrance asks another player.", "AH.AID.TIMED.1-a")
    if not order.question.strip():
        return Refusal("Write the question after the colon; it is answered with yes or no.", "AH.AID.TIMED.1-b")
    if len(order.question) > LONGEST_QUESTION:
        why = f"Your question has {len(order.question)} letters; it can have {LONGEST_QUESTION}."
        return Refusal(why, "WBC.AID.13")
    if ABOUT_ITSELF.search(order.question):
        return Refusal("A question about its own answer cannot be asked; ask about the game.", "WBC.AID.14")
    if not game.holds(faction, TRUTHTRANCE):
        return Refusal("You hold no Truthtrance.", "AH.AID.TIMED.1-a")
    return None


def play(game: Game, faction: Faction, order: Truthtrance) -> Flow:
    """Discard the card, put the question, and publish the answer; nothing happens in between (WBC.AID.5)."""
    target, text = order.faction, " ".join(order.question.split())
    game.discard(faction, TRUTHTRANCE)
    game.tell("truthtrance-asked", faction=faction, target=target, question=text)
    answers = yield from ask_frozen(_question(game, faction, target, text))
    answer = answers.only()
    assert isinstance(answer, Answer)
    game.state.truths.append(f"{faction_name(target)} to {faction_name(faction)}: {text} {answer.word.capitalize()}.")
    game.tell("truthtrance-answered", faction=faction, target=target, question=text, answer=answer.word)


def _question(game: Game, asker: Faction, target: Faction, text: str) -> Question:
    """What the target is asked, with the answers that he may give."""
    fact = truth(game, target, text)
    allowed: list[Answer] = [YES, NO] if fact is None else [YES if fact else NO]
    if fact is None and game.rules.truthtrance_unknown_answer != "not_allowed":
        allowed.append(UNKNOWN)

    def check_answer(order: Order) -> Refusal | None:
        if order in allowed:
            return None
        if order == UNKNOWN:
            return Refusal("A Truthtrance is answered with yes or no.", "AH.AID.TIMED.1-b")
        return Refusal(f"That is not the truth; the answer is {allowed[0].word}.", "AH.AID.TIMED.1-b")

    return Question(
        target,
        "truthtrance-answer",
        default=NO if fact is None else allowed[0],
        check=check_answer,
        choices=lambda: allowed,
        about={"asker": asker, "question": text},
    )


# --- Questions about facts -----------------------------------------------------------------------------------


def truth(game: Game, target: Faction, question: str) -> bool | None:
    """The true answer where the question is about a fact that the engine knows; None for any other question.

    Known are "do you hold CARD?", "is LEADER your traitor?", "did you predict FACTION?", "is your spice at least N?".
    """
    words = " ".join(re.sub(r"[?!.\s]+$", "", question.casefold()).split())
    for pattern, answer in _FORMS:
        match = pattern.fullmatch(words)
        if match:
            return answer(game, target, match[1])
    return None


def _holds(game: Game, target: Faction, words: str) -> bool | None:
    card = _cards().get(words)
    return None if card is None else game.holds(target, card)


def _pays(game: Game, target: Faction, words: str) -> bool | None:
    leader = _leaders().get(words)
    return None if leader is None else leader in game.player(target).traitors


def _predicted(game: Game, target: Faction, words: str) -> bool | None:
    faction = _factions().get(words)
    if faction is None:
        return None
    prediction = game.state.prediction
    return target == "bene-gesserit" and prediction is not None and prediction.faction == faction


def _has_spice(game: Game, target: Faction, words: str) -> bool | None:
    return game.player(target).spice >= int(words)


_FORMS: Sequence[tuple[re.Pattern[str], Callable[[Game, Faction, str], bool | None]]] = (
    (re.compile(r"do you hold (?:an? |the )?(.+?)(?: card)?"), _holds),
    (re.compile(r"is (.+) your traitor"), _pays),
    (re.compile(r"did you predict (?:the )?(.+)"), _predicted),
    (re.compile(r"is your spice at least ([0-9]{1,4})"), _has_spice),
)


def _spellings(*names: str) -> Iterator[str]:
    for name in names:
        yield " ".join(name.casefold().split())


@cache
def _cards() -> dict[str, Card]:
    return {words: card for card, facts in CARDS.items() for words in _spellings(card, *facts.aliases)}


@cache
def _leaders() -> dict[str, Leader]:
    return {words: leader for leader, facts in LEADERS.items() for words in _spellings(leader, *facts.aliases)}


@cache
def _factions() -> dict[str, Faction]:
    return {
        words: faction
        for faction in FACTIONS
        for words in _spellings(faction, FACTION_FACTS[faction].name, *FACTION_FACTS[faction].aliases)
    }
