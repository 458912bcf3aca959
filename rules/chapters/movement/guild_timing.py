"""When the Guild takes its slot (AH.SHIELD.GUI.5, WBC.AID.37).

Where the rule set leaves the Guild free it may go before anybody's slot, or wait past its own place, and says so only
when it does; a Karama can hold it to its proper place until the player after it begins. It is asked before every slot
alike, so that asking says nothing.
"""

from __future__ import annotations

from collections.abc import Generator

from rules.chapters.movement import fares
from rules.decisions.asking import ask
from rules.decisions.closures import Asked
from rules.decisions.question import Question, Stop
from rules.decisions.windows import window
from rules.orders import GoNow, Order, Wait
from rules.state.game import Game
from rules.state.moments import SlotMoment

Decision = Generator[Stop, None, bool]


def free(game: Game) -> bool:
    """Whether the Guild chooses when it goes."""
    return game.rules.guild_timing == "free" and game.plays(fares.GUILD)


def goes_before(game: Game, slot: SlotMoment) -> Decision:
    """Whether the Guild goes before the slot of another that is next."""
    if fares.GUILD in slot.done or slot.guild_forced:
        return False
    if not (yield from _ask(game, slot, Wait())):
        return False
    if slot.guild_place == "ahead":
        game.tell("guild-goes-early")
        yield from window(game, "guild-early", lambda: not slot.guild_forced)
    return not slot.guild_forced


def goes_in_its_place(game: Game, slot: SlotMoment) -> Decision:
    """Whether the Guild goes at its own place in the order of play; held to it by a Karama, it is not asked."""
    if (yield from _ask(game, slot, GoNow())):
        slot.guild_place = "passed"
        return True
    slot.guild_place = "here"
    game.tell("guild-waits")
    yield from window(game, "guild-waits", lambda: not slot.guild_forced)
    slot.guild_place = "passed"
    return slot.guild_forced


def _ask(game: Game, slot: SlotMoment, silent: Order) -> Decision:
    def build() -> list[Question]:
        if slot.guild_forced:
            return []
        about = {"own_place": isinstance(silent, GoNow), "place": slot.guild_place}
        return [Asked(fares.GUILD, "guild-timing", silent, lambda order: None, lambda: [GoNow(), Wait()], about=about)]

    answers = yield from ask(build)
    return isinstance(answers.of(fares.GUILD) or silent, GoNow)
