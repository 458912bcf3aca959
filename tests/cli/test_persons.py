"""`mentat person`: warn a person, ban them, and let them play again."""

from __future__ import annotations

from bot.store import bans
from bot.store.database import reading
from tests.cli.conftest import Mentat
from tests.moderator.table import World

DORA = "dora@elsewhere.example"


def kinds(place: World) -> list[str]:
    with reading(place.engine) as conn:
        return [each.kind for each in bans.every(conn)]


def test_a_person_is_warned_banned_and_let_play_again(mentat: Mentat, place: World) -> None:
    assert mentat("person", "warn", DORA, "Please keep to the tone of the table.").out == f"{DORA} will be told.\n"
    assert kinds(place) == ["warning"]
    assert "Please keep to the tone of the table." in " ".join(place.newest(DORA).text.split())
    assert mentat("person", "ban", DORA, "--why", "wrote for two").code == 0
    assert kinds(place) == ["warning", "ban"]
    refused = mentat("game", "new", "--ruleset", "ah-basic", "--seat", f"guild={DORA}", "--seat", "fremen=f@x.example")
    assert refused.code != 0
    assert "cannot play here" in refused.err
    assert mentat("person", "unban", DORA).code == 0
    assert mentat("person", "unban", DORA).code == 1


def test_what_is_only_tried_on_a_person_is_not_done(mentat: Mentat, place: World) -> None:
    before = place.written()
    for words in (("warn", DORA, "Hm."), ("ban", DORA)):
        assert mentat("person", *words, "--dry-run").code == 0
    assert kinds(place) == []
    assert place.written() == before
