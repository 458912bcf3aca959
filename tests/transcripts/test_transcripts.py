"""Tests that five games by mail match their accepted transcripts, letter for letter."""

from __future__ import annotations

from itertools import islice

import pytest

from tests.transcripts.games import GAMES
from tests.transcripts.scenario import play
from tests.transcripts.transcript import KEPT, Piece, as_pieces, as_text, differences, kept_file, read

FIRST = 6
"""The number of differences that a failure shows."""

HOW_TO_GO_ON = """
The transcript of {name} has changed. Show the whole difference:
    python -m tests.transcripts diff {name}
If you have read all of it and all of it is meant, keep the new transcript:
    python -m tests.transcripts accept {name}
"""


@pytest.mark.parametrize("name", GAMES)
def test_a_game_by_mail_reads_as_its_accepted_transcript(name: str) -> None:
    kept = read(name)
    assert kept, f"no transcript is kept; read it, then run  python -m tests.transcripts accept {name}"
    found = list(islice(differences(kept, play(name)), FIRST))
    if found:
        pytest.fail("\n\n".join([HOW_TO_GO_ON.format(name=name), *found]), pytrace=False)


def test_a_changed_sentence_needs_at_most_five_approvals() -> None:
    assert len(GAMES) <= 5


def test_each_kept_transcript_belongs_to_a_game() -> None:
    assert {file.name for file in KEPT.iterdir()} <= {kept_file(name).name for name in GAMES}


BEFORE = [Piece(f"to {one}", f"Turn {n}.\nStorm.\nEnd.") for n in range(300) for one in ("guild", "fremen")]


def test_a_changed_line_is_shown_with_the_heading_of_its_piece() -> None:
    after = [*BEFORE]
    after[77] = Piece("to fremen", "Turn 38.\nSand.\nEnd.")
    (found,) = differences(BEFORE, after)
    assert found == "CHANGED  to fremen\n@@ -1,3 +1,3 @@\n Turn 38.\n-Storm.\n+Sand.\n End."


def test_a_letter_to_another_recipient_is_shown_with_both_headings() -> None:
    after = [*BEFORE[:10], Piece("to emperor", "Turn 5.\nStorm.\nEnd."), *BEFORE[11:]]
    (found,) = differences(BEFORE, after)
    assert found == "CHANGED  to guild\n     now to emperor"


def test_an_added_and_a_missing_letter_are_shown_in_full() -> None:
    more = [*BEFORE[:10], Piece("to emperor", "Hello."), *BEFORE[10:]]
    assert list(differences(BEFORE, more)) == ["NEW      to emperor\n+Hello."]
    assert list(differences(more, BEFORE)) == ["GONE     to emperor\n-Hello."]


def test_equal_transcripts_do_not_differ() -> None:
    assert list(differences(BEFORE, [*BEFORE])) == []


def test_a_transcript_survives_writing_and_reading() -> None:
    pieces = [Piece("one", "a\n\nb"), Piece("two", ""), Piece("three", "━━━ no heading\nend\n")]
    read_back = as_pieces(as_text(pieces))
    assert [heading for heading, _ in read_back] == ["one", "two", "three"]
    assert read_back[2].text == " ━━━ no heading\nend\n"
    assert list(differences(read_back, pieces)) == []
