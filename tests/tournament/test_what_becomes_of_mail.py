"""What becomes of each mail about a tournament: how it was disposed of, and the letter that answers it."""

from __future__ import annotations

import pytest

from bot.identity.identification import TOO_MANY, Processed
from bot.store.database import writing
from bot.store.tournaments import entrants, tournaments
from tests.tournament.entries import DIRECTOR, OWN, Cup, address

NEUTRAL = "about a tournament; answered without a word about it"
NEUTRAL_SUBJECT = "[Mentat] Your mail about a tournament"
TOURNAMENTS_OWN = "mentat+cuptournamentt22@arrakis.example"


@pytest.fixture
def cup(entry_cup: Cup) -> Cup:
    entry_cup.make("second")
    return entry_cup


def token(cup: Cup, name: str) -> str:
    return f"mentat+{cup.entrant(name).token}@arrakis.example"


def became(cup: Cup, name: str, *lines: str, to: str = OWN, sender: str = "") -> tuple[str, str, list[str]]:
    """What became of a mail: its disposition, the reason, and the subjects of the letters to its writer."""
    who = sender or address(name)
    before = cup.world.written()
    found: Processed = cup.deliver(cup.mail(name, *lines, to=to, sender=sender))
    written = [letter.subject for letter in cup.world.letters(after=before) if letter.recipient == who]
    return found.disposition, found.reason, written


def test_of_strangers(cup: Cup) -> None:
    assert became(cup, "ann", "enter cup as Ann") == (
        "orders", "E001 wants to enter cup", ["[cup] Confirm that you enter The Cup"]
    )  # fmt: skip
    assert became(cup, "ann", "enter cup") == ("orders", "E001 wants to enter cup", [])
    assert became(cup, "bob", "standings cup") == ("orders", NEUTRAL, [NEUTRAL_SUBJECT])
    assert became(cup, "bob", "standings cup") == ("orders", NEUTRAL, [])
    assert became(cup, "cid", "enter nothing") == ("orders", NEUTRAL, [NEUTRAL_SUBJECT])
    assert became(cup, "dora", "Hello!", to=TOURNAMENTS_OWN) == ("orders", NEUTRAL, [NEUTRAL_SUBJECT])
    assert became(cup, "eve", "withdraw cup") == ("orders", NEUTRAL, [NEUTRAL_SUBJECT])
    assert became(cup, "fay", "Hello!", "status nothing")[1] != NEUTRAL, "which is a word of games too"
    assert became(cup, "ann", f"confirm {cup.code('ann')}") == (
        "orders", "E001 confirmed that they enter cup", ["[cup] You are in The Cup"]
    )  # fmt: skip


def test_of_who_is_in_and_writes_without_their_token(cup: Cup) -> None:
    cup.enters("ann")
    asked = ("orders", "lines for E001 of cup without their token: they were asked")
    assert became(cup, "ann", "standings cup", "withdraw cup") == (
        "orders", "E001 asked about cup", ["[cup] Standings"]
    )  # fmt: skip
    disposition, reason, [subject] = became(cup, "ann", "withdraw cup")
    assert (disposition, reason) == asked
    assert "withdraw cup" in cup.newest("ann").text
    cup.wait(0.1)
    assert became(cup, "ann", "name Annie", to=TOURNAMENTS_OWN) == (*asked, [subject])
    assert became(cup, "ann", "withdraw second")[1] == NEUTRAL, "of which she is none"
    assert became(cup, "ann", "enter cup") == ("orders", "E001 is in cup already", ["[cup] You are in already"])
    assert cup.entrant("ann").state == "confirmed"


def test_of_who_brings_back_a_token(cup: Cup) -> None:
    cup.enters("ann")
    cup.enters("bob")
    own = token(cup, "ann")
    assert became(cup, "ann", "name Annie", "nme Anna", to=own) == (
        "orders", "E001 of cup wrote", ["[cup] 1 of 2 lines taken"]
    )  # fmt: skip
    assert became(cup, "ann", "Hello!", to=own)[:2] == (
        "orders", "E001 of cup wrote, and no line was understood"
    )  # fmt: skip
    assert became(cup, "ann", "tables", "standings", to=own) == (
        "orders", "E001 of cup wrote", ["[cup] Tables and standings"]
    )  # fmt: skip
    assert became(cup, "bob", "withdraw", to=own) == (
        "rejected", "a token of cup, but not from its owner's address", []
    )  # fmt: skip
    assert became(cup, "ann", "enter second", to=own) == (
        "orders", "E001 of cup enters second", ["[second] Confirm that you enter The Cup"]
    )  # fmt: skip
    assert became(cup, "ann", "withdraw", to=own)[:2] == ("orders", "E001 of cup wrote")
    assert cup.entrant("ann").state == "withdrawn"


def test_of_who_may_not_come_back(cup: Cup) -> None:
    cup.enters("ann")
    with writing(cup.world.engine) as conn:
        entrants.change(conn, "cup", 1, state="disqualified")
    found = became(cup, "ann", "enter cup")
    assert found == ("orders", "E001 cannot enter cup", ["[cup] You cannot enter"])
    assert "You were disqualified." in cup.newest("ann").text


def test_of_organisers(cup: Cup) -> None:
    without = "an organiser of cup, without the token of their letters"
    assert became(cup, "boss", "withdraw cup", sender=DIRECTOR) == ("rejected", without, [])
    assert became(cup, "boss", "Hello!", to=TOURNAMENTS_OWN, sender=DIRECTOR) == ("rejected", without, [])
    assert became(cup, "boss", "enter cup", sender=DIRECTOR) == (
        "orders", "an organiser of cup cannot enter it", ["[cup] You cannot enter"]
    )  # fmt: skip
    own = "mentat+cupdirectortok22@arrakis.example"
    assert became(cup, "boss", "standings", to=own, sender=DIRECTOR)[:2] == ("orders", "an organiser of cup wrote")
    assert became(cup, "ann", "standings", to=own) == (
        "rejected", "a token of cup, but not from its owner's address", []
    )  # fmt: skip


def test_of_who_has_had_their_letters_of_the_hour(cup: Cup) -> None:
    cup.enters("ann")
    own = token(cup, "ann")
    most = cup.world.moderator.open_games.settings.limits.answers_per_hour
    for _ in range(most - 2):  # the code and the welcome are two
        assert became(cup, "ann", "status", to=own)[0] == "orders"
    assert became(cup, "ann", "status", to=own) == ("rejected", TOO_MANY, [])
    assert became(cup, "ann", "standings cup") == ("rejected", TOO_MANY, [])
    assert became(cup, "ann", "enter cup") == ("orders", "E001 is in cup already", [])


def test_of_entries_to_what_is_over(cup: Cup) -> None:
    cup.enters("ann")
    with writing(cup.world.engine) as conn:
        tournaments.touch(conn, "cup", state="finished")
    assert became(cup, "ann", "enter cup")[1] == "E001 cannot enter cup"
    assert became(cup, "bob", "enter cup") == ("orders", NEUTRAL, [NEUTRAL_SUBJECT])
