"""Tests for the calls that tournament commands make, and for their output as text and as JSON."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from bot.competition.standings import NextRound
from bot.tournament.adjudication import Finding
from bot.tournament.desk import By
from tests.cli.conftest import Mentat
from tests.cli.test_told_in_full import gives

THEN = datetime(2027, 3, 1, 18, 5, tzinfo=UTC)
AT = "2027-03-01 18:05:00+00:00"
TRIED = ["Nothing was done. It would be:"]
NOBODY = ["Nobody would get a letter."]


def thing(**named: Any) -> SimpleNamespace:
    return SimpleNamespace(**named)


def both(mentat: Mentat, *words: str) -> tuple[list[str], Any]:
    """Run a tournament command and return its text lines and its JSON."""
    told = mentat("tournament", *words)
    assert (told.code, told.err) == (0, "")
    return told.out.splitlines(), mentat("tournament", *words, "--json").json


# --- directors -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("done", "dry", "said"),
    [
        (True, (), ["ann@x.example is arbiter of cup."]),
        (True, ("--dry-run",), [*TRIED, "ann@x.example is arbiter of cup.", *NOBODY]),
        (False, ("--dry-run",), ["ann@x.example is arbiter of cup already; nothing was done."]),
    ],
)
def test_a_right_is_given(
    mentat: Mentat, monkeypatch: pytest.MonkeyPatch, done: bool, dry: tuple[str, ...], said: list[str]
) -> None:
    called = gives(monkeypatch, "bot.tournament.desk.grant_right", done)
    told, document = both(mentat, "grant", "cup", "ann@x.example", "arbiter", "--why", "so", "--if", "4", *dry)
    assert told == said
    assert document == {
        "tournament": "cup", "address": "ann@x.example", "right": "arbiter", "already": not done, "dry_run": bool(dry),
    }  # fmt: skip
    assert called[0][1:4] == ("cup", "ann@x.example", "arbiter")
    assert (called[0][0].by, called[0][0].dry_run) == (By(why="so", seen=4), bool(dry))
    assert mentat("tournament", "grant", "cup", "ann@x.example", "king").code == 2


@pytest.mark.parametrize("done", [True, False])
def test_a_tournament_is_handed_over(mentat: Mentat, monkeypatch: pytest.MonkeyPatch, done: bool) -> None:
    gives(monkeypatch, "bot.tournament.desk.hand_over", done)
    asked = "bob@x.example has been asked by mail to direct cup; nothing changes until they confirm."
    told, document = both(mentat, "handover", "cup", "bob@x.example")
    assert told == [asked if done else "bob@x.example is already the director of cup; nothing was done."]
    assert document == {"tournament": "cup", "address": "bob@x.example", "already": not done, "dry_run": False}
    tried, _ = both(mentat, "handover", "cup", "bob@x.example", "--dry-run")
    assert tried == ([*TRIED, asked, *NOBODY] if done else told)


# --- setting up ------------------------------------------------------------------------------------------------------

CUP = thing(
    id="cup", title="The Cup", state="open", commitment="c0ffee", settings_digest="5e77", until=THEN,
    settings=thing(beacon="the lottery", beacon_date="2027-03-02"),
)  # fmt: skip


@pytest.mark.parametrize("already", [True, False])
def test_a_tournament_is_made(mentat: Mentat, monkeypatch: pytest.MonkeyPatch, already: bool) -> None:
    Path("cup.toml").write_text("title = 'The Cup'", encoding="utf-8")
    called = gives(monkeypatch, "bot.tournament.preparation.new_tournament", thing(tournament=CUP, already=already))
    gives(monkeypatch, "bot.tournament.preparation.legal_acts", "It is a game among friends.")
    told, document = both(mentat, "new", "cup", "cup.toml", "--secret", "s", "--why", "so")
    there = ["cup already exists with these settings; nothing was done."] if already else []
    assert told == [*there, "cup: The Cup", "  commitment  c0ffee", "  settings    5e77", "It is a game among friends."]
    assert document == {
        "tournament": "cup", "title": "The Cup", "state": "open", "commitment": "c0ffee", "settings_sha256": "5e77",
        "already": already,
    }  # fmt: skip
    assert called[0][1:3] == ("cup", "title = 'The Cup'")
    assert (called[0][0].by, called[0][3:]) == (By(why="so"), (("secret", "s"),))


@pytest.mark.parametrize(
    ("words", "written"),
    [((), "heats.toml"), (("mine",), "mine.toml"), (("mine", "there.toml"), "there.toml"),
     (("mine.toml",), "mine.toml"), (("a", "there.txt"), "there.txt.toml")],
)  # fmt: skip
def test_an_example_is_written_beside_what_is_there(mentat: Mentat, words: tuple[str, ...], written: str) -> None:
    told = mentat("tournament", "new", *words, "--example", "heats")
    assert told.out.splitlines() == [
        f"wrote {written}", f"Change what you like, then: mentat tournament new ID {written}",
    ]  # fmt: skip
    again = mentat("tournament", "new", *words, "--example", "heats")
    assert (again.code, again.out) == (1, "")
    Path(written).unlink()
    said = mentat("tournament", "new", *words, "--example", "heats", "--json").json
    assert said.items() >= {"file": written, "format": "heats"}.items()
    assert len(said["settings_sha256"]) == 64
    for wrong in (("new", "--example", "luck"), ("new",), ("new", "cup"), ("new", "x/y", "--example", "heats")):
        assert mentat("tournament", *wrong).code == 2


@pytest.mark.parametrize(
    ("until", "closes"),
    [
        ("2027-03-01", datetime(2027, 3, 1, 23, 59)),  # noqa: DTZ001  # in the zone of the settings
        ("2027-03-01 18:00", datetime(2027, 3, 1, 18, 0)),  # noqa: DTZ001
        (" 2027-03-01T06:30", datetime(2027, 3, 1, 6, 30)),  # noqa: DTZ001
    ],
)
def test_a_tournament_takes_entries(
    mentat: Mentat, monkeypatch: pytest.MonkeyPatch, until: str, closes: datetime
) -> None:
    called = gives(monkeypatch, "bot.tournament.preparation.open_entries", thing(tournament=CUP, already=False))
    gives(monkeypatch, "bot.tournament.preparation.announced_beacon", "The beacon is the lottery.")
    gives(monkeypatch, "bot.cli.tournaments.own_address", "cup@x.example")
    told, document = both(mentat, "open", "cup", "--until", until)
    announced = [
        "cup takes entries until 2027-03-01 18:05Z: the line `enter cup as NAME`, mailed to cup@x.example.",
        "  commitment  c0ffee", "  settings    5e77", "  The beacon is the lottery.",
    ]  # fmt: skip
    assert told == announced
    assert document == {
        "tournament": "cup", "state": "open", "already": False, "until": AT, "commitment": "c0ffee",
        "settings_sha256": "5e77", "beacon": "the lottery", "beacon_date": "2027-03-02", "address": "cup@x.example",
        "dry_run": False,
    }  # fmt: skip
    asked = dict(called[0][2:])["until"]
    assert asked.replace(tzinfo=None) == closes
    assert asked.tzinfo is not None
    tried, _ = both(mentat, "open", "cup", "--dry-run")
    assert tried == [*TRIED, *announced, *NOBODY]
    assert dict(called[2][2:])["until"] is None
    gives(monkeypatch, "bot.tournament.preparation.open_entries", thing(tournament=CUP, already=True))
    again, document = both(mentat, "open", "cup", "--dry-run")
    assert (again, document["already"]) == (["cup is already open; nothing was done."], True)
    refused = mentat("tournament", "open", "cup", "--until", "soon")
    assert (refused.code, refused.out) == (1, "")
    assert refused.err == "'soon' is not a date; write it like 2027-03-01, or '2027-03-01 18:00'.\n"


def test_settings_are_amended_and_a_tournament_cancelled(mentat: Mentat, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("cup.toml").write_text("x", encoding="utf-8")
    changed = thing(lines=["heats: 3, not 2"], settings_digest="5e77")
    called = gives(monkeypatch, "bot.tournament.preparation.amend_settings", changed)
    told, document = both(mentat, "amend", "cup", "settings", "cup.toml", "--force", "--dry-run")
    assert told == [*TRIED, "heats: 3, not 2", "  settings    5e77", *NOBODY]
    assert document == {
        "tournament": "cup", "changed": ["heats: 3, not 2"], "settings_sha256": "5e77", "dry_run": True,
    }  # fmt: skip
    assert (called[0][0].by, called[0][0].dry_run, called[0][3:]) == (By(), True, (("force", True),))
    gives(monkeypatch, "bot.tournament.preparation.amend_settings", thing(lines=[], settings_digest="5e77"))
    told, _ = both(mentat, "amend", "cup", "settings", "cup.toml")
    assert told == ["cup already has these settings; nothing was done."]
    for done, said in ((True, "cup is cancelled."), (False, "cup was already cancelled; nothing was done.")):
        gives(monkeypatch, "bot.tournament.preparation.cancel_tournament", done)
        told, document = both(mentat, "cancel", "cup")
        assert told == [said]
        assert document == {"tournament": "cup", "state": "cancelled", "already": not done, "dry_run": False}
        tried, _ = both(mentat, "cancel", "cup", "--dry-run")
        assert tried == ([*TRIED, said, *NOBODY] if done else [said])
    Path("latin.toml").write_bytes(b"\xe4")
    for file in ("nowhere.toml", "latin.toml", "."):
        assert mentat("tournament", "amend", "cup", "settings", file).code == 2


# --- rounds ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("comes", "said", "kind", "who"),
    [
        (NextRound("final", (2,), ("E001", "E002")), "Next comes a final for 2: `mentat tournament draw cup`.", "final",
         ["E001", "E002"]),
        ("finished", "This was the last round: the tournament is finished as soon as its results are final.", None, []),
        (None, "The round was already closed; nothing was done.", None, []),
        (thing(rounds=(1, 2)), "The next round waits for round 1, 2.", None, []),
        (thing(rounds=()), "The next round waits for enough free players.", None, []),
    ],
)  # fmt: skip
def test_when_a_round_is_closed_it_is_said_what_comes(
    mentat: Mentat, monkeypatch: pytest.MonkeyPatch, comes: Any, said: str, kind: str | None, who: list[str]
) -> None:
    called = gives(monkeypatch, "bot.tournament.rounds.close_round", comes)
    told, document = both(mentat, "round", "cup", "3", "close")
    assert told == [said]
    assert document == {"tournament": "cup", "next": kind, "who": who, "says": said, "dry_run": False}
    assert called[0][1:3] == ("cup", 3)
    assert mentat("tournament", "round", "cup", "close", "--dry-run").out.splitlines() == [*TRIED, said, *NOBODY]
    assert called[-1][2] == 0


def test_a_round_is_extended_or_told_its_last_turn(mentat: Mentat, monkeypatch: pytest.MonkeyPatch) -> None:
    called = gives(monkeypatch, "bot.tournament.rounds.extend_round", thing(number=2, ends=THEN))
    told, document = both(mentat, "round", "cup", "2", "extend", "1.5")
    assert told == ["Round 2 ends 2027-03-01 18:05Z; its players are told."]
    assert document == {"tournament": "cup", "round": 2, "ends": AT, "dry_run": False}
    assert called[0][1:4] == ("cup", 2, 1.5)
    gives(monkeypatch, "bot.tournament.rounds.extend_round", thing(number=2, ends=None))
    assert both(mentat, "round", "cup", "extend", "48")[0] == ["Round 2 ends at no set time; its players are told."]
    tables = [thing(round=2, number=1, game_id="g"), thing(round=2, number=3, game_id="h")]
    called = gives(monkeypatch, "bot.tournament.rounds.announce_last_turn", tables)
    told, document = both(mentat, "round", "cup", "notice", "--last-turn", "6")
    assert told == ["Turn 6 is the last at 2.1, 2.3."]
    assert document == {"tournament": "cup", "tables": ["2.1", "2.3"], "last_turn": 6, "dry_run": False}
    assert called[0][1:5] == ("cup", 0, "", 6)
    gives(monkeypatch, "bot.tournament.rounds.announce_last_turn", [])
    assert both(mentat, "round", "cup", "2", "notice", "2.1", "--last-turn", "6")[0] == [
        "All tables have already been told."
    ]
    gives(monkeypatch, "bot.tournament.progress.finish_tournament", None)
    told, document = both(mentat, "finish", "cup", "--dry-run")
    assert told == [*TRIED, "cup is finished, and its secret is published.", *NOBODY]
    assert document == {"tournament": "cup", "state": "finished", "dry_run": True}


def test_clocks_of_all_tables_stand_still_and_go_on(mentat: Mentat, monkeypatch: pytest.MonkeyPatch) -> None:
    tables = [thing(round=2, number=1), thing(round=2, number=3)]
    for verb, said in (("pause", "The clocks are stopped at"), ("resume", "The clocks are running again at")):
        called = gives(monkeypatch, f"bot.tournament.rounds.{verb}_tables", tables)
        told, document = both(mentat, verb, "cup", "--round", "2", "--tell", " A storm. ")
        assert told == [f"{said} 2.1, 2.3."]
        assert document == {"tournament": "cup", "tables": ["2.1", "2.3"], "dry_run": False}
        assert called[0][1:3] == ("cup", 2)
        assert (called[0][0].dry_run, called[0][3:]) == (False, (("tell", "A storm."),))
        assert both(mentat, verb, "cup", "--dry-run")[0] == [*TRIED, *told, *NOBODY]


def test_games_of_drawn_tables_begin_or_wait(mentat: Mentat, monkeypatch: pytest.MonkeyPatch) -> None:
    started = thing(now=[("1.1", "cup-1-1")], before=["1.3"], waiting=[("1.2", "E001 is missing")])
    called = gives(monkeypatch, "bot.tournament.game_starts.start_games", started)
    ran = mentat("tournament", "start", "cup", "--round", "1", "--only", "1.1")
    assert (ran.code, ran.err) == (1, "")
    assert ran.out.splitlines() == [
        "table 1.1 begins as cup-1-1", "Their letters go out with `mentat run` or `mentat send`.",
        "table 1.2 waits: E001 is missing",
    ]  # fmt: skip
    assert called[0][2:] == (("number", 1), ("only", "1.1"))
    assert mentat("tournament", "start", "cup", "--json").json == {
        "tournament": "cup", "started": {"1.1": "cup-1-1"}, "already": ["1.3"], "waiting": {"1.2": "E001 is missing"},
        "dry_run": False,
    }  # fmt: skip
    gives(monkeypatch, "bot.tournament.game_starts.start_games", thing(now=[], before=["1.1", "1.2"], waiting=[]))
    assert both(mentat, "start", "cup")[0] == ["All 2 tables have already begun; nothing was done."]
    gives(monkeypatch, "bot.tournament.game_starts.start_games", thing(now=[], before=[], waiting=[("1.2", "so")]))
    assert mentat("tournament", "start", "cup").out == "table 1.2 waits: so\n"


@pytest.mark.parametrize("remove", [True, False])
def test_two_are_kept_apart(mentat: Mentat, monkeypatch: pytest.MonkeyPatch, remove: bool) -> None:
    called = gives(monkeypatch, "bot.tournament.entries.keep_apart", True)
    gives(monkeypatch, "bot.tournament.entries.sitting_together", ["1.1", "2.3"])
    words = ("--remove",) if remove else ()
    told, document = both(mentat, "apart", "cup", "e001", "E002", *words)
    stands = "They already sit together at 1.1, 2.3; that draw does not change."
    apart = "E001 and E002 will not be seated together in any later draw."
    assert told == (["E001 and E002 may be seated together again."] if remove else [apart, stands])
    assert document == {
        "tournament": "cup", "pair": ["E001", "E002"], "apart": not remove, "already": False,
        "together_at": [] if remove else ["1.1", "2.3"], "dry_run": False,
    }  # fmt: skip
    assert called[0][1:4] == ("cup", "e001", "E002")
    gives(monkeypatch, "bot.tournament.entries.keep_apart", False)
    again, document = both(mentat, "apart", "cup", "E001", "E002", *words)
    so = ["That was already so for E001 and E002; nothing was done."]
    assert (again, document["already"]) == (so if remove else [*so, stands], True)


# --- entrants --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ("asked", "E001: a letter with a code goes to ann@x.example; they are in once they confirm it."),
        ("again", "E001 was entered before and has not confirmed; the letter goes to ann@x.example."),
        ("in", "Ann (E001) is already in, as confirmed; nothing has changed."),
    ],
)
def test_somebody_is_entered(mentat: Mentat, monkeypatch: pytest.MonkeyPatch, how: str, said: str) -> None:
    entrant = thing(handle="E001", state="confirmed", address="ann@x.example", name="Ann", standby=True)
    called = gives(monkeypatch, "bot.tournament.entries.enter_by_director", thing(entrant=entrant, how=how))
    told, document = both(mentat, "enter", "cup", "ann@x.example", "--name", " Ann ", "--standby", "--why", "so")
    assert told == [said]
    assert document == {
        "tournament": "cup", "handle": "E001", "state": "confirmed", "how": how, "standby": True, "dry_run": False,
    }  # fmt: skip
    assert called[0][1:3] == ("cup", "ann@x.example")
    assert (called[0][0].by, called[0][0].dry_run) == (By(why="so"), False)
    assert called[0][3:] == (("name", "Ann"), ("standby", True))
    assert both(mentat, "enter", "cup", "ann@x.example", "--dry-run")[0] == [f"It would be: {said}"]
    assert mentat("tournament", "enter", "cup", "Ann <ann@x.example>").code == 2


@pytest.mark.parametrize(
    ("seated", "asked", "said"),
    [
        ("E013", None, "E013 now plays the Guild at table 1.2."),
        (None, "E014", "E014 has been asked to take over the Guild at table 1.2, by 2027-03-01 18:05Z."),
        (None, None, "No standby is suitable; the caretaker plays the Guild at table 1.2."),
    ],
)
def test_a_seat_is_given_to_a_standby(
    mentat: Mentat, monkeypatch: pytest.MonkeyPatch, seated: str | None, asked: str | None, said: str
) -> None:
    filled = thing(
        seated=thing(handle=seated) if seated else None, asked=thing(handle=asked) if asked else None, until=THEN,
        table=thing(round=1, number=2), faction="guild",
    )  # fmt: skip
    called = gives(monkeypatch, "bot.tournament.substitutes.substitute", filled)
    told, document = both(mentat, "substitute", "cup", "1.2", "guild", "E013")
    assert told == [said]
    assert document == {
        "tournament": "cup", "table": "1.2", "faction": "guild", "seated": seated, "asked": asked, "until": AT,
        "dry_run": False,
    }  # fmt: skip
    assert called[0][1:5] == ("cup", "1.2", "guild", "E013")
    assert both(mentat, "substitute", "cup", "1.2", "guild", "--dry-run")[0] == [*TRIED, said, *NOBODY]


def test_somebody_is_put_out(mentat: Mentat, monkeypatch: pytest.MonkeyPatch) -> None:
    gives(monkeypatch, "bot.tournament.entries.disqualify", thing(handle="E001"))
    told, document = both(mentat, "disqualify", "cup", "e001", "--dry-run")
    assert told == [*TRIED, "E001 is out of cup.", *NOBODY]
    assert document == {"tournament": "cup", "handle": "E001", "state": "disqualified", "dry_run": True}


def test_letters_that_would_go_out_are_named_by_their_subject(mentat: Mentat, monkeypatch: pytest.MonkeyPatch) -> None:
    gives(monkeypatch, "bot.tournament.preparation.cancel_tournament", True)
    letters = [("ann@x.example", "Cancelled"), ("bob@x.example", "Told"), ("cid@x.example", "Cancelled")]
    monkeypatch.setattr("bot.games.open_games.would_be_written", lambda: letters)
    assert mentat("tournament", "cancel", "cup", "--dry-run").out.splitlines() == [
        *TRIED, "cup is cancelled.", "Letters: 3", "  Cancelled: ann@x.example, cid@x.example", "  Told: bob@x.example",
    ]  # fmt: skip


# --- draws -----------------------------------------------------------------------------------------------------------


class Cost(SimpleNamespace):
    __struct_fields__ = ("met", "apart", "dots")


def seat(entrant: str, faction: str = "", dot: int = 0) -> Any:
    return thing(entrant=entrant, faction=faction, dot=dot)


TABLES = [
    thing(round=1, table=1, seats=[seat("E001", "guild"), seat("E002", dot=4)]), thing(round=2, table=1, seats=[]),
]  # fmt: skip


def drawn(*, rounds: tuple[int, ...] = (1, 2), already: bool = False, trial: bool = False, **changes: Any) -> Any:
    record = thing(
        rounds=rounds, kind="heat", roster=("E001", "E002", "E003"), tables=TABLES, sat_out=("E003",),
        cost=Cost(met=2, apart=0, dots=1), roster_digest="ab", beacon="", seed="cd", candidate=7,
    )  # fmt: skip
    vars(record).update(changes)
    return thing(rounds=rounds, already=already, trial=trial, record=record, provisional=())


def test_a_draw_is_told_with_all_that_checks_it(mentat: Mentat, monkeypatch: pytest.MonkeyPatch) -> None:
    called = gives(monkeypatch, "bot.tournament.drawing.draw", drawn())
    words = ("--round", "1", "--beacon", "b", "--no-beacon", "--without-unconfirmed", "--sit-out", "E003",
             "--standby", "E050", "--sit-out-again", "--despite-apart", "--provisional")  # fmt: skip
    head = "Rounds 1 to 2 of cup (heat): 3 entrants at 2 tables."
    costs = ["  sat out     E003", "  cost        met 2, dots 1"]
    checks = ["  roster      ab", "  beacon      none", "  seed        cd", "  candidate   7"]
    tables = ["  table 1.1  E001 guild, E002 dot 4", "  table 2.1  "]
    assert mentat("tournament", "draw", "cup", *words).out.splitlines() == [head, *costs, *checks, *tables]
    asked = called[0][2]
    assert [getattr(asked, name) for name in asked.__slots__] == [
        1, "b", True, True, True, ("E003",), True, ("E050",), True, False,
    ]  # fmt: skip
    mentat("tournament", "draw", "cup")
    asked = called[1][2]
    assert [getattr(asked, name) for name in asked.__slots__] == [
        0, "", False, False, False, (), False, (), False, False,
    ]  # fmt: skip
    one = drawn(rounds=(3,), tables=TABLES[:1], sat_out=(), cost=Cost(met=0, apart=0, dots=0), beacon="4 8")
    gives(monkeypatch, "bot.tournament.drawing.draw", one)
    assert mentat("tournament", "draw", "cup").out.splitlines() == [
        "Round 3 of cup (heat): 3 entrants at 1 table.", "  cost        0", checks[0], "  beacon      4 8", *checks[2:],
        tables[0],
    ]  # fmt: skip
    gives(monkeypatch, "bot.tournament.drawing.draw", drawn(trial=True))
    seed = "The real draw decides who sits where; a dry run uses a different seed."
    tried = mentat("tournament", "draw", "cup", "--dry-run")
    assert tried.out.splitlines() == [*TRIED, head, *costs, seed, *NOBODY]
    assert mentat("tournament", "draw", "cup", "--dry-run", "--json").json == {
        "tournament": "cup", "rounds": [1, 2], "already": False, "trial": True, "draw": None, "entrants": 3,
        "tables": 2, "sat_out": ["E003"], "provisional": [], "dry_run": True,
    }  # fmt: skip
    gives(monkeypatch, "bot.tournament.drawing.draw", drawn(already=True))
    assert mentat("tournament", "draw", "cup").out == (
        "Rounds 1 to 2 of cup: drawn already; nothing was done. Its games start with `mentat tournament start cup`.\n"
    )


# --- results ---------------------------------------------------------------------------------------------------------

OUTCOME = thing(round=1, table=2, version=3, game="cup-1-2", kind="stronghold", winners=("guild", "fremen"), turn=7)
RESULT = {
    "table": "1.2", "game": "cup-1-2", "version": 3, "kind": "stronghold", "winners": ["guild", "fremen"], "turn": 7,
}  # fmt: skip


@pytest.fixture
def worded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.cli.rounds.result_in_words", lambda outcome: "guild + fremen, stronghold")


@pytest.mark.usefixtures("worded")
def test_another_version_of_a_result_is_told_with_what_would_have_differed(
    mentat: Mentat, monkeypatch: pytest.MonkeyPatch
) -> None:
    differs = [
        thing(words="in round 2 E001 would have played", round=2, would_have=["E001"], would_not=[], elsewhere=["E002"])
    ]
    done = thing(result=thing(outcome=OUTCOME), again=thing(round=1, number=4), differs=differs)
    called = gives(monkeypatch, "bot.tournament.results.amend_result", done)
    words = ("amend", "cup", "1.2", "--winners", "guild,fremen", "--kind", "stronghold", "--turn", "7",
             "--strongholds", "guild=6")  # fmt: skip
    told, document = both(mentat, *words)
    assert told == [
        "Table 1.2, version 3: guild + fremen, stronghold.",
        "It will be replayed as table 1.4: `mentat tournament start cup`.", "In round 2 E001 would have played.",
    ]  # fmt: skip
    assert document == {
        "tournament": "cup", "result": RESULT, "again": "1.4", "dry_run": False,
        "would_have_differed": [{"round": 2, "would_have": ["E001"], "would_not": [], "elsewhere": ["E002"]}],
    }  # fmt: skip
    changes = called[0][3]
    assert (changes.winners, changes.kind, changes.turn) == (("guild", "fremen"), "stronghold", 7)
    assert changes.strongholds == {"guild": 6}
    kinds: list[tuple[list[str], tuple[str, ...] | None, str | None]] = [
        ([], None, None), (["--kind", "void"], (), "void"),
        (["--kind", "void", "--winners", "guild"], ("guild",), "void"),
    ]  # fmt: skip
    for more, winners, kind in kinds:
        called.clear()
        mentat("tournament", "amend", "cup", "1.2", *more)
        changes = called[0][3]
        assert (changes.winners, changes.kind, changes.turn, changes.strongholds) == (winners, kind, None, {})
    for wrong in ("guild=7", "guild=-1", "guild=", "choam=2"):
        assert mentat("tournament", "amend", "cup", "1.2", "--strongholds", wrong).code == 2
    plain = thing(result=thing(outcome=OUTCOME), again=None, differs=[])
    called = gives(monkeypatch, "bot.tournament.results.void_table", plain)
    told, document = both(mentat, "void", "cup", "1.2", "--replay", "--dry-run")
    assert told == [*TRIED, "Table 1.2, version 3: guild + fremen, stronghold.", *NOBODY]
    assert (document["again"], document["would_have_differed"]) == (None, [])
    assert (called[0][0].dry_run, called[0][3:]) == (True, (("replay", True),))


@pytest.mark.usefixtures("worded")
def test_an_adjudication_tells_the_board_or_that_all_are_asked(mentat: Mentat, monkeypatch: pytest.MonkeyPatch) -> None:
    sides = [
        thing(members=["guild", "fremen"], held=3, needed=4, deficit=1, tokens=12, order=2),
        thing(members=["emperor"], held=1, needed=3, deficit=2, tokens=5, order=1),
    ]  # fmt: skip
    done = thing(
        table=thing(round=1, number=2), votes_until=None, result=thing(outcome=OUTCOME), board=thing(sides=sides),
        asked=False,
    )  # fmt: skip
    called = gives(monkeypatch, "bot.tournament.adjudication.adjudicate", done)
    told, document = both(mentat, "adjudicate", "cup", "1.2", "--rule", "stopped")
    assert told == [
        "Table 1.2: guild + fremen, stronghold.",
        "  guild + fremen: 3 of 4 strongholds, 12 tokens there, place 2 in the storm order",
        "  emperor: 1 of 3 strongholds, 5 tokens there, place 1 in the storm order",
    ]  # fmt: skip
    assert document == {
        "tournament": "cup", "table": "1.2", "votes_until": None, "result": RESULT, "dry_run": False,
        "asked": False, "board": [vars(side) for side in sides],
    }  # fmt: skip
    assert called[0][3] == Finding("stopped")
    asked = thing(table=thing(round=1, number=2), votes_until=THEN, result=None, board=None, asked=False)
    called = gives(monkeypatch, "bot.tournament.adjudication.adjudicate", asked)
    words = ("--rule", "agreed", "--winners", "guild", "--winners", "fremen")
    told, document = both(mentat, "adjudicate", "cup", "1.2", *words)
    assert told == ["All seats of table 1.2 can vote until 2027-03-01 18:05Z."]
    assert (document["votes_until"], document["result"], document["board"]) == (AT, None, None)
    assert called[0][3] == Finding("agreed", ("guild", "fremen"))
    asked = thing(table=thing(round=1, number=2), votes_until=None, result=None, board=None, asked=True)
    called = gives(monkeypatch, "bot.tournament.adjudication.adjudicate", asked)
    told, document = both(mentat, "adjudicate", "cup", "1.2")
    assert told == ["Two arbiters have been asked by mail about table 1.2; they decide if they agree."]
    assert (called[-1][3], document["asked"]) == (Finding(), True)
