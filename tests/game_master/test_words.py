"""The game master's messages, their recipients, and the answers that reach the desk."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from bot.desk import rights, seats, speech
from bot.desk.powers import DeskRequest, PowerRefused, Use
from bot.games.open_games import Session
from bot.store import acts, desk
from bot.store.database import reading, writing
from bot.wording import say
from rules.components import FACTIONS
from tests.moderator.table import CONFIG, GAME, GAME_MASTER, World, address_of

REY = "rey@elsewhere.example"


def test_words_to_one_seat_reach_that_seat_alone(begun: World) -> None:
    before = begun.written()
    speech.tell(DeskRequest(begun.moderator.open_games, GAME, begun.now), ["guild"], "Your mail came twice.")
    [letter] = begun.letters(after=before)
    assert letter.recipient == address_of("guild")
    assert "Your mail came twice." in letter.text


def test_words_to_the_table_reach_everybody(begun: World) -> None:
    before = begun.written()
    speech.tell(DeskRequest(begun.moderator.open_games, GAME, begun.now), [], "Merry Christmas.")
    assert {letter.recipient for letter in begun.letters(after=before)} == {address_of(each) for each in FACTIONS}


@pytest.mark.parametrize("said", ["", "  \n ", "x" * 100_000])
@pytest.mark.parametrize("power", ["tell", "ask", "rule", "note"])
def test_nothing_and_far_too_much_are_refused(begun: World, power: str, said: str) -> None:
    before, games = begun.written(), begun.moderator.open_games
    with pytest.raises(PowerRefused):  # noqa: PT012 - one of them
        match power:
            case "tell":
                speech.tell(DeskRequest(games, GAME, begun.now), [], said)
            case "ask":
                speech.ask(DeskRequest(games, GAME, begun.now), "guild", said)
            case "rule":
                speech.rule(DeskRequest(games, GAME, begun.now), said)
            case _:
                speech.note(DeskRequest(games, GAME, begun.now), said)
    assert begun.written() == before


def test_an_answer_to_a_question_comes_to_the_desk_and_does_nothing_in_the_game(begun: World) -> None:
    speech.ask(DeskRequest(begun.moderator.open_games, GAME, begun.now), "guild", "Carthag or Arrakeen?")
    question = begun.newest("guild")
    entries, before = begun.table().entries, begun.written()
    answer = begun.mail("guild", "Carthag.", "no prediction", In_Reply_To=str(question.message["Message-ID"]))
    begun.moderator.deliver(answer, begun.now)
    assert begun.table().entries == entries
    told = {letter.recipient: letter.text for letter in begun.letters(after=before)}
    assert set(told) == {GAME_MASTER, address_of("guild")}
    assert "Carthag." in told[GAME_MASTER]
    assert not begun.table().seats["guild"].asked_by_desk


def test_whoever_takes_a_seat_owes_no_answer_to_what_the_player_before_was_asked(begun: World) -> None:
    speech.ask(DeskRequest(begun.moderator.open_games, GAME, begun.now), "guild", "Carthag or Arrakeen?")
    assert begun.table().seats["guild"].asked_by_desk
    seats.replace_player(DeskRequest(begun.moderator.open_games, GAME, begun.now), "guild", "gus@elsewhere.example")
    assert not begun.table().seats["guild"].asked_by_desk


def test_a_ruling_is_told_and_found_again(begun: World) -> None:
    before = begun.written()
    speech.rule(DeskRequest(begun.moderator.open_games, GAME, begun.now), "A rider rides alone.", clause="WBC.X.32")
    assert all("A rider rides alone." in letter.text for letter in begun.letters(after=before))
    begun.say("guild", "rules rulings")
    assert "WBC.X.32: A rider rides alone." in " ".join(begun.newest("guild").text.split())
    with pytest.raises(PowerRefused, match="no clause"):
        speech.rule(DeskRequest(begun.moderator.open_games, GAME, begun.now), "So be it.", clause="WBC.X.9999")


def test_a_note_is_seen_by_nobody_and_its_words_not_even_in_the_act_log(begun: World) -> None:
    before = begun.written()
    speech.note(DeskRequest(begun.moderator.open_games, GAME, begun.now), "Asks about the Voice.", about="guild")
    assert begun.written() == before
    with reading(begun.engine) as conn:
        [note] = desk.notes_of_game(conn, GAME)
        [act] = acts.acts_of(conn, game_id=GAME)
    assert (note.about, note.words) == ("guild", "Asks about the Voice.")
    assert "Voice" not in repr(act)
    with pytest.raises(PowerRefused, match="neither a seat nor an address"):
        speech.note(DeskRequest(begun.moderator.open_games, GAME, begun.now), "Hm.", about="somebody")


def test_a_right_is_granted_with_a_letter_and_revoked(begun: World) -> None:
    games = begun.moderator.open_games
    before = begun.written()
    assert rights.grant(DeskRequest(games, GAME, begun.now), "clerk", REY)
    assert not rights.grant(DeskRequest(games, GAME, begun.now), "clerk", REY)
    [letter] = begun.letters(after=before)
    with reading(begun.engine) as conn:
        [granted] = acts.rights_of(conn, game_id=GAME)
    assert letter.recipient == REY
    assert granted.token in str(letter.message["Reply-To"])
    rights.revoke(DeskRequest(games, GAME, begun.now), REY)
    with pytest.raises(PowerRefused, match="no right"):
        rights.revoke(DeskRequest(games, GAME, begun.now), REY)


@pytest.mark.parametrize("address", [address_of("guild"), address_of("guild").upper(), "nobody", "a@b@c", "x\n@y.z"])
def test_no_right_goes_to_a_player_or_to_what_is_no_address(begun: World, address: str) -> None:
    request = DeskRequest(begun.moderator.open_games, GAME, begun.now)
    with pytest.raises(PowerRefused):
        rights.hand_over(request, address)
    with pytest.raises(PowerRefused):
        rights.grant(request, "clerk", address)


def test_a_game_is_theirs_who_agreed_and_only_what_is_for_a_successor_comes_with_it(begun: World) -> None:
    games = begun.moderator.open_games
    rights.grant(DeskRequest(games, GAME, begun.now), "director", "old@elsewhere.example")
    rights.grant(DeskRequest(games, GAME, begun.now), "auditor", "ann@elsewhere.example")
    speech.note(DeskRequest(games, GAME, begun.now), "Mine.")
    speech.note(DeskRequest(games, GAME, begun.now, Use()), "For whoever comes.", successor=True)
    rights.hand_over(DeskRequest(games, GAME, begun.now), REY)
    code = next(line for line in begun.letters()[-1].text.split() if len(line) == 16 and line.isalnum())
    with reading(begun.engine) as conn:
        assert desk.pending_command(conn, code, begun.now + timedelta(days=4)) is None
        pending = desk.pending_command(conn, code, begun.now)
        assert pending
    before = begun.written()
    with games.busy, writing(begun.engine) as conn:
        rights.take_over(Session(conn, games, begun.now), pending)
        assert desk.pending_command(conn, code, begun.now) is None
        assert {(who.address, who.right) for who in acts.rights_of(conn, game_id=GAME)} == {
            (REY, "director"), ("ann@elsewhere.example", "auditor"),
        }  # fmt: skip
        assert [note.words for note in desk.notes_of_game(conn, GAME)] == ["For whoever comes."]
    told = {letter.recipient for letter in begun.letters(after=before)}
    helpers = {"old@elsewhere.example", "ann@elsewhere.example"}
    assert told == {REY, *helpers, *(address_of(faction) for faction in FACTIONS)}
    assert "you no longer run it" in " ".join(begun.newest("old@elsewhere.example").text.split()).lower()
    assert "You remain its auditor." in " ".join(begun.newest("ann@elsewhere.example").text.split())


def test_an_answer_is_refused_where_everybody_at_the_desk_plays(tmp_path: Path) -> None:
    world = World.at(tmp_path, CONFIG.replace(GAME_MASTER, address_of("fremen")))
    world.new_game()
    games = world.moderator.open_games
    rights.grant(DeskRequest(games, GAME, world.now), "director", REY)
    speech.ask(DeskRequest(games, GAME, world.now, Use(by=REY)), "guild", "Carthag or Arrakeen?")
    rights.revoke(DeskRequest(games, GAME, world.now, Use(by=REY)), REY)
    before = world.written()
    answer = world.mail("guild", "Carthag.", In_Reply_To=str(world.newest("guild").message["Message-ID"]))
    assert world.moderator.deliver(answer, world.now).taken == 0
    [told] = world.letters(after=before)
    assert told.faction == "guild"
    assert f"Carthag. REFUSED {say('press-not.desk-plays')}" in " ".join(told.text.split())
