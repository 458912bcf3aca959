"""Tests that every later version draws a published seating from its record, so that an old export can still be verified
with a new Mentat."""

from __future__ import annotations

import hashlib
from itertools import combinations

import msgspec
import pytest

from bot.competition.published import DrawRecord
from bot.competition.seating import SeatingWishes, draw_seating
from rules.components import FACTIONS
from tests.competition.seating.test_draw import asked

NIGHTS = (0x000FFF, 0xFFF000, 0x0FFFF0, 0)
EIGHT = (*FACTIONS, "ixians", "tleilaxu")
NAMES = [f"E{number:03d}" for number in range(1, 40)]
HEATS = draw_seating(asked(24, 2), "arrakis").tables
FIVES = draw_seating(asked(17), "arrakis").tables
SEVEN = tuple(table for number in range(1, 8) for table in draw_seating(asked(6, rounds=(number,)), f"{number}").tables)
CLIQUE = tuple(combinations(NAMES[:4], 2))


def digest(drawn: DrawRecord) -> str:
    said = msgspec.json.encode((drawn.candidate, drawn.cost, drawn.tables))
    return hashlib.sha256(said).hexdigest()[:16]


def hours(players: int) -> tuple[int, ...]:
    return tuple(NIGHTS[number % 4] for number in range(players))


DRAWN: dict[str, tuple[DrawRecord, SeatingWishes]] = {
    "one table": (asked(6), SeatingWishes()),
    "five": (asked(5), SeatingWishes(missing="bene-gesserit")),
    "four": (asked(4), SeatingWishes(fours=True, missing="bene-gesserit")),
    "a heat of sixes and fives": (asked(17), SeatingWishes()),
    "tables of four": (asked(14), SeatingWishes(fours=True)),
    "two heats of 12": (asked(12, 2), SeatingWishes()),
    "three heats of 18": (asked(18, 3), SeatingWishes()),
    "two heats of 25 by a design": (asked(25, 2), SeatingWishes()),
    "three heats of 36 of six tables": (asked(36, 3), SeatingWishes()),
    "two heats of 41 by a design": (asked(41, 2), SeatingWishes()),
    "three heats of 42 by a design": (asked(42, 3), SeatingWishes()),
    "factions later": (asked(18, 2), SeatingWishes(factions=False)),
    "eight factions": (asked(17, 2), SeatingWishes(box=EIGHT)),
    "eight factions, one not at a five": (asked(17, 2), SeatingWishes(box=EIGHT, missing="bene-gesserit")),
    "kept apart": (asked(18, 2, apart=CLIQUE), SeatingWishes()),
    "sat out before": (asked(17, byes=("E001", "E001", "E002", "E005")), SeatingWishes()),
    "a third heat": (asked(24, rounds=(3,), history=HEATS), SeatingWishes()),
    "a heat after fives": (asked(17, rounds=(2,), history=FIVES), SeatingWishes()),
    "waking hours": (asked(18, hours=hours(18)), SeatingWishes(overlap_hours=6)),
    "waking hours of two heats": (asked(12, 2, hours=hours(12)), SeatingWishes(overlap_hours=6)),
    "waking hours that no table shares": (asked(12, hours=hours(12)), SeatingWishes(overlap_hours=20)),
    "the eighth game of the same six": (asked(6, rounds=(8,), history=SEVEN), SeatingWishes()),
    "swiss": (asked(17, kind="swiss", rounds=(3,), history=HEATS), SeatingWishes()),
    "swiss by waking hours": (asked(18, kind="swiss", hours=hours(18)), SeatingWishes(overlap_hours=6)),
    "swiss, kept apart": (asked(18, kind="swiss", apart=CLIQUE), SeatingWishes()),
    "ladder": (asked(12, kind="ladder", rounds=(4,), history=HEATS), SeatingWishes()),
    "semifinal": (asked(24, kind="semifinal", rounds=(3,), history=HEATS), SeatingWishes()),
    "semifinal, kept apart": (asked(18, kind="semifinal", apart=CLIQUE), SeatingWishes()),
    "final": (asked(5, kind="final", rounds=(3,), history=HEATS), SeatingWishes()),
    "knockout": (asked(23, kind="knockout"), SeatingWishes()),
    "league of seven": (asked(7, kind="league"), SeatingWishes()),
    "league of seven at fours": (asked(7, kind="league"), SeatingWishes(fours=True, missing="bene-gesserit")),
    "leagues of 16 and 11": (asked(27, kind="league", byes=("E001",)), SeatingWishes(factions=False)),
    "leagues of eight factions": (asked(18, kind="league"), SeatingWishes(box=EIGHT)),
}
DIGESTS = {
    "one table": "cd7549a38fcad1e5",
    "five": "fc65bc01d9624b9d",
    "four": "89957b25bca9d837",
    "a heat of sixes and fives": "b240ce1d97bea3ea",
    "tables of four": "efaa9292aa0492a2",
    "two heats of 12": "4e4751fec446ca2f",
    "three heats of 18": "4d726483728bca99",
    "two heats of 25 by a design": "b5b5810fad894fbe",
    "three heats of 36 of six tables": "baa86ee721e2083d",
    "two heats of 41 by a design": "97f7bc56bac7e831",
    "three heats of 42 by a design": "89bf0d530466c307",
    "factions later": "df5a045f8b28f27f",
    "eight factions": "0f0cb979fd70458a",
    "eight factions, one not at a five": "5b7020235b43bbe9",
    "kept apart": "289e9293cf740d0f",
    "sat out before": "95c2367a8983f448",
    "a third heat": "44b7021b9ecd9c7c",
    "a heat after fives": "aeedac2c80137bf1",
    "waking hours": "4dfba9a170a7bf47",
    "waking hours of two heats": "e7ab632e0c2b5a31",
    "waking hours that no table shares": "94caf26b44f3e031",
    "the eighth game of the same six": "9a0fe5609fd4945f",
    "swiss": "aff8bb57278606b4",
    "swiss by waking hours": "e12cd412bb5a2c3b",
    "swiss, kept apart": "747ddb2e874899ff",
    "ladder": "323a5a5cde0d4ffa",
    "semifinal": "52c3d3ab8633fc9d",
    "semifinal, kept apart": "99c851d5f9a1b5b9",
    "final": "a118690ada9ccabe",
    "knockout": "996d65632f95e977",
    "league of seven": "1a0e01c9020df43c",
    "league of seven at fours": "1a0e01c9020df43c",
    "leagues of 16 and 11": "b1c79b4f2568d431",
    "leagues of eight factions": "a010f40f0e8d91a9",
}


@pytest.mark.parametrize("name", DRAWN)
def test_a_seating_that_was_published_once_is_drawn_again_for_ever(name: str) -> None:
    record, wishes = DRAWN[name]
    assert digest(draw_seating(record, "arrakis", wishes)) == DIGESTS[name]
