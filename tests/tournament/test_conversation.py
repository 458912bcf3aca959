"""Entrants' mails in natural language: with corrections, doubts, and "yes" to a proposal."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.store import tournaments
from bot.store.database import reading
from tests.tournament.entries import DIRECTOR, Cup

SETTINGS = 'title = "The Cup"\nfactions.by = "preference"\n'


@pytest.fixture
def cup(tmp_path: Path) -> Iterator[Cup]:
    made = Cup.at(tmp_path, SETTINGS)
    made.enters("ann")
    yield made
    made.world.engine.dispose()


def stands(cup: Cup) -> str:
    """Return what has changed for Ann, who began confirmed, in UTC, without connections or papers."""
    ann = cup.entrant("ann")
    with reading(cup.world.engine) as conn:
        every = tournaments.papers_of(conn, "cup")
        papers = [f"{paper.kind} {paper.words}" for paper in every if paper.kind != "words"]  # these change nothing
    told = [
        "" if ann.state == "confirmed" else ann.state,
        "" if ann.name == "Ann" else ann.name,
        "" if ann.timezone == "UTC" else f"{ann.timezone} {bin(ann.hours).count('1')}",
        ann.connections,
        *papers,
    ]
    return "; ".join(filter(None, told))


def words(cup: Cup) -> str:
    return " ".join(cup.newest("ann").text.split())


@pytest.mark.parametrize(
    ("lines", "now"),
    [
        ("name Annie|sorry, make that Anna", "Anna"),
        ("Hi,||please call me Annie from now on. Thanks!||Ann", "Annie"),
        ("name Annie and awake 8-22 Berlin", "Annie; Europe/Berlin 14"),
        ("1. name Annie|2. awake 8-22 Berlin", "Annie; Europe/Berlin 14"),
        ("awake 8-22 Berlin|actually 9-23", "Europe/Berlin 14"),
        ("I'm awake from 8 to 20 in Berlin", "Europe/Berlin 12"),
        ("preferences guild, fremen, *|no, fremen, guild, *", "preferences fremen, guild, *"),
        ("I would prefer Guild, then Fremen, then whatever", "preferences Guild, Fremen, *"),
        ("preferences guild, *|Emperor instead of Guild", "preferences Emperor, *"),
        ("connected bob@example.org|Sorry, cid@example.org I mean", "cid@example.org"),
        ("withdraw", "withdrawn"),
        ("withdraw please", "withdrawn"),
        ("name me Annie, thanks", "Annie"),
        ("My name should be shown as Annie.", "Annie"),
        ("I'd like to play Guild or Fremen", "preferences Guild = Fremen"),
        ("withdraw|name Annie|scratch the withdraw", "Annie"),
        ("How was your summer?||name Annie", "Annie"),
    ],
)
def test_what_is_certain_is_carried_out_as_it_was_corrected(cup: Cup, lines: str, now: str) -> None:
    cup.answers("ann", *lines.split("|"))
    assert stands(cup) == now


@pytest.mark.parametrize(
    "lines",
    [
        "withdraw|no wait, let me think about it",
        "withdraw|forget that",
        "withdraw||just kidding :)",
        "withdraw|not yet",
        "withdraw, but only if I am on the waiting list",
        "If my boss says no:|withdraw",
        "withdraw cup keep|or maybe leave, I am not sure",
        "What happens if I|withdraw|?",
        "withdraw?",
        "Should I withdraw?",
        "How do I withdraw?",
        "I don't want to withdraw",
        "I will never withdraw",
        "My friend told me to|withdraw",
        "Draft:|withdraw",
        "Next year:|withdraw",
        "I'd like to withdraw from the cup, sorry.",
        "Ich möchte mich abmelden",
        "preferences guild, *||wait, don't take that yet",
        "Please don't seat me with bob@example.org, we share a flat.",
        "Bob asked me to|name Bobby",
        "call me maybe",
        "withdraw from cup|keep",
        "withdraw cup keep|no, leave",
        "I cannot play on Sundays",
        "I will not play Guild again",
        "I'm leaving for a holiday tomorrow",
        "please withdraw my preferences",
        "I vote for the Guild",
        "Withdraw? No!",
    ],
)
def test_what_is_uncertain_or_grave_is_not_carried_out(cup: Cup, lines: str) -> None:
    cup.answers("ann", *lines.split("|"))
    assert not stands(cup)


@pytest.mark.parametrize("line", ["I cannot play on Sundays", "I'm out this weekend", "Call me maybe", "I love Dune"])
def test_chatter_gets_no_grave_proposal(cup: Cup, line: str) -> None:
    cup.answers("ann", line)
    cup.answers("ann", "yes")
    assert not stands(cup)


@pytest.mark.parametrize(
    ("lines", "word"),
    [
        ("withdraw|not sure yet, sorry", "not sure"),
        ("If my boss says no:|withdraw", "If my boss says no"),
        ("I'd like to withdraw since my wife is ill", "since my wife is ill"),
        ("name Annie||By the way, the flowers at the house were lovely.", "the flowers at the house were lovely"),
    ],
)
def test_words_that_held_a_line_back_or_were_no_command_are_named(cup: Cup, lines: str, word: str) -> None:
    cup.answers("ann", *lines.split("|"))
    assert word in words(cup)


@pytest.mark.parametrize(
    ("first", "then", "now"),
    [
        ("I'd like to withdraw from the cup, sorry.", "yes", "withdrawn"),
        ("I'd like to withdraw from the cup, sorry.", "Yes, please.||Ann", "withdrawn"),
        ("I'd like to withdraw from the cup, sorry.", "no", ""),
        ("I'd like to withdraw from the cup, sorry.", "hm, let me think", ""),
        ("withdraw?", "ja", "withdrawn"),
        ("Please don't seat me with bob@example.org, we share a flat.", "ok", "bob@example.org we share a flat"),
        ("prefrences gild", "yes", "preferences guild"),
        ("name Annie", "sorry, Anna", "Annie"),
    ],
)
def test_yes_and_no_answer_what_was_proposed(cup: Cup, first: str, then: str, now: str) -> None:
    cup.answers("ann", first)
    cup.answers("ann", *then.split("|"))
    assert stands(cup) == now


def test_a_yes_from_another_address_or_to_another_token_takes_nothing(cup: Cup) -> None:
    cup.enters("bob")
    cup.answers("ann", "I'd like to withdraw from the cup, sorry.")
    reply_to = str(cup.newest("ann").message["Reply-To"])
    assert cup.says("bob", "yes", to=reply_to).disposition == "rejected"
    cup.answers("bob", "yes")
    assert not stands(cup)


def test_a_code_counts_whatever_stands_beside_it(cup: Cup) -> None:
    cup.says("bob", "enter cup as Bob")
    cup.says("bob", f"confirm {cup.code('bob')}", "Bob Smith", "Acme | Sales - Widgets")
    assert cup.entrant("bob").confirmed_at


@pytest.mark.parametrize("lines", ["enter cup as Bob|no wait, not yet", "Next year I may|enter cup as Bob"])
def test_a_stranger_who_hesitates_does_not_enter(cup: Cup, lines: str) -> None:
    before = len(cup.everybody())
    cup.says("bob", *lines.split("|"))
    assert len(cup.everybody()) == before


def test_a_stranger_enters_in_plain_words_and_confirms(cup: Cup) -> None:
    cup.says("bob", "Hello,", "", "I'd like to join cup as Bob, please.", "", "Bob")
    cup.says("bob", f"confirm {cup.code('bob')}")
    assert cup.entrant("bob").name == "Bob"


def test_an_organiser_asks_in_plain_words(cup: Cup) -> None:
    token = "cupdirectortoken"[:14] + "22"
    cup.deliver(cup.mail("director", "Could you show me the standings, please?", to=f"mentat+{token}@arrakis.example"))
    assert "No table has a result yet" in cup.world.newest(DIRECTOR).text


def test_entries_stay_open_longer_in_an_organisers_words(cup: Cup) -> None:
    token = "cupdirectortoken"[:14] + "22"
    words = "Keep the registration open until 5 January, please: many are on holiday"
    cup.deliver(cup.mail("director", words, to=f"mentat+{token}@arrakis.example"))
    asked = next(sent for sent in reversed(cup.world.letters(DIRECTOR)) if "confirm “" in sent.subject)
    assert "open until 2025-01-05" in asked.text
    cup.deliver(cup.mail("director", "confirm", to=str(asked.message["Reply-To"])))
    assert "Done: open until 2025-01-05" in " ".join(cup.world.newest(DIRECTOR).text.split())
    with reading(cup.world.engine) as conn:
        until = tournaments.find_tournament(conn, "cup").until
    assert until is not None
    assert f"{until:%Y-%m-%d}" in ("2025-01-05", "2025-01-06")
