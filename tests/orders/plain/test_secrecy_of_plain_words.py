"""Tests that the reading of a plain line depends only on what its writer may know."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from bot.language.mail_lines import read_any
from bot.table.lines import reading_context
from rules.components import Card, Faction, Forces
from rules.engine.play import Play
from tests.orders.plain.judging import NEARLY, Case, cases, play

HERE = cases(NEARLY / "cases.toml")
OTHER_HANDS: tuple[list[Card], ...] = (
    [],
    [Card("Karama"), Card("Shield")],
    [Card("Family Atomics"), Card("Weather Control"), Card("Kulon")],
)


@contextmanager
def _other_secrets(game: Play, faction: Faction, hand: list[Card]) -> Iterator[None]:
    """Change everything behind the other players' shields for the duration of the context."""
    others = [player for name, player in game.state.players.items() if name != faction]
    before = [(p.hand, p.spice, p.reserves, p.traitors) for p in others]
    try:
        for player in others:
            player.hand, player.spice, player.reserves = list(hand), player.spice + 7, player.reserves + Forces(1)
            player.traitors = []
        yield
    finally:
        for player, (cards, spice, reserves, traitors) in zip(others, before, strict=True):
            player.hand, player.spice, player.reserves, player.traitors = cards, spice, reserves, traitors


@pytest.mark.parametrize("position", sorted({case.position for case in HERE}))
def test_a_line_is_read_alike_whatever_the_others_hide(position: str) -> None:
    game = play(position)

    def read(case: Case) -> str:
        return repr(read_any(case.line, reading_context(game, case.faction)))

    for case in HERE:
        if case.position != position:
            continue
        said = read(case)
        for hand in OTHER_HANDS:
            with _other_secrets(game, case.faction, hand):
                assert read(case) == said, case.line
