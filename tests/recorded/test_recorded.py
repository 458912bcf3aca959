"""Tests that recorded games still give the same events, except where ``expected.toml`` explains a difference."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import get_args

import msgspec
import pytest
from msgspec.structs import replace

from rules import views
from rules.chapters.bidding import BidQuestion
from rules.engine.log import Correction
from rules.rulesets import rulebook
from rules.rulesets.rulebook import Refusal
from tests.recorded import of_rulings
from tests.recorded.causes import KEPT, NET, Cause, cause_of, expected
from tests.recorded.engine import rule_sets
from tests.recorded.games import (
    Json,
    RecordedGame,
    Step,
    digest,
    look_at,
    name_of,
    parse,
    read,
    read_lines,
    record,
    record_again,
    write,
)
from tests.recorded.replay import OPENING, replay

HOW_TO_ACCEPT = "If that is intended: python -m tests.recorded accept, and look at what it tells."

SHOWN = 3
"""The number of differing rulings that a failure shows."""

GAMES = {game.game: game for game in read(KEPT)}
NET_LINES = {name_of(line): line for line in read_lines(NET)}
CAUSES = expected()
EXPECTED = {game: cause for cause in CAUSES for game in cause.games}


@pytest.fixture(scope="module")
def short() -> RecordedGame:
    """Return a game recorded with the code of this checkout."""
    return record("ah-basic", "short", 2, "plain")


@pytest.mark.parametrize("name", GAMES)
def test_a_recorded_game_gives_the_same_events_or_differs_for_an_expected_cause(name: str) -> None:
    difference = replay(GAMES[name]).difference
    if name not in EXPECTED:
        assert difference is None, f"{difference}\n  sign: {difference.sign if difference else ''}"
    else:
        assert difference is not None, f"{name} does not differ any more: {EXPECTED[name].why}"
        assert EXPECTED[name].explains(difference), f"{difference}\n  sign: {difference.sign}"


@pytest.mark.parametrize("name", NET_LINES)
def test_what_happens_is_seen_asked_and_refused_in_a_game_of_the_net_is_the_same(name: str) -> None:
    difference = replay(parse(NET_LINES[name])).difference
    told = f"{difference}\n  sign: {difference.sign if difference else ''}\n{HOW_TO_ACCEPT}"
    if name not in EXPECTED:
        assert difference is None, told
    else:
        assert difference is not None, f"{name} does not differ any more: {EXPECTED[name].why}"
        assert EXPECTED[name].explains(difference), told


@pytest.mark.parametrize("folder", of_rulings.folders())
def test_what_happens_is_seen_asked_and_refused_in_the_rulings_is_the_same(folder: str) -> None:
    found = [difference for game in read(of_rulings.kept_file(folder)) if (difference := replay(game).difference)]
    shown = "\n".join(map(str, found[:SHOWN]))
    assert not found, f"{len(found)} rulings differ\n{shown}\nIf that is intended: python -m tests.recorded rulings"


def test_most_rulings_are_recorded_and_one_that_is_recorded_now_is_the_same() -> None:
    """A new ruling is recorded when all are recorded again."""
    kept = {name_of(line) for folder in of_rulings.folders() for line in read_lines(of_rulings.kept_file(folder))}
    files = {f"{file.parent.name}/{file.stem}": file for file in of_rulings.RULINGS.rglob("*.toml")}
    assert len(kept & set(files)) > 0.9 * len(files)
    game = of_rulings.recorded_ruling(files["battle/010-fighting-is-not-voluntary"])
    assert (game.ends, replay(game).difference) == (False, None)
    assert "no event" in str(replay(replace(game, ends=True)).difference)


def test_the_net_has_games_of_every_rule_set_with_and_without_an_expansion_scenes_and_late_ones() -> None:
    games = [parse(line) for line in NET_LINES.values()]
    assert {(game.ruleset, bool(game.options)) for game in games} == {(name, bool(opts)) for name, opts in rule_sets()}
    assert {len(game.seats) for game in games} == {2, 3, 4, 5, 6}
    assert sum(": late, " in game.game for game in games) > 10
    assert sum(bool(game.position) and ": late, " not in game.game for game in games) > 30
    assert all(game.look and game.steps[-1].look for game in games)


def test_a_game_master_of_the_net_corrects_facts_of_every_kind_and_ends_games_in_every_way() -> None:
    steps = [step for line in NET_LINES.values() for step in parse(line).steps]
    entries = [entry for step in steps if (entry := msgspec.json.decode(step.entry))["type"] != "submit"]
    kinds = {each["type"] for entry in entries for each in entry.get("corrections", ())}
    assert kinds == {each.__struct_config__.tag for each in get_args(Correction)}
    assert {entry["how"] for entry in entries if entry["type"] == "stop"} == {"agreed", "adjudicated", "void"}
    assert any(entry["type"] == "last-turn" for entry in entries)


def test_the_sign_of_a_difference_at_a_correction_names_its_kind() -> None:
    game = next(parse(line) for name, line in NET_LINES.items() if ": corrected, " in name)
    number = next(n for n, step in enumerate(game.steps) if b'"correct"' in bytes(step.entry))
    step = game.steps[number]
    entry, event = msgspec.json.decode(step.entry), msgspec.json.decode(step.events[0])
    changed = Json(msgspec.json.encode({**event, "facts": {"changes": ["storm 99"]}}, order="sorted"))
    difference = replay(_with_step(game, number, Step(step.entry, [changed, *step.events[1:]]))).difference
    assert difference is not None
    assert f"correction of {entry['corrections'][0]['type']}: " in difference.sign


def test_the_kept_games_are_of_both_rule_sets_and_of_two_to_six_players() -> None:
    assert {game.ruleset for game in GAMES.values()} == {"ah-basic", "wbc-2018"}
    assert {len(game.seats) for game in GAMES.values()} == {2, 3, 4, 5, 6}
    assert {game.style for game in GAMES.values()} == {"daring", "plain"}


def test_the_kept_games_are_as_they_were_recorded() -> None:
    for game in GAMES.values():
        events = [*game.opening, *(event for step in game.steps for event in step.events)]
        assert game.digest == digest(bytes(event) for event in events), game.game


def test_every_cause_cites_clauses_of_the_rulebook_and_games_that_are_kept() -> None:
    for cause in CAUSES:
        assert cause.clauses, cause.why
        assert all(rulebook.section(clause) for clause in cause.clauses), cause.why
        assert {*GAMES, *NET_LINES} >= set(cause.games), cause.why


def test_a_game_that_was_just_recorded_and_written_gives_the_same_events(short: RecordedGame, tmp_path: Path) -> None:
    file = tmp_path / "short.jsonl.gz"
    assert list(write([short], file)) == [short]
    (again,) = read(file)
    assert again == short
    assert replay(again).difference is None


def test_an_event_that_is_another_one_is_found_with_the_order_that_caused_it(short: RecordedGame) -> None:
    number = next(n for n, step in enumerate(short.steps) if n > 10 and step.events)
    step = short.steps[number]
    event = msgspec.json.decode(step.events[0])
    changed = Json(msgspec.json.encode({**event, "facts": {**event["facts"], "spice": 99}}, order="sorted"))
    difference = replay(_with_step(short, number, Step(step.entry, [changed, *step.events[1:]]))).difference
    assert difference is not None
    assert (difference.entry, difference.order.encode()) == (number, bytes(step.entry))
    assert (difference.before, difference.after) == (bytes(changed).decode(), bytes(step.events[0]).decode())
    assert difference.sign.endswith(f"{event['kind']} with other facts.spice")
    assert cause_of(difference, [Cause("Spice", ("AH.V",), ("*with other facts.spice",))]) is not None
    assert cause_of(difference, [Cause("Storm", ("AH.V",), ("storm: *",))]) is None


def test_an_event_that_does_not_come_is_found_where_it_is_missing_first(short: RecordedGame) -> None:
    number = next(n for n, step in enumerate(short.steps) if n > 10 and step.events)
    step = short.steps[number]
    more = _with_step(short, number, Step(step.entry, [*step.events, step.events[-1]]))
    difference = replay(more).difference
    assert difference is not None
    assert difference.entry == number
    kind = msgspec.json.decode(step.events[-1])["kind"]
    assert f"was {kind}" in difference.sign


def test_events_that_come_with_another_entry_are_the_same_events(short: RecordedGame) -> None:
    number = next(n for n, step in enumerate(short.steps) if n > 10 and step.events)
    step, before = short.steps[number], short.steps[number - 1]
    moved = _with_step(short, number, Step(step.entry, []))
    moved = _with_step(moved, number - 1, Step(before.entry, [*before.events, *step.events]))
    found = replay(moved)
    assert (found.difference, found.moved) == (None, True)


def test_an_order_that_is_refused_now_is_a_difference(short: RecordedGame) -> None:
    entry = Json(b'{"type":"submit","faction":"%s","orders":[{"type":"Bid","amount":3}]}' % short.seats[0][0].encode())
    difference = replay(_with_step(short, 0, Step(entry, []))).difference
    assert difference is not None
    assert difference.entry == 0
    assert difference.refused
    assert ": Bid: not taken: " in difference.sign


def test_silence_answers_what_the_record_does_not_know_where_it_is_asked_to(short: RecordedGame) -> None:
    number = next(
        n for n, step in enumerate(short.steps)
        if n > 10 and b'"expire"' in bytes(step.entry) and replay(_without(short, n)).difference
    )  # fmt: skip
    found = replay(_without(short, number), silence=True)
    kind = msgspec.json.decode(short.steps[number].entry)["keys"][0][1]
    assert found.difference is None
    assert any(what.startswith(f"{kind} of ") for what in found.silent)


def test_many_games_are_compared_by_several_processes(short: RecordedGame, tmp_path: Path) -> None:
    file = tmp_path / "many.jsonl"
    assert len(list(write([short] * 91, file))) == 91
    command = [sys.executable, "-m", "tests.recorded", "compare", str(file), "--jobs", "2"]
    told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert told.startswith("91 games, 91 with the same events")


def test_a_game_that_cannot_be_set_up_is_a_difference_at_its_opening(short: RecordedGame) -> None:
    difference = replay(msgspec.structs.replace(short, options={"no-such-option": 1})).difference
    assert difference is not None
    assert difference.entry == OPENING


@pytest.fixture(scope="module")
def watched(short: RecordedGame) -> RecordedGame:
    """Return the game with a view recorded after every tenth entry."""
    return look_at(short, 10)


def test_a_game_that_is_looked_at_and_written_is_the_same_when_it_is_read(
    watched: RecordedGame, tmp_path: Path
) -> None:
    file = tmp_path / "watched.jsonl.xz"
    assert list(write([watched], file)) == [watched]
    assert list(read(file)) == [watched]
    assert [name_of(line) for line in read_lines(file)] == [watched.game]
    assert replay(watched).difference is None


def test_what_somebody_sees_otherwise_is_told_with_their_name_and_both_texts(
    watched: RecordedGame, monkeypatch: pytest.MonkeyPatch
) -> None:
    honest = views._questions
    monkeypatch.setattr(views, "_questions", lambda play, viewer: honest(play, viewer) if viewer != "public" else [])
    difference = replay(watched).difference
    assert difference is not None
    assert difference.section == "public: questions"
    assert (difference.entry, difference.after) == (OPENING, "[]")
    assert difference.before.startswith('[{"faction":')
    assert difference.sign.endswith("opening: public: questions is seen otherwise")
    assert "public: questions\n  before: [{" in str(difference)


def test_another_choice_of_a_question_is_told(watched: RecordedGame, monkeypatch: pytest.MonkeyPatch) -> None:
    honest = BidQuestion.samples
    monkeypatch.setattr(BidQuestion, "samples", lambda question: honest(question)[:-1])
    difference = replay(watched).difference
    assert difference is not None
    assert re.fullmatch(r"asked bid of \w+: choices", difference.section)
    before, after = json.loads(difference.before), json.loads(difference.after)
    assert after == before[:-1]


def test_other_words_of_a_refusal_are_told_with_the_order_that_was_tried(
    watched: RecordedGame, monkeypatch: pytest.MonkeyPatch
) -> None:
    honest = Refusal.cited
    monkeypatch.setattr(Refusal, "cited", lambda refusal, rules: replace(honest(refusal, rules), reason="No."))
    difference = replay(watched).difference
    assert difference is not None
    assert difference.section.endswith("}")
    assert difference.before.startswith("refused: ")
    assert difference.after.startswith("refused: No. [")


def test_an_event_counts_before_what_is_seen(watched: RecordedGame, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(views, "_questions", lambda play, viewer: [])
    number = next(n for n, step in enumerate(watched.steps) if n > 10 and step.events)
    step = watched.steps[number]
    difference = replay(
        _with_step(watched, number, Step(step.entry, [*step.events, step.events[-1]], step.look))
    ).difference
    assert difference is not None
    assert (difference.section, difference.entry) == ("", number)
    assert difference.sight is not None
    assert "what is seen differs at its opening" in str(difference)


def test_a_game_that_is_recorded_again_keeps_its_entries_as_long_as_they_are_taken(watched: RecordedGame) -> None:
    assert record_again(watched) == watched
    number = next(n for n, step in enumerate(watched.steps) if n > 10 and step.events)
    entry = Json(
        b'{"type":"submit","faction":"%s","orders":[{"type":"Bid","amount":3}]}' % watched.seats[0][0].encode()
    )
    again = record_again(_with_step(watched, number, Step(entry, [])))
    kept = [(step.entry, step.events) for step in watched.steps[:number]]
    assert [(step.entry, step.events) for step in again.steps[:number]] == kept
    assert replay(again).difference is None
    assert msgspec.json.decode(again.steps[-1].events[-1])["kind"] == "game-won"


def _without(game: RecordedGame, number: int) -> RecordedGame:
    """Return a record without one step, as from code that asked nothing there: its events follow the entry before."""
    gone, before = game.steps[number], game.steps[number - 1]
    joined = Step(before.entry, [*before.events, *gone.events])
    return msgspec.structs.replace(game, steps=[*game.steps[: number - 1], joined, *game.steps[number + 1 :]])


def _with_step(game: RecordedGame, number: int, step: Step) -> RecordedGame:
    return msgspec.structs.replace(game, steps=[*game.steps[:number], step, *game.steps[number + 1 :]])
