"""Games by mail in which Mentat plays some of the seats."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email import message_from_bytes, policy
from pathlib import Path
from typing import Any

import pytest

from bot.desk.new_game import NewGame, new_game
from bot.desk.positions import roll_back
from bot.desk.powers import DeskRequest, PowerRefused
from bot.desk.seats import freeze_seat, move_seat, replace_player, set_caretaker, set_sitter
from bot.games import proof
from bot.lab.players_by_mail import PROGRAMS, Dice, ScriptedPlayer
from bot.lab.worlds import ADDRESSES, IN_FOLDERS, World, empty_outbox, make_settings
from bot.moderator import outage
from bot.press import OPEN_PRESS, read_press
from bot.store import games, retention
from bot.store.archive import cast_of
from bot.store.database import reading, writing
from bot.store.record import log_of
from bot.table.table import Deadline, Place, place_of
from rules.components import FACTIONS, Faction, faction_name
from rules.components.board import DOTS
from rules.decisions.question import Question
from rules.players import Temperament

GAME = "mixed"
PEOPLE: tuple[Faction, ...] = ("fremen", "harkonnen")
HOW: dict[Faction, Temperament] = {f: "sharp" if f == "emperor" else "steady" for f in FACTIONS if f not in PEOPLE}
START = datetime(2026, 11, 2, 20, tzinfo=UTC)


class Mixed:
    """Two scripted players who write mails, and four opponents. If ``forgetful``, Mentat restarts after every mail."""

    def __init__(self, folder: Path, turns: int, *, forgetful: bool = False, press: str = "", pause: int = 0) -> None:
        self.world = World(make_settings(folder, IN_FOLDERS, secret="spice-must-flow-spice-must-flow"))
        self.now, self.forgetful = START, forgetful
        self.letters: dict[str, list[str]] = {}
        self.players = [
            ScriptedPlayer(faction.title(), ADDRESSES[faction], program, Dice("mixed", faction))
            for faction, program in zip(PEOPLE, PROGRAMS, strict=False)
        ]
        made = NewGame(
            GAME,
            "wbc-2018",
            {faction: ADDRESSES[faction] for faction in PEOPLE},
            dict(zip(FACTIONS, DOTS, strict=True)),
            "two and four",
            options={"max_turns": turns},
            opponents=HOW,
            press=read_press(press) if press else OPEN_PRESS,
            clock={"opponent_minutes": pause} if pause else {},
        )
        new_game(self.world.open_games, made, self.now)

    def exchange(self) -> bool:
        self.now += timedelta(minutes=1)
        letters = empty_outbox(self.world.engine, self.now)
        for address, contents in letters.items():
            texts = (message_from_bytes(one, policy=policy.default).get_body(("plain",)) for one in contents)
            self.letters.setdefault(address, []).extend(text.get_content() for text in texts if text)
        answers = [one.raw for player in self.players for one in player.read(letters.get(player.address, []), self.now)]
        for raw in answers:
            self.world.moderator.deliver(raw, self.now)
            if self.forgetful:
                self.world.open_games.forget()
        return bool(answers)

    def play(self) -> None:
        for _ in range(400):
            if not self.exchange():
                if self.over:
                    return
                self.now += timedelta(hours=6)
                self.world.moderator.timekeeper.tick(self.now)
        raise AssertionError("the game does not end")

    @property
    def over(self) -> bool:
        with reading(self.world.engine) as conn:
            return games.progress(conn, GAME)[1]

    def log(self) -> list[object]:
        with reading(self.world.engine) as conn:
            return list(log_of(conn, GAME, 0))


def test_two_people_and_four_opponents_play_a_game_by_mail(tmp_path: Path) -> None:
    mixed = Mixed(tmp_path, turns=2)
    mixed.play()
    people = {ADDRESSES[faction] for faction in PEOPLE}
    assert mixed.letters.keys() <= people | {"gm@arrakis.example"}
    assert "caretaker" not in "".join(mixed.letters.get("gm@arrakis.example", []))
    first = mixed.letters[ADDRESSES["fremen"]][0]
    assert "Mentat (sharp), seated at sector" in first
    later = "\n".join(mixed.letters[ADDRESSES["fremen"]][1:])
    assert "Played by Mentat itself:" in later
    assert "Played by the caretaker" not in later
    with reading(mixed.world.engine) as conn:
        assert proof.verify(proof.full_record(conn, GAME)).holds
        cast = {one.faction: one for one in cast_of(conn, GAME)}
    assert cast["emperor"].name == "Mentat (sharp)"
    assert not any(one.caretaker or one.name == "Mentat (steady)" for one in cast.values() if one.faction in PEOPLE)
    mixed.world.close()


def test_a_person_can_take_an_opponents_seat(tmp_path: Path) -> None:
    mixed = Mixed(tmp_path, 2)
    desk = DeskRequest(mixed.world.open_games, GAME, mixed.now)
    with pytest.raises(PowerRefused, match="for good"):
        set_caretaker(desk, "guild", False)
    replace_player(desk, "guild", "ann@players.example")
    letters = empty_outbox(mixed.world.engine, mixed.now)
    assert "ann@players.example" in letters
    assert "" not in letters
    with reading(mixed.world.engine) as conn:
        seat = games.seats_of(conn, GAME)["guild"]
        assert (seat.care, seat.opponent, seat.has_player) == (False, "", True)
        assert {one.faction: one.name for one in cast_of(conn, GAME)}["guild"] != "Mentat (steady)"
    mixed.world.close()


def test_only_a_person_has_an_address_and_a_sitter(tmp_path: Path) -> None:
    mixed = Mixed(tmp_path, 2)
    desk = DeskRequest(mixed.world.open_games, GAME, mixed.now)
    with pytest.raises(PowerRefused, match="for good"):
        set_sitter(desk, "guild", "sam@players.example", mixed.now + timedelta(days=5))
    with pytest.raises(PowerRefused, match="for good"):
        move_seat(desk, "guild", "sam@players.example")
    with pytest.raises(PowerRefused, match="for good"):
        freeze_seat(desk, "guild")
    mixed.world.close()


def test_an_outage_is_told_to_people_alone(tmp_path: Path) -> None:
    mixed = Mixed(tmp_path, 2)
    for hours in (0, 5):
        outage.note_service_beat(mixed.world.open_games, mixed.now + timedelta(hours=hours))
    letters = empty_outbox(mixed.world.engine, mixed.now + timedelta(hours=6))
    assert "" not in letters
    assert ADDRESSES["fremen"] in letters
    mixed.world.close()


def test_after_a_rollback_opponents_answer_at_once(tmp_path: Path) -> None:
    mixed = Mixed(tmp_path, 2)
    for _ in range(12):
        mixed.exchange()
    for entries in (4, 2, 1):
        roll_back(DeskRequest(mixed.world.open_games, GAME, mixed.now), entries)
        with reading(mixed.world.engine) as conn:
            table = games.open_table(conn, GAME)
        assert {question.faction for question in table.play.questions()} <= set(PEOPLE)
    with reading(mixed.world.engine) as conn:
        assert proof.verify(proof.full_record(conn, GAME)).holds
    mixed.world.close()


def test_of_a_game_long_over_opponents_keep_their_names(tmp_path: Path) -> None:
    mixed = Mixed(tmp_path, 1)
    mixed.play()
    with writing(mixed.world.engine) as conn:
        emptied = retention.empty_older(conn, mixed.now + timedelta(days=400))
    assert emptied.players == len(PEOPLE)
    with reading(mixed.world.engine) as conn:
        assert {one.faction: one.name for one in cast_of(conn, GAME)}["emperor"] == "Mentat (sharp)"
    mixed.world.close()


def test_a_restart_after_every_mail_changes_no_decision(tmp_path: Path) -> None:
    steadily, forgetful = Mixed(tmp_path / "a", 1), Mixed(tmp_path / "b", 1, forgetful=True)
    for mixed in (steadily, forgetful):
        mixed.play()
        mixed.world.close()
    assert steadily.log() == forgetful.log()


def test_opponents_have_answered_before_anybody_is_asked_to_wait_for_them(tmp_path: Path) -> None:
    mixed = Mixed(tmp_path, 2)
    for _ in range(60):
        with reading(mixed.world.engine) as conn:
            table = games.open_table(conn, GAME)
        assert {question.faction for question in table.play.questions()} <= set(PEOPLE)
        if mixed.over:
            break
        if not mixed.exchange():
            mixed.now += timedelta(hours=6)
            mixed.world.moderator.timekeeper.tick(mixed.now)
    mixed.world.close()


def test_a_seat_without_a_player_has_neither_mail_nor_reminder(tmp_path: Path) -> None:
    mixed = Mixed(tmp_path, 2)
    for _ in range(12):  # nobody writes; the deadlines pass
        mixed.now += timedelta(hours=13)
        mixed.world.moderator.timekeeper.tick(mixed.now)
    letters = empty_outbox(mixed.world.engine, mixed.now)
    assert letters.keys() - {"gm@arrakis.example"} == {ADDRESSES[faction] for faction in PEOPLE}
    with reading(mixed.world.engine) as conn:
        seats = games.seats_of(conn, GAME)
    assert all(seats[faction].missed == 0 for faction in HOW)
    mixed.world.close()


def open_questions(mixed: Mixed) -> dict[Place, tuple[Question, Deadline]]:
    """Return the open questions to opponents, with their deadlines."""
    with reading(mixed.world.engine) as conn:
        table = games.open_table(conn, GAME)
    waiting = [question for question in table.play.questions() if question.faction in HOW]
    return {place: (each, table.deadlines[place]) for each in waiting if (place := place_of(table.play, each))}


def play_with_pauses(mixed: Mixed) -> int:
    """Play to the end and return how often opponents paused; check that no pause is longer than announced."""
    paused = 0
    for _ in range(600):
        if mixed.over:
            return paused
        before = open_questions(mixed)
        for question, deadline in before.values():
            assert question.public
            assert not question.blanket
            assert deadline.asked_at is not None
            assert deadline.until <= mixed.now + PAUSE
        if mixed.exchange():
            continue
        paused += bool(before)
        mixed.now += PAUSE if before else timedelta(hours=6)
        mixed.world.moderator.timekeeper.tick(mixed.now)
        assert not before.keys() & open_questions(mixed).keys()
    raise AssertionError("the game does not end")


PAUSE = timedelta(minutes=30)


def test_opponents_pause_as_announced_and_no_longer_even_if_mentat_is_killed_meanwhile(tmp_path: Path) -> None:
    steadily = Mixed(tmp_path / "a", 1, pause=30)
    killed = Mixed(tmp_path / "b", 1, pause=30, forgetful=True)
    for mixed in (steadily, killed):
        assert play_with_pauses(mixed) > 3
        letters = mixed.letters[ADDRESSES["fremen"]]
        assert any("and answer 30 minutes after they are asked." in letter for letter in letters)
        with reading(mixed.world.engine) as conn:
            seats = games.seats_of(conn, GAME)
        assert all(seats[faction].missed == 0 for faction in HOW)
        assert "" not in mixed.letters
        mixed.world.close()
    assert steadily.log() == killed.log()


def test_in_a_gunboat_game_a_pause_tells_only_what_all_are_told(tmp_path: Path) -> None:
    mixed = Mixed(tmp_path, 1, press="gunboat,slots=0", pause=30)
    assert play_with_pauses(mixed) > 3  # only at public duties, for seats that every letter names
    named = [one for one in mixed.letters[ADDRESSES["harkonnen"]] if "Played by Mentat itself:" in one]
    assert named
    assert all(faction_name(faction) in one for one in named for faction in HOW)
    mixed.world.close()


def test_who_takes_the_seat_of_an_opponent_that_pauses_has_a_persons_time(tmp_path: Path) -> None:
    mixed = Mixed(tmp_path, 1, pause=30)
    while not open_questions(mixed):
        assert mixed.exchange()
    (_, (faction, *_)), *_ = open_questions(mixed)
    replace_player(DeskRequest(mixed.world.open_games, GAME, mixed.now), faction, "new@arrakis.example")
    mixed.now += PAUSE
    mixed.world.moderator.timekeeper.tick(mixed.now)
    with reading(mixed.world.engine) as conn:
        table = games.open_table(conn, GAME)
    assert faction in {question.faction for question in table.play.questions()}
    mixed.world.close()


def test_where_one_person_plays_untimed_or_practises_opponents_answer_at_once(tmp_path: Path) -> None:
    mixed = Mixed(tmp_path, 1)
    made = NewGame(
        "alone", "wbc-2018", {"fremen": ADDRESSES["fremen"]}, dict(zip(FACTIONS, DOTS, strict=True)), "one and five",
        opponents={faction: "steady" for faction in FACTIONS if faction != "fremen"},
    )  # fmt: skip
    ways: tuple[dict[str, Any], ...] = (
        {"untimed": True, "clock": {"opponent_minutes": 30}},
        {"clock": {"opponent_minutes": 0}},
    )
    for number, more in enumerate(ways):
        new_game(mixed.world.open_games, replace(made, id=f"alone{number}", **more), mixed.now)
        with reading(mixed.world.engine) as conn:
            table = games.open_table(conn, f"alone{number}")
        assert {question.faction for question in table.play.questions()} == {"fremen"}
    mixed.world.close()
