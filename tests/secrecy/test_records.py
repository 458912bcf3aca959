"""Tests for L10 to L12, L15 and L16: what is stored or shown before the end, and what others can do with a letter."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from email.message import EmailMessage

import pytest

from bot.desk.game_view import json_view
from bot.desk.positions import roll_back
from bot.desk.powers import DeskRequest, Use
from bot.store import games
from bot.store.database import reading
from rules.components import FACTIONS, Faction
from rules.state.events import Viewer
from tests.cli.conftest import Mentat, mentat, place  # noqa: F401 - fixtures
from tests.moderator.table import GAME, World, address_of
from tests.moderator.twins import Twins
from tests.secrecy.conftest import Twinned
from tests.secrecy.silent_games import TEMPOS, both_say, onlookers

EVERY_TEMPO = pytest.mark.parametrize("tempo", TEMPOS)
VIEWERS: tuple[Viewer, ...] = (*FACTIONS, "public", "gm")

SHEET = (
    "bid up to 7 by 3", "when card 4: bid up to 9", "standing: when fighting emperor: plan dial 3 leader master bewt",
    "when turn 2 and card 2: bid up to 11 with karama", "standing: when phase movement and spice > 13: ask me",
)  # fmt: skip
TELLTALE = re.compile(
    r"(?<!You can pay )up to|\b(7|9|11) by|limit|dial 3|bewt.{0,20} dial|standing|ask me|spice > 13", re.IGNORECASE
)


def _log(world: World, viewer: Viewer) -> str:
    """Return the output of `mentat game log`."""
    with reading(world.engine) as conn:
        happened = [event for event in games.events_of(conn, GAME) if event.visible_to(viewer)]
    return json.dumps([(event.kind, event.seen_by(viewer)) for event in happened], default=str)


# --- L10 ----------------------------------------------------------------------------------------------------------


@EVERY_TEMPO
def test_l10_caps_and_sheets_are_in_no_log_and_shown_to_nobody(twinned: Twinned, tempo: str) -> None:
    """They are hidden from the game master as well, who may play elsewhere with the same people."""
    world = twinned(tempo, "bidding").one
    world.say("guild", *SHEET)
    assert "bid up to 7 by 3" in world.newest("guild").text
    for _ in range(4):
        world.wait(12)
    world.say("guild", "orders")
    for viewer in VIEWERS:
        told = _log(world, viewer) + json.dumps(json_view(world.table(), viewer, world.settings), default=str)
        assert not TELLTALE.search(told), viewer
    for letter in world.letters():
        if letter.faction != "guild":
            body = letter.text.partition("[form")[0]
            assert not re.search(r"bid up to (7|9|11)|dial 3|spice > 13|if .*card 4", body)


def test_l10_the_commands_show_no_sheet_either(mentat: Mentat, place: World) -> None:  # noqa: F811
    place.new_game("wbc-2018", tempo="steady")
    place.silence_until("charity")
    place.say("guild", *SHEET)
    for viewer in VIEWERS:
        for command in ("show", "log"):
            for words in ((), ("--json",)):
                ran = mentat("game", command, GAME, "--as", viewer, *words)
                assert ran.code == 0
                assert not TELLTALE.search(ran.out), (viewer, command)


# --- L11 ----------------------------------------------------------------------------------------------------------


@EVERY_TEMPO
def test_l11_a_rollback_shows_nothing_of_what_was_filed_or_sent_since(twinned: Twinned, tempo: str) -> None:
    """In one world the Guild filed a sheet and orders, and the Emperor bought a card; then the game is rolled back."""
    twins = twinned(tempo, "bidding")
    entries = twins.one.table().entries
    both_say(twins, "guild", "bid 1")
    twins.other.say("guild", *SHEET)
    twins.other.say("emperor", "bid up to 6", "when card 2: bid up to 3")
    for world in (twins.one, twins.other):
        world.now = max(twins.one.now, twins.other.now)
    before = {name: len(twins.other.letters(name)) for name in FACTIONS}
    for world in (twins.one, twins.other):
        roll_back(DeskRequest(world.moderator.open_games, GAME, world.now, Use(why="A card was sold twice.")), entries)
    for world in (twins.one, twins.other):
        world.now = world.now.replace(minute=30)
        world.say("fremen", "history")
        world.say("harkonnen", "status")
    assert [
        json.dumps(json_view(world.table(), "public", world.settings), default=str)
        for world in (twins.one, twins.other)
    ] == [json.dumps(json_view(twins.one.table(), "public", twins.one.settings), default=str)] * 2
    for faction in ("fremen", "harkonnen", "atreides"):
        since = twins.other.letters(faction)[before[faction] :]
        assert since
        assert not any(re.search(r"bid up to (7|9|6)|Bewt", letter.text.partition("[form")[0]) for letter in since)
    twins.other.say("guild", "orders")
    assert not re.search(r"bid up to \d", twins.other.newest("guild").text)


# --- L12 ----------------------------------------------------------------------------------------------------------


def _sold(twins: Twins) -> tuple[World, str]:
    """Let the Guild buy the first card; return the world and the card."""
    world = twins.one
    had = list(world.table().play.state.players["guild"].hand)
    for faction in FACTIONS:
        world.say(faction, *(["bid up to 4"] if faction == "guild" else ["pass all"]))
    for _ in range(10):
        hand = list(world.table().play.state.players["guild"].hand)
        if len(hand) > len(had):
            break
        world.wait(24)
    bought = next(card for card in hand if card not in had or hand.count(card) > had.count(card))
    return world, str(bought)


@EVERY_TEMPO
def test_l12_history_tells_everybody_only_what_they_saw(twinned: Twinned, tempo: str) -> None:
    world, card = _sold(twinned(tempo, "bidding"))
    world.say("emperor", "deal with harkonnen: peace in the south")
    texts = {}
    for faction in FACTIONS:
        world.say(faction, "history")
        texts[faction] = " ".join(world.newest(faction).text.partition("Wanted")[0].split())
        texts[faction] = texts[faction].partition(" YOU ")[0]
    assert card in texts["guild"]
    assert [faction for faction in FACTIONS if "peace in the south" in texts[faction]] == ["emperor", "harkonnen"]
    for faction in set(FACTIONS) - {"guild", "atreides"}:  # Atreides saw the card before it was sold
        assert card not in texts[faction]
        assert card not in _log(world, faction)
    assert card not in _log(world, "public")


def test_l12_l15_nothing_is_exported_before_the_end(mentat: Mentat, place: World) -> None:  # noqa: F811
    place.new_game("wbc-2018", tempo="steady")
    ran = mentat("game", "export", GAME, "record.json")
    assert ran.code == 1
    assert not os.path.exists("record.json")


# --- L15 ----------------------------------------------------------------------------------------------------------

SEED = "desert-mouse-4711-muad-dib"


def test_l15_the_seed_is_in_no_letter_and_no_output_before_the_end(mentat: Mentat, place: World) -> None:  # noqa: F811
    place.new_game("wbc-2018", tempo="swift", seed=SEED)
    place.silence_until("movement")
    place.say("guild", "status", "map", "history", "orders", "help")
    for letter in place.letters():
        heads = " ".join(f"{name}: {value}" for name, value in letter.message.items())
        assert SEED not in heads + letter.text + letter.html
    for words in _commands():
        ran = mentat(*words)
        assert SEED not in ran.out + ran.err


def test_l15_the_seed_stands_in_the_last_letter(world: World) -> None:
    world.new_game(factions=("atreides", "guild", "harkonnen"), max_turns=1, seed=SEED)
    while world.wait(24):
        pass
    assert SEED in world.newest("guild").text


def _commands() -> Iterator[tuple[str, ...]]:
    for viewer in VIEWERS:
        yield ("game", "show", GAME, "--as", viewer, "--json")
        yield ("game", "log", GAME, "--as", viewer, "--json")
    yield ("game", "list", "--json")
    yield ("game", "verify", GAME, "--json")
    yield ("game", "export", GAME, "record.json")


# --- L16 ----------------------------------------------------------------------------------------------------------


@EVERY_TEMPO
def test_l16_a_forwarded_letter_gives_nobody_its_readers_seat(twinned: Twinned, tempo: str) -> None:
    """The Emperor has a letter of the Guild's, with its address, form, buttons and Message-ID."""
    twins = twinned(tempo, "storm", 2)
    world = twins.other
    both_say(twins, "guild", "status")
    letter = world.newest("guild")
    form = letter.text[letter.text.index("[form") : letter.text.index("[end of form")] + "[end of form x]"
    code = re.search(r"\[form (\w+)\]", form)
    assert code
    ticked = form.replace("[ ]", "[x]", 1).replace("[end of form x]", f"[end of form {code[1]}]")
    answers = list(_answers(world, "guild", str(letter.message["Message-ID"]), ticked))
    own = len(world.letters("emperor"))
    for answer in answers:
        world.moderator.deliver(answer.as_bytes(), world.now)
    assert list(twins.differences(onlookers("emperor", "guild"))) == []  # the Guild is told of the attempt
    assert world.table().play.game.held.get("guild", ()) == ()
    assert "guild" not in world.table().sheets or not world.table().sheets["guild"].active()
    assert len(world.letters("emperor")) - own <= len(answers)


def _answers(world: World, victim: Faction, answered: str, form: str) -> Iterator[EmailMessage]:
    """Yield mails in which the Emperor tries to speak for another."""
    victims, own = (f"mentat+{world.token(faction)}@arrakis.example" for faction in (victim, "emperor"))
    tries = [
        (victims, "Re: orders", "standing: pass all\nresign\nextend 3"),
        ("mentat@arrakis.example", f"Re: orders [#{world.token(victim)}]", "pass all\nstanding: pass all"),
        (victims, "Re: orders", form),
        (own, f"Re: orders [#{world.token(victim)}]", f"{form}\n> guild: pass all"),
        (own, "Re: orders", f"guild: pass all\n{form}"),
    ]
    for number, (to, subject, text) in enumerate(tries):
        message = EmailMessage()
        message["From"] = f"{victim} <{address_of('emperor')}>"
        message["Reply-To"] = address_of(victim)
        message["To"], message["Subject"] = to, subject
        message["In-Reply-To"], message["Message-ID"] = answered, f"<{number}.forward@players.example>"
        message.set_content(text)
        yield message
