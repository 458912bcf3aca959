"""Names and codes of accounts that cannot be linked: a name that is none, a code from before a new reply address."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.forum.place import DISCOURSE, ForumWorld, code_in


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ForumWorld:
    """A game in a forum in which players have accounts of their own."""
    monkeypatch.setenv("MENTAT_FORUM_ARRAKIS_KEY", "key-of-arrakis")
    monkeypatch.setattr("tests.forum.place.FORUM", DISCOURSE)
    made = ForumWorld(tmp_path)
    made.begin_at("bidding")
    return made


def told(place: ForumWorld, line: str) -> str:
    place.world.say("fremen", line)
    return " ".join(place.world.newest("fremen").text.split())


@pytest.mark.parametrize("name", ["“”", "''", "@"])
def test_a_name_without_a_letter_is_none(place: ForumWorld, name: str) -> None:
    assert "is no name" in told(place, f"forum name {name}")
    assert "A code for" not in told(place, "forum")


def test_a_code_ends_with_the_reply_address_to_which_it_was_sent(place: ForumWorld) -> None:
    told(place, "forum name chani_77")
    code = code_in(place.world.newest("fremen").text)
    assert "A code for “chani_77” waits" in told(place, "forum")
    told(place, "freeze")
    assert "A code for" not in told(place, "forum")
    before = place.world.written()
    place.write("chani_77", f"!I am {code}")
    place.look(1)
    assert not any("Linked: " in post for post in place.ours())
    assert place.world.written() == before
