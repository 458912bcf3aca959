"""Lines of tournament mail: parsed in many spellings, suggested if nearly right, and never the cause of an error."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.competition.published import clean_given_name
from bot.tournament.mail_lines import (
    FORMS,
    Awake,
    Confirm,
    Connected,
    Enter,
    Filed,
    Line,
    Named,
    Protest,
    Ready,
    Reply,
    Show,
    Talk,
    Unread,
    Vote,
    Withdraw,
    read_line,
)
from tests.size import size
from tests.tournament.entries import Cup

CODE = "abcdefghijklmnop"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("enter cup", Enter("cup")),
        ("ENTER Cup.", Enter("cup")),
        ("Enter cup as Ann", Enter("cup", "Ann")),
        ("enter cup as Ann Lee, standby", Enter("cup", "Ann Lee", True)),
        ("enter cup standby as Ann", Enter("cup", "Ann", True)),
        ("enter cup as standby Ann", Enter("cup", "Ann", True)),
        ("enter cup, as a standby, as Ann", Enter("cup", "Ann", True)),
        ("enter cup as standby, Ann Lee", Enter("cup", "Ann Lee", True)),
        ("join summer-cup.26 as standby", Enter("summer-cup.26", "", True)),
        (f"Confirm {CODE.upper()}.", Confirm(CODE)),
        (f"confirm “{CODE}”", Confirm(CODE)),
        ("*confirm*", Confirm()),
        ("withdraw", Withdraw()),
        ("Withdraw from cup, keep", Withdraw("cup", "keep")),
        ("withdraw leave", Withdraw("", "leave")),
        ("standings cup", Show("standings", "cup")),
        ("Standings?", Show("standings")),
        ("tables", Show("tables")),
        ("help", Show("help")),
        ("preferences guild, fremen = atreides, *", Filed("preferences", "guild, fremen = atreides, *")),
        ("bid atreides 3 guild 2.5", Filed("worths", "atreides 3 guild 2.5")),
        ("bid 1/3 atreides 3", Filed("worths", "atreides 3", "1.3")),
        ("keep at table 2.1: Bene Gesserit", Filed("keep", "Bene Gesserit", "2.1")),
        ("swap with E003 paying 2", Filed("swap", "E003 paying 2")),
        ("Accept!", Reply(True)),
        ("no, thanks", Reply(False)),
        ("protest 1/3: They shipped twice.", Protest("1.3", "They shipped twice.")),
        ("protest cup-1-3: late", Protest("cup-1-3", "late")),
        ("vote agreed Atreides, Bene Gesserit and guild", Vote(("atreides", "bene-gesserit", "guild"))),
        ("vote 1.3 agreed atreides fremen", Vote(("atreides", "fremen"), "1.3")),
        ("vote no", Vote(())),
        ("Vote 2.1 play on!", Vote((), "2.1")),
        ("vote against", Vote(())),
        ("vote yes: guild", Vote(("guild",))),
        ("name Ann of Caladan", Named("Ann of Caladan")),
        ("name hidden", Named("")),
        ("awake 8-22 Europe/Berlin", Awake("08:00-22:00", "Europe/Berlin")),
        ("connected E003: we share a flat", Connected("e003", "we share a flat")),
        ("connected Bob@Example.org", Connected("bob@example.org")),
        ("ready", Ready()),
        ("not ready", Ready(False)),
        ("Hello everybody, this is Ann", Talk()),
        ("", Talk()),
    ],
)
def test_a_line_is_read(line: str, said: Line) -> None:
    assert read_line(line) == said


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("_withdraw_", Withdraw()),
        ("**help**", Show("help")),
        ("*ready", Talk()),
        ("Not Ready.", Ready(False)),
        ("not readying", Talk()),
        ("not here", Talk()),
        ("enter cup as a standby!", Enter("cup", "", True)),
        ("enter cup, named Ann; standby.", Enter("cup", "Ann", True)),
        ("enter Cup.- as Ann", Enter("cup", "Ann")),
        ("enter cup .", Enter("cup")),
        ("confirm code: abc", Confirm("abc")),
        ("confirm code", Confirm()),
        ("confirm " + "a" * 32, Confirm("a" * 32)),
        ("withdraw from", Withdraw()),
        ("withdraw keep leave", Withdraw("keep", "leave")),
        ("withdraw from cup; keep", Withdraw("cup", "keep")),
        ("withdraw keep", Withdraw("", "keep")),
        ("tables of cup?", Show("tables", "cup")),
        ("draw cup", Show("tables", "cup")),
        ("status", Show("status")),
        ("commands", Show("help")),
        ("keep table 12/34, guild", Filed("keep", "guild", "12.34")),
        ("swap 1.3: with E004", Filed("swap", "E004", "1.3")),
        ("trade: E003", Filed("swap", "E003")),
        ("prefer guild", Filed("preferences", "guild")),
        ("accept it", Reply(True)),
        ("accept, please", Reply(True)),
        ("yes with pleasure", Reply(True)),
        ("accept thank you!", Reply(True)),
        ("decline sorry", Reply(False)),
        ("protest against 1.3. late", Protest("1.3", "late")),
        ("protest table 7 late", Protest("7", "late")),
        ("vote agreed guild guild", Vote(("guild",))),
        ("vote agreed harkonnen bene gesserit atreides", Vote(("harkonnen", "bene-gesserit", "atreides"))),
        ("vote agreed bene guild", Vote(("bene-gesserit", "guild"))),
        ("vote for spacing guild", Vote(("guild",))),
        (
            "vote table 1.3 for guild & fremen + emperor/atreides",
            Vote(("guild", "fremen", "emperor", "atreides"), "1.3"),
        ),
        ("name me Ann", Named("Ann")),
        ("name none", Named("")),
        ("name Hide!", Named("")),
        ("awake from 8:30 to 22.15 Europe/Berlin.", Awake("08:30-22:15", "Europe/Berlin")),
        ("hours 8h05 – 22, Berlin!", Awake("08:05-22:00", "Berlin")),
        ("connected with E003, cousin", Connected("e003", "cousin")),
        ("connected to <Bob@x.org>: hm", Connected("bob@x.org", "hm")),
        ("connected E123456", Connected("e123456", "")),
        ("ready!", Ready()),
        ("not ready for a game this week, dear all", Talk()),
        ("ent cup", Talk()),
        ("1234 cup", Talk()),
        ("helo a b c d e f g h", Talk()),
    ],
)
def test_a_line_is_read_in_less_usual_spellings(line: str, said: Line) -> None:
    assert read_line(line) == said


@pytest.mark.parametrize(
    ("line", "suggestions"),
    [
        ("enter as", (FORMS["enter"],)),
        ("enter standby Ann", (FORMS["enter"],)),
        ("enter cup standby Ann", (FORMS["enter"],)),
        ("enter cup Ann", (FORMS["enter"],)),
        ("confirm a b", (FORMS["confirm"],)),
        ("confirm " + "a" * 33, (FORMS["confirm"],)),
        ("withdraw a b", (FORMS["withdraw"],)),
        ("withdraw !", (FORMS["withdraw"],)),
        ("help a b", (FORMS["help"],)),
        ("keep", (FORMS["keep"],)),
        ("bid", (FORMS["bid"],)),
        ("decline never", (FORMS["decline"],)),
        ("protest 1.3", (FORMS["protest"],)),
        ("vote", (FORMS["vote"], "vote no")),
        ("vote agreed ,", (FORMS["vote"],)),
        ("vote agreed xx", (FORMS["vote"],)),
        ("vote agreed gild", ("vote agreed guild",)),
        ("vote agreed fremen gild", ("vote agreed guild",)),
        ("name", (FORMS["name"],)),
        ("connected E03", (FORMS["connected"],)),
        ("connected E1234567", (FORMS["connected"],)),
        ("connected ann@", (FORMS["connected"],)),
        ("ready now", (FORMS["ready"],)),
        ("not ready for a game this week, all", ("not ready",)),
        ("stand", (FORMS["standings"],)),
        ("conf", (FORMS["confirm"],)),
        ("helo a b c d e f g", (FORMS["help"],)),
    ],
)
def test_a_line_that_cannot_be_read_is_answered_with_just_these(line: str, suggestions: tuple[str, ...]) -> None:
    said = read_line(line)
    assert isinstance(said, Unread)
    assert said.suggestions == suggestions


@pytest.mark.parametrize(
    ("line", "suggested"),
    [
        ("entr cup", FORMS["enter"]),
        ("confrim abc", FORMS["confirm"]),
        ("standigns", FORMS["standings"]),
        ("protst 1.3: x", FORMS["protest"]),
        ("withdrew cup", FORMS["withdraw"]),
        ("prefernces guild", FORMS["preferences"]),
        ("enter", FORMS["enter"]),
        ("vote atreides", FORMS["vote"]),
        ("vote atreides", "vote no"),
        ("vote agreed ,", FORMS["vote"]),
        ("vote agreed xyzzyx", FORMS["vote"]),
        ("decline my place", FORMS["decline"]),
        ("protest they cheated", FORMS["protest"]),
        ("accept my apologies", FORMS["accept"]),
        ("awake always", FORMS["awake"]),
    ],
)
def test_a_line_that_is_nearly_right_is_told_how_it_is_written(line: str, suggested: str) -> None:
    said = read_line(line)
    assert isinstance(said, Unread)
    assert suggested in said.suggestions


@pytest.mark.parametrize("line", ["not ready now", "Not ready, sorry!", "not ready for the next round"])
def test_who_is_not_ready_in_more_words_is_told_how_it_is_written(line: str) -> None:
    said = read_line(line)
    assert isinstance(said, Unread)
    assert [read_line(suggested) for suggested in said.suggestions] == [Ready(False)]


def test_a_long_sentence_that_begins_with_not_ready_is_talk() -> None:
    assert read_line("Not ready for a game this week, as I move house") == Talk()


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("awake 0-24", "begin and end at the same hour"),
        ("awake 8-8", "begin and end at the same hour"),
        ("awake 7-25", "from 0 to 24"),
        ("awake 25-7", "from 0 to 24"),
        ("awake 8:60-22:00", "from 00 to 59"),
        ("awake 8:00-22:60", "from 00 to 59"),
    ],
)
def test_hours_that_say_no_night_or_that_no_clock_shows_are_refused_with_the_reason(line: str, why: str) -> None:
    said = read_line(line)
    assert isinstance(said, Unread)
    assert why in said.why
    assert isinstance(read_line(said.suggestions[0]), Awake)


@pytest.mark.parametrize(
    ("line", "hours"),
    [
        ("awake 8:59 to 22:59", "08:59-22:59"),
        ("awake 8-24", "08:00-00:00"),
        ("awake 24-8", "00:00-08:00"),
        ("awake from 22 until 6.", "22:00-06:00"),
    ],
)
def test_hours_are_read_up_to_the_last_that_a_clock_shows(line: str, hours: str) -> None:
    assert read_line(line) == Awake(hours, "")


def test_a_faction_that_is_nearly_right_is_suggested_in_a_line_that_is_read() -> None:
    said = read_line("vote agreed atredes")
    assert isinstance(said, Unread)
    assert [read_line(line) for line in said.suggestions] == [Vote(("atreides",))]


@pytest.mark.parametrize("points", ["-1", "1e3", "NaN", "3/0", "0.15", "99999"])
def test_worths_are_only_looked_at_as_words_here(points: str) -> None:
    assert read_line(f"bid atreides {points}") == Filed("worths", f"atreides {points}")


@pytest.mark.parametrize("line", FORMS.values())
def test_every_form_that_is_suggested_is_read(line: str) -> None:
    filled = line.replace("ID", "cup").replace("CODE", CODE).replace("FACTION", "guild").replace("NAME", "Ann")
    filled = filled.replace("TABLE", "1.3").replace("TEXT", "why").replace("WHY", "friends")
    assert not isinstance(read_line(filled), Talk | Unread)


WORDS = st.sampled_from(
    [*FORMS, "cup", "as", "standby", "agreed", "guild", "1.3", "E003", ":", "keep", "*", "8-22", "@"]
)


@given(st.one_of(st.text(max_size=300), st.lists(st.one_of(WORDS, st.text(max_size=8)), max_size=12).map(" ".join)))
@settings(max_examples=size(600, 20_000))
def test_no_line_is_a_fault(line: str) -> None:
    said = read_line(line)
    if isinstance(said, Enter | Named):
        assert "\n" not in said.name
        assert len(said.name) <= 60


@given(st.text(max_size=400))
@settings(max_examples=size(400, 20_000))
def test_a_name_is_one_short_line_and_cleaning_it_again_changes_nothing(name: str) -> None:
    cleaned = clean_given_name(name)
    assert len(cleaned) <= 60
    assert cleaned.isprintable()
    assert clean_given_name(cleaned) == cleaned


def test_a_mail_of_any_lines_is_taken_without_a_fault(entry_cup: Cup) -> None:
    """Many mails from entrants, strangers and programs: none is shunted because of an internal error."""
    entry_cup.enters("ann")
    ann = entry_cup.entrant("ann")
    odd = ["", "\u202eenter cup", "enter " + "x" * 5000, "bid " + "guild 1 " * 900, "name <script>alert(1)</script>",
           "protest 99999/99999: x", "vote agreed " + "guild," * 300, "keep", "trade E999 paying 1e9", "accept",
           "connected E001: me", "awake 25-99 Mars", "withdraw other", "standings '; DROP TABLE entrant", "tables \x00",
           "confirm \ud83d", "enter cup as 🐛\u200b"]  # fmt: skip
    for number, line in enumerate(odd):
        line = line.encode("utf-8", "ignore").decode()
        to = f"mentat+{ann.token}@arrakis.example"
        assert entry_cup.says("ann", line, to=to).disposition != "fault"
        assert entry_cup.says(f"eve{number}", line).disposition != "fault"
        assert entry_cup.says(f"ida{number}", line, to="mentat+cuptournamentt22@arrakis.example").disposition != "fault"
    assert entry_cup.entrant("ann").name == "<script>alert(1)</script>"
    assert all("<script>alert" not in sent.html for sent in entry_cup.letters("ann"))


@pytest.mark.parametrize("item", ["- ", "* ", "• ", "1. ", "2) ", "– "])
def test_lines_of_a_list_are_read_without_what_it_begins_them_with(item: str) -> None:
    assert read_line(f"{item}confirm") == read_line("confirm")
    assert read_line(f"{item}enter cup as Ann") == read_line("enter cup as Ann")
