"""Tests for the record written while a game is played."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

import pytest

from bot.record.lines import (
    Act,
    AnyLine,
    Chain,
    Decided,
    Drawn,
    Head,
    Recorder,
    Told,
    Words,
    decode,
    made_deals,
    restore_words,
    whole_record,
)
from rules.components.chance import commitment
from rules.components.factions import FACTIONS
from rules.engine.catalogue import load_rule_set
from rules.engine.play import Play
from rules.orders import Accept, Deal
from rules.random_players import RandomPlayer, random_game, random_seats

KEY = bytes(range(32))
WBC = load_rule_set("wbc-2018")
DAY = date(2026, 11, 22)


def head(seed: str) -> Head:
    return Head(
        game=seed, ruleset="wbc-2018", options={}, seats=random_seats(seed, FACTIONS), commitment=commitment(seed)
    )


def made_at_once(seed: str, log: Sequence[object], key: bytes | Words | None = KEY) -> bytes:
    story = [Decided(n=number, day=DAY, entry=entry) for number, entry in enumerate(log)]  # type: ignore[arg-type]
    return b"".join(line + b"\n" for line in whole_record(head(seed), seed, story, key))


def read(record: bytes) -> list[AnyLine]:
    return [decode(line) for line in record.splitlines()]


def test_a_record_kept_entry_by_entry_and_over_resumed_games_is_the_one_made_at_once() -> None:
    seed = "kept"
    log = random_game(WBC, seed).log[:400]
    play = Play.start(WBC, seed, random_seats(seed, FACTIONS))
    recorder = Recorder(Chain(seed), 0, 0, KEY)
    lines = [recorder.begin(head(seed)), *recorder.fresh(play, None)]
    for number, entry in enumerate(log):
        if number % 37 == 0:  # open the game from its last snapshot, and the chain from its last line
            since = play.log[play.snapshot.entries - play.entries_before :]
            chain, events = Chain(seed, recorder.chain.head, recorder.chain.lines), play.state.events
            play = Play.resume(WBC, seed, play.snapshot, since)
            del play.events[:], play.game.draws[:]
            recorder = Recorder(chain, number, events, KEY)
        play.replay([entry])
        lines += recorder.fresh(play, DAY)
    assert b"".join(line + b"\n" for line in lines) == made_at_once(seed, log)


def test_what_the_set_up_drew_and_told_stands_before_the_first_entry() -> None:
    lines = read(made_at_once("begun", random_game(WBC, "begun").log[:3]))
    first = next(number for number, line in enumerate(lines) if isinstance(line, Decided))
    assert {type(line) for line in lines[1:first]} == {Drawn, Told}
    assert sum(isinstance(line, Drawn) for line in lines[1:first]) > 50  # the decks were shuffled


def test_every_event_and_every_draw_of_the_game_is_there_once() -> None:
    play = random_game(WBC, "counted")
    lines = read(made_at_once("counted", play.log))
    assert [line.event.number for line in lines if isinstance(line, Told)] == list(range(play.state.events))
    labels = [line.label for line in lines if isinstance(line, Drawn)]
    assert len(labels) == len(set(labels)) == sum(play.state.draws.values())


def test_a_card_that_is_played_at_once_stands_before_what_it_did() -> None:
    play = random_game(WBC, "kept", player=RandomPlayer("kept", impulses=60))
    lines = read(made_at_once("kept", play.log))
    caused = {}
    entry = -1
    for line in lines:
        if isinstance(line, Decided):
            entry = line.n
        elif isinstance(line, Told) and line.event.kind == "offer-made":
            caused[line.event.number] = entry
    assert caused
    for number in caused.values():
        orders = play.log[number].orders  # type: ignore[union-attr]
        assert any(type(order).__name__ in ("Deal", "EmperorGives", "Give") for order in orders)


def test_after_a_rollback_the_record_goes_on_from_where_the_game_was_taken_back_to() -> None:
    seed = "back"
    log = random_game(WBC, seed).log
    act = Act(what="rollback", why="a wrong order", entries=60)
    story: list[Decided | Act] = [
        *(Decided(n=number, entry=entry) for number, entry in enumerate(log[:90])),
        act,
        *(Decided(n=number, entry=entry) for number, entry in enumerate(log[60:120], 60)),
    ]
    lines = read(b"\n".join(whole_record(head(seed), seed, story, KEY)))
    place = next(number for number, line in enumerate(lines) if isinstance(line, Act))
    before = [line for line in lines[:place] if not isinstance(line, Decided) or line.n < 60]
    after = lines[place + 1 :]
    assert isinstance(after[0], Decided)
    assert after[0].n == 60
    told = [line.event.number for line in after if isinstance(line, Told)]
    assert told[0] < max(line.event.number for line in before if isinstance(line, Told))
    assert told == list(range(told[0], told[-1] + 1))


def deal_lines(accept: bool) -> list[AnyLine]:
    play = Play.start(WBC, "deal", random_seats("deal", FACTIONS))
    while "spice" not in play.stop_name:
        play.expire()
        play.advance()
    (outcome,) = play.submit("guild", [Deal("fremen", "No attack  on Arrakeen; \u201cword of honour\u201d", 1)])
    assert outcome.status == "accepted", outcome
    if accept:
        (outcome,) = play.submit("fremen", [Accept()])
        assert outcome.status == "accepted", outcome
    return read(made_at_once("deal", play.log))


def test_the_words_of_an_offer_that_came_to_nothing_are_nowhere_in_the_record() -> None:
    lines = deal_lines(accept=False)
    assert "honour" not in repr(lines)
    (offer,) = [line for line in lines if isinstance(line, Told) and line.event.kind == "offer-made"]
    assert offer.event.facts["text"].startswith("words:")
    assert offer.event.facts["text"] in repr([line for line in lines if isinstance(line, Decided)])


def test_a_deal_that_was_made_has_its_words_and_what_stood_for_them() -> None:
    lines = deal_lines(accept=True)
    made = made_deals(lines)
    ((digest, told),) = made.items()
    assert told.text == "No attack on Arrakeen; \u201cword of honour\u201d"
    orders = [line.entry for line in lines if isinstance(line, Decided)]
    assert digest in repr(orders)
    assert "honour" in repr([restore_words(entry, made) for entry in orders])


@pytest.mark.parametrize("accept", [True, False])
def test_a_record_that_is_played_again_without_its_key_is_the_same_record(accept: bool) -> None:
    lines = deal_lines(accept)
    made = made_deals(lines)
    log = [restore_words(line.entry, made) for line in lines if isinstance(line, Decided)]
    assert read(made_at_once("deal", log, key=Words(known=made))) == lines


def test_the_digest_of_words_depends_on_the_key_and_the_players_and_not_on_spaces() -> None:
    words = Words(KEY)
    said = words.hidden("guild", "fremen", "peace now")
    assert said == words.hidden("guild", "fremen", " peace \n now ")
    others = {
        Words(bytes(32)).hidden("guild", "fremen", "peace now"),
        words.hidden("fremen", "guild", "peace now"),
        words.hidden("guild", "fremen", "peace then"),
    }
    assert len(others | {said}) == 4
    assert words.hidden("guild", "fremen", said) == said
    assert words.hidden("guild", "fremen", " ") == ""


def test_what_a_resumed_game_no_longer_holds_is_refused() -> None:
    play = Play.start(WBC, "kept", random_seats("kept", FACTIONS))
    play.replay(random_game(WBC, "kept").log[:200])
    count = play.entries_before + len(play.log)
    since = play.log[play.snapshot.entries - play.entries_before :]
    first, events = play.snapshot.entries, play.state.events
    assert 1 < first < count
    again = Play.resume(WBC, "kept", play.snapshot, since)
    with pytest.raises(ValueError, match=rf"entry {first - 1} is not recorded yet, .* begins at entry {first}"):
        Recorder(Chain("kept"), first - 1, 0, KEY).fresh(again, DAY)
    with pytest.raises(ValueError, match="no longer in memory"):
        Recorder(Chain("kept"), first, 0, KEY).fresh(again, DAY)
    assert Recorder(Chain("kept"), count, events, KEY).fresh(again, DAY) == []
    assert len(Recorder(Chain("kept"), first, again.before[0].events, KEY).fresh(again, DAY)) > len(since)
