"""Parallel real games: other tables, daily letters and organisers do not show a player's order, or whether there was
one."""

from __future__ import annotations

from pathlib import Path

import pytest

from rules.components import FACTIONS, Faction
from tests.moderator.table import CONFIG, World
from tests.tournament.cup import Cup, address
from tests.tournament.twin_events import LINES, Secret, ask, differences, letters, nothing, seen_by

BOSS = "boss@example.org"
GAME = "cup-1-1"
FIRST = FACTIONS[0]
ASKED: Faction = "bene-gesserit"
"""The first faction to be asked, for its secret prediction."""
EVERYBODY = range(1, 16)


def orders(cup: Cup, faction: Faction, choice: int) -> None:
    """Answer all questions to a faction at the first table."""
    number = FACTIONS.index(faction) + 1
    for kind in cup.world.asked(GAME).get(faction, ()):
        line = cup.world.line(faction, kind, choice, GAME)
        mail = cup.world.mail(faction, line, sender=address(number), game=GAME)
        cup.world.moderator.deliver(mail, cup.now)


def one_orders(choice: int) -> Secret:
    def happens(cup: Cup) -> None:
        orders(cup, ASKED, choice)
        assert cup.world.table(GAME).play.log, "an order was taken"

    return happens


def all_order(cup: Cup) -> None:
    """Answer all questions at the first table at once."""
    for _ in range(3):
        for faction in FACTIONS:
            orders(cup, faction, 0)


def files_a_sheet(cup: Cup) -> None:
    mail = cup.world.mail(FIRST, "standing: bid up to 3", sender=address(1), game=GAME)
    cup.world.moderator.deliver(mail, cup.now)
    assert cup.world.table(GAME).sheets[FIRST].lines, "it was filed"


def story(folder: Path, secret: Secret, viewers: set[int]) -> dict[str, object]:
    """Play two parallel heats for some days, hour by hour; at the end, everybody asks for what they may see."""
    folder.mkdir()
    cup = Cup(World.at(folder, f"{CONFIG}\n[clock]\nsilence_stops = false\n"))  # covers all games together
    cup.grant(BOSS, "director")
    cup.round(1)
    cup.round(2, [[2, 7, 3, 8, 4, 9], [1, 10, 5, 11, 6, 12]])
    for game in ("cup-1-1", "cup-1-2", "cup-2-1", "cup-2-2"):
        cup.wrote(game)
    cup.world.wait(1)
    secret(cup)
    for _ in range(4):
        cup.world.wait(11)
    for number in viewers:
        ask(cup.world, address(number), LINES[number % len(LINES)])
    found = seen_by(cup, viewers)
    found["organiser"] = letters(cup.world, [BOSS])
    cup.world.engine.dispose()
    return found


@pytest.mark.parametrize(
    ("one", "other"),
    [(one_orders(0), one_orders(1)), (files_a_sheet, nothing)],
    ids=["another order", "a sheet"],
)
def test_an_order_at_one_table_is_seen_by_nobody_else(tmp_path: Path, one: Secret, other: Secret) -> None:
    viewers = set(EVERYBODY) - set(range(1, 7))
    assert not differences(story(tmp_path / "1", one, viewers), story(tmp_path / "2", other, viewers))


@pytest.mark.parametrize("secret", [one_orders(0), all_order], ids=["an order", "all order"])
def test_a_table_that_plays_on_at_once_is_not_seen_at_another(tmp_path: Path, secret: Secret) -> None:
    viewers = set(EVERYBODY) - set(range(1, 7))
    one, other = story(tmp_path / "1", secret, viewers), story(tmp_path / "2", nothing, viewers)
    one.pop("organiser"), other.pop("organiser")  # organisers look after clocks
    assert not differences(one, other)


def test_which_order_it_is_is_not_seen_by_others_at_the_table_in_letters_of_the_day(tmp_path: Path) -> None:
    viewers = set(range(1, 7)) - {FACTIONS.index(ASKED) + 1}
    one, other = story(tmp_path / "1", one_orders(0), viewers), story(tmp_path / "2", one_orders(1), viewers)
    assert len(one["letters"]) > 10  # type: ignore[arg-type]
    first = [row[:5] for row in one["letters"] if "for you" in str(row[3])]  # type: ignore[attr-defined]
    assert first
    assert first == [row[:5] for row in other["letters"] if "for you" in str(row[3])]  # type: ignore[attr-defined]
