"""What the game master is told when something goes wrong, and when they are told nothing."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest

from bot.post import notices
from bot.store import mail
from bot.wording.sentences import say

NOW = datetime(2026, 11, 24, 20, 5, tzinfo=UTC)
MASTER, MENTAT = "gm@x.example", "mentat@x.example"


class Writer:
    """Notes who is told what."""

    def __init__(self) -> None:
        self.told: list[tuple[Any, ...]] = []
        self.settings = SimpleNamespace(
            mentat=SimpleNamespace(game_master=MASTER, address=MENTAT), limits=SimpleNamespace(answers_per_hour=7)
        )

    def tell_game_master(self, conn: Any, now: datetime, subject: str, told: list[str], cause: str) -> None:
        assert now == NOW
        self.told.append((subject, list(told), cause))

    def notify(self, conn: Any, table: Any, faction: str, now: datetime, subject: str, told: list[str]) -> None:
        self.told.append((faction, subject, list(told)))


def seen(sender: str | None = "ann@x.example") -> Any:
    return SimpleNamespace(incoming=SimpleNamespace(sender=sender, subject="s" * 90) if sender else None)


WHOSE = say("put-aside.whose", sender="ann@x.example", about="s" * 80)
NOBODY = say("put-aside.unreadable-sender")


def reject(
    monkeypatch: pytest.MonkeyPatch, in_all: int, of_this: int, number: int = 41, whose: Any = None
) -> list[Any]:
    asked: list[tuple[str, datetime]] = []

    def count(said: int) -> Any:
        def since(conn: Any, address: str, when: datetime) -> int:
            asked.append((address, when))
            return said

        return since

    monkeypatch.setattr(mail, "notices_since", count(in_all))
    monkeypatch.setattr(mail, "rejected_since", count(of_this + 1))
    writer: Any = Writer()
    notices.message_rejected(None, writer, "nobody's", whose or seen(), "key", number, NOW)  # type: ignore[arg-type]
    hour = NOW - timedelta(hours=1)
    assert asked == [(MASTER, hour), ("ann@x.example", hour)][: len(asked)]
    return list(writer.told)


@pytest.mark.parametrize(
    ("in_all", "of_this", "told", "last"),
    [(0, 0, True, False), (18, 3, True, False), (19, 0, True, True), (0, 4, True, True), (19, 4, True, True),
     (20, 0, False, False), (0, 5, False, False), (25, 9, False, False)],
)  # fmt: skip
def test_a_flood_of_rejected_mails_does_not_flood_the_game_master(
    monkeypatch: pytest.MonkeyPatch, in_all: int, of_this: int, told: bool, last: bool
) -> None:
    found = reject(monkeypatch, in_all, of_this)
    whole = [
        say("put-aside.game-master", whose=WHOSE, reason="nobody's"), say("put-aside.not-answered"),
        say("put-aside.believe", number=41), say("put-aside.advice"), *([say("put-aside.last")] if last else []),
    ]  # fmt: skip
    assert found == ([(say("put-aside.subject"), whole, "key")] if told else [])


def test_a_mail_of_no_sender_and_one_that_cannot_be_vouched_for_are_told_without_that(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ((_, told, _),) = reject(monkeypatch, 0, 9, number=0, whose=seen(None))
    assert told == [
        say("put-aside.game-master", whose=NOBODY, reason="nobody's"), say("put-aside.not-answered"),
        say("put-aside.advice"),
    ]  # fmt: skip


def test_a_mail_that_was_read_after_all_and_one_too_many_are_told() -> None:
    writer: Any = Writer()
    conn: Any = None
    notices.read_again(conn, writer, "g", "guild", 2, seen(), "key", NOW)
    table: Any = SimpleNamespace(id="g")
    notices.too_many_messages(conn, writer, table, SimpleNamespace(faction="guild"), NOW)  # type: ignore[arg-type]
    again = say("put-aside.read-again", whose=WHOSE, game="g", faction="guild", taken=2)
    assert writer.told == [
        (say("put-aside.read-again-subject"), [again], "again.key"),
        ("guild", say("too-many-mails.subject"), [say("too-many-mails.notice", most=7)]),
    ]


def test_faults_are_told_with_what_to_do() -> None:
    writer: Any = Writer()
    conn: Any = None
    fault = RuntimeError("sand")
    notices.message_failed(conn, writer, "key", fault, NOW)
    notices.game_failed(conn, writer, "g", fault, NOW)
    assert notices.game_held(conn, writer, "g", "Event 7 differs.", "1.0", NOW) == say(
        "held-game.game-master", game="g"
    )
    notices.forum_fails(conn, writer, "tabr", "closed", NOW, NOW)
    assert writer.told == [
        (say("message-fault.subject"), [say("message-fault.game-master"), say("message-fault.fault", fault=repr(fault)),
                                        say("message-fault.advice")], "key"),
        (say("game-fault.subject", game="g"),
         [say("game-fault.game-master", game="g", fault=repr(fault)), say("game-fault.advice")], f"g.{fault!r}"),
        (say("held-game.subject", game="g"),
         [say("held-game.game-master", game="g"), "Event 7 differs.", say("held-game.advice")], "g.1.0"),
        (say("forum-fails.subject", forum="tabr"),
         [say("forum-fails.game-master", forum="tabr", why="closed"), say("forum-fails.costs-nobody", forum="tabr")],
         f"forum.tabr.{NOW.isoformat()}"),
    ]  # fmt: skip


def event(number: int, kind: str = "truthtrance-answered", answer: str = "no answer") -> Any:
    facts = {"answer": answer, "faction": "guild", "target": "fremen", "question": "Will you ship?"}
    return SimpleNamespace(number=number, kind=kind, facts=facts)


def test_a_truthtrance_that_silence_answered_is_told_once_with_its_question() -> None:
    writer: Any = Writer()
    events = [event(3), event(4, kind="bid"), event(5, answer="yes"), event(6)]
    table: Any = SimpleNamespace(id="g", events=4, play=SimpleNamespace(events=events))
    conn: Any = None
    notices.truthtrances_unanswered(conn, writer, table, NOW)
    told = [
        say("truthtrance-silence.game-master", game="g", target="fremen", asker="guild"),
        say("truthtrance-silence.question", question="Will you ship?"), say("truthtrance-silence.advice"),
    ]  # fmt: skip
    assert writer.told == [(say("truthtrance-silence.subject", game="g"), told, "g.6")]
    table.events = 6
    notices.truthtrances_unanswered(conn, writer, table, NOW)
    assert len(writer.told) == 2


@pytest.mark.parametrize(
    ("recipient", "game", "told"),
    [("ann@x.example", "g", True), ("ann@x.example", None, True), (MASTER, "g", True), (MENTAT, "g", True),
     (MASTER, None, False), (MENTAT, None, False)],
)  # fmt: skip
def test_a_letter_that_was_lost_is_told_unless_nobody_is_left_to_tell(
    recipient: str, game: str | None, told: bool
) -> None:
    writer: Any = Writer()
    letter: Any = SimpleNamespace(recipient=recipient, game_id=game, subject="Turn 3", message_id="<1@x>")
    conn: Any = None
    notices.letter_lost(conn, writer, letter, "no such box", NOW)
    lost = [say("lost-letter.game-master", about="Turn 3", address=recipient, why="no such box"),
            say("lost-letter.advice")]  # fmt: skip
    assert writer.told == ([(say("lost-letter.subject"), lost, "<1@x>")] if told else [])
