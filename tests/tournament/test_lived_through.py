"""An event for twelve players from its announcement to its last letter, by mail, in natural language. Its director
only types three commands and answers mails."""

from __future__ import annotations

import re
from datetime import timedelta
from email.message import EmailMessage
from pathlib import Path

import pytest
import time_machine

from bot.store import tournament_rounds, tournaments
from bot.store.database import reading, writing
from bot.store.tables import MESSAGE
from bot.tournament import calendar
from tests.cli.conftest import Mentat
from tests.moderator.table import World
from tests.tournament.cup import CUP, end_game, miss_a_duty

SETTINGS = 'title = "The Sietch Cup"\nauto = true\n[rounds]\nheats = 1\nsemifinal = 0\nfinal = 6\n'
NAMES = ("ann", "bob", "cid", "dora", "eve", "fay", "gil", "hal", "ida", "jan", "kim", "leo")
BOSS, JUDY, RUTH = (f"{name}@organisers.example" for name in ("boss", "judy", "ruth"))


def of(name: str) -> str:
    return f"{name}@example.org"


class Life:
    """The people of the event, who write and answer mail."""

    def __init__(self, place: World) -> None:
        self.place, self.mails = place, 0

    def write(self, who: str, *lines: str, to: str, subject: str) -> None:
        self.mails += 1
        message = EmailMessage()
        message["From"], message["To"], message["Subject"] = who, to, subject
        message["Message-ID"] = f"<{self.mails}.{who}>"
        message.set_content("\n".join(lines) + "\n")
        self.place.moderator.deliver(message.as_bytes(), self.place.now)

    def answer(self, who: str, *lines: str, about: str = "") -> None:
        """Answer this person's newest letter about this subject."""
        letter = [sent for sent in self.place.letters(who) if about in str(sent.message["Subject"])][-1].message
        self.write(who, *lines, to=str(letter["Reply-To"]), subject=f"Re: {letter['Subject']}")

    def told(self, who: str, about: str = "") -> str:
        every = [sent for sent in self.place.letters(who) if about in str(sent.message["Subject"])]
        return " ".join(every[-1].text.split())

    def days(self, count: float) -> None:
        for _ in range(int(count * 4)):
            self.place.now += timedelta(hours=6)
            calendar.tick(self.place.moderator.open_games, self.place.now)

    def until(self, state: str) -> None:
        for _ in range(20):
            with reading(self.place.engine) as conn:
                if tournaments.find_tournament(conn, CUP).state == state:
                    return
            self.days(1)
        raise AssertionError(f"it is never {state}")

    def playing(self) -> list[str]:
        with reading(self.place.engine) as conn:
            return [table.game_id for table in tournament_rounds.tables_of(conn, CUP, states=["playing"])]

    def seat(self, who: str) -> tournament_rounds.Tenure:
        with reading(self.place.engine) as conn:
            own = tournaments.entrant_of_person(conn, CUP, who)
            assert own is not None
            return next(t for t in tournament_rounds.now_sitting(conn, CUP) if t.entrant == own.number)

    def all_order_but(self, silent: str) -> None:
        """Let everybody at every table send an order, except one person."""
        gone = self.seat(silent)
        with reading(self.place.engine) as conn:
            seats = tournament_rounds.now_sitting(conn, CUP)
        with writing(self.place.engine) as conn:
            for each in seats:
                game = f"{CUP}-r{each.round}-t{each.table:02d}"
                key = f"{game}.{each.faction}"
                facts = {"key": key, "message_id": key, "received_at": self.place.now, "disposition": "orders"}
                facts |= {"game_id": game, "faction": each.faction, "digest": key}
                if each != gone:
                    conn.execute(MESSAGE.insert(), facts)
        miss_a_duty(self.place, f"{CUP}-r{gone.round}-t{gone.table:02d}", gone.faction)


@pytest.fixture
def life(mentat: Mentat, place: World, tmp_path: Path) -> Life:
    """Make and open the cup, and appoint a director and two arbiters."""
    (tmp_path / "cup.toml").write_text(SETTINGS, encoding="utf-8")
    closes = f"{place.now + timedelta(days=9):%Y-%m-%d}"
    with time_machine.travel(place.now, tick=False):
        for words in (
            ("new", CUP, "cup.toml"), ("open", CUP, "--until", closes), ("grant", CUP, BOSS, "director"),
            ("grant", CUP, JUDY, "arbiter"), ("grant", CUP, RUTH, "arbiter"),
        ):  # fmt: skip
            assert mentat("tournament", *words).code == 0
        address = re.search(r"mailto:(\S+?)\?", mentat("tournament", "announce", CUP).out)
    assert address
    made = Life(place)
    event = address[1].replace("%2B", "+")
    for number, name in enumerate((*NAMES, "max")):
        polite = ("Hi,", f"I'd like to enter cup as {name.title()}, please.", "Cheers")
        standby = ", standby" if name == "max" else ""
        line = f"enter cup as {name.title()}{standby}"
        made.write(of(name), *((line,) if number % 3 or standby else polite), to=event, subject="The cup")
        made.answer(of(name), ("yes", "confirm", "Yes, please!")[number % 3])
    return made


def test_one_event_of_twelve(life: Life) -> None:
    life.answer(of("ann"), "Hello!", "I'm on holidays in the first week, will that be a problem?", "Ann")
    life.answer(BOSS, "No, just tell the game that you are away.", about="Question")
    assert "answer you: No, just tell the game that you are away." in life.told(of("ann"))
    life.until("running")
    assert len(life.playing()) == 2
    life.all_order_but(of("hal"))
    life.days(5)
    assert "A standby is now playing your seat" in life.told(of("hal"))
    assert "You have a seat" in life.told(of("max"), "You have a seat")
    life.answer(of("cid"), "Sorry everybody, I have to drop out, my job moves me.", about="Your table in")
    assert "withdraw cup leave" in life.told(of("cid"), "Leaving")
    life.answer(of("cid"), "withdraw cup leave", about="Leaving")
    for game in life.playing():
        end_game(life.place, game, "guild")
    life.days(0.25)
    loser = next(of(name) for name in NAMES if name not in ("hal", "cid") and life.seat(of(name)).faction == "fremen")
    table = life.seat(loser).table
    life.answer(loser, f"I protest, table 1.{table}: the Guild had only two strongholds", about="result of table")
    life.answer(loser, "yes", about="taken")
    life.days(2.25)
    life.answer(JUDY, "No ground for that, the board shows three.", about="Verdict")
    life.answer(RUTH, "Let it stand.", about="Verdict")
    assert "Decided by two arbiters, because: No ground for that" in life.told(loser)
    life.days(4)
    every = [life.told(of(name), "round 1 is over") for name in NAMES if name not in ("hal", "cid")]
    assert all("in the standings, with" in told and "sum of" in told for told in every)
    on = [told for told in every if "You play on in the final. We will tell you your table" in told]
    out = [told for told in every if "You did not reach the final" in told]
    assert on
    assert out
    assert len(on) + len(out) == len(every)
    life.answer(BOSS, "hold until Sunday: I want to look at it first")
    assert "Held: nothing will happen automatically until" in life.told(BOSS)
    for _ in range(20):
        if life.playing():
            break
        life.days(1)
    (final,) = life.playing()
    end_game(life.place, final, "emperor")
    life.until("finished")
    assert "You finished " in life.told(of("dora"))
    letters = [str(sent.message["Subject"]) for sent in life.place.letters(BOSS)]
    daily = [subject for subject in letters if " on " in subject]
    assert len(daily) == len(set(daily))
    assert all("nothing needs you" in subject for subject in daily), "what people asked came by itself"
