"""Notices to the game master when something goes wrong, in full, and cases that send none."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from bot.games import notices
from bot.games.identity import MailOutcome
from bot.games.seat_mail import NamedLetter, Reply, is_message_id, letter_named
from bot.store import mail
from bot.wording import deadline, say

NOW = datetime(2026, 11, 24, 20, 5, tzinfo=UTC)
MASTER, MENTAT = "gm@x.example", "mentat@x.example"


class Writer:
    """Records every notice and its recipient."""

    conn: Any = None
    now = NOW

    def __init__(self) -> None:
        self.told: list[tuple[Any, ...]] = []
        self.ready: list[str] = []
        self.settings = SimpleNamespace(
            mentat=SimpleNamespace(game_master=MASTER, address=MENTAT),
            limits=SimpleNamespace(answers_per_hour=7),
            clock=SimpleNamespace(silence_hours=48),
        )

    def tell_game_master(self, subject: str, told: list[str], cause: str) -> None:
        self.told.append((subject, list(told), cause))

    def tell_master_of(self, matter: Any) -> None:
        self.told.append((matter.subject, list(matter.told), matter.cause))
        self.ready = list(matter.lines)

    def notify(self, table: Any, faction: str, subject: str, told: list[str]) -> None:
        self.told.append((faction, subject, list(told)))


def seen(sender: str | None = "ann@x.example") -> Any:
    return SimpleNamespace(incoming=SimpleNamespace(sender=sender, subject="s" * 90, date=None) if sender else None)


WHOSE = say("put-aside.whose", sender="ann@x.example", about="s" * 80)
NOBODY = say("put-aside.unreadable-sender")


def reject(
    monkeypatch: pytest.MonkeyPatch, in_all: int, of_this: int, game: str = "ix", whose: Any = None,
    reason: str = "nobody's",
) -> list[Any]:  # fmt: skip
    asked: list[tuple[str, datetime]] = []

    def count(said: int) -> Any:
        def since(conn: Any, address: str, when: datetime) -> int:
            asked.append((address, when))
            return said

        return since

    monkeypatch.setattr(mail, "notices_since", count(in_all))
    monkeypatch.setattr(mail, "rejected_since", count(of_this + 1))
    monkeypatch.setattr(notices, "_known_sender", lambda writer, sender: "")
    writer: Any = Writer()
    notices.report_rejected_message(writer, whose or seen(), notices.PutAside(reason, "key", 41, game))
    assert writer.ready == (["ix: believe 41"] if game else []) + ["mail 41"] or not writer.told
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
        say("put-aside.believe", game="ix", number=41), say("put-aside.advice"),
        *([say("put-aside.last")] if last else []),
    ]  # fmt: skip
    assert found == ([(say("put-aside.subject"), whole, "key")] if told else [])


def test_a_mail_of_no_sender_and_one_that_cannot_be_vouched_for_are_told_without_that(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ((_, told, _),) = reject(monkeypatch, 0, 9, game="", whose=seen(None))
    assert told == [
        say("put-aside.game-master", whose=NOBODY, reason="nobody's"), say("put-aside.not-answered"),
        say("put-aside.advice"),
    ]  # fmt: skip


def test_of_a_mail_that_is_for_no_game_the_game_master_is_told_that_they_may_answer_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ((_, told, _),) = reject(monkeypatch, 0, 0, game="", reason=mail.OF_NOBODY)
    assert told[-1] == say("put-aside.stranger", sender="ann@x.example")
    assert "answer them yourself: ann@x.example" in told[-1]
    ((_, told, _),) = reject(monkeypatch, 0, 0, reason=mail.OF_NOBODY)
    assert told[-2:] == [say("put-aside.believe", game="ix", number=41), say("put-aside.advice")]
    ((_, told, _),) = reject(monkeypatch, 0, 0, game="", whose=seen(None), reason=mail.OF_NOBODY)
    assert told[-1] == say("put-aside.advice")


def test_a_mail_that_was_read_after_all_and_one_too_many_are_told() -> None:
    writer: Any = Writer()
    notices.report_message_read_again(writer, MailOutcome("orders", "", "g", "guild", taken=2), seen(), "key")
    table: Any = SimpleNamespace(id="g")
    notices.warn_of_too_many_messages(writer, table, SimpleNamespace(faction="guild"))  # type: ignore[arg-type]
    again = say("put-aside.read-again", whose=WHOSE, game="g", faction="guild", taken=2)
    assert writer.told == [
        (say("put-aside.read-again-subject"), [again], "again.key"),
        ("guild", say("too-many-mails.subject"), [say("too-many-mails.notice", most=7)]),
    ]


def test_faults_are_told_with_what_to_do() -> None:
    writer: Any = Writer()
    fault = RuntimeError("sand")
    notices.report_message_fault(writer, "key", fault)
    notices.report_game_fault(writer, "g", fault)
    assert notices.report_held_game(writer, "g", "Event 7 differs.", "1.0") == say("held-game.game-master", game="g")
    notices.report_failing_forum(writer, "tabr", "closed", NOW)
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
    notices.report_unanswered_truthtrances(writer, table)
    told = [
        say("truthtrance-silence.game-master", game="g", target="fremen", asker="guild"),
        say("truthtrance-silence.question", question="Will you ship?"), say("truthtrance-silence.advice"),
    ]  # fmt: skip
    assert writer.told == [(say("truthtrance-silence.subject", game="g"), told, "g.6")]
    table.events = 6
    notices.report_unanswered_truthtrances(writer, table)
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
    letter: Any = SimpleNamespace(
        recipient=recipient, game_id=game, faction=game and "guild", subject="Turn 3", message_id="<1@x>"
    )
    notices.report_lost_letter(writer, letter, "no such box")
    lost = [say("lost-letter.game-master", about="Turn 3", address=recipient, why="no such box"),
            say("lost-letter.advice")]  # fmt: skip
    assert writer.told == ([(say("lost-letter.subject"), lost, "<1@x>")] if told else [])


# --- Clocks ----------------------------------------------------------------------------------------------------------


class TableWriter(Writer):
    """Also records notices to tables and to persons."""

    def __init__(self) -> None:
        super().__init__()
        self.settings.mentat.timezone = ZoneInfo("Europe/Berlin")

    def announce(self, table: Any, subject: str, told: list[str]) -> None:
        self.told.append(("all", subject, list(told)))

    def tell(self, address: str, subject: str, told: list[str], cause: str) -> None:
        self.told.append((address, subject, list(told), cause))


def test_a_table_is_told_of_its_clocks_and_what_the_game_master_adds() -> None:
    writer: Any = TableWriter()
    notices.tell_clock_notice(writer, None, "pause")  # type: ignore[arg-type]
    notices.tell_clock_notice(writer, None, "pause", "Sorry.")  # type: ignore[arg-type]
    subject, notice = say("pause.subject"), say("pause.notice")
    assert writer.told == [
        ("all", subject, [notice]), ("all", subject, [notice, say("desk.own-words", words="Sorry.")]),
    ]  # fmt: skip


def question(faction: str, due: int | None, *, public: bool = True, blanket: bool = False) -> Any:
    return SimpleNamespace(faction=faction, public=public, blanket=blanket, due=due and NOW + timedelta(hours=due))


@pytest.mark.parametrize(
    ("asked", "before", "hours"),
    [
        ([question("guild", 3), question("fremen", 5), question("emperor", 9, public=False)], (), 5),
        ([question("guild", 3), question("emperor", 9, public=False, blanket=True)], ("First.",), 9),
        ([question("guild", None), question("emperor", 9, public=False)], (), None),
        ([], ("First.",), None),
    ],
)
def test_everybody_is_told_by_when_what_all_know_of_may_be_answered_in_their_own_zone(
    asked: list[Any], before: tuple[str, ...], hours: int | None
) -> None:
    writer: Any = TableWriter()
    zones = {"guild": "UTC", "fremen": "Asia/Kolkata"}
    seats = {faction: SimpleNamespace(timezone=zone) for faction, zone in zones.items()}
    play = SimpleNamespace(asked=lambda: asked)
    table: Any = SimpleNamespace(play=play, due=lambda each: each.due, seats=seats, press="open")
    notices.tell_new_deadline(writer, table, "extend", *before, told="Sorry.")
    own, subject = say("desk.own-words", words="Sorry."), say("extend.subject")
    for faction, zone in zones.items():
        if hours:
            opened = [say("extend.open", by=deadline(NOW + timedelta(hours=hours), NOW, ZoneInfo(zone)))]
        else:
            opened = [] if before else [say("extend.unknown")]
        assert (faction, subject, [*before, *opened, own]) in writer.told
    assert len(writer.told) == 2


def test_lost_time_is_told_to_each_person_once_and_to_the_game_master(monkeypatch: pytest.MonkeyPatch) -> None:
    writer: Any = TableWriter()
    notices.tell_time_given_back(writer, "mailbox", [], NOW)
    assert writer.told == []
    found = {"ann@x.example": (ZoneInfo("UTC"), ["g"]), "bob@x.example": (ZoneInfo("Asia/Kolkata"), ["g", "h"])}
    monkeypatch.setattr(notices, "persons_at", lambda conn, games: found)
    writer.now = NOW + timedelta(hours=6)
    notices.tell_time_given_back(writer, "mailbox", ["g", "h"], NOW)
    subject = say("outage.subject")
    facts = {"since": "Tue 24 Nov 20:05 UTC", "back": "Wed 25 Nov 02:05 UTC"}
    ann, bob, master = writer.told
    assert ann[:3] == ("ann@x.example", subject, [say("outage.mailbox", **facts), say("outage.games", games=["g"])])
    here = {"since": "Wed 25 Nov 01:35 Kolkata time", "back": "Wed 25 Nov 07:35 Kolkata time"}
    assert bob[:3] == (
        "bob@x.example", subject, [say("outage.mailbox", **here), say("outage.games", games=["g", "h"])],
    )  # fmt: skip
    assert ann[3] != bob[3]
    assert all(each[3].startswith(f"{master[2]}.") for each in (ann, bob))
    there = {"since": "Tue 24 Nov 21:05 Berlin time", "back": "Wed 25 Nov 03:05 Berlin time"}
    assert master[:2] == (subject, [say("outage.mailbox", **there), say("outage.game-master", games=2)])


@pytest.mark.parametrize(
    ("seconds", "minutes", "way"), [(90.1, 2, "forward"), (-7200.0, 120, "back"), (29.0, 0, "forward")]
)
def test_a_jump_of_the_clock_and_the_silence_of_all_are_told(seconds: float, minutes: int, way: str) -> None:
    writer: Any = TableWriter()
    notices.tell_clock_jump(writer, seconds)
    notices.tell_mass_silence(writer, 7, NOW, ["ix", "tuek"])
    assert writer.ready == ["all: resume", "ix: resume", "tuek: resume"]
    jump, silence = writer.told
    assert jump[:2] == (say("jump.subject"), [say("jump.notice", minutes=minutes, way=way), say("jump.advice")])
    since = "Tue 24 Nov 21:05 Berlin time"
    assert silence[:2] == (
        say("silence.subject"),
        [
            say("silence.notice", persons=7, since=since),
            say("silence.advice", address=MENTAT, games=["ix", "tuek"], hours=48),
        ],
    )


# --- Letters to a seat -----------------------------------------------------------------------------------------------

TOKEN = "ypowzixiqjin3ijg"


@pytest.mark.parametrize(
    ("identity", "named"),
    [
        (f"sietch-12.guild.41.{TOKEN}@arrakis.example", NamedLetter("sietch-12", "guild", 41)),
        (f"sietch-12.guild.41.p3.{TOKEN}@arrakis.example", NamedLetter("sietch-12", "guild", 41)),
        (f"a.b.bene-gesserit.0.gm.{TOKEN}@arrakis.example", NamedLetter("a.b", "bene-gesserit", 0)),
        (f"sietch-12.guild.41.{TOKEN}@elsewhere.example", None),
        (f"sietch-12.choam.41.{TOKEN}@arrakis.example", None),
        (f"sietch-12.guild.x.{TOKEN}@arrakis.example", None),
        (f"sietch-12.guild.41.{TOKEN}x@arrakis.example", None),
        (f"guild.41.{TOKEN}@arrakis.example", None),
        ("<1@arrakis.example>", None),
    ],
)
def test_a_message_id_names_the_letter_of_a_seat(identity: str, named: NamedLetter | None) -> None:
    assert letter_named(identity, "mentat@arrakis.example") == named


@pytest.mark.parametrize(
    ("said", "is_one"),
    [("a@b", True), ("a.b-c+d@e.example", True), ("a b@c", False), ("a@b@c", False), ("<a@b>", False), ("a", False),
     ("", False), ("@b", False), ("a@", False), ("x" * 200 + "@b", True), ("x" * 201 + "@b", False),
     ("a@" + "x" * 201, False)],
)  # fmt: skip
def test_an_answer_names_a_mail_by_what_can_be_a_message_id(said: str, is_one: bool) -> None:
    assert is_message_id(said) is is_one
    assert Reply("guild", [], [], said).thread == (said if is_one else "")
    assert Reply("guild", [], [], said, by_sitter=True).thread == ""
    assert Reply("guild", [], [], said, by_sitter=True).sitters_thread == (said if is_one else "")
    assert Reply("guild", [], [], said).sitters_thread == ""
