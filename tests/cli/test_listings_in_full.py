"""Tests for the complete text of listings and short answers."""

from __future__ import annotations

from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from bot.cli import _listed, _told
from bot.cli.forum import _told_of
from bot.cli.games import _dots_for, _rollback_told, _with_rollbacks
from bot.cli.lab import _three_digits
from bot.cli.session import fail, instant, read_options
from bot.games.proof import Proof
from bot.service import loop
from tests.cli.conftest import Mentat
from tests.cli.test_told_in_full import gives
from tests.moderator.table import GAME, World

THEN = datetime(2026, 11, 24, 20, 5, tzinfo=UTC)


def thing(**named: Any) -> SimpleNamespace:
    return SimpleNamespace(**named)


@pytest.mark.parametrize(
    ("value", "said"), [(99.94, "99.9"), (100, "100"), (99.96, "100"), (1234.5, "1,234"), (0.01234, "0.0123")]
)
def test_numbers_are_told_with_three_digits(value: float, said: str) -> None:
    assert _three_digits(value) == said


# --- Clauses and options ---------------------------------------------------------------------------------------------


def covered(id_: str, book: str, tier: str, tests: int, rulings: int, excused: str = "") -> Any:
    clause = thing(id=id_, book=book, tier=tier, topic="[storm]", rule="It moves.")
    shown = bool(tests or rulings or excused)
    return thing(clause=clause, tests=["t"] * tests, rulings=["r"] * rulings, not_for_the_program=excused, shown=shown)


def test_the_coverage_of_clauses_is_listed_and_added_up(mentat: Mentat, monkeypatch: pytest.MonkeyPatch) -> None:
    found = [
        covered("AH.VI.A", "AH", "basic", 2, 0), covered("AH.VI.B", "AH", "basic", 0, 3),
        covered("AH.VI.C", "AH", "advanced", 0, 0, "a habit"), covered("WBC.X.1", "WBC", "house", 0, 0),
    ]  # fmt: skip
    called = gives(monkeypatch, "bot.lab.coverage.coverage_of_this_clone", found)
    ran = mentat("rule", "--coverage")
    lines = ran.out.splitlines()
    assert ran.code == 1
    assert lines[:4] == [
        f"{'AH.VI.A':22}    2 tests    0 rulings  [storm]", f"{'AH.VI.B':22}    0 tests    3 rulings  [storm]",
        f"{'AH.VI.C':22}    0 tests    0 rulings  [storm]  (a habit)",
        f"{'WBC.X.1':22}    0 tests    0 rulings  [storm]",
    ]  # fmt: skip
    assert lines[-1] == "not covered: WBC.X.1  It moves."
    table = [[cell.strip() for cell in line.split("│")[1:-1]] for line in lines if line.startswith("│")]
    assert table == [
        ["AH", "basic", "2", "1", "1", "0", "0"], ["AH", "advanced", "1", "0", "0", "1", "0"],
        ["WBC", "house", "1", "0", "0", "0", "1"], ["together", "", "4", "1", "1", "1", "1"],
    ]  # fmt: skip
    assert mentat("rule", "--coverage", "--json").json == {
        "clauses": [
            {"id": each.clause.id, "tier": each.clause.tier, "tests": each.tests, "rulings": each.rulings,
             "not_for_the_program": each.not_for_the_program or None} for each in found],
        "uncovered": ["WBC.X.1"],
    }  # fmt: skip
    gives(monkeypatch, "bot.lab.coverage.coverage_of_this_clone", found[:3])
    assert mentat("rule", "--coverage", "--ruleset", "ah-basic").code == 0
    assert [len(call) for call in called] == [0, 0]
    monkeypatch.setattr("bot.lab.coverage.tests_folder", lambda: Path("nowhere"))
    shipped = mentat("rule", "--coverage")
    assert (shipped.code, shipped.out) == (2, "")


def test_the_options_of_a_rule_set_are_listed_by_their_parts(mentat: Mentat) -> None:
    told = mentat("rule", "--options", "ah-basic").out
    said = mentat("rule", "--options", "ah-basic", "--json").json
    blocks = told.split("\n\n")
    assert blocks[0].splitlines()[0].endswith("(ah-basic)")
    parts = list(dict.fromkeys(each["part"] for each in said["options"]))
    assert [block.splitlines()[0] for block in blocks[1:] if not block.startswith("Not played")] == parts
    lines = told.splitlines()
    for each in said["options"]:
        value = "not played yet" if each["value"] is None else each["value"]
        at = next(n for n, line in enumerate(lines) if line.startswith(f"{each['name']} = "))
        assert lines[at] == f"{each['name']} = {value}"
        means = each["values"].get(str(each["value"]), "")
        assert lines[at + 1] == f"  {each['meaning']}{f' Here: {means}.' if means else ''}"
        others = [f"  {other}: {words}" for other, words in each["values"].items() if words and other != str(value)]
        assert sorted(lines[at + 2 : at + 2 + len(others)]) == sorted(others)
        assert lines[at + 2 + len(others)] == f"  {', '.join([*each['clauses'], *each['questions']])}"


# --- Health and numbers ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("well", [True, False])
def test_health_is_one_line_and_an_exit_code(mentat: Mentat, monkeypatch: pytest.MonkeyPatch, well: bool) -> None:
    finding = thing(about="outbox", state="wrong", told="12 letters wait.", advice="Look.", facts={"letters": 12})
    found = thing(well=well, ready=True, live=False, line="[all] is well", findings=[finding])
    monkeypatch.setattr("bot.service.health.health", lambda settings, now: found)
    ran = mentat("health")
    assert (ran.code, ran.out, ran.err) == (0 if well else 1, "[all] is well\n", "")
    said = mentat("health", "--json")
    assert said.code == (0 if well else 1)
    assert said.json == {
        "well": well, "ready": True, "live": False, "findings": [
            {"about": "outbox", "state": "wrong", "told": "12 letters wait.", "advice": "Look.", "letters": 12}],
    }  # fmt: skip


def test_numbers_are_printed_or_put_whole_into_a_file_that_all_may_read(
    mentat: Mentat, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("bot.service.health.metrics", lambda settings, now: "mentat_games 7\n")
    assert mentat("metrics").out == "mentat_games 7\n"
    file = tmp_path / "numbers" / "mentat.prom"
    file.parent.mkdir()
    ran = mentat("metrics", "--file", str(file))
    assert (ran.code, ran.out, file.read_text()) == (0, "", "mentat_games 7\n")
    assert file.stat().st_mode & 0o777 == 0o644
    assert [path.name for path in file.parent.iterdir()] == ["mentat.prom"]
    (file.parent / "folder.prom").mkdir()
    refused = mentat("metrics", "--file", str(file.parent / "folder.prom"))
    assert refused.code == 1
    assert sorted(path.name for path in file.parent.iterdir()) == ["folder.prom", "mentat.prom"], "nothing half-made"


# --- Work of the service ---------------------------------------------------------------------------------------------


def test_the_outbox_is_sent_and_what_is_left_is_no_success(mentat: Mentat, monkeypatch: pytest.MonkeyPatch) -> None:
    gives(monkeypatch, "bot.cli.service.open_transport", thing(close=lambda: None))
    for sent, deferred, refused, code in ((1, 0, 0, 0), (2, 1, 0, 1), (2, 0, 1, 1)):
        done = thing(sent=sent, deferred=deferred, refused=refused)
        monkeypatch.setattr(loop, "send", lambda outbox, transport, now, done=done: done)
        ran = mentat("send")
        letters = "1 letter" if sent == 1 else f"{sent} letters"
        assert ran.out == f"{letters} sent, {deferred} to be tried again, {refused} refused\n"
        assert ran.code == code
        assert mentat("send", "--json").json == {"sent": sent, "deferred": deferred, "refused": refused}


def test_the_mailbox_is_looked_into_and_the_forums_after_it(mentat: Mentat, monkeypatch: pytest.MonkeyPatch) -> None:
    closed: list[str] = []
    gives(monkeypatch, "bot.cli.service.open_mailbox", thing(close=lambda: closed.append("closed")))
    monkeypatch.setattr(loop, "poll", lambda moderator, mailbox: thing(messages=1, shunted=0))
    looked = gives(monkeypatch, "bot.cli.service._look_after_forums", None)
    assert mentat("poll").out == "1 message processed, 0 of them put aside\n"
    monkeypatch.setattr(loop, "poll", lambda moderator, mailbox: thing(messages=3, shunted=2))
    assert mentat("poll").out == "3 messages processed, 2 of them put aside\n"
    assert mentat("poll", "--json").json == {"messages": 3, "shunted": 2}
    assert (len(closed), len(looked)) == (3, 3)


@pytest.mark.parametrize(
    ("words", "whole", "forums"),
    [((), True, True), (("--now", "2026-11-24T20:00"), False, False), (("--game", GAME), False, False)],
)
def test_time_passes_for_all_games_or_one(
    mentat: Mentat, place: World, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], whole: bool, forums: bool
) -> None:
    place.new_game()
    looked = gives(monkeypatch, "bot.cli.service._look_after_forums", None)
    at_all, at_one = (
        gives(monkeypatch, f"bot.moderator.timekeeper.Timekeeper.{name}", 2) for name in ("tick_now", "tick")
    )
    assert mentat("tick", *words).out == "2 games moved on\n"
    assert mentat("tick", *words, "--json").json == {"games": 2}
    assert (bool(at_all), bool(at_one), bool(looked)) == (whole, not whole, forums)
    if at_one:
        assert at_one[0][-1] == (GAME if "--game" in words else "")


def test_mail_files_are_delivered_in_their_order(mentat: Mentat, place: World, tmp_path: Path) -> None:
    place.new_game()
    for name in ("one.eml", "two.eml"):
        (tmp_path / name).write_bytes(place.mail("guild", "status", sender="spam@x.example" if "two" in name else ""))
    said = mentat("deliver", "one.eml", "two.eml", "--json").json
    assert [(each["file"], each["disposition"]) for each in said] == [("one.eml", "orders"), ("two.eml", "rejected")]
    assert (said[0]["game"], said[0]["faction"], said[0]["taken"]) == (GAME, "guild", 1)
    told = mentat("deliver", "one.eml").out
    assert told.startswith("one.eml: duplicate (")
    assert told.endswith(")\n")
    missing = mentat("deliver", "three.eml")
    assert (missing.code, missing.out) == (2, "")


# --- Games -----------------------------------------------------------------------------------------------------------


def test_what_stops_and_lets_go_on_says_which_game(mentat: Mentat, place: World) -> None:
    place.new_game()
    said = [mentat("game", *words, GAME).out for words in (("pause",), ("resume",), ("hold",), ("release",))]
    assert said == [
        f"The clocks of {GAME} are stopped.\n", f"The clocks of {GAME} are running again.\n", f"{GAME} is on hold.\n",
        f"{GAME} continues.\n",
    ]  # fmt: skip
    assert mentat("game", "resume").out == "The clocks of 0 games are running again.\n"
    mentat("game", "pause", GAME)
    shown = mentat("game", "clock", GAME, "due_at=20:30").out.splitlines()
    assert shown[0].startswith("stopped since 20")
    assert "  due_at = 20:30  (its own)" in shown
    assert sum("(its own)" in line for line in shown) == 1
    assert [line.split("Z  ")[1].split()[0] for line in shown if "Z  " in line][-2:] == ["pause", "clock"]


@pytest.mark.parametrize(
    ("found", "told", "code"),
    [
        (Proof("g", 1, 1), "g passes verification: 1 entry gives the same 1 event.\n", 0),
        (Proof("g", 5, 9), "g passes verification: 5 entries give the same 9 events.\n", 0),
        (Proof("g", 5, 9, "Event 7 differs."), "", 1),
    ],
)
def test_whether_a_game_holds_is_told(
    mentat: Mentat, monkeypatch: pytest.MonkeyPatch, found: Proof, told: str, code: int
) -> None:
    Path("g.jsonl").write_text("x")
    gives(monkeypatch, "bot.games.proof.verify_file", found)
    ran = mentat("game", "verify", "g.jsonl")
    assert (ran.code, ran.out) == (code, told)
    assert ran.err == ("g fails verification. Event 7 differs.\n" if code else "")
    said = mentat("game", "verify", "g.jsonl", "--json")
    assert (said.code, said.err) == (code, "")
    assert said.json == {
        "game": "g", "holds": not code, "entries": found.entries, "events": found.events,
        "difference": found.difference,
    }  # fmt: skip


def taken_back(events: int, why: str = "", *, undone: bool = False) -> Any:
    return thing(at=THEN, entries=events, events=events, turn=2, phase="battle", why=why, undone=undone)


def test_rollbacks_stand_behind_the_last_event_that_they_left() -> None:
    happened: list[Any] = [thing(number=number) for number in range(5)]
    one, other, last = taken_back(3), taken_back(2), taken_back(7)

    def placed(*rollbacks: Any) -> list[Any]:
        lines = _with_rollbacks(happened, list(rollbacks))
        return [getattr(line, "number", "back") for line in lines]

    assert placed(one) == [0, 1, 2, "back", 3, 4]
    assert placed(last) == [0, 1, 2, 3, 4, "back"]
    assert placed(other, one) == [0, 1, "back", 2, "back", 3, 4]
    assert placed(one, other) == [0, 1, "back", "back", 2, 3, 4]
    assert placed(one, last) == [0, 1, 2, "back", 3, 4, "back"]
    assert placed() == [0, 1, 2, 3, 4]
    assert _rollback_told(taken_back(1)) == (
        "The game was rolled back to turn 2, battle (1 entry kept). No reason was given."
    )
    assert _rollback_told(taken_back(5, "Misread.", undone=True)) == (
        "The game was rolled back to turn 2, battle (5 entries kept). Reason: Misread. It was undone, and everything "
        "is restored."
    )


def test_players_sit_as_evenly_around_the_board_as_can_be() -> None:
    for count in range(2, 7):
        dots = _dots_for(count)
        gaps = [later - sooner for sooner, later in zip(dots, [*dots[1:], dots[0] + 18], strict=True)]
        assert len(set(dots)) == count
        assert max(gaps) - min(gaps) <= 3


# --- Typed input -----------------------------------------------------------------------------------------------------


def test_an_instant_without_a_zone_is_in_utc() -> None:
    assert instant("--now", "2026-11-24T20:05") == THEN
    assert instant("--now", "2026-11-24T21:05+01:00") == THEN
    assert instant("--now", "2026-11-24T21:05+01:00").utcoffset() == timedelta(0)


def test_options_are_numbers_or_words() -> None:
    assert read_options(["max_turns=10", " bribery = off ", "x= 7 ", "y=-1", "z="]) == {
        "max_turns": 10, "bribery": "off", "x": 7, "y": "-1", "z": "",
    }  # fmt: skip
    assert read_options([]) == {}


def test_who_is_taken_out_is_named_and_a_trial_takes_nobody_out(
    mentat: Mentat, monkeypatch: pytest.MonkeyPatch
) -> None:
    @contextmanager
    def acting(caller: Any, tournament: str) -> Any:
        yield thing(conn=None), thing(id=tournament)

    monkeypatch.setattr("bot.tournament.desk.acting", acting)
    monkeypatch.setattr("bot.tournament.desk.require_power", lambda *given: None)
    monkeypatch.setattr("bot.store.tournaments.find_entrant", lambda conn, tournament, handle: thing(handle="E001"))
    called = gives(monkeypatch, "bot.tournament.entries.withdraw_entrant", None)
    told = "E001 no longer takes part in cup.\n"
    assert mentat("tournament", "withdraw", "cup", "e001", "--games", "keep").out == told
    assert mentat("tournament", "withdraw", "cup", "e001", "--dry-run").out == f"It would be: {told}"
    assert mentat("tournament", "withdraw", "cup", "e001", "--games", "leave", "--json").json == {
        "tournament": "cup", "handle": "E001", "state": "withdrawn", "dry_run": False,
    }  # fmt: skip
    assert [call[-1] for call in called] == ["keep", "", "leave"]
    assert mentat("tournament", "withdraw", "cup", "e001", "--games", "some").code == 2
    monkeypatch.setattr("bot.store.tournaments.find_entrant", lambda conn, tournament, handle: None)
    refused = mentat("tournament", "withdraw", "cup", "e099")
    assert (refused.code, refused.out, len(called)) == (1, "", 3)


def handed(state: str, *lines: tuple[str, str]) -> Any:
    return thing(state=state, post=thing(lines=[thing(text=text, status=status) for text, status in lines]))


@pytest.mark.parametrize(
    ("found", "number", "told"),
    [
        (handed("taken", ("bid 3", "accepted"), ("pass", "other")), 57,
         "Post 57 by the Guild: “bid 3”: taken; “pass”: other."),
        (handed("taken"), None, "A post by the Guild: it contains no order (a line that begins with “!”)."),
        (handed("known", ("bid 3", "held")), 57,
         "Post 57 by the Guild was handed in before, word for word: “bid 3”: waits until it is asked for."),
        (handed("known"), 57, "Post 57 by the Guild was handed in before, word for word: nothing in it counts."),
        (handed("changed", ("bid 3", "done")), None,
         "A post by the Guild was handed in before with other words, and those count: “bid 3”: done."),
        (handed("changed"), None,
         "A post by the Guild was handed in before with other words, and those count: nothing in them."),
    ],
)  # fmt: skip
def test_what_became_of_a_post_that_was_handed_in_is_told(found: Any, number: int | None, told: str) -> None:
    assert _told_of(found, "guild", number) == told


def test_the_record_of_a_game_is_written_once_it_is_over(
    mentat: Mentat, place: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.new_game()
    refused = mentat("game", "export", GAME, "g.json")
    assert (refused.code, refused.out) == (1, "")
    assert mentat("game", "end", GAME, "--void").code == 0
    assert mentat("game", "export", GAME, "g.json").out == "wrote g.json\n"
    assert mentat("game", "export", GAME, "h.json", "--json").json == {"game": GAME, "file": "h.json"}
    assert Path("g.json").read_bytes() == Path("h.json").read_bytes()
    assert mentat("game", "export", GAME, "no/such/g.json").code == 2


@pytest.mark.parametrize(
    "words", [("poll",), ("tick",), ("deliver", "one.eml"), ("send",), ("archive", "build", "site")]
)
def test_nothing_is_done_with_a_database_that_is_held(
    mentat: Mentat, place: World, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    Path("one.eml").write_bytes(b"From: ann@x.example\n\nstatus\n")
    done = [
        gives(monkeypatch, f"bot.cli.service.{name}", None) for name in ("_check", "open_mailbox", "open_transport")
    ]

    def held(session: Any) -> None:
        fail("It is held.")

    for module in ("service", "archive"):
        monkeypatch.setattr(f"bot.cli.{module}.refuse_if_held", held)
    refused = mentat(*words)
    assert (refused.code, refused.out, refused.err, done) == (1, "", "It is held.\n", [[], [], []])
    assert not Path("site").exists()


def test_commands_are_listed_by_the_first_words_of_their_functions() -> None:
    told = _told("bot.cli.games")
    assert told["list_games"].startswith("List the games: ")
    assert told["show"].startswith("Show a game as a viewer may see it")
    assert _told("bot.cli.nowhere") == {}
    assert _listed("show", "games:show").help == told["show"]
    assert _listed("show", "games:nothing").help == told["show"], "or by their name"
    assert _listed("none", "games:nothing").help == ""
