"""Attacks and mistakes at a game's desk, by mail and by command: from forgers, deceitful players, careless game masters
and game masters with few rights."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from email.message import EmailMessage

import pytest

from bot.desk import people, positions, rights, seats, sight, speech
from bot.desk.powers import DeskRequest, PowerRefused, Use
from bot.games.identity import MailOutcome
from bot.games.observers import ObserverRefused
from bot.games.open_games import OpenGames, would_be_written
from bot.games.seat_addresses import AddressRefused
from bot.moderator import seat_lines
from bot.store import people as bans
from bot.store.acts import Right, acts_of, right_of, rights_of
from bot.store.database import reading
from rules.components import Faction
from tests.moderator.table import GAME, GAME_MASTER, World, address_of

REY, ANN, SAM = "rey@elsewhere.example", "ann@elsewhere.example", "sam@elsewhere.example"
OTHER = "sietch-13"


def granted(world: World, right: Right = "director", address: str = REY, game: str = GAME) -> str:
    """Grant a right in the game, and return the address of this person's desk."""
    rights.grant(DeskRequest(world.moderator.open_games, game, world.now), right, address)
    return desk_of(world, address, game)


def desk_of(world: World, address: str = REY, game: str = GAME) -> str:
    with reading(world.engine) as conn:
        own = right_of(conn, address, game_id=game)
    assert own
    return f"mentat+{own.token}@arrakis.example"


def mail(world: World, to: str, *lines: str, sender: str = REY, cc: str = "") -> MailOutcome:
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = sender, to, "Re: desk"
    if cc:
        message["Cc"] = cc
    message["Message-ID"] = f"<{next(world._serials)}.{world.written()}@elsewhere.example>"
    message.set_content("\n".join(lines) + "\n", cte="quoted-printable")
    return world.moderator.deliver(message.as_bytes(), world.now)


def answer(world: World, to: str = REY) -> str:
    return " ".join(world.newest(to).text.split())


def code_letters(world: World, to: str = REY) -> list[str]:
    """Return the reply addresses of all letters that ask for a confirmation."""
    return [str(each.message["Reply-To"]) for each in world.letters(to) if "confirm “" in each.subject]


def acts(world: World, game: str = GAME) -> list[str]:
    with reading(world.engine) as conn:
        return [act.what for act in acts_of(conn, game_id=game) if act.what != "grant"]


# --- numbers, days, sizes -------------------------------------------------------------------------------------------

MANY = "9" * 400


@pytest.mark.parametrize(
    "line",
    [
        f"bank guild {MANY}",
        f"bank guild -{MANY}",
        f"bank guild {'9' * 30}",
        f"extend {MANY}",
        "sitter guild sam@elsewhere.example until 9999-12-31",
        "sitter guild sam@elsewhere.example until 0001-01-01",
        "sitter guild sam@elsewhere.example until 2027-02-30",
        "ban dora@elsewhere.example until 9999-12-31",
        f"rollback {'9' * 25} battle",
        f"preview {'9' * 25} battle",
        f"preview {'9' * 900} battle",
        f"last turn {'9' * 25}",
        "last turn 0",
        f"observe x@y.example delay {'9' * 25}",
        f"observe x@y.example full delay {'9' * 25} consent all",
        f"position: spice guild +{'9' * 25}",
        "position: spice guild -999",
        f"position: storm {'9' * 25}",
        f"position: tanks guild {'9' * 25}",
        f"position: forces arrakeen guild {'9' * 25}",
        "position: tanks guild -1",
        f"position: {';' * 300}",
        f"clock step_hours={MANY}",
        "clock step_hours=1e308",
        "clock step_hours=nan",
        "clock step_hours=-1",
        f"rule: {'x' * 900}{'y' * 90}" * 5,
    ],
)
def test_what_is_beyond_all_measure_is_refused_and_the_rest_of_the_mail_is_not_lost(begun: World, line: str) -> None:
    desk = granted(begun, address=GAME_MASTER)
    found = mail(begun, desk, line, "bank fremen 2", sender=GAME_MASTER)
    assert found.disposition == "orders"
    assert begun.table().seats["fremen"].bank == 120
    assert acts(begun) == ["bank"]


@pytest.mark.parametrize("at", ["9" * 5_000, "9" * 30 + "/setup", "-1", "１/setup", "1/" + "x" * 900, "٣"])
def test_a_place_beyond_all_measure_is_nowhere(begun: World, at: str) -> None:
    desk = granted(begun)
    assert mail(begun, desk, f"if: {at[:900]}", "bank fremen 2").disposition == "orders"
    with pytest.raises(PowerRefused):
        seats.change_bank(DeskRequest(begun.moderator.open_games, GAME, begun.now, Use(at=at)), "fremen", 2)
    assert acts(begun) in ([], ["bank"])


@pytest.mark.parametrize("hours", [float("inf"), float("-inf"), float("nan"), 1e300])
def test_hours_that_are_no_number_of_hours_are_refused(begun: World, hours: float) -> None:
    with pytest.raises(PowerRefused):
        seats.change_bank(DeskRequest(begun.moderator.open_games, GAME, begun.now), "fremen", hours)
    assert acts(begun) == []


# --- one mail, many lines -------------------------------------------------------------------------------------------


def test_a_letter_of_many_lines_is_told_whole_and_nothing_in_it_is_a_command(begun: World) -> None:
    desk = granted(begun)
    lines = [f"Line {number}." for number in range(50)]
    mail(begun, desk, "tell guild:", *lines[:45], "pause", *lines[45:], "end tell", "bank guild 2")
    told = begun.letters("guild")
    assert any("Line 0." in each.text and "Line 49." in each.text for each in told)
    assert begun.table().stopped_at is None
    assert begun.table().seats["guild"].bank == 120


def test_commands_that_are_too_many_for_one_mail_are_named(begun: World) -> None:
    desk = granted(begun)
    mail(begun, desk, *(["bank guild 1"] * 45))
    assert begun.table().seats["guild"].bank == 40 * 60
    assert "5 lines" in answer(begun)


def test_a_line_that_is_too_long_is_not_lost_without_a_word(begun: World) -> None:
    desk = granted(begun)
    mail(begun, desk, f"rule: {'word ' * 20_000}", "bank guild 2")
    assert begun.table().seats["guild"].bank == 120
    assert "rule" not in acts(begun)
    assert "characters" in answer(begun)


# --- codes ----------------------------------------------------------------------------------------------------------


def test_the_same_command_twice_in_one_moment_asks_twice(begun: World) -> None:
    desk = granted(begun)
    assert mail(begun, desk, "end void").disposition == "orders"
    assert mail(begun, desk, "end void").disposition == "orders"
    first, second = code_letters(begun)
    assert first != second
    mail(begun, first, "confirm")
    assert begun.table().status == "over"
    mail(begun, second, "confirm")
    assert acts(begun) == ["end"]


def test_a_game_offered_twice_in_one_moment_is_offered_twice(begun: World) -> None:
    desk = granted(begun)
    mail(begun, desk, f"handover {ANN}", f"handover {ANN}")
    confirm_all(begun)
    assert begun.table().status == "running"


def confirm_all(world: World, sender: str = REY) -> None:
    for code in code_letters(world, sender):
        assert mail(world, code, "confirm", sender=sender).disposition != "fault"


def test_a_code_does_not_count_when_the_game_was_taken_back_and_others_ordered_meanwhile(begun: World) -> None:
    begun.silence_until("bidding")
    desk, games = granted(begun), begun.moderator.open_games
    asked = next(q.faction for q in begun.table().play.questions() if q.kind == "bid")
    seat_lines.order_for_seat(DeskRequest(games, GAME, begun.now), asked, ["pass"])
    entries = begun.table().entries
    mail(begun, desk, "end void")
    [code] = code_letters(begun)
    positions.roll_back(DeskRequest(games, GAME, begun.now), entries - 1)
    seat_lines.order_for_seat(DeskRequest(games, GAME, begun.now), asked, ["bid 1"])
    assert begun.table().entries == entries
    mail(begun, code, "confirm")
    assert begun.table().status == "running"
    assert "has gone on" in answer(begun)


def test_a_code_does_not_count_for_who_has_lost_their_right(begun: World) -> None:
    desk = granted(begun)
    mail(begun, desk, "end void")
    rights.revoke(DeskRequest(begun.moderator.open_games, GAME, begun.now), REY)
    mail(begun, code_letters(begun)[0], "confirm")
    assert begun.table().status == "running"


def test_a_game_is_not_handed_over_by_who_has_lost_it_meanwhile(begun: World) -> None:
    desk = granted(begun)
    mail(begun, desk, f"handover {SAM}")
    confirm_all(begun)
    offered = str(begun.newest(SAM).message["Reply-To"])
    rights.revoke(DeskRequest(begun.moderator.open_games, GAME, begun.now), REY)
    assert mail(begun, offered, "confirm", sender=SAM).disposition != "fault"
    with reading(begun.engine) as conn:
        assert rights_of(conn, game_id=GAME) == []


def test_of_two_to_whom_a_game_was_offered_the_first_who_agrees_has_it(begun: World) -> None:
    games = begun.moderator.open_games
    rights.hand_over(DeskRequest(games, GAME, begun.now), SAM)
    rights.hand_over(DeskRequest(games, GAME, begun.now), ANN)
    sams, anns = (str(begun.newest(who).message["Reply-To"]) for who in (SAM, ANN))
    mail(begun, anns, "confirm", sender=ANN)
    assert mail(begun, sams, "confirm", sender=SAM).disposition != "fault"
    with reading(begun.engine) as conn:
        assert [each.address for each in rights_of(conn, game_id=GAME)] == [ANN]


def test_who_took_a_seat_meanwhile_does_not_get_the_game(begun: World) -> None:
    games = begun.moderator.open_games
    rights.hand_over(DeskRequest(games, GAME, begun.now), SAM)
    offered = str(begun.newest(SAM).message["Reply-To"])
    seats.replace_player(DeskRequest(games, GAME, begun.now), "guild", SAM)
    assert mail(begun, offered, "confirm", sender=SAM).disposition != "fault"
    with reading(begun.engine) as conn:
        assert rights_of(conn, game_id=GAME) == []


def test_lines_below_the_one_that_deletes_the_game_do_no_harm(begun: World) -> None:
    desk = granted(begun)
    mail(begun, desk, "delete game", "end void")
    first, second = (each.partition("+")[2].partition("@")[0] for each in code_letters(begun))
    lines = (f"confirm {first}", f"confirm {second}", "acts", "waits", "press", "pause", "end void", "preview 1/setup")
    assert mail(begun, desk, *lines).disposition == "orders"
    assert f"{GAME} is deleted" in answer(begun)


@pytest.mark.parametrize(
    "line",
    [
        f"grant director {SAM}",
        f"replace guild {SAM}",
        f"address guild {SAM}",
        f"sitter guild {SAM} until 2024-12-20",
        f"handover {SAM}",
    ],
)
def test_nobody_gets_a_right_or_the_secrets_of_a_seat_by_a_forged_mail_alone(begun: World, line: str) -> None:
    desk, before = granted(begun), begun.written()
    mail(begun, desk, line)
    assert {each.recipient for each in begun.letters(after=before)} == {REY}
    [code] = code_letters(begun)
    mail(begun, code, "confirm")
    assert begun.letters(SAM)


def test_a_code_that_is_old_or_used_does_nothing(begun: World) -> None:
    desk = granted(begun)
    mail(begun, desk, "end void")
    mail(begun, desk, "position: spice guild +1")
    end, spice = (each.partition("+")[2].partition("@")[0] for each in code_letters(begun))
    mail(begun, desk, f"confirm {spice}", f"confirm {spice}", f"CONFIRM {spice.upper()}.")
    assert acts(begun) == ["position"]
    begun.now += timedelta(hours=25)
    mail(begun, desk, f"confirm {end}")
    assert "unknown, used or expired" in answer(begun)
    assert begun.table().status == "running"


# --- another game ---------------------------------------------------------------------------------------------------


def two_games(world: World) -> tuple[str, str]:
    world.new_game(game=OTHER, seed="other")
    return granted(world), granted(world, game=OTHER)


def test_lines_below_the_reply_address_of_another_game_are_not_for_this_one(begun: World) -> None:
    here, there = two_games(begun)
    mail(begun, here, "bank guild 2", there, "pause")
    assert begun.table().seats["guild"].bank == 120
    assert begun.table().stopped_at is None
    assert "One of your lines is below" in answer(begun)


def test_a_mail_to_two_desks_is_for_neither(begun: World) -> None:
    here, there = two_games(begun)
    assert mail(begun, f"{here}, {there}", "pause").disposition == "orders"
    assert (begun.table().stopped_at, begun.table(OTHER).stopped_at) == (None, None)


def test_the_desk_of_one_game_does_nothing_in_another(begun: World) -> None:
    begun.new_game(game=OTHER, seed="other")
    here = granted(begun)
    granted(begun, "clerk", ANN, OTHER)
    mail(begun, here, "end void")
    code = code_letters(begun)[0].partition("+")[2].partition("@")[0]
    mail(begun, desk_of(begun, ANN, OTHER), f"confirm {code}", sender=ANN)
    assert (begun.table().status, begun.table(OTHER).status) == ("running", "running")


# --- forwarded, quoted, answered ------------------------------------------------------------------------------------


def test_a_masters_mail_with_the_table_in_copy_is_of_no_use_to_the_table(begun: World) -> None:
    desk = granted(begun)
    mail(begun, desk, "tell all: wait", cc=", ".join(map(address_of, ("guild", "fremen"))))
    assert mail(begun, desk, "pause", sender=address_of("guild"), cc=REY).shunt
    assert begun.table().stopped_at is None


def test_commands_that_are_quoted_are_not_carried_out(begun: World) -> None:
    desk = granted(begun)
    mail(begun, desk, "On Monday Ann wrote:", "> pause", f"> {desk}", "> end void")
    assert acts(begun) == []
    assert not code_letters(begun)


def test_commands_that_a_master_forwards_are_those_of_another(begun: World) -> None:
    desk = granted(begun)
    sender = f"From: Guild <{address_of('guild')}>"
    head = ("---------- Forwarded message ---------", sender, "Subject: please", f"To: {REY}")
    mail(begun, desk, *head, "", "pause", "end void")
    assert acts(begun) == []
    assert not code_letters(begun)


def test_a_player_who_knows_the_reply_address_of_a_desk_does_nothing_with_it(begun: World) -> None:
    desk = granted(begun)
    for raw in (
        begun.mail("guild", desk, "pause", "end void"),
        begun.mail("guild", "pause", to=f"{desk}, mentat+{begun.token('guild')}@arrakis.example"),
        begun.mail("guild", "pause", to=desk, Reply_To=REY, Sender=REY),
    ):
        begun.moderator.deliver(raw, begun.now)
    assert acts(begun) == []
    assert not code_letters(begun)


def test_an_automatic_answer_of_a_master_is_no_command(begun: World) -> None:
    desk = granted(begun)
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = REY, desk, "Automatic reply: your commands"
    message["Auto-Submitted"] = "auto-replied"
    message["Message-ID"] = "<vacation@elsewhere.example>"
    message.set_content("pause\n")
    begun.moderator.deliver(message.as_bytes(), begun.now)
    assert begun.table().stopped_at is None


# --- a right that is small ------------------------------------------------------------------------------------------


def test_a_reminder_that_is_only_tried_does_not_tell_who_has_answered(begun: World) -> None:
    begun.silence_until("bidding")
    games = begun.moderator.open_games
    owes = {question.faction for question in begun.table().play.questions() if not question.blanket}
    done = next(faction for faction in begun.table().seats if faction not in owes)
    told = []
    for faction in (next(iter(owes)), done):
        seats.remind_seat(DeskRequest(games, GAME, begun.now, Use(dry_run=True)), faction)
        told.append(len(would_be_written()))
    assert told[0] == told[1]


@pytest.mark.parametrize(
    "line", ["ban dora@elsewhere.example", "unban dora@elsewhere.example", "warn guild@players.example: No."]
)
def test_what_is_done_to_a_person_waits_for_the_place_that_was_named(begun: World, line: str) -> None:
    desk = granted(begun, address=GAME_MASTER)
    mail(begun, desk, "if: 7/battle", line, sender=GAME_MASTER)
    assert "has moved on" in answer(begun, GAME_MASTER)
    with reading(begun.engine) as conn:
        assert bans.all_bans(conn) == []


def test_an_arbiter_warns_those_at_the_table_and_not_the_whole_world(begun: World) -> None:
    desk = granted(begun, "arbiter")
    mail(begun, desk, "warn victim@world.example: Buy spice.")
    assert begun.letters("victim@world.example") == []
    mail(begun, desk, "warn guild@players.example: Keep to the tone.")
    assert "Keep to the tone." in begun.newest(address_of("guild")).text
    with reading(begun.engine) as conn:
        act = acts_of(conn, game_id=GAME)[-1]
    assert (act.what, act.who, act.right) == ("warn", REY, "arbiter")


def test_what_is_done_to_a_person_from_the_desk_of_a_game_stands_in_its_act_log(begun: World) -> None:
    desk = granted(begun, address=GAME_MASTER)
    guild = address_of("guild")
    mail(begun, desk, f"warn {guild}: No.", f"ban {guild}", sender=GAME_MASTER)
    asked = next(each for each in reversed(begun.letters(GAME_MASTER)) if "confirm “" in each.subject)
    mail(begun, str(asked.message["Reply-To"]), "confirm", sender=GAME_MASTER)
    mail(begun, desk, f"unban {guild}", sender=GAME_MASTER)
    assert acts(begun) == ["warn", "ban", "unban"]


BEYOND_A_CLERK = (
    "end void", "predict", "position: spice guild +1", "order guild: pass", "blind", "break glass", "press public",
    "observe x@y.example full delay 2 consent all", f"grant director {SAM}", f"revoke {GAME_MASTER}",
    f"handover {SAM}", "delete game", "rollback 1 setup", "undo rollback", "preview 1 setup", "rule: so", "mute guild",
    "process", "default guild bid", "last turn 3", "ban guild@players.example", "warn guild@players.example: No.",
)  # fmt: skip


def test_a_clerk_does_not_even_get_the_code_of_what_is_beyond_their_right(begun: World) -> None:
    desk = granted(begun, "clerk")
    mail(begun, desk, *BEYOND_A_CLERK)
    assert acts(begun) == []
    assert code_letters(begun) == []
    assert answer(begun).count("Not done:") == len(BEYOND_A_CLERK)


def test_an_auditor_does_nothing_and_reads_no_words_before_the_end(begun: World) -> None:
    desk = granted(begun, "auditor")
    speech.tell(DeskRequest(begun.moderator.open_games, GAME, begun.now), ["guild"], "The Baron knows.")
    mail(begun, desk, "pause", "tell all: x", "acts", "waits", "note: x", "remind guild", "dry run", "end void")
    assert acts(begun) == ["tell"]
    assert "Baron" not in answer(begun)


# --- in the name of a player ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "line",
    [
        "press to all: I have no cards.",
        "press to fremen: I am weak.",
        "press to gm: I resign.",
        "resign",
        "absent from 2024-12-01 to 2024-12-03",
        "address add sam@elsewhere.example",
        "false readers yes",
        "archive press no",
        "timezone Asia/Tokyo",
        "freeze",
        "sitter off",
        "status",
    ],
)
def test_a_master_orders_for_a_seat_and_does_not_speak_for_its_player(begun: World, line: str) -> None:
    before = begun.written()
    with pytest.raises(PowerRefused):
        seat_lines.order_for_seat(DeskRequest(begun.moderator.open_games, GAME, begun.now), "guild", [line])
    assert begun.written() == before
    assert acts(begun) == []


def test_beside_an_order_for_a_seat_nothing_else_is_done_in_its_name(begun: World) -> None:
    begun.silence_until("bidding")
    asked = next(q.faction for q in begun.table().play.questions() if q.kind == "bid")
    before = begun.written()
    lines = ["pass", "press to all: I have no cards."]
    seat_lines.order_for_seat(DeskRequest(begun.moderator.open_games, GAME, begun.now), asked, lines)
    assert all("I have no cards" not in each.text for each in begun.letters(after=before) if each.faction != asked)


# --- the secrets of two seats ---------------------------------------------------------------------------------------


def sit_in(world: World, faction: Faction, address: str = SAM) -> None:
    until = seats.end_of_day(world.settings, "2024-12-20")
    seats.set_sitter(DeskRequest(world.moderator.open_games, GAME, world.now), faction, address, until)


def test_a_players_lost_mailbox_is_not_that_of_who_sits_in_for_another(begun: World) -> None:
    sit_in(begun, "fremen")
    for address in (SAM, "Sam+two@elsewhere.example"):
        with pytest.raises(ValueError, match="sits in"):
            seats.move_seat(DeskRequest(begun.moderator.open_games, GAME, begun.now), "guild", address)


def test_who_sat_in_for_one_player_takes_no_other_seat(begun: World) -> None:
    games = begun.moderator.open_games
    sit_in(begun, "fremen")
    seats.remove_sitter(DeskRequest(games, GAME, begun.now), "fremen")
    with pytest.raises(PowerRefused):
        seats.replace_player(DeskRequest(games, GAME, begun.now), "guild", SAM)
    with pytest.raises(PowerRefused):
        sit_in(begun, "guild")
    sit_in(begun, "fremen")


def test_who_gave_one_seat_away_takes_no_other(begun: World) -> None:
    games, guild = begun.moderator.open_games, address_of("guild")
    seats.replace_player(DeskRequest(games, GAME, begun.now), "guild", SAM)
    with pytest.raises(PowerRefused):
        seats.replace_player(DeskRequest(games, GAME, begun.now), "fremen", guild)
    with pytest.raises(PowerRefused):
        sit_in(begun, "fremen", guild)
    with pytest.raises((PowerRefused, ValueError)):
        seats.move_seat(DeskRequest(games, GAME, begun.now), "fremen", guild)
    seats.replace_player(DeskRequest(games, GAME, begun.now), "guild", guild)


def test_who_looked_at_what_is_sealed_takes_no_seat(begun: World) -> None:
    games = begun.moderator.open_games
    granted(begun, "arbiter")
    sight.predict_phase(DeskRequest(games, GAME, begun.now, Use(by=REY)))
    rights.revoke(DeskRequest(games, GAME, begun.now), REY)
    with pytest.raises(PowerRefused):
        seats.replace_player(DeskRequest(games, GAME, begun.now), "guild", REY)
    with pytest.raises(PowerRefused):
        sit_in(begun, "guild", REY)


# --- played blind ---------------------------------------------------------------------------------------------------


def test_in_a_blind_game_no_trial_tells_what_lies_behind_a_shield(begun: World) -> None:
    games = begun.moderator.open_games
    sight.play_blind(DeskRequest(games, GAME, begun.now))
    for dry_run in (True, False):
        for wrong in (
            "spice guild -30",
            "spice guild -1",
            "card Lasgun from guild to fremen",
            "card Lasgun from deck to discard",
        ):
            with pytest.raises(PowerRefused, match="played blind"):
                positions.correct_facts(DeskRequest(games, GAME, begun.now, Use(dry_run=dry_run)), [wrong])
        with pytest.raises(PowerRefused, match="played blind"):
            seat_lines.order_for_seat(DeskRequest(games, GAME, begun.now, Use(dry_run=dry_run)), "guild", ["pass"])
    positions.correct_facts(DeskRequest(games, GAME, begun.now), ["storm 7"])
    assert acts(begun) == ["blind", "position"]


# --- addresses and words --------------------------------------------------------------------------------------------

NO_ADDRESS = (
    "a@x.example,b@y.example", "a@x.example;b@y.example", "<a@x.example>", "a@x.example>,<b@y.example",
    "söm@exämple.example", "a@", "@b", "a b@c.example", "a@x.example\nBcc: b@y.example", '"a b"@x.example',
    "a@x@y.example", "x", "", "a@x.example\x00", "a\u202e@x.example", "a@[192.0.2.1]", "a@-x.example", "a@x..example",
    "a..b@x.example", f"{'a' * 500}@x.example", f"a@{'x.' * 200}example",
)  # fmt: skip
BY: dict[str, Callable[[OpenGames, World, str], object]] = {
    "replace": lambda games, world, said: seats.replace_player(DeskRequest(games, GAME, world.now), "guild", said),
    "address": lambda games, world, said: seats.move_seat(DeskRequest(games, GAME, world.now), "guild", said),
    "observe": lambda games, world, said: sight.add_observer(DeskRequest(games, GAME, world.now), said),
    "sitter": lambda games, world, said: sit_in(world, "guild", said),
    "grant": lambda games, world, said: rights.grant(DeskRequest(games, GAME, world.now), "clerk", said),
    "handover": lambda games, world, said: rights.hand_over(DeskRequest(games, GAME, world.now), said),
    "ban": lambda games, world, said: people.ban(DeskRequest(games, "", world.now), said),
    "warn": lambda games, world, said: people.warn(DeskRequest(games, "", world.now), said, "No."),
}


@pytest.mark.parametrize("power", BY)
def test_what_is_not_one_address_gets_no_letter(begun: World, power: str) -> None:
    before = begun.written()
    for said in NO_ADDRESS:
        with pytest.raises(PowerRefused, match="is not one mail address"):
            BY[power](begun.moderator.open_games, begun, said)
    assert begun.written() == before
    assert acts(begun) == []


NOT_THEY = (PowerRefused, AddressRefused, ObserverRefused)


@pytest.mark.parametrize("own", ["GUILD@PLAYERS.EXAMPLE", "guild+x@players.example", " Guild+Y@Players.Example "])
def test_nobody_is_two_persons_by_case_or_tag(begun: World, own: str) -> None:
    games = begun.moderator.open_games
    with pytest.raises(NOT_THEY):
        seats.replace_player(DeskRequest(games, GAME, begun.now), "fremen", own)
    with pytest.raises(NOT_THEY):
        seats.move_seat(DeskRequest(games, GAME, begun.now), "fremen", own)
    for power in ("observe", "grant", "handover"):
        with pytest.raises(NOT_THEY):
            BY[power](games, begun, own)
    with pytest.raises(NOT_THEY):
        sit_in(begun, "fremen", own)


UNSEEN = "a\x00b\x1b[2Jc\u202ed\u2028e\u2066f\x07g\rh\x85i\ufeff\U000e0041"


def test_signs_that_nobody_sees_are_told_to_nobody_and_kept_nowhere(begun: World) -> None:
    games, before = begun.moderator.open_games, begun.written()
    use = Use(why=UNSEEN, tell=UNSEEN)
    speech.tell(DeskRequest(games, GAME, begun.now, Use(why=UNSEEN)), ["guild"], UNSEEN)
    speech.rule(DeskRequest(games, GAME, begun.now), UNSEEN)
    speech.ask(DeskRequest(games, GAME, begun.now), "guild", UNSEEN)
    seats.excuse_seat(DeskRequest(games, GAME, begun.now, use), "guild")
    people.warn(DeskRequest(games, "", begun.now), address_of("guild"), UNSEEN)
    kept = [each.text + each.html for each in begun.letters(after=before)]
    with reading(begun.engine) as conn:
        kept += [act.words + act.why + act.tell for act in acts_of(conn, game_id=GAME)]
    assert len(kept) > 6
    for text in kept:
        assert not {sign for sign in text if sign in "\x00\x1b\u202e\u2028\u2066\x07\x85\ufeff\U000e0041"}


@pytest.mark.parametrize("use", [lambda said: Use(why=said), lambda said: Use(tell=said)])
def test_a_reason_of_a_hundred_kilobytes_is_refused(use: Callable[[str], Use]) -> None:
    with pytest.raises(PowerRefused, match="100000 characters"):
        use("x" * 100_000)
