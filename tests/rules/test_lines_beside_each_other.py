"""Tests for held orders from one message that apply together instead of replacing each other."""

from __future__ import annotations

import pytest

from rules.components import Forces
from rules.components.board import parse_area
from rules.decisions.early_orders import stand_together
from rules.orders import NoRide, Order, Ride

CHASM, CARTHAG, ARRAKEEN = parse_area("red-chasm/7"), parse_area("carthag"), parse_area("arrakeen")
THREE, TWO = Ride(Forces(3), CHASM, CARTHAG), Ride(Forces(2), CHASM, ARRAKEEN)


@pytest.mark.clause("AH.SHIELD.FRE.3-b")
@pytest.mark.parametrize(
    ("later", "earlier", "together"),
    [(TWO, THREE, True), (THREE, THREE, False), (THREE, NoRide(), False), (NoRide(), THREE, False)],
)
def test_several_groups_ride_one_worm_and_no_group_twice(later: Order, earlier: Order, together: bool) -> None:
    assert stand_together(later, earlier) is together
