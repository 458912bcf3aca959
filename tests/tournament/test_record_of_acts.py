"""A tournament's record: each act with its author, right, reason, wording and audience."""

from __future__ import annotations

from bot.store import acts
from bot.store.database import reading
from bot.tournament import desk, entrant_lines, mail_lines, results, rounds, substitutes
from bot.tournament import entries as entering
from bot.tournament import entries as leaving
from bot.tournament import entries as parting
from bot.tournament.desk import By, Caller
from rules.components import FACTIONS, as_faction
from tests.tournament import entries
from tests.tournament.cup import CUP, Cup

DINA = By("dina@desk.example", "director", "it has to be")
JUDGE = By("judge@desk.example", "arbiter", "looked at again")
Line = tuple[str, str, str, str, str, str]
"""Author, right, reason, command, wording and audience of an act."""


def record(cup: Cup | entries.Cup) -> list[Line]:
    with reading(cup.world.engine) as conn:
        return [
            (act.who, act.right, act.why, act.what, act.words, act.audience)
            for act in acts.acts_of(conn, tournament_id=CUP)
        ]  # fmt: skip


def by(who: By, command: str, words: str, audience: str = "directors") -> Line:
    return (who.address, who.right, who.why, command, words, audience)


def itself(command: str, words: str, audience: str = "directors") -> Line:
    """Return the line of an act by the calendar or a player, who are not named in the record."""
    return ("", "", "", command, words, audience)


def test_what_the_desk_does_is_recorded_with_who_did_it_and_why(cup: Cup) -> None:
    cup.round()
    cup.grant(DINA.address, "director")
    cup.grant(JUDGE.address, "arbiter")
    rounds.pause_tables(Caller(cup.open_games, cup.now, DINA), CUP, 0)
    rounds.resume_tables(Caller(cup.open_games, cup.now, DINA), CUP, 1)
    rounds.extend_round(Caller(cup.open_games, cup.now, DINA), CUP, 1, 12.5)
    parting.keep_apart(Caller(cup.open_games, cup.now, DINA), CUP, "E001", "E002")
    parting.keep_apart(Caller(cup.open_games, cup.now, DINA), CUP, "E001", "E002", remove=True)
    desk.grant_right(Caller(cup.open_games, cup.now, DINA), CUP, "clara@desk.example", "clerk")
    desk.hand_over(Caller(cup.open_games, cup.now, DINA), CUP, "boss@desk.example")
    guild = as_faction("guild")
    left = cup.sitting("guild").entrant
    substitutes.substitute(Caller(cup.open_games, cup.now, DINA), CUP, "1.1", guild, "E013")
    leaving.disqualify(Caller(cup.open_games, cup.now, JUDGE), CUP, f"E{left:03d}")
    assert record(cup) == [
        by(DINA, "pause", "all rounds", "all"),
        by(DINA, "resume", "round 1", "all"),
        by(DINA, "extend", "round 1: 12.5 h", "all"),
        (DINA.address, "director", "", "apart", "a pair is kept apart", "directors"),
        (DINA.address, "director", "", "apart", "a pair is kept apart no longer", "directors"),
        by(DINA, "grant", "the right clerk was granted", "entrants"),
        by(DINA, "handover", "somebody was asked to be the director"),
        by(DINA, "substitute", "table 1.1, guild: E013"),
        itself("vacant", "table 1.1, guild, turn 1"),
        itself("seat taken", "table 1.1, guild: E013"),
        by(JUDGE, "disqualify", f"E{left:03d}", "all"),
    ]


def test_what_players_do_is_recorded_without_their_names_to_all_and_their_votes_not_at_all(cup: Cup) -> None:
    cup.round()
    cup.grant(JUDGE.address, "arbiter")

    def says(number: int, line: str) -> str:
        with desk.acting(Caller(cup.open_games, cup.now), CUP) as (session, tournament):
            return entrant_lines.carry_out_line(
                session, tournament, cup.entrant(number), mail_lines.read_line(line)
            ).status

    atreides = cup.sitting("atreides").entrant
    assert says(atreides, "vote agreed atreides") == "done"
    cup.tick(5 * 24)
    cup.end("cup-1-1", "guild")
    cup.tick()
    assert says(atreides, "protest 1.1: they moved twice") == "done"
    [filed] = cup.papers("protest")
    results.dismiss_protest(Caller(cup.open_games, cup.now, JUDGE), CUP, filed.id)
    leaves: list[tuple[int, leaving.GamesLeft]] = [(12, "keep"), (1, ""), (1, "")]
    for number, games in leaves:
        with desk.acting(Caller(cup.open_games, cup.now), CUP) as (session, tournament):
            leaving.leave_tournament(session, tournament, cup.entrant(number), games, By())
    found = [line for line in record(cup) if line[3] != "silent"]
    assert found == [
        itself("vote", "table 1.1: atreides"),
        itself("vote", "table 1.1: not agreed"),
        itself("result", "table 1.1: guild, stronghold, turn 4", "all"),
        itself("protest", "table 1.1"),
        by(JUDGE, "dismiss", "a protest about table 1.1"),
        ("", "director", "", "withdraw", "E012 withdrew, games: keep", "directors"),
        ("", "director", "", "withdraw", "E001 withdrew", "directors"),
    ]


def test_seats_that_are_left_and_taken_are_recorded_for_directors(cup: Cup) -> None:
    cup.round()
    for game in ("cup-1-1", "cup-1-2"):
        cup.wrote(game, *(faction for faction in FACTIONS if (game, faction) != ("cup-1-1", "guild")))
    gone = cup.sitting("guild").entrant
    cup.tick(97)
    assert record(cup) == [
        itself("vacant", "table 1.1, guild, turn 1"),
        itself("no-show", f"table 1.1, guild: E{gone:03d}"),
        itself("seat taken", "table 1.1, guild: E013"),
    ]


def test_a_table_from_which_nothing_came_is_recorded_once(cup: Cup) -> None:
    cup.round()
    cup.wrote("cup-1-2")
    cup.tick(97)
    cup.tick(1)
    assert record(cup) == [itself("silent", "table 1.1")]


def test_who_enters_confirms_and_withdraws_is_recorded_for_directors(entry_cup: entries.Cup) -> None:
    cup = entry_cup
    boss = By(entries.DIRECTOR, "director", "they asked me to")
    entering.enter_by_director(
        Caller(cup.world.moderator.open_games, cup.world.now, boss), CUP, f" {entries.address('Ann')} "
    )
    entering.enter_by_director(Caller(cup.world.moderator.open_games, cup.world.now, boss), CUP, entries.address("ann"))
    cup.says("ann", f"confirm {cup.code('ann')}")
    entering.enter_by_director(Caller(cup.world.moderator.open_games, cup.world.now, boss), CUP, entries.address("ann"))
    cup.enters("bob")
    cup.answers("bob", "withdraw")
    assert record(cup) == [
        by(boss, "enter", "E001 was entered by a director"),
        itself("confirm", "E001 confirmed"),
        itself("confirm", "E002 confirmed"),
        (entries.address("bob"), "entrant", "", "withdraw", "E002 withdrew", "directors"),
    ]
