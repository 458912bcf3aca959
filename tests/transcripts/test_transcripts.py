"""What people and disks receive in each scenario is, word for word, what was read and accepted before."""

from __future__ import annotations

from itertools import islice

import pytest

from tests.transcripts.scenario import play, scenarios
from tests.transcripts.transcript import KEPT, Piece, as_pieces, as_text, differences, kept_file, read

FIRST = 6
"""How many differences a failure shows."""

HOW_TO_GO_ON = """
{name} gives another transcript than the one that is kept. All of the difference:
    python -m tests.transcripts diff {name}
If it is meant, and you have read it:
    python -m tests.transcripts accept {name}
"""


@pytest.mark.parametrize("name", scenarios())
def test_what_everybody_receives_is_what_was_accepted(name: str) -> None:
    kept = read(name)
    assert kept, f"no transcript is kept: read and keep it by  python -m tests.transcripts accept {name}"
    found = list(islice(differences(kept, play(name)), FIRST))
    if found:
        pytest.fail("\n\n".join([HOW_TO_GO_ON.format(name=name), *found]), pytrace=False)


def test_nothing_is_kept_for_which_there_is_no_scenario() -> None:
    assert {file.name for file in KEPT.iterdir()} <= {kept_file(name).name for name in scenarios()}


BEFORE = [Piece(f"to {one}", f"Turn {n}.\nStorm.\nEnd.") for n in range(300) for one in ("guild", "fremen")]


def test_a_changed_line_is_shown_with_the_heading_of_its_piece() -> None:
    after = [*BEFORE]
    after[77] = Piece("to fremen", "Turn 38.\nSand.\nEnd.")
    (found,) = differences(BEFORE, after)
    assert found == "CHANGED  to fremen\n@@ -1,3 +1,3 @@\n Turn 38.\n-Storm.\n+Sand.\n End."


def test_a_letter_that_came_to_somebody_else_is_shown_as_one_that_went_and_one_that_came() -> None:
    after = [*BEFORE[:10], Piece("to emperor", "Turn 5.\nStorm.\nEnd."), *BEFORE[11:]]
    (found,) = differences(BEFORE, after)
    assert found == "CHANGED  to guild\n     now to emperor"


def test_a_letter_more_and_a_letter_less_are_shown_whole() -> None:
    more = [*BEFORE[:10], Piece("to emperor", "Hello."), *BEFORE[10:]]
    assert list(differences(BEFORE, more)) == ["NEW      to emperor\n+Hello."]
    assert list(differences(more, BEFORE)) == ["GONE     to emperor\n-Hello."]


def test_no_difference_is_found_where_there_is_none() -> None:
    assert list(differences(BEFORE, [*BEFORE])) == []


def test_a_transcript_is_read_as_it_was_written() -> None:
    pieces = [Piece("one", "a\n\nb"), Piece("two", ""), Piece("three", "━━━ no heading\nend\n")]
    read_back = as_pieces(as_text(pieces))
    assert [heading for heading, _ in read_back] == ["one", "two", "three"]
    assert read_back[2].text == " ━━━ no heading\nend\n"
    assert list(differences(read_back, pieces)) == []
