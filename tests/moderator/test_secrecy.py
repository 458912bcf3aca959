"""A player's secret actions change nothing in anybody else's mail (timing model sections 0.3 and 10).

Two copies of a Mentat run side by side. In one of them, a player does something private; then time passes in both.
All other players must get the same letters at the same times, identical to the byte, including the header fields.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

import msgspec
import pytest
from sqlalchemy import select, update

from bot.language.orders import write
from bot.store.database import reading, unpack, writing
from bot.store.tables import SNAPSHOT
from rules.components import FACTIONS, Card, Faction
from rules.components.chance import Chance
from rules.orders import Key
from rules.random_players import RandomPlayer
from rules.state.events import Viewer
from rules.state.state import State
from tests.moderator.table import World
from tests.moderator.twins import Twins, advance, change_unseen
from tests.properties.secrecy import secrets
from tests.secrecy.silent_games import both_say
from tests.size import size


@dataclass(frozen=True, slots=True)
class Action:
    """A player's private mails. ``parties`` may notice them; if ``lasting``, nobody else may notice even later."""

    name: str
    by: Faction
    lines: tuple[str, ...]
    parties: tuple[str, ...]
    lasting: bool = True
    sender: str = ""
    fields: Mapping[str, str] = field(default_factory=dict)


PLAIN_WORDS = [
    ("5 guys to the sietch please", "I might bid 5"),
    ("everyone from Carthag to Arrakeen", "revive all my troops"),
    ("dial 2 with my best leader", "my karama on the voice, please"),
    ("weather control, four sectors", "should I pass?"),
]
"""Lines that lead to proposals at most, each sent together with a request for help."""
MODES: Mapping[Faction, str] = {"emperor": "wanted", "guild": "daily", "bene-gesserit": "wanted", "harkonnen": "daily"}


def want_fewer_letters(world: World) -> None:
    """Set some seats to modes with fewer letters."""
    for faction, mode in MODES.items():
        assert world.say(faction, f"letters {mode}").taken == 1


# --- What is one's own business -----------------------------------------------------------------------------------


def actions(world: World, chance: Chance) -> Iterator[Action]:
    """Yield private actions possible at this moment."""
    play = world.table().play
    factions = list(play.state.players)
    by = chance.pick("by", factions)
    partner = chance.pick("partner", [faction for faction in factions if faction != by])
    own = ("status", "map", "history", "orders", "help", "rules lasgun")
    yield Action("asks about the game", by, (chance.pick("command", own),), (by,))
    yield Action("writes nonsense", by, ("the sleeper must awaken", "ship 40 to carthage"), (by,))
    yield Action("talks", by, (f"press to {partner}: shall we?",), (by, partner))
    yield Action("takes back", by, ("cancel",), (by,), lasting=False)  # the held lines would have been played
    yield Action("asks for more time than they have", by, ("extend 100",), (by,))
    yield Action("sets their clock", by, ("timezone America/New_York", "waking 8:00 to 20:00", "no absence"), (by,))
    yield Action(
        "wants fewer letters", by, (f"letters {chance.pick('mode', ['wanted', 'daily'])}",), (by,), lasting=False
    )
    yield Action("speaks plainly", by, chance.pick("words", PLAIN_WORDS), (by,))
    yield Action("writes to the game master", by, ("press to gm: is the Karama mine to play?",), (by,))
    yield Action("gives up", by, ("resign",), (by,))
    yield Action("is imitated", by, ("pass",), (by,), sender="stranger@elsewhere.example")
    yield Action("is on holiday", by, ("I am away",), (), fields={"Auto-Submitted": "auto-replied"})
    yield Action("writes too much", by, ("help",) * 500, (by,))
    yield Action("speaks for another", by, (f"{partner}: pass",), (by,))
    for secret in secrets(play, chance):
        yield Action(secret.name, secret.by, (write(secret.order),), secret.parties, secret.shows == "never")


def play_and_pry(world: World, folder: Path, chance: Chance, pairs: int, moves: int = 3) -> list[str]:
    """Play a random game by mail, now and then acting in only one of two copies; return the leaks found."""
    player, leaks = RandomPlayer("pen"), []
    for number in range(pairs):
        advance(world, player, 1 + chance.draw("moves", moves))
        if world.table().play.over:
            break
        action = chance.pick("deed", list(actions(world, chance)))
        twins = Twins(world, folder, f"pair{number}")
        leaks += [f"{action}: {leak}" for leak in _pry(twins, action, chance)]
        twins.close()
    return leaks


def _pry(twins: Twins, action: Action, chance: Chance) -> list[str]:
    hours = chance.draw("hours", 20)
    onlookers: list[Viewer] = [f for f in FACTIONS if f not in action.parties and f in twins.one.table().seats]
    onlookers.append("public")
    asked = _asked_openly(twins.one, action.by)
    for world in (twins.one, twins.other):
        world.wait(hours)
    if _asked_openly(twins.one, action.by) != asked:
        return []  # a line refused before may be an answer now, and that is public
    mail = twins.other.mail(action.by, *action.lines, sender=action.sender, **action.fields)
    for _ in range(2):  # also when it is delivered twice
        twins.other.moderator.deliver(mail, twins.other.now)
    leaks = list(twins.differences(onlookers))
    for _ in range(3 if action.lasting else 0):
        if leaks:
            break
        for world in (twins.one, twins.other):
            world.wait(12)
        if any(world.table().stopped_at for world in (twins.one, twins.other)):
            break  # all are silent in one copy; then it is no secret that somebody has written
        leaks += twins.differences(onlookers)
    return leaks


def _asked_openly(world: World, faction: Faction) -> set[Key]:
    """Return the keys of a player's public questions."""
    return {q.key for q in world.table().play.questions() if q.faction == faction and q.public and not q.blanket}


# --- What is hidden -------------------------------------------------------------------------------------------------


def spy(world: World, folder: Path, chance: Chance, pairs: int, moves: int = 4) -> tuple[Counter[str], list[str]]:
    """Play a random game by mail, now and then changing hidden things in a copy. Return the changes, and whatever the
    viewer noticed before the end of the phase."""
    player, leaks, changes = RandomPlayer("spy"), [], Counter[str]()
    for number in range(pairs):
        advance(world, player, 1 + chance.draw("moves", moves))
        if world.table().play.over:
            break
        twins = Twins(world, folder, f"spied{number}")
        viewer = chance.pick("viewer", list(world.table().seats))
        changed = change_unseen(twins, viewer, chance)
        changes[changed] += 1
        if changed:
            both_say(twins, viewer, "help", *chance.pick("words", PLAIN_WORDS))
        leaks += [f"{changed}: {leak}" for leak in twins.noticed(viewer, 4 if changed else 0)]
        twins.close()
    return changes, leaks


GAMES = [("ah-basic", "table"), ("wbc-2018", "table"), ("wbc-2018", "steady"), ("wbc-2018", "swift")]


FEWER = [("wbc-2018", "steady"), ("wbc-2018", "swift")]


@pytest.mark.parametrize(("ruleset", "tempo"), FEWER)
def test_what_a_player_does_in_secret_changes_no_letter_where_some_want_fewer(
    world: World, tmp_path: Path, ruleset: str, tempo: str
) -> None:
    world.new_game(ruleset, tempo=tempo)
    want_fewer_letters(world)
    assert play_and_pry(world, tmp_path, Chance(f"fewer {tempo}", {}), pairs=size(4, 60)) == []


@pytest.mark.clause("AH.XIII.A-a", "AH.XIII.A-b")
@pytest.mark.parametrize(("ruleset", "tempo"), FEWER)
def test_what_is_hidden_from_a_player_changes_no_letter_where_some_want_fewer(
    world: World, tmp_path: Path, ruleset: str, tempo: str
) -> None:
    world.new_game(ruleset, tempo=tempo)
    want_fewer_letters(world)
    changes, leaks = spy(world, tmp_path, Chance(f"spy fewer {tempo}", {}), pairs=size(5, 60))
    assert leaks == []
    assert changes - Counter({"": 12})


@pytest.mark.parametrize(("ruleset", "tempo"), GAMES)
def test_what_a_player_does_in_secret_changes_no_letter_to_others(
    world: World, tmp_path: Path, ruleset: str, tempo: str
) -> None:
    world.new_game(ruleset, tempo=tempo)
    assert play_and_pry(world, tmp_path, Chance(f"pry {ruleset}", {}), pairs=size(5, 60)) == []


@pytest.mark.clause("AH.XIII.A-a", "AH.XIII.A-b")
@pytest.mark.parametrize(("ruleset", "tempo"), GAMES)
def test_what_is_hidden_from_a_player_changes_no_letter_to_them(
    world: World, tmp_path: Path, ruleset: str, tempo: str
) -> None:
    world.new_game(ruleset, tempo=tempo)
    changes, leaks = spy(world, tmp_path, Chance(f"spy {ruleset}", {}), pairs=size(6, 60))
    assert leaks == []
    assert changes - Counter({"": 12})


def test_a_letter_that_tells_would_be_noticed(world: World, tmp_path: Path) -> None:
    world.new_game("wbc-2018")
    twins = Twins(world, tmp_path, "told")
    talk = Action("talks", "guild", ("press to fremen: shall we?",), ("guild",))
    (leak,) = _pry(twins, talk, Chance("told", {}))
    assert leak.startswith("fremen gets other letters: 1 or 2 of them")
    twins.close()


# --- Single leaks ---------------------------------------------------------------------------------------------------


def deal(world: World, faction: Faction, card: Card) -> World:
    """Return the world changed so that the faction has held the card since the phase began."""
    with writing(world.engine) as conn:
        last = conn.execute(select(SNAPSHOT).order_by(SNAPSHOT.c.number.desc()).limit(1)).one()
        state = msgspec.msgpack.Decoder(State).decode(unpack(last.state))
        places = [state.treachery_deck, state.treachery_discard, *(player.hand for player in state.players.values())]
        next(place for place in places if card in place).remove(card)
        state.players[faction].hand = [card]
        kept = msgspec.msgpack.encode(state)
        conn.execute(update(SNAPSHOT).where(SNAPSHOT.c.number == last.number).values(state=kept))
    return world.another_process()


@pytest.mark.clause("AH.AID.TIMED.1", "AH.XIII.A-a")
def test_a_clock_that_stood_still_does_not_show_who_had_answered(world: World) -> None:
    """A Truthtrance stops the charity clock; then all players get new time, even those who had answered."""
    world.new_game("ah-basic")
    world.silence_until("charity", turn=2)
    again = deal(world, "guild", Card("Truthtrance"))
    again.wait(20)
    again.say("emperor", "no charity")
    again.say("guild", "truthtrance harkonnen: do you hold Karama?")
    again.say("harkonnen", again.line("harkonnen", "truthtrance-answer"))
    table = again.table()
    assert {question.kind for question in table.play.asked()} == {"charity"}
    assert [question.faction for question, _ in table.play.answered()] == ["emperor"]
    assert len({table.due(question) for question in table.play.asked()}) == 1


def test_an_offer_that_comes_late_is_due_with_the_stop(world: World) -> None:
    """A later deadline would keep the Collection open and show everybody that a gift awaits an answer."""
    world.new_game("wbc-2018")
    world.silence_until("collection")
    world.wait(20)
    world.say("guild", "give 1 spice to fremen")
    table = world.table()
    assert "offer" in world.asked()["fremen"]
    assert len({table.due(question) for question in table.play.asked()}) == 1


def test_history_goes_as_far_back_whatever_others_have_between_them(world: World, tmp_path: Path) -> None:
    world.new_game("wbc-2018", factions=["emperor", "fremen", "guild"])
    twins = Twins(world, tmp_path, "busy")
    for number in range(160):
        twins.other.now += timedelta(minutes=30)
        twins.other.say("emperor", f"deal with guild: peace {number}")
        twins.other.say("guild", "decline")
    twins.one.now = twins.other.now
    histories = []
    for half in (twins.one, twins.other):
        half.say("fremen", "history")
        histories.append(half.newest("fremen").text)
    assert histories[0] == histories[1]
    twins.close()


def test_who_is_waited_for_stands_with_a_name_unless_only_hidden_cards_decide_it(world: World) -> None:
    world.new_game("wbc-2018")
    seen: set[bool] = set()
    for _ in range(30):
        table = world.table()
        asked = table.play.asked()
        with reading(world.engine) as conn:
            waiting = world.moderator.writer(conn, world.now).position(table, "public", ()).waiting
        named = {(each.faction, each.kind) for each in waiting if each.faction}
        assert named == {(q.faction, q.kind) for q in asked if q.public and not (q.blanket or q.settled)}
        assert {each.kind for each in waiting if not each.faction} == {q.kind for q in asked if q.blanket}
        seen |= {each.faction is None for each in waiting}
        world.wait(24)
    assert seen == {True, False}
