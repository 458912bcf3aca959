"""Entering a tournament by mail: confirmation codes, limits on answers, and nothing revealed to strangers."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest

from bot.desk import people
from bot.desk.powers import DeskRequest
from bot.store import tournament_rounds, tournaments
from bot.store.database import reading, writing
from bot.store.tournament_rounds import Round
from bot.tournament import desk, entries
from bot.tournament.desk import By, Caller, Refused, acting
from tests.tournament.entries import Cup, address


@pytest.fixture
def cup(entry_cup: Cup) -> Cup:
    return entry_cup


def test_who_enters_gets_a_code_and_is_in_once_it_comes_back(cup: Cup) -> None:
    assert cup.says("ann", "enter CUP as Ann").disposition == "orders"
    assert cup.entrant("ann").state == "entered"
    letter = cup.newest("ann")
    assert f"confirm {cup.code('ann')}" in letter.text
    assert "make no deal that reaches beyond it" in " ".join(letter.text.split())
    cup.says("ann", f"confirm {cup.code('ann')}")
    ann = cup.entrant("ann")
    assert (ann.state, ann.handle, ann.name, ann.shown, ann.code) == ("confirmed", "E001", "Ann", True, "")
    assert ann.token in str(cup.newest("ann").message["Reply-To"])
    assert "You are in The Cup" in cup.newest("ann").subject


def test_the_word_confirm_in_an_answer_to_the_letter_is_enough(cup: Cup) -> None:
    cup.says("ann", "enter cup")
    cup.answers("ann", "Confirm.")
    assert cup.entrant("ann").state == "confirmed"


def test_an_entry_in_the_subject_alone_is_read(cup: Cup) -> None:
    cup.says("ann", subject="Enter cup")
    assert cup.entrant("ann").state == "entered"


@pytest.mark.parametrize(
    ("lines", "subject", "entered"),
    [
        (("Hello Mentat, this is Ann.",), "[cup] Enter cup as Annie", "Annie"),
        (("enter cup as Ann",), "enter cup as Annie", "Ann"),
        (("standngs",), "enter cup as Annie", None),
        (("Hello!",), "Re: enter cup as Annie", None),
        (("Hello!",), "[cup] AW: enter cup as Annie", None),
        (("Hello!",), "entr cup", None),
    ],
)
def test_the_subject_counts_where_it_is_the_senders_own_and_the_body_says_nothing(
    cup: Cup, lines: tuple[str, ...], subject: str, entered: str | None
) -> None:
    cup.says("ann", *lines, subject=subject)
    assert [each.name for each in cup.everybody()] == ([] if entered is None else [entered])


def test_entering_twice_changes_nothing_and_says_so(cup: Cup) -> None:
    before = cup.enters("ann")
    cup.says("ann", "Enter Cup as Somebody Else")
    assert cup.entrant("ann") == before
    assert "You are already in" in cup.newest("ann").subject
    assert len(cup.everybody()) == 1


def test_a_second_confirmed_address_is_the_same_entrant(cup: Cup) -> None:
    from bot.store import people as addresses

    cup.enters("ann")
    with writing(cup.world.engine) as conn:
        addresses.ask_for_address(conn, address("ann"), address("anna"), "c" * 16, cup.world.now)
        asked = addresses.address_request(conn, "c" * 16, cup.world.now)
        assert asked
        addresses.confirm_address(conn, asked)
    cup.says("anna", "enter cup")
    assert len(cup.everybody()) == 1
    assert cup.letters("anna") == []
    assert "You are already in" in cup.newest("ann").subject


def test_a_tag_or_letter_case_makes_no_second_entrant(cup: Cup) -> None:
    cup.enters("ann")
    local, _, domain = address("ann").partition("@")
    tagged = f"{local.title()}+dune@{domain}"
    cup.deliver(cup.mail("ann", "enter cup as Somebody Else", sender=tagged))
    assert len(cup.everybody()) == 1
    assert "You are already in" in cup.newest("ann").subject
    asked = entries.enter_by_director(
        Caller(cup.world.moderator.open_games, cup.world.now), "cup", f"{local}+other@{domain}"
    )
    assert (asked.how, asked.entrant.address) == ("in", address("ann"))


def test_who_was_disqualified_does_not_come_back_with_a_tag(cup: Cup) -> None:
    cup.enters("ann")
    with writing(cup.world.engine) as conn:
        tournaments.change_entrant(conn, "cup", 1, state="disqualified")
    local, _, domain = address("ann").partition("@")
    cup.deliver(cup.mail("ann", "enter cup", sender=f"{local}+dune@{domain}"))
    assert [each.state for each in cup.everybody()] == ["disqualified"]


def test_an_organiser_does_not_enter_with_a_tag(cup: Cup) -> None:
    desk.grant_right(Caller(cup.world.moderator.open_games, cup.world.now), "cup", "boss@example.org", "arbiter")
    with pytest.raises(Refused, match="cannot play in it"):
        entries.enter_by_director(Caller(cup.world.moderator.open_games, cup.world.now), "cup", "Boss+play@example.org")


@pytest.mark.parametrize("only", ["", "cup"])
def test_a_director_enters_nobody_who_is_banned_and_is_told_how_they_come_in_again(cup: Cup, only: str) -> None:
    open_games, now = cup.world.moderator.open_games, cup.world.now
    cup.make("second")
    people.ban(DeskRequest(open_games, "", now), address("ann"), tournament_id=only)
    local, _, domain = address("ann").partition("@")
    with pytest.raises(Refused) as refused:
        entries.enter_by_director(Caller(open_games, now), "cup", f"{local}+again@{domain}")
    again = f"mentat person unban {local}+again@{domain}{' --tournament cup' if only else ''}`"
    assert again in str(refused.value)
    assert cup.everybody() == []
    if only:
        assert entries.enter_by_director(Caller(open_games, now), "second", address("ann")).how == "asked"
    people.unban(DeskRequest(open_games, "", now), f"{local}+again@{domain}", tournament_id=only)
    assert entries.enter_by_director(Caller(open_games, now), "cup", address("ann")).how == "asked"


def test_whoever_is_banned_before_they_confirm_is_not_in(cup: Cup) -> None:
    open_games = cup.world.moderator.open_games
    entries.enter_by_director(Caller(open_games, cup.world.now), "cup", address("ann"))
    code = cup.code("ann")
    people.ban(DeskRequest(open_games, "", cup.world.now), address("ann"))
    cup.says("ann", f"confirm {code}")
    assert cup.entrant("ann").state == "entered"


def test_whoever_is_banned_from_one_tournament_reads_the_words_for_no_such_tournament(cup: Cup) -> None:
    people.ban(DeskRequest(cup.world.moderator.open_games, "", cup.world.now), address("ann"), tournament_id="cup")
    cup.wait(1.1)
    cup.says("ann", "enter cup")
    cup.says("bob", "enter nothing-like-it")
    assert cup.newest("ann").text == cup.newest("bob").text
    assert cup.everybody() == []


BARS = 'title = "The Cup"\npeople.no_show_bars_next = true\n'


@pytest.mark.parametrize(
    ("took_part", "no_show", "earlier", "in_next"),
    [
        ("first", True, (BARS,), False),
        ("first", False, (BARS,), True),
        ("first", True, ('title = "The Cup"\n',), True),
        ("first", True, (BARS, BARS), True),
        ("second", True, (BARS, BARS), False),
        ("last", True, (BARS,), True),
    ],
)
def test_who_did_not_show_up_in_the_tournament_before_is_kept_out_of_the_next_alone_where_it_says_so(
    cup: Cup, took_part: str, no_show: bool, earlier: tuple[str, ...], in_next: bool
) -> None:
    names = [*("first", "second")[: len(earlier)], "next", "last"]
    for name, settings in zip(names, (*earlier, BARS, BARS), strict=True):
        cup.wait(1)
        cup.make(name, settings)
        if name == took_part:
            cup.says("ann", f"enter {name}")
            cup.says("ann", f"confirm {cup.code('ann')}")
            with writing(cup.world.engine) as conn:
                tournaments.change_entrant(conn, name, 1, no_show=no_show)
    cup.wait(1.1)
    cup.says("ann", "enter next")
    cup.says("bob", "enter nothing-like-it")
    assert len(cup.everybody("next")) == in_next
    assert (cup.newest("ann").text == cup.newest("bob").text) is not in_next


@pytest.mark.parametrize("state", ["finished", "cancelled"])
def test_a_code_that_comes_back_after_the_end_is_a_code_that_is_not_right(cup: Cup, state: str) -> None:
    cup.says("ann", "enter cup")
    code = cup.code("ann")
    with writing(cup.world.engine) as conn:
        tournaments.touch(conn, "cup", state=state)
    cup.wait(1.1)
    cup.says("ann", f"confirm {code}")
    cup.says("bob", "confirm aaaaaaaaaaaaaaaa")
    assert cup.entrant("ann").state == "entered"
    assert cup.newest("ann").text == cup.newest("bob").text


@pytest.mark.parametrize("words", ["yes", "Yes, please!", "ok", "ja", "👍", "yes, confirmed"])
def test_a_yes_to_the_letter_with_the_code_confirms(cup: Cup, words: str) -> None:
    cup.says("ann", "enter cup")
    cup.answers("ann", words)
    assert cup.entrant("ann").state == "confirmed"


@pytest.mark.parametrize("words", ["Yes, but who are you?", "no", "Your mail was received.", "What is this?"])
def test_what_is_no_yes_to_the_letter_with_the_code_confirms_nothing(cup: Cup, words: str) -> None:
    cup.says("ann", "enter cup")
    cup.answers("ann", words)
    assert cup.entrant("ann").state == "entered"


def test_an_answer_to_the_letter_with_the_code_that_does_not_confirm_is_none(cup: Cup) -> None:
    cup.says("ann", "enter cup")
    found = cup.answers("ann", "status", "I shall think about it.")
    assert found.reason == "the code of an entry came back, without the word confirm"
    assert (cup.entrant("ann").state, len(cup.letters("ann"))) == ("entered", 1)
    cup.answers("ann", "I confirm.")
    assert cup.entrant("ann").state == "confirmed"


@pytest.mark.parametrize(
    "said",
    [
        "ok, I confirm!",
        "Yes please, confirm",
        "confirm please",
        "I confirm my entry",
        "Confirmed, thanks",
        "hereby confirm.",
    ],
)
def test_an_entry_is_confirmed_in_words_of_ones_own(cup: Cup, said: str) -> None:
    cup.says("ann", "enter cup")
    cup.answers("ann", "Hi,", said, "Ann")
    assert cup.entrant("ann").state == "confirmed"


@pytest.mark.parametrize(
    "said",
    ["I can't confirm yet", "I do not confirm", "Shall I confirm?", "If Bob plays I confirm", "I will confirm tomorrow",
     "We confirm receipt of your mail", "Confirm receipt", "Your mail is confirmed",
     "do I have to confirm this with my own address or is it enough to write to you"],
)  # fmt: skip
def test_words_in_which_nobody_confirms_confirm_nothing(cup: Cup, said: str) -> None:
    cup.says("ann", "enter cup")
    cup.answers("ann", said)
    assert cup.entrant("ann").state == "entered"


def test_lines_beside_the_word_confirm_are_answered_where_they_are_wrong(cup: Cup) -> None:
    cup.says("ann", "enter cup")
    cup.answers("ann", "confirm", "name Ann", "awake 8-22 Mars/Base", "conected bob@example.org: my brother")
    assert cup.entrant("ann").state == "confirmed"
    first, answer = cup.letters("ann")[-2:]
    assert "You are in" in first.text
    told = " ".join(answer.text.split())
    assert "awake 8-22 Mars/Base" in told
    assert "conected bob@example.org: my brother" in told
    assert "NOT READ" in told


def test_who_may_confirm_after_entries_closed_is_told_what_that_means(cup: Cup) -> None:
    cup.says("ann", "enter cup")
    cup.says("bob", "enter cup as Bob, standby")
    late = "if you confirm later, you will be a substitute"
    assert late not in cup.newest("ann").text
    with writing(cup.world.engine) as conn:
        tournaments.touch(conn, "cup", until=cup.world.now + timedelta(hours=6))
    cup.says("cid", "enter cup")
    cup.says("dora", "enter cup, standby")
    assert late in " ".join(cup.newest("cid").text.split())
    assert late not in " ".join(cup.newest("dora").text.split())


def test_who_withdraws_before_they_confirmed_gets_no_letter(cup: Cup) -> None:
    cup.says("ann", "enter cup")
    cup.enters("bob")
    before = (len(cup.letters("ann")), len(cup.letters("bob")))
    for name in ("ann", "bob"):
        with acting(Caller(cup.world.moderator.open_games, cup.world.now), "cup") as (session, tournament):
            entries.withdraw_entrant(session, tournament, cup.entrant(name), By())
        assert (cup.entrant(name).state, cup.entrant(name).code) == ("withdrawn", "")
    assert (len(cup.letters("ann")), len(cup.letters("bob"))) == (before[0], before[1] + 1)
    assert "You are no longer in" in " ".join(cup.newest("bob").text.split())


@pytest.mark.parametrize("state", ["draft", "finished", "cancelled"])
def test_no_such_tournament_and_one_that_takes_no_entry_are_the_same_answer(cup: Cup, state: str) -> None:
    cup.make("other", state=state)
    cup.says("ann", "enter nothing-like-it")
    cup.says("bob", "enter other")
    one, other = cup.newest("ann"), cup.newest("bob")
    assert (one.subject, one.text, one.html) == (other.subject, other.text, other.html)
    assert cup.everybody("other") == []


def test_not_invited_is_the_same_answer_as_no_such_tournament(cup: Cup) -> None:
    cup.make("closed", 'title = "The Cup"\npeople.entry = "invited"\n')
    cup.says("ann", "enter closed")
    cup.says("bob", "enter nothing-like-it")
    cup.says("eve", "confirm aaaaaaaaaaaaaaaa")
    assert cup.newest("ann").text == cup.newest("bob").text == cup.newest("eve").text


def test_an_address_that_has_not_confirmed_gets_one_answer_an_hour(cup: Cup) -> None:
    for number in range(10):
        cup.says("ann", f"enter wrong-{number}")
    assert len(cup.letters("ann")) == 1
    cup.says("ann", "enter cup")
    assert len(cup.letters("ann")) == 1
    assert cup.entrant("ann").state == "entered"
    cup.wait(1.1)
    assert f"confirm {cup.entrant('ann').code}" in cup.newest("ann").text  # the code was only delayed
    cup.wait(1.1)
    assert len(cup.letters("ann")) == 2


def test_a_code_counts_only_from_its_own_address_and_a_guess_does_not_use_it_up(cup: Cup) -> None:
    cup.says("ann", "enter cup")
    code = cup.code("ann")
    cup.says("eve", f"confirm {code}")
    assert cup.entrant("ann").state == "entered"
    cup.says("ann", "confirm aaaaaaaaaaaaaaaa")
    cup.says("ann", f"confirm {code}")
    assert cup.entrant("ann").state == "confirmed"


def test_five_wrong_guesses_end_a_code_and_a_new_one_can_be_had(cup: Cup) -> None:
    cup.says("ann", "enter cup")
    code = cup.code("ann")
    for number in range(5):
        cup.says("ann", f"confirm {'abcde'[number] * 16}")
    cup.says("ann", f"confirm {code}")
    assert cup.entrant("ann").state == "entered"
    cup.wait(1.1)
    cup.says("ann", "enter cup")
    assert cup.code("ann") != code
    cup.says("ann", f"confirm {cup.code('ann')}")
    assert cup.entrant("ann").state == "confirmed"


def test_old_used_and_wrong_codes_are_the_same_words(cup: Cup) -> None:
    for name in ("ann", "bob", "cid"):
        cup.says(name, "enter cup")
    used = cup.code("ann")
    cup.says("ann", f"confirm {used}")
    cup.wait(73)
    cup.says("ann", f"confirm {used}")
    cup.says("bob", f"confirm {cup.code('bob')}")
    cup.says("cid", "confirm aaaaaaaaaaaaaaaa")
    assert cup.newest("ann").text == cup.newest("bob").text == cup.newest("cid").text
    assert [cup.entrant(name).state for name in ("ann", "bob", "cid")] == ["confirmed", "entered", "entered"]


def test_late_and_full_entries_go_to_the_list_with_their_place(cup: Cup) -> None:
    cup.make("small", 'title = "The Cup"\npeople.most = 1\n')
    for name in ("ann", "bob", "cid"):
        cup.says(name, "enter small")
        cup.says(name, f"confirm {cup.code(name)}")
    assert [cup.entrant(name, "small").state for name in ("ann", "bob", "cid")] == ["confirmed", "standby", "standby"]
    assert "number 2 on the waiting list" in " ".join(cup.newest("cid").text.split())
    cup.wait(24 * 31)
    cup.says("dora", "enter cup")
    cup.says("dora", f"confirm {cup.code('dora')}")
    assert cup.entrant("dora").state == "standby"
    assert "Entries to The Cup have closed" in " ".join(cup.newest("dora").text.split())


def test_a_ladder_takes_people_as_it_goes_on(cup: Cup) -> None:
    cup.make("ladder", 'title = "The Ladder"\nformat = "ladder"\n', state="running")
    cup.says("ann", "enter ladder")
    cup.says("ann", f"confirm {cup.code('ann')}")
    assert cup.entrant("ann", "ladder").state == "confirmed"


def test_a_place_that_becomes_free_goes_round_the_list_by_invitation(cup: Cup) -> None:
    cup.make("small", 'title = "The Cup"\npeople.most = 1\npeople.invite_hours = 72\n')
    for name in ("ann", "bob", "cid", "dora"):
        cup.says(name, "enter small")
        cup.says(name, f"confirm {cup.code(name)}")
    cup.says("ann", "withdraw", to=str(cup.newest("ann").message["Reply-To"]))
    assert cup.entrant("ann", "small").state == "withdrawn"
    assert cup.entrant("bob", "small").state == "invited"
    cup.wait(73)
    assert [cup.entrant(name, "small").state for name in ("bob", "cid", "dora")] == ["standby", "invited", "standby"]
    cup.answers("bob", "accept")  # after the next was invited
    assert cup.entrant("bob", "small").state == "standby"
    cup.answers("cid", "decline")
    assert cup.entrant("dora", "small").state == "invited"
    cup.answers("dora", "accept")
    assert cup.entrant("dora", "small").state == "confirmed"


@pytest.mark.parametrize(("until", "hours"), [(None, 72), (100, 72), (40, 40), (0.25, 1)])
def test_an_invitation_ends_with_the_entries_yet_leaves_an_hour(cup: Cup, until: float | None, hours: int) -> None:
    cup.make("small", 'title = "The Cup"\npeople.most = 1\npeople.invite_hours = 72\n')
    for name in ("ann", "bob"):
        cup.says(name, "enter small")
        cup.says(name, f"confirm {cup.code(name)}")
    now = cup.world.now
    with writing(cup.world.engine) as conn:
        tournaments.touch(conn, "small", until=None if until is None else now + timedelta(hours=until))
    cup.says("ann", "withdraw", to=str(cup.newest("ann").message["Reply-To"]))
    with reading(cup.world.engine) as conn:
        [paper] = tournaments.papers_of(conn, "small", "invitation")
    assert paper.until == now + timedelta(hours=hours)


def test_the_invitation_of_who_withdraws_is_gone_and_that_of_another_is_not(cup: Cup) -> None:
    cup.make("small", 'title = "The Cup"\npeople.most = 2\n')
    for name in ("ann", "bob", "cid", "dora"):
        cup.says(name, "enter small")
        cup.says(name, f"confirm {cup.code(name)}")
    for name in ("ann", "bob"):
        cup.says(name, "withdraw", to=str(cup.newest(name).message["Reply-To"]))
    assert [cup.entrant(name, "small").state for name in ("cid", "dora")] == ["invited", "invited"]
    cup.says("cid", "withdraw", to=str(cup.newest("cid").message["Reply-To"]))
    with reading(cup.world.engine) as conn:
        filed = tournaments.papers_of(conn, "small", "invitation", state=None)
    assert [(paper.entrant, paper.state) for paper in filed] == [(3, "gone"), (4, "open")]
    assert cup.entrant("dora", "small").state == "invited"


def test_what_nobody_answered_but_an_invitation_changes_nothing_that_an_organiser_would_have_to_look_at(
    cup: Cup,
) -> None:
    desk.hand_over(Caller(cup.world.moderator.open_games, cup.world.now), "cup", address("bob"))
    cup.wait(24 * 20)
    with reading(cup.world.engine) as conn:
        before = tournaments.find_tournament(conn, "cup").revision
    cup.wait(1)
    with reading(cup.world.engine) as conn:
        assert tournaments.find_tournament(conn, "cup").revision == before


def test_invitations_that_end_in_two_tournaments_at_once_end_each_in_its_own(cup: Cup) -> None:
    for name in ("one", "two"):
        cup.make(name, 'title = "The Cup"\npeople.most = 1\npeople.invite_hours = 72\n')
        for who in ("ann", "bob", "cid"):
            cup.says(who, f"enter {name}")
            cup.says(who, f"confirm {cup.code(who)}")
        cup.says("ann", "withdraw", to=str(cup.newest("ann").message["Reply-To"]))
    cup.wait(71)
    assert [cup.entrant("bob", name).state for name in ("one", "two")] == ["invited", "invited"]
    cup.wait(2)
    for name in ("one", "two"):
        assert [cup.entrant(who, name).state for who in ("ann", "bob", "cid")] == ["withdrawn", "standby", "invited"]


def test_a_change_needs_the_token_and_forgers_get_nothing(cup: Cup) -> None:
    ann = cup.enters("ann")
    cup.says("ann", "withdraw cup")
    assert cup.entrant("ann").state == "confirmed"
    assert "withdraw cup" in cup.newest("ann").text or "withdraw cup" in cup.newest("ann").html
    before = len(cup.world.letters(address("eve")))
    found = cup.says("eve", "withdraw cup", to=f"mentat+{ann.token}@arrakis.example")
    assert found.disposition == "rejected"
    assert len(cup.world.letters(address("eve"))) == before
    assert cup.entrant("ann").state == "confirmed"
    cup.answers("ann", "withdraw cup")
    assert cup.entrant("ann").state == "withdrawn"


def test_whoever_withdrew_comes_back_as_the_same_entrant(cup: Cup) -> None:
    cup.enters("ann")
    cup.answers("ann", "withdraw")
    again = cup.enters("ann")
    assert (again.handle, again.state) == ("E001", "confirmed")


def test_connections_become_pairs_that_only_the_desk_knows(cup: Cup) -> None:
    cup.enters("ann", "connected bob@example.org: my brother")
    assert cup.newest("ann").text.count("bob@example.org") == 0
    cup.enters("bob")
    with writing(cup.world.engine) as conn:
        assert [(pair.one, pair.other) for pair in tournaments.pairs_apart(conn, "cup")] == [(1, 2)]


def test_who_names_the_same_person_twice_is_kept_apart_from_them_for_the_reason_named_first(cup: Cup) -> None:
    cup.enters("ann")
    cup.enters("bob")
    cup.enters(
        "cid", "connected E002 bob is my brother", "connected bob@example.org: my flatmate", "connected E003 myself",
        "connected ann@example.org: my boss",
    )  # fmt: skip
    with reading(cup.world.engine) as conn:
        found = tournaments.pairs_apart(conn, "cup")
    assert [(pair.one, pair.other, pair.why) for pair in found] == [
        (1, 3, "my boss"), (2, 3, "bob is my brother")
    ]  # fmt: skip


def test_all_lines_of_the_mail_that_enters_or_confirms_count(cup: Cup) -> None:
    own = [f"connected p{number}@example.org" for number in range(4)]
    cup.says("ann", "enter cup as Ann", "name Annie", *own[:2])
    assert "The others see you as Annie," in " ".join(cup.newest("ann").text.split())
    cup.answers("ann", *own[2:], "confirm")
    ann = cup.entrant("ann")
    assert (ann.name, ann.state) == ("Annie", "confirmed")
    assert ann.connections.splitlines() == [line.removeprefix("connected ") for line in own]


def test_two_tournaments_whose_finals_collide_are_warned_of(cup: Cup) -> None:
    cup.make("second", 'title = "The Other"\n')
    cup.enters("ann")
    cup.says("ann", "enter second")
    cup.says("ann", f"confirm {cup.code('ann')}")
    assert "Check your calendar" in " ".join(cup.newest("ann").text.split())


# Rounds take twenty days: first the parallel heats, then the final, from day 50 to day 70.
HEATS = "[rounds]\nheats = 3\nsemifinal = 0\ndays = 20\n"


def _warned(cup: Cup, settings: str = HEATS, later: int = 0) -> str:
    """Enter two events, the second `later` days after the first; return the clash named in the welcome."""
    cup.make("first", f'title = "The First"\n{HEATS}', days=30)
    cup.make("second", f'title = "The Second"\n{settings}', days=30 + later)
    return _enters_both(cup)


def _enters_both(cup: Cup) -> str:
    for name in ("first", "second"):
        cup.says("ann", f"enter {name}")
        cup.says("ann", f"confirm {cup.code('ann')}")
    found = re.search(r"will probably fall between (.*?), at the same time", " ".join(cup.newest("ann").text.split()))
    return found[1] if found else ""


@pytest.mark.parametrize(
    ("settings", "later", "collides"),
    [
        (HEATS, 20, True),
        (HEATS, 21, False),
        (HEATS, -20, True),
        (HEATS, -21, False),
        (HEATS.replace("days", "parallel = false\ndays"), -60, True),
        (HEATS.replace("days", "parallel = false\ndays"), -61, False),
        (HEATS.replace("semifinal = 0", "semifinal = 36"), -40, True),
        (HEATS.replace("semifinal = 0", "semifinal = 36"), -41, False),
        (f'format = "swiss"\n{HEATS.replace("heats = 3", "swiss = 2")}', -20, True),
        (f'format = "swiss"\n{HEATS.replace("heats = 3", "swiss = 2")}', -21, False),
        (f"{HEATS}final = 0\n", 0, True),
        (f"{HEATS}final = 0\n", -1, False),
        (f'format = "league"\n{HEATS}', 0, True),
        (f'format = "league"\n{HEATS}', -1, False),
        (f'format = "ladder"\n{HEATS}', 10, False),
    ],
)
def test_last_rounds_collide_from_the_day_on_which_one_begins_to_that_on_which_the_other_ends(
    cup: Cup, settings: str, later: int, collides: bool
) -> None:
    assert _warned(cup, settings, later) == ("15 Jan and 4 Feb" if collides else "")


@pytest.mark.parametrize(
    ("state", "settings"), [("finished", HEATS), ("cancelled", HEATS), ("open", f'format = "ladder"\n{HEATS}')]
)
def test_nobody_is_warned_of_a_tournament_whose_last_round_is_not_to_come(cup: Cup, state: str, settings: str) -> None:
    cup.make("second", f'title = "The Second"\n{HEATS}', days=30)
    cup.make("first", f'title = "The First"\n{settings}', days=30)
    cup.says("ann", "enter first")
    cup.says("ann", f"confirm {cup.code('ann')}")
    with writing(cup.world.engine) as conn:
        tournaments.touch(conn, "first", state=state)
    cup.says("ann", "enter second")
    cup.says("ann", f"confirm {cup.code('ann')}")
    assert cup.newest("ann").subject == "[second] You are in The Cup"
    assert "Check your calendar" not in " ".join(cup.newest("ann").text.split())


@pytest.mark.parametrize(("ends", "last"), [(None, "29 Dec"), (9, "18 Dec")])
def test_a_final_that_is_drawn_is_played_when_the_draw_says(cup: Cup, ends: int | None, last: str) -> None:
    cup.make("first", f'title = "The First"\n{HEATS}', days=1)
    cup.make("second", f'title = "The Second"\n{HEATS}', days=1)
    now = cup.world.now
    with writing(cup.world.engine) as conn:
        tournament_rounds.add_round(conn, Round("first", 1, "heat", "closed", now, now + timedelta(days=1)))
        until = now + timedelta(days=13 + ends) if ends else None
        tournament_rounds.add_round(conn, Round("first", 2, "final", "drawn", now + timedelta(days=13), until))
    assert _enters_both(cup) == f"9 Dec and {last}"


def test_where_no_end_of_the_entries_was_announced_the_welcome_names_none(cup: Cup) -> None:
    with writing(cup.world.engine) as conn:
        tournaments.touch(conn, "cup", until=None)
    cup.enters("ann")
    text = " ".join(cup.newest("ann").text.split())
    assert "Next comes the draw. You will get a letter with your tables as soon as it is made" in text


def test_no_letter_is_doubled_when_a_mail_comes_twice(cup: Cup) -> None:
    raw = cup.mail("ann", "enter cup")
    cup.deliver(raw)
    assert cup.deliver(raw).disposition == "duplicate"
    assert len(cup.letters("ann")) == 1
    raw = cup.mail("ann", f"confirm {cup.code('ann')}")
    cup.deliver(raw)
    cup.deliver(raw)
    assert len(cup.letters("ann")) == 2


def test_where_there_is_no_tournament_a_stranger_gets_no_answer(cup: Cup) -> None:
    with writing(cup.world.engine) as conn:
        assert tournaments.any_tournament(conn)
    cup.says("ann", "Buy our watches")
    assert cup.letters("ann") == []
