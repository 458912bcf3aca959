"""Mistaken, late and malicious input. Most of it is tested together with its subject:

| input | where it is tested |
|---|---|
| entering twice, from a second address; late, full; confirmation by another, old, wrong, guessed | `test_entering` |
| an address that never confirms; numbers that make no tables; a draw twice; beacons | `test_drawing` |
| a start twice, kills | `test_starting`, `test_kills_of_the_desk`, `test_every_kill_of_a_result` |
| settings edited after the opening; tie-breaks and scoring after the draw | `test_making`, `test_drawing` |
| a result for a running table | `test_amending` |
| winners not seated, too many, twice; a kind without winners | `test_progress` (the sentences), here (the command) |
| adjudication by who is seated there, or `apart` of one | `test_adjudicating`, `test_amending` |
| more `apart` than tables | `test_drawing` |
| substitutes who do not fit; withdrawing without --games | `test_substitutes` |
| points that are no points | `competition/test_settings` |
| names | `test_entrants_secrecy`, `test_mail_lines`, `archive/test_tournament_pages` |
| press to oneself, quotes, forged marks | `moderator/test_lines`, `secrecy/test_press_quotes`; here the rest |
| huge mails | `moderator/test_bad_mail`, `test_mail_lines` |
| mail without its token, forged | `test_entering` |
| a director's mail that somebody else passes on | `test_forwarded` |
| letters to entrants that come back | `test_bounces` |
| --if after a change | `test_making`, `test_rounds`, `cli/test_tournament_results` |
| a rating in another order, a result missing | `competition/test_verifying`, `competition/test_ratings_kept` |
"""

from __future__ import annotations

import pytest

from rules.components import FACTIONS
from tests.cli.conftest import Mentat
from tests.moderator.table import GAME_MASTER, World
from tests.tournament.cup import Cup, address


@pytest.fixture
def seated(place: World) -> Cup:
    """Set up a tournament whose first heat is being played and whose first table is decided."""
    made = Cup(place)
    made.round()
    made.end("cup-1-1", "guild", how="default")
    made.tick(1)
    return made


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("amend", "1.2", "--winners", "guild", "--why", "so"), "its game is running"),
        (("amend", "1.1", "--winners", "guild,atreides,fremen,emperor", "--why", "so"), "4 winners are too many"),
        (("amend", "1.1", "--winners", "guild,guild", "--why", "so"), "include the Guild twice"),
        (("amend", "1.1", "--winners", "guild", "--kind", "void", "--why", "so"), "oid"),
        (("amend", "1.1", "--winners", "fremen"), "give the reason with --why"),
        (("substitute", "1.2", "guild", "E001", "--why", "so"), "only standbys can take over seats"),
        (("substitute", "1.2", "guild", "E012", "--why", "so"), "sits at table 1.2"),
        (("substitute", "1.2", "guild", "E099", "--why", "so"), "has no entrant E099"),
        (("withdraw", "E009"), "add --games keep"),
        (("round", "1", "extend", "nan"), "are not above 0"),
        (("round", "1", "extend", "inf"), "are not above 0"),
        (("round", "1", "extend", "1e9"), "are not above 0"),
        (("round", "9", "show"), "has no round 9"),
        (("apart", "E001", "E001"), "name two entrants to keep apart"),
        (("apart", "E001", "E077"), "has no entrant 'E077'"),
        (("disqualify", "E077", "--why", "so"), "has no entrant E077"),
        (("show", "--as", "nobody"), "a viewer is director, public, or an entrant"),
        (("standings", "--why", "E077"), "is not in the standings"),
        (("finish",), "is not closed"),
    ],
)
def test_a_command_that_cannot_be_done_is_refused_with_its_own_sentence(
    mentat: Mentat, seated: Cup, words: tuple[str, ...], said: str
) -> None:
    before = len(seated.world.letters()), seated.versions()
    ran = mentat("tournament", words[0], "cup", *words[1:])
    assert (ran.code, ran.out) == (1, "")
    assert said in " ".join(ran.err.split())
    assert (len(seated.world.letters()), seated.versions()) == before


@pytest.mark.parametrize(
    "line",
    ["press to : hello", "press to nobody: hello", "press to the spacing guild of arrakis: hello", "press to all:",
     "press to all: > only what somebody else wrote"],
)  # fmt: skip
def test_press_that_has_no_reader_or_no_words_is_answered_and_nobody_else_notices(seated: Cup, line: str) -> None:
    world = seated.world
    guild, before = address(7 + FACTIONS.index("guild")), len(world.letters())
    assert world.say("guild", line, game="cup-1-2").taken == 0
    written = world.letters()[before:]
    assert {letter.recipient for letter in written} <= {GAME_MASTER, guild}
    assert all("hello" not in letter.text for letter in written if letter.recipient == GAME_MASTER)
