"""Unreachable players: duties wait within limits, other players learn no name, and the game master is told once."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

from bot.desk.powers import DeskRequest
from bot.desk.seats import freeze_seat, move_seat, replace_player
from bot.games import silent_players
from bot.mail.transport import SendRefused
from bot.service import loop
from bot.store import mail
from bot.store.database import reading, writing
from bot.table.table import Seat, place_of
from rules.components import Faction
from tests.moderator.returned import answer_of_program, bounce_of
from tests.moderator.table import ADDRESS, CONFIG, GAME, GAME_MASTER, World, address_of

FEW: tuple[Faction, ...] = ("atreides", "guild", "harkonnen")


OTHER = "sietch-13"


def seat(world: World, faction: Faction = "guild", game: str = GAME) -> Seat:
    return world.table(game).seats[faction]


def bounce(world: World, status: str = "5.1.1", faction: Faction = "guild", action: str = "failed") -> None:
    verdict = world.moderator.deliver(bounce_of(world.newest(faction), status, action), world.now)
    assert (verdict.disposition, verdict.faction) == ("bounce", faction)


def duties(world: World) -> dict[Faction, datetime]:
    """Map each faction to the due time of its open public duty."""
    table = world.table()
    return {q.faction: d for q in table.play.questions() if q.public and not q.blanket and (d := table.due(q))}


def words(world: World, to: str) -> str:
    return " ".join(world.newest(to).text.split())


def at_a_duty(world: World) -> Faction:
    """Play until a single player must bid; return that player's faction."""
    world.new_game(factions=FEW)
    for _ in range(60):
        if world.table().play.state.phase == "bidding" and len(duties(world)) == 1:
            (faction,) = duties(world)
            return faction
        world.wait(24)
    raise AssertionError("nobody was ever asked to bid")


def test_a_duty_waits_as_long_as_the_settings_allow_and_no_longer(world: World) -> None:
    player = at_a_duty(world)
    before = duties(world)[player]
    bounce(world, faction=player)
    until = world.now + timedelta(hours=48)
    assert duties(world)[player] == until > before
    assert world.wait(47.9) == 0
    assert world.wait(0.1) == 1


def test_a_duty_that_comes_up_meanwhile_waits_too(world: World) -> None:
    player = at_a_duty(world)
    others = [faction for faction in FEW if faction != player]
    bounce(world, faction=others[0])
    until = world.now + timedelta(hours=48)
    world.say(player, "pass")
    for _ in range(3):
        asked = duties(world)
        if others[0] in asked:
            break
        world.say(next(iter(asked)), "pass")
    assert duties(world)[others[0]] == until


def test_reactions_keep_their_time_whoever_can_be_reached(world: World) -> None:
    world.new_game("wbc-2018")
    for _ in range(60):
        table = world.table()
        reacting = {place_of(table.play, q): q.faction for q in table.play.questions() if q.blanket}
        if reacting:
            break
        world.wait(24)
    before = {place: table.deadlines[place] for place in reacting}
    assert before
    for faction in sorted(set(reacting.values())):
        bounce(world, faction=faction)
        assert seat(world, faction).unreachable
    after = world.table().deadlines
    assert {place: after[place] for place in reacting} == before


def test_the_hours_of_a_game_are_used_up_over_several_spells(world: World) -> None:
    player = at_a_duty(world)
    before = duties(world)[player]
    bounce(world, faction=player)
    world.now += timedelta(hours=1)
    world.say(player, "status")
    used = timedelta(minutes=seat(world, player).waited)
    assert used == world.now - timedelta(hours=1) + timedelta(hours=48) - before
    standing = duties(world)[player]
    world.now = standing - timedelta(hours=2)
    bounce(world, faction=player)
    left = timedelta(hours=48) - used
    assert duties(world)[player] == max(standing, world.now + left)
    world.say(player, "status")
    assert timedelta(minutes=seat(world, player).waited) <= timedelta(hours=48)


def test_no_hours_in_the_settings_is_no_wait_and_the_table_hears_nothing(tmp_path: Path) -> None:
    world = World.at(tmp_path, CONFIG + "[clock]\nunreachable_hours = 0\n")
    player = at_a_duty(world)
    before, letters = duties(world), len(world.letters())
    bounce(world, faction=player)
    assert duties(world) == before
    assert [letter.recipient for letter in world.letters()[letters:]] == [GAME_MASTER]
    assert "we will use the default given in the question" in words(world, GAME_MASTER)


def test_the_others_hear_that_somebody_cannot_be_reached_but_not_who(world: World) -> None:
    player = at_a_duty(world)
    letters = len(world.letters())
    bounce(world, faction=player)
    told = {letter.recipient: letter for letter in world.letters()[letters:]}
    others = [address_of(faction) for faction in FEW if faction != player]
    assert set(told) == {GAME_MASTER, *others}
    for other in others:
        notice = told[other].text.split("Reply above")[-1]
        assert "is not arriving" in " ".join(notice.split())
        assert player not in notice.lower()
    assert address_of(player) in told[GAME_MASTER].text


def test_the_game_master_hears_of_a_spell_once_and_of_the_next_one_again(world: World) -> None:
    world.new_game(factions=FEW)
    for _ in range(30):
        bounce(world)
    assert len(world.letters(GAME_MASTER)) == 1
    world.say("guild", "status")
    world.now += timedelta(hours=1)
    bounce(world)
    assert len(world.letters(GAME_MASTER)) == 2


def test_three_delays_in_a_week_are_believed_and_two_are_not(world: World) -> None:
    world.new_game(factions=FEW)
    for _ in range(2):
        bounce(world, "4.4.1", action="delayed")
    assert not seat(world).unreachable
    assert not world.letters(GAME_MASTER)
    bounce(world, "4.4.1", action="delayed")
    assert seat(world).unreachable


def test_old_delays_are_forgotten_and_so_are_those_before_their_last_mail(world: World) -> None:
    world.new_game(factions=FEW)
    for _ in range(2):
        bounce(world, "4.2.2")
    world.now += timedelta(days=8)
    bounce(world, "4.2.2")
    assert not seat(world).unreachable
    bounce(world, "4.2.2")
    world.say("guild", "status")
    bounce(world, "4.2.2")
    assert not seat(world).unreachable


def test_a_bounce_without_our_envelope_sender_is_known_by_the_letter_that_it_returns(world: World) -> None:
    world.new_game(factions=FEW)
    letter = world.newest("guild")
    raw = bounce_of(letter, to=ADDRESS, returned=f"Message-ID: {letter.message['Message-ID']}\r\nSubject: your turn")
    assert world.moderator.deliver(raw, world.now).faction == "guild"
    assert seat(world).unreachable


def test_a_bounce_about_nothing_of_ours_changes_nothing(world: World) -> None:
    world.new_game(factions=FEW)
    before = len(world.letters())
    strange = bounce_of(world.newest("guild"), to=ADDRESS, returned="Message-ID: <x.aaaaaaaaaaaaaaaa@arrakis.example>")
    assert world.moderator.deliver(strange, world.now).disposition == "bounce"
    assert not any(each.unreachable for each in world.table().seats.values())
    assert len(world.letters()) == before


def test_who_writes_again_is_told_that_mail_to_them_came_back(world: World) -> None:
    world.new_game(factions=FEW)
    bounce(world)
    world.say("guild", "status")
    assert not seat(world).unreachable
    assert "Mail to you came back from Tue 26 Nov 20:00 UTC on" in words(world, "guild")
    world.say("guild", "status")
    assert "came back" not in words(world, "guild")


def test_a_vacation_note_shows_that_mail_arrives(world: World) -> None:
    world.new_game(factions=FEW)
    bounce(world)
    note = answer_of_program(world.newest("guild"), "Out of office", "I am away", Auto_Submitted="auto-replied")
    world.moderator.deliver(note, world.now)
    assert not seat(world).unreachable


def test_letters_that_they_may_have_missed_are_sent_again_with_the_same_names(world: World) -> None:
    world.new_game(factions=FEW)
    sent: list[bytes] = []

    class Takes:
        def send(self, _envelope_from: str, to: str, letter: bytes) -> None:
            if to == address_of("guild"):
                sent.append(letter)

        def close(self) -> None: ...

    loop.send(world.outbox, Takes(), world.now)
    first = list(sent)
    bounce(world)
    assert silent_players.send_letters_again(world.moderator.open_games, GAME, "guild", world.now) == len(first) == 1
    assert not seat(world).unreachable
    loop.send(world.outbox, Takes(), world.now)
    assert sent == first * 2
    bounce(world)
    assert seat(world).unreachable


def test_the_answer_to_the_last_mail_of_a_player_is_sent_again_and_what_came_before_it_is_not(world: World) -> None:
    """The answer is written at the same instant at which the mail arrives."""
    world.new_game(factions=FEW)
    world.now += timedelta(minutes=1)
    world.say("guild", "status")
    assert silent_players.send_letters_again(world.moderator.open_games, GAME, "guild", world.now) == 1


def test_letters_that_are_sent_again_after_a_freeze_carry_the_new_reply_address(world: World) -> None:
    world.new_game(factions=FEW)
    line, old = world.line("guild", "traitor"), world.newest("guild")
    freeze_seat(DeskRequest(world.moderator.open_games, GAME, world.now), "guild")
    silent_players.send_letters_again(world.moderator.open_games, GAME, "guild", world.now)
    again = next(
        letter for letter in world.letters("guild") if letter.message["Message-ID"] == old.message["Message-ID"]
    )
    token = world.token("guild")
    assert token in str(again.message["Reply-To"])
    assert token in again.text + again.html
    assert again.message["References"] == old.message["References"]
    ended = str(old.message["Reply-To"]).partition("+")[2].partition("@")[0]
    assert ended not in again.text + again.html + again.envelope_from
    answer = world.mail("guild", line, to=str(again.message["Reply-To"]), In_Reply_To=str(again.message["Message-ID"]))
    assert world.moderator.deliver(answer, world.now).taken == 1


def test_who_had_the_seat_before_is_sent_nothing_again_and_has_no_reply_address_that_counts(world: World) -> None:
    """If the first player later replaces the second, the first player's own letters become valid again."""
    world.new_game("wbc-2018", factions=FEW)
    first, second = address_of("guild"), "dora@players.example"
    replace_player(DeskRequest(world.moderator.open_games, GAME, world.now), "guild", second)
    before = {str(letter.message["Message-ID"]): letter.message.as_bytes() for letter in world.letters(first)}
    assert silent_players.send_letters_again(world.moderator.open_games, GAME, "guild", world.now) >= 1
    assert {str(letter.message["Message-ID"]): letter.message.as_bytes() for letter in world.letters(first)} == before
    token = world.token("guild")
    for letter in world.letters():
        if letter.recipient != second:
            assert token not in letter.message.as_string() + letter.text + letter.html + letter.envelope_from
    replace_player(DeskRequest(world.moderator.open_games, GAME, world.now), "guild", first)
    silent_players.send_letters_again(world.moderator.open_games, GAME, "guild", world.now)
    token = world.token("guild")
    for letter in world.letters():
        if letter.recipient != first:
            assert token not in letter.message.as_string() + letter.text + letter.html + letter.envelope_from


def test_only_the_newest_of_the_letters_that_they_may_have_missed_are_sent_again(world: World) -> None:
    world.new_game(factions=FEW)
    with writing(world.engine) as conn:
        missed = [
            mail.Letter(f"<{n}@arrakis.example>", ADDRESS, address_of("guild"), f"letter {n}", b"x", GAME, "guild")
            for n in range(40)
        ]
        mail.post(conn, missed, world.now)
        mail.note_sent(conn, [letter.id for letter in mail.to_send(conn, world.now)], world.now)
    assert silent_players.send_letters_again(world.moderator.open_games, GAME, "guild", world.now) == 30
    with reading(world.engine) as conn:
        again = [waiting.letter.subject for waiting in mail.to_send(conn, world.now)]
    assert again == [f"letter {n}" for n in range(10, 40)]


def test_a_letter_that_a_server_refuses_is_as_good_as_a_bounce(world: World) -> None:
    world.new_game(factions=FEW)

    class Refuses:
        def send(self, _envelope_from: str, to: str, _letter: bytes) -> None:
            if to == address_of("guild"):
                raise SendRefused("mx.example refused the recipient (550 5.1.1 no such user)")

        def close(self) -> None: ...

    loop.send(world.outbox, Refuses(), world.now)
    assert seat(world).unreachable
    assert "no such user" in words(world, GAME_MASTER)
    before = len(world.letters(GAME_MASTER))
    world.say("harkonnen", world.line("harkonnen", "traitor"))
    world.say("atreides", world.line("atreides", "traitor"))
    loop.send(world.outbox, Refuses(), world.now)
    assert len(world.letters(GAME_MASTER)) == before


def test_who_could_not_be_reached_when_that_had_no_date_yet_is_heard_again(world: World) -> None:
    world.new_game(factions=FEW)
    with writing(world.engine) as conn:  # like a first-schema database after its migration
        conn.exec_driver_sql("UPDATE seat SET unreachable = true WHERE faction = 'guild'")
    world.moderator.open_games.forget()
    assert world.say("guild", "status").disposition == "orders"
    assert "Mail to you came back, so you may have missed letters" in words(world, address_of("guild"))
    assert not seat(world).unreachable


def test_a_substitute_begins_with_what_is_left_of_nothing(world: World) -> None:
    from bot.desk import seats

    player = at_a_duty(world)
    bounce(world, faction=player)
    seats.replace_player(DeskRequest(world.moderator.open_games, GAME, world.now), player, "dora@players.example")
    now = seat(world, player)
    assert (now.unreachable, now.waits_until, now.undelivered, now.waited, now.lent) == (False, None, 0, 0, 0)


# --- one person in several games --------------------------------------------------------------------------------------


def two_games(world: World) -> None:
    """Start another game with the same players."""
    world.new_game(factions=FEW, game=OTHER)
    world.new_game(factions=FEW)


def test_who_cannot_be_reached_in_one_game_cannot_be_in_any_at_that_address(world: World) -> None:
    two_games(world)
    letters = world.written()
    bounce(world)
    assert seat(world).unreachable
    assert seat(world, game=OTHER).unreachable
    assert not seat(world, "harkonnen", OTHER).unreachable
    (report,) = world.letters(GAME_MASTER)
    assert "mailbox serves Guild in sietch-13" in " ".join(report.text.split())
    assert f"{OTHER}: replace guild NEW@ADDRESS" in " ".join(report.text.split())
    for other in ("atreides", "harkonnen"):
        subjects = [letter.subject for letter in world.letters(other, after=letters)]
        assert len(subjects) == 2
        assert len([subject for subject in subjects if OTHER in subject]) == 1


def test_who_is_written_to_again_in_one_game_is_not_lost_once_more_in_the_other(world: World) -> None:
    two_games(world)
    bounce(world)
    used = seat(world, game=OTHER).waits_until
    silent_players.send_letters_again(world.moderator.open_games, GAME, "guild", world.now)
    assert (seat(world).unreachable, seat(world, game=OTHER).unreachable) == (False, True)
    world.now += timedelta(hours=5)
    letters = world.written()
    bounce(world)
    assert (seat(world).unreachable, seat(world, game=OTHER).unreachable) == (True, True)
    assert seat(world, game=OTHER).waits_until == used
    assert not any(OTHER in letter.subject for letter in world.letters(after=letters))


def test_duties_wait_in_the_other_games_too(world: World) -> None:
    world.new_game(factions=FEW, game=OTHER)
    player = at_a_duty(world)
    table = world.table(OTHER)
    asked = {place_of(table.play, q) for q in table.play.questions() if q.public and q.faction == player}
    assert asked
    bounce(world, faction=player)
    until = world.now + timedelta(hours=48)
    assert seat(world, player, OTHER).waits_until == seat(world, player).waits_until == until
    now = world.table(OTHER).deadlines
    assert all(now[place].due >= until for place in asked)


def test_delays_in_several_games_are_of_one_mailbox(world: World) -> None:
    two_games(world)
    bounce(world, "4.4.1", action="delayed")
    letters = [letter for letter in world.letters("guild") if OTHER in letter.subject]
    for status in ("4.4.1", "4.2.2"):
        assert not seat(world).unreachable
        assert world.moderator.deliver(bounce_of(letters[-1], status), world.now).game_id == OTHER
    assert seat(world).unreachable
    assert seat(world, game=OTHER).unreachable


def test_a_mail_in_one_game_ends_it_in_all_and_says_so_in_each(world: World) -> None:
    two_games(world)
    bounce(world)
    letters = world.written()
    world.say("guild", "status")
    assert not seat(world).unreachable
    assert not seat(world, game=OTHER).unreachable
    answers = world.letters("guild", after=letters)
    assert len(answers) == 2
    assert {OTHER in letter.subject for letter in answers} == {True, False}
    assert all("Mail to you came back from" in " ".join(letter.text.split()) for letter in answers)
    world.say("guild", "status")
    assert len(world.letters("guild", after=letters)) == 3


def test_old_delays_in_other_games_are_forgotten_with_their_mail(world: World) -> None:
    two_games(world)
    for _ in range(2):
        bounce(world, "4.2.2")
    assert seat(world, game=OTHER).undelivered == 2
    world.say("guild", "status")
    assert seat(world, game=OTHER).undelivered == 0


def test_a_vacation_note_ends_it_in_all_games_and_is_not_written_to(world: World) -> None:
    two_games(world)
    bounce(world)
    letters = len(world.letters("guild"))
    note = answer_of_program(world.newest("guild"), "Out of office", "I am away", Auto_Submitted="auto-replied")
    world.moderator.deliver(note, world.now)
    assert not seat(world).unreachable
    assert not seat(world, game=OTHER).unreachable
    assert len(world.letters("guild")) == letters


def test_a_forgery_from_the_address_ends_nothing(world: World) -> None:
    two_games(world)
    bounce(world)
    forged = world.mail("guild", "status", to=ADDRESS)
    assert world.moderator.deliver(forged, world.now).disposition == "rejected"
    assert seat(world).unreachable
    assert seat(world, game=OTHER).unreachable


def test_a_game_at_another_address_is_not_touched(world: World) -> None:
    world.new_game(factions=FEW, game=OTHER)
    move_seat(DeskRequest(world.moderator.open_games, OTHER, world.now), "guild", "edric@heighliner.example")
    world.new_game(factions=FEW)
    bounce(world)
    assert seat(world).unreachable
    assert not seat(world, game=OTHER).unreachable


def test_a_refusal_of_what_a_letter_holds_is_believed_at_the_second(world: World) -> None:
    world.new_game(factions=FEW)
    bounce(world, "5.7.1")
    assert not seat(world).unreachable
    bounce(world, "5.3.4")
    assert seat(world).unreachable


def test_a_report_of_success_is_nothing_to_worry_about(world: World) -> None:
    world.new_game(factions=FEW)
    for action in ("delivered", "relayed", "expanded"):
        raw = bounce_of(world.newest("guild"), "2.1.5", action)
        assert world.moderator.deliver(raw, world.now).disposition == "auto-reply"
    assert (seat(world).unreachable, seat(world).undelivered) == (False, 0)


def test_a_late_bounce_of_a_mailbox_that_they_have_left_says_nothing_of_the_new_one(world: World) -> None:
    world.new_game(factions=FEW)
    late = bounce_of(world.newest("guild"))
    world.say("guild", "address add edric@heighliner.example")
    code = str(world.newest("edric@heighliner.example").message["Reply-To"])
    confirmed = world.mail("guild", "confirm", sender="edric@heighliner.example", to=code)
    assert world.moderator.deliver(confirmed, world.now).disposition == "orders"
    world.say("guild", "address use edric@heighliner.example")
    assert seat(world).address == "edric@heighliner.example"
    assert world.moderator.deliver(late, world.now).faction == "guild"
    assert not seat(world).unreachable
