"""A tournament as it is published, and which of its games have pages: all its pages and exports."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from random import Random

import msgspec

from bot.archive.tournament_pages import CHECK, SETTINGS, SUMS, tournament_files
from bot.archive.tournaments import tournament_summary, tournaments_page
from bot.competition.published import Published
from tests.approved.json_inputs import vary_json
from tests.approved.subject import Subject
from tests.archive.page_words import lines_of
from tests.competition.published_example import example, under_way

LEFT_OUT = (SETTINGS, CHECK, SUMS, "tournament.json")
TITLES = ("semifinal = 0", "semifinal = 4", "final = 6", "final = 0", "heats = 2", "heats = 1", 'title = "A <Cup>"')


class Given(msgspec.Struct):
    """A tournament, the games that have pages, and another of the list."""

    document: Published
    games: list[str]
    other: Published | None = None


def _seeds() -> Iterator[str]:
    over, going = example(), under_way()
    first, *others = over.rounds
    assert first.draw is not None
    sealed = msgspec.structs.replace(
        first.draw, apart=(("E001", "E002"),), apart_digest="ab" * 20, sat_out=("E003",), hours_sealed=True
    )
    changed = msgspec.structs.replace(
        over, state="cancelled", tie_breaks_changed="wins before points",
        rounds=(msgspec.structs.replace(first, draw=sealed, opens=None), *others),
    )  # fmt: skip
    entry = msgspec.structs.replace(
        over, state="entry", rounds=(), results=(), standings=(), acts=(), beacon="", secret="", waiting=3
    )
    for document in (over, going, changed, entry):
        yield msgspec.json.encode(Given(document, ["arrakeen-1-1", "arrakeen-2-2"], going)).decode()
    yield msgspec.json.encode(Given(msgspec.structs.replace(entry, entrants=()), [])).decode()


def _vary(chance: Random, text: str, others: Sequence[str]) -> str:
    """Numbers, states and people that are otherwise; now and then another line in the settings."""
    made: str = _VARY(chance, text, others)
    if chance.random() < 0.2:
        given = json.loads(made)
        line = chance.choice(TITLES)
        key = line.partition("=")[0]
        settings = given["document"].get("settings", "").splitlines()
        given["document"]["settings"] = "\n".join(line if old.startswith(key) else old for old in settings)
        made = json.dumps(given)
    return made


_VARY = vary_json(("name", "why", "words", "what"), kept=("settings", "settings_sha256", "sums"))


def _told(text: str) -> str:
    try:
        given = msgspec.json.decode(text, type=Given)
        files = tournament_files(given.document, given.games)
        known = [tournament_summary(one) for one in (given.document, given.other) if one]
    except Exception as wrong:
        return f"no tournament: {type(wrong).__name__}"
    files["tournaments.html"] = tournaments_page(known)
    return "".join(f"== {name}\n{_file(name, files[name])}\n" for name in sorted(files))


def _file(name: str, content: bytes) -> str:
    if name in LEFT_OUT:
        return "…"
    return lines_of(content) if name.endswith(".html") else content.decode().replace("\r\n", "\n")


SUBJECT = Subject("tournament-pages", ("bot.archive.tournaments",), _seeds, _vary, _told)
