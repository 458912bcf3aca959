"""Finding, joining and leaving tables by mail."""

from __future__ import annotations

import re
from datetime import time, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from bot.lobby.requests import Open
from bot.lobby.tables import open_table, settings_of, window
from bot.store import lobby as rows
from bot.store.database import reading
from tests.lobby.people import Lobby
from tests.moderator.table import ADDRESS


def test_a_stranger_who_asks_gets_one_letter_with_a_button_for_each_table(lobby: Lobby) -> None:
    table = lobby.opens("ann")
    lobby.says("bob", "any open games?", "My own words are here.")
    (letter,) = lobby.letters("bob")
    assert letter.message["Auto-Submitted"] == "auto-replied"
    assert len(letter.content) < 12_000
    assert "My own words" not in letter.text + letter.html
    assert f"join {table.id}" in letter.text
    assert lobby.token_of("bob") in str(letter.message["Reply-To"])


def test_a_press_in_the_list_seats_a_stranger_after_two_mails(lobby: Lobby) -> None:
    table = lobby.opens("ann")
    lobby.says("bob", "any open games?")
    lobby.joins("bob", table.id)
    assert lobby.seats(table.id) == ["ann", "bob"]
    assert lobby.subjects("bob")[-1] == f"You are in: {table.id}, 2 of 6"


def test_nothing_is_held_before_a_stranger_confirms(lobby: Lobby) -> None:
    table = lobby.opens("ann")
    lobby.says("bob", f"join {table.id} as guild or emperor")
    assert lobby.seats(table.id) == ["ann"]
    assert len(lobby.letters("bob")) == 1
    lobby.proves("bob", "yes")
    assert lobby.seats(table.id) == ["ann", "bob"]
    with reading(lobby.world.engine) as conn:
        assert rows.seats_of(conn, table.id)[-1].wishes == "guild = emperor"


def test_an_answer_without_a_yes_is_answered_once(lobby: Lobby) -> None:
    table = lobby.opens("ann")
    lobby.says("bob", f"join {table.id}")
    for words in ("", "what?", ""):
        lobby.wait(1)
        lobby.proves("bob", words)
    assert lobby.seats(table.id) == ["ann"]
    assert lobby.subjects("bob")[1:] == ["One word is still missing"]


def test_a_code_lapses_after_three_days(lobby: Lobby) -> None:
    table = lobby.opens("ann")
    lobby.says("bob", f"join {table.id}")
    lobby.wait(73)
    lobby.proves("bob", "yes")
    assert lobby.seats(table.id) == ["ann"]


def test_whoever_says_not_me_is_never_written_to(lobby: Lobby) -> None:
    table = lobby.opens("ann")
    lobby.says("bob", f"join {table.id}")
    lobby.proves("bob", "not me")
    for _ in range(3):
        lobby.wait(25)
        lobby.says("bob", f"join {table.id}")
    assert len(lobby.letters("bob")) == 1
    assert lobby.seats(table.id) == ["ann"]


def test_a_press_in_a_list_that_was_passed_on_is_asked_at_the_presser(lobby: Lobby) -> None:
    table = lobby.opens("ann")
    lobby.says("cid", f"join {table.id}", to=f"mentat+{lobby.token_of('bob')}@arrakis.example")
    assert lobby.seats(table.id) == ["ann"]
    assert lobby.subjects("cid") == [f"One press, and you are in: {table.id}"]
    assert lobby.letters("bob") == []
    lobby.proves("cid", "confirm")
    assert lobby.seats(table.id) == ["ann", "cid"]


def full_and_silent(lobby: Lobby) -> str:
    """Open a table of two, fill it and wait until Ann must confirm; return its ID."""
    table = lobby.opens("ann", Open(most=2))
    lobby.wait(100)
    lobby.joins("bob", table.id)
    assert "Still there?" in lobby.subjects("ann")[-1]
    return table.id


def test_a_yes_to_a_check_in_carries_out_no_wish_in_the_same_name(lobby: Lobby) -> None:
    table, other = full_and_silent(lobby), lobby.opens("zoe").id
    lobby.says("ann", f"join {other}")
    lobby.proves("ann", f"yes {table}")
    assert lobby.table(table).state == "started"
    assert lobby.seats(other) == ["zoe"]


def test_a_bare_yes_that_could_answer_two_letters_is_asked_about(lobby: Lobby) -> None:
    table, other = full_and_silent(lobby), lobby.opens("zoe").id
    lobby.says("ann", f"join {other}")
    code = lobby.newest("ann").message["Message-ID"]
    lobby.proves("ann", "yes")
    assert lobby.subjects("ann")[-1] == "What are you saying yes to?"
    assert lobby.seats(other) == ["zoe"]
    assert lobby.table(table).state == "full"
    lobby.proves("ann", "yes", In_Reply_To=code)
    assert "first game" in lobby.words("ann")  # the wish was carried out and refused on its own merits


def test_a_yes_in_answer_to_a_code_carries_out_what_was_asked(lobby: Lobby) -> None:
    table = lobby.opens("ann")
    lobby.joins("bob", table.id)
    lobby.says("bob", f"leave {table.id}")
    lobby.proves("bob", "yes", In_Reply_To=lobby.newest("bob").message["Message-ID"])
    assert lobby.seats(table.id) == ["ann"]


@pytest.mark.parametrize("line", ["start {}", "close {}", "prolong {}", "hold {}"])
def test_whoever_decides_about_a_private_table_hears_as_of_none(lobby: Lobby, line: str) -> None:
    table = lobby.opens("zoe", kind="private")
    lobby.proves("bob", line.format(table.id))
    lobby.proves("cid", line.format("tabr-999999"))
    said = [lobby.words(name).replace(table.id, "tabr-999999") for name in ("bob", "cid")]
    assert re.sub("=+", "=", said[0]) == re.sub("=+", "=", said[1])


@pytest.mark.parametrize("line", ["leave {}", "I have to drop out, sorry", "ich muss leider aussteigen"])
def test_a_leave_in_a_new_mail_is_done_after_one_press(lobby: Lobby, line: str) -> None:
    table = lobby.opens("ann")
    lobby.joins("bob", table.id)
    lobby.says("bob", line.format(table.id))
    assert lobby.seats(table.id) == ["ann", "bob"]
    assert lobby.subjects("bob")[-1] == "One press, and it is done"
    lobby.proves("bob", "confirm")
    assert lobby.seats(table.id) == ["ann"]


@pytest.mark.parametrize("line", ["yes {}", "still here"])
def test_a_yes_to_a_check_in_in_a_new_mail_counts_after_one_press(lobby: Lobby, line: str) -> None:
    table = full_and_silent(lobby)
    lobby.says("ann", line.format(table))
    lobby.proves("ann", "confirm")
    assert lobby.table(table).state == "started"


def test_my_games_in_a_new_mail_are_listed_after_one_press(lobby: Lobby) -> None:
    table = lobby.opens("ann")
    lobby.says("ann", "my games")
    assert table.id not in lobby.words("ann")
    lobby.proves("ann", "confirm")
    assert lobby.subjects("ann")[-1] == "Your games and seats"


@pytest.mark.parametrize("line", ["open a game: wbc-2018, four", "standby", "weekly"])
def test_a_stranger_is_asked_once_for_whatever_they_want(lobby: Lobby, line: str) -> None:
    lobby.says("bob", line)
    assert lobby.subjects("bob") == ["One press, and it is done"]
    assert "confirm" in lobby.newest("bob").text


def test_not_me_of_somebody_seated_ends_codes_and_no_letters_of_the_table(lobby: Lobby) -> None:
    table = lobby.opens("ann", Open(most=2))
    lobby.says("ann", "join nowhere-1")
    lobby.proves("ann", "not me")
    lobby.wait(100)
    before = len(lobby.letters("ann"))
    lobby.says("ann", "join nowhere-1")
    assert len(lobby.letters("ann")) == before
    lobby.joins("bob", table.id)
    assert "Still there?" in lobby.subjects("ann")[-1]


def test_whoever_joins_after_not_me_gets_letters_again(lobby: Lobby) -> None:
    table = lobby.opens("ann")
    lobby.says("bob", f"join {table.id}")
    lobby.proves("bob", "not me")
    lobby.joins("bob", table.id)
    assert lobby.subjects("bob")[-1] == f"You are in: {table.id}, 2 of 6"


NEWCOMERS = (
    "I'd like to play",
    "Ich würde gern Dune spielen",
    "hello, I'm new, can I play dune with you?",
    "Can I get in on a game?",
    "I'm interested in playing a game of Dune by email. What do I do?",
    "My cousin told me of you and I have read all the books.",
)


@pytest.mark.parametrize("words", NEWCOMERS)
def test_a_newcomer_gets_the_list_whatever_they_write(lobby: Lobby, words: str) -> None:
    table = lobby.opens("ann")
    lobby.says("bob", words)
    (letter,) = lobby.letters("bob")
    assert f"join {table.id}" in letter.text
    lobby.says("bob", words + " Hello?")
    assert len(lobby.letters("bob")) == 1


def test_a_player_whose_words_nobody_understands_is_told_how_it_works(lobby: Lobby) -> None:
    table = lobby.opens("ann")
    lobby.joins("bob", table.id)
    lobby.proves("bob", "the weather is mild here")
    assert lobby.subjects("bob")[-1] == "How to find a game of Dune here"
    lobby.proves("bob", "Thank you!")
    assert len(lobby.letters("bob")) == 2


LEAVING = (
    "ich muss leider aussteigen",
    "je dois abandonner",
    "no puedo jugar, lo siento",
    "please remove me from {}",
    "forget about me",
)


@pytest.mark.parametrize("words", LEAVING)
def test_people_leave_in_their_own_words(lobby: Lobby, words: str) -> None:
    table = lobby.opens("ann")
    lobby.joins("bob", table.id)
    lobby.proves("bob", words.format(table.id))
    assert lobby.seats(table.id) == ["ann"]


def test_a_mail_of_several_lines_has_one_answer(lobby: Lobby) -> None:
    table = lobby.opens("ann")
    lobby.proves("bob", f"join {table.id}", "weekly", "standby", "my games")
    (letter,) = lobby.letters("bob")
    assert "Four answers to your mail" in letter.subject
    assert f"You are in: {table.id}, 2 of 6".upper() in letter.text.upper()
    assert "You are standing by" in letter.text


def test_the_line_of_the_form_opens_a_table(lobby: Lobby) -> None:
    lobby.proves("ann", "open a game")
    text = lobby.newest("ann").text
    line = next(line.strip() for line in text.splitlines() if line.strip().startswith("open a game:"))
    lobby.proves("ann", line)
    assert lobby.seats("arrakeen-1") == ["ann"]


def test_joining_twice_changes_nothing(lobby: Lobby) -> None:
    table = lobby.opens("ann")
    raw = lobby.mail("bob", f"join {table.id}", to=f"mentat+{lobby.token_of('bob')}@arrakis.example")
    lobby.deliver(raw)
    lobby.deliver(raw)
    assert len(lobby.letters("bob")) == 1
    lobby.joins("bob", table.id)
    assert lobby.seats(table.id) == ["ann", "bob"]
    assert "already had a seat there" in lobby.newest("bob").text


@pytest.mark.parametrize("other", ["bob+dune@example.org", "BOB@example.org"])
def test_one_person_has_one_seat_by_whatever_tag(lobby: Lobby, other: str) -> None:
    table = lobby.opens("ann")
    lobby.joins("bob", table.id)
    lobby.joins(other.lower(), table.id)
    assert lobby.seats(table.id) == ["ann", "bob"]


def test_a_full_table_starts_and_the_next_hears_the_same_as_of_no_table(lobby: Lobby) -> None:
    table = lobby.opens("ann")
    for name in ("bob", "cid", "dora", "eve", "fay"):
        lobby.joins(name, table.id)
    assert lobby.table(table.id).state == "started"
    assert {seat.name for seat in lobby.world.table(table.id).seats.values()} >= {"Ann"}
    for name in ("ann", "bob", "fay"):
        assert any(sent.faction for sent in lobby.letters(name))  # the game's first letter
    lobby.joins("gus", table.id)
    lobby.joins("hal", "nowhere-9")
    texts = [lobby.words(name).replace(table.id, "nowhere-9") for name in ("gus", "hal")]
    assert re.sub("=+", "=", texts[0]) == re.sub("=+", "=", texts[1])


def test_who_comes_to_a_full_table_waits_and_is_offered_the_next_seat(lobby: Lobby) -> None:
    table = lobby.opens("ann", Open(most=2, starts="opener"))
    lobby.joins("bob", table.id)
    lobby.joins("cid", table.id)
    lobby.joins("dora", table.id)
    assert lobby.seats(table.id, "waiting") == ["cid", "dora"]
    assert lobby.subjects("cid")[-1] == f"{table.id} is full; you are first in line"
    lobby.proves("bob", f"leave {table.id}")
    assert lobby.seats(table.id, "offered") == ["cid"]
    lobby.joins("eve", table.id)
    assert lobby.seats(table.id, "waiting") == ["dora", "eve"]
    lobby.wait(49)
    assert lobby.seats(table.id, "offered") == ["dora"]
    lobby.proves("dora", "yes")
    assert lobby.seats(table.id) == ["ann", "dora"]
    lobby.proves("cid", f"yes {table.id}")
    assert "stay first in line" in lobby.words("cid")
    assert lobby.seats(table.id, "waiting") == ["cid", "eve"]


def test_nobody_is_told_who_left(lobby: Lobby) -> None:
    table = lobby.opens("ann")
    lobby.joins("bob", table.id)
    before = len(lobby.letters("ann"))
    lobby.proves("bob", "take me out")
    assert lobby.seats(table.id) == ["ann"]
    assert lobby.subjects("bob")[-1] == f"You have left {table.id}"
    assert len(lobby.letters("ann")) == before


def test_leaving_and_coming_back_a_third_time_means_waiting(lobby: Lobby) -> None:
    table = lobby.opens("ann")
    for _ in range(2):
        lobby.joins("bob", table.id)
        lobby.proves("bob", f"leave {table.id}")
    lobby.joins("bob", table.id)
    assert lobby.seats(table.id) == ["ann"]
    assert "you are now waiting in line" in lobby.words("bob")
    assert lobby.seats(table.id, "waiting") == ["bob"]
    lobby.wait(24)
    assert lobby.seats(table.id, "waiting") == ["bob"]
    lobby.wait(24 * 7)
    lobby.wait(1)
    assert lobby.seats(table.id, "offered") == ["bob"]


def test_two_seats_are_as_many_as_a_person_may_wait_in_and_one_for_a_newcomer(lobby: Lobby) -> None:
    first, second = lobby.opens("ann"), lobby.opens("bob")
    lobby.joins("cid", first.id)
    lobby.joins("cid", second.id)
    assert lobby.seats(second.id) == ["bob"]
    assert "first game" in lobby.newest("cid").text


def test_a_private_table_is_as_no_table_to_those_who_are_not_invited(lobby: Lobby) -> None:
    table = lobby.opens("ann", kind="private")
    lobby.joins("bob", table.id)
    lobby.joins("cid", "nowhere-1")
    said = [re.sub("=+", "=", lobby.words(name).replace(table.id, "nowhere-1")) for name in ("bob", "cid")]
    assert said[0] == said[1]
    lobby.says("dora", "games")
    assert table.id not in lobby.newest("dora").text
    lobby.joins("bob", table.id, table.word)
    assert lobby.seats(table.id) == ["ann", "bob"]


def test_wishes_that_are_no_faction_there_are_named_and_the_seat_is_unaffected(lobby: Lobby) -> None:
    table = lobby.opens("ann")
    lobby.joins("bob", table.id, "with ixians, guild")
    assert lobby.seats(table.id) == ["ann", "bob"]
    assert "Ixians" in lobby.newest("bob").text
    with reading(lobby.world.engine) as conn:
        assert rows.seats_of(conn, table.id)[-1].wishes == "guild"


def test_quiet_hours_lengthen_a_time_to_answer_and_never_shorten_it(lobby: Lobby) -> None:
    settings, start = lobby.world.settings, lobby.world.now
    for hour in range(24):
        begun = start + timedelta(hours=hour)
        end = window(settings, begun, 48)
        assert end >= begun + timedelta(hours=48)
        assert 7 <= end.hour < 23
    assert window(settings, start.replace(hour=10), 48) == start.replace(hour=10) + timedelta(hours=48)


def test_quiet_hours_do_not_count_in_a_short_time_to_answer(lobby: Lobby) -> None:
    settings, day = lobby.world.settings, lobby.world.now.replace(hour=0, minute=0)
    for begun, hours, ends in ((10, 4, 14), (22, 4, 34), (23.5, 4, 35), (2, 12, 19), (9, 14, 31), (9, 15, 32)):
        assert window(settings, day + timedelta(hours=begun), hours) == day + timedelta(hours=ends), (begun, hours)


def test_an_offer_ends_by_the_clock_of_its_reader(lobby: Lobby) -> None:
    auckland = ZoneInfo("Pacific/Auckland")
    for hour in range(24):
        ends = window(lobby.world.settings, lobby.world.now + timedelta(hours=hour), 48, auckland)
        assert time(7) <= ends.astimezone(auckland).time() < time(23)


def test_the_same_words_answer_a_full_a_private_and_no_table_before_proof(lobby: Lobby) -> None:
    private = lobby.opens("ann", kind="private")
    lobby.says("bob", f"join {private.id}")
    lobby.says("cid", "join nowhere-3")
    one, other = lobby.newest("bob"), lobby.newest("cid")
    assert one.text == other.text
    assert one.subject == other.subject


def test_off_means_off(tmp_path: object) -> None:
    from tests.moderator.table import CONFIG

    made = Lobby.at(tmp_path, CONFIG)  # type: ignore[arg-type]
    assert made.says("bob", "any open games?").disposition == "rejected"
    assert made.letters("bob") == []
    assert made.letters(ADDRESS) == []


@pytest.mark.parametrize("line", ["How does this work? Do I need the board?", "any open games? Is there a fee?"])
def test_a_question_is_answered_and_goes_to_the_game_master(lobby: Lobby, line: str) -> None:
    lobby.opens("ann")
    lobby.proves("bob", line)
    assert len(lobby.letters("bob")) == 1
    (told,) = lobby.letters("gm@arrakis.example")
    assert line.rpartition("? ")[2] in told.text


def test_whoever_plays_is_shown_the_seed_of_the_draw(lobby: Lobby) -> None:
    table = lobby.opens("ann", Open(most=2))
    lobby.joins("bob", table.id)
    for name in ("ann", "bob"):
        (letter,) = [sent for sent in lobby.letters(name) if "the draw and its proof" in sent.subject]
        assert table.seed in letter.text
        assert table.commitment in letter.text
    silent = lobby.opens("cid", Open(most=2, press="gunboat"))
    lobby.joins("dora", silent.id)
    assert lobby.table(silent.id).state == "started"
    assert not any(silent.seed in sent.text for sent in lobby.world.letters())


def test_whoever_waits_when_the_table_begins_is_told_so(lobby: Lobby) -> None:
    table = lobby.opens("ann", Open(most=2, starts="opener"))
    lobby.joins("bob", table.id)
    lobby.joins("cid", table.id)
    lobby.proves("ann", f"start {table.id}")
    assert lobby.subjects("cid")[-1] == f"{table.id} has begun without you"
    lobby.joins("bob", table.id)
    assert f"{table.id} has begun, and you are playing" in lobby.words("bob")


def test_nobody_waits_at_a_table_with_a_free_seat(lobby: Lobby) -> None:
    table = lobby.opens("ann")
    lobby.proves("bob", f"wait {table.id}")
    (letter,) = lobby.letters("bob")
    assert "A seat is free" in letter.text
    assert f"join {table.id}" in letter.text


def test_a_plain_yes_takes_the_seat_that_is_still_free_after_the_offer(lobby: Lobby) -> None:
    table = lobby.opens("ann", Open(most=2, starts="opener"))
    lobby.joins("bob", table.id)
    lobby.joins("cid", table.id)
    lobby.proves("bob", f"leave {table.id}")
    lobby.wait(60)
    lobby.proves("cid", "yes")
    assert lobby.seats(table.id) == ["ann", "cid"]


def test_wishes_are_mended_or_named(lobby: Lobby) -> None:
    table = lobby.opens("ann", Open(factions="wishes"))
    lobby.joins("bob", table.id, "as harkonen or emporer")
    assert "Harkonnen or Emperor" in lobby.words("bob")
    lobby.joins("cid", table.id, "as the sandworm please")
    assert "We do not know a faction called sandworm." in lobby.words("cid")


def test_a_newcomer_who_waits_at_one_table_is_shown_the_way_out(lobby: Lobby) -> None:
    first, second = lobby.opens("ann"), lobby.opens("bob")
    lobby.joins("cid", first.id)
    lobby.joins("cid", second.id)
    assert f"you already have a seat at {first.id}" in lobby.words("cid")
    assert f"leave {first.id}" in lobby.newest("cid").text


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("open a game: four, no beginners", "have not yet finished a game here"),
        ("open a game: starts by 1 Nov 2024", "past"),
        ("count me in for the Friday game", "No table starts on Friday"),
    ],
)
def test_a_refusal_says_what_is_wrong(lobby: Lobby, line: str, told: str) -> None:
    lobby.proves("bob", line)
    assert told in lobby.words("bob")


def test_letters_go_to_the_address_that_asks_for_them(lobby: Lobby) -> None:
    table = lobby.opens("ann")
    lobby.joins("bob", table.id)
    lobby.proves("bob+dune@example.org", "use this address")
    assert lobby.seats(table.id) == ["ann", "bob+dune"]


def test_an_invitation_tells_the_inviter_nothing_of_who_plays_here(lobby: Lobby) -> None:
    played = lobby.opens("hal", Open(most=2))
    lobby.joins("ian", played.id)
    table = lobby.opens("ann", Open(most=4))
    lobby.joins("bob", table.id)
    texts = []
    for friend in ("hal", "nobody", "hal"):
        lobby.proves("ann", f"invite {friend}@example.org to {table.id}")
        texts.append(lobby.words("ann"))
    assert texts[0] == texts[1] == texts[2]
    assert [subject for subject in lobby.subjects("hal") if "invited" in subject] == [f"You are invited to {table.id}"]
    lobby.proves("hal", "no")
    lobby.proves("ann", f"invite hal@example.org to {table.id}")
    assert lobby.seats(table.id, "invited") == []


def test_nobody_is_invited_twice_in_a_month(lobby: Lobby) -> None:
    played = lobby.opens("hal", Open(most=2))
    lobby.joins("ian", played.id)
    for name in ("ann", "bob"):
        table = lobby.opens(name, Open(most=4))
        lobby.proves(name, f"invite hal@example.org to {table.id}")
    assert len([subject for subject in lobby.subjects("hal") if "invited" in subject]) == 1


def test_where_one_must_be_invited_the_word_of_a_public_table_lets_a_friend_join(tmp_path: Path) -> None:
    from tests.moderator.table import CONFIG

    made = Lobby.at(tmp_path, CONFIG + '[lobby]\nwho = "invited"\n')
    with made.session() as session:
        table = open_table(session, "ann@example.org", settings_of(session, Open()))
    made.joins("zed", table.id)
    assert made.seats(table.id) == []
    assert "need an invitation" in made.words("zed")
    made.joins("zed", table.id, table.word)
    assert made.seats(table.id) == ["zed"]


def test_somebody_who_is_away_at_the_date_of_a_table_is_told_so_at_the_join(lobby: Lobby) -> None:
    from sqlalchemy import insert, select, update

    from bot.store.tables import ABSENCE, GAME, SEAT

    played = lobby.opens("bob", Open(most=2))
    lobby.joins("ian", played.id)
    day = (lobby.world.now + timedelta(days=5)).date()
    with lobby.session() as session:
        session.conn.execute(update(GAME).values(turn=2))
        own = session.conn.execute(select(SEAT.c.faction).where(SEAT.c.address == "bob@example.org")).scalar_one()
        away = {"game_id": played.id, "faction": own, "first": day, "last": day, "filed_at": lobby.world.now}
        session.conn.execute(insert(ABSENCE).values(away))
    for wanted, told in ((day, True), (day + timedelta(days=3), False)):
        table = lobby.opens(f"ann{wanted.day}", Open(most=4, fewest=3, by=wanted))
        lobby.joins("bob", table.id)
        assert "bob" in lobby.seats(table.id)
        assert ("away when" in lobby.words("bob")) is told
        lobby.proves("bob", f"leave {table.id}")


def test_a_yes_after_a_no_of_ones_own_is_told_what_is_true_now(lobby: Lobby) -> None:
    table = lobby.opens("ann", Open(most=2))
    for name in ("bob", "cid"):
        lobby.joins(name, lobby.opens(f"{name}-host", Open(most=2)).id)
    assert lobby.seats(table.id) == ["ann"]
    other = lobby.opens("dora", Open(most=3, starts="opener"))
    lobby.proves("dora", f"invite bob@example.org cid@example.org to {other.id}")
    assert lobby.seats(other.id, "invited") == ["bob", "cid"]
    lobby.proves("bob", f"no {other.id}")
    lobby.proves("bob", "yes")
    assert f"You said no to {other.id}. A seat is free there now" in lobby.words("bob")
    assert f"join {other.id}" in lobby.newest("bob").text
    lobby.proves("cid", f"no {other.id}")
    for name in ("eve", "fay"):
        lobby.joins(name, other.id)
    lobby.proves("cid", "yes")
    assert f"You said no to {other.id}, and no seat is free there now" in lobby.words("cid")


def test_an_answer_to_a_game_letter_can_ask_for_all_ones_games(lobby: Lobby) -> None:
    table = lobby.opens("ann", Open(most=2))
    lobby.joins("bob", table.id)
    lobby.answers("bob", "My games")
    assert lobby.subjects("bob")[-1] == "Your games and seats"
    assert f"{table.id} You are playing" in lobby.words("bob")
    lobby.answers("ann", "calendar")
    assert lobby.subjects("ann")[-1] == "Your calendar file"


def test_whoever_opens_a_table_is_shown_how_to_give_a_name_and_wishes(lobby: Lobby) -> None:
    lobby.proves("ann", "open a game: ah-basic, 3 players")
    assert "name NAME at arrakeen-1" in lobby.newest("ann").text
    lobby.proves("ann", "name NAME at arrakeen-1")
    assert "in place of NAME" in lobby.words("ann")
    lobby.proves("ann", "name Annie at arrakeen-1")
    assert "The others see you as Annie." in lobby.words("ann")
