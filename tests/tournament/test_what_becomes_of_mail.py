"""Tournament mail: the disposition of each mail, and the letter that answers it."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.games.identity import TOO_MANY_MESSAGES, MailOutcome
from bot.mail.disposition import examine
from bot.store import tournaments
from bot.store.database import reading, writing
from bot.tournament import incoming_mail
from bot.tournament.entrant_lines import MOST_SHOWN
from tests.moderator.table import CONFIG
from tests.tournament.entries import DIRECTOR, OWN, SETTINGS, Cup, address

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
    """Deliver a mail; return its disposition, the reason, and the subjects of the letters to its writer."""
    who = sender or address(name)
    before = cup.world.written()
    found: MailOutcome = cup.deliver(cup.mail(name, *lines, to=to, sender=sender))
    written = [letter.subject for letter in cup.world.letters(after=before) if letter.recipient == who]
    return found.disposition, found.reason, written


def test_of_strangers(cup: Cup) -> None:
    assert became(cup, "ann", "enter cup as Ann") == (
        "orders", "E001 wants to enter cup", ["[cup] Please confirm your entry to The Cup"]
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
    assert became(cup, "ann", "enter cup") == ("orders", "E001 is in cup already", ["[cup] You are already in"])
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
        "orders", "E001 of cup enters second", ["[second] Please confirm your entry to The Cup"]
    )  # fmt: skip
    assert became(cup, "ann", "withdraw", to=own)[:2] == ("orders", "E001 of cup wrote")
    assert cup.entrant("ann").state == "withdrawn"


def test_of_a_program_that_says_the_same_again(cup: Cup) -> None:
    cup.enters("ann")
    own, reason = token(cup, "ann"), "E001 of cup wrote, and no line was understood"
    answered = [
        became(cup, "ann", f"Deine Zuschrift traegt bei uns das Zeichen {number}.", to=own) for number in (4711, 815, 9)
    ]
    assert [(disposition, why) for disposition, why, _ in answered] == [("orders", reason)] * 3
    assert [len(letters) for _, _, letters in answered] == [1, 0, 0]
    assert became(cup, "ann", "name Annie", to=own)[2] == ["[cup] 1 of 1 line taken"]


def test_of_who_may_not_come_back(cup: Cup) -> None:
    cup.enters("ann")
    with writing(cup.world.engine) as conn:
        tournaments.change_entrant(conn, "cup", 1, state="disqualified")
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
    for _ in range(most - 2):  # the code and the welcome count as two
        assert became(cup, "ann", "status", to=own)[0] == "orders"
    assert became(cup, "ann", "status", to=own) == ("rejected", TOO_MANY_MESSAGES, [])
    assert became(cup, "ann", "standings cup") == ("rejected", TOO_MANY_MESSAGES, [])
    assert became(cup, "ann", "enter cup") == ("orders", "E001 is in cup already", [])


def test_of_entries_to_what_is_over(cup: Cup) -> None:
    cup.enters("ann")
    with writing(cup.world.engine) as conn:
        tournaments.touch(conn, "cup", state="finished")
    assert became(cup, "ann", "enter cup")[1] == "E001 cannot enter cup"
    assert became(cup, "bob", "enter cup") == ("orders", NEUTRAL, [NEUTRAL_SUBJECT])


def test_of_who_has_not_confirmed(cup: Cup) -> None:
    cup.says("ann", "enter cup")
    cup.wait(1.1)
    assert became(cup, "ann", "standings", to=TOURNAMENTS_OWN) == ("orders", NEUTRAL, [NEUTRAL_SUBJECT])
    with writing(cup.world.engine) as conn:
        tournaments.change_entrant(conn, "cup", 1, state="disqualified")
    cup.wait(25)
    assert became(cup, "ann", "enter cup") == ("orders", NEUTRAL, [NEUTRAL_SUBJECT])


def test_of_who_may_not_come_back_and_has_had_their_letters_of_the_hour(cup: Cup) -> None:
    cup.enters("ann")
    with writing(cup.world.engine) as conn:
        tournaments.change_entrant(conn, "cup", 1, state="disqualified")
    most = cup.world.moderator.open_games.settings.limits.answers_per_hour
    for _ in range(most - 2):
        cup.wait(0.02)
        assert became(cup, "ann", "enter cup")[1:] == ("E001 cannot enter cup", ["[cup] You cannot enter"])
    assert became(cup, "ann", "enter cup") == ("orders", NEUTRAL, [])


def test_of_an_organiser_who_asks_without_the_token(cup: Cup) -> None:
    found = became(cup, "boss", "standings", to=TOURNAMENTS_OWN, sender=DIRECTOR)
    assert found == ("orders", NEUTRAL, [NEUTRAL_SUBJECT]), "who is no entrant"


def test_of_an_answer_to_the_letter_with_the_code_that_is_over_or_names_another(cup: Cup) -> None:
    cup.says("ann", "enter cup")
    to = str(cup.newest("ann").message["Reply-To"])
    cup.wait(1.1)
    assert became(cup, "ann", "confirm aaaaaaaaaaaaaaaa", to=to)[:2] == ("orders", NEUTRAL)
    assert cup.entrant("ann").state == "entered"
    assert became(cup, "ann", f"confirm {cup.code('ann')}", to=to)[1] == "E001 confirmed that they enter cup"
    cup.says("bob", "enter cup")
    to = str(cup.newest("bob").message["Reply-To"])
    cup.wait(72)
    assert became(cup, "bob", "confirm", to=to) == ("orders", NEUTRAL, [NEUTRAL_SUBJECT])


def test_of_thirty_lines_each_is_answered_and_of_more_the_first_says_how_many_are_left(cup: Cup) -> None:
    cup.enters("ann")
    cup.enters("bob")
    names = [f"name Ann {number}" for number in range(1, 33)]
    own = token(cup, "ann")
    assert became(cup, "ann", *names[:30], to=own)[2] == ["[cup] 30 of 30 lines taken"]
    assert cup.entrant("ann").name == "Ann 30"
    assert became(cup, "ann", *names, to=own)[2] == ["[cup] 30 of 31 lines taken"]
    assert cup.entrant("ann").name == "Ann 30"
    assert names[30] in cup.newest("ann").text
    assert names[31] not in cup.newest("ann").text


@pytest.mark.parametrize("owner", ["entrant", "asked", "organiser"])
def test_who_brings_back_a_token_of_their_own_must_show_that_they_are_it(cup: Cup, owner: str) -> None:
    cup.enters("ann")
    cup.says("bob", "enter cup")
    to, who = {
        "entrant": (token(cup, "ann"), address("ann")),
        "asked": (str(cup.newest("bob").message["Reply-To"]), address("bob")),
        "organiser": ("mentat+cupdirectortok22@arrakis.example", DIRECTOR),
    }[owner]

    def asks_for_proof(to: str, sender: str) -> bool:
        seen = examine(cup.mail("cid", "Hello!", to=to, sender=sender), OWN, lambda _: None)
        with reading(cup.world.engine) as conn:
            return incoming_mail.needs_proof(conn, seen)

    assert asks_for_proof(to, who)
    assert not asks_for_proof(to, address("cid"))
    assert not asks_for_proof(to, "nobody")
    assert not asks_for_proof(OWN, who)


def test_where_addresses_of_one_mailbox_are_different_persons_each_enters_for_itself(tmp_path: Path) -> None:
    several = f"{CONFIG}\n[identity]\nsame_mailbox = 'several'\n"
    for folder, config, entered in (("one", CONFIG, 1), ("two", several, 3)):
        (tmp_path / folder).mkdir()
        apart = Cup.at(tmp_path / folder, config=config)
        apart.deliver(apart.mail("ann", "enter cup as Other", sender="ann+second@example.org"))
        apart.says("ann", "enter cup as Ann")
        apart.deliver(apart.mail("ann", "enter cup as Third", sender="ann+third@example.org"))
        assert len(apart.everybody()) == entered
        apart.world.engine.dispose()


def test_codes_that_had_to_wait_are_each_written_for_their_own_tournament(cup: Cup) -> None:
    cup.says("ann", "enter cup")
    cup.says("bob", "enter second")
    with writing(cup.world.engine) as conn:
        for tournament in ("cup", "second"):
            tournaments.change_entrant(conn, tournament, 1, code_until=None)
    cup.wait(1.1)
    before = cup.world.written()
    incoming_mail.write_waiting_codes(cup.world.moderator.open_games, cup.world.now)
    assert cup.world.written() == before, "they were written by the calendar already"
    assert [letter.subject for letter in cup.letters("ann")] == 2 * ["[cup] Please confirm your entry to The Cup"]
    assert [letter.subject for letter in cup.letters("bob")] == 2 * ["[second] Please confirm your entry to The Cup"]


def test_a_long_line_is_answered_by_its_beginning(cup: Cup) -> None:
    cup.enters("ann")
    line = "connected Bob " + "of the same club and town " * 30
    became(cup, "ann", line, to=token(cup, "ann"))
    text = " ".join(cup.newest("ann").text.split())
    assert f"{line[:MOST_SHOWN]}…" in text
    assert line[: MOST_SHOWN + 1] not in text


def test_whoever_mistyped_a_name_is_told_what_takes_entries_now(cup: Cup) -> None:
    cup.make("gone", SETTINGS, days=0)
    cup.make("closed", 'title = "The Cup"\n[people]\nentry = "invited"\n')
    with writing(cup.world.engine) as conn:
        tournaments.touch(conn, "second", until=None)
    cup.wait(0.1)
    became(cup, "bob", "enter cupp")
    text = cup.newest("bob").text
    assert [name for name in ("cup", "second", "gone", "closed") if f"enter {name}" in text or f"{name} (" in text] == [
        "cup", "second"
    ]  # fmt: skip


def test_an_organiser_who_asks_among_other_words_is_shown_what_they_asked_for(cup: Cup) -> None:
    own = "mentat+cupdirectortok22@arrakis.example"
    assert became(cup, "boss", "Hello!", "standings", "name Boss", to=own, sender=DIRECTOR)[1] == (
        "an organiser of cup wrote"
    )
    assert "No table has a result yet." in cup.world.newest(DIRECTOR).text
