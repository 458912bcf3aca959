"""Tests that impossible tournament settings are refused, with one sentence for each fault."""

from __future__ import annotations

from fractions import Fraction

import pytest

from bot.competition.scoring import scoring_system, system_names
from bot.competition.settings import SettingsRefused, TournamentSettings, read_settings


def refused(text: str) -> list[str]:
    with pytest.raises(SettingsRefused) as caught:
        read_settings(text)
    problems = caught.value.problems
    assert all(problem.endswith((".", "?")) and len(problem) < 400 for problem in problems)
    return problems


def event(more: str) -> str:
    return f'title = "Arrakeen Open"\n{more}'


def test_a_title_is_enough() -> None:
    assert read_settings(event("")) == TournamentSettings(title="Arrakeen Open")


@pytest.mark.parametrize("name", system_names())
def test_every_system_with_a_name_can_be_taken(name: str) -> None:
    assert read_settings(event(f'[scoring]\nsystem = "{name}"')).scoring.system == name


@pytest.mark.parametrize(
    ("number", "why"),
    [
        ('"1e3"', "not a number of points"),
        ("1e3", "not a number of points"),
        ('"3/0"', "divides by zero"),
        ('"-1"', "negative"),
        ("-1", "negative"),
        ('"NaN"', "not a number of points"),
        ("nan", "not a number of points"),
        ("inf", "not a number of points"),
        ('"1234567890123456789012345678901234567890"', "more than 12 digits"),
        ("1234567890123456789012345678901234567890", ""),
        ('"0.1.2"', "not a number of points"),
        ('"٣"', "not a number of points"),
        ('" "', "not a number of points"),
        ("true", "text in quotes or a whole number"),
    ],
)
def test_a_bad_number_of_points_is_refused_wherever_it_stands(number: str, why: str) -> None:
    for part in (
        f"win = {{ 1 = {number} }}", f"factor = {{ default = {number} }}", f"rank = [{number}]",
        f"per_stronghold = {number}", f"normalise = {number}", f"sit_out = {number}", f"aggregate = [{number}]",
    ):  # fmt: skip
        problems = refused(event(f"[scoring]\n{part}"))
        assert len(problems) == 1, problems
        assert part.split(" ")[0] in problems[0]
        assert why in problems[0] or "it is" in problems[0]


@pytest.mark.parametrize(
    ("number", "value"), [('"0.1"', Fraction(1, 10)), ("0.1", Fraction(1, 10)), ("3", Fraction(3))]
)
def test_a_decimal_is_taken_as_it_was_written(number: str, value: Fraction) -> None:
    settings = read_settings(event(f"[scoring]\nsit_out = {number}\nabsent = -1"))
    assert scoring_system(settings.scoring).sit_out == value
    assert scoring_system(settings.scoring).absent == -1


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('[scoring]\nsystem = "wbc"', "There is no scoring system 'wbc'"),
        ("[scoring]\nwin = { 1 = 12, 3 = 6 }", "without gaps"),
        ("[scoring]\nwin = { one = 12 }", "without gaps"),
        ("[scoring]\nfactor = { luck = 2 }", 'one of "stronghold"'),
        ("[scoring]\nrank = [8, 7, 6, 5, 4, 3, 2, 1]", "more than a table has seats"),
        ("[scoring]\nwin = {}", "no points for anything"),
        ("[scoring]\npower = 9", "power is 9"),
        ('[scoring]\ntie = "halve"', 'it must be one of "split", "low", "high"'),
        ('[scoring]\naggregate = "best 0"', 'write "all", "best 3"'),
        ('[scoring]\naggregate = "best 4"', "the best 4 of 3 heats"),
        ('[scoring]\naggregate = ["1/2", "1"]', "from the best table down"),
        ('tie_breaks = ["points", "luck", "lot"]', '"hardest_faction"'),
        ('tie_breaks = ["points", "points", "lot"]', "names points more than once"),
        ('tie_breaks = ["lot", "points"]', "put lot last"),
        ("[endings]\nwindow = [10, 8]", "window is 10 to 8"),
        ("[endings]\nwindow = [0, 8]", "window is 0 to 8"),
        ("[endings]\nwindow = [8]", "a list of 2"),
        ("[endings]\nnotice_days = 65", "a round has only 65 days"),
        ("[endings]\nvote_days = 0", "vote_days is 0: it must be from 1 to"),
        ("[rounds]\nheats = 0", "heats is 0"),
        ("[rounds]\nheats = 99999999999999999999999", "heats is"),
        ("[rounds]\nfinal = 12", "final is 12: it must be 5 or 6"),
        ("[rounds]\nfinal = 4", "(4 with fours = true)"),
        ("[rounds]\nsemifinal = 19", "semifinal is 19"),
        ("[rounds]\nsemifinal = 6\nfinal = 6", "semifinal is for 6 and final for 6"),
        ("[rounds]\nsemifinal = 5\nfinal = 6", "semifinal is for 5 and final for 6"),
        ("[rounds]\nsemifinal = -6", "semifinal is -6: tables of six and five cannot seat that number."),
        ('[rounds]\nheats = 0\n[scoring]\naggregate = "best 3"', "[rounds] heats is 0: it must be from 1 to 50."),
        ('[rounds]\nheats = -1\n[scoring]\naggregate = "best 3"', "[rounds] heats is -1: it must be from 1 to 50."),
        ("[rounds]\ndays = 0", "[rounds] days is 0: it must be from 1 to 1000."),
        ("[rounds]\ndays = -1", "[rounds] days is -1: it must be from 1 to 1000."),
        ("[tables]\noverlap_hours = 25", "overlap_hours is 25"),
        ('beacon = "the lottery"', "set both, or neither"),
        ('beacon = "the lottery"\nbeacon_date = "next week"', "it must be a date like 2027-03-01"),
        (
            'beacon = "the lottery"\nbeacon_date = "20270301"',
            "beacon_date is '20270301': it must be a date like 2027-03-01.",
        ),
        ('beacon = "the lottery"\nbeacon_date = "2027-W09-1"', "it must be a date like 2027-03-01"),
        ("heats = 3", "There is no setting heats in the settings"),
        ("[rounds]\nheat = 3", "There is no setting heat in [rounds]; its settings are heats"),
        ("rounds = 3", "rounds is a table"),
        ("title = ", "not TOML"),
    ],
)
def test_what_cannot_be_is_said_in_a_sentence(text: str, sentence: str) -> None:
    problems = refused(event(text))
    assert len(problems) == 1, problems
    assert sentence in problems[0]


def test_a_code_of_conduct_has_20000_characters_at_most() -> None:
    longest = "x" * 20_000
    assert read_settings(event(f'[people]\nconduct = "{longest}"')).people.conduct == longest
    assert refused(event(f'[people]\nconduct = "{longest}x"')) == ["[people] conduct has more than 20000 characters."]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[tables]\nclock = 3", "[tables] clock is 3: it must be a table."),
        (
            "[scoring]\nwin = 3",
            "[scoring] win is 3: it must be a table of names, each with text in quotes or a whole number.",
        ),
    ],
)
def test_what_is_no_table_where_one_is_wanted_is_told_what_stands_in_it(text: str, sentence: str) -> None:
    assert refused(event(text)) == [sentence]


@pytest.mark.parametrize("title", ["", "   ", "two\\nlines", "x" * 121, "\\u202Eright to left"])
def test_a_title_is_one_printable_line(title: str) -> None:
    assert refused(f'title = "{title}"')[0].startswith("title must be one line")


def test_a_title_has_120_characters_at_most() -> None:
    assert read_settings(f'title = "{"x" * 120}"').title == "x" * 120


def test_all_that_is_wrong_is_told_at_once() -> None:
    problems = refused('titel = "x"\n[rounds]\nheats = "three"\n[people]\nsubstitutes = "all"\n[oops]')
    assert len(problems) == 5
    problems = refused(event('tie_breaks = ["lot", "wins"]\n[scoring]\nrank = ["1e3", -1]\n[endings]\nwindow = [9, 8]'))
    assert len(problems) == 4


def test_a_table_of_four_makes_other_sizes_possible() -> None:
    settings = read_settings(event("[tables]\nfours = true\n[rounds]\nfinal = 4\nsemifinal = 9"))
    assert (settings.rounds.semifinal, settings.rounds.final) == (9, 4)
