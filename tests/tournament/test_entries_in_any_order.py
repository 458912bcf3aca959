"""Entry mails that arrive late, twice, in any order or from the wrong people."""

from __future__ import annotations

import tempfile
from datetime import timedelta
from itertools import pairwise
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.store import tournaments
from bot.store.database import reading
from tests.size import size
from tests.tournament.entries import Cup, address

PEOPLE = ("ann", "bob", "cid", "dora")
WHO = st.sampled_from(PEOPLE)
STEP = st.one_of(
    st.tuples(st.just("enter"), WHO, WHO),
    st.tuples(st.just("confirm"), WHO, WHO),
    st.tuples(st.just("answer"), WHO, st.sampled_from(("accept", "decline", "withdraw", "confirm", "status"))),
    st.tuples(st.just("again"), WHO, WHO),
    st.tuples(st.just("wait"), WHO, st.sampled_from((1, 30, 80))),
)
SMALL = 'title = "The Cup"\npeople.most = 2\n'


@given(st.lists(STEP, max_size=10))
@settings(max_examples=size(6, 400), suppress_health_check=[HealthCheck.too_slow])
def test_everybody_is_in_once_and_only_by_a_code_of_their_own(steps: list[tuple[str, str, str | int]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        cup = Cup.at(Path(folder), SMALL)
        sent: list[bytes] = []
        confirmed: set[str] = set()
        for what, who, other in steps:
            _do(cup, what, who, other, sent, confirmed)
            _check(cup, confirmed)
        cup.world.engine.dispose()


def _do(cup: Cup, what: str, who: str, other: str | int, sent: list[bytes], confirmed: set[str]) -> None:
    match what:
        case "enter":
            sent.append(cup.mail(who, "enter cup"))
        case "confirm":
            with reading(cup.world.engine) as conn:
                asked = tournaments.entrant_of_person(conn, "cup", address(str(other)))
            code = asked.code if asked and asked.code else "a" * 16
            sent.append(cup.mail(who, f"confirm {code}"))
            if who == other and asked and asked.code:
                confirmed.add(who)
        case "answer" if cup.letters(who):
            to = str(cup.newest(who).message["Reply-To"])
            sent.append(cup.mail(who, str(other), to=to))
            if other == "confirm":
                confirmed.add(who)
        case "again" if sent:
            assert cup.deliver(sent[-1]).disposition == "duplicate"
            return
        case "wait":
            cup.wait(int(other))
            return
        case _:
            return
    assert cup.deliver(sent[-1]).disposition in ("orders", "rejected")


def _check(cup: Cup, confirmed: set[str]) -> None:
    everybody = cup.everybody()
    assert len({each.address for each in everybody}) == len(everybody)
    assert len({each.handle for each in everybody}) == len(everybody)
    places = [each for each in everybody if each.state in ("confirmed", "invited")]
    assert len(places) <= 2
    for each in everybody:
        name = each.address.partition("@")[0]
        assert each.confirmed_at is None or name in confirmed
        assert each.confirmed_at is not None or each.state in ("entered", "withdrawn")
    with reading(cup.world.engine) as conn:
        asked = tournaments.papers_of(conn, "cup", "invitation")
    assert {paper.entrant for paper in asked} == {each.number for each in everybody if each.state == "invited"}
    for name in PEOPLE:
        if name not in confirmed:
            dates = [letter.message["Date"].datetime for letter in cup.letters(name)]
            assert all(later - date >= timedelta(hours=1) for date, later in pairwise(dates))
