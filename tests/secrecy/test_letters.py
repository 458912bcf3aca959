"""Tests for L5 to L9: the appearance of other players' letters reveals nobody's secrets."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from bot.desk.powers import DeskRequest
from rules.components import CARDS, FACTIONS, Card, Faction, faction_name
from tests.moderator.table import CALLS, Sent, World
from tests.secrecy.conftest import Twinned
from tests.secrecy.silent_games import TEMPOS, deal_hands, differ_in_hands, onlookers

EVERY_TEMPO = pytest.mark.parametrize("tempo", TEMPOS)
CALLING = pytest.mark.parametrize("tempo", ["steady", "swift"])
HANDS: dict[Faction, list[str]] = {"guild": ["Weather Control", "Karama"], "emperor": ["Shield"], "fremen": []}


def form_of(letter: Sent) -> list[str]:
    """Return the lines of a letter's form, without its code."""
    found = re.search(r"\[form \w+\]\s(.*)\[end of form", letter.text, re.DOTALL)
    assert found
    return found[1].split("\r\n")


# --- L5, L6 -------------------------------------------------------------------------------------------------------


@EVERY_TEMPO
def test_l5_nobody_is_named_where_a_window_is_held_open(twinned: Twinned, tempo: str) -> None:
    twins = twinned(tempo, "storm", 2)
    differ_in_hands(twins, HANDS, HANDS)
    table = twins.one.table()
    assert {question.kind for question in table.play.questions()} == {"storm-cards"}
    twins.one.say("fremen", "no storm cards", "status")
    letter = twins.one.newest("fremen").text
    waited = " ".join(letter.split()).partition("pen: ")[2].partition(".")[0]
    assert waited == "" or waited.startswith("everybody")
    assert not any(other["faction"] == "guild" for other in _shown(twins.one, "fremen"))


REFUSED: dict[str, tuple[str, ...]] = {
    "storm": ("weather control 5", "family atomics", "karama cancel voice"),
    "bidding": ("bid 40", "when card is lasgun: bid 3", "bid up to 3 if emperor holds karama", "charity if turn 0"),
    "movement": ("ship 40 to arrakeen", "move 12 from tueks-sietch to arrakeen", "ghola 3", "truthtrance guild: hm?"),
}


@pytest.mark.parametrize(
    ("tempo", "phase"), [("table", "storm"), ("steady", "storm"), ("steady", "bidding"), ("swift", "movement")]
)
def test_l6_only_the_sender_learns_that_they_were_refused(twinned: Twinned, tempo: str, phase: str) -> None:
    twins = twinned(tempo, phase, 2 if phase == "storm" else 1)
    if phase != "bidding":  # there, the number of cards matters
        none: dict[Faction, list[str]] = {"harkonnen": []}
        differ_in_hands(twins, none, none)
    twins.other.say("harkonnen", *REFUSED[phase])
    answer = twins.other.newest("harkonnen").text
    assert answer.count("REFUSED") + answer.count("NOT READ") == len(REFUSED[phase])
    for _ in range(2):
        assert list(twins.differences(onlookers("harkonnen"))) == []
        for world in (twins.one, twins.other):
            world.wait(13)


# --- L7 -----------------------------------------------------------------------------------------------------------


@EVERY_TEMPO
def test_l7_the_form_of_a_window_is_the_same_for_holders_and_others(twinned: Twinned, tempo: str) -> None:
    twins = twinned(tempo, "storm", 2)
    differ_in_hands(twins, HANDS, HANDS)
    forms, sizes = {}, {}
    for faction in HANDS:
        twins.one.say(faction, "status")
        letter = twins.one.newest(faction)
        forms[faction] = form_of(letter)
        sizes[faction] = letter.html.count("mailto:")
    assert forms["guild"] == forms["emperor"] == forms["fremen"]
    assert len(set(sizes.values())) == 1


@pytest.mark.parametrize("traitor", ["Staban Tuek", "Burseg"])
def test_l7_who_is_asked_for_treachery_is_offered_it_with_a_traitor_and_without(twinned: Twinned, traitor: str) -> None:
    world = deal_hands(twinned("table", "movement").one, {}, {"guild": ["Caid"], "emperor": [traitor]})
    world.say(
        "emperor", "standing: ship 3 to tueks-sietch", "standing: no move", "plan dial 0 leader hasimir if battle"
    )
    world.say("guild", "standing: when fighting emperor: plan dial 0 leader staban")
    for faction in FACTIONS:
        world.say(faction, f"waive reactions until {'battle' if faction == 'emperor' else 'mentat'}")
    for _ in range(40):
        if "traitor-call" in world.asked().get("emperor", ()):
            break
        world.wait(24)
    boxes = [line for line in form_of(world.newest("emperor")) if line.startswith("[ ]")]
    assert boxes == ["[ ] treachery", "[ ] no treachery"]


@CALLING
@pytest.mark.parametrize(("phase", "turn"), [("storm", 2), ("charity", 1), ("revival", 1)])
def test_l7_the_call_prepares_the_same_lines_for_every_sheet(
    twinned: Twinned, tempo: str, phase: str, turn: int
) -> None:
    twins = twinned(tempo, phase, turn)
    called = [letter for letter in twins.one.letters() if any(asks in letter.subject for asks in CALLS)]
    newest = called[-len(FACTIONS) :]
    assert {letter.faction for letter in newest} == set(FACTIONS)
    prepared = {tuple(_prepared(letter)) for letter in newest}
    assert len(prepared) == 1
    assert prepared.pop()
    assert len({letter.subject for letter in newest}) == 1


def _prepared(letter: Sent) -> Iterator[str]:
    lines = iter(form_of(letter))
    for line in lines:
        if line.startswith("# for the whole round"):
            yield from lines


# --- L8 -----------------------------------------------------------------------------------------------------------

FIELDS = ("To", "From", "Reply-To", "Cc", "Bcc", "Subject", "Message-ID", "In-Reply-To", "References", "X-Mentat-Game")


@EVERY_TEMPO
def test_l8_heads_of_letters_name_nothing_but_the_reader_and_the_public_moment(twinned: Twinned, tempo: str) -> None:
    world = twinned(tempo, "charity").one
    asked = {faction: f"<{faction}.sheet@players.example>" for faction in FACTIONS}
    for faction, name in asked.items():
        lines = ("bid up to 2", "when card 2: bid up to 4", "standing: when window voice: karama cancel voice")
        world.moderator.deliver(world.mail(faction, *lines, message_id=name), world.now)
    world.say("guild", "press to harkonnen: my Karama for your Lasgun", "deal with harkonnen: my Karama; I pay 1")
    for _ in range(6):
        world.wait(12)
    own: dict[str, set[str]] = {faction: {name} for faction, name in asked.items()}
    for letter in world.letters():
        if letter.faction is None:
            continue
        own[letter.faction].add(str(letter.message["Message-ID"]))
    for letter in world.letters():
        if letter.faction is None:
            continue
        message = letter.message
        named = f"{message['References'] or ''} {message['In-Reply-To'] or ''}".split()
        strangers = set(named) & {name for other, names in own.items() if other != letter.faction for name in names}
        assert not strangers
        assert message["Cc"] is None
        assert message["Bcc"] is None
        assert str(message["To"]).count("@") == 1
        assert f"{letter.faction}@players.example" in str(message["To"])
        assert not [card for card in CARDS if str(Card(card)) in letter.subject]


# --- L9 -----------------------------------------------------------------------------------------------------------


@EVERY_TEMPO
@pytest.mark.parametrize("asked", ["extend 6", "absent {day} to {day}"])
def test_l9_a_notice_of_more_time_or_of_absence_does_not_say_who(twinned: Twinned, tempo: str, asked: str) -> None:
    twins = twinned(tempo, "movement")
    open_to = {question.faction for question in twins.one.table().play.asked() if not question.blanket}
    one, other = sorted(set(FACTIONS) - open_to)[:2]
    day = f"{twins.one.now.year}-12-31"
    for world, by in ((twins.one, one), (twins.other, other)):
        line = asked.format(day=day)
        assert world.moderator.deliver(world.mail(by, line, message_id="<l9@players.example>"), world.now).taken == 1
    reader = next(faction for faction in FACTIONS if faction not in (one, other))
    assert list(twins.differences(onlookers(one, other))) == []
    told = _notice(twins.one.newest(reader), reader)
    assert not [faction for faction in FACTIONS if faction != reader and faction_name(faction) in told]


@EVERY_TEMPO
def test_l9_a_pause_names_nobody_and_gives_no_reason(twinned: Twinned, tempo: str) -> None:
    from bot.desk import clocks
    from bot.desk.powers import Use

    world = twinned(tempo, "movement").one
    clocks.pause(DeskRequest(world.moderator.open_games, "sietch-12", world.now, Use(why="the Guild is in hospital")))
    for faction in FACTIONS:
        told = _notice(world.newest(faction), faction)
        assert "hospital" not in told
        assert not [other for other in FACTIONS if other != faction and faction_name(other) in told]


@EVERY_TEMPO
def test_l9_a_time_bank_that_runs_is_known_to_its_player_alone(twinned: Twinned, tempo: str) -> None:
    twins = twinned(tempo, "movement")
    (slow,) = {q.faction for q in twins.one.table().play.asked() if not q.blanket and q.public} or {"guild"}
    before = {faction: len(twins.one.letters(faction)) for faction in FACTIONS}
    with twins.one.moderator.open_games.transaction("sietch-12") as (_, table):
        table.seats[slow].bank = 600
        table.touched.add(slow)
    for _ in range(8):
        twins.one.wait(6)
        if len(twins.one.letters(slow)) > before[slow] and twins.one.table().overruns:
            break
    else:
        pytest.fail("the bank never ran")
    assert {faction: len(twins.one.letters(faction)) for faction in FACTIONS if faction != slow} == {
        faction: number for faction, number in before.items() if faction != slow
    }


def _notice(letter: Sent, reader: str) -> str:
    """Return the subject and text of a notice, without the line that greets its reader."""
    lines = letter.text.splitlines()
    return "\n".join([letter.subject, *(line for line in lines if f"you are {reader.upper()}" not in line)])


def _shown(world: World, viewer: Faction) -> list[dict[str, object]]:
    from bot.desk.game_view import json_view

    questions = json_view(world.table(), viewer, world.settings)["questions"]
    return [question for question in questions if question["faction"] != viewer]
