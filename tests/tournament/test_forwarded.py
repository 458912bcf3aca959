"""A director's mail forwarded by somebody else: its commands are only a quotation, so nothing is done, and the sender
gets a normal answer."""

from __future__ import annotations

import pytest

from bot.store import acts
from bot.store.database import reading
from tests.tournament.entries import DIRECTOR, OWN, Cup, address

ORDERS = (
    "disqualify E002 --why gone",
    "mentat tournament disqualify cup E002",
    "withdraw",
    "show",
    "enter cup as Dora",
)


@pytest.fixture
def cup(entry_cup: Cup) -> Cup:
    entry_cup.enters("ann")
    entry_cup.enters("bob")
    return entry_cup


def token_of_director(cup: Cup) -> str:
    with reading(cup.world.engine) as conn:
        granted = acts.right_of(conn, DIRECTOR, tournament_id="cup")
    assert granted is not None
    return granted.token


def forwarded(cup: Cup) -> list[str]:
    to = OWN.replace("@", f"+{token_of_director(cup)}@")
    return ["", "---------- Forwarded message ---------", f"From: The Director <{DIRECTOR}>", "Subject: Re: The Cup",
            f"To: Mentat <{to}>", "", *ORDERS]  # fmt: skip


def quoted(cup: Cup) -> list[str]:
    return ["", "On Tue, 26 Nov 2024 at 20:00, The Director <director@example.org> wrote:", "",
            f"> [#{token_of_director(cup)}]", *(f"> {line}" for line in ORDERS)]  # fmt: skip


def done(cup: Cup) -> tuple[object, ...]:
    """Return everything that such a mail could have changed."""
    with reading(cup.world.engine) as conn:
        known = tuple((each.handle, each.state) for each in cup.everybody())
        return known, tuple(act.what for act in acts.acts_of(conn, tournament_id="cup"))


@pytest.mark.parametrize("passed_on", [forwarded, quoted])
def test_a_directors_mail_that_an_entrant_passes_on_does_nothing_and_is_answered(cup: Cup, passed_on: object) -> None:
    assert callable(passed_on)
    before, letters, all_letters = done(cup), len(cup.letters("ann")), len(cup.world.letters())
    assert cup.answers("ann", "status", *passed_on(cup)).disposition == "orders"
    assert done(cup) == before
    assert len(cup.letters("ann")) == letters + 1
    assert len(cup.world.letters()) == all_letters + 1
    text = " ".join(cup.newest("ann").text.split())
    assert "E001" in text
    assert "disqualify" not in text


@pytest.mark.parametrize("passed_on", [forwarded, quoted])
def test_a_directors_mail_that_is_all_of_a_mail_does_nothing(cup: Cup, passed_on: object) -> None:
    assert callable(passed_on)
    before = done(cup)
    cup.answers("ann", *passed_on(cup))
    assert done(cup) == before
    assert "disqualify" not in cup.newest("ann").text


def test_a_mail_to_the_directors_own_address_by_somebody_else_is_put_aside(cup: Cup) -> None:
    before = done(cup)
    to = OWN.replace("@", f"+{token_of_director(cup)}@")
    assert cup.says("ann", *ORDERS, to=to).disposition == "rejected"
    assert done(cup) == before
    assert cup.letters("director") == []
    assert address("director") == DIRECTOR


def test_a_directors_orders_typed_by_an_entrant_are_no_orders_and_are_answered_kindly(cup: Cup) -> None:
    before, letters = done(cup), len(cup.letters("ann"))
    cup.answers("ann", "disqualify E002 because they are gone", "extend round 1 by 48 hours")
    assert done(cup) == before
    assert len(cup.letters("ann")) == letters + 1
