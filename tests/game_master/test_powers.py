"""Who may use a power, in which state of the game, and what a dry run leaves behind."""

from __future__ import annotations

import threading
from inspect import signature
from pathlib import Path
from pkgutil import resolve_name

import pytest
from sqlalchemy import update

from bot.desk import clocks, speech
from bot.desk.powers import EVERYBODY, OWNERS, POWERS, DeskRequest, Power, PowerRefused, Use
from bot.games.open_games import act, would_be_written
from bot.moderator import desk_answers
from bot.moderator.desk_lines import pattern_of
from bot.store import acts
from bot.store.acts import CLERKS, DIRECTORS, JUDGES, GrantedRight, Right
from bot.store.database import reading, writing
from bot.store.tables import GAME as GAMES
from bot.wording import sources
from tests.moderator.table import GAME, World, address_of

ROOT = Path(__file__).parents[2]
ELSEWHERE = "rey@elsewhere.example"


def grant(world: World, right: Right, address: str = ELSEWHERE) -> None:
    with writing(world.engine) as conn:
        acts.grant_right(conn, GrantedRight(address, right, f"token-{address}", world.now, game_id=GAME))


def pause(world: World, use: Use) -> None:
    clocks.pause(DeskRequest(world.moderator.open_games, GAME, world.now, use))


@pytest.mark.parametrize("power", POWERS.values(), ids=POWERS)
def test_every_power_names_an_act_that_takes_the_parts_of_its_forms(power: Power) -> None:
    assert callable(resolve_name(power.act))
    for form in power.forms:
        act = f"{desk_answers.__name__}:{form.answer}" if form.answer else form.act or power.act
        known = signature(resolve_name(act)).parameters
        assert form.answer or {*pattern_of(form.shown).groupindex, *form.given} <= set(known)


@pytest.mark.parametrize("power", POWERS.values(), ids=POWERS)
def test_every_form_of_a_power_has_a_sentence_that_says_what_was_done(power: Power) -> None:
    for form in power.forms:
        key = form.says or power.name
        there = form.answer or f"desk-done.{key}" in sources()
        assert there, f"templates/letters/desk_mail.toml has no sentence {key} under [desk-done]"


WHOSE = {
    "Directors, arbiters and clerks": EVERYBODY,
    "Directors and arbiters": JUDGES,
    "Directors and clerks": CLERKS,
    "Directors": DIRECTORS,
    "Directors, and the game master of this Mentat, even when they are playing in that game": OWNERS,
}


def test_the_document_for_game_masters_says_whose_each_power_is() -> None:
    lists = {whose: [each.name for each in POWERS.values() if each.rights == may] for whose, may in WHOSE.items()}
    by_mail = "By mail, these powers take effect only once a code has been sent back"
    lists[by_mail] = [name for name, power in POWERS.items() if power.dangerous]
    told = " ".join((ROOT / "docs" / "moderating.md").read_text("utf-8").split())
    for whose, powers in lists.items():
        line = f"- {whose}: {', '.join(f'`{name}`' for name in powers)}."
        assert line in told, f"docs/moderating.md must say, in the order of data/desk-powers.toml: {line}"


def test_a_stranger_and_a_player_have_no_power(begun: World) -> None:
    with pytest.raises(PowerRefused, match="Only the organisers"):
        pause(begun, Use(by=ELSEWHERE))
    with pytest.raises(PowerRefused, match="Players have no power"):
        pause(begun, Use(by=address_of("guild")))
    grant(begun, "director", address_of("guild"))
    with pytest.raises(PowerRefused, match="Players have no power"):
        pause(begun, Use(by=address_of("guild")))
    assert begun.table().stopped_at is None


def test_a_right_allows_what_belongs_to_it(begun: World) -> None:
    grant(begun, "clerk")
    with pytest.raises(PowerRefused, match=f"end is for director; this address is clerk of {GAME}"):
        clocks.end_game(DeskRequest(begun.moderator.open_games, GAME, begun.now, Use(by=ELSEWHERE)), "void", ())
    pause(begun, Use(by=ELSEWHERE, why="a wedding"))
    with reading(begun.engine) as conn:
        [act] = acts.acts_of(conn, game_id=GAME)
    assert (act.who, act.right, act.what, act.why) == (ELSEWHERE, "clerk", "pause", "a wedding")
    grant(begun, "auditor")
    with pytest.raises(PowerRefused, match="auditor"):
        clocks.resume(DeskRequest(begun.moderator.open_games, GAME, begun.now, Use(by=ELSEWHERE)))


@pytest.mark.parametrize("at", ["1", "1/setup", " 1/SETUP "])
def test_a_power_is_used_where_the_game_is(begun: World, at: str) -> None:
    pause(begun, Use(at=at))
    assert begun.table().stopped_at


@pytest.mark.parametrize("at", ["2", "1/bidding", "2/setup", "soon", "/setup"])
def test_nothing_is_done_to_a_game_that_has_moved_on(begun: World, at: str) -> None:
    letters = begun.written()
    with pytest.raises(PowerRefused):
        pause(begun, Use(at=at))
    assert (begun.table().stopped_at, begun.written()) == (None, letters)


def test_a_dry_run_says_who_would_get_mail_and_leaves_nothing(begun: World) -> None:
    letters = begun.written()
    pause(begun, Use(dry_run=True))
    assert {to for to, _ in would_be_written()} >= {address_of("guild"), address_of("fremen")}
    assert (begun.table().stopped_at, begun.written()) == (None, letters)
    with reading(begun.engine) as conn:
        assert acts.acts_of(conn, game_id=GAME) == []


def test_the_reason_stays_at_the_desk_and_the_words_go_to_the_table(begun: World) -> None:
    letters = begun.written()
    pause(begun, Use(why="Ann is in hospital", tell="We wait a week."))
    for letter in begun.letters(after=letters):
        assert "We wait a week." in letter.text
        assert "hospital" not in letter.text


def test_a_game_whose_rules_have_changed_takes_only_the_powers_that_free_it_or_do_not_play_it(begun: World) -> None:
    with writing(begun.engine) as conn:
        conn.execute(update(GAMES).where(GAMES.c.id == GAME).values(status="held"))
    letters = begun.written()
    with pytest.raises(PowerRefused, match=f"is held: its rules have changed.*`mentat game rollback {GAME}`"):
        pause(begun, Use())
    with pytest.raises(PowerRefused, match="is held: its rules have changed"):
        clocks.end_game(DeskRequest(begun.moderator.open_games, GAME, begun.now), "void", ())
    assert (begun.table().stopped_at, begun.written()) == (None, letters)
    speech.tell(DeskRequest(begun.moderator.open_games, GAME, begun.now), ["guild"], "We wait for the next version.")
    assert "We wait for the next version." in begun.newest("guild").text


def test_nobody_else_changes_a_game_while_something_is_done_at_the_desk(begun: World) -> None:
    games = begun.moderator.open_games

    def is_free() -> bool:
        """Return True if another thread could change a game now."""
        found: list[bool] = []

        def ask() -> None:
            if free := games.busy.acquire(blocking=False):
                games.busy.release()
            found.append(free)

        other = threading.Thread(target=ask)
        other.start()
        other.join()
        return found[0]

    assert is_free()
    with act(games, begun.now):
        assert not is_free()
    assert is_free()
