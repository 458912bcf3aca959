"""A game of three turns that its master directs by mail from a telephone, between real servers and a running service.

Whatever a master does is done by answering letters; at the machine the game is only set up. Between two mails of the
master the players answer their letters or say nothing, for time passes as quickly as it is told to.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import ExitStack
from email.message import EmailMessage
from pathlib import Path

import pytest

from bot.config import load_settings
from bot.desk import rights
from bot.desk.new_game import NewGame, new_game
from bot.desk.powers import DeskRequest
from bot.games import proof
from bot.lab.players_by_mail import Mail
from bot.moderator.moderator import Moderator
from bot.service.machine import utc_now
from bot.store import acts, games
from bot.store.database import open_database, reading
from bot.table.table import Table
from rules.components import Faction
from rules.components.board import DOTS
from tests.end_to_end.mail_clients import GAME_MASTER, SEATS, SEED, MailClient, scripted_players
from tests.end_to_end.phone import Phone, words_of
from tests.end_to_end.post_office import PostOffice
from tests.end_to_end.service_process import GAME, Mentat
from tests.end_to_end.table import LATER

RULESET = "wbc-2018"


class Evening:
    """The service, its six players, and the master with a telephone."""

    def __init__(self, mentat: Mentat, office: PostOffice, stack: ExitStack) -> None:
        self.mentat = mentat
        settings = load_settings(mentat.folder / "config.toml")
        self._engine = open_database(settings.database_place)
        stack.callback(self._engine.dispose)
        self._moderator = Moderator(settings, self._engine)
        dots = dict(zip(SEATS, DOTS, strict=True))
        new_game(self._moderator.open_games, NewGame(GAME, RULESET, SEATS, dots, SEED, tempo="swift"), utc_now())
        rights.grant(DeskRequest(self._moderator.open_games, GAME, utc_now()), "director", GAME_MASTER)
        names = dict(zip(SEATS, scripted_players(), strict=True))
        self.players = {seat: stack.enter_context(MailClient(player, office)) for seat, player in names.items()}
        self.phone = Phone(GAME_MASTER, office)
        self._mails = self._days = 0
        self._drafts: dict[Faction, tuple[MailClient, Mail]] = {}

    # --- what there is

    def table(self) -> Table:
        with reading(self._engine) as conn:
            return games.open_table(conn, GAME)

    def acts(self) -> list[str]:
        with reading(self._engine) as conn:
            return [act.what for act in acts.acts_of(conn, game_id=GAME)]

    def proved(self) -> str:
        """What is wrong with the record; "" for nothing."""
        with reading(self._engine) as conn:
            assert games.open_table(conn, GAME).status == "over"
            return proof.verify(proof.full_record(conn, GAME)).difference

    @property
    def where(self) -> tuple[int, str]:
        state = self.table().play.state
        return state.turn, state.phase

    def asked(self, kind: str) -> Faction:
        """Who is asked this."""
        return next(question.faction for question in self.table().play.questions() if question.kind == kind)

    def spice(self, seat: Faction) -> int:
        """How much spice a seat has."""
        return self.table().play.state.players[seat].spice

    # --- the master

    def writes(self, *lines: str, to: EmailMessage | None = None) -> None:
        """The master answers a letter (that by which the game was granted, if none is named) with these lines."""
        self.phone.look()
        granted = next(letter for letter in self.phone.letters if "can now help to run it" in str(letter["Subject"]))
        self.phone.answer(to or granted, *lines)
        self._mails += 1

    def comes(self) -> str:
        """All mails are taken; what the desk answers to those of the master."""
        self.mentat.await_done(self._mails)
        self.letters = self.phone.look()
        return "\n".join(words_of(letter) for letter in self.letters if "your commands" in str(letter["Subject"]))

    def says(self, *lines: str) -> str:
        """The master writes, and the desk answers."""
        self.writes(*lines)
        return self.comes()

    def letter(self, subject: str) -> EmailMessage:
        """The letter to the master that came last with this in its subject."""
        return [letter for letter in self.letters if subject in str(letter["Subject"])][-1]

    # --- the players

    def answer(self) -> int:
        """All players who are asked something by the newest letters answer them; how many write."""
        self._read()
        for client, mail in self._drafts.values():
            client.send(mail)
        self._mails += len(self._drafts)
        written = len(self._drafts)
        self._drafts.clear()
        return written

    def player_writes(self, seat: Faction, *lines: str, to: str = "") -> None:
        """A player answers a letter with these lines: the newest that has this in its subject."""
        self._read()
        self._drafts.pop(seat, None)
        client = self.players[seat]
        letters = [letter.message for letter in client.reader.player.letters if to in str(letter.message["Subject"])]
        reply_to = str(letters[-1]["Reply-To"])
        client.send(client.reader.player.write_back(letters[-1], reply_to, lines, utc_now()))
        self._mails += 1

    def readers(self, words: str) -> list[Faction]:
        """Whose letters say this."""
        self._read()
        return [
            seat
            for seat, client in self.players.items()
            if any(words in words_of(letter.message) for letter in client.reader.player.letters)
        ]

    def _read(self) -> None:
        """All players read what has come, and think of an answer."""
        for seat, client in self.players.items():
            for mail in client.answer():
                self._drafts[seat] = client, mail

    # --- time

    def silence_until(self, turn: int, phase: str) -> None:
        """Nobody writes until the game is there."""
        while self.where != (turn, phase):
            assert self.where[0] <= turn
            self._days += 1
            self._moderator.timekeeper.tick(utc_now() + self._days * LATER)


@pytest.fixture
def evening(dovecot_host: PostOffice, tmp_path: Path) -> Iterator[Evening]:
    with ExitStack() as stack:
        mentat = stack.enter_context(Mentat(tmp_path / "mentat", dovecot_host))
        made = Evening(mentat, dovecot_host, stack)
        mentat.start()
        mentat.await_done(0)
        yield made


@pytest.mark.slow
def test_a_game_of_three_turns_is_directed_by_mail_from_a_telephone(evening: Evening) -> None:
    everybody = list(SEATS)

    # The first letter to the desk, while the players answer theirs. A line that the telephone breaks is one line.
    evening.answer()
    told = evening.says(
        "waits", "note: Bruno plays for the first time", "tell all:", "Welcome to Arrakis.", "May the best House win.",
        "end tell", "rule: A leader who is captured in the last turn stays with those who took him, as the rules say "
        "nothing of it and the table agreed in the forum.", "press table", "remind bene gesserit", "excuse emperor",
        "pawse",
    )  # fmt: skip
    assert "Next due:" in told
    assert "The press is table from now on" in told
    assert "pawse Did you mean “pause”?" in told
    assert evening.readers("Welcome to Arrakis. May the best House win.") == everybody
    assert evening.readers("as the rules say nothing of it and the table agreed in the forum.") == everybody
    assert evening.readers("Bruno plays for the first time") == []
    assert evening.acts() == ["grant", "note", "tell", "rule", "press", "remind", "excuse"]
    assert evening.answer() == 5  # who their traitors are; Harkonnen keep all
    evening.comes()

    # On hold, with a question to one player: another bids, and writes to the desk.
    evening.silence_until(1, "bidding")
    first = evening.asked("bid")
    assert "The game is on hold." in evening.says("hold", "ask harkonnen: Did you mean Carthag?")
    evening.player_writes("harkonnen", "Yes, Carthag.", "pass", to="A question from the game master")
    evening.player_writes(first, "bid 1", "press to gm: may I bid for my ally?")
    evening.comes()
    assert evening.asked("bid") == first
    assert "Yes, Carthag." in words_of(evening.letter("an answer from Harkonnen"))
    letter = evening.letter("A message from a player")
    assert "may I bid for my ally?" in words_of(letter)
    evening.writes(f"tell {first}: You may not.", "release", "mute emperor", to=letter)
    assert "The game goes on." in evening.comes()
    assert evening.readers("You may not.") == [first]
    second = evening.asked("bid")
    assert second != first

    # An order for a seat waits for its code; an answer that only quotes the code is none.
    evening.writes(f"order {second}: pass")
    evening.player_writes("emperor", "press to all: hear me")
    assert "We have sent you a letter that asks you to confirm this" in evening.comes()
    assert evening.readers("hear me") == ["emperor"]
    code = evening.letter("confirm")
    evening.writes("Not before I have asked the others.", to=code)
    evening.comes()
    assert evening.asked("bid") == second
    evening.writes("Confirm", to=code)
    assert "accepted pass" in evening.comes()
    assert evening.asked("bid") != second
    assert evening.readers("The game master has entered this order for you") == [second]

    # The clocks, and a correction, whose code is written as a line.
    spice = evening.spice("guild")
    told = evening.says("pause", "resume", "extend 12", "bank guild +5", "unmute emperor", "position: spice guild +3")
    assert "Open questions have 12 more hours." in told
    code = evening.letter("confirm")
    found = re.search(r"confirm ([a-z2-7]{16})", words_of(code))
    assert found
    assert evening.spice("guild") == spice
    assert "The position is corrected." in evening.says(found[0])
    assert evening.spice("guild") == spice + 3

    assert evening.answer() > 0
    evening.comes()

    # In the second turn the game is taken back.
    evening.silence_until(2, "movement")
    told = evening.says("preview 2 bidding", "rollback 2/bidding", "dry run", "pause")
    assert "Since then everybody has learnt:" in told
    assert "Dry run only: The clocks are stopped." in told
    evening.writes("Confirm.", to=evening.letter("confirm"))
    assert "The game is at turn 2, bidding." in evening.comes()
    assert evening.where == (2, "bidding")
    assert evening.answer() > 0
    evening.writes("caretaker fremen on", "last turn 3")
    evening.comes()
    evening.writes("Confirm", to=evening.letter("confirm"))
    assert "Turn 3 is the last." in evening.comes()

    # The third turn is the last; everybody may read then what was done.
    evening.silence_until(3, "movement")
    assert evening.answer() > 0
    evening.comes()
    evening.silence_until(3, "over")
    told = evening.says("acts", "tell all: Thank you all.")
    assert "rollback to turn 2, bidding" in told
    assert evening.readers("Thank you all.") == everybody
    assert evening.acts() == [
        "grant", "note", "tell", "rule", "press", "remind", "excuse", "hold", "ask", "tell", "release", "mute", "order",
        "pause", "resume", "extend", "bank", "unmute", "position", "preview", "rollback", "caretaker", "last-turn",
        "tell",
    ]  # fmt: skip
    assert evening.mentat.stop() == 0
    assert evening.proved() == ""
