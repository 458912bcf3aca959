"""Two tables that do not fill up are merged if both openers agree."""

from __future__ import annotations

from bot.lobby.requests import Open
from tests.lobby.people import Lobby


def two_thin_tables(lobby: Lobby, wanted: Open, first: int, second: int, other: Open | None = None) -> tuple[str, str]:
    one = lobby.opens("ann", wanted)
    lobby.wait(1)
    two = lobby.opens("zoe", other or wanted)
    for table, count, letter in ((one, first, "a"), (two, second, "z")):
        for number in range(1, count):
            lobby.joins(f"{letter}{number}", table.id)
    return one.id, two.id


def near_the_end(lobby: Lobby, table: str) -> None:
    lobby.wait((lobby.table(table).expires_at - lobby.world.now).total_seconds() / 3600 - 70)


def test_two_tables_that_fill_one_are_proposed_to_both_openers_and_merged_when_both_agree(lobby: Lobby) -> None:
    one, two = two_thin_tables(lobby, Open(most=5), 2, 3)
    near_the_end(lobby, one)
    assert lobby.subjects("ann")[-1] == f"{one} and {two}: one table?"
    assert lobby.subjects("zoe")[-1] == f"{two} and {one}: one table?"
    assert "Together they would be full" in lobby.words("ann")
    assert lobby.subjects("a1")[-1] == f"You are in: {one}, 2 of 5"
    letters = len(lobby.letters("ann"))
    lobby.wait(1)
    assert len(lobby.letters("ann")) == letters
    lobby.answers("ann", "yes")
    assert "Once the other opener also says yes" in lobby.words("ann")
    assert lobby.seats(one) == ["ann", "a1"]
    lobby.answers("zoe", "yes")
    assert lobby.table(one).state == "ended"
    assert lobby.seats(two) == ["zoe", "z1", "z2", "ann", "a1"]
    assert f"{one} and {two} are now one table" in lobby.subjects("a1")


def test_an_opener_who_says_no_to_one_table_keeps_theirs_and_nobody_is_told(lobby: Lobby) -> None:
    one, two = two_thin_tables(lobby, Open(most=5), 2, 3)
    near_the_end(lobby, one)
    lobby.answers("ann", "yes")
    letters = len(lobby.letters("ann"))
    lobby.answers("zoe", "no")
    assert "remain separate tables" in lobby.words("zoe")
    assert len(lobby.letters("ann")) == letters
    assert (lobby.table(one).state, lobby.table(two).state) == ("open", "open")
    assert lobby.seats(two) == ["zoe", "z1", "z2"]


def test_tables_that_differ_or_are_too_many_or_too_few_together_are_not_proposed(lobby: Lobby) -> None:
    for first, second, other in ((2, 3, Open(most=5, tempo="swift")), (3, 4, None), (1, 2, None)):
        one, _ = two_thin_tables(lobby, Open(most=5), first, second, other)
        near_the_end(lobby, one)
        assert not any("one table?" in subject for subject in lobby.subjects("ann"))
        for name in ("ann", "zoe", "a1", "a2", "z1", "z2", "z3"):
            lobby.proves(name, "leave all")


def test_a_yes_to_a_merge_that_fits_no_longer_changes_nothing(lobby: Lobby) -> None:
    one, two = two_thin_tables(lobby, Open(most=5), 2, 3)
    near_the_end(lobby, one)
    lobby.answers("ann", "yes")
    lobby.joins("z3", two)
    lobby.proves("zoe", f"yes {two}")
    assert "can no longer be merged" in lobby.words("zoe")
    assert lobby.seats(two) == ["zoe", "z1", "z2", "z3"]
