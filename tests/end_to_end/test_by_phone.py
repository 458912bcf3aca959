"""Tests a three-turn game that its master runs by mail from a phone, with real servers and a running service.

Only the set-up happens at the machine; the master does everything else by answering letters. Between the master's
mails, the players answer or stay silent, and the test moves the clock.
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
    """The service, its six players, and the master with a phone."""

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

    # --- the state of the game

    def table(self) -> Table:
        with reading(self._engine) as conn:
            return games.open_table(conn, GAME)

    def acts(self) -> list[str]:
        with reading(self._engine) as conn:
            return [act.what for act in acts.acts_of(conn, game_id=GAME)]

    def proved(self) -> str:
        """Return the first fault in the record, or ""."""
        with reading(self._engine) as conn:
            assert games.open_table(conn, GAME).status == "over"
            return proof.verify(proof.full_record(conn, GAME)).difference

    @property
    def where(self) -> tuple[int, str]:
        state = self.table().play.state
        return state.turn, state.phase

    def asked(self, kind: str) -> Faction:
        """Return the faction that has an open question of this kind."""
        return next(question.faction for question in self.table().play.questions() if question.kind == kind)

    def spice(self, seat: Faction) -> int:
        return self.table().play.state.players[seat].spice

    # --- the game master

    def writes(self, *lines: str, to: EmailMessage | None = None) -> None:
        """Answer a letter as the master, by default the one that appointed them."""
        self.phone.look()
        granted = next(letter for letter in self.phone.letters if "can now help to run it" in str(letter["Subject"]))
        self.phone.answer(to or granted, *lines)
        self._mails += 1

    def comes(self) -> str:
        """Let all mail be handled, and return the desk's answers to the master."""
        self.mentat.await_done(self._mails)
        self.letters = self.phone.look()
        return "\n".join(words_of(letter) for letter in self.letters if "your commands" in str(letter["Subject"]))

    def says(self, *lines: str) -> str:
        """Write as the master, and return the desk's answers."""
        self.writes(*lines)
        return self.comes()

    def letter(self, subject: str) -> EmailMessage:
        """Return the newest letter to the master with these words in its subject."""
        return [letter for letter in self.letters if subject in str(letter["Subject"])][-1]

    # --- the players

    def answer(self) -> int:
        """Let all players who have a question answer it, and return how many wrote."""
        self._read()
        for client, mail in self._drafts.values():
            client.send(mail)
        self._mails += len(self._drafts)
        written = len(self._drafts)
        self._drafts.clear()
        return written

    def player_writes(self, seat: Faction, *lines: str, to: str = "") -> None:
        """Answer a player's newest letter with these words in its subject."""
        self._read()
        self._drafts.pop(seat, None)
        client = self.players[seat]
        letters = [letter.message for letter in client.reader.player.letters if to in str(letter.message["Subject"])]
        reply_to = str(letters[-1]["Reply-To"])
        client.send(client.reader.player.write_back(letters[-1], reply_to, lines, utc_now()))
        self._mails += 1

    def readers(self, words: str) -> list[Faction]:
        """Return the seats whose letters contain these words."""
        self._read()
        return [
            seat
            for seat, client in self.players.items()
            if any(words in words_of(letter.message) for letter in client.reader.player.letters)
        ]

    def _read(self) -> None:
        """Let all players read their mail and draft an answer."""
        for seat, client in self.players.items():
            for mail in client.answer():
                self._drafts[seat] = client, mail

    # --- the clock

    def silence_until(self, turn: int, phase: str) -> None:
        """Let time pass, with nobody writing, until the game reaches this turn and phase."""
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

    # The first letter to the desk, while the players answer theirs. A line that the phone wraps is one line.
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
    assert evening.answer() == 5  # they choose their traitors; Harkonnen keep all
    evening.comes()

    # The game is on hold, with a question to one player. Another player bids, and writes to the desk.
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

    # An order for a seat needs a code as confirmation; a reply that only quotes the code does not count.
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

    # The clocks, and a correction, whose code is written on a line.
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

    # In the second turn the game is rolled back.
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

    # The third turn is the last; after it everybody may read the log.
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
