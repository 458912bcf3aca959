"""Tests for the calls, output and exit codes of `mentat bench`, `demo` and `soak`."""

from __future__ import annotations

import platform
import re
import time
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from bot.cli import lab as soak_command
from bot.cli import session
from bot.games.proof import Proof
from bot.lab.demo import DemoFailed, Progress
from bot.lab.occurrences import Occurrences
from bot.lab.pace import Manner, Pace
from bot.lab.simulation import Several, WorkersStuck
from bot.lab.soak import Failure, SoakResult, setting
from bot.lab.soak_sheets import SheetComparison
from bot.lab.tournament_demo import CupDay
from bot.lab.tournaments import LotResult
from bot.lab.workbench import Measurement
from bot.language.commands import LettersMode
from rules.rulesets.options import RuleSetError
from tests.cli.conftest import Mentat

FAST = Measurement("a fast thing", 1234.5, "µs", 2.0, "a step", aim=3.0)
SLOW = Measurement("a slow thing", 99.44, "ms", 1500.4, "10 games", aim=1_500)
BARE = Measurement("a bare step", 0.12345, "/s")


def spaced(text: str) -> list[str]:
    """Return a table's lines with runs of spaces reduced to one."""
    return [re.sub(r"\s+", " ", line).strip() for line in text.splitlines() if line.strip()]


def stand_in(monkeypatch: pytest.MonkeyPatch, place: str, answer: Any) -> list[tuple[Any, ...]]:
    """Replace ``place`` with a stub that returns `answer` and records its calls."""
    called: list[tuple[Any, ...]] = []

    def work(*args: Any, **named: Any) -> Any:
        called.append((*args, *sorted(named.items())))
        if isinstance(answer, Exception):
            raise answer
        return answer(*args, **named) if callable(answer) else answer

    monkeypatch.setattr(place, work)
    return called


# --- bench -----------------------------------------------------------------------------------------------------------

PARTS = {
    "starting": "bot.lab.bench.measure_starting", "reading mail": "bot.lab.bench.measure_reading",
    "the engine": "bot.lab.bench.measure_engine",
    "long mails": "bot.lab.bench_mail.measure_long_mails", "mail": "bot.lab.bench_mail.measure_mails",
    "the path of a mail": "bot.lab.bench_mail.measure_waiting_time",
    "a thousand games": "bot.lab.bench_mail.measure_crowd", "the archive": "bot.lab.bench.measure_archive",
    "seating": "bot.lab.bench.measure_seating",
    "deadlines": "bot.lab.bench_growth.measure_clocks",
}  # fmt: skip


def noted(call: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(each.name if isinstance(each, Path) else each for each in call)


@pytest.mark.parametrize(
    ("words", "asked"),
    [
        ((), [(9,), (20,), (("ah-basic", "wbc-2018"), 20), ("long", "wbc-2018", 9), ("mails", "wbc-2018", 120),
              ("waiting", "wbc-2018", 20), ("crowd", "wbc-2018"), ("archive", "wbc-2018", 10), (10_000,),
              ("clocks", "wbc-2018", ("at_once", 200))]),
        (("--quick",), [(3,), (3,), (("ah-basic", "wbc-2018"), 3), ("long", "wbc-2018", 3), ("mails", "wbc-2018", 30),
                        ("waiting", "wbc-2018", 5), ("crowd", "wbc-2018"), ("archive", "wbc-2018", 3), (1_000,),
                        ("clocks", "wbc-2018", ("at_once", 50))]),
    ],
)  # fmt: skip
def test_each_part_is_measured_in_turn_with_less_where_it_shall_be_quick(
    mentat: Mentat, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], asked: list[tuple[Any, ...]]
) -> None:
    called = [stand_in(monkeypatch, place, [FAST]) for place in PARTS.values()]
    said = stand_in(monkeypatch, "bot.cli.session.working.now", None)
    done = mentat("bench", *words, "--json")
    assert (done.code, done.err) == (0, "")
    assert said == [("measuring",), *((f"measuring {title}",) for title in PARTS)]
    assert [noted(call) for (call,) in called] == asked
    assert [each["part"] for each in done.json["measured"]] == list(PARTS)


def test_what_was_measured_is_shown_beside_its_aim(mentat: Mentat, monkeypatch: pytest.MonkeyPatch) -> None:
    called = stand_in(monkeypatch, "bot.lab.bench.measure_reading", [FAST, SLOW, BARE])
    told = mentat("bench", "mail", "--times", "7")
    assert (told.code, called) == (0, [(7,)])
    *table, last = spaced(told.out)
    assert table == [
        "measured value times at most", "reading mail", "a fast thing 1,234 µs 2 a step 3 yes",
        "a slow thing 99.4 ms 1,500 10 games 1,500 no", "a bare step 0.123 /s",
    ]  # fmt: skip
    assert last == f"0 seconds on Python {platform.python_version()}, {platform.machine()}"
    said = mentat("bench", "mail", "--json")
    assert called[1] == (20,)
    assert said.json == {
        "python": platform.python_version(), "machine": platform.machine(), "seconds": 0.0,
        "measured": [
            {"part": "reading mail", **asdict(one), "reached": reached}
            for one, reached in ((FAST, True), (SLOW, False), (BARE, True))
        ],
    }  # fmt: skip


def test_workers_are_measured_and_a_missed_aim_is_no_success(mentat: Mentat, monkeypatch: pytest.MonkeyPatch) -> None:
    called = stand_in(monkeypatch, "bot.lab.bench_growth.measure_workers", [FAST, BARE])
    assert mentat("bench", "workers").code == 0
    assert mentat("bench", "workers", "--mails", "50", "--count", "1", "--count", "3").code == 0
    assert [call[1:] for call in called] == [("wbc-2018", 600, (1, 2, 4)), ("wbc-2018", 50, (1, 3))]
    stand_in(monkeypatch, "bot.lab.bench_growth.measure_workers", [FAST, SLOW])
    missed = mentat("bench", "workers", "--json")
    assert (missed.code, [one["part"] for one in missed.json["measured"]]) == (1, ["workers"] * 2)
    stand_in(monkeypatch, "bot.lab.bench_growth.measure_workers", WorkersStuck("the workers stand still"))
    stuck = mentat("bench", "workers")
    assert (stuck.code, stuck.out, stuck.err) == (1, "", "the workers stand still.\n")


@pytest.mark.parametrize(
    ("words", "kinds", "opened", "listed", "sizes"),
    [((), ["SQLite", "PostgreSQL"], 10_000, 5_000, (2_000, 1_500)), (("--quick",), ["SQLite"], 1_000, 500, (200, 150))],
)
def test_scale_is_measured_on_every_kind_of_database(
    mentat: Mentat, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], kinds: list[str], opened: int, listed: int,
    sizes: tuple[int, int],
) -> None:  # fmt: skip
    @contextmanager
    def databases() -> Any:
        yield [SimpleNamespace(name=name) for name in kinds]

    monkeypatch.setattr("bot.lab.postgresql.database_kinds", databases)
    open_games = stand_in(monkeypatch, "bot.lab.bench_growth.measure_open_games", [FAST])
    lists = stand_in(monkeypatch, "bot.lab.bench_growth.measure_lists", [BARE])
    growth = stand_in(monkeypatch, "bot.lab.bench_growth.measure_growth", [FAST])
    said = stand_in(monkeypatch, "bot.cli.session.working.now", None)
    done = mentat("bench", "scale", *words, "--json")
    assert done.code == 0, done.err
    alone = ["without PostgreSQL, which is not installed here"] if len(kinds) == 1 else []
    assert done.err.splitlines() == alone
    assert said[2:] == [(f"measuring {name}",) for name in kinds]
    assert [each["part"] for each in done.json["measured"]] == [
        f"{name}: {part}" for name in kinds for part in ("many games", "long lists", "growth")
    ]
    assert [(call[0].name, call[0].parent.name, call[2:]) for call in open_games] == [
        ("open", name, ("wbc-2018", opened)) for name in kinds
    ]
    assert [(call[0].name, call[2:]) for call in lists] == [("lists", ("wbc-2018", listed))] * len(kinds)
    assert [(call[3].many, call[3].times_old) for call in growth] == [sizes] * len(kinds)
    stand_in(monkeypatch, "bot.lab.bench_growth.measure_growth", [FAST, SLOW])
    assert mentat("bench", "scale").code == 1


def test_pace_is_measured_without_sheets_with_sheets_and_with_fewer_letters(
    mentat: Mentat, monkeypatch: pytest.MonkeyPatch
) -> None:
    phases = {"movement": 12.5, "battle": 3.0, "storm": 1.0}

    def paced(manner: Manner, games: int) -> Pace:
        return Pace(manner.tempo, manner.sheets, manner.mode, games, 100.5, 120.0, 30.2, 12.1, 0.7, 5.0, 0.5, phases)

    called = stand_in(monkeypatch, "bot.lab.pace.measure_pace", paced)
    said = stand_in(monkeypatch, "bot.cli.session.working.now", None)
    done = mentat("bench", "pace", "--tempo", "steady", "--games", "3", "--turns", "4")
    assert (done.code, done.err) == (0, "")
    ways: list[tuple[bool, LettersMode]] = [(False, "all"), (True, "all"), (True, "wanted")]
    assert called == [(Manner("steady", sheets, mode, 4), 3) for sheets, mode in ways]
    assert said[2:] == [
        (f"playing 3 games at steady, {sheets}, letters {mode}",)
        for sheets, mode in (("without", "all"), ("with sheets", "all"), ("with sheets", "wanted"))
    ]
    assert spaced(done.out) == [
        "tempo sheets letters days worst stops a turn a day most days go to",
        "steady no all 100.5 120 30.2 12.1 0.7 movement 12.5, battle 3",
        "steady yes all 100.5 120 30.2 12.1 0.7 movement 12.5, battle 3",
        "steady yes wanted 100.5 120 30.2 12.1 0.7 movement 12.5, battle 3",
        "Days of a game of 4 turns, the median and the worst; stops, and letters to a player, in a turn.",
        "The goals for steady with sheets: 70 days for ten turns, and 4 letters a turn where players want only those "
        "that ask for something.",
    ]  # fmt: skip
    called.clear()
    told = mentat("bench", "pace", "--json")
    assert [call[0].tempo for call in called] == [name for name in ("table", "steady", "swift") for _ in ways]
    assert (told.json["turns"], called[0][1]) == (10, 5)
    assert told.json["measured"][0] == asdict(paced(Manner("table", sheets=False, turns=10), 5))
    assert mentat("bench", "pace", "--tempo", "none").code == 2


# --- demo ------------------------------------------------------------------------------------------------------------


def test_long_work_is_never_silent_and_its_line_gives_way_to_words(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(session, "MOST_SILENCE", 0.06)
    monkeypatch.setattr(session.console, "_width", 40)
    working = session.working
    with working.on("x" * 60, everywhere=True):
        time.sleep(0.3)
    lines = capfd.readouterr().err.splitlines()
    assert lines
    assert {len(line) for line in lines} == {39}
    with working.on("quiet"):
        time.sleep(0.2)
    assert capfd.readouterr().err == "", "no terminal"
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    with working.on("playing"):
        time.sleep(0.3)
        session.print_line("turn 2")
        working.now("writing")
    out, err = capfd.readouterr()
    assert out == "turn 2\n"
    assert re.fullmatch("(\r\x1b\\[Kplaying … 0 s)+\r\x1b\\[K(\r\x1b\\[Kwriting … 0 s)*(\r\x1b\\[K)?", err), repr(err)


def reached(turn: int, *, over: bool) -> Progress:
    held = {"arrakeen": "atreides, guild", "carthag": "", "sietch-tabr": "fremen"}
    return Progress(turn, over, 7, held, 120, 45, 12.4)


def demo_of(monkeypatch: pytest.MonkeyPatch, found: Proof) -> list[tuple[Any, ...]]:
    state = SimpleNamespace(winners=["atreides", "guild"], turn=3)
    table = SimpleNamespace(play=SimpleNamespace(state=state))

    def play(out: Path, seed: str, ruleset: str, show: Callable[[Progress], None], own: Any) -> Any:
        show(reached(2, over=False))
        show(reached(3, over=True))
        return SimpleNamespace(table=table, found=found, letters=200, answers=90)

    stand_in(monkeypatch, "bot.lab.demo.write_demo_folder", None)
    return stand_in(monkeypatch, "bot.lab.demo.play_demo", play)


def proof(difference: str = "") -> Proof:
    return Proof(id="demo", events=321, entries=123, difference=difference)


def test_a_demo_tells_each_turn_the_end_and_where_to_look(
    mentat: Mentat, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    called = demo_of(monkeypatch, proof())
    done = mentat("demo", "--out", "dune", "--turns", "3", "--seed", "spice", "--option", "max_turns=12")
    assert done.code == 0, done.err
    out = Path("dune")
    assert done.out.splitlines() == [
        "Six scripted players and Mentat play Dune by mail on this machine.",
        "turn  2   12 s   120 letters  Arrakeen A+G; Sietch Tabr F",
        "the end   12 s   120 letters  Arrakeen A+G; Sietch Tabr F",
        "",
        "Atreides and Guild won on turn 3.",
        "Verified: the 123 entries of the log give the same 321 events again.",
        "Watch the game, read its story and every letter:",
        f"  {out / 'index.html'}",
        "Ask about it:",
        f"  mentat game log demo --as public --config {out / 'config.toml'}",
    ]
    ((*asked, _, own),) = called
    assert (asked, own) == ([out, "spice", "wbc-2018"], {"max_turns": 3})


def test_a_demo_that_does_not_hold_fails_and_says_so_to_programs(
    mentat: Mentat, monkeypatch: pytest.MonkeyPatch
) -> None:
    called = demo_of(monkeypatch, proof("Event 7 differs."))
    done = mentat("demo", "--out", "dune", "--json")
    assert (done.code, done.err) == (1, "The record of the game fails verification. Event 7 differs.\n")
    assert done.json == {
        "winner": ["atreides", "guild"], "turn": 3, "ruleset": "wbc-2018", "letters": 200, "answers": 90,
        "verified": False, "difference": "Event 7 differs.", "out": "dune", "seconds": 0.0,
    }  # fmt: skip
    assert called[0][1:3] == ("caladan", "wbc-2018")
    assert called[0][-1] == {}
    assert "Verified" not in mentat("demo", "--out", "dune").out


def happens(out: Path, seed: str, ruleset: str, show: Callable[[CupDay], None], options: Any) -> Any:
    show(CupDay(1, "", "12 have [entered].", 3.0))
    show(CupDay(12, "mentat tournament draw cup", "Drawn.", 300.4))
    made = LotResult(SimpleNamespace(standings=[], entrants=[]))  # type: ignore[arg-type]  # has what is asked of it
    return SimpleNamespace(published=made.published, letters=900, answers=400, days=40, seconds=61.26)


@pytest.mark.parametrize("difference", ["", "Round 2 was drawn otherwise."])
def test_the_demo_of_a_tournament_tells_day_by_day_and_whether_the_export_holds(
    mentat: Mentat, monkeypatch: pytest.MonkeyPatch, difference: str
) -> None:
    called = stand_in(monkeypatch, "bot.lab.tournament_demo.play_cup", happens)
    stand_in(monkeypatch, "bot.lab.tournament_demo.write_cup_folder", None)
    stand_in(monkeypatch, "bot.competition.published.encode_published", b"")
    stand_in(monkeypatch, "bot.competition.verification.verify", SimpleNamespace(difference=difference))
    stand_in(monkeypatch, "bot.cli.rounds.print_standings", None)
    done = mentat("demo", "--tournament", "--out", "dune", "--turns", "2")
    failed = [f"The export of the tournament fails verification. {difference}"] if difference else []
    verified = ["", "Verified: draws, results, standings and ratings follow from the export alone."]
    assert (done.code, done.err.splitlines()) == (1 if difference else 0, failed)
    assert done.out.splitlines() == [
        "Twelve scripted players and a substitute play a tournament by mail on this",
        "machine. This takes a few minutes; the days are simulated.",
        "day   1     3 s  12 have [entered].",
        "day  12   300 s  Drawn.  mentat tournament draw cup",
        "",
        *([] if difference else verified),
        "",
        "Read every letter, and the pages of the tournament:",
        f"  {Path('dune', 'index.html')}",
        f"  {Path('dune', 'archive', 'tournament', 'arrakis-cup', 'index.html')}",
        "Check it yourself:",
        f"  mentat tournament verify {Path('dune', 'arrakis-cup.json')}",
    ]
    assert called[0][-1] == {"max_turns": 2}
    said = mentat("demo", "--tournament", "--out", "dune", "--json").json
    assert said == {
        "tournament": "arrakis-cup", "standings": [], "letters": 900, "answers": 400, "days": 40,
        "verified": not difference, "difference": difference, "out": "dune", "seconds": 61.3,
    }  # fmt: skip
    assert called[1][-1] == {}


@pytest.mark.parametrize("words", [(), ("--tournament",)])
def test_a_demo_that_fails_or_is_asked_wrongly_says_why(
    mentat: Mentat, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, words: tuple[str, ...]
) -> None:
    for answer, code in ((DemoFailed("It stands still."), 1), (RuleSetError("No such option."), 2)):
        for place in ("bot.lab.demo.play_demo", "bot.lab.tournament_demo.play_cup"):
            stand_in(monkeypatch, place, answer)
        done = mentat("demo", *words, "--out", "dune", "--json")
        assert (done.code, done.out, done.err) == (code, "", f"{answer}\n")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("mine")
    assert mentat("demo", *words, "--out", "mine").code == 2
    (tmp_path / "file").write_text("mine")
    assert mentat("demo", *words, "--out", "file/dune").code == 2


# --- soak ------------------------------------------------------------------------------------------------------------


def soaked(games: int, *failures: Failure, **powers: int) -> Callable[..., Any]:
    def soak(settings: Any, jobs: int) -> Any:
        for _ in range(games // 20):
            occurred = Occurrences(settings[0].rules)
            occurred.powers.update({name.replace("_", " "): times for name, times in powers.items()})
            yield SoakResult(occurred, 20, list(failures))

    return soak


def test_a_run_tells_how_far_it_is_what_failed_and_what_was_too_rare(
    mentat: Mentat, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = setting("ah-basic", "soak 7", 2)
    monkeypatch.setattr(soak_command, "soak", soaked(100, Failure(game, "Traceback\n  [lost] 1 token")))
    said = stand_in(monkeypatch, "bot.cli.session.working.now", None)
    failed = mentat("soak", "--games", "100", "--ruleset", "ah-basic")
    assert failed.code == 1
    assert said == [("playing",), *((f"{done} of 100 games",) for done in (20, 40, 60, 80, 100))]
    assert failed.err.count(f"{game}\nTraceback\n  [lost] 1 token") == 5
    assert re.fullmatch(r"100 games of ah-basic in \d+ s, 5 failed\.", failed.out.splitlines()[-1])
    titles = [line for line in spaced(failed.out) if line.endswith(" times")]
    assert titles == ["power or card times", "event times", "order times"]
    assert {"Hajr 0", "nexus 0", "Pass 0"} <= set(spaced(failed.out))
    monkeypatch.setattr(soak_command, "soak", soaked(1000, Hajr=1))
    rare = mentat("soak", "--games", "1000", "--ruleset", "ah-basic", "--json")
    assert rare.code == 1
    assert rare.err == ""
    told = rare.json
    assert (told["games"], told["ruleset"], told["seed"], told["failures"]) == (1000, "ah-basic", "soak", [])
    assert told["options"] == {}
    assert "Hajr" not in told["too_rare"], "fifty times"
    assert "Truthtrance" in told["too_rare"]
    assert (told["powers"]["Hajr"], told["events"]["nexus"], told["orders"]["Pass"]) == (50, 0, 0)
    last = mentat("soak", "--games", "1000", "--ruleset", "ah-basic").out.splitlines()[-1]
    assert last.startswith("Fewer than 30 times in 1000 games: Atreides look at a card for bid, ")


def test_a_run_by_sheets_tells_what_differs_and_what_had_to_be_asked(
    mentat: Mentat, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = SheetComparison(decisions=100, lines=50, live=0, by_cap=7, standing=5, handed_back=3)
    monkeypatch.setattr(soak_command, "compare_with_sheets", lambda game: found)
    well = mentat("soak", "--sheets", "50")
    assert (well.code, well.err) == (0, "")
    assert well.out == (
        "50 games, 5000 decisions, 2500 lines: 350 decisions by a limit for a card, 250 by a line for several turns, "
        "150 handed back by “ask me”; 0 that no line could make; 0 games differ.\n"
    )
    games = iter(range(50))
    monkeypatch.setattr(
        soak_command, "compare_with_sheets", lambda game: SheetComparison(1000, live=next(games) % 2 * 2)
    )
    allowed = mentat("soak", "--sheets", "50", "--json")
    assert (allowed.code, allowed.err) == (0, "")
    assert allowed.json == {
        "games": 50, "decisions": 50_000, "lines": 0, "live": 50, "by_cap": 0, "standing": 0, "handed_back": 0,
        "differences": [],
    }  # fmt: skip
    monkeypatch.setattr(soak_command, "compare_with_sheets", lambda game: SheetComparison(1000, live=2))
    assert mentat("soak", "--sheets", "1").code == 1, "one in a thousand"
    wrong = SheetComparison(1000, difference="turn 2, [bidding]: nobody spoke")
    monkeypatch.setattr(soak_command, "compare_with_sheets", lambda game: wrong)
    differs = mentat("soak", "--sheets", "1", "--seed", "x")
    assert (differs.code, differs.err) == (1, "x 0: turn 2, [bidding]: nobody spoke\n")


def test_a_tournament_by_lot_tells_what_each_part_took_and_whether_it_holds(
    mentat: Mentat, monkeypatch: pytest.MonkeyPatch
) -> None:
    published = SimpleNamespace(results=[1, 2, 3], rounds=[])
    made = LotResult(published, {"draw of heats": 0.123, "verify": 12.0})  # type: ignore[arg-type]
    called = stand_in(monkeypatch, "bot.lab.tournaments.play_by_lot", made)
    done = mentat("soak", "--tournament", "--results-only", "--players", "60", "--seed", "x")
    assert (done.code, called) == (0, [(60, "x")])
    assert done.out.splitlines() == [
        "60 players, 3 tables, 0 pairs met again in the heats.", "     0.12 s  draw of heats", "    12.00 s  verify",
    ]  # fmt: skip
    made.difference = "Round 1 differs."
    failed = mentat("soak", "--tournament", "--results-only", "--json")
    assert (failed.code, failed.err) == (1, "The export fails verification. Round 1 differs.\n")
    assert failed.json == {
        "players": 200, "tables": 3, "met_again": 0, "seconds": {"draw of heats": 0.123, "verify": 12.0},
        "verified": False, "difference": "Round 1 differs.",
    }  # fmt: skip


def test_a_tournament_by_mail_tells_what_happened_and_what_is_wrong(
    mentat: Mentat, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = SimpleNamespace(
        counted={"letters": 1234}, days=90, seconds=61.26, computing=40.04, longest={"a mail": 0.512}, wrong=[]
    )

    def hold(folder: Path, players: int, seed: str, turns: int, told: Callable[[str], None]) -> Any:
        told("Day 1.")
        return held

    called = stand_in(monkeypatch, "bot.lab.tournaments.hold_event", hold)
    done = mentat("soak", "--tournament", "--players", "12", "--turns", "2")
    assert done.code == 0
    assert called[0][1:4] == (12, "soak", 2)
    assert done.out.splitlines()[:2] == ["Day 1.", "     1234  letters"]
    assert done.out.splitlines()[2] == "90 days in 61 s, 40 s of them computing."
    assert re.fullmatch(r"At most: a mail 0\.51 s; [1-9]\d{1,3} MB\.", done.out.splitlines()[3])
    held.wrong = [f"Wrong {number}." for number in range(7)]
    failed = mentat("soak", "--tournament", "--json")
    assert (failed.code, failed.err) == (1, "Wrong 0. Wrong 1. Wrong 2. Wrong 3. Wrong 4.\n")
    megabytes = failed.json["megabytes"]
    assert failed.json == {
        "players": 200, "counted": {"letters": 1234}, "days": 90, "seconds": 61.3, "computing": 40.0,
        "longest": {"a mail": 0.51}, "megabytes": megabytes, "wrong": held.wrong,
    }  # fmt: skip
    assert called[1][1:4] == (200, "soak", 10)
    stand_in(monkeypatch, "bot.lab.tournaments.hold_event", DemoFailed("It stands still."))
    assert mentat("soak", "--tournament").err == "It stands still.\n"
    assert mentat("soak", "--tournament", "--turns", "1").code == 2


def test_games_of_several_workers_are_compared_once_more_with_each_time_of_killing(
    mentat: Mentat, monkeypatch: pytest.MonkeyPatch
) -> None:
    def each(killed: int, *wrong: str) -> Any:
        alone = SimpleNamespace(seconds=12.34)
        together = SimpleNamespace(mails=100, sent_again=2, seconds=5.67)
        return SimpleNamespace(alone=alone, together=together, letters=300, killed=killed, wrong=list(wrong))

    def compare(folder: Path, simulated: Any, several: Several, told: Callable[[str], None]) -> Any:
        told("a round is over")
        return [each(0), each(9, "A letter is lost.")]

    called = stand_in(monkeypatch, "bot.lab.simulation.compare_installations", compare)
    words = ("soak", "--games", "7", "--turns", "2", "--workers", "3")
    failed = mentat(*words, "--kill", "0", "--kill", "5")
    assert (failed.code, failed.err) == (1, "a round is over\nA letter is lost.\n")
    assert failed.out.splitlines() == [
        f"7 games, 100 mails, 300 letters: 12 s in one process, 6 s in 3; {killed} were killed, 2 letters went out "
        "twice."
        for killed in (0, 9)
    ]
    _, simulated, several, _ = called[0]
    assert (simulated.games, simulated.turns, simulated.ruleset, simulated.seed) == (7, 2, "wbc-2018", "soak")
    assert several == Several(3, "", [0.0, 5.0])
    said = mentat(*words, "--json", "--database", "postgresql://mentat@/simulated")
    rows = [
        {"mails": 100, "letters": 300, "killed": killed, "sent_again": 2, "seconds": [12.3, 5.7], "wrong": wrong}
        for killed, wrong in ((0, []), (9, ["A letter is lost."]))
    ]
    assert said.json == {"games": 7, "turns": 2, "workers": 3, "comparisons": rows}
    assert called[1][2] == Several(3, "postgresql://mentat@/simulated", [0.0])
    both = mentat(*words, "--database", "postgresql://mentat@/simulated", "--kill", "0", "--kill", "5")
    assert (both.code, len(called)) == (2, 2)
    stand_in(monkeypatch, "bot.lab.simulation.compare_installations", DemoFailed("It stands still."))
    assert mentat(*words).err == "It stands still.\n"


def test_a_soak_of_opponents_says_who_won_and_how_sure_that_is(mentat: Mentat) -> None:
    told = mentat("soak", "--players", "steady,random", "--games", "2", "--ruleset", "ah-basic", "--json").json
    assert told["games"] == 2
    assert told["won"]["low"] <= told["won"]["share"] <= told["won"]["high"]
    assert told["powers"]
    wrong = mentat("soak", "--players", "bold")
    assert (wrong.code, "There is no opponent 'bold'" in wrong.err) == (2, True)
