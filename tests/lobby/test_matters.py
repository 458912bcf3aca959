"""Sentences from people who do not know the lobby's commands: each is parsed correctly or answered with the right line.

A row holds the writer's situation, the sentence, and the lines that mean it ("a | b": either; "a + b": both). Other
people than the parser's author wrote the sentences in three styles: casual, formal and non-native.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from bot.language.proposals import Memory, Proposal
from bot.lobby.lines import Known, read_line
from bot.lobby.matters import likely_lines
from bot.lobby.reading import read_mail
from bot.lobby.requests import Help, ListTables, MyGames, Open, Request, Talk, Unread, line_of
from tests.lobby.people import Lobby
from tests.lobby.test_words_of_people import ARRAKEEN, SIETCH, TALK, TODAY, facts_of, table

TABLES = (ARRAKEEN, SIETCH, table("ix-2", 3, "gf9-advanced", title="Long evenings"))
STANDS: Mapping[str, Known] = {
    "new": Known(TODAY, TABLES),
    "asked to join": Known(TODAY, TABLES, answers="arrakeen-7"),
    "sits": Known(TODAY, TABLES, mine=("arrakeen-7",), answers="arrakeen-7"),
    "sits twice": Known(TODAY, TABLES, mine=("sietch-3", "ix-2")),
    "asked for a yes": Known(TODAY, TABLES, mine=("arrakeen-7",), answers="arrakeen-7", asked=("arrakeen-7",)),
    "played": Known(TODAY, TABLES[:2], games=("ix-1",), answers="ix-1"),
}

SENTENCES = """\
new: you guys got any of the Gale Force version going? => games gf9
new: Put me in ix, hoping for Atreides, Fremen's fine too => join ix-2 with atreides, fremen
new: Got a chair left in ix? I'll be whoever as long as it's not the Guild => join ix-2 with *, guild
new: Whichever table is closest to full, I'm in => join sietch-3
new: hi I'm Walt, never played by email, want arrakeen-7, love the worms => join arrakeen-7 with fremen as Walt
sits twice: scratch me from everything I'm signed up for => leave all
sits twice: sietch-3 is a no go for me now but keep me in ix => leave sietch-3
new: Let's get a quick one rolling, four humans and let the computer fill the other two \
=> open a game: swift, 4-6 players, computers
new: new table: old Avalon Hill rules, basic, slow as molasses => open a game: ah-basic, slow
new: I can sub for folks once the new year's here => standby not before 1 january
played: Run it back with the same crew! => rematch ix-1
new: one on one vs bots, I'd like to try Harkonnen => practice as harkonnen
asked to join: if it's full I'll take a spot in the queue => wait arrakeen-7
asked for a yes: pass on this one, thanks => no arrakeen-7
sits: ok we've got enough, fire it up => start arrakeen-7
sits: nobody's coming, just close down my table => close arrakeen-7
new: Do reserve me a seat in arrakeen-7, ideally as the Bene Gesserit, failing that the Emperor. \
=> join arrakeen-7 with bene-gesserit, emperor
new: My name is Margaret Hale; please enter me for ix as Guild. => join ix-2 with guild as Margaret Hale
sits twice: I thought I could manage ix but the dates clash, so somebody else may have my place. => leave ix-2
new: I'd like to host one: six seats, WBC 2018, a leisurely pace, first turn on the third of January. \
=> open a game: wbc-2018, 6 players, slow, starts by 3 january
new: Please arrange a closed game, just for our club, vaca rules, two days a phase. => open a game: vaca-2.0, private
new: I no longer wish to be called upon as a reserve. => standby off
sits: Would you remind me what I've signed up for? => my games
sits: You may take me off the queue for arrakeen-7. => wait off arrakeen-7
asked for a yes: Present and correct. => yes arrakeen-7
sits: Let us give it until Sunday before we begin. => hold arrakeen-7 until 2026-12-06
sits: On reflection I had rather be the Atreides than the Bene Gesserit. \
=> wishes atreides, bene-gesserit at arrakeen-7
new: The weekly bulletin needn't come any more. => stop weekly
new: Exist some games in the fast speed? => games swift
new: For ix I am interested, best would be Guild, then Emperor, then Atreides. \
=> join ix-2 with guild, emperor, atreides
new: I am Luca from Torino, is it possible to have a seat at sietch-3? => join sietch-3 as Luca
sits twice: I can no more in ix, give please my place to an other. => leave ix-2
new: A new table please, like sietch-3 but quicker. => open a game: like sietch-3, swift
sits: My two collegues jan@example.org and piotr@example.org also like to play with me, write them. \
=> invite jan@example.org piotr@example.org
new: As replacement I am available, but only for WBC and from March. => standby wbc-2018 not before 2027-03-01
sits: My table you can erase, no one is coming. => close arrakeen-7
sits: Please not yet start, we wait for Giulia till Thursday. => hold arrakeen-7 until 2026-12-03
asked for a yes: At the moment not possible, in two weeks perhaps yes. => no arrakeen-7 not before 2026-12-14
new: How functions this here? => help
""".strip().split("\n")


def facts(request: Request) -> tuple[str, dict[str, Any]]:
    left_out = ("mistakes", "form", "unknown") if isinstance(request, Open) else ("unknown",)
    return type(request).__name__, {name: value for name, value in facts_of(request).items() if name not in left_out}


def meant(lines: str, known: Known) -> list[tuple[str, dict[str, Any]]]:
    read = [read_line(line, known) for line in lines.split(" + ")]
    return [facts(request) for request in read if request is not None]


@pytest.mark.parametrize("row", SENTENCES)
def test_a_sentence_is_read_right_or_asked_back_with_its_line(row: str) -> None:
    stands, _, rest = row.partition(": ")
    text, _, lines = rest.partition(" => ")
    known = STANDS[stands]
    mail = read_mail([text], known)
    offered = [[facts(each) for each in read_mail(option.split("\n"), known).requests] for option in mail.options]
    done = [facts(request) for request in mail.requests]
    assert meant(lines, known) in (offered or [done]), (mail.options, mail.requests)
    assert not done or all(isinstance(each, ListTables | MyGames | Help) for each in mail.requests) or not offered


QUIET = [
    "Man, I haven't played Dune since college.",
    "the cat sat down on my old Dune box and won't leave",
    "guess I'm out of luck then huh",
    "A most enjoyable evening's reading, these reports of yours.",
    "The Emperor always seems to be the richest fellow at the table.",
    "In the office we all sit at one table and talk about Dune.",
    "Pardon for my bad english.",
]


@pytest.mark.parametrize("text", QUIET)
def test_chatter_is_not_even_asked_about(text: str) -> None:
    mail = read_mail([text], STANDS["new"])
    assert (mail.requests, mail.options) == ((), ())


def test_little_of_the_talk_is_asked_about() -> None:
    asked = [text for text in TALK for known in STANDS.values() if read_mail([text], known).options]
    assert len(asked) <= len(TALK) * len(STANDS) // 5, asked


UNDECIDED = [
    ("new", "Either arrakeen-7 or ix, I don't really know yet"),
    ("asked for a yes", "yes but only if it's not six newbies again"),
    ("asked for a yes", "No, I mean yes, oh dear."),
    ("asked to join", "I would join, but first I must ask my boss because of the holidays."),
    ("sits", "Guild or not Guild, this is here the question."),
]


@pytest.mark.parametrize(("stands", "text"), UNDECIDED)
def test_who_has_not_decided_takes_no_seat(stands: str, text: str) -> None:
    assert read_mail([text], STANDS[stands]).requests == ()


def test_two_tables_that_may_be_meant_are_both_proposed() -> None:
    mail = read_mail(["Either arrakeen-7 or ix, I don't really know yet"], STANDS["new"])
    assert mail.options == ("join arrakeen-7", "join ix-2")


def test_a_sentence_of_two_matters_is_asked_back_whole() -> None:
    text = "Strike me off sietch-3, and could you squeeze me into arrakeen-7?"
    mail = read_mail([text], STANDS["sits twice"])
    assert mail.options == ("leave sietch-3\njoin arrakeen-7",)
    memory = Memory(waiting=Proposal((("leave sietch-3", "join arrakeen-7"),), ""))
    done = read_mail(["yes"], STANDS["sits twice"], memory).requests
    assert [line_of(request) for request in done] == ["leave sietch-3", "join arrakeen-7"]


def test_a_mail_of_three_matters_is_read_whole() -> None:
    known = STANDS["sits twice"]
    mail = read_mail(["leave sietch-3", "", "join arrakeen-7 as Ann", "And which of them have me on them?"], known)
    assert [line_of(request) for request in mail.requests] == ["leave sietch-3", "join arrakeen-7 as Ann", "my games"]


def test_wishes_beside_another_table_are_none_for_ones_own() -> None:
    mail = read_mail(["I'm throwing my hat in for sietch-3, Emperor or Guild preferably"], STANDS["sits"])
    assert (mail.requests, mail.options[:1]) == ((), ("join sietch-3 with emperor = guild",))


def test_an_invitation_without_an_address_is_told_what_it_lacks() -> None:
    ((_, line),) = read_mail(["I'd be happy for Ann Archer to join us, would you write to her?"], STANDS["sits"]).lines
    assert isinstance(line, Unread)
    assert "invite ADDRESS" in line.why


def test_words_that_nobody_understands_come_with_the_nearest_lines() -> None:
    asked = read_mail(["The moon over the harbour was red."], STANDS["asked for a yes"])
    assert all(isinstance(line, Talk) for _, line in asked.lines)
    assert asked.near == ("yes arrakeen-7", "no arrakeen-7", "my games")
    assert read_mail(["hm, TABLE?"], STANDS["asked to join"]).near[-2:] == ("join arrakeen-7", "games")


def test_a_long_sentence_costs_no_more_than_a_short_one() -> None:
    assert likely_lines("join " * 2_000, STANDS["new"]) == []


def test_words_beside_a_request_are_named(lobby: Lobby) -> None:
    found = lobby.opens("ann")
    lobby.proves("bob", f"join {found.id}", "", "My grandmother owned a first edition.")
    assert lobby.seats(found.id) == ["ann", "bob"]
    assert "We found no request in “My grandmother owned a first edition”." in lobby.words("bob")


def test_the_answer_to_words_that_nobody_understands_has_the_nearest_lines_as_buttons(lobby: Lobby) -> None:
    found = lobby.opens("ann")
    lobby.joins("bob", found.id)
    lobby.proves("bob", "the weather is mild here")
    assert "my games" in lobby.words("bob")
