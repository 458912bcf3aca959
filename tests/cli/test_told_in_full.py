"""Tests for the complete output, as text and as JSON, of backup, upgrade and forum commands."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from bot.channels.paste import Block
from bot.config.sections import ForumSettings
from bot.forum.desk import ForumStatus, PostsToDo, ThreadStatus
from bot.games.proof import Proof
from bot.service.backup import Backup, Verification
from bot.service.restoration import Restoration
from bot.service.resumption import Resumption
from bot.service.upgrade import Trial, Upgrade
from bot.store.copies import Label
from bot.store.forum_threads import ForumState, OutgoingPost, Thread
from bot.store.glance import SchemaStep, newest_schema
from tests.cli.conftest import Mentat
from tests.moderator.table import CONFIG, World

THEN = datetime(2026, 11, 24, 20, 5, tzinfo=UTC)
BROKEN = Proof(id="sietch-12", entries=5, events=9, difference="Event 7 differs.")


def gives(monkeypatch: pytest.MonkeyPatch, place: str, answer: Any) -> list[tuple[Any, ...]]:
    """Make ``place`` return this answer, and record its arguments."""
    called: list[tuple[Any, ...]] = []

    def stand_in(*args: Any, **named: Any) -> Any:
        called.append((*args, *sorted(named.items())))
        return answer

    monkeypatch.setattr(place, stand_in)
    return called


# --- backup, restore and move ----------------------------------------------------------------------------------------

NONE_LOST = Verification(games=3, checked=2)
ONE_LOST = Verification(games=1, checked=1, broken=[BROKEN])
SAID_OF_ONE_LOST = {"games": 1, "checked": 1, "broken": [{"game": "sietch-12", "difference": "Event 7 differs."}]}


def test_a_backup_is_told_with_its_size_and_the_games_that_hold(
    mentat: Mentat, monkeypatch: pytest.MonkeyPatch
) -> None:
    called = gives(monkeypatch, "bot.cli.installation.back_up", Backup(Path("b.db"), 12_345, NONE_LOST))
    well = mentat("backup", "b.db")
    assert (well.code, well.err) == (0, "")
    assert well.out == "wrote b.db: 12,345 bytes\n3 games; 2 of 2 that were replayed hold.\n"
    assert [call[2:4] for call in called] == [(Path("b.db"), 10)]
    assert called[0][-1] == ("force", False)
    assert mentat("backup", "b.db", "--force", "--verify", "all", "--json").json == {
        "file": "b.db", "bytes": 12_345, "games": 3, "checked": 2, "broken": [],
    }  # fmt: skip
    assert (called[1][3], called[1][-1]) == (None, ("force", True))
    gives(monkeypatch, "bot.cli.installation.back_up", Backup(Path("b.db"), 1, ONE_LOST))
    lost = mentat("backup", "b.db", "--verify", "7")
    assert (lost.code, lost.err) == (1, "sietch-12 fails verification. Event 7 differs.\n")
    assert lost.out.splitlines()[1] == "1 game; 0 of 1 that were replayed hold."
    gives(monkeypatch, "bot.cli.installation.back_up", Backup(Path("b.db"), 1, Verification(0, 0)))
    assert mentat("backup", "b.db", "--verify", "0").out.splitlines()[1] == "0 games; none was replayed."
    assert mentat("backup", "b.db", "--verify", "some").code == 2


LABELLED = Label("sqlite", "0011", "i-7", "mentat@arrakis.example", "1.0", THEN)
HELD = [
    "It is held: nothing is read, sent or posted. Once no other Mentat reads the mailbox:",
    "  mentat restore --resume",
]


def test_a_backup_that_is_put_back_says_what_it_is_and_that_it_is_held(
    mentat: Mentat, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = Restoration(LABELLED, THEN, NONE_LOST, Path("old.db"))
    called = gives(monkeypatch, "bot.cli.installation.restore", found)
    ran = mentat("restore", "copy.db")
    assert (ran.code, ran.err) == (0, "")
    whole = (
        "The backup is complete: a SQLite database of 2026-11-24 20:05 UTC, of mentat@arrakis.example (installation "
        "i-7), schema 0011."
    )
    games = "3 games; 2 of 2 that were replayed hold."
    assert ran.out.splitlines() == [whole, "The previous database is kept as old.db.", games, *HELD]
    assert called[0][0] == Path("copy.db")
    assert called[0][4:] == (("from_another", False), ("replace", False))
    assert mentat("restore", "copy.db", "--replace", "--from-another", "--verify", "all", "--json").json == {
        "kind": "sqlite", "schema": "0011", "installation": "i-7", "address": "mentat@arrakis.example",
        "version": "1.0", "copied_at": THEN.isoformat(), "kept": "old.db", "games": 3, "checked": 2, "broken": [],
    }  # fmt: skip
    assert (called[1][2], called[1][4:]) == (None, (("from_another", True), ("replace", True)))
    gives(monkeypatch, "bot.cli.installation.restore", Restoration(LABELLED, THEN, ONE_LOST))
    lost = mentat("restore", "copy.db", "--json")
    assert (lost.code, lost.json.items() >= SAID_OF_ONE_LOST.items(), lost.json["kept"]) == (1, True, None)


def test_a_backup_that_is_only_looked_at_is_not_held(mentat: Mentat, monkeypatch: pytest.MonkeyPatch) -> None:
    called = gives(monkeypatch, "bot.cli.installation.check", Restoration(Label("postgresql", "0009"), None, None))
    ran = mentat("restore", "--check", "copy.dump", "--on", "postgresql://mentat@db.example.org/postgres")
    assert ran.out.splitlines() == [
        "The backup is complete: a PostgreSQL database of an unknown time, schema 0009.",
        "Its games were not replayed; a restore replays them, or a check with --on and the URL of a server.",
    ]
    assert called[0][1] == 10
    assert called[0][3] == "postgresql://mentat@db.example.org/postgres"
    assert mentat("restore", "--check", "copy.dump", "--json").json == {
        "kind": "postgresql", "schema": "0009", "installation": "", "address": "", "version": "", "copied_at": None,
        "kept": None,
    }  # fmt: skip


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("--stopped", "2026-11-24T20:00"),
        ("copy.db", "--stopped", "2026-11-24T20:00"),
        ("copy.db", "--on", "postgresql://mentat@db.example.org/postgres"),
        ("copy.db", "--check", "--on", "copy.db"),
        ("copy.db", "--check", "--on", "postgresql://mentat:secret@db.example.org/postgres"),
        ("copy.db", "--check", "--resume"),
        ("--check", "--resume"),
        ("--resume", "--replace"),
        ("--resume", "--from-another"),
        ("--check",),
    ],
)
def test_options_of_a_restore_that_do_not_go_together_are_refused(
    mentat: Mentat, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    called = [gives(monkeypatch, f"bot.cli.installation.{name}", None) for name in ("check", "restore", "resume")]
    refused = mentat("restore", *words)
    assert (refused.code, refused.out, called) == (2, "", [[], [], []])


AGAIN = Resumption(THEN, THEN, messages=1, put_aside=0, gone_out=1, to_be_sent=4, by_copies=True)


@pytest.mark.parametrize(
    ("done", "mails", "letters"),
    [
        (AGAIN, "1 mail read again, 0 of them put aside.",
         "1 letter went out before and is not sent again; 4 will be sent now."),
        (replace(AGAIN, messages=5, put_aside=2, gone_out=3, by_copies=False),
         "5 mails read again, 2 of them put aside.",
         "3 letters went out before and are not sent again, as far as can be known; 4 will be sent now."),
    ],
)  # fmt: skip
def test_what_was_taken_in_since_a_backup_is_told(
    mentat: Mentat, monkeypatch: pytest.MonkeyPatch, done: Resumption, mails: str, letters: str
) -> None:
    gives(monkeypatch, "bot.cli.installation.open_kept_mail", None)
    called = gives(monkeypatch, "bot.cli.installation.resume", done)
    told = [
        f"Everything is as it was at 2026-11-24 20:05 UTC, when Mentat was last running: {mails}",
        letters,
        "All games get back the time since then, as after any outage.",
        "Start Mentat: mentat run",
    ]
    assert mentat("restore", "--resume").out.splitlines() == told
    assert called[0][-1] is None
    assert mentat("restore", "--resume", "--stopped", "2026-11-24T20:00").code == 0
    assert called[1][-1] == datetime(2026, 11, 24, 20, tzinfo=UTC)
    done = replace(done, unknown=["a", "b", "c"], otherwise=["d", "e", "f"])
    gives(monkeypatch, "bot.cli.installation.resume", done)
    told.insert(
        3,
        "6 letters that went out could not be recreated unchanged: a, b, c, d, e. Repeat everything that was done at "
        "the machine since the backup.",
    )
    assert mentat("restore", "--resume").out.splitlines() == told
    said = {
        "copied_at": THEN.isoformat(), "stopped": THEN.isoformat(), "messages": done.messages,
        "put_aside": done.put_aside, "gone_out": done.gone_out, "to_be_sent": 4, "by_copies": done.by_copies,
        "unknown": ["a", "b", "c"], "otherwise": ["d", "e", "f"],
    }  # fmt: skip
    assert mentat("restore", "--resume", "--json").json == said
    gives(monkeypatch, "bot.cli.installation.restore", Restoration(LABELLED, THEN, NONE_LOST))
    both = mentat("restore", "copy.db", "--resume").out.splitlines()
    assert both[2:] == told, "it is not held any more"
    assert mentat("restore", "copy.db", "--resume", "--json").json.items() >= said.items()


def test_a_move_is_told_table_by_table_with_how_to_switch(mentat: Mentat, monkeypatch: pytest.MonkeyPatch) -> None:
    moved = SimpleNamespace(target="new.db", tables=2, rows=1_234, verified=NONE_LOST)

    def move(source: Any, place: Any, now: datetime, tell: Callable[[str, int], None]) -> Any:
        tell("letter", 1_233)
        tell("ban", 0)
        tell("game", 1)
        return moved

    monkeypatch.setattr("bot.cli.installation.move", move)
    ran = mentat("move", "--to", "new.db")
    assert (ran.code, ran.err) == (0, "")
    *told, switch = ran.out.splitlines()
    assert told == [
        "  letter: 1233 rows", "  game: 1 row", "1,234 rows of 2 tables are now in new.db, unchanged.",
        "3 games; 2 of 2 that were replayed hold.",
    ]  # fmt: skip
    told_how = '[mentat] database = "new.db", without [database] url.'
    assert switch.endswith(f" is now held. To switch, set in config.toml: {told_how}")
    url = "postgresql://mentat@db.example.org/mentat"
    assert mentat("move", "--to", url).out.endswith(f' To switch, set in config.toml: [database] url = "{url}".\n')
    assert mentat("move", "--to", "new.db", "--json").json == {
        "target": "new.db", "tables": 2, "rows": 1_234, "games": 3, "checked": 2, "broken": [],
    }  # fmt: skip
    for words in ((), ("--to", "new.db", "--back"), ("--to", "mysql://db.example.org/mentat"),
                  ("--to", "postgresql://mentat:secret@db.example.org/mentat")):  # fmt: skip
        refused = mentat("move", *words)
        assert (refused.code, refused.out) == (2, "")
    gives(monkeypatch, "bot.cli.installation.take_back", "new.db")
    back = mentat("move", "--back")
    assert back.out.endswith(" is in use again. Its copy, new.db, must no longer be used.\n")
    assert mentat("move", "--back", "--json").json["was_moved_to"] == "new.db"


# --- upgrade ---------------------------------------------------------------------------------------------------------

STEPS = (SchemaStep("0010", "bans"), SchemaStep("0011", "ratings"))
TRIAL = Trial(
    "0009", 12_340_000, STEPS, 3, 2, [], [BROKEN], ["sietch-1"], ["sietch-2"], {"copying": 1.25, "playing": 3.0}
)


@pytest.mark.parametrize("dry_run", [True, False])
def test_an_upgrade_tells_its_steps_and_every_game_that_goes_otherwise(
    mentat: Mentat, monkeypatch: pytest.MonkeyPatch, dry_run: bool
) -> None:
    gives(monkeypatch, "bot.cli.installation.try_upgrade", TRIAL)
    gives(monkeypatch, "bot.cli.installation.upgrade_all", Upgrade(TRIAL, Backup(Path("b.db"), 5, NONE_LOST), 0.5))
    words = ("--dry-run",) if dry_run else ()
    ran = mentat("upgrade", *words)
    would, held = ("would bring", "would be held") if dry_run else ("brought", "is held now")
    goes_on = "would go on again" if dry_run else "goes on again"
    backup = [] if dry_run else ["The backup is b.db."]
    last = ["On a copy of 12.3 MB: copying 1.2 s, playing 3.0 s. Nothing was changed."] if dry_run else []
    assert ran.out.splitlines() == [
        f"Schema 0009; 2 steps to {newest_schema()}:",
        f"  0010 {would}: bans",
        f"  0011 {would}: ratings",
        *backup,
        "3 running games replayed, 2 of them for the first time under the current rules.",
        f"sietch-2 {goes_on}.",
        "sietch-1 is already held, and stays held.",
        *last,
    ]
    assert (ran.code, ran.err) == (1, f"sietch-12 {held}. Event 7 differs.\n")
    more = {} if dry_run else {"backup": "b.db", "renewed_in_seconds": 0.5}
    assert mentat("upgrade", *words, "--json").json == {
        "schema": "0009", "newest": newest_schema(), "bytes": 12_340_000,
        "steps": [{"schema": "0010", "brings": "bans"}, {"schema": "0011", "brings": "ratings"}],
        "games": 3, "other_rules": 2, "changed": [{"game": "sietch-12", "difference": "Event 7 differs."}],
        "held": ["sietch-1"], "released": ["sietch-2"], "seconds": {"copying": 1.25, "playing": 3.0}, **more,
    }  # fmt: skip


def test_an_upgrade_without_anything_to_do_says_so(mentat: Mentat, monkeypatch: pytest.MonkeyPatch) -> None:
    nothing = Trial("0011", 0, (), 1, 0, [], [], [], [], {})
    gives(monkeypatch, "bot.cli.installation.upgrade_all", Upgrade(nothing, None, 0.0))
    ran = mentat("upgrade")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == "The database has the newest schema, 0011.\n1 running game replayed.\n"
    assert mentat("upgrade", "--json").json["backup"] is None
    assert mentat("upgrade", "--scratch", "nowhere").code == 2


# --- forums ----------------------------------------------------------------------------------------------------------


def forum(kind: str, **more: Any) -> ForumSettings:
    return ForumSettings.model_construct(kind=kind, **more)


DISCOURSE = forum("discourse", url="https://dune.example", category=7, username="mentat")
PASTE = forum("paste", dialect="bbcode")
WELL = ForumState("arrakis")
SEATS = {"fremen": "chani_77", "guild": "", "emperor": None}


def in_thread(waits: int = 0, *, over: bool = False, linked: Any = SEATS, **more: Any) -> ThreadStatus:
    return ThreadStatus(Thread("sietch-12", "arrakis", **more), dict(linked), over, waits)


@pytest.mark.parametrize(
    ("standing", "told"),
    [
        (ForumStatus("arrakis", DISCOURSE, WELL, WELL, ()),
         ["arrakis: discourse, https://dune.example, category 7, as mentat",
          "  no games; `mentat forum test arrakis` tries it"]),
        (ForumStatus("tabr", PASTE, WELL, WELL, ()), ["tabr: you post by hand (bbcode)", "  no games"]),
        (ForumStatus("list", forum("list", address="dune@lists.example"), WELL, WELL, (), "m@arrakis.example"),
         ["list: the list dune@lists.example", "  member     as m@arrakis.example",
          "  no games; `mentat forum test list` tries it"]),
        (ForumStatus("gone", None, WELL, WELL, [in_thread(thread="41")]),
         ["gone: no longer in the settings ([forums.gone]), so nothing is read or posted there",
          "  sietch-12: thread 41", "    linked: Fremen chani_77, Guild", "    by mail only: Emperor"]),
        (ForumStatus("arrakis", DISCOURSE, ForumState("arrakis", problem="no answer",
                  failing_since=THEN, wait_until=THEN),
                  ForumState("arrakis", "posting", wait_until=THEN), ()),
         ["arrakis: discourse, https://dune.example, category 7, as mentat",
          "  reading    FAILS since Tue 24 Nov 20:05 UTC: no answer; no requests until Tue 24 Nov 20:05",
          "  posting    works; no requests until Tue 24 Nov 20:05",
          "  no games; `mentat forum test arrakis` tries it"]),
        (ForumStatus("arrakis", DISCOURSE, WELL, ForumState("arrakis", "posting", "revoked"), [
            in_thread(1, thread="41", url="https://dune.example/t/41", read_at=THEN, problem="it is closed",
                      problem_since=THEN, linked={}),
            in_thread(over=True, closed=True), in_thread(over=True, closed=True, url="https://dune.example/t/2"),
            in_thread(closed=True), in_thread(2, linked={"guild": None}), in_thread(over=True, linked={"guild": ""}),
         ]),
         ["arrakis: discourse, https://dune.example, category 7, as mentat", "  reading    works",
          "  posting    FAILS: revoked", "  sietch-12: https://dune.example/t/41, read Tue 24 Nov 20:05",
          "    1 post waiting: `mentat forum show sietch-12`", "    REFUSED: it is closed (since Tue 24 Nov 20:05)",
          "  sietch-12: over, everything was posted", "  sietch-12: over, https://dune.example/t/2",
          "  sietch-12: left; `mentat forum open sietch-12 arrakis` goes on in its thread",
          "  sietch-12: no thread yet", "    by mail only: Guild", "    2 posts waiting: `mentat forum show sietch-12`",
          "  sietch-12: no thread yet", "    linked: Guild"]),
        (ForumStatus("tabr", PASTE, WELL, WELL, [
            in_thread(2, read_at=THEN, linked={}), in_thread(1, thread="4", linked={}),
         ]),
         ["tabr: you post by hand (bbcode)",
          "  sietch-12: no thread yet: `mentat forum show sietch-12` prints its first post",
          "    2 blocks to post: `mentat forum show sietch-12`", "  sietch-12: thread 4",
          "    1 block to post: `mentat forum show sietch-12`"]),
    ],
)  # fmt: skip
def test_it_is_told_how_it_stands_with_a_forum(
    mentat: Mentat, monkeypatch: pytest.MonkeyPatch, standing: ForumStatus, told: list[str]
) -> None:
    monkeypatch.setattr("bot.forum.desk.forum_statuses", lambda open_games: [standing])
    assert mentat("forum", "status").out.splitlines() == told
    monkeypatch.setattr("bot.forum.desk.forum_statuses", lambda open_games: [standing, standing])
    assert mentat("forum", "status").out.splitlines() == [*told, "", *told]


def test_it_is_told_to_programs_how_it_stands_with_a_forum(mentat: Mentat, monkeypatch: pytest.MonkeyPatch) -> None:
    games = [
        in_thread(1, thread="41", url="https://x.example", read_at=THEN, problem="closed", problem_since=THEN),
        in_thread(over=True, closed=True), in_thread(closed=True),
    ]  # fmt: skip
    failing = ForumState("arrakis", "posting", "revoked", THEN, wait_until=THEN)
    gone = ForumStatus("gone", None, WELL, WELL, ())
    found = [ForumStatus("arrakis", DISCOURSE, WELL, failing, games, "m@x.example"), gone]
    monkeypatch.setattr("bot.forum.desk.forum_statuses", lambda open_games: found)
    bare = {"over": False, "left": False, "thread": None, "url": None, "read_at": None, "waits": 0, "problem": None,
            "problem_since": None, "game": "sietch-12", "linked": {"fremen": "chani_77", "guild": ""}}  # fmt: skip
    works = {"works": True, "problem": None, "failing_since": None, "wait_until": None}
    at = THEN.isoformat()
    assert mentat("forum", "status", "--json").json == [
        {"forum": "arrakis", "kind": "discourse", "well": False, "subscribed": "m@x.example", "reading": works,
         "posting": {"works": False, "problem": "revoked", "failing_since": at, "wait_until": at},
         "games": [{**bare, "thread": "41", "url": "https://x.example", "read_at": at, "waits": 1, "problem": "closed",
                    "problem_since": at}, {**bare, "over": True}, {**bare, "left": True}]},
        {"forum": "gone", "kind": None, "well": False, "subscribed": None, "reading": works, "posting": works,
         "games": []},
    ]  # fmt: skip


FORUMS = """
[forums.tabr]
kind = "paste"
dialect = "bbcode"
[forums.arrakis]
kind = "paste"
posts = "changes"
dialect = "bbcode"
"""


@pytest.fixture
def place(tmp_path: Path) -> World:
    return World.at(tmp_path, CONFIG + FORUMS)


def outgoing(kind: Any = "post", text: str = "What has happened", **more: Any) -> OutgoingPost:
    return OutgoingPost("sietch-12", kind, "key", THEN, text=text, **more)


def block(number: int, text: str, title: str | None = None) -> Block:
    return Block(number, "41", text, "key", title)


RULE = "-" * 72
THE_NEXT_PAGE = "The next page that you hand in marks"
THREAD = Thread("sietch-12", "tabr")


@pytest.mark.parametrize(
    ("shown", "told"),
    [
        (PostsToDo(THREAD, True, (), (block(3, "Bid!"),)),
         ["Block 3 of sietch-12, for its thread in tabr. Post the text between these lines:", RULE, "Bid!", RULE,
          f"{THE_NEXT_PAGE} it as posted.",
          "Without a page: mentat forum show sietch-12 --done 3 --number N (as shown, if any)"]),
        (PostsToDo(THREAD, True, (), (block(1, "Welcome", "Dune"), block(2, "Storm"))),
         ["Block 1 of sietch-12 opens its thread in tabr. The title of the thread:", "", "Dune",
          "", "Its first post is the text between these lines:", RULE, "Welcome", RULE,
          "Block 2 of sietch-12, for its thread in tabr. Post the text between these lines:", RULE, "Storm", RULE,
          f"{THE_NEXT_PAGE} them as posted.",
          "Say where the thread is: mentat forum show sietch-12 --done 1 --url ADDRESS"]),
        (PostsToDo(THREAD, True, ()),
         ["Nothing new to post about sietch-12 in tabr."]),
        (PostsToDo(Thread("sietch-12", "tabr", closed=True), True, ()),
         ["Nothing new to post about sietch-12 in tabr."]),
        (PostsToDo(Thread("sietch-12", "arrakis"), True, ()),
         ["Nothing new to post about sietch-12 in arrakis."]),
        (PostsToDo(Thread("sietch-12", "arrakis"), False, ()),
         ["Nothing is waiting to be posted in the thread of sietch-12 in arrakis."]),
        (PostsToDo(Thread("sietch-12", "arrakis", problem="closed", problem_since=THEN), False,
                (outgoing(tries=2, next_try_at=THEN), outgoing("title", "", title="Dune, turn 2", next_try_at=THEN))),
         ["arrakis refuses the next post since Tue 24 Nov 20:05 UTC: closed",
          "A post of Tue 24 Nov 20:05, tried 2 times, next try Tue 24 Nov 20:05:", RULE, "What has happened", RULE,
          "A title of Tue 24 Nov 20:05:", RULE, "Dune, turn 2", RULE,
          "`mentat forum repost sietch-12` retries it at once."]),
        (PostsToDo(Thread("sietch-12", "arrakis", problem="closed"), False, (outgoing("open", tries=1),)),
         ["arrakis refuses the next post: closed", "The opening of Tue 24 Nov 20:05, tried 1 time:", RULE,
          "What has happened", RULE, "`mentat forum repost sietch-12` retries it at once."]),
    ],
)  # fmt: skip
def test_what_is_to_be_posted_is_shown(
    mentat: Mentat, monkeypatch: pytest.MonkeyPatch, shown: PostsToDo, told: list[str]
) -> None:
    monkeypatch.setattr("bot.forum.desk.next_to_post", lambda open_games, game, now: shown)
    ran = mentat("forum", "show", "sietch-12")
    assert (ran.code, ran.out.splitlines()) == (0, told)
    next_one = shown.block
    assert mentat("forum", "show", "sietch-12", "--raw").out == (f"{next_one.text}\n" if next_one else "")
    said = mentat("forum", "show", "sietch-12", "--json").json
    at = THEN.isoformat()
    assert said == {
        "game": "sietch-12", "forum": shown.thread.forum, "by_hand": shown.by_hand, "url": None,
        "problem": shown.thread.problem or None,
        "block": (
            {"number": next_one.number, "title": next_one.title, "text": next_one.text} if next_one else None
        ),
        "blocks": [{"number": each.number, "title": each.title, "text": each.text} for each in shown.blocks],
        "waits": [
            {"kind": each.kind, "title": each.title or None, "text": each.text, "since": at, "tries": each.tries,
             "next_try_at": at if each.next_try_at else None} for each in shown.waits],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("skip", "waits", "tried", "problem", "told", "code"),
    [
        (False, 0, True, "", "Nothing is waiting any more.", 0),
        (True, 0, True, "", "A post has been given up. Nothing is waiting any more.", 0),
        (False, 2, True, "closed", "2 posts still waiting: closed", 1),
        (True, 1, True, "", "A post has been given up. 1 post still waiting: revoked", 1),
        (False, 1, False, "", "Another `mentat` is handling the forums and will retry it at once.", 0),
    ],
)
def test_what_became_of_another_try_is_told(
    mentat: Mentat, monkeypatch: pytest.MonkeyPatch, skip: bool, waits: int, tried: bool, problem: str, told: str,
    code: int,
) -> None:  # fmt: skip
    thread = Thread("sietch-12", "arrakis", problem=problem)
    shown = PostsToDo(thread, False, tuple(outgoing() for _ in range(waits)))
    monkeypatch.setattr("bot.forum.desk.next_to_post", lambda open_games, game, now: shown)
    again = gives(monkeypatch, "bot.forum.desk.retry_posts", outgoing())
    gives(monkeypatch, "bot.cli.forum._post_now", tried)
    failing = [ForumStatus(name, DISCOURSE, WELL, ForumState(name, "posting", why), ()) for name, why in (
        ("other", "unwell"), ("arrakis", "revoked"),
    )]  # fmt: skip
    monkeypatch.setattr("bot.forum.desk.forum_statuses", lambda open_games: failing)
    words = ("--skip",) if skip else ()
    ran = mentat("forum", "repost", "sietch-12", *words)
    assert (ran.code, ran.out) == (code, f"{told}\n")
    assert again[0][-1] == ("skip", skip)
    said = mentat("forum", "repost", "sietch-12", *words, "--json").json
    assert said.items() >= {
        "game": "sietch-12", "kind": "post", "skipped": skip, "tried": tried, "waits": waits,
        "problem": problem or "revoked",
    }.items()  # fmt: skip
    dry = mentat("forum", "repost", "sietch-12", *words, "--dry-run").out
    done = "has been given up" if skip else "will be tried again"
    assert dry.splitlines()[0] == f"Nothing was done. It would be: A post {done}."
