"""Tests for the pages of unusual tournaments: several stages, no beacon, result versions, players who left."""

from __future__ import annotations

import csv
import io
import re
from typing import Any

import msgspec

from bot.archive.tournament_pages import tournament_files
from bot.archive.tournaments import Format, export_tournament
from bot.competition.outcomes import Tenure
from bot.competition.published import Published, Result
from tests.competition.published_example import SETTINGS, example, under_way

FINAL = 2
"""The index of the final among the example's rounds."""
changed = msgspec.structs.replace


def read(document: Published, name: str) -> str:
    """Return the text of a tournament page."""
    page = re.sub(r"<[^>]*>", " ", tournament_files(document)[name].decode())
    return " ".join(page.replace("&nbsp;", " ").split())


def with_round(place: int, document: Published | None = None, **what: Any) -> Published:
    """Return the tournament with the round at this index changed."""
    document = document or example()
    rounds = [changed(one, **what) if at == place else one for at, one in enumerate(document.rounds)]
    return changed(document, rounds=tuple(rounds))


def with_results(*results: Result) -> Published:
    return changed(example(), results=results)


def staged() -> Published:
    """Return the example with its second heat turned into a semifinal."""
    return with_round(1, kind="semifinal")


def rows_of(document: Published, format: Format) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(export_tournament(document, format).decode())))


def test_a_semifinal_shows_who_went_on_to_the_final_and_the_final_does_not() -> None:
    told = read(staged(), "brackets.html")
    assert "Semifinal and final: how far each entrant went" in told
    semifinal, final = told.split("Round 3, the final Table 1:")
    table_1 = semifinal.index("Entrant Faction Won Came as Goes on to E003 F Fremen won 3 Round 3, the final ")
    assert semifinal.index("Jo (E010) A Atreides – 10 – ") > table_1
    assert "Entrant Faction Won Came as =1+1 (E009)" in final
    assert "Goes on to" not in final
    assert b'href="round-3.html"' in tournament_files(staged())["brackets.html"]


def test_before_the_final_is_drawn_nobody_goes_on_to_it_and_there_is_one_stage() -> None:
    waiting = with_round(FINAL, staged(), draw=None, tables=(), state="planned")
    told = read(changed(waiting, results=example().results[:-1]), "brackets.html")
    assert "Semifinal: how far each entrant went" in told
    assert "Goes on to" not in told


def test_rounds_of_a_knock_out_are_no_semifinal_before_whom_others_stand() -> None:
    assert "Those who reached a later round are placed above the others. The first" in read(
        with_round(FINAL, kind="knockout"), "index.html"
    )
    assert "Knock-out: how far each entrant went" in read(with_round(FINAL, kind="knockout"), "brackets.html")


def test_somebody_of_whom_no_draw_says_how_they_came_in_has_no_place_there() -> None:
    final = example().results[-1]
    first, *others = final.outcome.seats
    seat = changed(first, tenures=(*first.tenures, Tenure(entrant="E002", first=9, last=9, why="substitute")))
    outcome = changed(final.outcome, seats=(seat, *others))
    told = read(with_results(*example().results[:-1], changed(final, outcome=outcome)), "brackets.html")
    assert "Bob (E002) G Guild won – E003 A Atreides won 1" in told


def test_a_seat_handed_on_is_told_with_why_and_in_the_table_of_results_too() -> None:
    result = example().results[0]
    first, second, third, *others = result.outcome.seats
    nobody = Tenure(entrant="", first=2, last=6, why="caretaker")
    seats = (
        changed(first, tenures=(Tenure(entrant="E011", first=1, last=6, why="no-show"),)),
        changed(second, tenures=(Tenure(entrant="E007", first=1, last=1), nobody)),
        third, *others,
    )  # fmt: skip
    outcome = changed(result.outcome, seats=seats, ended=None)
    document = with_results(changed(result, outcome=outcome))
    told = read(document, "round-1.html")
    assert "F Fremen : Ann (E011), turns 1 to 6 (never wrote)." in told
    assert "E Emperor : Gil (E007), turn 1 and nobody (Mentat), turns 2 to 6." in told
    assert "H Harkonnen :" not in told
    found = rows_of(document, "results-csv")
    assert [row["entrants"] for row in found[:3]] == ["E011", "E007 caretaker", "E004"]
    assert {row["ended"] for row in found} == {""}
    assert {row["ended"] for row in rows_of(example(), "results-csv")[:6]} == {"2026-05-05"}


def test_versions_are_told_where_there_are_several_a_reason_or_a_time_to_protest() -> None:
    result = example().results[0]

    def version(document: Published) -> str:
        told = read(document, "round-1.html")
        start = told.find("Version ")
        return told[start : told.index(" Table 2", start)] if start >= 0 else ""

    outcome = "F Fremen and E Emperor win on turn 6, by strongholds."
    assert version(with_results(result)) == ""
    assert version(with_results(changed(result, state="provisional", day=None))) == f"Version 1, provisional: {outcome}"
    assert version(with_results(changed(result, why="It is so.", by="director"))) == (
        f"Version 1, confirmed, 1 June 2026, by the director: {outcome} Why: It is so."
    )
    again = changed(result, outcome=changed(result.outcome, version=2, turn=7))
    assert version(with_results(changed(result, state="amended"), again)) == (
        f"Version 1, amended, 1 June 2026: {outcome} "
        f"Version 2, confirmed, 1 June 2026: {outcome.replace('turn 6', 'turn 7')}"
    )
    backwards = read(with_results(again, changed(result, state="amended")), "round-1.html")
    assert "Table 1 over F Fremen and E Emperor win on turn 7, by strongholds." in backwards


def test_a_result_that_was_withdrawn_counts_no_more() -> None:
    (first, *others) = example().results
    told = read(with_results(changed(first, state="withdrawn"), *others), "round-1.html")
    assert "Table 1 over arrakeen-1-1 Who sits at table 1; “Held” counts strongholds Faction Entrant F Fremen" in told
    assert len(rows_of(with_results(changed(first, state="withdrawn"), *others), "results-csv")) == 4 * 6


def test_results_that_may_still_be_protested_are_counted() -> None:
    def remark(number: int) -> str:
        results = [
            changed(one, state="provisional") if at < number else one for at, one in enumerate(under_way().results)
        ]
        told = read(changed(under_way(), results=tuple(results)), "standings.html")
        return told[: told.index(" The first")].split(" in order. ")[-1].split(" in order.")[-1].strip()

    assert remark(2) == "2 results are provisional: somebody may still protest."
    assert remark(1) == "One result is provisional: somebody may still protest."
    assert "provisional" not in remark(0)


def test_a_tournament_of_which_nothing_is_played_says_so_everywhere() -> None:
    none = changed(under_way(), standings=(), rounds=(), results=(), beacon="")
    index = read(none, "index.html")
    assert "Standings No table is over yet. Rounds No round has been drawn yet." in index
    assert "Beacon to be the first headline of the morning paper, 2026-03-02 SHA-256" in index
    silent = SETTINGS.replace('beacon = "the first headline of the morning paper"\nbeacon_date = "2026-03-02"\n', "")
    assert "Beacon none was announced SHA-256" in read(changed(none, settings=silent), "index.html")
    assert "No table is over yet." in read(none, "standings.html")
    assert "No table is over yet." in export_tournament(none, "markdown").decode()
    assert {"statistics.html", "brackets.html"}.isdisjoint(tournament_files(none))
    assert "statistics.html" not in tournament_files(none)["index.html"].decode()
    entrants = read(none, "entrants.html")
    assert "Ann (E001) plays Rating: " in entrants


def test_those_who_left_are_no_entrants_any_more() -> None:
    first, second, *others = under_way().entrants
    gone = (changed(first, state="withdrawn"), changed(second, state="disqualified"), *others)
    told = changed(under_way(), entrants=gone)
    assert "Entrants 10, and 2 who are waiting for a seat" in read(told, "index.html")
    assert "Entrants 12, and 2 who are waiting for a seat" in read(under_way(), "index.html")
    entrants = read(told, "entrants.html")
    assert "Ann (E001) has withdrawn 0" in entrants
    assert "Bob (E002) was disqualified 0" in entrants


def test_an_entrant_without_a_game_is_told_with_the_rating_of_their_entry_or_nothing() -> None:
    first, second, *others = under_way().entrants
    entrants = (changed(first, rating="1612.500001", reliability=""), changed(second, rating="", reliability=""))
    told = read(
        changed(under_way(), entrants=(*entrants, *others), standings=(), ratings=(), results=()), "entrants.html"
    )
    assert "Ann (E001) plays Rating at entry 1613. Bob (E002) plays E003 plays Rating at entry 1500. Ans" in told


def test_acts_of_the_calendar_have_its_name_and_acts_without_a_word_no_line_below() -> None:
    first, _ = example().acts
    told = read(changed(example(), acts=(changed(first, right="", command="close"),)), "acts.html")
    assert "1 1 February 2026 close the calendar Moderated" in told
    page = tournament_files(changed(example(), acts=(first,)))["acts.html"]
    assert page.count(b"<tr") == 2
    assert tournament_files(example())["acts.html"].count(b"<tr") > 3


def test_a_draw_without_a_beacon_alone_or_with_sealed_hours_says_so() -> None:
    final = example().rounds[FINAL]
    assert final.draw is not None
    told = read(with_round(FINAL, draw=changed(final.draw, beacon="", hours_sealed=True)), "round-3.html")
    none = "none: anybody who knew the secret, as the director could, could compute this draw beforehand"
    assert f"Beacon {none} Seed" in told
    assert "The seating depends on pairs or waking hours that are sealed; only auditors can recompute it." in told
    assert "played at the same time" not in told
    plain = read(example(), "round-3.html")
    assert "Beacon beacon text 42 Seed" in plain
    assert "From the seed and the roster anybody can recompute who sits where" in plain


def test_a_table_whose_game_and_factions_are_not_known_yet_says_so() -> None:
    table = changed(under_way().rounds[1].tables[1], game="", seats=(("", "E012"), ("guild", "E005")))
    document = with_round(1, under_way(), tables=(under_way().rounds[1].tables[0], table), ends=None)
    told = read(document, "round-2.html")
    assert "2 tables, playing. from 5 March 2026" in told
    assert (
        "Table 2 still playing Who sits at table 2; “Held” counts strongholds "
        "Faction Entrant not yet known Lu (E012) G Guild Eve (E005)" in told
    )
    assert "Table 2: still playing\n" in export_tournament(document, "markdown").decode()
    without = with_round(1, under_way(), opens=None)
    assert "2 tables, playing. until 20 May 2026" in read(without, "round-2.html")


def test_a_result_without_a_game_leads_nowhere_and_a_word_that_is_not_known_is_told_as_it_is() -> None:
    result = example().results[0]
    told = read(
        with_results(changed(result, outcome=changed(result.outcome, game="", how="sandstorm"))), "round-1.html"
    )
    assert "F Fremen and E Emperor win on turn 6, sandstorm." in told
    assert "G Guild Bob (E002) – 17 0 – " in told


def test_the_page_of_a_round_leads_to_those_before_and_after_it() -> None:
    files = tournament_files(example())

    def leads(name: str) -> list[str]:
        return sorted(set(re.findall(r'href="(round-\d\.html)"', files[name].decode())))

    assert leads("round-1.html") == ["round-2.html"]
    assert leads("round-2.html") == ["round-1.html", "round-3.html"]
    assert leads("round-3.html") == ["round-2.html"]


def test_a_cancelled_tournament_is_listed_for_search_engines_like_one_that_is_finished() -> None:
    for state, hidden in (("finished", False), ("cancelled", False), ("running", True)):
        page = tournament_files(changed(example(), state=state))["index.html"]
        assert (b"noindex" in page) == hidden


def test_rounds_of_which_no_day_is_known_are_told_without() -> None:
    assert "2 tables, closed. Table 1" in read(with_round(0, opens=None, ends=None), "round-1.html")


def test_the_page_says_who_could_compute_the_draws_of_a_tournament_without_a_beacon() -> None:
    with_one, without = changed(example(), settings='title = "A"\nbeacon = "quicknet"\n'), example()
    without = changed(without, settings='title = "A"\n')
    assert "so nobody could choose it" in read(with_one, "index.html")
    assert "so nobody could choose it" not in read(without, "index.html")
    assert "such as the director, could compute a draw beforehand" in read(without, "index.html")
