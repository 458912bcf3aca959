"""Lines of mails about tournaments: what each is taken for, or what is said instead and proposed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

from bot.tournament import mail_lines
from tests.approved.subject import Subject, vary_words

LINES = (
    "enter cup as Ann", "enter cup", "enter CUP as Ann, standby", "enter cup standby", "join cup named Bob",
    "enter", "enter cup as a standby.", "register cup, name Dora!", "enter as Ann", "enter standby",
    "enter cup please", "confirm", "confirm abcd2345efgh6723", "confirm code: abcd.", "confirm a b", "withdraw",
    "withdraw cup", "leave cup", "withdraw from cup keep", "withdraw leave.", "withdraw cup now", "withdraw cup!",
    "standings", "standings of cup", "ranking cup.", "tables", "seating of cup", "draw", "status", "help",
    "commands?", "status of a b", "help cup!", "preferences guild, fremen, *", "preferences 1.3 guild", "prefer",
    "bid atreides 3, guild 2.5", "worth 1/3: guild 2", "bid table 1.3, guild 2", "keep guild", "keep",
    "trade E003 paying 2", "swap with E003", "trade at 2.1 with guild", "accept", "accept it", "yes please", "yes",
    "no", "decline thanks", "no way", "accept the guild", "decline sorry!", "protest 1.3: the storm was wrong",
    "protest against table 1/3, wrong", "protest 1.3", "protest cup-r1-t01: wrong", "protest 7: wrong",
    "protest: wrong", "vote agreed atreides", "vote for bene gesserit and guild", "vote no",
    "vote 1.2 agreed atreides guild", "vote against.", "vote play on", "vote", "vote agreed",
    "vote yes: atreides/fremen", "vote agreed atredies", "vote agreed the moon",
    "vote agreed atreides bene gesserit", "vote agreed atreides, atreides", "name Ann", "name me Ann",
    "name hidden", "name", "name none.", "name \u202e", "awake 8-22 Europe/Berlin", "awake from 8:30 to 22.15",
    "awake 25-3", "awake 8-8", "awake 24-0", "awake 8-22:60", "hours 22 until 6, UTC", "awake", "awake 7h30 – 23h",
    "awake 0-24", "connected E003: we share a flat", "connected ann@example.org", "connected",
    "connection to e0031 sisters", "connected with <ann@example.org>; sisters", "connected E03: no", "ready",
    "ready.", "ready now", "not ready", "not ready!", "not ready yet",
    "not ready for it as I am away until then, I fear", "stnadings", "- standings", "*standings*", "> standings",
    "_help_", "Dear Mentat,", "Thanks a lot", "entr cup", "wit", "entr the cup as I said to you some days ago",
    "redy", "confrm abcd", "tabels", "votes no", "x", "", "hel", "bids 3",
)  # fmt: skip


def _seeds() -> Iterator[str]:
    yield from LINES
    yield "name " + "x" * 61
    yield "connected E003: " + "x" * 201
    yield "protest 1.3: " + "x" * 2000


def _vary(chance: Random, text: str, others: Sequence[str]) -> str:
    return vary_words(chance, text, [*others, *LINES])[:2200]


def _told(text: str) -> str:
    return repr(mail_lines.read_line(text))


SUBJECT = Subject("tournament-lines", ("bot.tournament", "bot.competition.published"), _seeds, _vary, _told)
